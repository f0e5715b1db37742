"""The native function that makes successors, as LLVM IR text: guards on masks, effects on vectors.

Logic on masks decides in which states of a block a binding is enabled (`specmodel.kernel.blocks`).
Those states are then gathered, so that the effect is computed for eight of them at a time, however
few of the block they are, and without a branch that depends on a single state.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import islice

from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.blocks import BLOCK, BlockComparisons, scratch_of
from specmodel.kernel.circuit import LIVE, NONE, Circuit
from specmodel.kernel.context import COVERAGE, DEADLOCK, STEP_FAILURE
from specmodel.kernel.emit import BOOLS, INTS
from specmodel.kernel.function import KernelFunction
from specmodel.kernel.loops import LoopGuards, calls
from specmodel.kernel.parts import HEAD
from specmodel.kernel.program import BoundAction, Program
from specmodel.kernel.tables import table
from specmodel.machine.words import LANES

QUEUE = BLOCK + LANES
"""The distance of two words of gathered states; the last vector may be incomplete."""

BINDING = 32
"""The first bit of an origin that belongs to the binding."""

EFFECT = "(ptr %queue, i64 %left, ptr %out, i64 %out_stride, ptr %context, i64 %nth)"
"""The arguments of an effect: gathered states, the place of their successors, and of a loop the
number of the binding within it."""

EFFECTS = 12
"""The number of effects in a module. A module is compiled while the next is written."""


def effects(program: Program, origins: bool = False) -> Generator[str, None, list[BoundAction]]:
    """Yields the modules of the effects of all moves; returns the moves.

    With `origins`, no properties are checked.
    """
    moves: list[BoundAction] = []
    rest = program.moves(loops=not program.partial_order)
    while some := list(islice(rest, EFFECTS)):
        made = [_EffectCode(program).text_of(move, origins) for move in some]
        yield "\n".join([HEAD, *made])
        moves += some
    return moves


def _name(move: BoundAction) -> str:
    return f"effect_{move.number}"


class SuccessorFunction:
    """The function `name`, with everything that it needs except `effects`, which are in other
    modules.

    It has the arguments and the result of `expand` in `specmodel.kernel.module`, and notes
    findings. It counts the states in which `fewer` steps than are enabled are enough. With
    `origins` it is `edges` of `specmodel.kernel.graphs` instead, and notes and counts nothing.
    """

    def __init__(
        self,
        program: Program,
        name: str,
        moves: Sequence[BoundAction],
        fewer: Node | None = None,
        origins: bool = False,
    ) -> None:
        self.program = program
        self.name = name
        self.moves = list(moves)
        self.loops = [move for move in moves if move.sizes]
        written = [move for move in moves if not move.sizes]
        self.fewer = program.graph.false if fewer is None else fewer
        self.origins = origins
        deciding = [self.fewer, *(m.guard for m in written)]
        if not origins:
            deciding += [f for m in written for f in (m.early_failure, m.late_failure)]
        self.comparisons = BlockComparisons(name, program.layout, deciding)
        self.circuit = self._guards(written)
        self.masks = {move.number: self.comparisons.after + i for i, move in enumerate(written)}
        """The place of the mask of each move; those of the bindings of a loop lie side by side."""
        self.after = self.stuck + 1
        for move in self.loops:
            self.masks[move.number] = self.after
            self.after += move.count
        self.queue = self.after * LANES
        """The place in the scratch of a binding's gathered states."""

    def _guards(self, moves: Sequence[BoundAction]) -> Circuit:
        """Makes the masks of moves: the first outputs."""
        circuit, context = Circuit(self.name, self.comparisons), self.program.context
        failures: list[int] = []
        for move in moves:
            guard = circuit.both(LIVE, circuit.node(move.guard))
            failed = NONE
            if not self.origins:
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
        made = self.comparisons.functions()
        made.append(self.circuit.tables())
        made += [f"declare hidden void @{_name(move)}{EFFECT}" for move in self.moves]
        guards = [LoopGuards(self.program) for _ in self.loops]
        made += [
            one.text_of(move, self.masks[move.number], not self.origins)
            for one, move in zip(guards, self.loops, strict=True)
        ]
        made += [self._tables(), self._weigh(), self._gather(), self._steps(), self._whole()]
        words = self.queue + (self.program.layout.words + int(self.origins)) * QUEUE
        made.append(f"define i64 @scratch_of_{self.name}() {{\n  ret i64 {words}\n}}\n")
        return "\n".join(made)

    def _tables(self) -> str:
        """The data of each move: its effect, its counter, the binding of its origin, its masks.

        Each span is masks side by side: those of the moves that are no loops, then of each loop.
        """
        context = self.program.context
        stuck = [self.stuck, context.record(DEADLOCK), 0, context.record(DEADLOCK)]
        spans = [self.comparisons.after, len(self.moves) - len(self.loops)]
        spans += [n for move in self.loops for n in (self.masks[move.number], move.count)]
        return "".join(
            [
                table("effects", [f"{_name(move)}" for move in self.moves]),
                table("counters", [COVERAGE + move.action for move in self.moves]),
                table("firsts", [context.first_step(move.action) for move in self.moves]),
                table("numbers", [move.number << BINDING for move in self.moves]),
                table("masks", [self.masks[move.number] for move in self.moves]),
                table("counts", [move.count for move in self.moves]),
                table("spans", spans),
                table("stuck", stuck),
            ]
        )

    def _weigh(self) -> str:
        """The function that counts the steps of a block, and finds the states without any."""
        return f"""\
define internal i64 @weigh(ptr %scratch) {{
entry:
  %live = load {INTS}, ptr %scratch, align 8
  br label %span
span:
  %s = phi i64 [ 0, %entry ], [ %s_next, %next ]
  %stuck_before = phi {INTS} [ %live, %entry ], [ %stuck, %next ]
  %sum_before = phi {INTS} [ zeroinitializer, %entry ], [ %sum, %next ]
  %span_at = getelementptr [2 x i64], ptr @spans, i64 %s
  %first = load i64, ptr %span_at, align 8
  %masks = getelementptr {INTS}, ptr %scratch, i64 %first
  %count_at = getelementptr i64, ptr %span_at, i64 1
  %count = load i64, ptr %count_at, align 8
  br label %head
head:
  %m = phi i64 [ 0, %span ], [ %m_next, %move ]
  %stuck = phi {INTS} [ %stuck_before, %span ], [ %neither, %move ]
  %sum = phi {INTS} [ %sum_before, %span ], [ %more, %move ]
  %over = icmp eq i64 %m, %count
  br i1 %over, label %next, label %move
move:
  %mask_at = getelementptr {INTS}, ptr %masks, i64 %m
  %mask = load {INTS}, ptr %mask_at, align 8
  %others = xor {INTS} %mask, splat (i64 -1)
  %neither = and {INTS} %stuck, %others
  %bits = call {INTS} @llvm.ctpop.v{LANES}i64({INTS} %mask)
  %more = add {INTS} %sum, %bits
  %m_next = add i64 %m, 1
  br label %head
next:
  %s_next = add i64 %s, 1
  %last = icmp eq i64 %s, {len(self.loops)}
  br i1 %last, label %done, label %span
done:
  %stuck_at = getelementptr {INTS}, ptr %scratch, i64 {self.stuck}
  store {INTS} %stuck, ptr %stuck_at, align 8
  %total = call i64 @llvm.vector.reduce.add.v{LANES}i64({INTS} %sum)
  ret i64 %total
}}
"""

    def _gather(self) -> str:
        """The function that gathers the states of a mask, and returns their number."""
        words = self.program.layout.words
        copies: list[str] = []
        for word in range(words):
            copies += [
                f"%skip{word} = mul i64 %stride, {word}",
                f"%from{word} = getelementptr i64, ptr %source, i64 %skip{word}",
                f"%word{word} = load i64, ptr %from{word}, align 8",
                f"%to{word} = getelementptr i64, ptr %target, i64 {word * QUEUE}",
                f"store i64 %word{word}, ptr %to{word}, align 8",
            ]
        if self.origins:
            copies += [
                "%place = add i64 %before, %i",
                f"%place_to = getelementptr i64, ptr %target, i64 {words * QUEUE}",
                "store i64 %place, ptr %place_to, align 8",
            ]
        copied = "\n  ".join(copies)
        return f"""\
define internal i64 @gather(ptr %first, i64 %stride, ptr %mask, ptr %queue) {{
entry:
  br label %word
word:
  %w = phi i64 [ 0, %entry ], [ %w_next, %next ]
  %count = phi i64 [ 0, %entry ], [ %counted, %next ]
  %bits_at = getelementptr i64, ptr %mask, i64 %w
  %bits = load i64, ptr %bits_at, align 8
  %before = shl i64 %w, 6
  %from = getelementptr i64, ptr %first, i64 %before
  %none = icmp eq i64 %bits, 0
  br i1 %none, label %next, label %bit
bit:
  %todo = phi i64 [ %bits, %word ], [ %rest, %bit ]
  %k = phi i64 [ %count, %word ], [ %k_next, %bit ]
  %i = call i64 @llvm.cttz.i64(i64 %todo, i1 true)
  %source = getelementptr i64, ptr %from, i64 %i
  %target = getelementptr i64, ptr %queue, i64 %k
  {copied}
  %less_one = sub i64 %todo, 1
  %rest = and i64 %todo, %less_one
  %k_next = add i64 %k, 1
  %over = icmp eq i64 %rest, 0
  br i1 %over, label %next, label %bit
next:
  %counted = phi i64 [ %count, %word ], [ %k_next, %bit ]
  %w_next = add i64 %w, 1
  %past = icmp eq i64 %w_next, {LANES}
  br i1 %past, label %done, label %word
done:
  ret i64 %counted
}}
"""

    def _steps(self) -> str:
        """The function that makes the steps of a block: binding by binding, LANES at a time."""
        n, words = len(self.moves), self.program.layout.words
        told = f"""\
%counter_at = getelementptr [{n} x i64], ptr @counters, i64 0, i64 %m
  %counter = load i64, ptr %counter_at, align 8
  %fired_at = getelementptr i64, ptr %context, i64 %counter
  %fired = load i64, ptr %fired_at, align 8
  %fired_now = add i64 %fired, %k
  store i64 %fired_now, ptr %fired_at, align 8
  %first_at = getelementptr [{n} x i64], ptr @firsts, i64 0, i64 %m
  %first_place = load i64, ptr %first_at, align 8
  %record = getelementptr i64, ptr %context, i64 %first_place
  %noted_level = load i64, ptr %record, align 8
  %later = icmp slt i64 %noted_level, %level
  br i1 %later, label %next, label %note
note:
  %of_at = getelementptr [{n} x i64], ptr @numbers, i64 0, i64 %m
  %of = load i64, ptr %of_at, align 8
  %of_first = lshr i64 %of, {BINDING}
  %of_number = add i64 %of_first, %nth
  store i64 %level, ptr %record, align 8
  call void @note_block(ptr %record, ptr %in, i64 %stride, i64 %at, ptr %mask, i64 %of_number)"""
        origin = f"""\
%places_at = getelementptr i64, ptr %from, i64 {words * QUEUE}
  %places = load {INTS}, ptr %places_at, align 8
  %number_at = getelementptr [{n} x i64], ptr @numbers, i64 0, i64 %m
  %number_of_first = load i64, ptr %number_at, align 8
  %nth_number = shl i64 %nth, {BINDING}
  %number = add i64 %number_of_first, %nth_number
  %first_origin = or i64 %number, %done
  %one = insertelement {INTS} poison, i64 %first_origin, i64 0
  %all = shufflevector {INTS} %one, {INTS} poison, <{LANES} x i32> zeroinitializer
  %origins = add {INTS} %places, %all
  %skip = mul i64 %out_stride, {words}
  %origins_at = getelementptr i64, ptr %to, i64 %skip
  store {INTS} %origins, ptr %origins_at, align 8"""
        noted = ", [ %grown, %note ]"
        return f"""\
define internal void @steps(ptr %in, i64 %stride, i64 %at, i64 %done, ptr %scratch, ptr %out, \
i64 %out_stride, ptr %context) {{
entry:
  %queue = getelementptr i64, ptr %scratch, i64 {self.queue}
  %first = getelementptr i64, ptr %in, i64 %at
  %count_before = load i64, ptr %context, align 8
  %level_at = getelementptr i64, ptr %context, i64 {self.program.context.level}
  %level = load i64, ptr %level_at, align 8
  br label %head
head:
  %m = phi i64 [ 0, %entry ], [ %m_next, %over ]
  %count_so_far = phi i64 [ %count_before, %entry ], [ %counted, %over ]
  %past = icmp eq i64 %m, {n}
  br i1 %past, label %end, label %bindings
bindings:
  %place_at = getelementptr [{n} x i64], ptr @masks, i64 0, i64 %m
  %place = load i64, ptr %place_at, align 8
  %masks = getelementptr {INTS}, ptr %scratch, i64 %place
  %many_at = getelementptr [{n} x i64], ptr @counts, i64 0, i64 %m
  %many = load i64, ptr %many_at, align 8
  br label %move
move:
  %nth = phi i64 [ 0, %bindings ], [ %nth_next, %next ]
  %count = phi i64 [ %count_so_far, %bindings ], [ %counted, %next ]
  %mask = getelementptr {INTS}, ptr %masks, i64 %nth
  %k = call i64 @gather(ptr %first, i64 %stride, ptr %mask, ptr %queue)
  %none = icmp eq i64 %k, 0
  br i1 %none, label %next, label %some
some:
  %effect_at = getelementptr [{n} x ptr], ptr @effects, i64 0, i64 %m
  %effect = load ptr, ptr %effect_at, align 8
  br label %eight
eight:
  %j = phi i64 [ 0, %some ], [ %j_next, %eight ]
  %left = sub i64 %k, %j
  %from = getelementptr i64, ptr %queue, i64 %j
  %out_at = add i64 %count, %j
  %to = getelementptr i64, ptr %out, i64 %out_at
  call void %effect(ptr %from, i64 %left, ptr %to, i64 %out_stride, ptr %context, \
i64 %nth)
  {origin if self.origins else ""}
  %j_next = add i64 %j, {LANES}
  %more = icmp slt i64 %j_next, %k
  br i1 %more, label %eight, label %told
told:
  %grown = add i64 %count, %k
  {"" if self.origins else told}
  br label %next
next:
  %counted = phi i64 [ %count, %move ], [ %grown, %told ]{"" if self.origins else noted}
  %nth_next = add i64 %nth, 1
  %again = icmp slt i64 %nth_next, %many
  br i1 %again, label %move, label %over
over:
  %m_next = add i64 %m, 1
  br label %head
end:
  store i64 %count_so_far, ptr %context, align 8
  ret void
}}
"""

    def _whole(self) -> str:
        """All bindings on all states, block by block; a block is smaller if its steps do not fit.

        The number of steps is known before any is made.
        """
        context = self.program.context
        fewer = f"""\
%some_at = getelementptr {INTS}, ptr %scratch, i64 {self.some}
  %some = load {INTS}, ptr %some_at, align 8
  %some_bits = call {INTS} @llvm.ctpop.v{LANES}i64({INTS} %some)
  %some_states = call i64 @llvm.vector.reduce.add.v{LANES}i64({INTS} %some_bits)
  %fewer_at = getelementptr i64, ptr %context, i64 {context.fewer}
  %fewer = load i64, ptr %fewer_at, align 8
  %fewer_next = add i64 %fewer, %some_states
  store i64 %fewer_next, ptr %fewer_at, align 8"""
        stuck = (
            "call void @note_found(ptr @stuck, i64 1, ptr %in, i64 %stride, i64 %at, ptr %scratch, "
            "ptr %context)"
        )
        return f"""\
define i64 @{self.name}(ptr %in, i64 %stride, i64 %start, i64 %n, ptr %out, i64 %out_stride, \
i64 %out_limit, ptr %context) {{
entry:
  {scratch_of(context)}
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i_next, %fitting ]
  %left = sub i64 %n, %i
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %begin, label %done
begin:
  %at = add i64 %start, %i
  %most = call i64 @llvm.smin.i64(i64 %left, i64 {BLOCK})
  br label %block
block:
  %size = phi i64 [ %most, %begin ], [ %less, %smaller ]
  %eights = call i64 @begin_block(i64 %size, ptr %scratch)
  {self.comparisons.calls()}
  {self.circuit.run()}
  {self.circuit.tell()}
  {calls(self.loops)}
  %total = call i64 @weigh(ptr %scratch)
  %count = load i64, ptr %context, align 8
  %room = sub i64 %out_limit, %count
  %fits = icmp sle i64 %total, %room
  br i1 %fits, label %fitting, label %full
full:
  %first = icmp eq i64 %i, 0
  %large = icmp sgt i64 %size, {LANES}
  %again = and i1 %first, %large
  br i1 %again, label %smaller, label %done
smaller:
  %half = ashr i64 %size, 1
  %above = add i64 %half, {LANES - 1}
  %less = and i64 %above, {-LANES}
  br label %block
fitting:
  call void @steps(ptr %in, i64 %stride, i64 %at, i64 %i, ptr %scratch, ptr %out, i64 %out_stride, \
ptr %context)
  {"" if self.origins else stuck}
  {"" if self.fewer is self.program.graph.false else fewer}
  %i_next = add i64 %i, %size
  br label %head
done:
  ret i64 %i
}}
"""


class _EffectCode(KernelFunction):
    """The effect of a binding on LANES states in which it is enabled, or on the remaining ones."""

    columns = "%queue", str(QUEUE), "0"

    def text_of(self, move: BoundAction, origins: bool) -> str:
        """The text of the function; with `origins`, no properties are checked."""
        e = self.e
        e.lines.append(f"define hidden void @{_name(move)}{EFFECT} {{")
        e.label("entry")
        e.bind(move.sizes, "%nth")
        e.load_words("%queue", str(QUEUE))
        stepped = [] if origins else self.program.stepped(move.after)
        if stepped:
            lanes = e.new(self.first_lanes("%left"))
            live = e.new(f"bitcast i8 {lanes} to {BOOLS}")
            number = e.new(f"add i64 %nth, {move.number}") if move.sizes else move.number
            for which, judgement in stepped:
                self.note_property(which, judgement, False, live, number, f"p{which}")
        e.store_words(e.changed(self.program.leaves, move.after), "%out", "%out_stride")
        e.line("ret void")
        return self.text()
