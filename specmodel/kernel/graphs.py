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

import time
from collections.abc import Iterator, Sequence

from specmodel.domains import ScalarDomain
from specmodel.ir.symbolic.execute import Judgement, run_property
from specmodel.kernel import objects
from specmodel.kernel.blocks import BLOCK_FUNCTIONS
from specmodel.kernel.canonical import canonical, steps_constant
from specmodel.kernel.circuit import CIRCUIT_FUNCTIONS
from specmodel.kernel.context import PROPERTY_FAILURE, Context
from specmodel.kernel.emit import BOOLS, DECLARATIONS, INTS, splat
from specmodel.kernel.function import Function
from specmodel.kernel.moves import Moves, effects
from specmodel.kernel.note import NOTE
from specmodel.kernel.program import Program
from specmodel.lang.spec import Spec
from specmodel.liveness.formulas import Predicate

BITS = 64


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
        what = f"graph {names} symmetric {sets}"
        code = self.program.compiled(what, self._modules, target)
        self.edges = code.function("edges", "piiipiip")
        self.label = code.function("label", "piiipp")
        walk = self.program.walk
        self.canonical = code.function("canonical", "piip") if walk else None
        self._scratch = code.function("scratch_of_edges")()
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
        made = Context(self.program.context, self._scratch)
        made.want(PROPERTY_FAILURE)
        return made

    def _modules(self) -> Iterator[str]:
        program = self.program
        moves = yield from effects(program, origins=True)
        parts = [DECLARATIONS, BLOCK_FUNCTIONS, NOTE, CIRCUIT_FUNCTIONS]
        parts.append(Moves(program, "edges", moves, origins=True).text())
        parts.append(_Function(program).label([self._judgement(p) for p in self.wanted]))
        if program.walk:
            parts += [steps_constant(program.walk), canonical(program, program.walk)]
        yield "\n".join(parts)

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
                    self.failing(live, live, failure, PROPERTY_FAILURE, number, f"p{number}")
                    wide = e.new(f"zext {BOOLS} {e.value(judgement.node)} to {INTS}")
                    placed = e.new(f"shl {INTS} {wide}, {splat(number - first)}")
                    word = e.new(f"or {INTS} {word}, {placed}")
                e.line(f"store {INTS} {word}, ptr {target}, align 8")
                target = e.new(f"getelementptr i64, ptr {target}, i64 %stride")
        e.line("ret i64 %n")
        return self.text()
