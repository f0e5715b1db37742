"""The designs that say what subjects do."""

from __future__ import annotations

from specmodel.conformance.binding import SubjectDesign
from specmodel.design import Design
from specmodel.suite.targets import load_target


def subject_design(played: Design, subject: SubjectDesign) -> Design:
    """The design of a subject at the constants of a design whose traces are played to it."""
    return load_target(subject.target, {**played.values, **subject.constants})
