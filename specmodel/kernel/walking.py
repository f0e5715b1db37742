"""The native functions of random walks: what can happen in a state, and one thing that does.

`expand` makes every successor; a walk wants one. So guards and effects are apart here. Batches are
columns as in `specmodel.kernel.module`, and what is told of states comes in columns of the same
stride: word w of what is told of state i is at `base + (w * stride + i) * 8` bytes.

    enabled(columns, stride, start, n, masks, found) -> n
        Which moves each state allows: move m is bit `m % MOVES_A_FUNCTION` of word
        `m // MOVES_A_FUNCTION` of its masks. Begins its findings anew, with FAILED_STEP.
    apply(move, columns, stride, at, lanes, found) -> 0
        Makes a move in place, in those of the LANES states from `at` on whose bit is set in
        `lanes`, and adds what the steps break to their findings.
    judge(columns, stride, start, n, found) -> n
        Adds what the states themselves break or meet to their findings.

Findings are bits: those below, and FIRST + p for property p, broken or (if reachable) met. Reading
and writing go up to LANES - 1 states past the end.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator, Sequence

from specmodel.ir.symbolic.graph import Node
from specmodel.kernel import objects
from specmodel.kernel.columns import in_columns, in_rows
from specmodel.kernel.context import LANES
from specmodel.kernel.emit import BOOLS, INTS, Emitter, splat
from specmodel.kernel.function import Function
from specmodel.kernel.program import Move, Program
from specmodel.lang.spec import Rule, Spec

MOVES_A_FUNCTION = 48
"""Generating code takes more than linear time in the length of a function; at most 64."""

FAILED_STEP = 0
"""The spec fails in an action here, or would if the guards were looked at."""
FAILED_PROPERTY = 1
"""The spec fails in a property or constraint."""
OUTSIDE = 2
"""Outside the constraints: looked at, not gone on from."""
DEADLOCK = 3
"""Nothing can happen. Kernels leave it alone."""
FIRST = 4

_DECLARATIONS = f"declare {INTS} @llvm.ctpop.v{LANES}i64({INTS})\n"


class WalkKernel:
    """The functions for walks of a spec, and some of its properties. Calls release the GIL."""

    def __init__(
        self, spec: Spec, chosen: Sequence[Rule], target: objects.Target | None = None
    ) -> None:
        """Compiles, unless the cache has it. Raises SpecError where the spec cannot be compiled."""
        started = time.perf_counter()
        self.program = Program(spec, chosen)
        self.moves = list(self.program.moves())
        code = self.program.compiled("walks", self._modules, target)
        self.enabled = code.function("enabled", "piiipp")
        self.apply = code.function("apply", "ipiiip")
        self.judge = code.function("judge", "piiip")
        self.addresses = [code.address(name) for name in ("enabled", "apply", "judge")]
        self.seconds = time.perf_counter() - started

    @property
    def mask_words(self) -> int:
        """Words of a state's mask of moves."""
        return max(1, -(-len(self.moves) // MOVES_A_FUNCTION))

    @property
    def found_words(self) -> int:
        """Words of a state's findings."""
        return -(-(FIRST + len(self.program.chosen)) // 64)

    def judged(self, states: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The findings of packed states by themselves, as words."""
        columns, width = in_columns(self.program.layout.words, states)
        found = (ctypes.c_uint64 * (self.found_words * width))()
        at, told = ctypes.addressof(columns), ctypes.addressof(found)
        self.judge(at, width, 0, len(states), told)
        return in_rows(found, self.found_words, width, len(states))

    def _modules(self) -> Iterator[str]:
        groups = [
            self.moves[i : i + MOVES_A_FUNCTION]
            for i in range(0, len(self.moves), MOVES_A_FUNCTION)
        ]
        program = self.program
        parts = [_DECLARATIONS]
        parts += [_Walking(program).allowed(number, group) for number, group in enumerate(groups)]
        parts.append(_Walking(program).enabled(len(groups)))
        parts += [_Walking(program).made(number, move) for number, move in enumerate(self.moves)]
        parts.append(_Walking(program).apply(len(self.moves)))
        parts.append(_Walking(program).judge())
        yield "\n".join(parts)


class _Findings:
    """What is found of a block of states, gathered as one vector a word."""

    def __init__(self, emitter: Emitter) -> None:
        self.e = emitter
        self.words: dict[int, str] = {}

    def add(self, bit: int, lanes: str) -> None:
        """Sets a bit for some lanes."""
        e, word = self.e, bit // 64
        made = e.new(f"select {BOOLS} {lanes}, {INTS} {splat(1 << bit % 64)}, {INTS} {splat(0)}")
        if word in self.words:
            made = e.new(f"or {INTS} {self.words[word]}, {made}")
        self.words[word] = made

    def store(self, base: str, stride: str) -> None:
        """Adds them to what is there for the block at a pointer."""
        e = self.e
        for word, made in self.words.items():
            offset = e.new(f"mul i64 {stride}, {word}")
            at = e.new(f"getelementptr i64, ptr {base}, i64 {offset}")
            held = e.new(f"load {INTS}, ptr {at}, align 8")
            e.line(f"store {INTS} {e.new(f'or {INTS} {held}, {made}')}, ptr {at}, align 8")


class _Walking(Function):
    """One function of the module."""

    def allowed(self, number: int, group: Sequence[Move]) -> str:
        """Which of some moves a block of states allows; gives the lanes where the spec fails."""
        e, graph = self.e, self.graph
        e.lines.append(
            f"define internal i8 @allowed_{number}(ptr %in, i64 %stride, i64 %at, ptr %mask) {{"
        )
        e.label("entry")
        e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
        mask = splat(0)
        failures: list[Node] = []
        for bit, move in enumerate(group):
            guard = e.value(move.guard)
            one = e.new(f"select {BOOLS} {guard}, {INTS} {splat(1 << bit)}, {INTS} {splat(0)}")
            mask = e.new(f"or {INTS} {mask}, {one}")
            failures += [move.early_failure, graph.both(move.guard, move.late_failure)]
        e.line(f"store {INTS} {mask}, ptr %mask, align 8")
        e.line(f"ret i8 {e.bits(e.value(graph.either(*failures)))}")
        return self.text()

    def enabled(self, groups: int) -> str:
        """Which moves each state of a batch allows."""
        e = self.e
        e.lines.append(
            "define i64 @enabled(ptr %in, i64 %stride, i64 %start, i64 %n, ptr %masks, "
            "ptr %found) {"
        )
        with self.blocks("%start"):
            failed = "0"
            for number in range(groups):
                offset = e.new(f"add i64 %at, {e.new(f'mul i64 %stride, {number}')}")
                mask = e.new(f"getelementptr i64, ptr %masks, i64 {offset}")
                some = e.new(
                    f"call i8 @allowed_{number}(ptr %in, i64 %stride, i64 %at, ptr {mask})"
                )
                failed = e.new(f"or i8 {failed}, {some}")
            lanes = e.new(f"bitcast i8 {failed} to {BOOLS}")
            for word in range(-(-(FIRST + len(self.program.chosen)) // 64)):
                made = splat(0)
                if word == 0:
                    one = splat(1 << FAILED_STEP)
                    made = e.new(f"select {BOOLS} {lanes}, {INTS} {one}, {INTS} {splat(0)}")
                offset = e.new(f"add i64 %at, {e.new(f'mul i64 %stride, {word}')}")
                at = e.new(f"getelementptr i64, ptr %found, i64 {offset}")
                e.line(f"store {INTS} {made}, ptr {at}, align 8")
        e.line("ret i64 %n")
        return self.text()

    def made(self, number: int, move: Move) -> str:
        """One move on some lanes of a block."""
        e = self.e
        e.lines.append(
            f"define internal void @made_{number}(ptr %in, i64 %stride, i64 %at, i8 %lanes, "
            "ptr %found) {"
        )
        e.label("entry")
        block = e.new("getelementptr i64, ptr %in, i64 %at")
        e.load_words(block, "%stride")
        lanes = e.new(f"bitcast i8 %lanes to {BOOLS}")
        findings = _Findings(e)
        for property_number, judgement in self.program.stepped(move.after):
            failure = self.graph.either(*(f.node for f in judgement.failures))
            broken = self.graph.both(self.graph.negate(failure), self.graph.negate(judgement.node))
            for bit, node in ((FAILED_PROPERTY, failure), (FIRST + property_number, broken)):
                if node is not self.graph.false:
                    findings.add(bit, e.new(f"and {BOOLS} {lanes}, {e.value(node)}"))
        findings.store(e.new("getelementptr i64, ptr %found, i64 %at"), "%stride")
        for word, made in enumerate(e.changed(self.program.leaves, move.after)):
            if made is not e.words[word]:
                offset = e.new(f"mul i64 %stride, {word}")
                at = e.new(f"getelementptr i64, ptr {block}, i64 {offset}")
                kept = e.new(f"select {BOOLS} {lanes}, {INTS} {made}, {INTS} {e.words[word]}")
                e.line(f"store {INTS} {kept}, ptr {at}, align 8")
        e.line("ret void")
        return self.text()

    def apply(self, moves: int) -> str:
        """Any move, by its number."""
        e = self.e
        names = ", ".join(f"ptr @made_{number}" for number in range(moves)) or "ptr null"
        e.lines += [
            f"@moves = internal constant [{max(1, moves)} x ptr] [{names}]",
            "define i64 @apply(i64 %move, ptr %in, i64 %stride, i64 %at, i64 %lanes, ptr %found) {",
        ]
        e.label("entry")
        pointer = e.new(f"getelementptr [{max(1, moves)} x ptr], ptr @moves, i64 0, i64 %move")
        function, lanes = e.new(f"load ptr, ptr {pointer}"), e.new("trunc i64 %lanes to i8")
        e.line(f"call void {function}(ptr %in, i64 %stride, i64 %at, i8 {lanes}, ptr %found)")
        e.line("ret i64 0")
        return self.text()

    def judge(self) -> str:
        """The state properties and the constraints on every state of a batch."""
        e, graph, program = self.e, self.graph, self.program
        e.lines.append("define i64 @judge(ptr %in, i64 %stride, i64 %start, i64 %n, ptr %found) {")
        with self.blocks("%start"):
            e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
            findings = _Findings(e)
            bounds = program.bounds()
            unbound = graph.either(*(f.node for b in bounds for f in b.failures))
            sound = graph.negate(unbound)
            inside = graph.both(sound, *(b.node for b in bounds))
            failures = [unbound]
            found = {OUTSIDE: graph.both(sound, graph.negate(inside))}
            for role, where in (("invariant", sound), ("reachable", inside)):
                for number, judgement in program.judged(role):
                    failure = graph.either(*(f.node for f in judgement.failures))
                    hit = judgement.node if role == "reachable" else graph.negate(judgement.node)
                    failures.append(graph.both(where, failure))
                    # A property that fails has no value: neither is it met nor violated.
                    found[FIRST + number] = graph.both(where, graph.negate(failure), hit)
            found[FAILED_PROPERTY] = graph.either(*failures)
            for bit, node in found.items():
                if node is not graph.false:
                    findings.add(bit, e.value(node))
            findings.store(e.new("getelementptr i64, ptr %found, i64 %at"), "%stride")
        e.line("ret i64 %n")
        return self.text()
