"""The native functions for a graph of states: which step is by which binding, and what is true.

Batches are columns as in `specmodel.kernel.module`. The functions:

    edges(in, in_stride, start, n, out, out_stride, out_limit, context) -> consumed
        As `expand`, with one more column after the words of a successor: the place of the state
        that it is of, less `start`, and from bit BINDING on the binding that leads to it. Looks
        for no property, and for no step that fails unless the kernel is `failing`: a search has
        seen all of these steps before. A step that fails is then left out. Successors are as the
        step makes them, not the least of their orbit.
    label(in, stride, start, n, out, context) -> n
        Which of some predicates are true of states: predicate p is bit `p % 64` of column
        `p // 64` of the out columns, which have the stride and the places of the states. Notes
        those that fail under PROPERTY_FAILURE, with the number of the predicate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from specmodel.behaviour.formulas import Predicate
from specmodel.domains import ScalarDomain
from specmodel.ir.symbolic.effects import Judgement
from specmodel.ir.symbolic.execute import run_property
from specmodel.kernel.blocks import scratch_of
from specmodel.kernel.canonical import canonical, steps_constant
from specmodel.kernel.circuit import LIVE
from specmodel.kernel.columns import Stepping
from specmodel.kernel.context import PROPERTY_FAILURE
from specmodel.kernel.parts import HEAD
from specmodel.kernel.program import Program
from specmodel.kernel.successors import SuccessorFunction, effects
from specmodel.kernel.truths import BITS, Truths, deciding
from specmodel.machine import objects
from specmodel.model.model import Model


class GraphKernel(Stepping):
    """The functions of a spec and some predicates on its states. Calls release the GIL.

    With `symmetric` scalar sets there is `canonical`, as in `specmodel.kernel.module`; else None.
    """

    def __init__(
        self,
        spec: Model,
        wanted: Sequence[Predicate],
        target: objects.Target | None = None,
        symmetric: Sequence[ScalarDomain] = (),
        failing: bool = False,
    ) -> None:
        """Compiles, unless the code is in the cache.

        Raises SpecError where the spec cannot be compiled.
        """
        started = time.perf_counter()
        self.program = Program(spec, (), symmetric)
        self.wanted = tuple(wanted)
        self.failing = failing
        names = ",".join(f"{p.of}.{p.rule.role}" for p in wanted)
        what = "graph of steps that may fail" if failing else "graph"
        code = self.program.compiled(f"{what} {names}", self._modules, target)
        self.edges = code.function("edges", "piiipiip")
        self.label = code.function("label", "piiipp")
        walk = self.program.walk
        self.canonical = code.function("canonical", "piip") if walk else None
        self.scratch = code.scratch("edges", "label")
        self.looked_for = [PROPERTY_FAILURE]
        self.seconds = time.perf_counter() - started

    @property
    def label_words(self) -> int:
        """Columns of the truth of predicates."""
        return max(1, -(-len(self.wanted) // BITS))

    def _modules(self) -> Iterator[str]:
        program = self.program
        moves = yield from effects(program, origins=True)
        parts = [HEAD]
        parts.append(
            SuccessorFunction(program, "edges", moves, origins=True, failing=self.failing).text()
        )
        parts.append(self._label())
        if program.walk:
            parts += [steps_constant(program.walk), canonical(program, program.walk)]
        yield "\n".join(parts)

    def _label(self) -> str:
        """The truth of predicates in every state of a batch."""
        context, judgements = self.program.context, [self._judgement(p) for p in self.wanted]
        truths = Truths("label", self.program, [n for j in judgements for n in deciding(j)])
        for number, judgement in enumerate(judgements):
            failures = truths.any_of(truths.node(f.node) for f in judgement.failures)
            truths.note(context, truths.both(LIVE, failures), PROPERTY_FAILURE, number, None)
        truths.write([judgement.node for judgement in judgements], "out")
        return truths.text("ptr %out, ptr %context", begin=scratch_of(context), then=truths.tell())

    def _judgement(self, wanted: Predicate) -> Judgement:
        program = self.program
        if wanted.rule.role == "antecedent":
            function = program.model.antecedents[wanted.of]
        else:
            _, function = program.model.properties[wanted.of]
        leaves = [program.leaves]
        return run_property(program.model, program.graph, function, leaves, wanted.arguments)
