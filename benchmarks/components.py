"""How long it takes to find the strongly connected components of a graph of states."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.configuration import KNOWN_SPACES, Configuration
from benchmarks.process import MeasurementError
from specmodel.engines.native.coverage_counts import KernelCoverage
from specmodel.engines.native.graph import GraphBuilder
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.numbered_steps import NumberedStates
from specmodel.engines.native.worker_pool import WorkerPool
from specmodel.kernel.kernel import Kernel
from specmodel.liveness.components import components
from specmodel.liveness.graph import StateGraph
from specmodel.suite.targets import load_target


def seconds_a_million_edges(configuration: Configuration) -> float:
    """Seconds for a million edges of `kip320-live`; making the graph does not count."""
    graph = _graph(configuration)
    everything = np.ones(graph.size, np.bool_)
    started = time.perf_counter()
    components(graph.starts, graph.targets, everything)
    seconds = time.perf_counter() - started
    known = KNOWN_SPACES.get(configuration)
    if known is not None and graph.size != known.distinct:
        raise MeasurementError(f"the graph has {graph.size:,} states, not {known.distinct:,}")
    return seconds / (graph.edges / 1e6)


def _graph(configuration: Configuration) -> StateGraph:
    design = load_target("kip320-live", configuration.constants)
    rules = design.chosen(["all_exposed"])
    kernel, memory = Kernel(design.spec, ()), Memory()
    worker_pool = WorkerPool(kernel, 1, memory, KernelCoverage(kernel, (), False, 1))
    try:
        layout = kernel.program.layout
        worker_pool.seed([layout.pack(design.spec.start.run())])
        depth = 0
        while worker_pool.frontier:
            worker_pool.advance(depth)
            depth += 1
        builder = GraphBuilder(design.spec, rules, memory, lambda: None)
        return builder.build(NumberedStates(worker_pool, layout.words, depth, memory, lambda: None))
    finally:
        worker_pool.close()
