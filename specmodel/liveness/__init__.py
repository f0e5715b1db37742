"""Liveness: what every fair behaviour has to do, decided on the complete graph of states.

A property fails if there is a behaviour that never does it: a way from an initial state into a
cycle that can go round for ever. A cycle may be a single state that nothing leaves: as in TLA+, a
behaviour may stop at any time, unless that neglects an action that is to be fair.

Engines build a `StateGraph`; the rest is the same for all of them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from specmodel.errors import SpecmodelError, UsageError
from specmodel.model.model import Rule
from specmodel.results import Options


class Stopped(SpecmodelError):  # noqa: N818 - a limit met, not a mistake made
    """The work on temporal properties is to end; `why` is as in `Result.stopped`."""

    def __init__(self, why: str) -> None:
        super().__init__(f"stopped: {why}")
        self.why = why


def refuse_unfit(rules: Sequence[Rule], options: Options) -> None:
    """Raises UsageError where temporal properties cannot be checked.

    Without what they need installed; in a symmetric search, whose
    states stand for others: fairness tells actors apart, and a cycle of such states need not be one
    of the design's; and where states are not all kept as they are.
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
