"""The walk of each number: random numbers from counters, and the choices made with them.

Every random number is a hash of the seed, the walk's number, and its own number in the walk. So no
walk depends on another, or on the worker that makes it (Salmon et al., "Parallel random numbers: as
easy as 1, 2, 3", 2011; the hash is the finaliser of SplitMix64, Steele et al. 2014). This module
defines the meaning of `specmodel.engines.native.walk_steps`, which does the same in machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from specmodel.dataclass import dataclass
from specmodel.walks.plan import Strategy, WalkPlan

MASK = (1 << 64) - 1

GAMMA = 0x9E3779B97F4A7C15
PRIORITIES = 0xD1B54A32D192ED03
CHANGE_POINTS = 0x8CB92BA72F3D8DD7
STATE_SEED = 0x2545F4914F6CDD1D

TABLE_BITS = 14
"""Situations and choices are counted in a table of 2^14 places; those that share a place add up."""

LEAST_COUNTED = 1 << 12
"""All greater counts have the same weight."""


def mix(x: int) -> int:
    """A bijection of 64 bits in which each bit of the result depends on all bits."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def draw(key: int, number: int) -> int:
    """The random number, 0 to 2^64 - 1, with a given number for a key."""
    return mix((key + number * GAMMA) & MASK)


def below(chance: int, bound: int) -> int:
    """A random number 0 to bound - 1 from one of 64 bits; uneven by at most bound / 2^64."""
    return chance * bound >> 64


def seed_key(seed: int) -> int:
    """The key of a seed, from which those of its walks are made."""
    return mix((seed + GAMMA) & MASK)


def walk_key(seed: int, walk: int) -> int:
    """The key of a walk."""
    return draw(seed_key(seed), walk)


def fingerprint(words: Sequence[int]) -> int:
    """A hash of a packed state, never 0."""
    h = STATE_SEED
    for word in words:
        h = mix(h ^ word)
    return h or 1


def weight_of(count: int) -> int:
    """The weight of a choice by the number of times it was made."""
    return (1 << 24) // (1 + min(count, LEAST_COUNTED - 1)) ** 2


@dataclass
class Experience:
    """How often each choice was made in each situation, by walks of earlier rounds.

    A situation is the set of enabled bindings, or 0 for all situations together. `now` are the
    counts of this round, which are used from the next round on.
    """

    counts: dict[int, int] = field(default_factory=dict[int, int])
    now: dict[int, int] = field(default_factory=dict[int, int])

    def weight(self, situation: int, number: int) -> int:
        """The weight of a choice: higher if it was made less often, in all and in its situation."""
        places = _place(situation, number), _place(0, number)
        a, b = (weight_of(self.counts.get(place, 0)) for place in places)
        return a * b

    def note(self, situation: int, number: int) -> None:
        """Counts a choice."""
        for place in _place(situation, number), _place(0, number):
            self.now[place] = self.now.get(place, 0) + 1

    def learn(self) -> None:
        """Ends a round: its counts are used from now on."""
        for place, count in self.now.items():
            self.counts[place] = self.counts.get(place, 0) + count
        self.now.clear()


def _place(situation: int, number: int) -> int:
    return draw(situation, number) >> 64 - TABLE_BITS


@dataclass
class Chooser:
    """The choices of one walk. `actions` has the action of each binding, by number."""

    plan: WalkPlan
    key: int
    actions: Sequence[int]
    weights: Sequence[int]
    experience: Experience

    def __post_init__(self) -> None:
        changes, steps = self.plan.changes, self.plan.depth - 1
        self.points = [1 + below(draw(self.key ^ CHANGE_POINTS, k), steps) for k in range(changes)]
        self.lowered: list[int | None] = [None] * changes

    def initial(self, count: int) -> int:
        """The initial state, one of `count`, in which the walk begins."""
        return below(draw(self.key, 0), count)

    def choose(self, step: int, enabled: Sequence[int]) -> int | None:
        """The binding taken as this step (from 1) of those enabled; None: the strategy takes none.

        Bindings are in order, and at least one is enabled.
        """
        chance = draw(self.key, 2 * step)
        match self.plan.strategy:
            case Strategy.uniform:
                return enabled[below(chance, len(enabled))]
            case Strategy.weighted:
                return self._weighted(chance, draw(self.key, 2 * step + 1), enabled)
            case Strategy.coverage:
                return self._guided(chance, enabled)
            case Strategy.pct:
                return self._first(step, enabled)

    def _weighted(self, chance: int, second: int, enabled: Sequence[int]) -> int | None:
        groups: dict[int, list[int]] = {}
        for number in enabled:
            groups.setdefault(self.actions[number], []).append(number)
        total = sum(self.weights[action] for action in groups)
        if total == 0:
            return None
        action = _by_weight(chance, {a: self.weights[a] for a in groups})
        return groups[action][below(second, len(groups[action]))]

    def _guided(self, chance: int, enabled: Sequence[int]) -> int:
        situation = sum(mix(number + 1) for number in enabled) & MASK
        weigh = self.experience.weight
        chosen = _by_weight(chance, {n: weigh(situation, n) for n in enabled})
        self.experience.note(situation, chosen)
        return chosen

    def _first(self, step: int, enabled: Sequence[int]) -> int:
        """The first binding of the highest priority; lowered bindings are below all others."""

        def priority(number: int) -> int:
            if number in self.lowered:
                return self.lowered.index(number) - len(self.lowered)
            return draw(self.key ^ PRIORITIES, number) >> 1

        chosen = max(enabled, key=priority)
        for k, point in enumerate(self.points):
            if point == step:
                self.lowered = [None if n == chosen else n for n in self.lowered]
                self.lowered[k] = chosen
        return chosen


def _by_weight(chance: int, weights: dict[int, int]) -> int:
    """One of the places, chosen by weights that are not all 0."""
    rest = below(chance, sum(weights.values()))
    for key, weight in weights.items():
        if rest < weight:
            return key
        rest -= weight
    raise AssertionError("a number below the sum of weights is within one of them")
