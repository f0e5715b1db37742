"""Sweeps: which points fail first, how states grow, and that nothing is searched twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specmodel.analysis.saved_outcomes import SavedOutcomes
from specmodel.analysis.searches import Judged, SearchLimits, SearchOutcome
from specmodel.analysis.sweep import Sweep, SweepPoint, sweep
from specmodel.api import load
from specmodel.design import Design
from specmodel.errors import UsageError
from tests.written import written

TEXT = """
wide = constant("wide", 2, low=1, high=20, doc="how far it goes")
high = constant("high", 1, low=1, high=3)
odd = constant("odd", False)

class State(Struct):
    at: Annotated[int, Range(0, wide)]
    up: Annotated[int, Range(0, high)]

@init
def zero() -> State:
    return State(0, 0)

@action
def forth(s: State) -> None:
    require(s.at < wide)
    s.at += 1

@action
def rise(s: State) -> None:
    require(s.up < high)
    s.up += 1

@invariant
def small(s: State) -> bool:
    return s.at + 2 * s.up < 6 or odd

spec = Spec(state=State, init=zero, actions=[forth, rise], invariants=[small])
"""


@pytest.fixture
def design(tmp_path: Path) -> Design:
    return load(f"{written(tmp_path, TEXT)}:spec")


def point(verdict: str, **setting: int | bool) -> SweepPoint:
    judged = Judged("p", "invariant", verdict, 3 if verdict == "violated" else None)  # type: ignore[arg-type]
    return SweepPoint(
        "d", setting, setting, SearchOutcome((judged,), complete=verdict != "incomplete")
    )


def test_smallest_are_the_minimal_points(design: Design) -> None:
    """Neither of two points that are smaller in one constant each makes the other redundant."""
    points = (
        point("holds", a=1, b=1),
        point("violated", a=1, b=3),
        point("violated", a=2, b=2),
        point("violated", a=2, b=3),
        point("violated", a=3, b=2),
        point("incomplete", a=3, b=1),
    )
    found = Sweep((design,), {"a": (1, 2, 3), "b": (1, 2, 3)}, points)
    assert [p.setting for p in found.smallest("d", "p")] == [{"a": 1, "b": 3}, {"a": 2, "b": 2}]
    assert [p.setting for p in found.undecided("d", "p")] == [{"a": 3, "b": 1}]


def test_switches_are_not_ordered(design: Design) -> None:
    """A failure with a switch off says nothing of one with it on."""
    points = (point("violated", on=False, a=1), point("violated", on=True, a=2))
    found = Sweep((design,), {"on": (False, True), "a": (1, 2)}, points)
    assert len(found.smallest("d", "p")) == 2


def test_grid(design: Design) -> None:
    """Every combination once, in order, with counts that can be worked out by hand."""
    found = sweep([design], {"wide": (2, 3, 5), "high": (1, 2)}, engine="interpret")
    grid = [(p.setting["wide"], p.setting["high"], p.outcome.distinct) for p in found.points]
    assert grid == [(w, h, (w + 1) * (h + 1)) for w in (2, 3, 5) for h in (1, 2)]
    smallest = [tuple(p.setting.values()) for p in found.smallest("spec", "small")]
    assert smallest == [(2, 2), (5, 1)]
    assert [p.outcome["small"].trace_length for p in found.smallest("spec", "small")] == [5, 6]
    growth = {(g.constant, g.before, g.after): g for g in found.growth("spec")}
    assert list(growth) == [("wide", 2, 3), ("wide", 3, 5), ("high", 1, 2)]
    assert growth["wide", 2, 3].mean == pytest.approx(4 / 3)
    assert growth["high", 1, 2].pairs == 3


def test_growth_is_of_whole_spaces_only(design: Design) -> None:
    """A point that a limit cut short would make a space seem smaller than it is."""
    limits = SearchLimits(max_states=8)
    found = sweep([design], {"wide": (1, 2, 9)}, engine="interpret", limits=limits)
    assert [p.outcome.complete for p in found.points] == [True, True, False]
    assert [(g.before, g.after) for g in found.growth("spec")] == [(1, 2)]


def test_a_failing_spec_is_an_outcome(tmp_path: Path) -> None:
    """One bad corner of the grid does not lose the rest."""
    file = written(tmp_path, TEXT.replace("s.at < wide", "s.at < 3"))
    found = sweep([load(f"{file}:spec")], {"wide": (2, 3)}, engine="interpret")
    assert [p.outcome.failure for p in found.points] == [
        "forth(): State.at = 3 leaves its domain 0..2",
        "",
    ]


@pytest.mark.parametrize(
    ("varied", "said"),
    [
        ({"wied": (1,)}, 'no constant "wied"; did you mean "wide"'),
        ({"high": (3, 4)}, "high = 4 of spec is outside 1..3"),
        ({"high": (True,)}, "high of spec is an integer"),
        ({"odd": (1,)}, "odd of spec is true or false"),
    ],
)
def test_wrong_constants(design: Design, varied: dict[str, tuple[int]], said: str) -> None:
    """Before anything is searched."""
    with pytest.raises(UsageError, match=said):
        sweep([design], varied, engine="interpret")


def searched(design: Design, file: Path, *wide: int, **options: Any) -> int:
    """Sweeps, and says how many searches that took."""
    counted: list[int] = []
    found = sweep(
        [design],
        {"wide": wide},
        engine="interpret",
        kept=SavedOutcomes(file),
        progress=lambda done, total: counted.append(done),
        **options,
    )
    assert [p.outcome.distinct for p in found.points if p.outcome.complete] == [
        2 * (w + 1) for w, p in zip(wide, found.points, strict=True) if p.outcome.complete
    ]
    return len(counted)


def test_what_is_kept_is_not_searched_again(design: Design, tmp_path: Path) -> None:
    """A second sweep searches the new points only, and gives the same as a first."""
    file = tmp_path / "kept.jsonl"
    assert searched(design, file, 1, 2) == 2
    assert searched(design, file, 1, 2, 3) == 1
    fresh = sweep([design], {"wide": (1, 2, 3)}, engine="interpret")
    again = sweep([design], {"wide": (1, 2, 3)}, engine="interpret", kept=SavedOutcomes(file))
    assert [p.outcome.properties for p in again.points] == [
        p.outcome.properties for p in fresh.points
    ]


def test_a_line_half_written_is_searched_again(design: Design, tmp_path: Path) -> None:
    """Whoever was killed while writing goes on from the line before."""
    file = tmp_path / "kept.jsonl"
    searched(design, file, 1, 2)
    file.write_text(file.read_text()[:-20])
    assert searched(design, file, 1, 2) == 1
    assert searched(design, file, 1, 2) == 0


def test_a_changed_line_is_noticed(design: Design, tmp_path: Path) -> None:
    """A result with another digit is not believed; without its line it is searched again."""
    file = tmp_path / "kept.jsonl"
    searched(design, file, 1, 2)
    held = file.read_text()
    assert '"distinct": 6' in held
    file.write_text(held.replace('"distinct": 6', '"distinct": 7'))
    with pytest.raises(
        UsageError, match=r"kept\.jsonl:2: .* the line was changed: .* remove the l"
    ):
        SavedOutcomes(file)
    file.write_text(held.splitlines(keepends=True)[0])
    assert searched(design, file, 1, 2) == 1


def test_what_was_cut_short_is_searched_again(design: Design, tmp_path: Path) -> None:
    """With a higher limit, more may be found."""
    file = tmp_path / "kept.jsonl"
    searched(design, file, 9, limits=SearchLimits(max_states=8))
    assert searched(design, file, 9) == 1


def test_an_edited_design_is_searched_again(design: Design, tmp_path: Path) -> None:
    """What was found of another spec is not taken for this one's."""
    file = tmp_path / "kept.jsonl"
    searched(design, file, 1, 2)
    edited = written(tmp_path, TEXT.replace("< 6", "< 7"))
    assert searched(load(f"{edited}:spec"), file, 1, 2) == 2


