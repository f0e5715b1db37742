"""The standard module Bags: a bag is a function to the numbers of copies, which are above 0."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from specmodel.tla.lazily import finite
from specmodel.tla.natives import apply_pairs, function, integer, op
from specmodel.tla.values import (
    FALSE,
    FunctionValue,
    Value,
    contains,
    function_of,
    pairs_of,
    settled,
    truth,
)


def _pairs(bag: Value, where: str) -> dict[Value, int]:
    found = apply_pairs(bag, where)
    for copies in found.values():
        integer(copies, where)
    return found


def _is_bag(held: Value) -> Value:
    held = settled(held)
    if not isinstance(held, tuple | FunctionValue):
        return FALSE
    copies = pairs_of(held).values()
    return truth(all(n.__class__ is int and n > 0 for n in copies))


def _sum(first: Value, second: Value) -> Value:
    one, other = _pairs(first, "(+)"), _pairs(second, "(+)")
    return function({v: one.get(v, 0) + other.get(v, 0) for v in {**one, **other}})


def _rest(first: Value, second: Value) -> Value:
    one, other = _pairs(first, "(-)"), _pairs(second, "(-)")
    return function_of({v: n - other.get(v, 0) for v, n in one.items() if n > other.get(v, 0)})


def _union(bags: Value) -> Value:
    found: dict[Value, int] = {}
    for bag in finite(bags):
        for value, copies in _pairs(bag, "BagUnion").items():
            found[value] = found.get(value, 0) + copies
    return function(found)


def _within(first: Value, second: Value) -> Value:
    one, other = _pairs(first, "\\sqsubseteq"), _pairs(second, "\\sqsubseteq")
    return truth(all(v in other and n <= other[v] for v, n in one.items()))


def _parts(bag: Value) -> Value:
    held = _pairs(bag, "SubBag")
    found: list[Value] = []
    for copies in product(*(range(n + 1) for n in held.values())):
        found.append(function_of({v: n for v, n in zip(held, copies, strict=True) if n}))
    return frozenset(found)


def _of_all(apply: Callable[[Value], Value], bag: Value) -> Value:
    found: dict[Value, int] = {}
    for value, copies in _pairs(bag, "BagOfAll").items():
        image = settled(apply(value))
        found[image] = found.get(image, 0) + copies
    return function(found)


BAGS: list[Any] = [
    op("IsABag", _is_bag, 0),
    op("BagToSet", lambda b: frozenset(_pairs(b, "BagToSet")), 0),
    op("SetToBag", lambda s: function_of(dict.fromkeys(finite(s), 1)), 0),
    op("BagIn", lambda e, b: truth(contains(frozenset(_pairs(b, "BagIn")), e)), 0, 0),
    op("EmptyBag", lambda: ()),
    op("\\oplus", _sum, 0, 0),
    op("\\ominus", _rest, 0, 0),
    op("BagUnion", _union, 0),
    op("\\sqsubseteq", _within, 0, 0),
    op("SubBag", _parts, 0),
    op("BagOfAll", _of_all, 1, 0),
    op("BagCardinality", lambda b: sum(_pairs(b, "BagCardinality").values()), 0),
    op("CopiesIn", lambda e, b: _pairs(b, "CopiesIn").get(settled(e), 0), 0, 0),
]
"""The operators of the module."""
