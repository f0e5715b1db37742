"""A function of a native module that works on LANES states at a time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from specmodel.ir.symbolic.effects import Judgement
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.context import FIRST_PROPERTY, PROPERTY_FAILURE
from specmodel.kernel.emit import Emitter
from specmodel.kernel.instructions import BOOLS
from specmodel.kernel.program import Program
from specmodel.machine.words import LANES


class KernelFunction:
    """One function: its instructions, and the way it notes findings.

    `columns` are the current states: a pointer, the distance from word to word, and the first
    state.
    """

    columns = "%in", "%stride", "%at"

    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = program.graph
        self.e = Emitter(program.layout)

    @contextmanager
    def blocks(self, start: str, carried: str = "", begin: str = "") -> Generator[None]:
        """A loop over blocks of states: %at is the first of a block, %lanes are the lanes with
        states.

        With a `carried` type, %carried begins with 0, and the body sets %carried_next. The
        instructions `begin` come before all.
        """
        e = self.e
        e.label("entry")
        if begin:
            e.line(begin)
        e.line("br label %head")
        e.label("head")
        head = len(e.lines)
        e.line("%left = sub i64 %n, %i")
        e.line("%more = icmp sgt i64 %left, 0")
        e.line("br i1 %more, label %body, label %done")
        e.label("body")
        e.line(f"%at = add i64 {start}, %i")
        e.line(f"%lanes = {self.first_lanes('%left')}")
        yield
        e.line(f"%i_next = add i64 %i, {LANES}")
        e.line("br label %head")
        phis = [f"  %i = phi i64 [ 0, %entry ], [ %i_next, %{e.block} ]"]
        if carried:
            phis.append(f"  %carried = phi {carried} [ 0, %entry ], [ %carried_next, %{e.block} ]")
        e.lines[head:head] = phis
        e.label("done")

    def first_lanes(self, count: str) -> str:
        """The instruction for the first `count` lanes as an i8; all lanes if `count` is greater."""
        e = self.e
        ragged = e.new(f"icmp slt i64 {count}, {LANES}")
        width = e.new(f"select i1 {ragged}, i64 {count}, i64 {LANES}")
        ones = e.new(f"sub i64 {e.new(f'shl i64 1, {width}')}, 1")
        return f"trunc i64 {ones} to i8"

    def note_property(
        self,
        number: int,
        judgement: Judgement,
        sought: bool,
        lanes: str,
        binding: int | str,
        name: str,
    ) -> None:
        """Notes the lanes in which a property is `sought`, or fails, if it is wanted at all."""
        e, graph = self.e, self.graph
        failure = graph.either(*(f.node for f in judgement.failures))
        hit = judgement.node if sought else graph.negate(judgement.node)
        if hit is graph.false and failure is graph.false:
            return
        with self.wanted(FIRST_PROPERTY + number, name):
            sound = self.failing(lanes, lanes, failure, PROPERTY_FAILURE, number, f"{name}_fail")
            hits = e.bits(e.new(f"and {BOOLS} {sound}, {e.value(hit)}"))
            self.note(hits, FIRST_PROPERTY + number, binding, f"{name}_hit")

    def failing(
        self, mask: str, lanes: str, failure: Node, record: int, binding: int, name: str
    ) -> str:
        """Notes the lanes in which the spec fails; returns the mask without them."""
        if failure is self.graph.false:
            return mask
        e = self.e
        failed = e.new(f"and {BOOLS} {lanes}, {e.value(failure)}")
        sound = e.new(f"xor {BOOLS} {failed}, splat (i1 true)")
        self.note(e.bits(failed), record, binding, name)
        return e.new(f"and {BOOLS} {mask}, {sound}")

    def note(self, bits: str, record: int, binding: int | str, name: str) -> None:
        """Notes the current states of some lanes."""
        e = self.e
        columns, stride, first = self.columns
        with e.only_if(e.new(f"icmp ne i8 {bits}, 0"), name):
            wide = e.new(f"zext i8 {bits} to i64")
            pointer = self.pointer(self.program.context.record(record))
            e.line(
                f"call void @note(ptr {pointer}, ptr {columns}, i64 {stride}, i64 {first}, "
                f"i64 {wide}, i64 {binding})"
            )

    @contextmanager
    def wanted(self, record: int, name: str) -> Generator[None]:
        """Instructions that run only if a record is wanted."""
        e = self.e
        pointer = self.pointer(self.program.context.record(record))
        wanted = e.new(f"load i64, ptr {pointer}, align 8")
        with e.only_if(e.new(f"icmp ne i64 {wanted}, 0"), f"{name}_wanted"):
            yield

    def pointer(self, index: int) -> str:
        """The address of a word of the context."""
        return self.e.new(f"getelementptr i64, ptr %context, i64 {index}")

    def text(self) -> str:
        """The text of the function."""
        self.e.lines.append("}\n")
        return self.e.text()
