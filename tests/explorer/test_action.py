"""The action of a step: what its author says of it, its guards with their values, its source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from specmodel.explorer.export import exported
from tests.explorer.conftest import Open, Serve, at, counts, shows

Read = Callable[..., Any]


def test_the_action_of_each_step(opened: Open, read: Read, first_try: Path, serve: Serve) -> None:
    """It stays unfolded from step to step; guards have the values of the state before."""
    page = opened(f"{serve(read(first_try))}#/t12/10")
    counts(page.locator("action-view"), 0)
    page.locator("state-view summary", has_text="The action").click()
    action = page.locator("action-view")
    shows(action, "Just start to fetch", "leader is r3, not r2", "replica[r2].epoch is -1, below 0")
    shows(action.locator("pre"), "def become_follower_untruncated(", "leader_to_follow(s")
    shows(action, "truncation.py:")
    page.keyboard.press("k")
    at(page, 9)
    shows(action.locator("pre"), "def advance_hw")
    page.keyboard.press("Home")
    at(page, 1)
    counts(action, 0)


def test_an_exported_file(opened: Open, read: Read, first_try: Path, tmp_path: Path) -> None:
    """It has the source, what is said of the action, and the guards of the steps of its trace."""
    file = tmp_path / "trace.html"
    file.write_text(exported(read(first_try), explored=12), encoding="utf-8")
    page = opened(f"{file.as_uri()}#/t12/10", offline=True)
    page.locator("state-view summary", has_text="The action").click()
    shows(page.locator("action-view"), "Just start to fetch", "def become_follower_untruncated(")
    counts(page.locator("action-view li"), 5)
