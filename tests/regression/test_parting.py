"""The first step that differs between a design and what it was."""

from __future__ import annotations

from pathlib import Path

import pytest

import specmodel
from specmodel.design import Design
from specmodel.regression.parting import comparable, first_parting
from tests.conftest import COUNTER


def variant(folder: Path, old: str, new: str) -> Design:
    assert old in COUNTER
    file = folder / "variant.py"
    file.write_text(COUNTER.replace(old, new))
    return specmodel.load(f"{file}:counter", most=3)


@pytest.mark.parametrize(
    ("old", "new", "kind", "step", "after"),
    [
        ("s.at < most or wild", "s.at < most + s.at // 3", "new", "step(by=#1)", 3),
        ("s.at < most or wild", "s.at < most and s.at != 2", "lost", "step(by=#1)", 2),
        ("    s.last = by\n", "    s.last = by if s.at < 2 else None\n", "elsewhere", None, 1),
        ("return State(0, None)", "return State(1, None)", "new", None, 0),
    ],
)
def test_first_difference(
    counter: Path, tmp_path: Path, old: str, new: str, kind: str, step: str | None, after: int
) -> None:
    """A guard that is weaker, one that is stronger, another effect, another start; by the shortest
    way there."""
    before = specmodel.load("counter.py:counter", most=3)
    now = variant(tmp_path, old, new.replace("most + s.at // 3", "4"))
    found = first_parting(now, before)
    assert found is not None
    assert (found.kind, len(found.steps)) == (kind, after)
    if kind in ("new", "lost") and step is not None:
        assert found.step is not None
        assert found.step.action == "step"
        assert found.guarded is not None
        assert len(found.guarded.false) == 1
    if kind == "elsewhere":
        assert [change.path for change in found.differences] == ["last"]


def test_no_difference(counter: Path, tmp_path: Path) -> None:
    """Another order of the source is no other behaviour; nor is what lies beyond the limit."""
    before = specmodel.load("counter.py:counter", most=3)
    assert first_parting(variant(tmp_path, "One further", "Further"), before) is None
    late = variant(tmp_path, "s.at < most or wild", "s.at < 2")
    assert first_parting(late, before, most=2) is None


def test_other_variables_cannot_be_compared(counter: Path) -> None:
    """States with other domains are never equal; that is said, not shown as a difference."""
    small, large = (specmodel.load("counter.py:counter", most=n) for n in (2, 3))
    assert not comparable(small, large)
    assert comparable(small, small)
