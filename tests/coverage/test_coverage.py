"""What a search says of the code it has run: both engines, the report, the source, the page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from specmodel.cli.app import application
from specmodel.coverage.listing import listings_of
from specmodel.coverage.places import missed, places
from specmodel.design import Design
from specmodel.engines import interpret, native
from specmodel.results import Options, Result
from specmodel.views.coverage_html import coverage_html
from specmodel.views.points import condition, never
from specmodel.views.summary import warnings
from tests.written import design_of, written

SPEC = """
strict = constant("strict", False, doc="refuse more")


class State(Struct):
    n: Annotated[int, Range(0, 5)]
    log: Annotated[list[bool], Capacity(2)]


@init
def start() -> State:
    return State(n=0, log=[])


def low(s: State) -> bool:
    return s.n < 4 and s.n < 5


@action
def up(s: State, by: Annotated[int, Range(1, 2)]) -> None:
    \"\"\"Counts < up & on.\"\"\"
    require(low(s) and s.n + by <= 4 and s.n != 5)
    if s.n > 9:
        s.log = [True]
    elif by == 2:
        s.n += 1
    if strict:
        return
    s.n += 1


@action
def never_happens(s: State) -> None:
    require(s.n == 5)
    s.n = 0


@invariant
def implies(s: State) -> bool:
    return not (s.n > 4) or len(s.log) == 2


@invariant
def early(s: State) -> bool:
    if s.n < 9:
        return True
    return low(s)


@invariant
def filtered(s: State) -> bool:
    return all(entry for entry in s.log) and all(i < 5 for i in range(s.n) if i > 8)


@invariant
def fine(s: State) -> bool:
    return (strict or s.n >= 0) and (s.n == 0 or low(s) or s.n == 4)


@transition
def steps(before: State, after: State) -> bool:
    return before.n != 4 or after.n < 0


@reachable
def four(s: State) -> bool:
    return s.n == 4


