"""What walks say of how much they have seen: right where it can be known, silent where not."""

from __future__ import annotations

import random

import pytest

import specmodel
from specmodel.walks import totals
from specmodel.walks.estimate import touched
from specmodel.walks.plan import Strategy, WalkPlan
from specmodel.walks.random_choices import mix
from specmodel.walks.totals import Sample


def visits(states: int, walks: int, length: int, seed: int = 1) -> list[list[int]]:
    """For each walk the marks of states that it visits, each state as likely as another."""
    draw = random.Random(seed)
    return [[mix(draw.randrange(states) + 1) for _ in range(length)] for _ in range(walks)]


def sampled(walks: list[list[int]]) -> Sample:
    sample = Sample()
    for walk, marks in enumerate(walks):
        for mark in marks:
            sample.add(mark, walk)
    return sample


def test_counts_walks_not_visits() -> None:
    """A walk that comes back to a state has not visited it twice."""
    sample = Sample()
    for walk in (0, 1, 0, 1, 0):
        sample.add(5, walk)
    sample.add(6, 0)
    sample.add(6, 0)
    found = touched(sample, 200, WalkPlan())
    assert (found.states, found.once, found.twice) == (2, 1, 1)


def test_a_whole_space() -> None:
    """The 288 states of two-phase commit, all seen and many times: no more are expected."""
    found = specmodel.simulate("two-phase-commit", walks=20_000).touched
    assert (found.states, found.share, found.new_a_walk, found.least) == (288, 1.0, 0.0, 288.0)


def test_a_part_of_a_known_space() -> None:
    """When states are equally likely the estimates are not only bounds: within a tenth of it."""
    walks = visits(states=3000, walks=400, length=5)
    found = touched(sampled(walks), 400, WalkPlan())
    assert found.states == len({mark for marks in walks for mark in marks})
    assert found.least == pytest.approx(3000, rel=0.1)
    more = visits(states=3000, walks=2000, length=5, seed=2)
    known = {mark for marks in walks for mark in marks}
    new = sum(len(set(marks) - known) for marks in more) / 2000
    assert found.new_a_walk == pytest.approx(new, rel=0.1)


def test_a_slice_stands_for_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample that holds a small part of the states estimates all of them."""
    walks = visits(states=40_000, walks=4000, length=10)
    whole = touched(sampled(walks), 4000, WalkPlan())
    monkeypatch.setattr(totals, "MOST_SAMPLED", 2000)
    small = sampled(walks)
    assert len(small.walks) <= 2000
    part = touched(small, 4000, WalkPlan())
    assert part.share < 1
    assert part.states == pytest.approx(whole.states, rel=0.08)
    assert part.least == pytest.approx(whole.least, rel=0.08)
    assert part.new_a_walk == pytest.approx(whole.new_a_walk, rel=0.1)


def test_samples_do_not_depend_on_who_took_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Walks dealt out to three samplers and merged, or all to one: the same slice of states."""
    monkeypatch.setattr(totals, "MOST_SAMPLED", 500)
    walks = visits(states=20_000, walks=900, length=10)
    alone, apart = Sample(), [Sample() for _ in range(3)]
    for walk, marks in enumerate(walks):
        for mark in marks:
            alone.add(mark, walk)
            apart[walk % 3].add(mark, walk)
    merged = Sample()
    for sample in apart:
        merged.merge(sample)
    assert merged.slice == alone.slice
    assert {m: len(w) for m, w in merged.walks.items()} == {
        m: len(w) for m, w in alone.walks.items()
    }


@pytest.mark.parametrize(
    ("states", "walks", "strategy", "reason"),
    [
        (100, 50, Strategy.uniform, "fewer than 100 walks"),
        (10_000_000, 200, Strategy.uniform, "100% of the states were visited by one walk only"),
        (100, 300, Strategy.coverage, "walks of this strategy depend on those before them"),
    ],
)
def test_says_when_it_cannot_know(states: int, walks: int, strategy: Strategy, reason: str) -> None:
    """No number is given where there is no ground for one, and the reason is."""
    found = touched(sampled(visits(states, walks, 5)), walks, WalkPlan(strategy=strategy))
    assert found.least is None
    assert found.unknown == reason


def test_few_repetitions_say_nothing() -> None:
    """Two states seen once and none seen twice: dividing by nothing is no estimate."""
    sample = sampled([[1, 2, 3, 4], [1, 2, 3], [1, 2, 3], [5]])
    found = touched(sample, 500, WalkPlan())
    assert found.least is None
    assert "visited by two walks" in found.unknown
