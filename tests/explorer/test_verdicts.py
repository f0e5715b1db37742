"""The verdicts of a whole design, and what the page tells of a step before it is taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock
from typing import Any

import pytest

from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.driving import Driving
from specmodel.explorer.searching import DesignSearch, other_counterexamples
from specmodel.explorer.server import Application
from tests.explorer.conftest import DESKTOP, PHONE, Open, Serve, at, counts, shows

Read = Callable[..., Any]

NOTEBOOK = {"width": 1024, "height": 768}


def verdicts_of(search: DesignSearch) -> dict[str, Any]:
    """The findings of a search, once it has ended."""
    while (found := search.verdicts())["running"]:
        time.sleep(0.02)
    return found


def test_opens_on_the_counterexample(opened: Open, read: Read, serve: Serve) -> None:
    """A design opens on its verdicts and the last state of the shortest counterexample."""
    page = opened(serve(read("truncate-to-hw", replicas=2, max_leader_epoch=1)))
    panel = page.locator("verdicts-panel")
    panel.locator("table.verdicts").wait_for()
    shows(panel, "weak_isr", "violated")
    page.locator("state-view .violation").wait_for()
    assert "panel=verdicts" in page.url
    page.keyboard.press("Home")
    at(page, 1)
    panel.locator("table.verdicts .link").first.click()
    page.locator("state-view .violation").wait_for()


def test_opens_on_the_initial_state(opened: Open, read: Read, serve: Serve) -> None:
    """Without a violation, the initial state is shown; a link to a state is followed as it is."""
    page = opened(serve(read("two-phase-commit")))
    shows(page.locator("verdicts-panel"), "No property is violated.")
    shows(page.locator(".place"), "1 / 1")
    address = serve(read("truncate-to-hw", replicas=2, max_leader_epoch=1))
    page = opened(f"{address}#/i0/1?panel=verdicts")
    page.locator("verdicts-panel table.verdicts").wait_for()
    shows(page.locator(".place"), "1 / 1")


def test_each_violation_has_a_way(read: Read) -> None:
    """The way to a violated property ends in a state where it turns false."""
    reading = read("truncate-to-hw", replicas=2, max_leader_epoch=1)
    found = verdicts_of(DesignSearch(reading, Lock(), Event()))
    violated = [one for one in found["properties"] if one["verdict"] == "violated"]
    assert violated
    names = [rule.name for rule in reading.rules]
    for one in violated:
        branch = Branch.parse(one["branch"])
        assert branch.length == one["steps"] + 1
        step = reading.spine(branch, branch.length)["steps"][0]
        assert step["truths"][names.index(one["name"])] == "0"
        before = Driving(reading).moves(branch.prefix(branch.length - 1), branch.length - 1)
        moves = [move for group in before["groups"] for move in group["bindings"]]
        last = next(move for move in moves if move["binding"] == step["binding"])
        assert one["name"] in last["breaks"]


def test_other_counterexamples(read: Read) -> None:
    """They differ in their actions, and each ends in a state where the property turns false."""
    reading = read("truncate-to-hw", replicas=2, max_leader_epoch=1)
    found = other_counterexamples(reading, Lock(), "weak_isr")
    assert len(found["found"]) > 1
    shapes = [one["actions"] for one in found["found"]]
    assert all(shapes.count(shape) == 1 for shape in shapes)
    place = [rule.name for rule in reading.rules].index("weak_isr")
    for one in found["found"]:
        branch = Branch.parse(one["branch"])
        assert branch.length == one["steps"] + 1 == sum(one["actions"].values()) + 1
        assert set(found["needed"]) <= set(one["actions"])
        before, last = reading.spine(branch, branch.length - 1, 2)["steps"]
        assert (before["truths"][place], last["truths"][place]) == ("1", "0")
    busy = Lock()
    with busy, pytest.raises(UsageError, match="another search is running"):
        other_counterexamples(reading, busy, "weak_isr")
    with pytest.raises(UsageError, match="there is no trace to leader_in_isr"):
        other_counterexamples(reading, busy, "leader_in_isr")
    assert not busy.locked()


def test_others_on_the_page(opened: Open, read: Read, serve: Serve) -> None:
    """They are searched when they are asked for; each leads to its behaviour."""
    page = opened(serve(read("truncate-to-hw", replicas=2, max_leader_epoch=1)))
    panel = page.locator("verdicts-panel")
    panel.get_by_role("button", name="Other ways to weak_isr").click()
    links = panel.locator("table.samples .link")
    links.nth(1).wait_for()
    steps = [int(text.split()[0]) for text in links.all_inner_texts()]
    for number, count in enumerate(steps):
        links.nth(number).click()
        at(page, count + 1)
        shows(page.locator("state-view .violation").first, "weak_isr")
    shows(panel, "Each takes ")


def test_a_search_that_ends_with_the_server(read: Read) -> None:
    """A search that waits for another one when the server ends does not begin."""
    application = Application(read("two-phase-commit"))
    assert application.opened.search is not None
    with application.searching:
        assert application.opened.search.verdicts()["running"]
        application.end()
    assert "before it began" in verdicts_of(application.opened.search)["failure"]


def test_a_step_that_leads_back(read: Read, loss: Any) -> None:
    """A next state that the recorded trace already has is marked as the same."""
    reading = read(loss)
    found = Driving(reading).moves(Branch("t", 1), 1)
    moves = [move for group in found["groups"] for move in group["bindings"]]
    assert "the same as state 2 of the trace" in [move.get("same") for move in moves]


def test_back_goes_through_states(opened: Open, read: Read, first_try: Any, serve: Serve) -> None:
    """Each state at which one has stayed is an entry of the browser's history."""
    page = opened(f"{serve(read(first_try))}#/t12/1?panel=why")
    for number in (2, 3):
        page.keyboard.press("j")
        at(page, number)
        page.wait_for_function("n => location.hash.startsWith('#/t12/' + n)", arg=number)
    page.go_back()
    at(page, 2)
    page.go_back()
    at(page, 1)
    page.go_forward()
    at(page, 2)


def test_play_copy_and_guide(opened: Open, read: Read, first_try: Any, serve: Serve) -> None:
    """Play goes on by itself and ends at p; the guide has the signs; the link can be copied."""
    page = opened(
        f"{serve(read(first_try))}#/t12/1?panel=why",
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.keyboard.press("p")
    at(page, 2)
    page.keyboard.press("p")
    counts(page.get_by_role("button", name="Pause"), 0)
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.keyboard.press("?")
    shows(page.locator("dialog"), "the actor only takes part in the step", "next, previous state")


@pytest.mark.parametrize("viewport", [DESKTOP, NOTEBOOK, PHONE], ids=["1280", "1024", "390"])
def test_it_fits(opened: Open, read: Read, serve: Serve, viewport: dict[str, int]) -> None:
    """Nothing pushes the page sideways."""
    address = serve(read("truncate-to-hw", replicas=2, max_leader_epoch=1))
    page = opened(address, viewport=viewport)
    page.locator("verdicts-panel table.verdicts").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
