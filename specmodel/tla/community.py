"""Operators of the community modules that specs use most."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

from specmodel.tla.lazily import FunctionSpace, UnionSet, finite, interval
from specmodel.tla.natives import apply_pairs, integer, op, sequence
from specmodel.tla.scopes import Call
from specmodel.tla.values import (
    TRUE,
    EvaluationError,
    Value,
    function_of,
    order_key,
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
    for member in ordered(finite(held)):
        base = apply(member, base)
    return base


def _fold_function(apply: Callable[..., Value], base: Value, function: Value) -> Value:
    pairs = apply_pairs(function, "FoldFunction")
    for key in sorted(pairs, key=order_key):
        base = apply(pairs[key], base)
    return base


def _fold_function_on(
    apply: Callable[..., Value], base: Value, function: Value, held: Value
) -> Value:
    pairs = apply_pairs(function, "FoldFunctionOnSet")
    for key in ordered(finite(held)):
        base = apply(pairs[key], base)
    return base


def _fold_sequence(apply: Callable[..., Value], base: Value, held: Value) -> Value:
    for item in sequence(held, "FoldSeq"):
        base = apply(item, base)
    return base


def _bounded(held: Value, most: Value) -> Value:
    sizes = range(integer(most, "BoundedSeq") + 1)
    return UnionSet([FunctionSpace(interval(1, size), held) for size in sizes])


def _best(name: str, pick: Callable[..., int]) -> Any:
    def run(held: Value) -> Value:
        members = [integer(v, name) for v in finite(held)]
        if not members:
            raise EvaluationError(f"{name} of the empty set")
        return pick(members)

    return _op(name, run, 0)


def _subsets_of_size(size: Value, held: Value) -> Value:
    members = ordered(finite(held))
    return frozenset(map(frozenset, combinations(members, integer(size, "kSubset"))))


def _quantity(held: Value, test: Callable[[Value], Value]) -> Value:
    return sum(test(v) is TRUE for v in finite(held))


COMMUNITY: dict[str, list[Any]] = {
    "Functions": [
        _op("FoldFunction", _fold_function, 2, 0, 0),
        _op("FoldFunctionOnSet", _fold_function_on, 2, 0, 0, 0),
        _op("Range", lambda f: set_of(apply_pairs(f, "Range").values()), 0),
        _op("Restrict", _restricted, 0, 0),
        _op("IsInjective", _is_injective, 0),
    ],
    "FiniteSetsExt": [
        _op("SumSet", lambda s: sum(integer(v, "SumSet") for v in finite(s)), 0),
        _op("FoldSet", _fold_set, 2, 0, 0),
        _op("Quantify", _quantity, 0, 1),
        _op("kSubset", _subsets_of_size, 0, 0),
        _best("Max", max),
        _best("Min", min),
    ],
    "SequencesExt": [
        _op("BoundedSeq", _bounded, 0, 0),
        _op("FoldSeq", _fold_sequence, 2, 0, 0),
        _op("ToSet", lambda s: set_of(sequence(s, "ToSet")), 0),
        _op("Reverse", lambda s: sequence(s, "Reverse")[::-1], 0),
        _op("IsPrefix", lambda s, t: _is_prefix(s, t), 0, 0),
        _op("Contains", lambda s, e: truth(settled(e) in sequence(s, "Contains")), 0, 0),
        _op("Last", lambda s: _last(s), 0),
        _op("Front", lambda s: sequence(s, "Front")[:-1], 0),
    ],
}
"""The operators of each module. A module that defines one of these names itself keeps its own."""


def _is_prefix(first: Value, second: Value) -> Value:
    one, other = sequence(first, "IsPrefix"), sequence(second, "IsPrefix")
    return truth(one == other[: len(one)])


def _last(held: Value) -> Value:
    items = sequence(held, "Last")
    if not items:
        raise EvaluationError("Last of the empty sequence")
    return items[-1]
