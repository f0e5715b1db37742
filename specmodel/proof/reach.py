"""Searches the design to decide whether counterexamples to induction are reachable."""

from __future__ import annotations

from typing import Literal

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.proof.result import Proof
from specmodel.results import Options, PropertyResult, SpecFailure

MOST_STATES = 500_000
MOST_SECONDS = 15.0


@dataclass(frozen=True)
class Reach:
    """The result of a search for counterexamples to induction.

    reachable: one of the claims is violated, as `violated` shows. unreachable: all claims hold in
    all states, so no counterexample to induction is reachable. unknown: a limit ended the search.
    """

    answer: Literal["reachable", "unreachable", "unknown"]
    states: int = 0
    violated: tuple[PropertyResult, ...] = ()


def reach(design: Design, proof: Proof, workers: int, seconds: float = MOST_SECONDS) -> Reach:
    """Looks for behaviours that violate claims, in a search of half a million states at most."""
    names = [
        *proof.goals,
        *(name for name in proof.lemmas if name not in dict(proof.found)),
    ]
    options = Options(
        properties=tuple(names),
        keep_going=True,
        workers=workers,
        max_states=MOST_STATES,
        timeout=seconds,
    )
    try:
        result = registry.engine(registry.DEFAULT).check(design, options)
    except SpecFailure:
        return Reach("unknown")
    violated = tuple(p for p in result.properties if p.verdict == "violated")
    if violated:
        return Reach("reachable", result.counts[0], violated)
    return Reach("unreachable" if result.complete else "unknown", result.counts[0])
