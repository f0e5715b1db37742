"""Operators of the community modules that specs use most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from specmodel.tla.lazily import FunctionSpace, UnionSet, finite, interval
from specmodel.tla.natives import apply_pairs, function, holds, integer, op, sequence, within
from specmodel.tla.scopes import Call
from specmodel.tla.values import (
    EMPTY,
    EvaluationError,
    Value,
    equal,
    function_of,
    has_names,
    ordered,
    set_of,
    settled,
    truth,
)


def _op(name: str, call: Call, *orders: int) -> Any:
    return op(name, call, *orders, community=True)


def _restricted(function: Value, domain: Value) -> Value:
    pairs = apply_pairs(function, "Restrict")
    for key in finite(domain):
        if key not in pairs:
            raise EvaluationError("Restrict: the set is not within the function's domain")
    return function_of({k: v for k, v in pairs.items() if k in finite(domain)})


def _is_injective(function: Value) -> Value:
    values = list(apply_pairs(function, "IsInjective").values())
    return truth(len(set(values)) == len(values))


def _fold_set(apply: Callable[..., Value], base: Value, held: Value) -> Value:
    return _folded(apply, base, {member: member for member in finite(held)})


def _fold_function(apply: Callable[..., Value], base: Value, function: Value) -> Value:
    return _folded(apply, base, apply_pairs(function, "FoldFunction"))


def _fold_function_on(
    apply: Callable[..., Value], base: Value, function: Value, held: Value
) -> Value:
    pairs = apply_pairs(function, "FoldFunctionOnSet")
    for key in finite(held):
        if key not in pairs:
            raise EvaluationError("FoldFunctionOnSet: the set is not within the function's domain")
    return _folded(apply, base, {key: pairs[key] for key in finite(held)})


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
            "this fold depends on the order of strings or model values: not supported",
            hint="TLC orders them by the places where it met them first",
        )
    return found


def _fold_sequence(apply: Callable[..., Value], base: Value, held: Value) -> Value:
    for item in sequence(held, "FoldSeq"):
        base = apply(item, base)
    return base


def _bounded(held: Value, most: Value) -> Value:
    sizes = range(integer(most, "BoundedSeq") + 1)
    return UnionSet([FunctionSpace(interval(1, size), held) for size in sizes])


def _without_place(held: Value, place: Value) -> Value:
    items, at = sequence(held, "RemoveAt"), integer(place, "RemoveAt")
    if not 1 <= at <= len(items):
        raise EvaluationError(f"RemoveAt: the sequence has no place {at}")
    return (*items[: at - 1], *items[at:])


def _replaced(held: Value, place: Value, value: Value) -> Value:
    items, at = sequence(held, "ReplaceAt"), integer(place, "ReplaceAt")
    if not 1 <= at <= len(items):
        raise EvaluationError(f"ReplaceAt: the sequence has no place {at}")
    return (*items[: at - 1], settled(value), *items[at:])


def _common_prefix(held: Value) -> Value:
    found = [sequence(v, "LongestCommonPrefix") for v in finite(held)]
    if not found:
        raise EvaluationError("LongestCommonPrefix of the empty set")
    least, most = min(map(len, found)), 0
    while most < least and all(items[most] == found[0][most] for items in found):
        most += 1
    return found[0][:most]


def _inverse(function: Value) -> Value:
    pairs = apply_pairs(function, "AntiFunction")
    made = {value: key for key, value in pairs.items()}
    if len(made) != len(pairs):
        raise EvaluationError("AntiFunction of a function that has a value twice: not supported")
    return function_of(made)


def _bag_with(bag: Value, value: Value, more: int) -> Value:
    pairs, key = dict(apply_pairs(bag, "BagsExt")), settled(value)
    copies = pairs.pop(key, 0) + more
    return function({**pairs, key: copies} if copies > 0 else pairs)


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


def _quantity(held: Value, test: Callable[[Value], Value]) -> Value:
    return sum(holds(test(v), "Quantify") for v in finite(held))


_FUNCTIONS = [
    _op("FoldFunction", _fold_function, 2, 0, 0),
    _op("FoldFunctionOnSet", _fold_function_on, 2, 0, 0, 0),
    _op("Range", lambda f: set_of(apply_pairs(f, "Range").values()), 0),
    _op("Restrict", _restricted, 0, 0),
    _op("AntiFunction", _inverse, 0),
    _op("IsInjective", _is_injective, 0),
]
_FINITE_SETS_EXT = [
    *_FUNCTIONS,
    _op("SumSet", lambda s: within(sum(integer(v, "SumSet") for v in finite(s))), 0),
    _op("FoldSet", _fold_set, 2, 0, 0),
    _op("Quantify", _quantity, 0, 1),
    _op("kSubset", _subsets_of_size, 0, 0),
    _best("Max", max),
    _best("Min", min),
]
COMMUNITY: dict[str, list[Any]] = {
    "Functions": _FUNCTIONS,
    "FiniteSetsExt": _FINITE_SETS_EXT,
    "BagsExt": [
        _op("BagAdd", lambda b, e: _bag_with(b, e, 1), 0, 0),
        _op("BagRemove", lambda b, e: _bag_with(b, e, -1), 0, 0),
    ],
    "Bitwise": [
        _bitwise("&", lambda a, b: a & b),
        _bitwise("|", lambda a, b: a | b),
        _bitwise("^^", lambda a, b: a ^ b),
        _bitwise("shiftR", lambda a, b: a >> b),
    ],
    "SequencesExt": [
        *_FINITE_SETS_EXT,
        _op("BoundedSeq", _bounded, 0, 0),
        _op("FoldSeq", _fold_sequence, 2, 0, 0),
        _op("ToSet", lambda s: set_of(sequence(s, "ToSet")), 0),
        _op("RemoveAt", _without_place, 0, 0),
        _op("ReplaceAt", _replaced, 0, 0, 0),
        _op("LongestCommonPrefix", _common_prefix, 0),
        _op("Reverse", lambda s: sequence(s, "Reverse")[::-1], 0),
        _op("IsPrefix", lambda s, t: _is_prefix(s, t), 0, 0),
        _op("Contains", lambda s, e: _contains(s, e), 0, 0),
        _op("Last", lambda s: _last(s), 0),
        _op("Front", lambda s: sequence(s, "Front")[:-1], 0),
    ],
}
"""The operators of each module, with those of the community modules that it extends.

A module that defines one of these names itself keeps its own.
"""


def _contains(held: Value, value: Value) -> Value:
    return truth(any(equal(item, value) for item in sequence(held, "Contains")))


def _is_prefix(first: Value, second: Value) -> Value:
    one, other = sequence(first, "IsPrefix"), sequence(second, "IsPrefix")
    return truth(equal(one, other[: len(one)]))


def _last(held: Value) -> Value:
    items = sequence(held, "Last")
    if not items:
        raise EvaluationError("Last of the empty sequence")
    return items[-1]
