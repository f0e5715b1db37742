"""A small module whose states take a number of steps, for tests of how a search goes on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from specmodel.results import Result

MODULE = """---- MODULE Walk ----
EXTENDS Integers
CONSTANTS Red, Green, Most
VARIABLES at, light
vars == <<at, light>>
Init == at = 0 /\\ light = [lamp |-> Red]
Step == at < Most /\\ at' = at + 1 /\\ UNCHANGED light
Turn == light' = [lamp |-> IF light.lamp = Red THEN Green ELSE Red] /\\ UNCHANGED at
Spec == Init /\\ [][Step \\/ Turn]_vars /\\ WF_vars(Step)
Low == ~(at = 15 /\\ light.lamp = Green)
Arrives == <>(at = Most)
Blinks == []<>(light.lamp = Green)
Divides == 10 \\div (at - 19) < 100
====
"""
CONFIG = """CONSTANTS Red = Red Green = Green Most = 20
SPECIFICATION Spec
CHECK_DEADLOCK FALSE
"""


def walk(folder: Path) -> Path:
    """The module, which no run has seen."""
    path = folder / "Walk.tla"
    path.write_text(f"This is {path} of {time.time()}.\n{MODULE}")
    path.with_suffix(".cfg").write_text(CONFIG)
    return path


def asking(module: Path, *lines: str) -> Path:
    """The module, with more lines in its configuration."""
    module.with_suffix(".cfg").write_text(CONFIG + "\n".join(lines) + "\n")
    return module


def counts(found: Result) -> tuple[object, ...]:
    """The numbers of a result."""
    return found.distinct, found.generated, found.depth, found.coverage, [*found.levels]


def forks_noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The processes that are forked, for a fixture; in the end, none is left."""
    started: list[int] = []
    fork = os.fork

    def noted() -> int:
        started.append(fork())
        return started[-1]

    monkeypatch.setattr(os, "fork", noted)
    yield started
    for process in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)
