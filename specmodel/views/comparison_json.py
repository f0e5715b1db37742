"""Comparisons and replays as JSON objects (docs/reference/json.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.analysis.comparison import Comparison, Meeting
from specmodel.analysis.differences import Difference, Version
from specmodel.analysis.reasons import Reasons, Truth
from specmodel.analysis.rival import Attempt, Moment, Replayed
from specmodel.errors import Span
from specmodel.ir.guards import Guard
from specmodel.results import Step
from specmodel.results.explanation import Explanation
from specmodel.results.plain import json_text, members
from specmodel.views.changes import Change
from specmodel.views.json_result import result_object
from specmodel.views.meeting import Told
from specmodel.views.notation import Notation
from specmodel.views.sentences import Sentences


def comparison_json(found: Comparison) -> str:
    """A comparison as text."""
    names = [design.name for design in found.designs]
    return json_text(
        {
            "designs": [result_object(result) for result in found.results],
            "actions": [_difference(d, names) for d in found.differences],
            "replays": [_meeting(m, names) for m in found.meetings],
        },
        ascii_only=False,
    )


def replay_json(replayed: Replayed) -> str:
    """A replay as text."""
    return json_text(_replayed(replayed), ascii_only=False)


def reasons_json(reasons: Reasons) -> str:
    """What can be said of a state, as text."""
    writer = Writer(Notation.of_spec(reasons.design.spec))
    return json_text(
        {
            **members(reasons, "design=design.name state=number step?"),
            "actions": [writer.attempt(reading, whole=True) for reading in reasons.readings],
            "enabled": [writer.step(step) for step in reasons.enabled],
            "properties": [writer.truth(truth) for truth in reasons.truths],
            "written": dict(reasons.writers),
        },
        ascii_only=False,
    )


def _difference(found: Difference, names: Sequence[str]) -> dict[str, Any]:
    versions = zip(names, found.versions, strict=True)
    return {
        **members(found, "kind alike"),
        "versions": {name: [_version(v) for v in held] for name, held in versions},
    }


def _version(found: Version) -> dict[str, Any]:
    own = [site.text for site in found.own]
    return {
        **members(found, "action summary"),
        "guards": [
            {**members(site, "text via sometimes"), "own": site.text in own}
            for site in found.guards
        ],
    }


def _meeting(meeting: Meeting, names: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "of": names[meeting.design],
        "violates": list(meeting.properties),
        "trace_length": meeting.trace.length,
        "steps": [str(step) for step in meeting.trace.steps],
    }
    if meeting.replayed is None:
        return {**found, "on": names[meeting.rival], "impossible": meeting.reason}
    return {**found, **_replayed(meeting.replayed)}


def _replayed(replayed: Replayed) -> dict[str, Any]:
    writer = Writer(Notation.of_spec(replayed.design.spec))
    blocked, parting = replayed.blocked, replayed.parting
    return {
        "on": replayed.design.name,
        "summary": Told(replayed).headline(),
        "moments": [writer.moment(moment) for moment in replayed.moments],
        "blocked": None
        if blocked is None
        else {
            "state": blocked.number,
            "step": str(blocked.move),
            "kind": blocked.move.kind,
            "attempts": [writer.attempt(a) for a in blocked.attempts],
            "instead": [writer.step(step) for step in blocked.instead],
            "after": [writer.step(step) for step in blocked.first],
        },
        "differs": None
        if parting is None
        else {
            "state": parting.number,
            "places": [writer.change(change) for change in parting.differences],
        },
        "violated": replayed.violates,
    }


def _place(span: Span | None) -> str | None:
    return None if span is None else f"{span.file}:{span.line}"


class Writer:
    """What holds in states of one spec, as plain JSON values.

    `place` is how a place in a source file is written.
    """

    def __init__(
        self, notation: Notation, place: Callable[[Span | None], str | None] = _place
    ) -> None:
        self.notation = notation
        self.sentences = Sentences(notation)
        self.place = place

    def step(self, step: Step) -> str:
        """A step as text."""
        return self.notation.step(step)

    def moment(self, moment: Moment) -> dict[str, Any]:
        """A step of a replay."""
        return {
            "state": moment.number,
            "recorded": None if moment.move is None else str(moment.move),
            "taken": None if moment.step is None else self.step(moment.step),
        }

    def change(self, change: Change) -> dict[str, str]:
        """Where a recording and a replay differ."""
        write = self.notation.value
        return {
            "place": change.path,
            "recorded": write(change.before),
            "here": write(change.after),
        }

    def attempt(self, attempt: Attempt, whole: bool = False) -> dict[str, Any]:
        """A binding with its guards: all of them, or those that are false."""
        guarded = attempt.guarded
        return {
            "step": self.step(attempt.step),
            **members(guarded, "enabled complete failure?"),
            "guards": [self.guard(g) for g in (guarded.guards if whole else guarded.false)],
        }

    def guard(self, guard: Guard) -> dict[str, Any]:
        """A guard with why it holds or not."""
        return {**self.explanation(guard.why), "via": list(guard.via)}

    def truth(self, truth: Truth) -> dict[str, Any]:
        """Whether a property holds, and why."""
        return {
            **members(truth, "name kind holds"),
            "why": None if truth.why is None else self.explanation(truth.why),
        }

    def explanation(self, why: Explanation) -> dict[str, Any]:
        """A truth tree."""
        truth = isinstance(why.value, bool)
        return {
            "text": why.text,
            "place": self.place(why.span),
            "value": why.value if truth else self.notation.value(why.value),
            "said": self.sentences.why(why) if truth else None,
            "with": {name: self.notation.value(held) for name, held in why.witness.items()},
            "reads": list(why.reads),
            "parts": [self.explanation(part) for part in why.parts],
        }
