"""What a search with z3 cannot be combined with, and what to do instead."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.liveness.formulas import is_temporal
from specmodel.results import Options


def refuse_unfit(design: Design, options: Options) -> None:
    """Raises UsageError for options that are about kept states, and for temporal properties."""
    given = {
        "--max-states": options.max_states is not None,
        "--max-memory": options.max_memory is not None,
        "--spill": options.spill is not None,
        "--compress": options.compress,
        "--fingerprint": options.fingerprint,
        "--checkpoint": options.checkpoint is not None,
        "--save-space": options.save_space is not None,
        "--partial-order": options.partial_order,
        "--coverage": options.coverage,
    }
    wrong = [option for option, held in given.items() if held]
    if wrong:
        raise UsageError(
            f"{wrong[0]} is about states that a search keeps, and the smt engine keeps none: "
            "use the native engine, or limit it with --max-depth, --timeout or --query-timeout"
        )
    temporal = [rule.name for rule in design.chosen(options.properties) if is_temporal(rule)]
    if temporal:
        raise UsageError(
            f"temporal properties ({', '.join(temporal)}) are about behaviours without end, and "
            "the smt engine looks at those of some length: check other properties alone with "
            "--invariant NAME, or use the native engine"
        )
