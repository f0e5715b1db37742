"""The page in a real browser: read a trace, ask why, go another way, compare, come back."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.explorer.export import exported
from specmodel.explorer.opening import open_target
from specmodel.traces.itf_write import itf_text
from tests.explorer.conftest import CONTRAST, DESKTOP, PHONE, Open, Serve, at, counts, shows

Read = Callable[..., Any]

LIGHT = f"{Path(__file__).with_name('light.py')}:light"


@pytest.fixture(scope="module")
def address(read: Read, first_try: Path, serve: Serve) -> str:
    """Where the first draft's counterexample is shown."""
    return serve(read(first_try))


def heading(page: Any) -> Any:
    """Where the state shown is named."""
    return page.locator("state-view h2").first


def test_walk_by_keyboard(opened: Open, address: str) -> None:
    """Arrows, j and k, Home and End move along the trace; the violated step is marked."""
    page = opened(address)
    shows(heading(page), "State 12 after become_leader")
    marked = page.locator("step-list .step-row.broken")
    counts(marked, 1)
    shows(marked, "weak_isr")
    assert page.locator(".strip-column.broken").get_attribute("id") == "strip-12"
    for key, number in (
        ("Home", 1),
        ("ArrowRight", 2),
        ("j", 3),
        ("k", 2),
        ("ArrowLeft", 1),
        ("ArrowLeft", 1),
        ("End", 12),
    ):
        page.keyboard.press(key)
        at(page, number)
    page.keyboard.press("k")
    at(page, 11)
    counts(page.locator("state-view .violation"), 0)
    page.keyboard.press("n")
    at(page, 12)
    shows(page.locator("state-view .violation"), "weak_isr turns false")


def test_why(opened: Open, address: str) -> None:
    """The why panel has the false conjunct with its witness, and who wrote what it read."""
    page = opened(f"{address}#/t12/12?panel=moves")
    page.keyboard.press("w")
    panel = page.locator("why-panel")
    panel.get_by_text("weak_isr").first.wait_for()
    shows(panel, "len(log[r1]) is 0", "with leader = r2", "from the start")
    shows(panel, "✗ offset < len(s.log[member])")


def test_branch_save_and_come_back(opened: Open, address: str) -> None:
    """Another way from a state is a branch of its own, which its address brings back."""
    page = opened(address)
    page.keyboard.press("Home")
    for _ in range(8):
        page.keyboard.press("j")
    page.keyboard.press("m")
    panel = page.locator("moves-panel")
    panel.locator("button.move", has_text="log[r3] append m1@e2").click()
    at(page, 10)
    shows(heading(page), "write")
    with page.expect_download() as download:
        panel.get_by_text("Save as ITF").click()
    saved = Path(download.value.path()).read_text()
    assert '"write(leader=r3)"' in saved
    page.reload()
    at(page, 10)
    shows(heading(page), "write")
    counts(panel.locator(".branches li"), 2)
    page.keyboard.press("u")
    at(page, 9)
    shows(page.locator(".place"), "9 / 12")
    page.go_back()


def test_an_address_that_leads_nowhere(opened: Open, address: str) -> None:
    """What an old address names may be gone: the page says so, and the way back."""
    page = opened(address)
    page.goto(f"{address}#/t12.0.0.0/15")
    page.get_by_text("has the design changed?").first.wait_for()
    page.get_by_text("Show what is there").click()
    at(page, 12)
    assert "t12/12" in page.url


def test_refused_actions_say_why(opened: Open, address: str) -> None:
    """What cannot happen is there too, each binding with the condition that is false."""
    page = opened(f"{address}#/t12/1?panel=moves")
    refused = page.locator("moves-panel details.refused", has_text="advance_hw_matching")
    refused.locator("summary").click()
    reason = page.locator("moves-panel .reason").first
    reason.locator("code").wait_for()
    shows(reason, "replica[r1].leader is None, not r1")


def test_compare(opened: Open, address: str) -> None:
    """On KIP-320 the same steps stop at the stale follower: the page lands there, and says why."""
    page = opened(address)
    page.keyboard.press("c")
    page.locator("compare-panel select option[value=kip320]").wait_for(state="attached")
    page.select_option("compare-panel select", "kip320")
    at(page, 10)
    page.locator("state-view .violation").wait_for()
    shows(page.locator("compare-panel"), "replica[r3].epoch is 2, not 0")
    counts(page.locator("compare-panel tr.blocked.current"), 1)
    counts(page.locator("state-view .side"), 2)
    assert "panel=compare&with=kip320" in page.url


