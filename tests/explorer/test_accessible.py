"""The page is accessible, as axe-core finds out: every panel, at three widths, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer.export import exported
from tests.explorer.conftest import Open, Serve, at, counts, shows

Read = Callable[..., Any]

WIDTHS = {"wide": (1440, 900), "laptop": (1024, 768), "phone": (390, 844)}

PANELS = {
    "why": "&follow=weak_isr",
    "moves": "",
    "compare": "&with=kip320",
    "check": "",
    "chart": "",
    "table": "",
    "watch": "&watch=len(log[r1])",
    "verdicts": "",
}
"""The panels of a served trace, each with what is asked there."""


def violations(page: Any) -> list[str]:
    """What axe-core has against the page as it is, with the first place of each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    places = [one["nodes"][0] for one in found]
    return [
        f"{one['id']}: {place['target']} {place['html'][:120]}"
        for one, place in zip(found, places, strict=True)
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_panel(
    opened: Open, read: Read, first_try: Path, serve: Serve, width: str, scheme: str
) -> None:
    """No panel of a counterexample has a violation, nor have the dialogs over it."""
    size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
    address = serve(read(first_try))
    page = opened(address, viewport=size, color_scheme=scheme)
    found: dict[str, list[str]] = {}
    for panel, query in PANELS.items():
        page.goto(f"{address}#/t12/10?panel={panel}{query}")
        at(page, 10)
        counts(page.locator(f"#panel-{panel}:not([hidden])"), 1)
        counts(page.get_by_text("Loading …"), 0)
        counts(page.locator(f"#panel-{panel} p.quiet").get_by_text("…", exact=True), 0)
        if panel == "compare":
            page.locator("compare-panel .headline").wait_for()
        found[panel] = violations(page)
    page.keyboard.press("?")
    shows(page.get_by_role("dialog"), "a property is false")
    found["guide"] = violations(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Change").click()
    shows(page.get_by_role("dialog"), "brokers that hold the partition")
    found["constants"] = violations(page)
    assert {panel: wrong for panel, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_other_pages(
    opened: Open,
    read: Callable[..., Any],
    first_try: Path,
    serve: Serve,
    tmp_path: Path,
    scheme: str,
) -> None:
    """Neither has a design at its initial state, nor an exported file."""
    file = tmp_path / "trace.html"
    file.write_text(exported(read(first_try), explored=12), encoding="utf-8")
    pages = [
        opened(file.as_uri(), offline=True, color_scheme=scheme),
        opened(f"{file.as_uri()}#/t11/11?panel=moves", offline=True, color_scheme=scheme),
        opened(f"{serve(read('two-phase-commit', participants=2))}#/i0/1", color_scheme=scheme),
    ]
    shows(pages[1].locator("moves-panel"), "can happen in state 11")
    assert [violations(page) for page in pages] == [[], [], []]
