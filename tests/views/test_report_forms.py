"""The forms that reports are made of."""

from __future__ import annotations

from rich.text import Text

from specmodel.views.forms import bars, cut, figures, padded, sections, verdicts
from specmodel.views.page import Page, colour
from specmodel.views.symbols import ASCII


def test_sections_have_an_empty_line_after_each_that_says_something() -> None:
    """A part without lines leaves no gap."""
    found = [line.plain for line in sections([Text("a"), Text("b")], [], [Text("c")])]
    assert found == ["a", "b", "", "c", ""]


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    """Numbers stand to the right; a row may end early, and does not widen what it has not."""
    rows = padded([["name", "n"], ["a", "1,000"], ["longest"]], right=[1])
    assert rows == [["name   ", "    n"], ["a      ", "1,000"], ["longest"]]
    assert padded([]) == []


def test_figures_stand_below_their_headings() -> None:
    """A title that is longer than all names widens their column; an idle row is marked."""
    rows = [("a", 1234, "5%"), ("b", 0, "")]
    found = list(figures("Actions", "fired:6, share:6", rows, idle="yellow"))
    assert [line.plain for line in found] == [
        "Actions   fired  share",
        "  a       1,234     5%",
        "  b           0",
    ]
    assert [str(line.style) for line in found] == ["bold", "", "yellow"]


def test_bars_are_as_long_as_their_share_of_the_largest() -> None:
    """The largest takes all columns, and what there is at all takes one."""
    _, large, half, small = (line.plain for line in bars("Levels", {1: 4000, 2: 2000, 3: 1}))
    assert large == f"    1  4,000  {'#' * 40}"
    assert half == f"    2  2,000  {'#' * 20}"
    assert small == "    3      1  #"
    assert [line.plain for line in bars("Levels", {})] == ["Levels"]


def test_verdicts_have_the_symbols_and_colours_of_what_they_mean() -> None:
    """Good ones are blue, open ones yellow, all others red, whatever they are called."""
    rows = [("proved", ["one", "goal"], "proved"), ("added", ["other", "x"], "added")]
    found = list(verdicts([*rows, ("unknown", ["c", ""], "no answer")], Page(80, ASCII)))
    assert [line.plain for line in found] == [
        "  + one    goal  proved",
        "  x other  x     added",
        "  ? c            no answer",
    ]
    assert [colour(verdict) for verdict in ("holds", "incomplete", "failed")] == [
        "blue",
        "yellow",
        "red",
    ]


def test_what_is_too_long_is_cut() -> None:
    """What fits stays as it is."""
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abc defgh", 7) == "abc..."
