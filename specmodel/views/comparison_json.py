"""Comparisons and replays as JSON objects (docs/reference/json.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.analysis.comparison import Comparison, Meeting
from specmodel.analysis.differences import ActionDifference, Version
from specmodel.analysis.reasons import Reasons, Truth
from specmodel.analysis.recording import RecordedMove
from specmodel.analysis.rival import Attempt, Blocked, Moment, Parting, Replayed
from specmodel.errors import Span
from specmodel.ir.guards import Guard
from specmodel.model.model import Model
from specmodel.results import Step
from specmodel.results.explanation import Explanation
from specmodel.results.plain import Keys, json_text, members, plain
from specmodel.traces.changes import Change
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences
from specmodel.views.json_result import result_object
from specmodel.views.replay_sentences import ReplaySentences


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
    """The explanation of a state, as text."""
    names = (
        "design=design.name state=number step? actions=readings enabled properties=truths "
        "written=writers"
    )
    keys = keys_of(reasons.design.spec, whole=True)
    return json_text(members(reasons, names, keys), ascii_only=False)


def _difference(found: ActionDifference, names: Sequence[str]) -> dict[str, Any]:
    versions = plain(found.versions, {Version: _version})
    return {**members(found, "kind alike"), "versions": dict(zip(names, versions, strict=True))}


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
    keys = "violates=properties trace_length=trace.length steps=trace.steps"
    found = {"of": names[meeting.design], **members(meeting, keys, {Step: str})}
    if meeting.replayed is None:
        return {**found, "on": names[meeting.rival], "impossible": meeting.reason}
    return {**found, **_replayed(meeting.replayed)}


def _replayed(replayed: Replayed) -> dict[str, Any]:
    keys = keys_of(replayed.design.spec)
    return {
        "on": replayed.design.name,
        "summary": ReplaySentences(replayed).headline(),
        **members(replayed, "moments blocked differs=parting violated=violates", keys),
    }


def _place(span: Span | None) -> str | None:
    return None if span is None else f"{span.file}:{span.line}"


def keys_of(
    spec: Model, whole: bool = False, place: Callable[[Span | None], str | None] = _place
) -> Keys:
    """The keys of explanations and replays on a spec as JSON.

    With `whole`, all guards of a binding are written, else the false ones. `place` writes a place
    in a source file.
    """
    notation = Notation.of_spec(spec)
    sentences, write = Sentences(notation), notation.value

    def explanation(why: Explanation) -> dict[str, Any]:
        truth = isinstance(why.value, bool)
        return {
            "text": why.text,
            "place": place(why.span),
            "value": why.value if truth else write(why.value),
            "said": sentences.why(why) if truth else None,
            "with": {name: write(held) for name, held in why.witness.items()},
            "reads": list(why.reads),
            "parts": [explanation(part) for part in why.parts],
        }

    return {
        Step: notation.step,
        RecordedMove: str,
        Moment: "state=number recorded=move taken=step",
        Blocked: "state=number step=move kind=move.kind attempts instead after=first",
        Parting: "state=number places=differences",
        Change: lambda found: {
            "place": found.path,
            "recorded": write(found.before),
            "here": write(found.after),
        },
        Attempt: (
            "step enabled=guarded.enabled complete=guarded.complete failure=guarded.failure? "
            f"guards=guarded.{'guards' if whole else 'false'}"
        ),
        Guard: lambda guard: {**explanation(guard.why), "via": list(guard.via)},
        Truth: "name kind holds why",
        Explanation: explanation,
    }