def test_a_file_of_something_else(tmp_path: Path) -> None:
    """It is neither read nor overwritten."""
    file = tmp_path / "notes.txt"
    file.write_text("remember the milk\n")
    with pytest.raises(UsageError, match=r"notes\.txt:1: this is no file of kept outcomes"):
        SavedOutcomes(file)


@pytest.mark.long
def test_smallest_failing_kafka_designs() -> None:
    """Where StrongIsr first fails, over replicas, log size, records and epochs."""
    expected = {
        "truncate-to-hw": [(2, 1, 1, 1)],
        "kip101": [(2, 2, 2, 2), (3, 1, 1, 1)],
        "kip279": [(3, 1, 1, 1)],
        "kip320-first-try": [(3, 1, 1, 2)],
        "kip320-weak-fence": [(3, 1, 2, 2)],
        "kip320-old-hw": [(3, 1, 1, 2)],
        "kip320-early-expand": [(3, 1, 1, 1)],
        "kip320": [],
    }
    varied = {
        "replicas": (2, 3),
        "log_size": (1, 2),
        "max_records": (1, 2),
        "max_leader_epoch": (1, 2),
    }
    designs = [load(name) for name in expected]
    found = sweep(designs, varied, properties=["strong_isr"], jobs=2)
    smallest = {
        name: [tuple(p.setting.values()) for p in found.smallest(name, "strong_isr")]
        for name in expected
    }
    assert smallest == expected