def test_watch(opened: Open, address: str) -> None:
    """A watched expression has a row in the timeline, and n goes to where it changes."""
    page = opened(address)
    page.keyboard.press("e")
    page.fill("watch-panel input", "len(log[r3])")
    page.keyboard.press("Enter")
    page.locator("watch-panel table").wait_for()
    page.locator("h1").click()
    page.keyboard.press("Home")
    page.locator(".watch-value").first.wait_for()
    page.keyboard.press("n")
    at(page, 8)
    page.fill("watch-panel input", "len(lag[r3])")
    page.keyboard.press("Enter")
    page.get_by_text("lag is not defined").first.wait_for()


def test_check_from_here(opened: Open, address: str) -> None:
    """A search from a state finds the violation a few steps on, and shows the way."""
    page = opened(f"{address}#/t12/11?panel=check")
    page.locator("check-panel button").first.click()
    way = page.locator("check-panel .verdicts tr", has_text="weak_isr").locator("button")
    way.wait_for()
    way.click()
    page.locator("state-view .violation").wait_for()
    shows(page.locator("why-panel h3").first, "weak_isr")


def test_find(opened: Open, address: str) -> None:
    """/ looks for a text in the steps, Enter goes from one to the next."""
    page = opened(address)
    page.keyboard.press("/")
    page.keyboard.type("shrink")
    counts(page.locator(".step-row.found"), 2)
    page.keyboard.press("Enter")
    at(page, 6)
    page.keyboard.press("Enter")
    at(page, 7)


def test_drive_a_design(opened: Open, read: Read, serve: Serve) -> None:
    """Without a trace it starts in the initial state, and goes where one wants to."""
    page = opened(serve(read("two-phase-commit")))
    shows(heading(page), "State 1 initial")
    page.keyboard.press("m")
    for _ in range(3):
        page.locator("moves-panel button.move").first.click()
    at(page, 4)
    assert re.search(r"#/i0\.\d+\.\d+\.\d+/4", page.url)


@pytest.fixture
def lasso(tmp_path: Path) -> Path:
    """A light that is plugged in, and then blinks for ever instead of staying on."""
    design = specmodel.load(LIGHT)
    trace = specmodel.check(design)["settles"].trace
    assert trace is not None
    file = tmp_path / "light.itf.json"
    file.write_text(itf_text(design, trace, property_name="settles"), encoding="utf-8")
    return file


def test_temporal_properties_are_named(opened: Open, serve: Serve) -> None:
    """The why panel names what no state decides."""
    light = Path(__file__).with_name("light.py")
    page = opened(serve(open_target(f"{light}:light", {})))
    page.locator("body").press("w")
    page.locator("why-panel", has_text="decided by specmodel check: settles (event").wait_for()


def test_loop(opened: Open, lasso: Path, serve: Serve) -> None:
    """The part that is repeated has a bracket, and its end says where it goes on."""
    page = opened(serve(open_target(str(lasso), {}, on=LIGHT)))
    shows(page.locator(".loop-bracket"), "↺ back to 2")
    shows(page.locator("state-view .loop-note"), "back to state 2, for ever")
    page.locator("why-panel h3", has_text="settles is false of this behaviour").wait_for()
    counts(page.locator("why-panel", has_text="decided by specmodel check"), 0)
    page.keyboard.press("k")
    at(page, page.evaluate("document.querySelectorAll('.strip-column').length") - 1)
    counts(page.locator("state-view .loop-note"), 0)


def test_samples(opened: Open, address: str) -> None:
    """Some behaviours are shown on demand, and can be walked."""
    page = opened(f"{address}#/t12/5?panel=check")
    page.get_by_text("Show some behaviours").click()
    ways = page.locator("check-panel .samples button")
    ways.first.wait_for()
    counts(ways, 5)
    ways.first.click()
    page.locator(".place:not(:has-text('/ 12'))").wait_for()
    assert re.search(r"#/t5\.", page.url)


