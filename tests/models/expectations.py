"""Searches of whole designs, each made once. `specmodel test` holds them to their files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pytest

from specmodel import check, load
from specmodel.design import Design
from specmodel.results import Result

QUICK_STATES = 1_000_000
"""The most distinct states of a run that is not marked long."""


def by_size(designs: Iterable[str]) -> list[Any]:
    """Designs as parameters; those with large state spaces at their defaults are long."""
    sizes = {name: load(name).expect["distinct"] for name in designs}
    return [
        pytest.param(name, marks=[pytest.mark.long] if size > QUICK_STATES else [])
        for name, size in sizes.items()
    ]


@cache
def loaded(name: str, constants: tuple[tuple[str, Any], ...]) -> Design:
    """A design with constants; the same one each time, as states of two loads are never equal."""
    return load(name, **dict(constants))


@cache
def check_everything(
    name: str, constants: tuple[tuple[str, Any], ...] = (), engine: str = "native"
) -> Result:
    """A design's whole state space, and the shortest counterexample of each property."""
    return check(loaded(name, constants), engine=engine, keep_going=True)


def silent(result: Result) -> list[str]:
    """The actions that never fired."""
    return [action for action, fired in result.coverage.items() if not fired]


def unbroken(names: Sequence[str]) -> set[str]:
    """The properties that these designs check and that, at their defaults, all are to keep."""
    checked: set[str] = set()
    broken: set[str] = set()
    for name in names:
        design = load(name)
        kinds = {rule.name: rule.role for rule in design.spec.properties}
        checked |= {check for check in design.checks if kinds[check] != "reachable"}
        expected = design.expect.get("properties", {})
        broken |= {p for p, found in expected.items() if found["verdict"] == "violated"}
    return checked - broken
