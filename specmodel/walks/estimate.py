"""Estimates how much of a state space walks have visited, from a sample of states.

The walks of a strategy that does not learn are independent and identically distributed, but the
states within one walk are not. So the unit of sampling is the walk: for each state it counts
whether one walk, two, or more have visited the state.
"""

from __future__ import annotations

from specmodel.results.simulation import Guarantee, Touched
from specmodel.walks.plan import Strategy, WalkPlan
from specmodel.walks.totals import Sample

LEAST_WALKS = 100
"""With fewer walks, nothing is estimated."""

LEAST_TWICE = 10
"""States visited by exactly two walks that an estimate needs."""

MOST_ONCE = 0.9
"""If the share of states visited once is greater, the sample is too small for an estimate."""


def touched(sample: Sample, walks: int, plan: WalkPlan) -> Touched:
    """The figures for the states that `walks` walks have visited, and the estimate of all."""
    met = [len(marked) for marked in sample.walks.values()]
    return estimated(len(met), met.count(1), met.count(2), sample.share, walks, plan)


def estimated(
    seen: int, once: int, twice: int, share: float, walks: int, plan: WalkPlan
) -> Touched:
    """The estimate of all states that such walks can visit, from the states that `walks` walks
    visited.

    In a sample of the `share` of all states, `seen` were visited by any walk, `once` by one walk
    only, `twice` by two walks.
    """
    unknown = _unknown(seen, once, twice, walks, plan)
    return Touched(
        states=round(seen / share),
        share=share,
        sampled=seen,
        once=once,
        twice=twice,
        new_a_walk=None if walks < LEAST_WALKS or _learns(plan) else once / share / walks,
        least=None if unknown else (seen + _unseen(once, twice, walks)) / share,
        unknown=unknown,
    )


def guarantee(plan: WalkPlan, bindings: int, walks: int) -> Guarantee | None:
    """The guarantee of PCT for the walks made; None for other strategies."""
    if plan.strategy is not Strategy.pct or bindings == 0:
        return None
    steps = max(1, plan.depth - 1)
    a_walk = 1 / (bindings * steps ** (plan.order - 1))
    return Guarantee(plan.order, bindings, steps, a_walk, 1 - (1 - a_walk) ** walks)


def _learns(plan: WalkPlan) -> bool:
    return plan.strategy is Strategy.coverage


def _unknown(seen: int, once: int, twice: int, walks: int, plan: WalkPlan) -> str:
    """Why the number of states cannot be estimated; empty if it can be."""
    if _learns(plan):
        return "walks of this strategy depend on those before them"
    if walks < LEAST_WALKS:
        return f"fewer than {LEAST_WALKS} walks"
    if once > MOST_ONCE * seen:
        return f"{once / seen:.0%} of the states were visited by one walk only"
    if once and twice < LEAST_TWICE:
        return f"fewer than {LEAST_TWICE} of the sampled states were visited by two walks"
    return ""


def _unseen(once: int, twice: int, walks: int) -> float:
    """Chao's lower bound on the states that walks can visit and have not (1987, for units)."""
    return (walks - 1) / walks * once * once / (2 * twice) if once else 0.0
