"""The native functions for a graph of states: which step is by which binding, and what is true.

Batches are columns as in `specmodel.kernel.module`. The functions:

    edges(in, in_stride, start, n, out, out_stride, out_limit, context) -> consumed
        As `expand`, with one more column after the words of a successor: the place of the state
        that it is of, less `start`, and from bit BINDING on the binding that leads to it. Looks
        for no failure and no property: a search has seen all of these steps before. Successors are
        as the step makes them, not the least of their orbit.
    label(in, stride, start, n, out, context) -> n
        Which of some predicates are true of states: predicate p is bit `p % 64` of column
        `p // 64` of the out columns, which have the stride and the places of the states. Notes
        those that fail under PROPERTY_FAILURE, with the number of the predicate.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence

from specmodel.domains import ScalarDomain
from specmodel.ir.digest import digest
from specmodel.ir.symbolic.execute import Judgement, run_property
from specmodel.kernel import objects
from specmodel.kernel.canonical import steps_constant
from specmodel.kernel.context import PROPERTY_FAILURE, Context
from specmodel.kernel.emit import BOOLS, DECLARATIONS, INTS, LANES, splat
from specmodel.kernel.module import MOVES_A_FUNCTION, Function
from specmodel.kernel.note import NOTE
from specmodel.kernel.program import Move, Program
from specmodel.kernel.version import CODE
from specmodel.lang.spec import Spec
from specmodel.liveness.formulas import Predicate

BINDING = 32
"""The bit of an origin from which on it has the binding."""

BITS = 64

_i64, _pointer = ctypes.c_int64, ctypes.c_void_p
_EDGES = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _i64, _pointer, _i64, _i64, _pointer)
_LABEL = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _i64, _pointer, _pointer)
_CANONICAL = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _pointer)


class GraphKernel:
    """The functions of a spec and some predicates on its states. Calls release the GIL.

    With `symmetric` scalar sets there is `canonical`, as in `specmodel.kernel.module`; else None.
    """

    def __init__(
        self,
        spec: Spec,
        wanted: Sequence[Predicate],
        target: objects.Target | None = None,
        symmetric: Sequence[ScalarDomain] = (),
    ) -> None:
        """Compiles, unless the cache has it. Raises SpecError where the spec cannot be compiled."""
        started = time.perf_counter()
        self.program = Program(spec, (), symmetric)
        self.wanted = tuple(wanted)
        names = ",".join(f"{p.of}.{p.rule.role}" for p in wanted)
        sets = ",".join(found.name for found in symmetric)
        key = f"graph {digest(self.program.model)} {names} symmetric {sets} {CODE}"
        self._code = objects.load(target or objects.host(), key, self._module)
        self.edges = _EDGES(self._code.address("edges"))
        self.label = _LABEL(self._code.address("label"))
        walk = self.program.walk
        self.canonical = _CANONICAL(self._code.address("canonical")) if walk else None
        self.seconds = time.perf_counter() - started

    @property
    def bindings(self) -> int:
        """The most successors that a state can have."""
        return max(1, len(self.program.bindings))

    @property
    def label_words(self) -> int:
        """Columns of the truth of predicates."""
        return max(1, -(-len(self.wanted) // BITS))

    def context(self) -> Context:
        """A fresh context for one thread, which notes failures."""
        made = Context(self.program.context)
        made.want(PROPERTY_FAILURE)
        return made

    def _module(self) -> str:
        program = self.program
        moves = program.moves()
        groups = [moves[i : i + MOVES_A_FUNCTION] for i in range(0, len(moves), MOVES_A_FUNCTION)]
        parts = [DECLARATIONS, NOTE]
        parts += [_Function(program).group_edges(i, group) for i, group in enumerate(groups)]
        parts.append(_Function(program).edges(len(groups), len(moves)))
        parts.append(_Function(program).label([self._judgement(p) for p in self.wanted]))
        if program.walk:
            parts += [steps_constant(program.walk), _Function(program).canonical(program.walk)]
        return "\n".join(parts)

    def _judgement(self, wanted: Predicate) -> Judgement:
        program = self.program
        if wanted.rule.role == "antecedent":
            function = program.model.antecedents[wanted.of]
        else:
            _, function = program.model.properties[wanted.of]
        leaves = [program.leaves]
        return run_property(program.model, program.graph, function, leaves, wanted.arguments)


class _Function(Function):
    """One function of the module."""

    def group_edges(self, number: int, moves: Sequence[Move]) -> str:
        """The steps of some bindings from one block of states, with their origins."""
        e = self.e
        e.lines.append(
            f"define internal void @edges_{number}(ptr %in, i64 %stride, i64 %at, i64 %place, "
            "i8 %lanes, ptr %out, i64 %out_stride, ptr %context) {"
        )
        e.label("entry")
        e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
        live = e.new(f"bitcast i8 %lanes to {BOOLS}")
        first = e.new(f"insertelement {INTS} poison, i64 %place, i64 0")
        spread = e.new(
            f"shufflevector {INTS} {first}, {INTS} poison, <{LANES} x i32> zeroinitializer"
        )
        lanes = ", ".join(f"i64 {lane}" for lane in range(LANES))
        places = e.new(f"add {INTS} {spread}, <{lanes}>")
        count = e.new("load i64, ptr %context, align 8")
        for move in moves:
            count = self._edge(move, live, places, count)
        e.line(f"store i64 {count}, ptr %context, align 8")
        e.line("ret void")
        return self.text()

    def _edge(self, move: Move, live: str, places: str, count: str) -> str:
        """The steps of a binding; gives the new count."""
        e, name = self.e, f"m{move.number}"
        mask = e.new(f"and {BOOLS} {live}, {e.value(move.guard)}")
        bits = e.bits(mask)
        came_from = e.block
        with e.only_if(e.new(f"icmp ne i8 {bits}, 0"), name):
            words = e.changed(self.program.leaves, move.after)
            origin = e.new(f"or {INTS} {places}, {splat(move.number << BINDING)}")
            e.compress_into([*words, origin], mask, "%out", "%out_stride", count)
            fired = e.new(f"zext i8 {e.new(f'call i8 @llvm.ctpop.i8(i8 {bits})')} to i64")
            grown = e.new(f"add i64 {count}, {fired}")
            ends_at = e.block
        return e.new(f"phi i64 [ {count}, %{came_from} ], [ {grown}, %{ends_at} ]")

    def edges(self, groups: int, moves: int) -> str:
        """The steps of every binding from every state of a batch."""
        e = self.e
        e.lines.append(
            "define i64 @edges(ptr %in, i64 %stride, i64 %start, i64 %n, "
            "ptr %out, i64 %out_stride, i64 %out_limit, ptr %context) {"
        )
        with self.blocks_with_room(moves):
            for number in range(groups):
                e.line(
                    f"call void @edges_{number}(ptr %in, i64 %stride, i64 %at, i64 %i, "
                    "i8 %lanes, ptr %out, i64 %out_stride, ptr %context)"
                )
        return self.text()

    def label(self, judgements: Sequence[Judgement]) -> str:
        """The truth of predicates in every state of a batch."""
        e, graph = self.e, self.graph
        e.lines.append(
            "define i64 @label(ptr %in, i64 %stride, i64 %start, i64 %n, ptr %out, ptr %context) {"
        )
        with self.blocks("%start"):
            e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
            live = e.new(f"bitcast i8 %lanes to {BOOLS}")
            target = e.new("getelementptr i64, ptr %out, i64 %at")
            for first in range(0, max(1, len(judgements)), BITS):
                word = splat(0)
                for number, judgement in list(enumerate(judgements))[first : first + BITS]:
                    failure = graph.either(*(f.node for f in judgement.failures))
                    self._failing(live, live, failure, PROPERTY_FAILURE, number, f"p{number}")
                    wide = e.new(f"zext {BOOLS} {e.value(judgement.node)} to {INTS}")
                    placed = e.new(f"shl {INTS} {wide}, {splat(number - first)}")
                    word = e.new(f"or {INTS} {word}, {placed}")
                e.line(f"store {INTS} {word}, ptr {target}, align 8")
                target = e.new(f"getelementptr i64, ptr {target}, i64 %stride")
        e.line("ret i64 %n")
        return self.text()
