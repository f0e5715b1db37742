"""A design whose page is hard to lay out: twelve actors, long names, negative numbers, no end."""

from __future__ import annotations

from typing import Annotated

from specmodel.lang import Range, ScalarSet, Spec, Struct, action, init, invariant, require


class Worker(ScalarSet, size=12):
    """Whoever works."""


class Jobs(Struct):
    level: dict[Worker, Annotated[int, Range(-1, 2)]]
    balance: Annotated[int, Range(-1, 1)]


@init
def idle() -> Jobs:
    return Jobs(level={w: -1 for w in Worker}, balance=-1)


@action
def work(s: Jobs, w: Worker) -> None:
    require(s.level[w] < 2)
    s.level[w] += 1
    s.balance = 0 if s.balance == -1 else -1


@action
def rest(s: Jobs, w: Worker) -> None:
    require(s.level[w] > -1)
    s.level[w] -= 1


@invariant
def no_worker_is_at_level_one_in_the_first_shift(s: Jobs) -> bool:
    return not any(s.level[w] == 1 for w in Worker)


@invariant
def no_worker_is_at_level_two_in_the_first_shift(s: Jobs) -> bool:
    return not any(s.level[w] == 2 for w in Worker)


@invariant
def few_are_at_work(s: Jobs) -> bool:
    return len({w for w in Worker if s.level[w] > -1}) < 12


workers = Spec(
    state=Jobs,
    init=idle,
    actions=[work, rest],
    invariants=[
        no_worker_is_at_level_one_in_the_first_shift,
        no_worker_is_at_level_two_in_the_first_shift,
        few_are_at_work,
    ],
)
