"""Symmetry: permutations of model values, and the least of what they make of a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.tla.lazily import finite
from specmodel.tla.natives import apply_pairs
from specmodel.tla.scopes import Run
from specmodel.tla.values import (
    EvaluationError,
    FunctionValue,
    ModelValue,
    Value,
    function_of,
    order_key,
    settled,
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


class PermutedStates:
    """Finds the least state of each orbit, or the least `view` of these states."""

    def __init__(self, permutations: Sequence[Permutation], view: Run | None) -> None:
        self.permutations = permutations
        self.view = view
        self.kept: list[dict[Value, Value]] = [{} for _ in permutations]

    def least(self, state: tuple[Value, ...]) -> tuple[Value, ...]:
        """The least of the states that the permutations make of one, or the least view of them."""
        best = self._seen(state)
        least = _digits(best)
        for permutation, kept in zip(self.permutations, self.kept, strict=True):
            made = self._seen(tuple([permuted(v, permutation, kept) for v in state]))
            digits = _digits(made)
            if digits < least or (
                digits == least and made != best and order_key(made) < order_key(best)
            ):
                best, least = made, digits
        return best

    def _seen(self, state: tuple[Value, ...]) -> tuple[Value, ...]:
        if self.view is None:
            return state
        found = settled(self.view((), state, None))
        return found if found.__class__ is tuple else (found,)


def _digits(values: tuple[Value, ...]) -> tuple[int, ...]:
    """Numbers that order values, and are known of large ones. Python has the same for -1 and -2."""
    return tuple(map(hash, values))


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
