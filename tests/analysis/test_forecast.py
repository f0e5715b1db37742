"""Forecasts of the size of a space, held against what it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest

from specmodel.analysis.forecast import Forecast, forecast

LEVELS: dict[str, list[int]] = json.loads(
    (Path(__file__).parent / "levels.json").read_text(encoding="utf-8")
)
"""The sizes of the levels of shipped designs with 5,000 states or more, at their defaults."""

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "profile.md"

SEEN = (0.1, 0.25, 0.5, 0.75, 0.9)


def part(sizes: Sequence[int], share: float) -> list[int]:
    """The levels until so much of all states has been seen."""
    seen = [0, *accumulate(sizes)][:-1]
    total = sum(sizes)
    return [size for size, before in zip(sizes, seen, strict=True) if before < share * total]


def backtest(share: float) -> tuple[int, int, float, float]:
    """Forecasts made, those whose range has the truth, and the extremes of likely over true."""
    made = [(forecast(part(sizes, share)), sum(sizes)) for sizes in LEVELS.values()]
    known = [(found, total) for found, total in made if found is not None]
    inside = sum(found.low <= total <= found.high for found, total in known)
    ratios = [found.likely / total for found, total in known]
    return len(known), inside, min(ratios), max(ratios)


@pytest.mark.parametrize("share", SEEN)
def test_table_of_the_guide(share: float) -> None:
    """The guide says how good forecasts are; this is what they are."""
    made, inside, least, most = backtest(share)
    row = f"| {share:.0%} | {made} of {len(LEVELS)} | {inside} | {least:.2f} to {most:.2f} |"
    assert row in PAGE.read_text(encoding="utf-8"), row


def test_a_parabola_is_forecast_exactly() -> None:
    """Levels whose logarithms are a parabola: the likely number is the sum of all of them."""
    from math import exp

    sizes = [round(exp(12 - (level - 15) ** 2 / 18.75)) for level in range(31)]
    for seen in (10, 15, 20):
        found = forecast(sizes[:seen])
        assert found is not None and abs(found.likely / sum(sizes) - 1) < 0.01


@pytest.mark.parametrize(
    "sizes",
    [[], [1] * 6, [2**k for k in range(20)], [1, 2, 3, 4, 5, 6, 7], [4**k for k in range(9)]],
)
def test_no_forecast(sizes: list[int]) -> None:
    """Too few levels or states, or growth that does not slow down: nothing is said."""
    assert forecast(sizes) is None


def test_levels_before() -> None:
    """States of levels that are not known count as seen."""
    sizes = LEVELS["kip320"][:18]
    late, whole = forecast(sizes[8:], sum(sizes[:8])), forecast(sizes)
    assert late == whole
    assert isinstance(whole, Forecast) and whole.low <= whole.likely <= whole.high
