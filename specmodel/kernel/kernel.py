"""A kernel: a model's native functions, compiled or taken from the cache."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterable, Iterator, Sequence

from specmodel.domains import ScalarDomain
from specmodel.ir.points import Points
from specmodel.kernel.columns import Stepping, Words, in_columns, in_rows
from specmodel.kernel.context import Context
from specmodel.kernel.counter import Counter
from specmodel.kernel.program import Program
from specmodel.machine import objects
from specmodel.model.model import Model, Rule


class Kernel(Stepping):
    """The functions of a spec and some of its properties; `specmodel.kernel.module` describes them.

    Calls release the GIL; a kernel may be used by several threads, each with a context of its own.
    Its `counter` counts the code of its state properties.
    """

    def __init__(
        self,
        spec: Model,
        chosen: Sequence[Rule],
        target: objects.Target | None = None,
        symmetric: Sequence[ScalarDomain] = (),
        partial_order: bool = False,
    ) -> None:
        """Compiles, unless the code is in the cache.

        Raises SpecError where the spec cannot be compiled.

        With `symmetric` scalar sets there is a canonical form, in which they are interchangeable.
        With `partial_order`, steps are left out where others are enough for the findings.
        """
        started = time.perf_counter()
        self.program = Program(spec, chosen, symmetric, partial_order)
        self.symmetric = self.program.symmetric
        looked_at = [rule.name for rule in self.program.chosen if rule.role != "transition"]
        points = Points(self.program.model, (), looked_at)

        def texts() -> Iterator[str]:
            from specmodel.kernel.module import modules_of  # takes a while; the cache may have it

            yield from modules_of(self.program, points)

        code = self.program.compiled(f"search {points.shape}", texts, target)
        self.cached = code.cached
        self.expand_address = code.address("expand")
        self.keep_address = code.address("keep") if spec.bounds else 0
        walk = self.program.walk
        self.canonical_address = code.address("canonical") if walk else 0
        self.expand = code.function("expand", "piiipiip")
        self.check_address = code.address("check")
        self.check = code.function("check", "piiip")
        self.counter = Counter(points, code)
        self.keep = code.function("keep", "piip") if spec.bounds else None
        self.canonical = code.function("canonical", "piip") if walk else None
        self.scratch = code.scratch("expand", "check", *(["keep"] if spec.bounds else []))
        self.looked_for = range(self.program.context.records)
        self.seconds = time.perf_counter() - started

    def successors(self, states: Iterable[Words], context: Context) -> list[Words]:
        """The successors of packed states, block by block, within a block by bindings."""
        return self.steps(self.expand, list(states), context, self.program.layout.words)

    def look(self, states: Sequence[Words], context: Context) -> None:
        """Notes in a context the findings of the properties in packed states."""
        columns, width = in_columns(self.program.layout.words, states)
        self.check(ctypes.addressof(columns), width, 0, len(states), context.address)

    def canonical_forms(self, states: Iterable[Words]) -> list[Words]:
        """The canonical form of each packed state: itself, unless the kernel has a symmetry."""
        packed = list(states)
        if self.canonical is None:
            return packed
        words = self.program.layout.words
        columns, width = in_columns(words, packed)
        context = self.context()
        self.canonical(ctypes.addressof(columns), width, len(packed), context.address)
        return in_rows(columns, words, width, len(packed))
