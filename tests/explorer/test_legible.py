"""What is on the page can be read, reached and believed: signs, labels, colours, keys, failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.explorer.export import exported
from specmodel.explorer.opening import open_target
from specmodel.traces.itf_write import itf_text
from tests.docs.pages import ROOT
from tests.explorer.conftest import (
    CONTRAST,
    DESKTOP,
    PHONE,
    TOKEN,
    Client,
    Open,
    Requests,
    Serve,
    at,
    counts,
    shows,
)

Read = Callable[..., Any]

WORKERS = Path(__file__).with_name("workers.py")

LAPTOP = {"width": 1024, "height": 768}


@pytest.fixture(scope="module")
def shifts(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Twelve workers, who begin at level -1, one after the other."""
    design = specmodel.load(WORKERS)
    trace = specmodel.check(design, properties=["few_are_at_work"])["few_are_at_work"].trace
    assert trace is not None
    file = tmp_path_factory.mktemp("traces") / "workers.itf.json"
    file.write_text(itf_text(design, trace, property_name="few_are_at_work"), encoding="utf-8")
    return serve(open_target(str(file), {}, on=str(WORKERS)))


@pytest.fixture(scope="module")
def address(read: Read, first_try: Path, serve: Serve) -> str:
    """Where the first draft's counterexample is shown."""
    return serve(read(first_try))


def test_old_values_keep_their_signs(opened: Open, shifts: str) -> None:
    """What was there before is not struck out: a line through -1 makes it a 1."""
    page = opened(f"{shifts}#/t13/13?panel=why")
    old = page.locator("state-view .was")
    shows(old.first, "-1")
    page.locator("state-view summary", has_text="The whole state").click()
    shows(page.locator("state-view .tree"), "-1 → 0")
    for line in old.evaluate_all("all => all.map(e => getComputedStyle(e).textDecorationLine)"):
        assert line == "none"


def test_actors_beyond_those_with_rows(opened: Open, shifts: str) -> None:
    """Of twelve actors five share a row, which has their marks; a key gives each its own row."""
    page = opened(f"{shifts}#/t13/2")
    labels = page.locator(".strip-labels .actor")
    counts(labels, 8)
    shows(labels.last, "+ 5 more")
    counts(page.locator("#strip-2 .strip-cell.actor").nth(7).locator(".mark"), 1)  # w12 works
    page.locator(".strip-labels button").focus()
    page.keyboard.press("Enter")
    counts(labels, 13)
    shows(labels.nth(11), "w12")
    counts(page.locator("#strip-2 .strip-cell.actor").nth(11).locator(".mark"), 1)
    page.keyboard.press("Enter")
    counts(labels, 8)


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, LAPTOP, PHONE])
def test_labels_differ(opened: Open, shifts: str, size: dict[str, int]) -> None:
    """Names that are too long for the timeline are cut to texts that differ, and are all there."""
    names = [f"no_worker_is_at_level_{n}_in_the_first_shift" for n in ("one", "two")]
    values = [f"level[w{n}] + level[w9] + level[w10] + level[w11]" for n in (1, 2)]
    query = "&".join(f"watch={text.replace('+', '%2B')}" for text in values)
    page = opened(f"{shifts}#/t13/13?follow={names[0]}&{query}", viewport=size)
    labels = page.locator(".strip-label.watch, .strip-label.property")
    counts(labels, 4)
    shown = labels.all_inner_texts()
    assert len(set(shown)) == 4, shown
    hidden = labels.evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth).length")
    assert hidden == 0


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_numbers_in_the_timeline_are_whole(
    opened: Open, address: str, read: Read, hostile: Path, serve: Serve, size: dict[str, int]
) -> None:
    """A column has room for the number of its state, with a ✗ before it, whatever its digits."""
    for where, number in ((address, "✗12"), (serve(read(hostile)), "10000")):
        page = opened(where, viewport=size)
        shows(page.locator(".strip-column.selected .strip-number"), number)
        cut = page.locator(".strip-number").evaluate_all(
            "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
        )
        assert cut == []


def test_the_violating_step_is_whole(opened: Open, address: str) -> None:
    """On opening, the row of the state shown lies within the list, whatever came after it."""
    for height in (600, 640, 700, 720, 768, 900):
        page = opened(address, viewport={"width": 1280, "height": height})
        page.locator("why-panel h3").first.wait_for()
        page.locator(".step-row.selected.broken").wait_for()
        room = page.locator(".step-scroll").bounding_box()
        row = page.locator(".step-row.selected").bounding_box()
        assert row["y"] + row["height"] <= room["y"] + room["height"] + 1, height
        assert room["y"] + room["height"] <= height


@pytest.mark.parametrize("key", list("wmcef"))
def test_keys_step_after_a_panel_is_opened(opened: Open, address: str, key: str) -> None:
    """A key that opens a panel leaves the arrow keys to the steps, on a tab too."""
    page = opened(f"{address}#/t12/7?panel=why")
    page.keyboard.press(key)
    panel = {"w": "why", "m": "moves", "c": "compare", "e": "watch", "f": "check"}[key]
    page.locator(f"#panel-{panel}:not([hidden])").wait_for()
    page.keyboard.press("ArrowRight")
    at(page, 8)
    page.locator("#tab-why").click()
    page.keyboard.press(key)
    page.keyboard.press("ArrowLeft")
    at(page, 7)
    page.locator(f"#panel-{panel}:not([hidden])").wait_for()


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_wide_pictures_scroll_in_place(opened: Open, serve: Serve, size: dict[str, int]) -> None:
    """The page is as wide as the screen; a shadow says that a table goes on beyond its edge."""
    trace = ROOT / "traces" / "kafka-6880.itf.json"
    page = opened(serve(open_target(str(trace), {})), viewport=size)
    page.locator("state-view .lanes").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    wide = page.locator("state-view .picture .scroll-x").first
    assert wide.evaluate("e => e.scrollWidth > e.clientWidth")
    assert "local" in wide.evaluate("e => getComputedStyle(e).backgroundAttachment")


