"""The exported file explores: it answers as the server does, as far as it has the steps."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer.branch import Branch
from specmodel.explorer.driving import Driving
from specmodel.explorer.export import exported
from tests.explorer.conftest import Open, at, counts, shows

Read = Callable[..., Any]

EXPLORED = 60

WATCH = "len(log[r2])"

ASK = """async ([name, query]) => {
  const { source } = document.querySelector("spec-explorer").store;
  return await source.ask(name, query).catch((wrong) => wrong.message);
}"""


@pytest.fixture(scope="module")
def file(read: Read, first_try: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first draft's counterexample, with the steps of 60 states."""
    found = tmp_path_factory.mktemp("exported") / "loss.html"
    found.write_text(exported(read(first_try), [WATCH], EXPLORED), encoding="utf-8")
    return found


def as_sent(found: Any) -> Any:
    """An answer of the server as the page gets it."""
    return json.loads(json.dumps(found))


def walks(page: Any, driving: Driving, chance: random.Random) -> Iterator[Branch]:
    """Behaviours that fork from the trace, as far as the file has their steps."""
    start = driving.reading.start
    for length in range(1, start.length + 1):
        branch = start.prefix(length)
        while True:
            moves = page.evaluate(ASK, ["moves", {"branch": str(branch), "state": branch.length}])
            rows = [row for group in moves["groups"] for row in group["bindings"] if "to" in row]
            if not rows or branch.length > start.length + 6:
                break
            branch = branch.then(chance.choice(rows)["binding"])
        yield branch


def test_it_answers_as_the_server_does(
    opened: Open, read: Read, first_try: Path, file: Path
) -> None:
    """Every state, step, move and value of behaviours that fork from the trace at random."""
    driving = Driving(read(first_try))
    reading = driving.reading
    page = opened(file.as_uri(), offline=True)
    explained = 0
    for branch in walks(page, driving, random.Random(7)):
        length = branch.length
        query = {"branch": str(branch), "from": 1, "count": length}
        assert (
            page.evaluate(ASK, ["spine", query])["steps"]
            == reading.spine(branch, 1, length)["steps"]
        )
        assert page.evaluate(ASK, ["frames", query]) == as_sent(reading.frames(branch, 1, length))
        watched = page.evaluate(ASK, ["watch", {**query, "text": WATCH}])
        assert watched == reading.watch(branch, WATCH, 1, length)
        for state in range(1, length + 1):
            asked = {"branch": str(branch), "state": state}
            why = reading.why(branch, state)["properties"]
            explained += bool(why)
            assert page.evaluate(ASK, ["why", asked])["properties"] == as_sent(why)
            moves = page.evaluate(ASK, ["moves", asked])
            if "ends" in moves:
                assert state == length
                continue
            for row in (row for group in moves["groups"] for row in group["bindings"]):
                for more in ("to", "step", "frame", "why", "watches"):
                    row.pop(more, None)
            assert moves == as_sent(driving.moves(branch, state))
    assert explained


def test_guards_along_the_trace(opened: Open, read: Read, first_try: Path, file: Path) -> None:
    """Why a step cannot happen, in the states of the trace; elsewhere that the file ends."""
    driving = Driving(read(first_try))
    page = opened(f"{file.as_uri()}#/t12/12?panel=moves", offline=True)
    asked = {"branch": "t12", "state": 12, "action": "write"}
    assert page.evaluate(ASK, ["reasons", asked]) == driving.reasons(Branch("t", 12), 12, "write")
    refused = page.locator("moves-panel details.refused").first
    refused.locator("summary").click()
    shows(refused.locator(".reason").first, "✗", "requires")
    page.locator("moves-panel button.move").first.click()
    at(page, 13)
    shows(page.locator("moves-panel"), "the reasons for the states of its trace only")


def test_steps_by_hand_to_the_end_of_the_file(opened: Open, file: Path) -> None:
    """A step forks a branch; its link opens again; where the file ends, it says how to go on."""
    page = opened(file.as_uri(), offline=True, viewport={"width": 390, "height": 844})
    page.keyboard.press("m")
    page.keyboard.press("Home")
    panel, number = page.locator("moves-panel"), 1
    while "This file" not in panel.inner_text():
        number += 1
        panel.locator("button.move:not(.taken)").first.click()
        at(page, number)
        panel.locator(f":text-matches('state {number}|This file')").first.wait_for()
    shows(panel, f"steps from {EXPLORED} states", "specmodel explore")
    counts(page.locator(".branches li"), 2)
    counts(page.get_by_text("Save as ITF"), 0)
    page.wait_for_function("n => location.hash.split('?')[0].endsWith('/' + n)", arg=number)
    page.reload()
    at(page, number)
    page.keyboard.press("u")
    at(page, number - 1)


def test_other_behaviours_are_refused(opened: Open, file: Path) -> None:
    """A link to a behaviour that the file does not have says so, and leads back."""
    for branch in ("i0.0", "t13", "t12.99999", "t1.0.0.0.0.0.0"):
        page = opened(f"{file.as_uri()}#/{branch}/1", offline=True, wait=".notices .wrong")
        shows(page.locator(".notices"), "this file")
        page.get_by_role("button", name="Show what is there").click()
        at(page, 12)


def test_a_design_without_a_trace(opened: Open, read: Read, tmp_path: Path) -> None:
    """Its file opens on the steps from the initial state."""
    file = tmp_path / "kip320.html"
    file.write_text(exported(read("kip320"), explored=20), encoding="utf-8")
    page = opened(file.as_uri(), offline=True)
    shows(page.locator("moves-panel"), "can happen in state 1")
    page.locator("moves-panel button.move").first.click()
    at(page, 2)
    shows(page.locator("moves-panel"), "can happen in state 2")


def test_no_steps_without_states_to_explore(
    opened: Open, read: Read, first_try: Path, tmp_path: Path
) -> None:
    """With no states to explore, the file has the trace alone, and no panel for other steps."""
    file = tmp_path / "loss.html"
    file.write_text(exported(read(first_try), explored=0), encoding="utf-8")
    page = opened(file.as_uri(), offline=True)
    counts(page.locator("#tab-why"), 1)
    counts(page.locator("#tab-moves"), 0)
