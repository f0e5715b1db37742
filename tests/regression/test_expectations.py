"""What a result and a row of expectations disagree on, and how that is said."""

from __future__ import annotations

from typing import Any

import pytest

import specmodel
from specmodel.design import Design
from specmodel.regression.expectations import (
    growth,
    judged,
    mismatches,
    rows,
    whole,
)
from specmodel.results import Result


@pytest.fixture(scope="module")
def design() -> Design:
    return specmodel.load("two-phase-commit-impatient", participants=2)


@pytest.fixture(scope="module")
def result(design: Design) -> Result:
    return specmodel.check(design, keep_going=True, workers=1)


def expected(result: Result) -> dict[str, Any]:
    """Just what was found."""
    return {
        "verdict": result.verdict,
        "distinct": result.distinct,
        "depth": result.depth,
        "properties": {
            found.name: {"verdict": found.verdict, "trace_length": found.trace_length}
            for found in result.properties
            if found.trace_length is not None
        },
    }


def test_what_was_found_is_as_expected(result: Result) -> None:
    """Nothing differs from itself, and what is not said is not compared."""
    assert mismatches(result, expected(result)) == ()
    assert mismatches(result, {"verdict": "violated"}) == ()


@pytest.mark.parametrize(
    ("change", "text", "where"),
    [
        ({"distinct": 1}, "states: 81, expected 1", ("distinct",)),
        ({"depth": 99}, "depth: 8, expected 99", ("depth",)),
        ({"verdict": "holds"}, "verdict: violated, expected holds", ("verdict",)),
        (
            {"properties": {"agreement": {"verdict": "violated", "trace_length": 5}}},
            "agreement: violated, in 8 states; expected: violated, in 5 states",
            ("properties", "agreement"),
        ),
        (
            {"properties": {"agreement": {"verdict": "holds"}}},
            "agreement: violated, in 8 states; expected: holds",
            ("properties", "agreement"),
        ),
    ],
)
def test_each_difference_is_told(
    result: Result, change: dict[str, Any], text: str, where: tuple[str, ...]
) -> None:
    """With what was found, what was expected, and where in the row that is written."""
    wrong = mismatches(result, {**expected(result), **change})
    assert where in [mismatch.where for mismatch in wrong]
    told = next(m.text for m in wrong if m.where == where)
    assert told.startswith(text)


def test_a_property_that_is_not_listed_is_expected_to_hold(result: Result) -> None:
    """Else a second property could break unnoticed in a design that is violated anyway."""
    listed = {"verdict": "violated", "properties": {"all_aborted": {"verdict": "holds"}}}
    assert [m.property for m in mismatches(result, listed)] == ["agreement"]


def test_floors_of_coverage(result: Result) -> None:
    """An action that fires less often than it should is told, with how often it does."""
    fired = result.coverage["prepare"]
    assert mismatches(result, {"verdict": "violated", "coverage": {"prepare": fired}}) == ()
    wrong = mismatches(result, {"verdict": "violated", "coverage": {"prepare": fired + 1}})
    assert [(m.where, m.value) for m in wrong] == [(("coverage", "prepare"), fired)]


def test_a_row_that_expects_nothing_is_no_success(result: Result) -> None:
    """It says what it could expect instead."""
    wrong = mismatches(result, {})
    assert {m.where for m in wrong} == {
        ("verdict",),
        ("distinct",),
        ("depth",),
        ("properties", "agreement"),
    }


def test_rows() -> None:
    """First the constants of the file, then `at`; a file may expect something elsewhere only."""
    at = {"constants": {"n": 2}, "verdict": "holds"}
    assert [row.where for row in rows({"verdict": "holds", "at": [at]})] == [
        ("expect",),
        ("expect", "at", "0"),
    ]
    assert [row.constants for row in rows({"at": [at]})] == [{"n": 2}]
    assert [row.where for row in rows({})] == [("expect",)]


def test_listed_properties_are_checked_too(design: Design) -> None:
    """An expectation of a property that the design does not check by default is not overlooked."""
    assert "all_aborted" in judged(design, {"properties": {"all_aborted": {"verdict": "holds"}}})


def test_the_whole_space_is_seen_only_where_it_is_compared() -> None:
    """A violated design of unknown size need not be explored to its end."""
    assert not whole({"verdict": "violated"}, ["one"])
    assert whole({"verdict": "violated", "distinct": 5}, ["one"])
    assert whole({"verdict": "violated"}, ["one", "two"])
    assert whole({"verdict": "holds"}, ["one"])


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [(100, 114, "+14 %"), (100, 50, "-50 %"), (1000, 1004, "+0.40 %"), (200, 203, "+1.5 %")],
)
def test_growth(before: int, after: int, text: str) -> None:
    """A small growth does not read as none."""
    assert growth(before, after) == text
