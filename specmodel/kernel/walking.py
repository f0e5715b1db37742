"""The native functions of random walks: enabled bindings, and the successor by one of them.

`expand` makes every successor, but a walk needs one: here guards and effects are separate
functions. Batches are columns as in `specmodel.kernel.module`, and results about states come in
columns of the same stride: word w of the result for state i is at `base + (w * stride + i) * 8`
bytes.

    enabled(columns, stride, start, n, masks, found, scratch) -> n
        Which bindings each state allows: binding b is bit `b % BITS` of word `b // BITS` of its
        masks. Begins its findings anew, with FAILED_STEP.
    apply(binding, columns, stride, at, lanes, found) -> 0
        Makes the step of an allowed binding in place, in those of the LANES states from `at` on
        whose bit is set in `lanes`, and adds what the steps break to their findings.
    judge(columns, stride, start, n, found, scratch) -> n
        Adds what the states themselves break or meet to their findings.
    scratch_of_enabled(), scratch_of_judge()
        The words of scratch that these need.

Findings are bits: those below, and FIRST + p for property p, broken or (if reachable) met. Reading
and writing go up to LANES - 1 states past the end.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from specmodel.kernel.columns import Words, in_columns, in_rows
from specmodel.kernel.function import KernelFunction
from specmodel.kernel.instructions import BOOLS, INTS, splat
from specmodel.kernel.loops import every_binding
from specmodel.kernel.parts import HEAD
from specmodel.kernel.program import BoundAction, Program
from specmodel.kernel.tables import table
from specmodel.kernel.truths import BITS, Truths
from specmodel.machine import objects
from specmodel.model.model import Model, Rule

FAILED_STEP = 0
"""The spec fails in an action here, or would fail if the guards were evaluated."""
FAILED_PROPERTY = 1
"""The spec fails in a property or constraint."""
OUTSIDE = 2
"""Outside the constraints: checked, but not expanded."""
DEADLOCK = 3
"""No step is enabled. Kernels do not set this bit."""
FIRST = 4


class WalkKernel:
    """The functions for walks of a spec, and some of its properties. Calls release the GIL."""

    def __init__(
        self, spec: Model, chosen: Sequence[Rule], target: objects.Target | None = None
    ) -> None:
        """Compiles, unless the code is in the cache.

        Raises SpecError where the spec cannot be compiled.
        """
        started = time.perf_counter()
        self.program = Program(spec, chosen)
        self.mask_words = max(1, -(-len(self.program.bindings) // BITS))
        self.found_words = -(-(FIRST + len(chosen)) // BITS)
        code = self.program.compiled("walks", self._modules, target)
        self.enabled = code.function("enabled", "piiippp")
        self.apply = code.function("apply", "ipiiip")
        self.judge = code.function("judge", "piiipp")
        self.addresses = [code.address(name) for name in ("enabled", "apply", "judge")]
        self.scratch_words = code.scratch("enabled", "judge")
        self.seconds = time.perf_counter() - started

    def allowed(self, states: Sequence[Words]) -> tuple[list[Words], list[Words]]:
        """The masks of enabled bindings in packed states, and the findings in actions, as words."""
        masks, found = self._outputs(self.enabled, states, self.mask_words, self.found_words)
        return masks, found

    def judged(self, states: Sequence[Words]) -> list[Words]:
        """The findings of packed states by themselves, as words."""
        (found,) = self._outputs(self.judge, states, self.found_words)
        return found

    def applied(self, binding: int, state: Words) -> tuple[Words, Words]:
        """The state that an enabled binding leads to, and the findings in the step."""
        columns, width = in_columns(len(state), [state])
        found = (ctypes.c_uint64 * (self.found_words * width))()
        self.apply(binding, ctypes.addressof(columns), width, 0, 1, ctypes.addressof(found))
        (after,) = in_rows(columns, len(state), width, 1)
        (written,) = in_rows(found, self.found_words, width, 1)
        return after, written

    def _outputs(
        self, function: Callable[..., Any], states: Sequence[Words], *sizes: int
    ) -> list[list[Words]]:
        """The output of a function for states, as columns of words."""
        columns, width = in_columns(self.program.layout.words, states)
        written = [(ctypes.c_uint64 * (size * width))() for size in sizes]
        scratch = (ctypes.c_uint64 * self.scratch_words)()
        addresses = map(ctypes.addressof, (*written, scratch))
        function(ctypes.addressof(columns), width, 0, len(states), *addresses)
        return [in_rows(t, n, width, len(states)) for t, n in zip(written, sizes, strict=True)]

    def _modules(self) -> Iterator[str]:
        program = self.program
        moves = list(program.moves(loops=program.model.graph is not None))
        written, parts = every_binding(program.graph, moves), [HEAD]
        parts += [_enabled(program, written), *(_Made(program).made(move) for move in moves)]
        parts += [_apply(len(program.bindings), moves), _judge(program)]
        yield "\n".join(parts)


def _enabled(program: Program, moves: Sequence[BoundAction]) -> str:
    """The enabled bindings of each state of a batch, and whether the spec fails in an action."""
    graph = program.graph
    guards = [graph.false] * len(program.bindings)
    for move in moves:
        guards[move.number] = move.guard
    failures = (n for m in moves for n in (m.early_failure, graph.both(m.guard, m.late_failure)))
    found = [graph.false] * (FIRST + len(program.chosen))
    found[FAILED_STEP] = graph.either(*failures)
    truths = Truths("enabled", program, [*guards, *found])
    truths.write(guards, "masks")
    truths.write(found, "found")
    return truths.text("ptr %masks, ptr %found, ptr %scratch")


def _judge(program: Program) -> str:
    """Checks the state properties and the constraints in every state of a batch."""
    graph, bounds = program.graph, program.bounds()
    unbound = graph.either(*(f.node for b in bounds for f in b.failures))
    sound = graph.negate(unbound)
    inside = graph.both(sound, *(b.node for b in bounds))
    failures = [unbound]
    found = [graph.false] * (FIRST + len(program.chosen))
    found[OUTSIDE] = graph.both(sound, graph.negate(inside))
    for role, where in (("invariant", sound), ("reachable", inside)):
        for number, judgement in program.judged(role):
            failure = graph.either(*(f.node for f in judgement.failures))
            hit = judgement.node if role == "reachable" else graph.negate(judgement.node)
            failures.append(graph.both(where, failure))
            # A property that fails has no value: it is neither met nor violated.
            found[FIRST + number] = graph.both(where, graph.negate(failure), hit)
    found[FAILED_PROPERTY] = graph.either(*failures)
    truths = Truths("judge", program, found)
    truths.write(found, "found", beside=True)
    return truths.text("ptr %found, ptr %scratch")


def _apply(bindings: int, moves: Sequence[BoundAction]) -> str:
    """Any binding, by its number."""
    made: list[int | str] = [0] * bindings
    places = [0] * bindings
    for move in moves:
        for place in range(move.count):
            made[move.number + place] = f"made_{move.number}"
            places[move.number + place] = place
    return f"""\
{table("made", made)}
{table("places", places)}
define i64 @apply(i64 %binding, ptr %in, i64 %stride, i64 %at, i64 %lanes, ptr %found) {{
  %made_at = getelementptr ptr, ptr @made, i64 %binding
  %made = load ptr, ptr %made_at, align 8
  %place_at = getelementptr i64, ptr @places, i64 %binding
  %place = load i64, ptr %place_at, align 8
  %bits = trunc i64 %lanes to i8
  call void %made(ptr %in, i64 %stride, i64 %at, i8 %bits, ptr %found, i64 %place)
  ret i64 0
}}
"""


class _Made(KernelFunction):
    """The step function of one binding, or of a loop."""

    def made(self, move: BoundAction) -> str:
        """The step on some lanes of a block."""
        e = self.e
        e.lines.append(
            f"define internal void @made_{move.number}(ptr %in, i64 %stride, i64 %at, i8 %lanes, "
            "ptr %found, i64 %place) {"
        )
        e.label("entry")
        e.bind(move.sizes, "%place", f"made_{move.number}")
        block = e.new("getelementptr i64, ptr %in, i64 %at")
        e.load_words(block, "%stride")
        lanes = e.new(f"bitcast i8 %lanes to {BOOLS}")
        self._note_findings(move, lanes)
        for word, made in enumerate(e.changed(self.program.leaves, self.program.least(move.after))):
            if made is not e.words[word]:
                kept = e.new(f"select {BOOLS} {lanes}, {INTS} {made}, {INTS} {e.words[word]}")
                e.line(f"store {INTS} {kept}, ptr {self._column(block, word)}, align 8")
        e.line("ret void")
        return self.text()

    def _note_findings(self, move: BoundAction, lanes: str) -> None:
        """Adds the properties that the step violates to the findings."""
        e, graph = self.e, self.graph
        for number, judgement in self.program.stepped(move.after):
            failure = graph.either(*(f.node for f in judgement.failures))
            broken = graph.both(graph.negate(failure), graph.negate(judgement.node))
            for bit, node in ((FAILED_PROPERTY, failure), (FIRST + number, broken)):
                if node is not graph.false:
                    found = e.new("getelementptr i64, ptr %found, i64 %at")
                    at = self._column(found, bit // BITS)
                    held = e.new(f"load {INTS}, ptr {at}, align 8")
                    written = e.new(f"or {INTS} {held}, {splat(1 << bit % BITS)}")
                    hit = e.new(f"and {BOOLS} {lanes}, {e.value(node)}")
                    kept = e.new(f"select {BOOLS} {hit}, {INTS} {written}, {INTS} {held}")
                    e.line(f"store {INTS} {kept}, ptr {at}, align 8")

    def _column(self, block: str, word: int) -> str:
        """The place of a word of a block."""
        skip = self.e.new(f"mul i64 %stride, {word}")
        return self.e.new(f"getelementptr i64, ptr {block}, i64 {skip}")
