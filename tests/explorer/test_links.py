"""Links: they stay short however far one has gone, and show again what they were copied from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.explorer.conftest import Open, Serve, at, counts, shows

Read = Callable[..., Any]

WORKERS = Path(__file__).with_name("workers.py")

STEPS = 40

BYTES = 6
"""What a step may add to a link: the number of a binding, a dot, a digit of its own number."""


def fragment(page: Any) -> str:
    """The part of the address that says what is looked at, once it is written."""
    shown = page.locator(".place").inner_text().split(" /")[0]
    page.wait_for_function("n => location.hash.split('?')[0].endsWith('/' + n)", arg=shown)
    return page.url.partition("#")[2]


def test_a_branch_is_one_path(opened: Open, read: Read, serve: Serve) -> None:
    """Each step makes the link a few bytes longer, and the list of branches no longer."""
    page = opened(f"{serve(read(WORKERS))}#/i0/1?panel=moves")
    first = fragment(page)
    for number in range(2, STEPS + 2):
        page.locator("moves-panel button.move:not(.taken)").nth(number % 12).click()
        at(page, number)
        page.locator(f"moves-panel h3:has-text('state {number}')").wait_for()
    link = fragment(page)
    assert len(link) <= len(first) + BYTES * STEPS
    branches = page.locator(".branches li")
    counts(branches, 2)
    shows(branches.last, f"+{STEPS} steps")
    page.reload()
    at(page, STEPS + 1)
    assert fragment(page) == link
    counts(branches, 2)


def test_other_branches_stay(opened: Open, read: Read, serve: Serve) -> None:
    """A way that forks from another is kept beside it, in the link too, with all of its steps."""
    page = opened(f"{serve(read(WORKERS))}#/i0.0.1.2/2?panel=moves")
    page.locator("moves-panel button.move:not(.taken)").last.click()
    at(page, 3)
    branches = page.locator(".branches li")
    counts(branches, 3)
    page.reload()
    counts(branches, 3)
    page.locator('[data-key="branch-i0.0.1.2"]').click()
    at(page, 4)
    assert fragment(page).startswith("/i0.0.1.2/4")
    counts(branches, 3)
    page.keyboard.press("u")
    at(page, 3)
    counts(branches, 3)
    assert "i0.0.1.2" not in fragment(page)


@pytest.mark.parametrize("step", [5, 10, 12])
def test_a_link_to_a_comparison(
    opened: Open, read: Read, first_try: Path, serve: Serve, step: int
) -> None:
    """It opens at the step that it names, wherever the comparison ends; so does stepping on."""
    page = opened(f"{serve(read(first_try))}#/t12/{step}?panel=compare&with=kip320")
    counts(page.locator("state-view .side"), 2)
    page.locator("compare-panel .headline").wait_for()
    at(page, step)
    assert fragment(page).startswith(f"/t12/{step}?")
    page.keyboard.press("k")
    at(page, step - 1)
    page.reload()
    counts(page.locator("state-view .side"), 2)
    at(page, step - 1)


def test_the_steps_of_a_comparison_have_their_states_numbers(
    opened: Open, read: Read, first_try: Path, serve: Serve
) -> None:
    """The headline names the row at which the other design stops; keys reach the row."""
    page = opened(f"{serve(read(first_try))}#/t12/5?panel=compare&with=kip320")
    shows(page.locator("compare-panel .headline"), "stops before state 10 of 12")
    shows(page.locator("compare-panel tr.blocked th"), "10")
    row = page.locator("compare-panel tr.blocked button")
    row.focus()
    page.keyboard.press("Enter")
    at(page, 10)
    page.wait_for_function("document.activeElement.matches('compare-panel tr.blocked button')")
