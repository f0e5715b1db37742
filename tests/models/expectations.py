"""What the YAML files of designs expect, as cases for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pytest

from specmodel import check, load
from specmodel.design import Design
from specmodel.regression.expectations import mismatches, rows
from specmodel.results import Result


def expected_at(design: Design) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Constants to set and what is expected with them: first none, then each entry of `at`."""
    return [(dict(row.constants), dict(row.expected)) for row in rows(design.expect)]


QUICK_STATES = 1_000_000
"""The most distinct states of a run that is not marked slow."""


def cases(designs: Iterable[str], *, at_slow: bool = False) -> list[Any]:
    """Parameters (name, constants, expected): every expectation of some designs.

    Those over large state spaces are slow; with `at_slow`, so are all at other than the defaults.
    """
    found: list[Any] = []
    for name in designs:
        for constants, expected in expected_at(load(name)):
            slow = expected["distinct"] > QUICK_STATES or (at_slow and bool(constants))
            told = ",".join(f"{key}={value}" for key, value in constants.items())
            marks = [pytest.mark.slow] if slow else []
            found.append(pytest.param(name, constants, expected, id=f"{name}-{told}", marks=marks))
    return found


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


def differences(result: Result, expected: dict[str, Any]) -> list[str]:
    """What a result of the whole space and an expectation disagree on."""
    return [mismatch.text for mismatch in mismatches(result, expected)]


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
