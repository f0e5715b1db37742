"""Random walks in machine code, on all cores: the Python side of `walk_steps`."""

from __future__ import annotations

import ctypes
import functools
import time
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.engines.native import walk_choices as choices
from specmodel.engines.native import walk_steps as steps
from specmodel.engines.native.compiled_walks import CompiledWalks
from specmodel.engines.native.walk_choices import WalkerWords
from specmodel.engines.native.walk_steps import SampledState
from specmodel.kernel.walking import FIRST, OUTSIDE, WalkKernel
from specmodel.machine import language
from specmodel.machine.build import Code, build
from specmodel.machine.language import address
from specmodel.model.model import Model, Rule
from specmodel.walks import random_choices
from specmodel.walks.plan import Strategy, WalkPlan
from specmodel.walks.random_choices import LEAST_COUNTED, below, draw, seed_key, walk_key, weight_of
from specmodel.walks.totals import Records, Sample, WalkPath, WalkTotals, note_least

SIDE_BY_SIDE = 512
"""Walks side by side: enough to make calls cheap, few enough for the first caches."""

LEAST_BLOCK = 64
"""The least number of walks that a worker takes at a time."""

SAMPLE_WORDS = steps.ROWS * SampledState.words

_CODES = {
    Strategy.uniform: choices.UNIFORM,
    Strategy.weighted: choices.WEIGHTED,
    Strategy.coverage: choices.GUIDED,
    Strategy.pct: choices.PRIORITY,
}


def walker(design: Design, rules: Sequence[Rule], plan: WalkPlan, ends: frozenset[int]) -> Walkers:
    """Compiles the walks of a plan, which check `rules`; the findings `ends` end a walk.

    Raises SpecError where the spec cannot be compiled.
    """
    return Walkers(design, rules, plan, ends)


@functools.cache
def _core(words: int, mask_words: int, found_words: int) -> Code:
    """The walking core for states of `words` words."""
    constants = {"W": words, "G": mask_words, "F": found_words}
    return build((steps.walk_all, choices.learn), constants)


_made: list[tuple[Model, tuple[Rule, ...], WalkKernel]] = []
"""The most recently compiled kernels."""


def _kernel(spec: Model, rules: tuple[Rule, ...]) -> WalkKernel:
    """The functions of a spec. A search for several walks uses them again, seed by seed."""
    for known, asked, kernel in _made:
        if known is spec and asked == rules:
            return kernel
    kernel = WalkKernel(spec, rules)
    _made[:] = [*_made[-1:], (spec, rules, kernel)]
    return kernel


