"""A binding: how the actions and the state of a design appear on a real stage and subject.

A binding file is a Python file with a variable `binding`. It runs as it is: a binding belongs to
whoever runs it, as a test does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from specmodel.companions import run_companion
from specmodel.conformance.protocol import PlayedSubject, Stage
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError, suggestion
from specmodel.results import Step


@dataclass(frozen=True)
class SinceStep:
    """A step that was allowed, its states, and the events since then.

    `events` are those of the stage and the subject, `seen` is what is observed now.
    """

    step: Step
    before: Any
    after: Any
    events: Sequence[Mapping[str, Any]]
    seen: Mapping[str, Any]


Sign = Callable[[SinceStep], bool]
"""Whether an action of the subject has been seen to happen."""

Contrary = Callable[[SinceStep], str]
"""The observation, in words, that contradicts the step; empty if there is none."""


@dataclass(frozen=True)
class Scenario:
    """A trace that a binding names, as the texts of its steps in reports.

    A text `stage: WHAT` is no step of the design: the stage is asked to do WHAT. `constants` are
    those that the design needs for the steps.
    """

    title: str
    steps: Sequence[str]
    constants: Mapping[str, Value] = field(default_factory=dict[str, Value])


@dataclass(frozen=True)
class SubjectDesign:
    """The design that says what a subject does: a target as commands take one.

    `constants` replace those of the design whose traces are played. `tells(step, before, after)`
    says whether the subject reports a loss to its user in a step. `shows` names actions of traces
    of which it shows the signs in any state.
    """

    target: str
    constants: Mapping[str, Value] = field(default_factory=dict[str, Value])
    tells: Callable[[Step, Any, Any], bool] = lambda step, before, after: False
    shows: Collection[str] = ()


class Withholding:
    """What a stage withholds from a subject while a trace is played, in steps of designs: nothing.

    A derived class overrides what it withholds.
    """

    def take(self, state: Any, action: str) -> None:
        """The trace has come to a state by an action; empty for the first state."""

    def nudge(self, what: str) -> None:
        """The stage does something that a scenario asks for."""

    def let_go(self) -> None:
        """The subject has parted from the trace."""

    def release(self, state: Any) -> None:
        """The trace has ended. The stage's part of a state becomes what it is then."""

    def lets(self, step: Step, before: Any) -> bool:
        """Whether the subject may take a step of its design from a state."""
        return True


@dataclass(frozen=True)
class PlayBinding:
    """How a design appears on a real stage and subject.

    `stages` and `subjects` are functions that make one, by name. Parameters of a stage's function
    are settings: texts, with defaults.

    `performs` names the actions that the stage makes happen. `signs` names those that the subject
    does itself, each with the way to see it: None for an action that is seen by a change of what is
    observed. `silent` names actions of the subject that leave no trace to see: the play goes on
    without waiting. Names are those of actions or of their kinds. Every action of the design has to
    be in one of the three.

    `observed` gives what a state looks like from outside: plain values by name. Names that neither
    the stage nor the subject reports are not compared. `rebuilt` puts what was seen into a copy of
    a state, for the `properties` that are evaluated on it: names of invariants and transition
    properties of the design.

    Times are in seconds: `step_seconds` is waited for each step to appear, `quiet_seconds` after
    the last one, for anything more, and `still_seconds` after each step that changes nothing that
    is observed. `contrary` says what of the events since a step cannot be part of it: the subject
    has then parted, whatever is observed. With `goes_on` the stage performs the rest of a trace
    from which the subject has parted.

    `settled` says of what is seen after the trace whether the subject has gone on to the end of
    what the stage offers. It is awaited for `step_seconds`. If it does not come, nothing is called
    lost, because the subject may be about to recover.

    `designs` has for subjects the design that says what they do, by which the ends of plays are
    predicted. `withholding` has for stages what they withhold of such a design's steps; without it,
    nothing is predicted. `transcript` is the file of a log binding, beside this one, by which
    transcripts are held to `designs`. On `free` stages nothing is withheld: the stage makes its
    steps, the subject does as it likes, and its transcript says whether it follows its design.
    """

    stages: Mapping[str, Callable[..., Stage]]
    subjects: Mapping[str, Callable[[], PlayedSubject]]
    observed: Callable[[Any], Mapping[str, Any]]
    performs: Collection[str] = ()
    signs: Mapping[str, Sign | None] = field(default_factory=dict[str, "Sign | None"])
    silent: Collection[str] = ()
    rebuilt: Callable[[Any, Mapping[str, Any]], None] | None = None
    properties: Sequence[str] = ()
    scenarios: Mapping[str, Scenario] = field(default_factory=dict[str, Scenario])
    step_seconds: float = 5.0
    quiet_seconds: float = 0.3
    still_seconds: float = 0.0
    contrary: Contrary | None = None
    goes_on: bool = False
    settled: Callable[[Mapping[str, Any]], bool] | None = None
    designs: Mapping[str, SubjectDesign] = field(default_factory=dict[str, SubjectDesign])
    withholding: Mapping[str, Callable[[], Withholding]] = field(
        default_factory=dict[str, Callable[[], Withholding]]
    )
    transcript: str = ""
    free: Collection[str] = ()

    def role(self, action: str, kind: str) -> str:
        """`performs`, `signs` or `silent`: who does an action, and how it is seen."""
        for name in (action, kind):
            for role in ("performs", "signs", "silent"):
                if name in getattr(self, role):
                    return role
        return ""

    def sign(self, action: str, kind: str) -> Sign | None:
        """The way to see an action of the subject."""
        return self.signs.get(action, self.signs.get(kind))

    def refuse_unfit(self, design: Design) -> None:
        """Raises UsageError for actions of a design that have no role, and for properties that it
        does not have or that are about whole behaviours."""
        self.refuse_unnamed_actions(design)
        if self.properties and self.rebuilt is None:
            raise UsageError("the binding has properties and no function rebuilt to evaluate them")
        for rule in design.stated(self.properties) if self.properties else ():
            if rule.role not in ("invariant", "transition") or rule.refined is not None:
                raise UsageError(f"{rule.name} is no invariant and no transition property")

    def refuse_unnamed_actions(self, design: Design) -> None:
        """Raises UsageError for actions of a design that have no role."""
        lacking = [
            rule.name
            for rule in design.spec.rules
            if not self.role(rule.name, design.spec.kind_of(rule))
        ]
        if lacking:
            raise UsageError(
                f"the binding does not say who does {', '.join(lacking)}: name each action in"
                " performs, signs or silent"
            )


def read_binding(file: Path) -> PlayBinding:
    """The binding in a Python file, which is run. Raises UsageError if there is none."""
    module = run_companion(file, "binding")
    found = getattr(module, "binding", None)
    if not isinstance(found, PlayBinding):
        raise UsageError(
            f"{file} has no variable binding that is a specmodel.conformance.PlayBinding"
        )
    for what, held in (("stages", found.stages), ("subjects", found.subjects)):
        if not held:
            raise UsageError(f"{file}: the binding has no {what}")
    return found


def chosen_names(what: str, wanted: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """The wanted names, or all that are known. Raises UsageError for an unknown one."""
    for name in wanted:
        if name not in known:
            raise UsageError(f'the binding has no {what} "{name}"{suggestion(name, known)}')
    return tuple(dict.fromkeys(wanted)) or tuple(known)
