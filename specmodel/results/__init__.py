"""Verdicts, traces, coverage: the output of engines and the input of views."""

from specmodel.options import CHECKPOINT_EVERY, Options, Progress, SelfChecked
from specmodel.results.coverage import PointCount
from specmodel.results.lasso import Fulfilled, Lasso, Neglected
from specmodel.results.result import (
    DEADLOCK,
    PropertyResult,
    Result,
    SelfCheck,
    SpecFailure,
    Verdict,
)
from specmodel.results.simulation import Guarantee, Simulation, Touched, WalkProgress
from specmodel.results.trace import Step, Trace

__all__ = [
    "CHECKPOINT_EVERY",
    "DEADLOCK",
    "Fulfilled",
    "Guarantee",
    "Lasso",
    "Neglected",
    "Options",
    "PointCount",
    "Progress",
    "PropertyResult",
    "Result",
    "SelfCheck",
    "SelfChecked",
    "Simulation",
    "SpecFailure",
    "Step",
    "Touched",
    "Trace",
    "Verdict",
    "WalkProgress",
]
