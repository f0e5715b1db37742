"""Random walks on Spark: each task makes a range of a round's walks, with the native engine.

A walk is a function of the seed and its number, and the sum of many walks' results does not depend
on their order. So the result does not depend on the distribution of walks, and a task may run
twice. If walks learn from each other, each task of a round gets the counts of all rounds before.
"""

from __future__ import annotations

import time
import uuid
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines.native.compiled_walks import CompiledWalks
from specmodel.engines.native.walking import Walkers
from specmodel.engines.spark.failures import readable_failure
from specmodel.engines.spark.sent_design import design_to_send
from specmodel.engines.spark.session import session
from specmodel.engines.spark.shard_tasks import BroadcastDesign, held
from specmodel.errors import SpecmodelError
from specmodel.model.model import Rule
from specmodel.walks.plan import WalkPlan
from specmodel.walks.totals import Records, WalkPath, WalkTotals, note_least

SCALE = 64
"""Rounds are larger by this factor, because each is a job."""

PIECES = 4
"""Tasks of a round for each slot: more tasks than slots, so that a slow one delays little."""

LEAST_PIECE = 512
"""Walks of a task, at least."""


@dataclass(frozen=True)
class Piece:
    """The walks of a range of numbers: their results, how each ended, and their choices.

    The last two are for plans that list walks, and for walks that learn.
    """

    first: int
    end: int
    totals: WalkTotals
    endings: array[int]
    choices: bytes


@dataclass(frozen=True)
class WalkTask:
    """Makes the walks of each range of numbers that it is given.

    `forgotten` are findings that are ignored, `experience` the counts that walks have learnt from
    so far.
    """

    sent_design: BroadcastDesign
    key: str
    plan: WalkPlan
    ends: frozenset[int]
    forgotten: frozenset[int]
    experience: bytes

    def __call__(self, number: int, pieces: Iterable[tuple[int, int]]) -> Iterator[Piece]:
        walkers = held(self.key, self._walkers)
        for finding in self.forgotten:
            walkers.forget(finding)
        walkers.take_over(self.experience)
        for first, end in pieces:
            yield _walked(walkers, first, end)

    def _walkers(self) -> Walkers:
        sent_design = self.sent_design.value
        design = sent_design.design()
        made = Walkers(design, sent_design.chosen(design), self.plan, self.ends)
        sent_design.refuse_other(made.kernel.program)
        return made


def _walked(walkers: Walkers, first: int, end: int) -> Piece:
    walkers.renew()
    walkers.go(first, end)
    return Piece(first, end, walkers.totals(), walkers.endings(), walkers.choices())


class SparkWalks:
    """The driver's side of the walks of `Walkers`: distributes ranges, and adds up the results.

    The results of the last round are kept apart from those before, until it is certain that they
    count.
    """

    def __init__(
        self, design: Design, rules: Sequence[Rule], plan: WalkPlan, ends: frozenset[int]
    ) -> None:
        """Raises the errors of `session`."""
        started = time.perf_counter()
        self.scale = SCALE
        weights = {**design.weights, **plan.weights}
        self._plan = replace(plan, weights=weights, workers=1, remark=None, progress=None)
        self._ends = ends
        self._own = Walkers(design, rules, self._plan, ends)
        program = self._own.kernel.program
        sent_design = design_to_send(design, rules, program)
        self._session = session(plan.master, plan.workers)
        self.workers = self._session.slots
        self._context: Any = self._session.context
        self._sent_design = self._context.broadcast(sent_design)
        self._key = uuid.uuid4().hex
        self._name = design.name
        self._forgotten = frozenset[int]()
        self._stopped = False
        self._totals = self._own.totals()
        self._round: list[Piece] = []
        self.seconds = time.perf_counter() - started

    def go(self, first: int, end: int) -> None:
        self._totals, self._round = self.totals(), []
        if self._stopped:
            return
        size = max(LEAST_PIECE, -(-(end - first) // (PIECES * self.workers)))
        pieces = [(at, min(at + size, end)) for at in range(first, end, size)]
        task = WalkTask(
            self._sent_design,
            self._key,
            self._plan,
            self._ends,
            self._forgotten,
            self._own.experience(),
        )
        self._context.setJobGroup(self._key, f"{self._name}: walks {first:,} to {end - 1:,}")
        try:
            split = self._context.parallelize(pieces, len(pieces))
            found = split.mapPartitionsWithIndex(task).collect()
            if len(found) != len(pieces):  # its Java ended while it handed them over
                raise SpecmodelError(f"Spark gave the walks of {len(found)} of {len(pieces)} tasks")
            self._round = found
        except Exception as wrong:
            if not self._stopped:
                raise readable_failure(wrong, self._session) from None

    def take_back(self, end: int) -> None:
        kept = [piece for piece in self._round if piece.end <= end]
        kept += [
            _walked(self._own, piece.first, end)
            for piece in self._round
            if piece.first < end < piece.end
        ]
        self._round = kept

    def endings(self) -> array[int]:
        whole = array("q")
        for piece in self._round:
            whole.extend(piece.endings)
        return whole

    def learn(self) -> None:
        for piece in self._round:
            self._own.learn_too(piece.choices)

    def path(self, walk: int) -> WalkPath:
        return self._own.path(walk)

    def compiled(self) -> CompiledWalks:
        return CompiledWalks(self._own.kernel, self._own.interpreter, "spark")

    def progress(self) -> tuple[int, int]:
        all_totals = (self._totals, *(piece.totals for piece in self._round))
        return sum(totals.ended for totals in all_totals), sum(
            totals.steps for totals in all_totals
        )

    def records(self) -> Records:
        least = dict(self._totals.records)
        for piece in self._round:
            note_least(least, piece.totals.records)
        return least

    def totals(self) -> WalkTotals:
        whole = self._totals.copy()
        for piece in self._round:
            whole.merge(piece.totals)
        return whole

    def forget(self, finding: int) -> None:
        self._forgotten |= {finding}

    def stop(self) -> None:
        self._stopped = True
        self._context.cancelJobGroup(self._key)

    def close(self) -> None:
        self._own.close()
        self._sent_design.unpersist()


walker = SparkWalks
