"""Links: they stay short however far one has gone, and show again what they were copied from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer.export import exported
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


GARBAGE = {
    "#/t12.": '"t12." is no behaviour',
    "#/t0/1": '"t0" is no behaviour',
    "#/t13/13": "the trace has 12 states, not 13",
    "#/i5": "there is one initial state, i0",
    "#/i0.99999/2": "there is no binding 99999",
    "#eyJicmFuY2giOiJ0MTIifQ==": '"eyJicmFuY2giOiJ0MTIifQ==" is no behaviour',
    "#/t12/99": "there is no state 99: the behaviour has 12",
    "#/t12/-4": '"-4" is no number of a state',
    "#/t12/5?panel=__proto__": 'no panel "__proto__"',
    "#/t12/5?follow=nonsense": '"nonsense" is no property and not watched',
    "#/t12/5?watch=%ED%A0%80": "is not watched",
    "#/t12/5?also=t3.x": '"t3.x" is no behaviour',
    "#/t12/5?colour=red": '"colour" is no part of a link',
    "#/t12/5?of=kip102+replicas=2": 'made for "kip102 replicas=2", and this page is about "kip320',
    "#/t" + "1" * 1000: "is no behaviour",
    "#/t12" + ".1" * 500_000: "it has 1,000,005 characters, more than 60,000",
    "#/t12?" + "&".join(f"watch=next_id-{n}" for n in range(99)): "99 times, more than 50",
}


def follow(page: Any, address: str, link: str) -> None:
    """Open a link that is wrong, on whatever the page shows; it says so and goes on working."""
    page.goto(address + link)
    shows(page.locator(".notice.wrong").first, GARBAGE[link])
    back = page.get_by_text("Show what is there")
    if back.count():
        back.click()
    page.keyboard.press("Home")
    at(page, 1)
    page.keyboard.press("j")
    at(page, 2)
    if "watch" not in link:
        counts(page.locator(".notice.wrong"), 0)


def test_links_that_cannot_be_followed(
    opened: Open, read: Read, first_try: Path, serve: Serve
) -> None:
    """The page says what is wrong with a link, shows what there is, and goes on working."""
    address = serve(read(first_try))
    page = opened(address)
    for link in GARBAGE:
        follow(page, address, link)


def test_a_link_followed_while_a_step_is_written(
    opened: Open, read: Read, first_try: Path, serve: Serve
) -> None:
    """The link wins: what the page writes in between does not take its place."""
    page = opened(serve(read(first_try)))
    key = "new KeyboardEvent('keydown', { key: 'c', bubbles: true })"
    page.evaluate(f"location.hash = '#/t12/5?colour=red'; document.body.dispatchEvent({key})")
    at(page, 5)
    shows(page.locator(".notice.wrong").first, '"colour" is no part of a link')


@pytest.mark.parametrize("number", [0, 5, -2], ids=["branch", "base64", "long"])
def test_opening_with_a_wrong_link(
    opened: Open, read: Read, first_try: Path, serve: Serve, number: int
) -> None:
    """The same where the page is opened by it."""
    address = serve(read(first_try))
    follow(opened("about:blank", wait=""), address, list(GARBAGE)[number])


def test_a_link_of_another_trace_in_a_file(
    opened: Open, read: Read, first_try: Path, tmp_path: Path
) -> None:
    """A file without other steps: a link to a behaviour or panel that it has not says so."""
    file = tmp_path / "trace.html"
    file.write_text(exported(read(first_try), explored=0), encoding="utf-8")
    page = opened(file.as_uri(), offline=True)
    page.goto(f"{file.as_uri()}#/t9.12/10?panel=moves&watch=constructor")
    shows(page.locator(".notices"), 'no panel "moves"', "this file does not have this step")
    page.get_by_text("Show what is there").click()
    at(page, 12)
    shows(page.locator(".notices"), '"constructor" is not watched: this file does not have')
