"""The native function that makes successors, as LLVM IR text: guards on masks, effects on vectors.

Logic on masks decides in which states of a block a binding is enabled (`specmodel.kernel.blocks`).
`specmodel.kernel.expanding` gathers these states and calls the effects.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import islice

from specmodel.ir.symbolic.effects import Judgement
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.blocks import BlockComparisons
from specmodel.kernel.circuit import LIVE, NONE, Circuit
from specmodel.kernel.context import DEADLOCK, STEP_FAILURE
from specmodel.kernel.expanding import QUEUE, Move, StepTables
from specmodel.kernel.function import KernelFunction
from specmodel.kernel.instructions import BOOLS
from specmodel.kernel.loops import LoopGuards, calls, divided_guards
from specmodel.kernel.masks import Note
from specmodel.kernel.orbits import LEAST, orbit_modules
from specmodel.kernel.parts import HEAD
from specmodel.kernel.program import BoundAction, Program
from specmodel.kernel.shapes import EffectShape, shared
from specmodel.kernel.tables import Word, fields, table
from specmodel.machine.words import LANES

EFFECT = "(ptr %queue, i64 %left, ptr %out, i64 %out_stride, ptr %context, i64 %nth)"
"""The arguments of an effect: gathered states, the place of their successors, and of a loop the
number of the binding within it."""

STEP = "any_step(ptr %queue, i64 %left, ptr %out, i64 %out_stride, ptr %context, i64 %number)"
"""The arguments of the code that judges the steps that an effect has made; last, its binding."""

EFFECTS = 12
"""The number of effects in a module. A module is compiled while the next is written."""


def effects(program: Program, origins: bool = False) -> Generator[str, None, list[BoundAction]]:
    """Yields the modules of the effects of all moves; returns the moves.

    With `origins`, no properties are checked.
    """
    rest: Iterable[EffectShape] = map(EffectShape, program.moves(not program.partial_order))
    placed: list[BoundAction] = []
    judged = not origins and any(rule.role == "transition" for rule in program.chosen)
    if program.model.graph is not None and (not judged or program.any_step):
        # A spec in Python has loops for many bindings.
        some = [shape.move for shape in rest]
        rest, placed = shared(program.graph, program.leaves, some)
    moves, rest, head = list[BoundAction](), iter(rest), HEAD
    if not origins and program.any_step:
        yield "\n".join([HEAD, _StepCode(program).whole()])
        head += f"\ndeclare hidden void @{STEP}"
    if program.orbit:
        yield from orbit_modules(program)
    while some := list(islice(rest, EFFECTS)):
        made = [_EffectCode(program).text_of(shape, origins) for shape in some]
        yield "\n".join([head, *made])
        moves += [shape.move for shape in some]
    return placed or moves


def _name(move: BoundAction) -> str:
    return f"effect_{move.number if move.function < 0 else move.function}"


class SuccessorFunction:
    """The function `name`, with everything that it needs except `effects`, which are in other
    modules.

    It has the arguments and the result of `expand` in `specmodel.kernel.module`, and notes
    findings. It counts the states in which `fewer` steps than are enabled are enough. With
    `origins` it is `edges` of `specmodel.kernel.graphs` instead, and counts nothing; it looks for
    steps that fail only if it is `failing`.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        moves: Sequence[BoundAction],
        fewer: Node | None = None,
        origins: bool = False,
        failing: bool = True,
    ) -> None:
        self.program = program
        self.name = name
        self.moves = list(moves)
        self.loops, written = divided_guards(program.graph, moves)
        self.fewer = program.graph.false if fewer is None else fewer
        self.origins = origins
        self.failing = failing
        deciding = [self.fewer, *(m.guard for m in written)]
        if failing:
            deciding += [f for m in written for f in (m.early_failure, m.late_failure)]
        self.comparisons = BlockComparisons(name, program.layout, deciding)
        self.circuit = self._guards(written)
        self.written = len(written)
        self.masks = {move.number: self.comparisons.after + i for i, move in enumerate(written)}
        """The place of the mask of each move; those of the bindings of a loop lie side by side."""
        self.after = self.stuck + 1
        for move in self.loops:
            self.masks[move.number] = self.after
            self.after += move.count
        self.queue = self.after
        """The place in the scratch of a binding's gathered states."""

    def _guards(self, moves: Sequence[BoundAction]) -> Circuit:
        """Makes the masks of moves: the first outputs."""
        circuit, context = Circuit(self.name, self.comparisons), self.program.context
        failures: list[int] = []
        for move in moves:
            guard = circuit.both(LIVE, circuit.node(move.guard))
            failed = NONE
            if self.failing:
                early, late = circuit.node(move.early_failure), circuit.node(move.late_failure)
                failed = circuit.either(circuit.both(LIVE, early), circuit.both(guard, late))
            circuit.output(circuit.both(guard, circuit.negate(failed)))
            failures.append(failed)
        for move, failed in zip(moves, failures, strict=True):
            circuit.note(context, failed, STEP_FAILURE, move.number, None)
        self.some = circuit.output(circuit.both(LIVE, circuit.node(self.fewer)))
        return circuit

    @property
    def stuck(self) -> int:
        """The place of the mask of states without an enabled step."""
        return self.circuit.after

    def text(self) -> str:
        """The text of all functions."""
        name, spans = self.name, self._spans()
        made = self.comparisons.functions()
        made.append(self.circuit.tables())
        names = dict.fromkeys(map(_name, self.moves))
        made += [f"declare hidden i64 @{name}{EFFECT}" for name in names]
        made += [
            LoopGuards(self.program).text_of(move, self.masks[move.number], self.failing)
            for move in self.loops
        ]
        made += [
            f"declare hidden i64 {LEAST}" if self.program.orbit else "",
            table(f"{name}_moves", [word for move in self.moves for word in self._move(move)]),
            table(f"{name}_spans", spans),
            table(f"{name}_after", self._stuck()),
            table(f"{name}_expansion", self._expansion(len(spans) // 2)),
        ]
        words = self.queue * LANES + self.program.layout.words * QUEUE
        made.append(f"""\
define internal i64 @{name}_guards(
    ptr %in, i64 %stride, i64 %at, i64 %size, ptr %scratch, ptr %context) {{
  %eights = call i64 @begin_block(i64 %size, ptr %scratch)
  {self.comparisons.calls()}
  {self.circuit.run()}
  {self.circuit.tell()}
  {calls(self.loops)}
  ret i64 0
}}

define i64 @{name}(ptr %in, i64 %stride, i64 %start, i64 %n, ptr %out, i64 %out_stride, \
i64 %out_limit, ptr %context) {{
  %done = call i64 @expand_blocks(ptr @{name}_expansion, ptr %in, i64 %stride, i64 %start, \
i64 %n, ptr %out, i64 %out_stride, i64 %out_limit, ptr %context)
  ret i64 %done
}}

define i64 @scratch_of_{name}() {{
  ret i64 {words}
}}
""")
        return "\n".join(made)

    def _spans(self) -> list[Word]:
        """Masks side by side: those that gates make, then of each loop."""
        spans: list[Word] = [self.comparisons.after, self.written]
        return spans + [n for move in self.loops for n in (self.masks[move.number], move.count)]

    def _stuck(self) -> list[Word]:
        """The note of deadlocks."""
        record = self.program.context.record(DEADLOCK)
        return fields(Note, place=self.stuck, record=record, binding=0, wanted=record)

    def _move(self, move: BoundAction) -> list[Word]:
        return fields(
            Move,
            effect=_name(move),
            masks=self.masks[move.number],
            count=move.count,
            number=move.number,
            instance=move.instance,
            fired=self.program.context.coverage(move.action),
            first=self.program.context.first_step(move.action),
        )

    def _expansion(self, spans: int) -> list[Word]:
        context, all_steps = self.program.context, self.fewer is self.program.graph.false
        return fields(
            StepTables,
            guards=f"{self.name}_guards",
            moves=f"{self.name}_moves",
            move_count=len(self.moves),
            spans=f"{self.name}_spans",
            span_count=spans,
            origins=int(self.origins),
            stuck=self.stuck,
            notes=f"{self.name}_after",
            note_count=0 if self.origins else 1,
            queue=self.queue,
            context_words=context.size,
            level=context.level,
            least="least_of_orbit" if self.program.orbit else 0,
            fewer=0 if all_steps else context.fewer,
            some=self.some,
        )


class _EffectCode(KernelFunction):
    """The effect of a binding on LANES states in which it is enabled, or on the remaining ones."""

    columns = "%queue", str(QUEUE), "0"

    def text_of(self, shape: EffectShape, origins: bool) -> str:
        """The text of the function; with `origins`, no properties are checked."""
        e, move = self.e, shape.move
        if shape.numbers:
            e.lines.append(self._values(shape))
        e.lines.append(f"define hidden i64 @{_name(move)}{EFFECT} {{")
        e.label("entry")
        if shape.numbers:
            e.load_parameters(f"{_name(move)}_values", len(shape.table[0]) + 1, "%nth")
        else:
            e.bind(move.sizes, "%nth", _name(move))
        e.load_words("%queue", str(QUEUE))
        shared = bool(self.program.any_step)
        if not origins and not shared:
            self.judge(self.program.stepped(move.after), move)
        e.store_words(e.changed(self.program.leaves, move.after), "%out", "%out_stride")
        if shared and not origins:
            e.line(
                "call void @any_step(ptr %queue, i64 %left, ptr %out, i64 %out_stride, "
                f"ptr %context, i64 {e.binding or self.number(move)})"
            )
        e.line("ret i64 0")
        return self.text()

    def _values(self, shape: EffectShape) -> str:
        """The table of the parameters, and of the number of the binding."""
        rows = zip(shape.table, shape.numbers, strict=True)
        return table(f"{_name(shape.move)}_values", [n for row, own in rows for n in (*row, own)])

    def number(self, move: BoundAction) -> int | str:
        """The number of the binding."""
        return self.e.new(f"add i64 %nth, {move.number}") if move.sizes else move.number

    def judge(self, judgements: Sequence[tuple[int, Judgement]], move: BoundAction | None) -> None:
        """Notes the properties that steps by a binding violate."""
        if not judgements:
            return
        lanes = self.e.new(self.first_lanes("%left"))
        live = self.e.new(f"bitcast i8 {lanes} to {BOOLS}")
        number = "%number" if move is None else self.number(move)
        for which, judgement in judgements:
            self.note_property(which, judgement, False, live, number, f"p{which}")


class _StepCode(_EffectCode):
    """The judgement of LANES steps, or of the remaining ones, by any binding."""

    def whole(self) -> str:
        """The text of the function."""
        e = self.e
        e.lines.append(f"define hidden void @{STEP} {{")
        e.label("entry")
        e.load_step(("%queue", str(QUEUE)), ("%out", "%out_stride"))
        self.judge(self.program.any_step, None)
        e.line("ret void")
        return self.text()
