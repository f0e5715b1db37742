"""The page of plays in a real browser: the table, one play step by step, and its transcript."""

from __future__ import annotations

from typing import Any

import pytest

from specmodel import conform
from specmodel.conformance.formats import conformance_document
from specmodel.explorer.bundle import one_page
from tests.conformance.tank import TEXT
from tests.explorer.conftest import DESKTOP, PHONE, Open, counts, shows
from tests.explorer.test_accessible import violations
from tests.written import written

BINDING = """
from dataclasses import replace
from specmodel.conformance import SubjectDesign, Withholding
from tests.conformance.tank import BINDING, Deaf, Tank

flaky = []

def sometimes():
    flaky.append(1)
    return Tank() if len(flaky) % 2 else Tank("deaf")

binding = replace(
    BINDING, properties=(), subjects={"tank": Tank, "deaf": Deaf, "flaky": sometimes},
    designs={"tank": SubjectDesign("tank.py:tank")}, withholding={"tap": Withholding},
)
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the page of plays of a tank is."""
    folder = tmp_path_factory.mktemp("plays")
    written(folder, TEXT, "tank.py")
    (folder / "binding.py").write_text(BINDING)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        report = conform("tank.py", "binding.py", traces=["full", "warned"], repeat=2)
        file = folder / "plays.html"
        file.write_text(one_page("Plays of tank", conformance_document(report), "plays"))
    return file.as_uri()


def chosen(page: Any) -> Any:
    """Where the chosen play is shown."""
    return page.locator("main.plays > section").last


def test_the_table(opened: Open, address: str) -> None:
    """A cell for each trace and subject; several outcomes with their numbers."""
    page = opened(address, wait=".outcomes", offline=True)
    counts(page.locator(".outcomes tbody tr"), 2)
    shows(page.locator(".outcomes"), "parted at step 2 (2)")
    first = page.locator(".outcomes tbody tr").first
    shows(first.locator("td").nth(2), "followed (1)")
    shows(first.locator("td").nth(2), "parted at step 2 (1)")
    shows(page.locator("main"), "deaf 1")
    shows(chosen(page), "Choose an outcome.")


def test_one_play_step_by_step(opened: Open, address: str) -> None:
    """A click chooses a play; keys go along its steps; what differs is marked; the lines of the
    transcript that belong to a step are marked too; the address keeps it all."""
    page = opened(address, wait=".outcomes", offline=True)
    page.locator(".outcomes a").nth(1).click()
    shows(chosen(page), "deaf on full: parted at step 2")
    shows(chosen(page), "expected level 1")
    here = page.locator(".played tr[aria-current=step]")
    shows(here, "fill()")
    shows(here, "differs")
    shows(page.locator(".observed tbody tr").first, "level10")
    page.keyboard.press("ArrowUp")
    shows(here, "the first state")
    counts(page.locator(".transcript .is-now"), 0)
    page.keyboard.press("ArrowDown")
    counts(page.locator(".transcript .is-now"), 1)
    shows(page.locator(".transcript .is-now"), "filled true")
    page.locator(".transcript .is-now summary").click()
    shows(page.locator(".transcript .is-now pre"), '"filled": true')
    again = opened(page.url, wait=".played", offline=True)
    shows(chosen(again), "deaf on full: parted at step 2")


def test_plays_of_one_trace(opened: Open, address: str) -> None:
    """Each play of a series can be chosen; what the subject's design predicts stands there."""
    page = opened(address, wait=".outcomes", offline=True)
    page.locator(".outcomes a", has_text="followed").first.click()
    shows(chosen(page), "Its design predicts: kept.")
    chosen(page).get_by_role("link", name="2", exact=True).first.click()
    shows(chosen(page), "Play 1 2")
    assert page.url.endswith("#full/tank/2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_accessible(opened: Open, address: str, size: dict[str, int], scheme: str) -> None:
    """axe-core has nothing against the page, and it is no wider than the screen."""
    page = opened(f"{address}#full/deaf/1/2", wait=".played", viewport=size, color_scheme=scheme)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
