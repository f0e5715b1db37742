"""The native module of a program: its functions as LLVM IR text.

Batches are columns: word w of state i of a batch is at `base + (w * stride + i) * 8` bytes. The
functions:

    expand(in, in_stride, start, n, out, out_stride, out_limit, context) -> consumed
        Appends every successor of states start..start+n to the out columns, at the context's count.
        `start` is a multiple of LANES. Stops before a block whose successors might not fit:
        `out_limit` less the count must be at least LANES * bindings for a block to be done. Up to
        LANES entries past the count are scribbled on.
    check(columns, stride, start, n, context) -> n
        Looks at the invariants and reachable properties of states.
    keep(columns, stride, n, context) -> kept
        Moves the states that satisfy the constraints together, in place; notes invariants that the
        others break.
    canonical(columns, stride, n, context) -> n
        Replaces each state by the least of those that renaming the symmetric sets makes of it.

What they find is noted in the context (`specmodel.kernel.context`). Reading goes up to LANES - 1
states past the end.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from specmodel.ir.symbolic.execute import Judgement
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symmetry.swaps import Walk
from specmodel.kernel.ample import fewer_moves
from specmodel.kernel.canonical import emit_least, steps_constant
from specmodel.kernel.context import DEADLOCK, FIRST_PROPERTY, PROPERTY_FAILURE, STEP_FAILURE
from specmodel.kernel.emit import BOOLS, DECLARATIONS, LANES, Emitter
from specmodel.kernel.note import NOTE
from specmodel.kernel.program import Move, Program

MOVES_A_FUNCTION = 48
"""Bindings per LLVM function: generating code takes more than linear time in its length."""

VERSION = 1
"""Goes into the key of cached kernels; raised when this module changes what it emits."""


def module_of(program: Program) -> str:
    """The LLVM IR of a program."""
    moves, fewer = program.moves(), program.graph.false
    if program.partial_order:
        moves, fewer = fewer_moves(program, moves)
    groups = [moves[i : i + MOVES_A_FUNCTION] for i in range(0, len(moves), MOVES_A_FUNCTION)]
    parts = [DECLARATIONS, NOTE]
    parts += [Function(program).group(number, group) for number, group in enumerate(groups)]
    parts.append(Function(program).expand(len(groups), len(moves), fewer))
    parts.append(Function(program).check())
    if program.spec.constraints:
        parts.append(Function(program).keep())
    if program.walk:
        parts += [steps_constant(program.walk), Function(program).canonical(program.walk)]
    return "\n".join(parts)


class Function:
    """One function of the module."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = program.graph
        self.e = Emitter(program.layout)

    # Expanding

    def group(self, number: int, moves: Sequence[Move]) -> str:
        """Some bindings on one block of states; gives the lanes where any of them was enabled."""
        e = self.e
        e.lines.append(
            f"define internal i8 @moves_{number}(ptr %in, i64 %stride, i64 %at, i8 %lanes, "
            "ptr %out, i64 %out_stride, ptr %context) {"
        )
        e.label("entry")
        e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
        live = e.new(f"bitcast i8 %lanes to {BOOLS}")
        count, alive = e.new("load i64, ptr %context, align 8"), "0"
        for move in moves:
            count, alive = self.move(move, live, count, alive)
        e.line(f"store i64 {count}, ptr %context, align 8")
        e.line(f"ret i8 {alive}")
        return self.text()

    def move(self, move: Move, live: str, count: str, alive: str) -> tuple[str, str]:
        """A binding: its guard, its effect if a lane has it enabled. Gives new count and alive."""
        e, name = self.e, f"m{move.number}"
        mask = e.new(f"and {BOOLS} {live}, {e.value(move.guard)}")
        mask = self._failing(
            mask, live, move.early_failure, STEP_FAILURE, move.number, f"{name}_early"
        )
        bits = e.bits(mask)
        came_from = e.block
        with e.only_if(e.new(f"icmp ne i8 {bits}, 0"), name):
            fine = self._failing(
                mask, mask, move.late_failure, STEP_FAILURE, move.number, f"{name}_late"
            )
            bits = e.bits(fine) if fine is not mask else bits
            for number, judgement in self.program.stepped(move.after):
                self._judge(number, judgement, False, fine, move.number, f"{name}_p{number}")
            words = e.changed(self.program.leaves, move.after)
            e.compress_into(words, fine, "%out", "%out_stride", count)
            fired = self._count(self.program.context.coverage(move.action), bits)
            grown = e.new(f"add i64 {count}, {fired}")
            moved = e.new(f"or i8 {alive}, {bits}")
            ends_at = e.block
        return (
            e.new(f"phi i64 [ {count}, %{came_from} ], [ {grown}, %{ends_at} ]"),
            e.new(f"phi i8 [ {alive}, %{came_from} ], [ {moved}, %{ends_at} ]"),
        )

    def expand(self, groups: int, moves: int, fewer: Node) -> str:
        """Every binding on every state of a batch. Counts where `fewer` of them are enough."""
        e = self.e
        e.lines.append(
            "define i64 @expand(ptr %in, i64 %stride, i64 %start, i64 %n, "
            "ptr %out, i64 %out_stride, i64 %out_limit, ptr %context) {"
        )
        with self.blocks_with_room(moves):
            if fewer is not self.graph.false:
                e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
                chosen = e.new(f"and i8 %lanes, {e.bits(e.value(fewer))}")
                self._count(self.program.context.fewer, chosen)
            alive = "0"
            for number in range(groups):
                moved = e.new(
                    f"call i8 @moves_{number}(ptr %in, i64 %stride, i64 %at, i8 %lanes, "
                    "ptr %out, i64 %out_stride, ptr %context)"
                )
                alive = e.new(f"or i8 {alive}, {moved}")
            stuck = e.new(f"and i8 %lanes, {e.new(f'xor i8 {alive}, -1')}")
            with self._wanted(DEADLOCK, "deadlock"):
                self._note(stuck, DEADLOCK, 0, "stuck")
        return self.text()

    # Checking

    def check(self) -> str:
        """The state properties on every state of a batch."""
        e = self.e
        e.lines.append(
            "define i64 @check(ptr %in, i64 %stride, i64 %start, i64 %n, ptr %context) {"
        )
        with self.blocks("%start"):
            e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
            live = e.new(f"bitcast i8 %lanes to {BOOLS}")
            for number, judgement in self.program.judged("invariant"):
                self._judge(number, judgement, False, live, number, f"p{number}")
            for number, judgement in self.program.judged("reachable"):
                self._judge(number, judgement, True, live, number, f"p{number}")
        e.line("ret i64 %n")
        return self.text()

    def keep(self) -> str:
        """The constraints on every state of a batch, and the invariants on those outside."""
        e, graph = self.e, self.graph
        e.lines.append("define i64 @keep(ptr %in, i64 %stride, i64 %n, ptr %context) {")
        with self.blocks("0", "i64"):
            e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
            live = e.new(f"bitcast i8 %lanes to {BOOLS}")
            bounds = self.program.bounds()
            failure = graph.either(*(f.node for b in bounds for f in b.failures))
            first = len(self.program.chosen)
            live = self._failing(live, live, failure, PROPERTY_FAILURE, first, "bounds")
            within = e.value(graph.both(*(b.node for b in bounds)))
            inside = e.new(f"and {BOOLS} {live}, {within}")
            outside = e.new(f"xor {BOOLS} {live}, {inside}")
            with e.only_if(e.new(f"icmp ne i8 {e.bits(outside)}, 0"), "outside"):
                for number, judgement in self.program.judged("invariant"):
                    self._judge(number, judgement, False, outside, number, f"p{number}")
            e.compress_into(e.words, inside, "%in", "%stride", "%carried")
            kept = e.new(f"call i8 @llvm.ctpop.i8(i8 {e.bits(inside)})")
            e.line(f"%carried_next = add i64 %carried, {e.new(f'zext i8 {kept} to i64')}")
        e.line("ret i64 %carried")
        return self.text()

    def canonical(self, walk: Walk) -> str:
        """The least renaming of every state of a batch, in place."""
        e = self.e
        e.lines.append("define i64 @canonical(ptr %in, i64 %stride, i64 %n, ptr %context) {")
        with self.blocks("0"):
            first = e.new("getelementptr i64, ptr %in, i64 %at")
            e.load_words(first, "%stride")
            e.store_words(emit_least(e, walk), first, "%stride")
        e.line("ret i64 %n")
        return self.text()

    # Parts

    @contextmanager
    def blocks_with_room(self, moves: int) -> Generator[None]:
        """As `blocks`, while there is room for a block's moves; returns the states done."""
        e = self.e
        with self.blocks("%start"):
            count = e.new("load i64, ptr %context, align 8")
            room = e.new(f"sub i64 %out_limit, {count}")
            full = e.new(f"icmp slt i64 {room}, {LANES * max(1, moves)}")
            e.line(f"br i1 {full}, label %done, label %room")
            e.label("room")
            yield
        e.line("%over = icmp sgt i64 %i, %n")
        e.line("%consumed = select i1 %over, i64 %n, i64 %i")
        e.line("ret i64 %consumed")

    @contextmanager
    def blocks(self, start: str, carried: str = "") -> Generator[None]:
        """A loop over blocks of states: %at is the first of a block, %lanes which lanes are states.

        A `carried` type makes %carried, from 0, which the body gives a %carried_next.
        """
        e = self.e
        e.label("entry")
        e.line("br label %head")
        e.label("head")
        head = len(e.lines)
        e.line("%left = sub i64 %n, %i")
        e.line("%more = icmp sgt i64 %left, 0")
        e.line("br i1 %more, label %body, label %done")
        e.label("body")
        e.line(f"%at = add i64 {start}, %i")
        e.line(f"%ragged = icmp slt i64 %left, {LANES}")
        e.line(f"%width = select i1 %ragged, i64 %left, i64 {LANES}")
        e.line("%above = shl i64 1, %width")
        e.line("%ones = sub i64 %above, 1")
        e.line("%lanes = trunc i64 %ones to i8")
        yield
        e.line(f"%i_next = add i64 %i, {LANES}")
        e.line("br label %head")
        phis = [f"  %i = phi i64 [ 0, %entry ], [ %i_next, %{e.block} ]"]
        if carried:
            phis.append(f"  %carried = phi {carried} [ 0, %entry ], [ %carried_next, %{e.block} ]")
        e.lines[head:head] = phis
        e.label("done")

    def _judge(
        self, number: int, judgement: Judgement, sought: bool, lanes: str, binding: int, name: str
    ) -> None:
        """Notes the lanes in which a property is `sought`, or fails, if it is wanted at all."""
        e, graph = self.e, self.graph
        failure = graph.either(*(f.node for f in judgement.failures))
        hit = judgement.node if sought else graph.negate(judgement.node)
        if hit is graph.false and failure is graph.false:
            return
        with self._wanted(FIRST_PROPERTY + number, name):
            sound = self._failing(lanes, lanes, failure, PROPERTY_FAILURE, number, f"{name}_fail")
            hits = e.bits(e.new(f"and {BOOLS} {sound}, {e.value(hit)}"))
            self._note(hits, FIRST_PROPERTY + number, binding, f"{name}_hit")

    def _failing(
        self, mask: str, lanes: str, failure: Node, record: int, binding: int, name: str
    ) -> str:
        """Notes the lanes in which the spec fails; gives the mask without them."""
        if failure is self.graph.false:
            return mask
        e = self.e
        failed = e.new(f"and {BOOLS} {lanes}, {e.value(failure)}")
        sound = e.new(f"xor {BOOLS} {failed}, splat (i1 true)")
        self._note(e.bits(failed), record, binding, name)
        return e.new(f"and {BOOLS} {mask}, {sound}")

    def _note(self, bits: str, record: int, binding: int, name: str) -> None:
        """Notes the states in some lanes of the block."""
        e = self.e
        with e.only_if(e.new(f"icmp ne i8 {bits}, 0"), name):
            wide = e.new(f"zext i8 {bits} to i64")
            pointer = self._pointer(self.program.context.record(record))
            e.line(
                f"call void @note(ptr {pointer}, ptr %in, i64 %stride, i64 %at, i64 {wide}, "
                f"i64 {binding}, i64 {self.program.layout.words})"
            )

    @contextmanager
    def _wanted(self, record: int, name: str) -> Generator[None]:
        """Instructions that run only if something is looked for."""
        e = self.e
        pointer = self._pointer(self.program.context.record(record))
        wanted = e.new(f"load i64, ptr {pointer}, align 8")
        with e.only_if(e.new(f"icmp ne i64 {wanted}, 0"), f"{name}_wanted"):
            yield

    def _count(self, index: int, bits: str) -> str:
        """Adds the number of lanes in a mask to a counter of the context; gives that number."""
        e = self.e
        lanes = e.new(f"zext i8 {e.new(f'call i8 @llvm.ctpop.i8(i8 {bits})')} to i64")
        counter = self._pointer(index)
        total = e.new(f"add i64 {e.new(f'load i64, ptr {counter}, align 8')}, {lanes}")
        e.line(f"store i64 {total}, ptr {counter}, align 8")
        return lanes

    def _pointer(self, index: int) -> str:
        return self.e.new(f"getelementptr i64, ptr %context, i64 {index}")

    def text(self) -> str:
        return "\n".join([*self.e.lines, "}", ""])
