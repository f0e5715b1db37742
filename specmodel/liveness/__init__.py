"""Liveness: temporal properties under fairness, decided on the complete state graph.

A property fails if there is a behaviour that violates it: a way from an initial state into a cycle
that can repeat for ever. A cycle may be a single state: as in TLA+, a behaviour may stop at any
time, unless fairness of an action forbids it.

Engines build a `StateGraph`; the rest is the same for all of them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from specmodel.errors import SpecmodelError, UsageError
from specmodel.model.model import Rule
from specmodel.results import Options


class Stopped(SpecmodelError):  # noqa: N818 - a limit met, not a mistake made
    """Raised to end the work on temporal properties; `why` is as in `Result.stopped`."""

    def __init__(self, why: str) -> None:
        super().__init__(f"stopped: {why}")
        self.why = why


def refuse_unfit(rules: Sequence[Rule], options: Options) -> None:
    """Raises UsageError where temporal properties cannot be checked.

    Without the required package; in a symmetric search, whose states stand for others (fairness
    distinguishes actors, and a cycle of such states need not be a cycle of the design); and if
    states are not all kept as they are.
    """
    names = ", ".join(rule.name for rule in rules)
    if options.spill is not None or options.compress or options.fingerprint:
        raise UsageError(
            f"temporal properties ({names}) need every state in memory as it is: check them "
            "without --spill, --compress and --fingerprint, or other properties alone with "
            "--invariant NAME"
        )
    if options.symmetry:
        raise UsageError(
            f"temporal properties ({names}) cannot be checked with symmetry: fairness tells actors "
            "apart; check them without it, or other properties alone with --invariant NAME"
        )
    if importlib.util.find_spec("numpy") is None:
        raise UsageError(
            f"temporal properties ({names}) need numpy: run `pip install 'specmodel[liveness]'`, "
            "or check other properties alone with --invariant NAME"
        )
