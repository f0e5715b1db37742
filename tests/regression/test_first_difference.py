"""The first step that differs between a design and what it was."""

from __future__ import annotations

from pathlib import Path

import pytest

import specmodel
from specmodel.design import Design
from specmodel.regression.first_difference import comparable, first_parting
from tests.conftest import COUNTER

GUARD = "s.at < most or wild"
EFFECT = "    s.last = by\n"
START = "return State(0, None)"


def variant(folder: Path, name: str, old: str, new: str) -> Design:
    """The counter with some of its text changed."""
    assert old in COUNTER
    file = folder / f"{name}.py"
    file.write_text(COUNTER.replace(old, new))
    return specmodel.load(f"{file}:counter", most=3)


@pytest.mark.parametrize(
    ("old", "before", "now", "kind", "after"),
    [
        (GUARD, "s.at < 2", GUARD, "new", 2),
        (GUARD, GUARD, "s.at < 2", "lost", 2),
        (EFFECT, EFFECT, "    s.last = by if s.at < 2 else None\n", "elsewhere", 1),
    ],
)
def test_first_difference(
    tmp_path: Path, old: str, before: str, now: str, kind: str, after: int
) -> None:
    """A weaker guard, a stronger one, another effect: by the shortest way to it."""
    was, found = variant(tmp_path, "was", old, before), variant(tmp_path, "is", old, now)
    parting = first_parting(found, was)
    assert parting is not None
    assert (parting.kind, len(parting.steps)) == (kind, after)
    assert parting.step is not None
    assert parting.step.action == "step"
    if kind == "elsewhere":
        assert [change.path for change in parting.differences] == ["last"]
    else:
        assert parting.guarded is not None
        assert [guard.why.text for guard in parting.guarded.false] == ["s.at < 2"]


def test_another_start(tmp_path: Path) -> None:
    """Initial states are compared before any step."""
    was = variant(tmp_path, "was", START, START)
    parting = first_parting(variant(tmp_path, "is", START, "return State(1, None)"), was)
    assert parting is not None
    assert (parting.steps, parting.step) == ((), None)


def test_no_difference(tmp_path: Path) -> None:
    """Another comment is no other behaviour; nor is what lies beyond the limit told."""
    was = variant(tmp_path, "was", GUARD, GUARD)
    assert first_parting(variant(tmp_path, "same", "One further", "Further"), was) is None
    assert first_parting(variant(tmp_path, "late", GUARD, "s.at < 2"), was, most=2) is None


def test_other_variables_cannot_be_compared(counter: Path) -> None:
    """States with other domains are never equal; that is said, not shown as a difference."""
    small, large = (specmodel.load("counter.py:counter", most=n) for n in (2, 3))
    assert not comparable(small, large)
    assert comparable(small, small)
