"""Operators on values that depend on a state: built-in ones, and those of the standard modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.lazily import STRING
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.values import (
    FALSE_VALUE,
    TRUE_VALUE,
    CasesOf,
    ChoiceOf,
    FunctionOf,
    KnownValue,
    NumberOf,
    SequenceOf,
    StateValue,
    function_with,
    members_of,
    number_of,
    sequence_of,
    truth_of,
)
from specmodel.tla.values import FALSE, GREATEST, LEAST, TRUE, Value, has_names, ordered

Given = Sequence[StateValue]


class SymbolicOperators(ValueAlgebra):
    """The operators; `native` applies one of a standard module."""

    def native(self, name: str, given: Sequence[Any], span: Span | None) -> StateValue:
        """An operator of a standard module applied to values. Raises NotCompiled."""
        made = _NATIVES.get(name)
        if made is None:
            raise NotCompiled(f"{name} of a value that depends on the state is not compiled", span)
        return made(self, given, span)

    def fitting(self, node: Node, span: Span | None) -> StateValue:
        """An integer; fails beyond TLC's 32 bits."""
        g = self.graph
        if node.low < LEAST or node.high > GREATEST:
            beyond = g.either(g.lt(node, g.int(LEAST)), g.lt(g.int(GREATEST), node))
            self.path.fail(beyond, "a number has more than 32 bits", span)
        return number_of(node)

    # Functions

    def updated(
        self,
        held: StateValue,
        keys: Sequence[StateValue],
        new: Callable[[StateValue], StateValue],
        span: Span | None,
    ) -> StateValue:
        """A function with another value at a path; a missing argument is left out."""
        if not keys:
            return new(held)
        return self.by_kinds(held, lambda arm: self._updated(arm, keys, new, span))

    def _updated(
        self,
        held: StateValue,
        keys: Sequence[StateValue],
        new: Callable[[StateValue], StateValue],
        span: Span | None,
    ) -> StateValue:
        g, (key, *rest) = self.graph, keys
        if not isinstance(held, FunctionOf | SequenceOf):
            self.path.fail(g.true, "EXCEPT of a value that is no function", span)
            return NOTHING
        items = held.items if isinstance(held, SequenceOf) else held.parts
        places: Sequence[Value] = (
            range(1, len(items) + 1) if isinstance(held, SequenceOf) else held.keys
        )
        made: list[StateValue] = []
        for place, old in zip(places, items, strict=True):
            here = self.equal(key, KnownValue(place), span)
            if isinstance(held, SequenceOf):
                here = g.both(here, g.le(g.int(int(place)), held.length))
            else:
                here = g.both(here, self.has_key(held, place))
            if not self.path.possible(here):
                made.append(old)
                continue
            with self.path.assuming(here):
                value = self.updated(old, rest, new, span)
            made.append(self.select(here, value, old))
        if isinstance(held, SequenceOf):
            return sequence_of(held.length, made)
        return function_with(held.keys, made, held.present)

    def of_sequence(self, value: StateValue, span: Span | None) -> SequenceOf:
        """A sequence; fails for any other value."""
        g, held = self.graph, self.open(value)
        arms = held.arms if isinstance(held, CasesOf) else ((g.true, held),)
        found: list[tuple[Node, StateValue]] = []
        for condition, arm in arms:
            if not self.path.possible(condition):
                continue
            arm, fits = self.open(arm), g.false
            if isinstance(arm, ChoiceOf) and any(isinstance(v, str) for v in arm.options):
                raise NotCompiled("a string as a sequence is not compiled", span)
            with self.path.assuming(condition):
                if isinstance(arm, FunctionOf | SequenceOf):
                    fits, arm = self.sequence_form(arm)
                self.path.fail(g.negate(fits), "a value is no sequence", span)
            if fits is not g.false:
                found.append((condition, arm))
        if not found:
            return SequenceOf(g.int(0), ())
        return self.as_sequence(self.merged(found))


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
    g, held, item = algebra.graph, algebra.of_sequence(given[0], span), given[1]
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
    if not isinstance(one, FunctionOf | SequenceOf) or not isinstance(
        other, FunctionOf | SequenceOf
    ):
        raise NotCompiled("@@ of these values is not compiled", span)
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


