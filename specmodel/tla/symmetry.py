"""Symmetry: permutations of model values, and the least of what they make of a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.tla.lazily import finite
from specmodel.tla.natives import apply_pairs
from specmodel.tla.values import (
    EvaluationError,
    FunctionValue,
    ModelValue,
    Value,
    function_of,
    order_key,
)

Permutation = dict[ModelValue, Value]

MOST_PERMUTATIONS = 50_000
"""The greatest number of permutations: each state is permuted by all."""


def closed_permutations(held: Value) -> list[Permutation]:
    """The group that some permutations generate, without the identity.

    Raises EvaluationError for what is no set of permutations of model values.
    """
    given: set[frozenset[Any]] = set()
    for function in finite(held):
        pairs = apply_pairs(function, "SYMMETRY")
        if not all(isinstance(v, ModelValue) for v in (*pairs, *pairs.values())):
            raise EvaluationError("SYMMETRY takes permutations of model values")
        if {*pairs} != {*pairs.values()}:
            raise EvaluationError("SYMMETRY takes permutations: one maps two values to the same")
        given.add(_moved(pairs))
    found = {frozenset[Any](), *given}
    fresh = list(found)
    while fresh:
        made = {_moved(_after(dict(one), dict(other))) for one in fresh for other in given}
        fresh = list(made - found)
        found |= made
        if len(found) > MOST_PERMUTATIONS:
            raise EvaluationError(f"SYMMETRY has more than {MOST_PERMUTATIONS:,} permutations")
    return [dict(moved) for moved in found if moved]


def _moved(pairs: Permutation) -> frozenset[Any]:
    return frozenset((a, b) for a, b in pairs.items() if a is not b)


def _after(first: Permutation, second: Permutation) -> Permutation:
    """The permutation that is `first` and then `second`."""
    return {v: second.get(first.get(v, v), first.get(v, v)) for v in {**first, **second}}


@dataclass(frozen=True)
class SomePermutations:
    """Some of the permutations, by number, and those of them that make the lowest of a value."""

    numbers: Sequence[int]
    lowest: dict[tuple[int, Value], SomePermutations] = field(
        default_factory=dict[Any, "SomePermutations"]
    )


def hash_of(place: int, value: Value) -> int:
    """A number that orders values. Large values keep it; two may share it, as -1 and -2 do."""
    return hash(value)


class PermutedStates:
    """Finds the least state of each orbit: the values of the variables are compared in turn."""

    def __init__(
        self, permutations: Sequence[Permutation], rank: Callable[[int, Value], Any] = hash_of
    ) -> None:
        """`rank` orders the values of a variable, given by its number."""
        self.permutations: list[Permutation] = [{}, *permutations]
        self.rank = rank
        self.kept: list[dict[Value, Value]] = [{} for _ in self.permutations]
        self.every = SomePermutations(range(len(self.permutations)))
        self.known: dict[Sequence[int], SomePermutations] = {}

    def orbit(self, state: tuple[Value, ...]) -> list[tuple[Value, ...]]:
        """What the permutations make of a state."""
        return [self._made(state, number) for number in self.every.numbers]

    def least(
        self, state: tuple[Value, ...], order: Sequence[int] | None = None
    ) -> tuple[Value, ...]:
        """The least of the states that the permutations make of one.

        `order` has the numbers of the variables, the first to be compared first. Without it, those
        with few values come first: the order must be the same for all states of an orbit.
        """
        left = self.every
        for place in sorted(range(len(state)), key=_size_in(state)) if order is None else order:
            if len(left.numbers) > 1:
                value = state[place]
                left = left.lowest.get((place, value)) or self._chosen(place, value, left)
        return self._made(state, left.numbers[0])

    def _chosen(self, place: int, value: Value, of: SomePermutations) -> SomePermutations:
        made = [permuted(value, self.permutations[n], self.kept[n]) for n in of.numbers]
        least = lowest(made, lambda one: self.rank(place, one))
        found = tuple([n for n, one in zip(of.numbers, made, strict=True) if one == least])
        if len(of.lowest) > _MOST_KEPT:
            of.lowest.clear()
        of.lowest[place, value] = chosen = self.known.setdefault(found, SomePermutations(found))
        return chosen

    def _made(self, state: tuple[Value, ...], number: int) -> tuple[Value, ...]:
        permutation, kept = self.permutations[number], self.kept[number]
        return tuple([permuted(value, permutation, kept) for value in state])


def lowest(values: Sequence[Any], rank: Callable[[Any], Any] = hash) -> Any:
    """The value with the lowest rank; of several, the least."""
    ranks = list(map(rank, values))
    least = min(ranks)
    found = {value for value, held in zip(values, ranks, strict=True) if held == least}
    return found.pop() if len(found) == 1 else min(found, key=order_key)


def _size_in(state: tuple[Value, ...]) -> Callable[[int], int]:
    """The size of a variable that is a set, by number: permutations do not change it."""

    def size(place: int) -> int:
        value = state[place]
        return len(value) if value.__class__ is frozenset else 0

    return size


_MOST_KEPT = 100_000


def _items(held: Any) -> list[Value]:
    return list(held)


def permuted(value: Value, permutation: Permutation, kept: dict[Value, Value]) -> Value:
    """A value with other names of model values; `kept` has those of values that were asked for."""
    if isinstance(value, ModelValue):
        return permutation.get(value, value)
    if value.__class__ not in (frozenset, tuple, FunctionValue):
        return value
    found = kept.get(value)
    if found is None:
        if len(kept) > _MOST_KEPT:
            kept.clear()
        if isinstance(value, FunctionValue):
            found = function_of(
                {
                    permuted(k, permutation, kept): permuted(v, permutation, kept)
                    for k, v in value.pairs.items()
                }
            )
        else:
            items = [permuted(v, permutation, kept) for v in _items(value)]
            found = tuple(items) if value.__class__ is tuple else frozenset(items)
        kept[value] = found
    return found