spec = Spec(
    state=State, init=start, actions=[up, never_happens],
    invariants=[implies, early, filtered, fine], transitions=[steps], reachable=[four],
)
"""


@pytest.fixture(name="design")
def _design(tmp_path: Path) -> Design:
    return design_of(tmp_path, SPEC)


def searched(design: Design, engine: str = "native", **options: Any) -> Result:
    check = {"native": native.check, "interpret": interpret.check}[engine]
    return check(design, Options(keep_going=True, **options))


@pytest.mark.parametrize("limits", [{}, {"max_states": 3}, {"max_depth": 2}], ids=str)
def test_engines_agree(design: Design, limits: dict[str, Any]) -> None:
    """Every count, whether the search is complete or not, and with any number of threads."""
    wanted = searched(design, engine="interpret", coverage=True, **limits)
    assert wanted.points
    for workers in (1, 3):
        found = searched(design, coverage=True, workers=workers, **limits)
        assert found.points == wanted.points
        assert found.unmet == wanted.unmet


def test_counts_are_off_unless_asked_for(design: Design) -> None:
    """And the rest of the result does not depend on them."""
    plain, counted = searched(design), searched(design, coverage=True)
    assert plain.points == ()
    for name in ("distinct", "generated", "depth", "coverage", "properties", "verdict"):
        assert getattr(plain, name) == getattr(counted, name)


UNMET = [
    "implies: s.n > 4 is never true",
    "early: s.n < 9 is always true",
    "filtered: there is never any entry in s.log",
    "filtered: i > 8 is never true",
]


@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_unmet_antecedents(design: Design, engine: str) -> None:
    """Each kind of condition that a property hangs on is named if it was never met.

    Not so what constants decide, or a helper's condition that another property meets; of transition
    properties, only if all is counted.
    """
    found = searched(design, engine)
    assert [f"{h.point.rule}: {never(h.point)}" for h in found.unmet] == UNMET
    shown = list(warnings(found))
    assert shown[0] == "never fired: never_happens"
    assert [w.startswith("part of ") for w in shown[1:]] == [True] * 4
    counted = searched(design, engine, coverage=True)
    more = [f"{h.point.rule}: {never(h.point)}" for h in counted.unmet]
    assert more == [*UNMET, "steps: before.n != 4 is always true"]


def test_incomplete_search_does_not_warn(design: Design) -> None:
    """What was not met yet may still be."""
    assert searched(design, max_states=2).unmet == ()


def test_missed_places(design: Design) -> None:
    """What was never reached, of the actions too; of what lies within one another, the outside."""
    found = missed(places(searched(design, coverage=True).points))
    assert [never(p.point) for p in found if p.point.role == "action"] == [
        "s.n > 9 is never true",
        "nothing ever comes past s.n == 5",
    ]


def test_guards(design: Design) -> None:
    """A guard is alone only where all else that the action needs is so."""
    points = searched(design, coverage=True).points
    guards = {condition(h.point): h for h in points if h.point.kind == "guard"}
    told = {text: (h.cases, h.reached, h.false, h.alone) for text, h in guards.items()}
    assert told == {
        "low(s)": (10, 10, 2, 0),
        "s.n + by <= 4": (10, 8, 1, 1),
        "s.n != 5": (10, 7, 0, 0),
        "s.n == 5": (5, 5, 5, 5),
    }


def test_listing(design: Design) -> None:
    """The source with its counts, whole functions, with what is lacking where it is written."""
    [listing] = listings_of(searched(design, coverage=True))
    lines = {line.text.strip(): line for function in listing.functions for line in function}
    assert lines["s.log = [True]"].state == "never"
    assert lines["s.n = 0"].state == "never"
    assert lines["return low(s)"].state == "never"
    assert lines["if s.n > 9:"].state == "run"
    assert lines["return not (s.n > 4) or len(s.log) == 2"].state == "part"
    assert lines["return s.n < 4 and s.n < 5"].count == 10 + 4
    assert lines['"""Counts < up & on."""'].state == "plain"
    guarded = lines["require(low(s) and s.n + by <= 4 and s.n != 5)"]
    assert [p.point.text for p in guarded.guards] == ["low(s)", "s.n + by <= 4", "s.n != 5"]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_page(design: Design) -> None:
    """Well formed, with nothing from elsewhere, and the source as it is written."""
    page = _Page()
    text = coverage_html(design, searched(design, coverage=True))
    page.feed(text)
    assert page.open == [] and page.links == [] and "<script" not in text
    assert '"""Counts < up & on."""' in page.text
    assert "s.n > 9 is never true" in page.text


def test_command(tmp_path: Path) -> None:
    """The report is plain in a pipe; the page, the JSON and the exit codes are as described."""
    file, page = written(tmp_path, SPEC), tmp_path / "page.html"
    told = CliRunner().invoke(
        application(), ["coverage", str(file), "--source", "--html", str(page)]
    )
    assert told.exit_code == 0, told.output
    assert "\x1b" not in told.output
    assert re.search(r"s\.n \+ by <= 4 +8 +1 +1\n", told.output)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    told = CliRunner().invoke(application(), ["coverage", str(file), "--max-states", "1"])
    assert told.exit_code == 3
    missing = str(tmp_path / "no" / "page.html")
    told = CliRunner().invoke(application(), ["coverage", str(file), "--html", missing])
    assert told.exit_code == 2 and "there is no folder" in told.output
    resumed = ["check", str(file), "--coverage", "--checkpoint", str(tmp_path), "--resume"]
    told = CliRunner().invoke(application(), resumed)
    assert told.exit_code == 2 and "cannot be resumed" in told.output
    told = CliRunner().invoke(application(), ["check", str(file), "--coverage", "--continue"])
    assert told.exit_code == 0 and "points of the code reached" in told.output


def test_json_has_what_the_reference_describes(tmp_path: Path) -> None:
    """Every key of the object and of its points, and no other."""
    file = written(tmp_path, SPEC)
    told = json.loads(
        CliRunner().invoke(application(), ["coverage", str(file), "--format", "json"]).output
    )
    page = Path(__file__).parents[2] / "docs" / "reference" / "json-coverage.md"
    rows = re.findall(r"^\| (`.*?) \|", page.read_text(encoding="utf-8"), flags=re.M)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert described == set(told) | set(told["points"][0])


def test_spec_that_cannot_be_lowered(tmp_path: Path) -> None:
    """The interpreter runs it as before, and refuses only to count it."""
    text = "from contextlib import suppress\n" + SPEC.replace(
        "    s.n = 0\n", "    with suppress(ValueError):\n        s.n = 0\n"
    )
    file = written(tmp_path, text)
    told = CliRunner().invoke(
        application(), ["check", str(file), "--engine", "interpret", "--continue"]
    )
    assert told.exit_code == 0, told.output
    told = CliRunner().invoke(application(), ["coverage", str(file), "--engine", "interpret"])
    assert told.exit_code == 2 and "with" in told.output
