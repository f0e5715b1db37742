"""Exhaustive breadth-first search: levels, limits, and the result.

The result does not depend on the number of workers. The search finishes every level before it looks
at the findings of the level. Of all shortest counterexamples it reports the least, by the rule that
the interpreter follows: the least violating state, reached through the least predecessor of each
state and its first binding. The interpreter runs every trace again before it is reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specmodel.behaviour.failures import predicate_failure
from specmodel.design import Design
from specmodel.engines.base.findings import StatesNeeded
from specmodel.engines.native.coverage_counts import KernelCoverage
from specmodel.engines.native.kernel_search import KernelSearch
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.loop.sampling import Rows, in_turn, merge
from specmodel.engines.native.worker_pool import ALL, WorkerPool
from specmodel.errors import TooSlow, UsageError
from specmodel.kernel.context import DEADLOCK
from specmodel.resources import available
from specmodel.results import Options, Progress, PropertyResult, Result
from specmodel.selfcheck.packing import Words

if TYPE_CHECKING:
    from specmodel.engines.native.checkpointing import Checkpointing
    from specmodel.engines.native.profile_counts import ProfileCounts
    from specmodel.engines.native.reserve import Reserve
    from specmodel.engines.native.saving import SpaceSaver, TableSaver
    from specmodel.liveness.graph import StateGraph


def search(design: Design, options: Options, reserve: Reserve | None = None) -> Result:
    """Explores a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails.

    `reserve` was prepared for all its states.
    """
    try:
        running = NativeSearch(design, options, reserve=reserve)
    except TooSlow as wrong:
        if options.remark is not None:
            options.remark(str(wrong))
        return _nothing_seen(design, options)
    try:
        result = running.run()
    except StatesNeeded:
        result = None
    if result is not None and not (options.fingerprint and running.findings.hits):
        return result
    # To get the traces, search again with whole states, up to the findings. Later states may fail.
    again = search(
        design,
        replace(
            options,
            fingerprint=False,
            compress=True,
            keep_going=True,
            max_depth=None if result is None else running.findings.last + 1,
            max_states=None,
        ),
    )
    return again if result is None else _with_traces(result, again)


def _nothing_seen(design: Design, options: Options) -> Result:
    """The result if the time limit was reached before the spec was compiled."""
    chosen = design.chosen(options.properties)
    return Result(
        design=design.name,
        constants=design.values,
        engine="native",
        workers=max(1, options.workers),
        complete=False,
        distinct=0,
        generated=0,
        depth=0,
        seconds=0.0,
        properties=tuple(PropertyResult(r.name, r.role, "incomplete") for r in chosen),
        coverage={rule.name: 0 for rule in design.spec.rules},
        stopped="timeout",
        compile_seconds=options.timeout or 0.0,
    )


def _with_traces(result: Result, again: Result) -> Result:
    """The result of a search of fingerprints, with the traces of a search with whole states."""
    known = {found.name: found.trace for found in again.properties}
    properties = tuple(
        found if found.verdict == "incomplete" else replace(found, trace=known[found.name])
        for found in result.properties
    )
    memory = max(result.memory, again.memory)
    return replace(result, properties=properties, memory=memory)


def _refuse_unfit(options: Options) -> None:
    """Raises UsageError for options that cannot be combined with fingerprints."""
    kept = {
        "--checkpoint": options.checkpoint is not None,
        "--spill": options.spill is not None,
        "--compress": options.compress,
    }
    wrong = [option for option, given in kept.items() if given]
    if options.fingerprint and wrong:
        raise UsageError(f"{wrong[0]} keeps whole states: give it without --fingerprint")


def searched_with(
    design: Design, options: Options, projections: Sequence[Sequence[int]]
) -> tuple[Result, list[ProfileCounts]]:
    """As `search`, with counts for a profile: of groups of leaves, by number, for each thread."""
    running = NativeSearch(design, options, projections)
    return running.run(), running.coverage_counts.thread_profiles


class NativeSearch(KernelSearch):
    engine = "native"

    def __init__(
        self,
        design: Design,
        options: Options,
        projections: Sequence[Sequence[int]] | None = None,
        reserve: Reserve | None = None,
    ) -> None:
        super().__init__(design, options)
        self.memory = Memory(options.max_memory or available(), reserve)
        _refuse_unfit(options)
        store = None
        if options.spill is not None or options.compress:
            from specmodel.engines.native.stores.cold import open_store  # most searches need none

            store = open_store(options, self.memory)
        threads = max(1, options.workers)
        started = time.perf_counter()
        with self.limiting():
            self.coverage_counts = KernelCoverage(
                self.kernel, self.rules, options.coverage, threads, projections
            )
        self.compiling += time.perf_counter() - started
        states = reserve.states if reserve is not None else 0
        self.worker_pool = WorkerPool(
            self.kernel,
            threads,
            self.memory,
            self.coverage_counts,
            store,
            options.fingerprint,
            states,
        )
        self.workers = len(self.worker_pool.workers)
        if not self.deadlock:
            self.worker_pool.ignore(DEADLOCK)
        self.samplers = self.worker_pool.sample(self.sample_size) if self.sample_size else []
        if options.self_check == "all" and options.fingerprint:
            raise UsageError("--self-check all needs whole states: give it without --fingerprint")
        self.checkpointing: Checkpointing | None = None
        self._saver: TableSaver | None = None
        if options.save_space is not None:
            with self.limiting():
                self._saver = self._open_saver(options.save_space)

    # Beginning and end

    def open(self) -> None:
        if self.options.checkpoint is not None or self.options.resume:
            from specmodel.engines.native.checkpointing import open_checkpointing  # as above

            self.checkpointing = open_checkpointing(
                self.design, self.options, self.kernel, self.worker_pool
            )

    def finish(self) -> None:
        if self.checkpointing is not None:
            self.checkpointing.finish(complete=not self.stopped)

    def close(self) -> None:
        self.findings.close()
        self.worker_pool.close()
        if self.checkpointing is not None:
            self.checkpointing.checkpoint.close()

    # Levels

    def seed(self) -> int:
        self.worker_pool.seed(self.initial_states())
        return self.worker_pool.frontier

    def restore(self) -> int | None:
        boundary = None if self.checkpointing is None else self.checkpointing.restore()
        if boundary is None:
            return None
        self.depth, self.initial = boundary.level, boundary.initial
        self.resumed, self.seconds_before = boundary.distinct, boundary.seconds
        self.findings.restore(boundary.hits)
        for record in self.findings.hits:
            self.worker_pool.ignore(record)
        return self.worker_pool.frontier

    def advance(self) -> Sequence[int]:
        """Makes the workers search level after level, until Python has to do something."""
        options, levels = self.options, ALL
        states = ALL if options.max_states is None else options.max_states
        if self.checkpointing is not None:
            levels = 1
        elif options.max_depth is not None:
            levels = options.max_depth - self.depth
        sizes = self.worker_pool.advance(self.depth - 1, levels, states)
        if stopped := self.worker_pool.stopped:
            self.stopped = self.stopped or stopped
        return sizes

    def settle(self, level: int) -> None:
        self.coverage_counts.look()
        found = self.worker_pool.findings()
        self.findings.take(found, level)
        for record in found:
            self.worker_pool.ignore(record)

    def boundary(self) -> None:
        if self.checkpointing is None:
            return
        from specmodel.engines.native.stores.checkpoint import Boundary  # as in `open`

        self.checkpointing.reached(
            Boundary(
                level=self.depth,
                distinct=self.worker_pool.distinct,
                initial=self.initial,
                seconds=self.seconds,
                counters=(*self.worker_pool.fired(), self.worker_pool.fewer()),
                hits=tuple(self.findings.noted()),
            )
        )

    def halt(self) -> None:
        self.worker_pool.stopped = self.worker_pool.stopped or self.stopped

    # Facts about the states

    def distinct(self) -> int:
        return self.worker_pool.distinct

    def fired(self) -> Sequence[int]:
        return self.worker_pool.fired()

    def fewer(self) -> int:
        return self.worker_pool.fewer()

    def predecessor(self, words: Words, level: int) -> Words:
        return self.worker_pool.predecessor(words, level)

    def graph(self) -> tuple[StateGraph, Callable[[int], Any]]:
        # Only temporal properties need a graph, and numpy takes a while to import.
        from specmodel.engines.native.graph import GraphBuilder
        from specmodel.engines.native.numbered_steps import NumberedStates, PredicateFailure

        builder = GraphBuilder(self.design.spec, self.temporal, self.memory, self.poll)
        self.graph_kernel = builder.kernel
        states = NumberedStates(
            self.worker_pool, self.layout.words, self.depth, self.memory, self.poll
        )
        if states.size != self.worker_pool.distinct:
            raise AssertionError(
                f"of {self.worker_pool.distinct} states only {states.size} are in the table"
            )
        try:
            graph = builder.build(states)
        except PredicateFailure as failed:
            self.suspects.append(failed.finding.words)
            path = self.path(failed.finding.words, failed.level)
            trace = self.interpreter.behaviour([self.layout.unpack(words) for words in path])
            raise predicate_failure(
                self.interpreter, trace, builder.wanted[failed.finding.binding]
            ) from None
        for truth in graph.truth.values() if graph.size else ():
            for places in (truth.argmax(), truth.argmin()):  # the first true one, the first false
                self.suspects.append(states[int(places)])
        return graph, lambda number: self.layout.unpack(states[number])

    def sampled_states(self, everything: bool) -> Iterator[Words]:
        yield from self.worker_pool.first_steps()
        if everything and not self.options.fingerprint:
            for level in range(self.depth):
                yield from sorted(self.worker_pool.states(level))
        else:
            rows: Rows = {}
            for sampler in self.samplers:
                merge(rows, sampler.rows(range(self.depth)))
            yield from in_turn(rows)

    # The space

    def _open_saver(self, folder: Path) -> TableSaver:
        from specmodel.space.arrow import need_data

        need_data()
        from specmodel.engines.native.saving import TableSaver  # numpy takes a while to import

        return TableSaver(folder, self.design, self.options, self.kernel, self.engine, shards=1)

    def saver(self) -> SpaceSaver | None:
        return self._saver

    def save(self) -> None:
        self.findings.begun = self.begun
        assert self._saver is not None
        whole = not self.stopped
        self._saver.save(self.worker_pool, self.whole, whole, self.findings, self.memory, self.poll)

    # The result

    def progress(self) -> Progress:
        known = super().progress()
        return replace(
            known,
            depth=max(known.depth, self.worker_pool.depth),
            frontier=self.worker_pool.frontier,
            memory=self.memory.used,
            disk=self.worker_pool.disk,
        )

    def result(self) -> Result:
        distinct = self.worker_pool.distinct
        saved = self.checkpointing is not None and self.checkpointing.checkpoint.boundary
        return replace(
            super().result(),
            memory=self.memory.peak,
            disk=self.worker_pool.disk,
            omission=distinct * (distinct - 1) / 2**65 if self.options.fingerprint else 0.0,
            checkpoint=self.options.checkpoint if saved and self.stopped else None,
        )
