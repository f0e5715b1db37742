"""The chart of messages is that of the behaviour shown, and in step with it.

What the page draws is held against the chart that `specmodel graph` makes of the same trace.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer import charting
from specmodel.explorer.export import exported
from specmodel.graphs.sequence import Chart, chart
from tests.explorer.conftest import DESKTOP, PHONE, Open, Serve, at, counts, recorded, shows

Read = Callable[..., Any]


@pytest.fixture(scope="module")
def raft(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace with messages in flight."""
    return recorded(tmp_path_factory.mktemp("raft"), "raft-forgetful", "one_leader")


@pytest.fixture(scope="module")
def wanted(read: Read, raft: Path) -> Chart:
    """The chart of the trace."""
    return chart(*charted_of(read(raft)))


def in_flight(found: Chart, number: int) -> list[str]:
    """The messages in flight in a state, as the page writes them."""
    return [
        f"{arrow.source} → {arrow.target or '?'}: {arrow.text}"
        for arrow in found.messages
        if arrow.sent <= number and (arrow.ended is None or number < arrow.ended)
    ]


@pytest.mark.parametrize("kind", ["served", "exported"])
def test_messages_in_flight(
    opened: Open, read: Read, serve: Serve, raft: Path, wanted: Chart, tmp_path: Path, kind: str
) -> None:
    """In each state those are listed and marked that are sent and not yet taken."""
    if kind == "served":
        page = opened(serve(read(raft)))
    else:
        file = tmp_path / "raft.html"
        file.write_text(exported(read(raft), explored=0), encoding="utf-8")
        page = opened(file.as_uri(), offline=True)
    page.keyboard.press("s")
    counts(page.locator(".chart-message"), len(wanted.messages))
    counts(page.locator(".chart-step"), len(wanted.events))
    assert page.locator(".chart-heads span").all_inner_texts() == list(wanted.lifelines)
    page.keyboard.press("Home")
    for number in range(1, wanted.length + 1):
        at(page, number)
        listed = in_flight(wanted, number)
        shows(page.locator(".flying"), f"In flight in state {number}: {len(listed)} message")
        assert page.locator(".flying li").all_inner_texts() == listed
        counts(page.locator(".chart-message.in-flight"), len(listed))
        assert is_marked(page, number)
        page.keyboard.press("j")
    page.set_viewport_size({"width": 900, "height": 700})
    page.keyboard.press("w")
    page.keyboard.press("s")
    assert is_marked(page, wanted.length)


def is_marked(page: Any, number: int) -> bool:
    """Whether the band lies at the row of a state."""
    band, row = page.locator(".band"), page.locator(".chart-number").nth(number - 1)
    top = float(band.get_attribute("y"))
    return top < float(row.get_attribute("y")) - 4 < top + float(band.get_attribute("height"))


@pytest.mark.parametrize("size", [DESKTOP, PHONE, {"width": 1024, "height": 768}])
def test_a_click_goes_to_a_state(
    opened: Open, read: Read, serve: Serve, raft: Path, size: dict[str, int]
) -> None:
    """The state shown is in view, at every width; another way has a chart of its own."""
    page = opened(f"{serve(read(raft))}#/t19/19?panel=chart", viewport=size)
    number = page.locator(".chart-number")
    number.nth(18).wait_for()
    inside = """n => {
      const [shown, around] = [document.querySelectorAll(".chart-number")[n],
        document.querySelector(".chart-scroll")].map((e) => e.getBoundingClientRect());
      return shown.top >= around.top && shown.bottom <= around.bottom;
    }"""
    assert page.evaluate(inside, 18)
    number.nth(15).click()
    at(page, 16)
    assert page.evaluate(inside, 15)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("m")
    page.locator("moves-panel button.move").first.click()
    shows(page.locator("state-view h2"), "State 17")
    page.keyboard.press("s")
    counts(number, 17)


def test_designs_without_messages(opened: Open, read: Read, serve: Serve, loss: Path) -> None:
    """Of these the steps speak at once: an arrow leads from who is unchanged to who is changed."""
    page = opened(f"{serve(read(loss))}")
    page.keyboard.press("s")
    shows(page.locator(".flying"), "No messages")
    counts(page.locator(".chart-message"), 0)
    found = chart(*charted_of(read(loss)))
    arrows = [target for event in found.events if event.source for target in event.targets]
    assert arrows
    counts(page.locator(".chart-step .spoken"), len(arrows))


def charted_of(reading: Any) -> tuple[Any, Any, str]:
    """A trace with what its chart is made of."""
    return reading.spec, reading.tree.trace(reading.start), ""


def test_no_chart(
    opened: Open, read: Read, serve: Serve, hostile: Path, loss: Path, monkeypatch: Any
) -> None:
    """A behaviour that is too long has no chart, and one of no known design no panel."""
    counts(opened(serve(read(hostile))).locator("#tab-chart"), 0)
    monkeypatch.setattr(charting, "MOST_CHARTED", 5)
    page = opened(serve(read(loss)))
    page.keyboard.press("s")
    shows(page.locator("chart-panel"), "a chart has at most 5 states, not 9")
