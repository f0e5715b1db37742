"""What a search with z3 cannot be combined with, and what to do instead."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.liveness.formulas import is_temporal
from specmodel.results import Options


def refuse_unfit(design: Design, options: Options) -> None:
    """Raises UsageError for temporal properties."""
    temporal = [rule.name for rule in design.chosen(options.properties) if is_temporal(rule)]
    if temporal:
        raise UsageError(
            f"temporal properties ({', '.join(temporal)}) are about behaviours without end, and "
            "the smt engine looks at those of some length: check other properties alone with "
            "--invariant NAME, or use the native engine"
        )
