"""The states of the design that a behaviour's own one refines, beside its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.explorer.export import exported
from tests.explorer.conftest import Open, Serve, at, counts, recorded, shows


@pytest.fixture(scope="module")
def early(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A commit by majority: no step of a commit protocol, 7 states."""
    folder = tmp_path_factory.mktemp("refined")
    return recorded(folder, "two-phase-messages-majority-refines", "commitment")


@pytest.mark.parametrize("file", [False, True], ids=["served", "exported"])
def test_the_abstract_state_and_step(
    opened: Open, read: Callable[..., Any], serve: Serve, early: Path, tmp_path: Path, file: bool
) -> None:
    """Each state shows the abstract one and the step to it, or that there is none."""
    reading = read(early)
    page_file = tmp_path / "trace.html"
    if file:
        page_file.write_text(exported(reading, explored=0), encoding="utf-8")
    page = opened(page_file.as_uri() if file else serve(reading), offline=file)
    at(page, 7)
    abstract = page.locator("state-view details", has=page.get_by_text("In tcommit"))
    counts(abstract, 1)
    shows(abstract.locator("summary"), "In tcommit: has no such step")
    shows(abstract, "committed")
    page.keyboard.press("k")
    at(page, 6)
    shows(abstract.locator("summary"), "In tcommit: stays as it is")
    page.keyboard.press("Home")
    at(page, 1)
    shows(abstract.locator("summary"), "In tcommit")
    shows(abstract, "working")
