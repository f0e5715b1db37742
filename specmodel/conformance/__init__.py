"""Plays the behaviours of a design to real software, and judges what the software does.

What a binding file imports is here.
"""

from specmodel.conformance.binding import PlayBinding, Scenario, SinceStep
from specmodel.conformance.program import SubjectProgram
from specmodel.conformance.protocol import PlayedSubject, Stage, StageFailed, SubjectGone

__all__ = [
    "PlayBinding",
    "PlayedSubject",
    "Scenario",
    "SinceStep",
    "Stage",
    "StageFailed",
    "SubjectGone",
    "SubjectProgram",
]