def _pair(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    """k :> v."""
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
    if isinstance(held, SequenceOf):
        g = algebra.graph
        items = [
            (g.lt(g.int(i), held.length), KnownValue(i + 1), item)
            for i, item in enumerate(held.items)
        ]
        return _folded(algebra, apply, base, items, span)
    if not isinstance(held, FunctionOf):
        raise NotCompiled("FoldFunction of this value is not compiled", span)
    items = [
        (algebra.has_key(held, key), KnownValue(key), part)
        for key, part in zip(held.keys, held.parts, strict=True)
    ]
    return _folded(algebra, apply, base, items, span)


def _folded(
    algebra: SymbolicOperators,
    apply: Callable[..., StateValue],
    base: StateValue,
    items: Sequence[tuple[Node, StateValue, StateValue]],
    span: Span | None,
) -> StateValue:
    for there, key, item in items:
        ordered_key = isinstance(key, KnownValue) and not has_names(algebra.constant(key))
        if not ordered_key and len(items) > 1 and not _commutes(algebra, apply, item):
            raise NotCompiled("a fold whose order is not known is not compiled", span)
        with algebra.path.assuming(there):
            base = algebra.select(there, apply(item, base), base)
    return base


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
    g = algebra.graph
    if isinstance(held, SequenceOf):
        pairs = [(g.lt(g.int(i), held.length), item) for i, item in enumerate(held.items)]
    elif isinstance(held, FunctionOf):
        pairs = [
            (algebra.has_key(held, key), part)
            for key, part in zip(held.keys, held.parts, strict=True)
        ]
    else:
        raise NotCompiled("the values of this function are not compiled", span)
    made: StateValue = KnownValue(frozenset())
    for there, item in pairs:
        made = algebra.union(made, members_of([(there, item)], True))
    return made


# Bags: functions from members to numbers of copies above 0


def _copies(algebra: SymbolicOperators, bag: StateValue, span: Span | None) -> FunctionOf:
    held = algebra.open(bag)
    arms = held.arms if isinstance(held, CasesOf) else ((algebra.graph.true, held),)
    found: list[tuple[Node, FunctionOf]] = []
    for condition, arm in arms:
        function = algebra.open(arm)
        if isinstance(function, SequenceOf):
            function = algebra.as_function(function)
        if not isinstance(function, FunctionOf):
            raise NotCompiled("this bag is not compiled", span)
        found.append((condition, function))
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


def _second(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return given[-1]


_NATIVES: dict[str, Callable[[SymbolicOperators, Any, Span | None], StateValue]] = {
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
    "Range": _range,
    "ToSet": _range,
    "CopiesIn": _copies_in,
    "BagIn": _in_bag,
    "IsABag": _is_bag,
    "BagToSet": _bag_to_set,
    "SetToBag": _set_to_bag,
    "\\oplus": _both_bags(1),
    "\\ominus": _both_bags(-1),
    "BagCardinality": _bag_size,
}
"""The operators of standard modules that are compiled."""


def _equals(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.equal(given[0], given[1], span))


def _differs(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.graph.negate(algebra.equal(given[0], given[1], span)))


def _in(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.member(given[0], given[1], span))


def _not_in(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.graph.negate(algebra.member(given[0], given[1], span)))


def _subset(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.subset(given[0], given[1], span))


def _union(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.union(given[0], given[1])


def _common(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.filtered(given[0], lambda x: algebra.member(x, given[1], span))


def _difference(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g = algebra.graph
    return algebra.filtered(given[0], lambda x: g.negate(algebra.member(x, given[1], span)))


def _equivalent(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    a, b = (algebra.truth(value, span) for value in given)
    return truth_of(algebra.graph.eq(a, b))


BUILT_IN_OPERATORS: dict[str, Callable[[Any, Any, Span | None], StateValue]] = {
    "=": _equals,
    "#": _differs,
    "\\in": _in,
    "\\notin": _not_in,
    "\\subseteq": _subset,
    "\\cup": _union,
    "\\cap": _common,
    "\\": _difference,
    "\\equiv": _equivalent,
    "SUBSET": lambda algebra, given, span: algebra.powerset(given[0]),
    "DOMAIN": lambda algebra, given, span: algebra.domain(given[0], span),
    "TRUE": lambda algebra, given, span: TRUE_VALUE,
    "FALSE": lambda algebra, given, span: FALSE_VALUE,
    "BOOLEAN": lambda algebra, given, span: KnownValue(frozenset([TRUE, FALSE])),
    "STRING": lambda algebra, given, span: KnownValue(STRING),
}
"""The built-in operators whose arguments are all evaluated."""
