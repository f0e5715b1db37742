"""The standard module Bags on values that depend on a state.

A bag is a function from its members to their numbers of copies, which are above 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.operators import Given, SymbolicOperators
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    AnyFunction,
    CasesOf,
    FunctionOf,
    KnownValue,
    StateValue,
    function_with,
    number_of,
    truth_of,
)
from specmodel.tla.values import Value, ordered


def _copies(algebra: SymbolicOperators, bag: StateValue, span: Span | None) -> FunctionOf:
    held = algebra.open(bag)
    arms = held.arms if isinstance(held, CasesOf) else ((algebra.graph.true, held),)
    found: list[tuple[Node, FunctionOf]] = []
    for condition, arm in arms:
        function = algebra.open(arm)
        if not isinstance(function, AnyFunction):
            raise NotCompiled("this bag is not compiled", span)
        found.append((condition, algebra.as_function(function)))
    if len(found) == 1:
        return found[0][1]
    g, keys = algebra.graph, ordered(frozenset(key for _, f in found for key in f.keys))
    parts, present = list[StateValue](), list[Node]()
    for key in keys:
        there = [(g.both(c, algebra.has_key(f, key)), f.part(key)) for c, f in found]
        parts.append(algebra.merged([(c, part) for c, part in there if part is not None]))
        present.append(g.either(*(c for c, _ in there)))
    return FunctionOf(keys, tuple(parts), tuple(present))


def _copies_in(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    """CopiesIn(e, B)."""
    g, held = algebra.graph, _copies(algebra, given[1], span)
    found = g.int(0)
    for key, part in zip(held.keys, held.parts, strict=True):
        here = algebra.equal(given[0], KnownValue(key), span)
        here = g.both(here, algebra.has_key(held, key))
        if algebra.path.possible(here):
            found = g.select(here, algebra.number(part, span), found)
    return number_of(found)


def _in_bag(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    """BagIn(e, B)."""
    return truth_of(algebra.member(given[0], algebra.domain(given[1], span), span))


def _is_bag(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    """IsABag(B)."""
    g, found = algebra.graph, list[Node]()
    held = _copies(algebra, given[0], span)
    for key, part in zip(held.keys, held.parts, strict=True):
        there = algebra.has_key(held, key)
        with algebra.path.assuming(there):
            some = g.lt(g.int(0), algebra.number(part, span))
        found.append(g.either(g.negate(there), some))
    return truth_of(g.both(*found))


def _bag_to_set(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.domain(given[0], span)


def _bag_of(
    algebra: SymbolicOperators, counts: Mapping[Value, Node], span: Span | None
) -> StateValue:
    """The bag with these numbers of copies; a member without copies is none."""
    g, keys = algebra.graph, ordered(frozenset(counts))
    parts = [number_of(counts[key]) for key in keys]
    return function_with(keys, parts, [g.lt(g.int(0), counts[key]) for key in keys])


def _set_to_bag(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, counts = algebra.graph, dict[Value, Node]()
    for there, member in algebra.members(given[0]):
        for here, key in algebra.candidates(member, span):
            number = g.number(g.both(there, here))
            counts[key] = g.add(counts.get(key, g.int(0)), number)
    return _bag_of(algebra, counts, span)


def _both_bags(sign: int) -> Callable[[SymbolicOperators, Any, Span | None], StateValue]:
    def apply(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
        g, (a, b) = algebra.graph, (_copies(algebra, bag, span) for bag in given)

        def number(bag: FunctionOf, key: Value) -> Node:
            part = bag.part(key)
            if part is None:
                return g.int(0)
            return g.select(algebra.has_key(bag, key), algebra.number(part, span), g.int(0))

        combine = g.add if sign > 0 else g.sub
        keys = ordered(frozenset(a.keys) | frozenset(b.keys))
        return _bag_of(algebra, {k: combine(number(a, k), number(b, k)) for k in keys}, span)

    return apply


def _bag_size(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, held = algebra.graph, _copies(algebra, given[0], span)
    total = g.int(0)
    for key, part in zip(held.keys, held.parts, strict=True):
        there = algebra.has_key(held, key)
        total = g.add(total, g.select(there, algebra.number(part, span), g.int(0)))
    return number_of(total)


BAG_NATIVES: dict[str, Callable[[SymbolicOperators, Any, Span | None], StateValue]] = {
    "CopiesIn": _copies_in,
    "BagIn": _in_bag,
    "IsABag": _is_bag,
    "BagToSet": _bag_to_set,
    "SetToBag": _set_to_bag,
    "\\oplus": _both_bags(1),
    "\\ominus": _both_bags(-1),
    "BagCardinality": _bag_size,
}
"""The operators of the module."""
