"""The checker from Python: `load` a design, `check` it, and ask questions that take many checks."""

from specmodel.analysis.checking import check, default_workers, load, simulate
from specmodel.api.questions import (
    ablate,
    compare,
    counterexamples,
    equal,
    equal_under,
    graph,
    minimise,
    prove,
    replay_trace,
    solve,
    sweep,
    why,
)
from specmodel.api.software import conform, validate

__all__ = [
    "ablate",
    "check",
    "compare",
    "conform",
    "counterexamples",
    "default_workers",
    "equal",
    "equal_under",
    "graph",
    "load",
    "minimise",
    "prove",
    "replay_trace",
    "simulate",
    "solve",
    "sweep",
    "validate",
    "why",
]
