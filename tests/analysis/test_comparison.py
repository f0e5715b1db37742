"""Designs side by side: the verdicts known from the literature, differences, meetings, misuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.analysis.comparison import Comparison
from specmodel.errors import UsageError

LADDER = {
    "truncate-to-hw": (9, 9),
    "kip101": (11, 11),
    "kip279": (11, 11),
    "kip320-first-try": (12, 13),
    "kip320-weak-fence": (14, 14),
    "kip320": (None, None),
}
"""States of the shortest counterexamples to weak and strong ISR, at the default constants."""

SMALL: dict[str, Any] = {"log_size": 1, "max_records": 1}


@pytest.fixture(scope="module")
def first_try() -> Comparison:
    """KIP-320 and its first draft, with one record."""
    return specmodel.compare("kip320", "kip320-first-try", **SMALL)


@pytest.mark.long
def test_ladder() -> None:
    """The verdicts of Kafka's designs from before KIP-101 to KIP-320, at default constants."""
    found = specmodel.compare(*LADDER)
    lengths = {
        design.name: (result["weak_isr"].trace_length, result["strong_isr"].trace_length)
        for design, result in zip(found.designs, found.results, strict=True)
    }
    assert lengths == LADDER
    assert found.complete


def test_first_try_stops_at_the_fence(first_try: Comparison) -> None:
    """KIP-320 escapes its draft's counterexamples: a leader answers in its own epoch only."""
    assert [m.properties for m in first_try.meetings] == [("weak_isr",), ("strong_isr",)]
    assert [m.trace.length for m in first_try.meetings] == [12, 13]
    for meeting in first_try.meetings:
        assert meeting.replayed is not None
        blocked = meeting.replayed.blocked
        assert blocked is not None
        assert blocked.move.kind == "become_follower"
        (attempt,) = blocked.attempts
        (guard,) = attempt.guarded.false
        assert guard.why.text == "s.replica[leader].epoch == epoch"
        assert guard.via == ("require_in_epoch",)


def test_differences_are_by_kind(first_try: Comparison) -> None:
    """Renamed actions are told apart from changed ones; guards that both have are not repeated."""
    found = {d.kind: d for d in first_try.differences}
    assert [kind for kind, d in found.items() if d.alike] == [
        "controller_elect",
        "controller_shrink",
        "become_leader",
        "write",
    ]
    mine, draft = found["become_follower"].versions
    assert [site.text for site in mine[0].own] == [
        "presumes_leadership(s, leader)",
        "s.replica[leader].epoch == epoch",
    ]
    assert draft[0].action == "become_follower_untruncated"
    assert draft[0].own == ()
    assert [len(v) for v in found["truncate_on_fetch"].versions] == [0, 1]


def test_an_action_under_another_name_is_alike() -> None:
    """Two designs of one spec under two names have nothing that differs."""
    found = specmodel.compare("kip320", "kip320-old-fetch", replicas=2, **SMALL)
    assert [d.kind for d in found.differences if not d.alike] == ["fetch"]


def test_one_trace_of_two_properties_meets_once() -> None:
    """A trace that breaks two properties is replayed once, with both named."""
    found = specmodel.compare("kip101", "kip320", replicas=2)
    assert [m.properties for m in found.meetings] == [("weak_isr", "strong_isr")]


def test_each_design_is_checked_for_what_it_has() -> None:
    """A property of one design is left out for the other; one that none has is refused."""
    found = specmodel.compare(
        "kip320", "kip320-history", properties=["committed_in_isr", "weak_isr"], replicas=2, **SMALL
    )
    names = [[p.name for p in result.properties] for result in found.results]
    assert names == [["weak_isr"], ["committed_in_isr", "weak_isr"]]


@pytest.mark.parametrize(
    ("targets", "constants", "message"),
    [
        (("kip320",), {}, "two designs or more"),
        (("kip320", "kip320"), {}, "kip320 is given twice"),
        (("kip320", "kip101"), {"replica": 2}, 'did you mean "replicas"'),
        (("kip320", "kip101"), {"properties": ["agreement"]}, 'no property "agreement"'),
        (("kip320", "kip497"), {"properties": ["weak_isr"]}, "kip497 has none of the properties"),
    ],
)
def test_misuse(targets: tuple[str, ...], constants: dict[str, Any], message: str) -> None:
    """Each mistake in a sentence."""
    with pytest.raises(UsageError, match=message):
        specmodel.compare(*targets, **constants)


def test_constants_are_the_same_for_all(counter: Path) -> None:
    """Verdicts at different bounds do not compare: the constant is named, and how to set it."""
    text = "design: other\nspec: models/counter.py:fine\nconstants: {most: 3}\n"
    (counter / "other.yaml").write_text(text)
    with pytest.raises(UsageError, match="my-counter has most = 2 and other has 3"):
        specmodel.compare("my-counter", "other.yaml")
    found = specmodel.compare("my-counter", "other.yaml", most=3, engine="interpret")
    assert [result.constants["most"] for result in found.results] == [3, 3]
