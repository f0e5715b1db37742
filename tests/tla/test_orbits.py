"""The least state of an orbit is found variable by variable, the same one for all its states."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from specmodel.tla import symmetry
from specmodel.tla.symmetry import PermutedStates, permuted
from specmodel.tla.values import ModelValue, Value, function_of

NODES = [ModelValue(name, place) for place, name in enumerate("abcd")]
GROUP = [dict(zip(NODES, other, strict=True)) for other in permutations(NODES)]


def some_value(draw: random.Random, depth: int = 0) -> Value:
    """A value with nodes in it: a node or number, a set, a function, or a tuple."""
    kind = draw.randrange(2 if depth == 2 else 5)
    if kind == 0:
        return draw.choice(NODES)
    if kind == 1:
        return draw.choice([-2, -1, 0, 1])  # Python has the same hash for the first two
    if kind == 2:
        return frozenset(some_value(draw, 2) for _ in range(draw.randrange(4)))
    if kind == 3:
        return function_of({node: some_value(draw, depth + 1) for node in NODES})
    return tuple(some_value(draw, depth + 1) for _ in range(draw.randrange(3)))


def test_one_state_stands_for_its_orbit() -> None:
    """It is in the orbit, and is found from each of its states, whatever was asked before."""
    draw = random.Random(3)
    orbits = PermutedStates(GROUP[1:])
    stands: dict[tuple[Value, ...], frozenset[tuple[Value, ...]]] = {}
    for _ in range(300):
        state = tuple(some_value(draw) for _ in range(3))
        orbit = frozenset(tuple(permuted(v, p, {}) for v in state) for p in GROUP)
        (least,) = {orbits.least(one) for one in orbit}
        assert least in orbit and stands.setdefault(least, orbit) == orbit
    assert len(stands) > 100


def test_values_with_the_same_hash() -> None:
    """Of several values with the lowest rank, the least is taken, not any."""
    orbits = PermutedStates(GROUP[1:], rank=lambda place, value: 0)
    state = (NODES[2], frozenset(NODES[2:]))
    assert orbits.least(state) == (NODES[0], frozenset(NODES[:2]))


def test_what_is_kept_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values that were forgotten are permuted again."""
    monkeypatch.setattr(symmetry, "_MOST_KEPT", 2)
    orbits, plain = PermutedStates(GROUP[1:]), PermutedStates(GROUP[1:])
    draw = random.Random(4)
    for _ in range(50):
        state = (some_value(draw), some_value(draw))
        assert orbits.least(state) == plain.least(state)
        plain = PermutedStates(GROUP[1:])
