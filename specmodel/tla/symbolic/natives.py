"""Operators of the standard modules on values that depend on a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.community import UNORDERED, folded_first
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.operators import Given, SymbolicOperators
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    TRUE_VALUE,
    AnyFunction,
    CasesOf,
    FunctionRule,
    KnownValue,
    MembersOf,
    NumberOf,
    PairsOf,
    StateValue,
    function_with,
    members_of,
    number_of,
    pair_of,
    sequence_of,
    truth_of,
)
from specmodel.tla.values import GREATEST, LEAST, has_names, ordered


def _arithmetic(name: str) -> Any:
    def apply(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
        a, b = (algebra.number(value, span) for value in given)
        return algebra.fitting(getattr(algebra.graph, name)(a, b), span)

    return apply


def _divided(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, (a, b) = algebra.graph, (algebra.number(value, span) for value in given)
    algebra.path.fail(g.eq(b, g.int(0)), "a number is divided by 0", span)
    return algebra.fitting(g.floordiv(a, b), span)


def _modulo(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, (a, b) = algebra.graph, (algebra.number(value, span) for value in given)
    algebra.path.fail(g.le(b, g.int(0)), "the second number of % is not above 0", span)
    return number_of(g.mod(a, b))


def _power(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    base, exponent = given
    found: list[tuple[Node, StateValue]] = []
    if not isinstance(base, KnownValue):
        raise NotCompiled("^ of a base that depends on the state is not compiled", span)
    for here, value in algebra.candidates(exponent, span):
        if not algebra.path.possible(here):
            continue
        if value.__class__ is not int or value < 0 or (value == 0 and base.value == 0):
            algebra.path.fail(here, "^ has no value", span)
            continue
        made = base.value**value if value < 64 else None
        if made is None or not LEAST <= made <= GREATEST:
            algebra.path.fail(here, "^ has more than 32 bits", span)
            continue
        found.append((here, KnownValue(made)))
    return algebra.merged(found)


def _comparison(name: str, swap: bool) -> Any:
    def apply(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
        a, b = (algebra.number(value, span) for value in given)
        if swap:
            a, b = b, a
        return truth_of(getattr(algebra.graph, name)(a, b))

    return apply


def _minus(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g = algebra.graph
    return algebra.fitting(g.sub(g.int(0), algebra.number(given[0], span)), span)


def _interval(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.interval(given[0], given[1], span)


# Sequences


def _length(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return number_of(algebra.of_sequence(given[0], span).length)


def _appended(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, held = algebra.graph, algebra.of_sequence(given[0], span)
    item = algebra.computed(given[1])
    if held.length.constant:
        return sequence_of(g.int(held.length.value + 1), [*held.items[: held.length.value], item])
    items = [
        algebra.select(g.eq(held.length, g.int(i)), item, old) for i, old in enumerate(held.items)
    ]
    return sequence_of(g.add(held.length, g.int(1)), [*items, item])


def _concatenated(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g = algebra.graph
    a, b = (algebra.of_sequence(value, span) for value in given)
    if not b.items:
        return sequence_of(a.length, a.items)
    length = g.add(a.length, b.length)
    items: list[StateValue] = []
    for i in range(len(a.items) + len(b.items)):
        arms: list[tuple[Node, StateValue]] = []
        if i < len(a.items):
            arms.append((g.lt(g.int(i), a.length), a.items[i]))
        for j, item in enumerate(b.items):
            arms.append((g.eq(a.length, g.int(i - j)), item))
        items.append(algebra.merged(arms))
    return sequence_of(length, items)


def _head(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, held = algebra.graph, algebra.of_sequence(given[0], span)
    algebra.path.fail(g.eq(held.length, g.int(0)), "Head of the empty sequence", span)
    return held.items[0] if held.items else NOTHING


def _tail(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, held = algebra.graph, algebra.of_sequence(given[0], span)
    algebra.path.fail(g.eq(held.length, g.int(0)), "Tail of the empty sequence", span)
    return sequence_of(g.maximum(g.sub(held.length, g.int(1)), g.int(0)), held.items[1:])


def _part(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, held = algebra.graph, algebra.of_sequence(given[0], span)
    first, last = (algebra.number(value, span) for value in given[1:])
    some = g.le(first, last)
    beyond = g.either(g.lt(first, g.int(1)), g.lt(held.length, last))
    algebra.path.fail(g.both(some, beyond), "SubSeq is beyond the sequence", span)
    length = g.select(some, g.add(g.sub(last, first), g.int(1)), g.int(0))
    length = g.minimum(g.maximum(length, g.int(0)), g.int(len(held.items)))
    items: list[StateValue] = []
    for i in range(len(held.items)):
        arms = [(g.eq(first, g.int(j - i + 1)), held.items[j]) for j in range(i, len(held.items))]
        items.append(algebra.merged(arms))
    return sequence_of(length, items)


def _selected(algebra: SymbolicOperators, given: Sequence[Any], span: Span | None) -> StateValue:
    g, held, test = algebra.graph, algebra.of_sequence(given[0], span), given[1]
    made: StateValue = KnownValue(())
    for i, item in enumerate(held.items):
        there = g.lt(g.int(i), held.length)
        with algebra.path.assuming(there):
            taken = g.both(there, algebra.truth(test(item), span))
        made = algebra.select(taken, _appended(algebra, (made, item), span), made)
    return made


def _sequences(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.sequences(given[0])


# Sets


def _cardinality(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, total = algebra.graph, algebra.graph.int(0)
    for there, _ in algebra.members(given[0]):
        total = g.add(total, g.number(there))
    return number_of(total)


def _finite(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    algebra.members(given[0])
    return TRUE_VALUE


def _extreme(name: str) -> Any:
    def apply(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
        g, found = algebra.graph, list[tuple[Node, Node]]()
        for there, member in algebra.members(given[0]):
            with algebra.path.assuming(there):
                found.append((there, algebra.number(member, span)))
        some, best = g.false, g.int(0)
        for there, node in found:
            better = getattr(g, name)(best, node) if some is not g.false else node
            best = g.select(there, g.select(some, better, node), best)
            some = g.either(some, there)
        algebra.path.fail(g.negate(some), "Max or Min of the empty set", span)
        return number_of(best)

    return apply


def _merged(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    """f @@ g: the values of f, and of g elsewhere."""

    def beside(one: StateValue) -> StateValue:
        return algebra.by_kinds(given[1], lambda other: _one_merged(algebra, one, other, span))

    return algebra.by_kinds(given[0], beside)


def _one_merged(
    algebra: SymbolicOperators, one: StateValue, other: StateValue, span: Span | None
) -> StateValue:
    g = algebra.graph
    if not isinstance(one, AnyFunction) or not isinstance(other, AnyFunction):
        raise NotCompiled("@@ of these values is not compiled", span)
    if isinstance(one, PairsOf) or isinstance(other, PairsOf):
        return _pairs_merged(algebra, algebra.as_pairs(one), algebra.as_pairs(other), span)
    a, b = algebra.as_function(one), algebra.as_function(other)
    keys = ordered(frozenset(a.keys) | frozenset(b.keys))
    parts, present = list[StateValue](), list[Node]()
    for key in keys:
        first, second, there = a.part(key), b.part(key), algebra.has_key(a, key)
        if first is not None and second is not None:
            parts.append(algebra.select(there, first, second))
        else:
            found = first or second
            assert found is not None
            parts.append(found)
        present.append(g.either(there, algebra.has_key(b, key)))
    return function_with(keys, parts, present)


def _pairs_merged(
    algebra: SymbolicOperators, one: PairsOf, other: PairsOf, span: Span | None
) -> StateValue:
    g, keys = algebra.graph, algebra.domain(one, span)
    more: list[tuple[Node, StateValue]] = []
    for (there, pair), (_, key, _) in zip(other.pairs.members, other.entries(), strict=True):
        with algebra.path.assuming(there):
            more.append((g.both(there, g.negate(algebra.member(key, keys, span))), pair))
    return algebra.pairs_joined(one, more)


def _pair(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    """k :> v."""
    given = [algebra.computed(value) for value in given]
    argument = algebra.open(given[0])
    if not isinstance(given[0], KnownValue) and isinstance(argument, CasesOf | AnyFunction):
        return PairsOf(MembersOf(((algebra.graph.true, pair_of(*given)),), True))
    keys = algebra.candidates(given[0], span)
    found = ordered(frozenset(key for _, key in keys))
    present = [algebra.graph.either(*(here for here, k in keys if k == key)) for key in found]
    return function_with(found, [given[1]] * len(found), present)


def _assert(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    held = algebra.truth(given[0], span)
    algebra.path.fail(algebra.graph.negate(held), "an Assert fails", span)
    return TRUE_VALUE


def _fold_set(algebra: SymbolicOperators, given: Sequence[Any], span: Span | None) -> StateValue:
    """FoldSet(op, base, set), in the order of the members."""
    apply, base, held = given
    return _folded(algebra, apply, base, [(t, m, m) for t, m in algebra.members(held)], span)


def _fold_function(
    algebra: SymbolicOperators, given: Sequence[Any], span: Span | None
) -> StateValue:
    """FoldFunction(op, base, fun)."""
    apply, base, function = given
    held = algebra.open(function)
    if not isinstance(held, AnyFunction):
        raise NotCompiled("FoldFunction of this value is not compiled", span)
    return _folded(algebra, apply, base, algebra.entries(held), span)


def _left(fold: Callable[..., StateValue]) -> Callable[..., StateValue]:
    """A fold of Apalache by one of the others."""

    def folded(algebra: SymbolicOperators, given: Sequence[Any], span: Span | None) -> StateValue:
        apply, *others = given
        return fold(algebra, [folded_first(apply), *others], span)

    return folded


def _folded(
    algebra: SymbolicOperators,
    apply: Callable[..., StateValue],
    base: StateValue,
    items: Sequence[tuple[Node, StateValue, StateValue]],
    span: Span | None,
) -> StateValue:
    def through(some: Iterable[tuple[Node, StateValue, StateValue]]) -> StateValue:
        found = base
        for there, _, item in some:
            with algebra.path.assuming(there):
                found = algebra.select(there, _with_all(algebra, apply(item, found)), found)
        return found

    made, keys = through(items), [key for _, key, _ in items]
    known = all(isinstance(key, KnownValue) for key in keys)
    if not items[1:] or (known and not any(has_names(algebra.constant(key)) for key in keys)):
        return made
    if all(_commutes(algebra, apply, item) for _, _, item in items):
        return made
    if not known:
        raise NotCompiled("a fold whose order is not known is not compiled", span)
    same = algebra.equal(made, through(items[::-1]), span)  # as the evaluator asks
    algebra.path.fail(algebra.graph.negate(same), UNORDERED, span)
    return made


def _with_all(algebra: SymbolicOperators, value: StateValue) -> StateValue:
    """A function whose values are all computed, so that no later item of a fold does it again.

    A function is left as it is if a value may not exist: that matters only where this one is used.
    """
    failures = algebra.path.failures
    first, made = len(failures), value
    if isinstance(value, FunctionRule):
        with suppress(NotCompiled):
            made = algebra.computed(value)
    if len(failures) > first:
        del failures[first:]
        return value
    return made


def _commutes(
    algebra: SymbolicOperators, apply: Callable[..., StateValue], item: StateValue
) -> bool:
    """Whether an operator adds numbers, so that the order of a fold makes no difference."""
    if not isinstance(algebra.open(item), NumberOf):
        return False
    one, two, three = KnownValue(3), KnownValue(11), KnownValue(29)
    sums = [apply(a, apply(b, c)) for a, b, c in ((one, two, three), (two, one, three))]
    held = [value.value for value in sums if isinstance(value, KnownValue)]
    return held == [43, 43]


def _range(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    held = algebra.open(given[0])
    if not isinstance(held, AnyFunction):
        raise NotCompiled("the values of this function are not compiled", span)
    made: StateValue = KnownValue(frozenset())
    for there, _, item in algebra.entries(held):
        made = algebra.union(made, members_of([(there, item)], True))
    return made


def _is_bag(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    """IsABag(B)."""

    def of(held: StateValue) -> Node:
        g, found = algebra.graph, list[Node]()
        if not isinstance(held, AnyFunction):
            return g.false
        for there, _, copies in algebra.entries(held):
            with algebra.path.assuming(there):
                some = g.lt(g.int(0), algebra.number(copies, span))
            found.append(g.either(g.negate(there), some))
        return g.both(*found)

    return truth_of(algebra.on_kinds(given[0], of))


def _second(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.computed(given[-1])


NATIVES: dict[str, Callable[[SymbolicOperators, Any, Span | None], StateValue]] = {
    "+": _arithmetic("add"),
    "-": _arithmetic("sub"),
    "*": _arithmetic("mul"),
    "\\div": _divided,
    "%": _modulo,
    "^": _power,
    "<": _comparison("lt", False),
    ">": _comparison("lt", True),
    "\\leq": _comparison("le", False),
    "\\geq": _comparison("le", True),
    "..": _interval,
    "-.": _minus,
    "Len": _length,
    "Append": _appended,
    "\\o": _concatenated,
    "Head": _head,
    "Tail": _tail,
    "SubSeq": _part,
    "SelectSeq": _selected,
    "Seq": _sequences,
    "Cardinality": _cardinality,
    "IsFiniteSet": _finite,
    "Max": _extreme("maximum"),
    "Min": _extreme("minimum"),
    "@@": _merged,
    ":>": _pair,
    "Assert": _assert,
    "Print": _second,
    "PrintT": lambda algebra, given, span: TRUE_VALUE,
    "TLCEval": _second,
    "FoldSet": _fold_set,
    "FoldFunction": _fold_function,
    "FoldSeq": _fold_function,
    "ApaFoldSet": _left(_fold_set),
    "ApaFoldSeqLeft": _left(_fold_function),
    "Range": _range,
    "ToSet": _range,
    "IsABag": _is_bag,
}
"""The operators of standard modules that are compiled."""
