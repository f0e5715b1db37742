"""Operators of Bags and community modules that the machine code has too, or that are slow in TLA+.

The others are in `shipped_modules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from specmodel.tla.lazily import finite
from specmodel.tla.natives import apply_pairs, integer, op, sequence
from specmodel.tla.scopes import Call, RefusedSymbol
from specmodel.tla.values import (
    EMPTY,
    FALSE,
    EvaluationError,
    FunctionValue,
    Value,
    equal,
    has_names,
    ordered,
    pairs_of,
    set_of,
    settled,
    truth,
)

UNORDERED = "this fold depends on the order of strings or model values: not supported"


def _op(name: str, call: Call, *orders: int) -> Any:
    return op(name, call, *orders, community=True)


def _fold_set(apply: Callable[..., Value], base: Value, held: Value) -> Value:
    return _folded(apply, base, {member: member for member in finite(held)})


def folded_first(apply: Callable[..., Any]) -> Callable[..., Any]:
    """An operator of Apalache's folds as one of the other folds, which takes the item first."""

    def swapped(item: Any, found: Any) -> Any:
        return apply(found, item)

    return swapped


def _left(fold: Callable[..., Value]) -> Callable[..., Value]:
    def folded(apply: Callable[..., Value], base: Value, held: Value) -> Value:
        return fold(folded_first(apply), base, held)

    return folded


def _fold_function(apply: Callable[..., Value], base: Value, function: Value) -> Value:
    return _folded(apply, base, apply_pairs(function, "FoldFunction"))


def _folded(apply: Callable[..., Value], base: Value, pairs: dict[Value, Value]) -> Value:
    """The values of a function, folded in the order of its arguments.

    Raises EvaluationError if the order of names decides, which is TLC's own.
    """
    values = [pairs[key] for key in ordered(frozenset(pairs))]

    def through(items: Iterable[Value]) -> Value:
        found = base
        for item in items:
            found = apply(item, found)
        return settled(found)

    found = through(values)
    if any(map(has_names, pairs)) and not equal(found, through(reversed(values))):
        raise EvaluationError(
            UNORDERED,
            hint="TLC orders them by the places where it met them first",
        )
    return found


def _fold_sequence(apply: Callable[..., Value], base: Value, held: Value) -> Value:
    for item in sequence(held, "FoldSeq"):
        base = apply(item, base)
    return base


def _bitwise(name: str, call: Callable[[int, int], int]) -> Any:
    def run(a: Value, b: Value) -> Value:
        one, other = integer(a, name), integer(b, name)
        if one < 0 or other < 0:
            raise EvaluationError(f"{name} takes numbers from 0 on")
        return call(one, other)

    return _op(name, run, 0, 0)


def _best(name: str, pick: Callable[..., int]) -> Any:
    def run(held: Value) -> Value:
        members = [integer(v, name) for v in finite(held)]
        if not members:
            raise EvaluationError(f"{name} of the empty set")
        return pick(members)

    return _op(name, run, 0)


def _subsets_of_size(size: Value, held: Value) -> Value:
    members, count = finite(held), integer(size, "kSubset")
    return frozenset(map(frozenset, combinations(members, count))) if count >= 0 else EMPTY


def _is_bag(held: Value) -> Value:
    held = settled(held)
    if not isinstance(held, tuple | FunctionValue):
        return FALSE
    copies = pairs_of(held).values()
    return truth(all(n.__class__ is int and n > 0 for n in copies))


COMMUNITY: dict[str, list[Any]] = {
    "Bags": [_op("IsABag", _is_bag, 0)],
    "Functions": [
        _op("FoldFunction", _fold_function, 2, 0, 0),
        _op("Range", lambda f: set_of(apply_pairs(f, "Range").values()), 0),
    ],
    "FiniteSetsExt": [
        _op("FoldSet", _fold_set, 2, 0, 0),
        _op("kSubset", _subsets_of_size, 0, 0),
        _best("Max", max),
        _best("Min", min),
    ],
    "SequencesExt": [
        _op("FoldSeq", _fold_sequence, 2, 0, 0),
        _op("ToSet", lambda s: set_of(sequence(s, "ToSet")), 0),
    ],
    "Apalache": [
        _op("ApaFoldSet", _left(_fold_set), 2, 0, 0),
        _op("ApaFoldSeqLeft", _left(_fold_sequence), 2, 0, 0),
        RefusedSymbol("Gen", None, "values that a solver finds are not supported"),
    ],
    "Bitwise": [
        _bitwise("&", lambda a, b: a & b),
        _bitwise("|", lambda a, b: a | b),
        _bitwise("^^", lambda a, b: a ^ b),
        _bitwise("shiftR", lambda a, b: a >> b),
    ],
}
"""The operators of each module that are not in its file in `shipped_modules`.

A module that defines one of these names itself keeps its own.
"""
