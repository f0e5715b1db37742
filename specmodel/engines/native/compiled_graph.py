"""The results of a graph kernel for single states, compared with CPython."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.kernel.columns import in_columns
from specmodel.kernel.context import PROPERTY_FAILURE
from specmodel.kernel.expanding import BINDING
from specmodel.kernel.graphs import GraphKernel
from specmodel.kernel.truths import BITS
from specmodel.results import SpecFailure
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import CheckDifference, Facts, step_difference
from specmodel.selfcheck.run import Compiled


class CompiledGraph(Compiled):
    """The functions that find a graph's steps, and the truth of its properties' conditions."""

    def __init__(self, kernel: GraphKernel, interpreter: Interpreter) -> None:
        self.kernel = kernel
        self.interpreter = interpreter

    @property
    def how(self) -> Mapping[str, Any]:
        """How the kernel was made."""
        names = list(dict.fromkeys(part.of for part in self.kernel.wanted))
        return {"engine": "native", "code": "graph", "properties": names}

    def differences(self, facts: Facts) -> Iterator[CheckDifference]:
        """The first difference between the kernel and CPython for a state."""
        if not facts.failing:
            yield from self._of_steps(facts)
        yield from self._of_predicates(facts)

    def _of_steps(self, facts: Facts) -> Iterator[CheckDifference]:
        found, expected = dict(self._steps(facts.words)), dict(facts.steps)
        for number in sorted(found.keys() | expected.keys()):
            if found.get(number) != expected.get(number):
                both = expected.get(number), found.get(number)
                yield step_difference(self.interpreter, number, *both)

    def _steps(self, state: Words) -> Iterator[tuple[int, Words]]:
        """The enabled bindings, and the states they lead to."""
        kernel, columns = self.kernel, len(state) + 1
        for *after, origin in kernel.steps(kernel.edges, [state], kernel.context(), columns):
            yield origin >> BINDING, tuple(after)

    def _of_predicates(self, facts: Facts) -> Iterator[CheckDifference]:
        kernel, words = self.kernel, len(facts.words)
        columns, width = in_columns(words, [facts.words])
        labels, context = (ctypes.c_uint64 * (kernel.label_words * width))(), kernel.context()
        at = ctypes.addressof(labels)
        kernel.label(ctypes.addressof(columns), width, 0, 1, at, context.address)
        failed = context.finding(PROPERTY_FAILURE)
        for number, (part, truth) in enumerate(zip(kernel.wanted, facts.predicates, strict=True)):
            if isinstance(truth, SpecFailure):
                if failed is None or failed.binding > number:
                    yield CheckDifference(part.rule.name, part.rule.span, truth, "does not fail")
                return  # the kernel records only the first that fails
            said = bool(labels[number // BITS * width] >> number % BITS & 1)
            if said != truth:
                of = f"{part.rule.name}{part.arguments or ''}"
                yield CheckDifference(of, part.rule.span, truth, said)
        if failed is not None:
            part = kernel.wanted[failed.binding]
            yield CheckDifference(part.rule.name, part.rule.span, "does not fail", "the spec fails")
