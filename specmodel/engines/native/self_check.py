"""The self-check of a search: a sample drawn while it runs is compared with CPython at its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from specmodel.design import Design
from specmodel.engines.native.compiled_search import CompiledSearch
from specmodel.engines.native.crew import Crew
from specmodel.engines.native.findings import Findings
from specmodel.engines.native.sampling import Rows, in_turn, merge
from specmodel.errors import UsageError
from specmodel.kernel.kernel import Kernel
from specmodel.lang.spec import Rule
from specmodel.results import Options, SelfCheck
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import LEAST, Compiled, compare, wanted_states

if TYPE_CHECKING:
    from specmodel.kernel.graphs import GraphKernel

INITIAL = 8
"""Initial states that are compared where there are constraints, as these may leave some out."""


class SearchChecker:
    """Draws the sample of a search and compares it."""

    def __init__(
        self, design: Design, options: Options, kernel: Kernel, rules: Sequence[Rule], crew: Crew
    ) -> None:
        self.design = design
        self.options = options
        self.kernel = kernel
        self.rules = tuple(rules)
        self.crew = crew
        self.graph: GraphKernel | None = None
        self.noted: list[Words] = []
        asked = options.self_check
        self.samplers = crew.sample(asked if isinstance(asked, int) else LEAST)

    def look_at_graph(self, kernel: GraphKernel) -> None:
        """Has the kernel of a graph of states compared as well."""
        self.graph = kernel

    def look_at(self, state: Words) -> None:
        """Has a state compared before others."""
        self.noted.append(state)

    def check(
        self, findings: Findings, depth: int, seconds: float, stopped: Callable[[], object]
    ) -> SelfCheck:
        """Compares the sample of a search of so many levels. Raises Disagreement."""
        asked = self.options.self_check
        wanted = wanted_states(asked, self.crew.distinct)
        if asked is None and self.crew.distinct < INITIAL:
            wanted = INITIAL  # the search may have missed initial states
        graph = self.graph
        reference = Reference(self.design.spec, self.rules, graph.wanted if graph else ())
        compiled: list[Compiled] = [CompiledSearch(self.kernel, reference)]
        if graph is not None:
            from specmodel.engines.native.compiled_graph import CompiledGraph

            compiled.append(CompiledGraph(graph, reference.interpreter))
        budget = seconds if asked is None else math.inf
        states = self._states(findings, depth, wanted)
        return compare(self.design, reference, compiled, states, wanted, budget, stopped)

    def _states(self, findings: Findings, depth: int, wanted: int) -> Iterator[Words]:
        """States in which something was found, then the sample, or all states."""
        initial = islice(findings.interpreter.initial(), INITIAL)
        if self.design.spec.bounds:
            yield from map(self.kernel.program.layout.pack, initial)
        yield from self.noted
        yield from findings.way
        yield from (hit.finding.words for hit in findings.hits.values())
        yield from self.crew.first_steps()
        if wanted >= self.crew.distinct and not self.options.fingerprint:
            for level in range(depth):
                yield from sorted(self.crew.states(level))
        else:
            rows: Rows = {}
            for sampler in self.samplers:
                merge(rows, sampler.rows(range(depth)))
            yield from in_turn(rows)


def open_checker(
    design: Design, options: Options, kernel: Kernel, rules: Sequence[Rule], crew: Crew
) -> SearchChecker | None:
    """What checks a search itself; None if that is not asked for. Raises UsageError."""
    if options.self_check == 0:
        return None
    if options.self_check == "all" and options.fingerprint:
        raise UsageError("--self-check all needs whole states: give it without --fingerprint")
    return SearchChecker(design, options, kernel, rules, crew)
