"""A search over packed states with a compiled kernel, in this process or on many machines."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from specmodel.design import Design
from specmodel.engines.base.driver import Driver
from specmodel.engines.base.findings import Findings
from specmodel.engines.native.compiled_search import CompiledSearch
from specmodel.engines.native.coverage_counts import KernelCoverage
from specmodel.kernel.kernel import Kernel
from specmodel.results import Options, PointCount, PropertyResult, Result
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import INITIAL, LEAST, Compiled

if TYPE_CHECKING:
    from specmodel.kernel.graphs import GraphKernel


class KernelSearch(Driver):
    """The common part of the searches whose states are packed words."""

    coverage_counts: KernelCoverage

    def __init__(self, design: Design, options: Options) -> None:
        """Compiles the kernel. Raises TooSlow."""
        super().__init__(design, options)
        with self.limiting():
            self.kernel = Kernel(
                design.spec,
                self.rules,
                symmetric=self.symmetric,
                partial_order=options.partial_order,
            )
        self.compiling = self.kernel.seconds
        self.layout = self.kernel.program.layout
        path = None if options.fingerprint else self.path
        orbit_of = self._orbit_of if self.symmetric else None
        self.findings = Findings(self.interpreter, self.rules, self.layout.unpack, path, orbit_of)
        asked = options.self_check
        self.sample_size = asked if isinstance(asked, int) else LEAST
        """The number of states to draw for the comparison with CPython; 0: none."""
        self.graph_kernel: GraphKernel | None = None
        self.suspects: list[Words] = []
        """States to compare with CPython first."""

    @abstractmethod
    def fewer(self) -> int:
        """The number of states that were expanded by fewer steps than are enabled there."""

    @abstractmethod
    def predecessor(self, words: Words, level: int) -> Words:
        """The least state of a level that leads to another."""

    @abstractmethod
    def sampled_states(self, everything: bool) -> Iterator[Words]:
        """The sample that was drawn, or all states."""

    def path(self, words: Words, level: int) -> Sequence[Words]:
        """The states on the way from an initial state to a state of a level, each the least
        predecessor.

        Raises KeyboardInterrupt at a further Ctrl-C.
        """
        path, before = [words], self.interrupts
        for below in range(level - 1, -1, -1):
            if self.interrupts > before:
                raise KeyboardInterrupt
            path.append(self.predecessor(path[-1], below))
        return path[::-1]

    def violated(self) -> bool:
        return self.findings.violated

    def verdict(self, name: str, kind: str, complete: bool) -> PropertyResult:
        return self.findings.verdict(name, kind, complete)

    def initial_states(self) -> list[Words]:
        """The initial states, packed. Raises SpecmodelError if there is none."""
        states = list(self.interpreter.packed_initial(self.layout.pack))
        self.initial = len(states)
        if not states:
            raise self.no_initial_state()
        return states

    def compiled(self) -> tuple[Reference, Sequence[Compiled]] | None:
        graph = self.graph_kernel
        reference = Reference(self.design.spec, self.rules, graph.wanted if graph else ())
        compiled: list[Compiled] = [CompiledSearch(self.kernel, reference, self.engine)]
        if graph is not None:
            # Only temporal properties need a graph.
            from specmodel.engines.native.compiled_graph import CompiledGraph

            compiled.append(CompiledGraph(graph, reference.interpreter))
        return reference, compiled

    def sample(self, wanted: int) -> Iterator[Words]:
        """The states with findings, then the sample, or all states."""
        if self.design.spec.bounds:  # these may leave initial states out
            yield from map(self.layout.pack, islice(self.interpreter.initial(), INITIAL))
        yield from self.suspects
        yield from self.findings.way
        yield from (hit.finding.words for hit in self.findings.hits.values())
        found = self.distinct()
        yield from self.sampled_states(found is not None and wanted >= found)

    def points(self) -> tuple[PointCount, ...]:
        if not self.coverage_counts.going:
            return ()
        return self.coverage_counts.points(sum(self.fired()), self.design.spec.binding_counts)

    def result(self) -> Result:
        reduced = self.fewer() if self.options.partial_order else None
        return replace(super().result(), reduced=reduced)

    def _orbit_of(self, state: Any) -> Words:
        (found,) = self.kernel.canonical_forms([self.layout.pack(state)])
        return found
