"""Random walks on Spark: each task makes a range of a round's walks, with the native engine.

A walk is a function of the seed and its number, and what many have shown does not depend on their
order: so the result is the same however walks are shared out, and if a task is done twice.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from specmodel.design import Design
from specmodel.engines.native.walking import Walkers
from specmodel.engines.spark.parcel import parcel_of
from specmodel.engines.spark.session import session
from specmodel.engines.spark.trouble import understood
from specmodel.engines.spark.work import Shared
from specmodel.errors import UsageError
from specmodel.lang.spec import Rule
from specmodel.walks.plan import Plan, Strategy
from specmodel.walks.tally import Path, Records, Tally, Walker

SCALE = 64
"""Rounds are larger, as each is a job."""

PIECES = 4
"""Tasks of a round for each slot: one that takes longer then holds up little."""

LEAST_PIECE = 512
"""Walks of a task, at least."""


def walker(design: Design, rules: Sequence[Rule], plan: Plan, ends: frozenset[int]) -> Walker:
    """Makes ready for the walks of a plan, as that of the native engine does.

    Raises UsageError for the strategy whose walks learn from each other, and what `session` does.
    """
    if plan.strategy is Strategy.coverage:
        raise UsageError(
            "walks guided by coverage learn from each other after every round, which is not for "
            "Spark: use --engine native or another strategy"
        )
    return _SparkWalker(design, rules, plan, ends)


@dataclass(frozen=True)
class WalkTask:
    """Makes the walks from one number to another, for each pair that it is given."""

    parcel: Shared
    key: str
    plan: Plan
    ends: frozenset[int]
    forgotten: frozenset[int]

    def __call__(self, number: int, pieces: Iterable[tuple[int, int]]) -> Iterator[Tally]:
        walkers = self._walkers()
        for finding in self.forgotten:
            walkers.forget(finding)
        for first, end in pieces:
            walkers.renew()
            walkers.go(first, end)
            yield walkers.tally()

    def _walkers(self) -> Walkers:
        found = _ready.get(self.key)
        if found is None:
            parcel = self.parcel.value
            design = parcel.design()
            found = Walkers(design, parcel.chosen(design), self.plan, self.ends)
            parcel.refuse_other(found.kernel.program)
            _ready.clear()
            _ready[self.key] = found
        return found


_ready: dict[str, Walkers] = {}
"""What a process has made ready, for the simulation that it works on."""


class _SparkWalker:
    """The driver's side: hands out ranges, and adds up what comes back."""

    def __init__(
        self, design: Design, rules: Sequence[Rule], plan: Plan, ends: frozenset[int]
    ) -> None:
        started = time.perf_counter()
        self.scale = SCALE
        weights = {**design.weights, **plan.weights}
        self._plan = replace(plan, weights=weights, workers=1, progress=None)
        self._ends = ends
        self._own = Walkers(design, rules, self._plan, ends)
        program = self._own.kernel.program
        parcel = parcel_of(design, rules, program)
        self._session = session(plan.master, plan.workers)
        self.workers = self._session.slots
        self._context: Any = self._session.context
        self._parcel = self._context.broadcast(parcel)
        self._key = uuid.uuid4().hex
        self._name = design.name
        self._forgotten = frozenset[int]()
        self._stopped = False
        self._tally = Tally([0] * len(program.bindings))
        self.seconds = time.perf_counter() - started

    def go(self, first: int, end: int) -> None:
        if self._stopped:
            return
        size = max(LEAST_PIECE, -(-(end - first) // (PIECES * self.workers)))
        pieces = [(at, min(at + size, end)) for at in range(first, end, size)]
        task = WalkTask(self._parcel, self._key, self._plan, self._ends, self._forgotten)
        self._context.setJobGroup(self._key, f"{self._name}: walks {first:,} to {end - 1:,}")
        try:
            split = self._context.parallelize(pieces, len(pieces))
            for tally in split.mapPartitionsWithIndex(task).collect():
                self._tally.merge(tally)
        except Exception as wrong:
            if not self._stopped:
                raise understood(wrong, self._session) from None

    def learn(self) -> None:
        """Nothing: no strategy on Spark learns."""

    def path(self, walk: int) -> Path:
        return self._own.path(walk)

    def progress(self) -> tuple[int, int]:
        return self._tally.ended, self._tally.steps

    def records(self) -> Records:
        return dict(self._tally.records)

    def tally(self) -> Tally:
        return self._tally

    def forget(self, finding: int) -> None:
        self._forgotten |= {finding}

    def stop(self) -> None:
        self._stopped = True
        self._context.cancelJobGroup(self._key)

    def close(self) -> None:
        self._own.close()
        self._parcel.unpersist()