def test_code_is_not_capitalised(opened: Open, shifts: str) -> None:
    """Names of the spec are written as they are there, at the start of a line too."""
    page = opened(f"{shifts}#/t13/13?panel=why")
    shows(page.locator("why-panel .said").first, "len({w for w in Worker")
    assert page.locator("why-panel .said").first.inner_text().startswith("len(")


def test_the_server_was_away(opened: Open, address: str) -> None:
    """What could not be asked while the server did not answer comes by itself once it does."""
    page = opened(f"{address}#/t12/9?panel=why")
    requests = Requests(page, "**/api/**")
    page.locator("why-panel .fine, why-panel h3").first.wait_for()
    requests.answer = lambda route: route.abort("connectionrefused")
    page.keyboard.press("m")
    shows(page.locator("moves-panel"), "The server does not answer")
    page.keyboard.press("w")
    page.keyboard.press("j")
    shows(page.locator("why-panel"), "The server does not answer")
    requests.answer = None
    page.locator("why-panel .fine, why-panel h3").first.wait_for()
    page.keyboard.press("m")
    page.locator("moves-panel button.move").first.wait_for()
    counts(page.locator(".notice.wrong"), 0)


def test_differing_values_are_marked(opened: Open, address: str) -> None:
    """In a comparison, on both sides: what one design has and the other has not, and no more."""
    page = opened(f"{address}#/t12/12?panel=compare&with=kip320")
    sides = page.locator("state-view .side")
    counts(sides, 2)
    sides.nth(1).locator(".differs").first.wait_for()
    texts = page.evaluate(
        """() => [...document.querySelectorAll("state-view .side")].map((side) =>
            [...side.querySelectorAll(".lanes tbody tr")].map((row) =>
              [...row.querySelectorAll(".cell")].map((cell) =>
                [cell.textContent, cell.matches(".differs")])))"""
    )
    for mine, theirs in zip(*texts, strict=True):
        for offset in range(max(len(mine), len(theirs))):
            pair = [side[offset] for side in (mine, theirs) if offset < len(side)]
            differs = len({text for text, _ in pair}) + (2 - len(pair)) > 1
            assert all(marked == differs for _, marked in pair), (mine, theirs)
    page.keyboard.press("Home")
    at(page, 1)
    counts(sides, 2)
    counts(page.locator("state-view .differs"), 0)


def test_what_is_folded_on_one_side_does_not_differ(opened: Open, address: str) -> None:
    """Values of the whole state are compared as values: also where only one side shows them."""
    page = opened(f"{address}#/t12/12?panel=compare&with=kip320")
    sides = page.locator("state-view .side")
    counts(sides, 2)
    fold = sides.nth(0).locator("details.fold", has_text="The whole state")
    # Both sides are drawn anew when the other state is there: a click before may be lost.
    sides.nth(1).locator("summary", has_text="The whole state").wait_for()
    fold.locator("summary").first.click()
    fold.locator("[data-place].differs").first.wait_for()
    marked = "all => all.map((e) => [e.dataset.place, e.matches('.differs')])"
    alone = fold.locator("[data-place]").evaluate_all(marked)
    assert not all(differs for _, differs in alone)
    sides.nth(1).locator("summary", has_text="The whole state").click()
    sides.nth(1).locator("[data-place].differs").first.wait_for()
    assert fold.locator("[data-place]").evaluate_all(marked) == alone


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cut_cells_have_contrast(
    opened: Open, read: Read, loss: Path, serve: Serve, scheme: str
) -> None:
    """Records that a step removes are as legible as the rest, and not struck out."""
    reading = read(loss)
    length = reading.start.length
    frames = reading.frames(reading.start, 1, length)
    cells = [[cell for row in f["picture"]["rows"] for cell in row["cells"]] for f in frames]
    number = next(
        n for n, held in enumerate(cells, 1) if any(c["mark"] == "truncated" for c in held)
    )
    page = opened(f"{serve(reading)}#/t{length}/{number}", color_scheme=scheme)
    cut = page.locator("state-view .cell.truncated")
    cut.first.wait_for()
    assert page.evaluate(CONTRAST) == []
    assert cut.first.evaluate("e => getComputedStyle(e).textDecorationLine") == "none"


def test_half_a_surrogate_pair(opened: Open, loss: Path, serve: Serve, tmp_path: Path) -> None:
    """A text that UTF-8 cannot write is shown, exported, and answered without a failure."""
    held = json.loads(loss.read_text())
    held["#meta"].pop("source", None)
    held["#meta"]["design"] = "half \ud800"
    held["states"][1]["#meta"]["action"] = "step \udfff (x)"
    held["states"][1]["odd"] = "\ud800"
    file = tmp_path / "half.itf.json"
    file.write_text(json.dumps(held), encoding="utf-8")
    reading = open_target(str(file), {})
    served = serve(reading)
    page = opened(f"{served}#/t2/2")
    shows(page.locator("state-view h2"), "step")
    alone = tmp_path / "half.html"
    alone.write_text(exported(reading, explored=0), encoding="utf-8")
    shows(opened(alone.as_uri(), offline=True).locator("h1"), "half")
    answer = Client.of(served).post("/api/check", {"branch": "\ud800", "seconds": 1})
    assert answer.status == 422
    assert TOKEN in served
