"""The verdict of one play, and of several plays together, and what was predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from specmodel.constants import Value
from specmodel.dataclass import dataclass

PlayVerdict = Literal["followed", "parted", "told", "lost", "incomparable"]

PlayEnd = Literal["kept", "told", "lost"]
"""The end of a play: the properties hold, or the subject reported the loss, or neither."""

ALL_ENDS: Sequence[PlayEnd] = ("kept", "told", "lost")

ENDS: Mapping[PlayVerdict, PlayEnd] = {
    "followed": "kept",
    "parted": "kept",
    "told": "told",
    "lost": "lost",
}
"""The ends of plays that can be compared, by their verdicts."""


@dataclass(frozen=True)
class DoneInstead:
    """A step of the design that gives what was seen.

    `false` are the guards, as sentences, that would have had to be true. Without any, the design
    allows the step there: the subject took another way.
    """

    step: str
    false: tuple[str, ...]


@dataclass(frozen=True)
class SubjectParting:
    """The first step that the subject did not follow.

    `number` is that of the state that the step leads to, from 1; `step` is empty if the subject
    went on after the last step. `expected` and `seen` have the observations that differ, by name.
    `unseen` says that there was no sign of the step, `still` that nothing that is observed has
    changed. `contrary` is what was seen that cannot be part of the step. `instead` are steps that
    explain what was seen.
    """

    number: int
    step: str
    expected: Mapping[str, Any]
    seen: Mapping[str, Any]
    unseen: bool
    still: bool
    contrary: str
    instead: tuple[DoneInstead, ...]


@dataclass(frozen=True)
class BrokenProperty:
    """A property of the design that is false of what was observed; `why` explains it."""

    name: str
    why: str


@dataclass(frozen=True)
class PlayedStep:
    """A step of a play: what was expected beside what was seen once the player went on.

    `role` is that of the action in the binding, or `stage` for what a scenario asks of the stage;
    `event` is the number of transcript lines up to then.
    """

    number: int
    step: str
    role: str
    expected: Mapping[str, Any]
    seen: Mapping[str, Any]
    event: int
    seconds: float


@dataclass(frozen=True)
class Play:
    """One play of a trace.

    `told` are the losses that the subject reported. `reason` says why the play is incomparable. On
    a `free` stage the subject does as it likes. `unlike` says why the transcript is no behaviour of
    the subject's design: empty if it is one, None without such a design.
    """

    verdict: PlayVerdict
    steps: tuple[PlayedStep, ...]
    parting: SubjectParting | None
    told: tuple[str, ...]
    broken: BrokenProperty | None
    reason: str
    seconds: float
    transcript: tuple[Mapping[str, Any], ...] = field(repr=False)
    free: bool = False
    unlike: str | None = None

    @property
    def outcome(self) -> str:
        """The verdict with the step at which the subject parted: `lost, parted at step 4`."""
        if self.verdict == "incomparable":
            return "cannot be compared"
        if self.free and self.verdict == "followed":
            return "as its design"
        if self.parting is None or self.verdict == "followed":
            return self.verdict
        where = f"parted at step {self.parting.number}"
        return where if self.verdict == "parted" else f"{self.verdict}, {where}"


@dataclass(frozen=True)
class PlaySeries:
    """The plays of one trace to one subject.

    `predicted` are the ends that the subject's design allows, in order; empty if there is no such
    design, or, with the reason in `unpredictable`, it does not say.
    """

    trace: str
    subject: str
    plays: tuple[Play, ...]
    predicted: tuple[PlayEnd, ...] = ()
    unpredictable: str = ""

    @property
    def outcomes(self) -> dict[str, int]:
        """How often each outcome was seen, the most frequent first."""
        counts = Counter(play.outcome for play in self.plays)
        return dict(sorted(counts.items(), key=lambda held: (-held[1], held[0])))

    @property
    def contradicts(self) -> tuple[PlayEnd, ...]:
        """The ends that were seen and not predicted."""
        seen = {ENDS[play.verdict] for play in self.plays if play.verdict in ENDS}
        if not self.predicted:
            return ()
        return tuple(end for end in ALL_ENDS if end in seen and end not in self.predicted)


@dataclass(frozen=True)
class ConformanceReport:
    """The results of all plays. `versions` are those of the stage and the subjects, `skipped` the
    subjects that this machine cannot run, with the reason. `traces` are titles of traces by name,
    `uncovered` the actions that a covering set leaves out. The seconds of steps and quiet are those
    of the binding.
    """

    design: str
    constants: Mapping[str, Value]
    binding: Path
    stage: str
    subjects: tuple[str, ...]
    traces: Mapping[str, str]
    series: tuple[PlaySeries, ...]
    skipped: Mapping[str, str]
    versions: Mapping[str, str]
    uncovered: tuple[str, ...]
    step_seconds: float
    quiet_seconds: float
    date: str
    seconds: float

    @property
    def plays(self) -> Sequence[Play]:
        """All plays."""
        return [play for series in self.series for play in series.plays]

    @property
    def verdict(self) -> Literal["passed", "failed", "incomplete"]:
        """`failed` if a play parted or lost; `incomplete` if one cannot be compared, or none was
        made."""
        verdicts = {play.verdict for play in self.plays}
        if verdicts & {"parted", "lost"}:
            return "failed"
        return "incomplete" if "incomparable" in verdicts or not verdicts else "passed"

    def of(self, trace: str, subject: str) -> PlaySeries | None:
        """The plays of a trace to a subject; None if there are none."""
        for series in self.series:
            if (series.trace, series.subject) == (trace, subject):
                return series
        return None
