"""Simulation: random walks of a plan, compared with CPython, or up to one finding."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from specmodel.analysis.running_simulation import Met, RunningSimulation
from specmodel.analysis.walk_check import check_walks
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.kernel.walking import DEADLOCK, FIRST
from specmodel.results import DEADLOCK as DEADLOCK_NAME
from specmodel.results import Simulation
from specmodel.walks.plan import WalkPlan


def simulate(design: Design, plan: WalkPlan, engine: str = registry.DEFAULT) -> Simulation:
    """Makes the walks of a plan and reports on them.

    Ctrl-C in the main thread ends it with the results so far. Raises SpecFailure, with a trace,
    where the spec itself fails in a walk; the errors of the engine for a spec that it cannot run;
    TooSlow if the time limit is reached during compilation; and SpecmodelError if there is no
    initial state.
    """
    running = RunningSimulation(design, plan, engine)
    try:
        return running.run(partial(check_walks, running))
    finally:
        running.walker.close()


def first_walk(design: Design, plan: WalkPlan, name: str) -> Met | None:
    """The walk with the least number that makes a finding (or: of a property), up to it."""
    deadlock = name == DEADLOCK_NAME
    wanted = replace(plan, properties=None if deadlock else (name,), deadlock=deadlock)
    running = RunningSimulation(design, wanted, registry.DEFAULT)
    try:
        return running.met_at_first(DEADLOCK if deadlock else FIRST)
    finally:
        running.walker.close()