def test_exported_file(opened: Open, read: Read, first_try: Path, tmp_path: Path) -> None:
    """The one file, from disk and without a network, is read as the page is."""
    file = tmp_path / "trace.html"
    file.write_text(exported(read(first_try), ["len(log[r3])"]), encoding="utf-8")
    page = opened(file.as_uri(), offline=True)
    shows(heading(page), "State 12 after become_leader")
    shows(page.locator("why-panel"), "len(log[r1]) is 0")
    for _ in range(4):
        page.keyboard.press("k")
    at(page, 8)
    shows(page.locator("state-view .changes"), "log[r3]")
    tabs = page.locator(".tabs button").all_inner_texts()
    assert tabs == ["Why", "What if", "Chart", "Table", "Watch"]
    page.locator(".watch-value").first.wait_for()
    page.wait_for_function("() => location.hash.includes('/8?')")
    page.reload()
    at(page, 8)


def test_hostile_trace(
    opened: Open, read: Read, hostile: Path, serve: Serve, tmp_path: Path
) -> None:
    """Markup is shown as it stands, ten thousand steps scroll, deep values unfold."""
    page = opened(serve(read(hostile)))
    at(page, 10_000)
    shows(heading(page), "<script>")
    counts(page.locator("state-view script, state-view img"), 0)
    page.keyboard.press("Home")
    page.locator("state-view h2:has-text('State 1 initial')").wait_for()
    deep = page.locator("state-view details:not(.fold)")
    for _ in range(5):
        unfolded = deep.count()
        deep.last.locator("summary").last.click()
        deep.nth(unfolded).wait_for()  # a click that comes before would fold it again
    page.evaluate(
        "(e => (e.scrollLeft = e.scrollWidth / 2))(document.querySelector('.strip-scroll'))"
    )
    page.locator("#strip-5005").wait_for()
    assert page.locator(".strip-column").count() < 200
    assert page.locator(".step-row").count() < 200


def test_what_is_unfolded_stays(opened: Open, address: str) -> None:
    """The state shown is not drawn anew when the steps, and the states around it, come later."""
    page = opened(address)
    held: list[Any] = []

    def hold_others(route: Any) -> None:
        if "count=1" in route.request.url.split("&"):  # the state that is shown
            route.continue_()
        else:
            held.append(route)

    page.route(re.compile("/api/(frames|spine)"), hold_others)
    page.reload()
    at(page, 12)
    changes = page.locator("state-view details.fold").first
    changes.evaluate("details => details.dataset.same = 'yes'")
    while len(held) < 2:
        page.wait_for_timeout(10)
    for route in held:
        route.continue_()
    shows(heading(page), "State 12 after become_leader")
    while not page.evaluate("Boolean(document.querySelector('state-view').store.frame(1))"):
        page.wait_for_timeout(10)
    assert changes.get_attribute("data-same") == "yes"


def test_hostile_export(opened: Open, read: Read, loss: Path, tmp_path: Path) -> None:
    """Nor does an exported file run what a trace says."""
    hostile = loss.read_text().replace("truncate-to-hw.yaml", "<img src=x onerror=alert(1)>.yaml")
    file = tmp_path / "hostile.itf.json"
    file.write_text(hostile.replace('"design": "', '"design": "</script><script>alert(1)</script>'))
    page = tmp_path / "hostile.html"
    page.write_text(exported(read(file), explored=0), encoding="utf-8")
    shown = opened(page.as_uri(), offline=True)
    shows(shown.locator("h1"), "</script>")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_is_cut_off(opened: Open, address: str, size: dict[str, int], scheme: str) -> None:
    """At both sizes the page is no wider than the screen, and its texts have contrast."""
    page = opened(address, viewport=size, color_scheme=scheme)
    page.locator("why-panel h3").first.wait_for()
    for panel in ("why", "moves", "compare", "check", "watch"):
        page.locator(f"#tab-{panel}").click()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"], panel
        weak = page.evaluate(CONTRAST)
        assert weak == [], panel


def test_named_for_readers(opened: Open, address: str) -> None:
    """All that can be used has a name, and the current state and panel are told as such."""
    page = opened(address)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a, input, select")]
            .filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length))
            .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    shows(page.get_by_role("tab", selected=True), "Why")
    counts(page.get_by_role("option", selected=True), 2)
    counts(page.get_by_role("listbox", name=re.compile("Timeline")), 1)
    counts(page.get_by_role("main"), 1)
    order: list[str] = []
    page.locator("h1").click()
    for _ in range(8):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.id"))
    assert any("Timeline" in name for name in order)
    assert any("Steps" in name for name in order)