class Walkers:
    """The workers, their shared data, and the walks that remain to be made."""

    def __init__(
        self, design: Design, rules: Sequence[Rule], plan: WalkPlan, ends: frozenset[int]
    ) -> None:
        started = time.perf_counter()
        self.scale = 1
        self.plan = plan
        self.workers = plan.workers
        self.kernel = kernel = _kernel(design.spec, tuple(rules))
        self.interpreter = Interpreter(design.spec)
        self.bindings = len(kernel.program.bindings)
        core = _core(kernel.program.layout.words, kernel.mask_words, kernel.found_words)
        self.walk_all, self.learn_from = core[steps.walk_all], core[choices.learn]
        self.ends, self.wanted = (_words(kernel.found_words) for _ in range(2))
        for finding in ends | {OUTSIDE}:
            self.ends[finding // 64] |= _signed(1 << finding % 64)
        for finding in ends | set(range(FIRST, FIRST + len(rules))):
            self.wanted[finding // 64] |= _signed(1 << finding % 64)
        self.stopped = _words(1)
        places = {rule.name: place for place, rule in enumerate(design.spec.rules)}
        self.actions = _words(0, [places[rule.name] for rule, _ in kernel.program.bindings])
        self.marks = self.bindings + len(design.spec.rules) if plan.lists_walks else 0
        self.initial = self._initial_rows()
        self.guided = plan.strategy is Strategy.coverage
        if self.guided:
            self.by_count = _words(0, [weight_of(n) for n in range(LEAST_COUNTED)])
            self.weights = _words(0, [weight_of(0)] * (1 << random_choices.TABLE_BITS))
            self.total = _words(1 << random_choices.TABLE_BITS)
        else:
            self.weights = _words(0, plan.weights_of(design))
        self.lanes = [_WalkLanes(self, SIDE_BY_SIDE, self.stopped) for _ in range(self.workers)]
        self._first, self._endings = 0, _words(0)
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="specmodel")
        self.seconds = time.perf_counter() - started

    def go(self, first: int, end: int) -> None:
        for lanes in self.lanes:
            lanes.keep()
        self._go(first, end)

    def take_back(self, end: int) -> None:
        for lanes in self.lanes:
            lanes.restore()
        self._go(self._first, end)

    def endings(self) -> array[int]:
        return array("q", bytes(self._endings))

    def _go(self, first: int, end: int) -> None:
        self._first = first
        if self.plan.lists_walks:
            self._endings = _words(end - first)
            for lanes in self.lanes:
                lanes.list_in(self._endings, first)
        size = max(LEAST_BLOCK, -(-(end - first) // (4 * self.workers)))
        blocks = deque((at, min(at + size, end)) for at in range(first, end, size))
        if len(blocks) == 1:
            self.lanes[0].walk(blocks)
            return
        running = [self._pool.submit(lanes.walk, blocks) for lanes in self.lanes]
        for future in running:
            future.result()

    def learn(self) -> None:
        if self.guided:
            for lanes in self.lanes:
                self._learn(lanes.counts)

    def choices(self) -> bytes:
        """How often each choice was made since the last `learn`; for others to learn from."""
        return b"".join(bytes(lanes.counts) for lanes in self.lanes) if self.guided else b""

    def learn_too(self, choices: bytes) -> None:
        """Learns from choices that others have made."""
        size = 8 << random_choices.TABLE_BITS
        for at in range(0, len(choices), size):
            self._learn(ctypes.create_string_buffer(choices[at : at + size], size))

    def experience(self) -> bytes:
        """The learnt counts."""
        return bytes(self.total) if self.guided else b""

    def take_over(self, experience: bytes) -> None:
        """Replaces the learnt counts by those of another."""
        if self.guided:
            ctypes.memset(self.total, 0, ctypes.sizeof(self.total))
            self.learn_too(experience)

    def _learn(self, counts: Any) -> None:
        known = (self.total, counts, self.weights, self.by_count)
        self.learn_from(*map(ctypes.addressof, known))

    def renew(self) -> None:
        """Forgets the findings of walks, but not which findings are ignored."""
        self.lanes = [_WalkLanes(self, SIDE_BY_SIDE, self.stopped) for _ in range(self.workers)]

    def path(self, walk: int) -> WalkPath:
        alone = _WalkLanes(self, 8, _words(1))
        trail = alone.trail()
        alone.walk(deque([(walk, walk + 1)]))
        return WalkPath(self._initial(walk), trail[: alone.totals().steps])

    def compiled(self) -> CompiledWalks:
        return CompiledWalks(self.kernel, self.interpreter, "native")

    def progress(self) -> tuple[int, int]:
        return (
            sum(lanes.fields.ended for lanes in self.lanes),
            sum(lanes.fields.made for lanes in self.lanes),
        )

    def records(self) -> Records:
        least = Records()
        for lanes in self.lanes:
            note_least(least, lanes.records())
        return least

    def totals(self) -> WalkTotals:
        whole = WalkTotals([0] * self.bindings, [0] * self.marks)
        for lanes in self.lanes:
            whole.merge(lanes.totals())
        return whole

    def forget(self, finding: int) -> None:
        self.wanted[finding // 64] &= ~_signed(1 << finding % 64)

    def stop(self) -> None:
        self.stopped[0] = 1

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _initial(self, walk: int) -> int:
        return below(draw(walk_key(self.plan.seed, walk), 0), self.initials)

    def _initial_rows(self) -> Any:
        layout = self.kernel.program.layout
        states = list(self.interpreter.packed_initial(layout.pack))
        self.initials = len(states)
        found = self.kernel.judged(states) if states else []
        return _words(0, [w for s, f in zip(states, found, strict=True) for w in (*s, *f)])


class _WalkLanes:
    """One worker's lanes, and the findings of its walks."""

    def __init__(self, walkers: Walkers, width: int, stopped: Any) -> None:
        self.walkers = walkers
        self.stopped = stopped
        kernel, plan = walkers.kernel, walkers.plan
        self.fields = WalkerWords.new()
        self._kept: list[Any] = []
        c, changes = self.fields, plan.changes
        layout = kernel.program.layout
        c.stride = width
        c.limit = plan.depth - 1
        c.key = _signed(seed_key(plan.seed))
        c.states = self._new(width * layout.words)
        c.masks = self._new(width * kernel.mask_words)
        c.found = self._new(width * kernel.found_words)
        c.moves, c.walks, c.steps, c.keys = (self._new(width) for _ in range(4))
        c.points, c.lowered = (self._new(width * changes) for _ in range(2))
        c.changes = changes
        c.initial = ctypes.addressof(walkers.initial)
        c.initials = walkers.initials
        c.enabled, c.apply, c.judge = kernel.addresses
        c.strategy = _CODES[plan.strategy]
        c.listed = self._new(walkers.bindings)
        c.scratch = self._new(kernel.scratch_words)
        c.actions = ctypes.addressof(walkers.actions)
        c.weights = ctypes.addressof(walkers.weights)
        self.counts = _words(1 << random_choices.TABLE_BITS if walkers.guided else 1)
        c.counts = ctypes.addressof(self.counts)
        self.taken = _words(walkers.bindings)
        c.taken = ctypes.addressof(self.taken)
        c.ends = ctypes.addressof(walkers.ends)
        c.wanted = ctypes.addressof(walkers.wanted)
        self._records = _words(0, [-1] * (128 * kernel.found_words))
        c.records = ctypes.addressof(self._records)
        c.stop = ctypes.addressof(stopped)
        c.sample, c.spare = (self._new(SAMPLE_WORDS) for _ in range(2))
        mark_words = -(-walkers.marks // 64)
        self.spread = _words(64 * mark_words)
        c.spread = ctypes.addressof(self.spread)
        c.marks = self._new(width * mark_words)
        c.mark_words = mark_words
        c.first_action = walkers.bindings
        self._before: list[tuple[int, bytes]] = []

    def list_in(self, endings: Any, first: int) -> None:
        """Writes how walks ended, each at the place of its number, from `first` on."""
        self.fields.endings = ctypes.addressof(endings)
        self.fields.listed_from = first

    def keep(self) -> None:
        """Saves the findings and counts of its walks so far."""
        arrays = (self.fields.memory, self.taken, self.spread, self.counts, self._records)
        held = [(ctypes.addressof(words), ctypes.sizeof(words)) for words in arrays]
        held.append((self.fields.sample, 8 * SAMPLE_WORDS))
        self._before = [(at, ctypes.string_at(at, size)) for at, size in held]

    def restore(self) -> None:
        """Restores the saved findings and counts."""
        for at, words in self._before:
            ctypes.memmove(at, words, len(words))

    def trail(self) -> Any:
        """The place for the moves of a single walk."""
        made = _words(self.walkers.plan.depth)
        self.fields.trail = ctypes.addressof(made)
        self._kept.append(made)
        return made

    def walk(self, blocks: deque[tuple[int, int]]) -> None:
        """Takes blocks of walks and makes them, until there are no more."""
        own = address(self.fields)
        while not self.stopped[0]:
            try:
                self.fields.next, self.fields.end = blocks.popleft()
            except IndexError:
                return
            self.walkers.walk_all(own)

    def totals(self) -> WalkTotals:
        """The counts of its walks."""
        c = self.fields
        return WalkTotals(
            self.taken[: self.walkers.bindings],
            self.spread[: self.walkers.marks],
            ended=c.ended,
            steps=c.made,
            cut=c.cut,
            longest=c.longest,
            records=self.records(),
            sample=self._sample(),
        )

    def records(self) -> Records:
        """The findings of its walks."""
        pairs = zip(self._records[::2], self._records[1::2], strict=True)
        return {i: pair for i, pair in enumerate(pairs) if pair[0] != -1}

    def _sample(self) -> Sample:
        table = (ctypes.c_uint64 * SAMPLE_WORDS).from_address(self.fields.sample)[:]
        size = SampledState.words
        rows = (table[at : at + size] for at in range(0, SAMPLE_WORDS, size) if table[at])
        walks = {row[0]: tuple(walk - 1 for walk in row[1:] if walk) for row in rows}
        return Sample(self.fields.slice & (1 << 64) - 1, walks)

    def _new(self, size: int) -> int:
        """The address of zeroed words that are kept as long as the lanes."""
        made = _words(size)
        self._kept.append(made)
        return ctypes.addressof(made)


_signed: Callable[[int], int] = language.signed


def _words(size: int, values: Sequence[int] = ()) -> Any:
    """An array of 64-bit words: zeros of a number, or the values; at least one."""
    length = max(1, size, len(values))
    return (ctypes.c_int64 * length)(*map(_signed, values))
