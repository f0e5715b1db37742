"""Plays the behaviours of a design to real software, and judges what the software does and logs.

What a binding file imports is here.
"""

from specmodel.conformance.binding import (
    PlayBinding,
    Scenario,
    SinceStep,
    SubjectDesign,
    Withholding,
)
from specmodel.conformance.logs.binding import NOT_TOLD, LogBinding, LoggedAs
from specmodel.conformance.program import SubjectProgram
from specmodel.conformance.protocol import PlayedSubject, Stage, StageFailed, SubjectGone

__all__ = [
    "NOT_TOLD",
    "LogBinding",
    "LoggedAs",
    "PlayBinding",
    "PlayedSubject",
    "Scenario",
    "SinceStep",
    "Stage",
    "StageFailed",
    "SubjectDesign",
    "SubjectGone",
    "SubjectProgram",
    "Withholding",
]
