"""How much of a state space walks have touched: what a sample of states can tell, and cannot.

Walks of a strategy that does not learn are drawn alike and apart from each other, which the states
within one are not. So the unit of sampling is the walk, and what counts is how many walks have
visited each state: one, two, or more.
"""

from __future__ import annotations

from specmodel.results.simulation import Guarantee, Touched
from specmodel.walks.plan import Strategy, WalkPlan
from specmodel.walks.totals import Sample

LEAST_WALKS = 100
"""Walks below which nothing is estimated."""

LEAST_TWICE = 10
"""States visited by exactly two walks that an estimate needs; fewer say too little."""

MOST_ONCE = 0.9
"""The share of states visited once beyond which the walks have hardly begun to meet again."""


def touched(sample: Sample, walks: int, plan: WalkPlan) -> Touched:
    """What is known of the states that so many walks have visited, all that there are."""
    met = [len(marked) for marked in sample.walks.values()]
    return estimated(len(met), met.count(1), met.count(2), sample.share, walks, plan)


def estimated(
    seen: int, once: int, twice: int, share: float, walks: int, plan: WalkPlan
) -> Touched:
    """What the states that so many walks have visited say of all that there are.

    Of a share of all states, so many were seen by any walk, by one walk alone, by two walks.
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
    """What PCT promises for the walks made; None for other strategies."""
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
    """Chao's least number of states that walks can visit and have not (1987, for units)."""
    return (walks - 1) / walks * once * once / (2 * twice) if once else 0.0
