"""The states as a table of variables; variables that are hidden; since when a value is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer.branch import Branch
from specmodel.explorer.export import exported
from specmodel.explorer.opening import open_target
from tests.explorer.conftest import DESKTOP, PHONE, Open, Serve, at, counts, shows
from tests.explorer.test_stepping import MINUS, STATES, long_walk, own_design

Read = Callable[..., Any]


@pytest.fixture(scope="module")
def address(read: Read, first_try: Path, serve: Serve) -> str:
    """Where the first draft's counterexample is shown."""
    return serve(read(first_try))


def cell(page: Any, number: int, column: int) -> Any:
    """The cell of a state; column 1 is the first variable."""
    return page.locator(f"#cells-{number} > span").nth(column)


@pytest.mark.parametrize("size", [DESKTOP, PHONE, {"width": 1024, "height": 768}])
def test_a_row_for_each_state(opened: Open, address: str, size: dict[str, int]) -> None:
    """What a step changed stands in its row; a row leads to its state, and follows the keys."""
    page = opened(f"{address}#/t12/10", viewport=size)
    page.keyboard.press("t")
    shows(page.locator("state-table .cells-heads"), "replica", "quorum", "next_id")
    counts(page.locator(".cells-row"), 12)
    shows(cell(page, 10, 1), "[r2].epoch -1 → 0")
    shows(cell(page, 6, 3), f".isr {MINUS}r2")
    shows(cell(page, 6, 2), "{r1: [], r2: []")
    counts(page.locator("#cells-10.selected"), 1)
    page.locator("#cells-6").click()
    at(page, 6)
    page.keyboard.press("j")
    at(page, 7)
    counts(page.locator("#cells-7.selected"), 1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_variables_are_hidden(opened: Open, address: str) -> None:
    """In the table, in the state and in its changes; the link keeps it, and shows it again."""
    page = opened(f"{address}#/t12/10?panel=table")
    page.get_by_role("checkbox", name="log").uncheck()
    page.get_by_role("checkbox", name="replica").uncheck()
    shows(page.locator(".cells-heads"), "quorum")
    counts(page.locator(".cells-heads span").get_by_text("replica"), 0)
    shows(page.locator("state-view"), "Only hidden variables change.")
    page.locator("state-view summary", has_text="The whole state").click()
    shows(page.locator("state-view .tree"), "quorum", "2 variables hidden: see Table.")
    page.wait_for_function("() => location.hash.includes('hide=log&hide=replica')")
    page.reload()
    counts(page.locator(".cells-heads span", has_text="replica"), 0)
    page.get_by_role("checkbox", name="replica").check()
    shows(cell(page, 10, 1), "[r2].epoch -1 → 0")
    page.get_by_label("Variables with").fill("Next")
    counts(page.locator(".cells-heads span"), 2)
    page.wait_for_function("() => location.hash.includes('only=Next')")


def test_since_when_a_value_is_there(opened: Open, address: str) -> None:
    """Beside each variable is the state in which it got its value, a step away."""
    page = opened(f"{address}#/t12/10?panel=table")
    page.locator("state-view summary", has_text="The whole state").click()
    tree = page.locator("state-view .tree > .tree-row")
    shows(tree.nth(1).locator(".since"), "since 8")
    counts(tree.nth(0).locator(".since"), 0)
    tree.nth(1).locator(".since").click()
    at(page, 8)


def test_since_is_the_last_change(tmp_path: Path) -> None:
    """However the frames are asked for, the numbers are those of a plain look back."""
    trace = long_walk(tmp_path)
    reading: Any = open_target(str(trace), {}, on=own_design(trace))
    branch = Branch.parse(f"t{STATES}")
    whole = reading.frames(branch, 1, STATES)
    values = [dict(frame["state"]["parts"]) for frame in whole]
    for number in (1, 2, 150, STATES):
        wanted = {
            name: next(n for n in range(number, 0, -1) if n == 1 or values[n - 2][name] != held)
            for name, held in values[number - 1].items()
        }
        assert whole[number - 1]["since"] == wanted
        assert reading.frames(branch, number)[0]["since"] == wanted


def test_a_long_walk(opened: Open, serve: Serve, tmp_path: Path) -> None:
    """Only the rows in sight are in the page, and their states are asked for as it scrolls."""
    trace = long_walk(tmp_path)
    page = opened(serve(open_target(str(trace), {}, on=own_design(trace))) + f"#/t{STATES}/5")
    page.keyboard.press("t")
    counts(page.locator("#cells-5.selected"), 1)
    assert page.locator(".cells-row").count() < 60
    page.keyboard.press("End")
    at(page, STATES)
    counts(page.locator(f"#cells-{STATES}.selected"), 1)
    counts(page.locator("#cells-5"), 0)
    page.locator(".cells-scroll").evaluate("held => { held.scrollTop = 26 * 150; }")
    counts(page.locator("#cells-152"), 1)
    counts(cell(page, 152, 1).get_by_text("…"), 0)


def test_an_exported_file(opened: Open, read: Read, first_try: Path, tmp_path: Path) -> None:
    """The table needs no server."""
    file = tmp_path / "trace.html"
    file.write_text(exported(read(first_try), explored=0), encoding="utf-8")
    page = opened(f"{file.as_uri()}#/t12/10?panel=table&hide=log", offline=True)
    shows(cell(page, 10, 1), "[r2].epoch -1 → 0")
    counts(page.locator(".cells-heads span"), 5)
