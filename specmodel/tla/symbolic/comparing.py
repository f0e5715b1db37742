"""Equality and membership of values that depend on a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.merging import ValueMerging, same_value
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    AnyFunction,
    CasesOf,
    ChoiceOf,
    KnownValue,
    MembersOf,
    NumberOf,
    PairsOf,
    RuleSet,
    StateValue,
    TruthOf,
    is_sequence,
)
from specmodel.tla.values import (
    TRUE,
    Boolean,
    EvaluationError,
    ModelValue,
    Value,
    contains,
    equal,
    order_key,
    ordered,
    settled,
    text_of,
)

MOST_LISTED = 4096
"""The most members of a set that are gone through one by one."""


class ValueComparing(ValueMerging):
    """Equality, membership and subsets; they fail where TLC does not compare values."""

    def equal(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        """Whether two values are equal; fails where TLC does not compare them."""
        g = self.graph
        if a is b:
            return g.true
        if (same := self.same_slot(a, b)) is not None:
            return same
        if isinstance(a, KnownValue) and isinstance(b, KnownValue):
            try:
                return g.true if equal(a.value, b.value) else g.false
            except EvaluationError as wrong:
                self.path.refuse(wrong, span)
                return g.false
        a, b = self.open(a), self.open(b)
        if isinstance(a, CasesOf):
            return self.on_kinds(a, lambda arm: self.equal(arm, b, span))
        if isinstance(b, CasesOf):
            return self.on_kinds(b, lambda arm: self.equal(a, arm, span))
        if isinstance(a, RuleSet) or isinstance(b, RuleSet):
            a, b = (self.as_members(v) if isinstance(v, RuleSet) else v for v in (a, b))
        if isinstance(a, TruthOf) and isinstance(b, TruthOf):
            return g.eq(a.node, b.node)
        if isinstance(a, NumberOf) and isinstance(b, NumberOf):
            return g.eq(a.node, b.node)
        if isinstance(a, ChoiceOf) or isinstance(b, ChoiceOf):
            return self._equal_choice(a, b, span)
        if isinstance(a, AnyFunction) and isinstance(b, AnyFunction):
            return self._equal_functions(a, b, span)
        if isinstance(a, MembersOf) and isinstance(b, MembersOf):
            return self._equal_sets(a, b, span)
        self.path.fail(g.true, "values of different kinds are compared", span)
        return g.false

    def comes_before(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        """Whether a value is before another in TLA+'s order, of two that TLC compares.

        Raises NotCompiled for sets, and for functions whose domains depend on the state.
        """
        g = self.graph
        if isinstance(a, KnownValue) and isinstance(b, KnownValue):
            first, last = (order_key(settled(held.value)) for held in (a, b))
            return g.true if first < last else g.false
        a, b = self.open(a), self.open(b)
        if isinstance(a, CasesOf):
            return self.on_kinds(a, lambda arm: self.comes_before(arm, b, span))
        if isinstance(b, CasesOf):
            return self.on_kinds(b, lambda arm: self.comes_before(a, arm, span))
        if isinstance(a, TruthOf) and isinstance(b, TruthOf):
            return g.both(g.negate(a.node), b.node)
        if isinstance(a, NumberOf) and isinstance(b, NumberOf):
            return g.lt(a.node, b.node)
        if isinstance(a, ChoiceOf) and isinstance(b, ChoiceOf):
            options = sorted({*a.options, *b.options}, key=order_key)
            places = {option: place for place, option in enumerate(options)}
            first, last = (self._numbered(held, places) for held in (a, b))
            return g.lt(first, last)
        if isinstance(a, AnyFunction) and isinstance(b, AnyFunction):
            if is_sequence(a) and is_sequence(b):
                one, other = self.as_sequence(a), self.as_sequence(b)
                shorter = g.lt(one.length, other.length)
                there = [g.lt(g.int(i), one.length) for i in range(len(one.items))]
                with self.path.assuming(g.eq(one.length, other.length)):
                    pairs = list(zip(one.items, other.items, strict=False))
                    first = self._first_before(pairs, there, span)
                return g.either(shorter, g.both(g.eq(one.length, other.length), first))
            one, other = self.as_function(a), self.as_function(b)
            if one.present is None and other.present is None:
                if one.keys == other.keys:
                    pairs = list(zip(one.parts, other.parts, strict=True))
                    return self._first_before(pairs, [g.true] * len(pairs), span)
                sizes = ([len(held.keys), *map(order_key, held.keys)] for held in (one, other))
                return g.true if next(sizes) < next(sizes) else g.false
        raise NotCompiled("a CHOOSE among values that depend on the state", span)

    def _numbered(self, held: ChoiceOf, places: Mapping[Value, int]) -> Node:
        """The place of a choice among values in an order."""
        g, found = self.graph, self.graph.int(places[held.options[0]])
        for i, option in enumerate(held.options[1:], 1):
            found = g.select(g.eq(held.node, g.int(i)), g.int(places[option]), found)
        return found

    def _first_before(
        self,
        pairs: Sequence[tuple[StateValue, StateValue]],
        there: Sequence[Node],
        span: Span | None,
    ) -> Node:
        """Whether of the first two parts that differ, of those that are there, one is before."""
        g = self.graph
        same, found = g.true, g.false
        for (one, other), here in zip(pairs, there, strict=False):
            if g.both(same, here) is g.false:
                break
            with self.path.assuming(same, here):
                less = self.comes_before(one, other, span)
                found = g.either(found, g.both(same, here, less))
                same = g.both(same, g.either(g.negate(here), self.equal(one, other, span)))
        return found

    def _equal_choice(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        g = self.graph
        if not isinstance(a, ChoiceOf):
            a, b = b, a
        assert isinstance(a, ChoiceOf)
        if isinstance(b, ChoiceOf):
            if a.options == b.options and len({v.__class__ for v in a.options}) == 1:
                return g.eq(a.node, b.node)
            found: list[Node] = []
            for i, one in enumerate(a.options):
                for j, other in enumerate(b.options):
                    try:
                        same = equal(one, other)
                    except EvaluationError as wrong:
                        here = g.both(g.eq(a.node, g.int(i)), g.eq(b.node, g.int(j)))
                        self.path.fail(here, wrong.message, span)
                        continue
                    if same:
                        found.append(g.both(g.eq(a.node, g.int(i)), g.eq(b.node, g.int(j))))
            if a.options == b.options:
                return g.eq(a.node, b.node)
            return g.either(*found)
        found = []
        options: list[Any] = list(a.options)
        for i, option in enumerate(options):
            here = g.eq(a.node, g.int(i))
            if option.__class__ is ModelValue and not option.type:
                continue
            if option.__class__ is int and isinstance(b, NumberOf):
                found.append(g.both(here, g.eq(b.node, g.int(option))))
            elif isinstance(option, Boolean) and isinstance(b, TruthOf):
                found.append(g.both(here, b.node if option is TRUE else g.negate(b.node)))
            elif self.path.possible(here):
                self.path.fail(here, f"{text_of(option, 60)} is compared with another kind", span)
        return g.either(*found)

    def _equal_functions(self, a: AnyFunction, b: AnyFunction, span: Span | None) -> Node:
        g = self.graph
        if isinstance(a, PairsOf) or isinstance(b, PairsOf):
            one, other = self.as_pairs(a), self.as_pairs(b)
            same_domain = self._equal_sets(one.arguments(), other.arguments(), span)
            with self.path.assuming(same_domain):
                return g.both(same_domain, self.subset(one.pairs, other.pairs, span))
        if is_sequence(a) and is_sequence(b):
            one, other = self.as_sequence(a), self.as_sequence(b)
            same = [g.eq(one.length, other.length)]
            if same[0] is g.false:
                return g.false
            for i, (x, y) in enumerate(zip(one.items, other.items, strict=False)):
                there = g.lt(g.int(i), one.length)
                with self.path.assuming(*same, there):
                    same.append(g.either(g.negate(there), self.equal(x, y, span)))
            return g.both(*same)
        a, b = self.as_function(a), self.as_function(b)
        if a.present is None and b.present is None and len(a.keys) != len(b.keys):
            return g.false
        keys = frozenset(a.keys) | frozenset(b.keys)
        try:
            found = ordered(keys)
        except EvaluationError as wrong:
            sizes = [self.count(f.present) if f.present else g.int(len(f.keys)) for f in (a, b)]
            self.path.fail(g.eq(*sizes), wrong.message, span)
            return g.false
        same = [
            g.eq(g.number(self.has_key(a, key)), g.number(self.has_key(b, key))) for key in found
        ]
        if g.false in same:
            return g.false
        for key in found:
            x, y = a.part(key), b.part(key)
            if x is None or y is None:
                continue
            there = self.has_key(a, key)
            with self.path.assuming(*same, there):
                same.append(g.either(g.negate(there), self.equal(x, y, span)))
        return g.both(*same)

    def _equal_sets(self, a: MembersOf, b: MembersOf, span: Span | None) -> Node:
        g = self.graph
        if all(isinstance(m, KnownValue) for held in (a, b) for _, m in held.members):
            both: dict[Value, list[Node]] = {}
            for place, held in enumerate((a, b)):
                for there, value in held.members:
                    assert isinstance(value, KnownValue)
                    entry = both.setdefault(value.value, [g.false, g.false])
                    entry[place] = g.either(entry[place], there)
            try:
                ordered(frozenset(both))
            except EvaluationError as wrong:
                raise NotCompiled(f"sets of different kinds: {wrong.message}", span) from None
            return g.both(*(g.eq(one, two) for one, two in both.values()))
        return g.both(self.subset(a, b, span), self.subset(b, a, span))

    def count(self, conditions: Iterable[Node]) -> Node:
        g, total = self.graph, self.graph.int(0)
        for condition in conditions:
            total = g.add(total, g.number(condition))
        return total

    def members(self, value: StateValue) -> list[tuple[Node, StateValue]]:
        """The possible members of a set, no two of which are equal where both are members."""
        held = self.open(value)
        if isinstance(held, RuleSet):
            return self.members(held.members())
        if isinstance(held, CasesOf):
            found = self.by_kinds(held, lambda arm: MembersOf(tuple(self.members(arm)), True))
            return self.members(found) if held.arms else []
        if not isinstance(held, MembersOf):
            self.path.fail(self.graph.true, "a value that is no set is gone through", None)
            return []
        if len(held.members) > MOST_LISTED:
            raise NotCompiled(f"a set with more than {MOST_LISTED:,} members is gone through")
        return list(held.members) if held.distinct else self._distinct(held)

    def _distinct(self, held: MembersOf) -> list[tuple[Node, StateValue]]:
        g, found = self.graph, list[tuple[Node, StateValue]]()
        for there, value in held.members:
            for place, (before, other) in enumerate(found):
                if isinstance(value, KnownValue) and isinstance(other, KnownValue):
                    if same_value(value.value, other.value):
                        found[place] = (g.either(before, there), other)
                        there = g.false
                        break
                    continue
                with self.path.assuming(before, there):
                    there = g.both(there, g.negate(g.both(before, self.equal(other, value, None))))
            if there is not g.false:
                found.append((there, value))
        return found

    def member(self, value: StateValue, held: StateValue, span: Span | None) -> Node:
        """Whether a value is a member of a set."""
        g = self.graph
        if isinstance(value, KnownValue) and isinstance(held, KnownValue):
            try:
                return g.true if contains(held.value, value.value) else g.false
            except EvaluationError as wrong:
                self.path.refuse(wrong, span)
                return g.false
        return self.on_kinds(held, lambda arm: self._member(value, arm, span))

    def _member(self, value: StateValue, held: StateValue, span: Span | None) -> Node:
        g = self.graph
        if isinstance(held, RuleSet):
            return held.has(value)
        if not isinstance(held, MembersOf):
            self.path.fail(g.true, "a member is looked for in a value that is no set", span)
            return g.false
        if held.distinct and any(value is m for _, m in held.members):
            return next(there for there, m in held.members if m is value)
        if held.by_slot and (slot := self.slot_in(value, held.by_slot)) is not None:
            return held.by_slot.at(slot)[0]
        numbers = [m.value for _, m in held.members if isinstance(m, KnownValue)]
        opened_value = self.open(value)
        if (
            len(numbers) == len(held.members) > 4
            and isinstance(opened_value, NumberOf)
            and all(there is g.true for there, _ in held.members)
            and all(n.__class__ is int for n in numbers)
            and max(numbers) - min(numbers) == len(numbers) - 1
        ):
            node = opened_value.node
            return g.both(g.le(g.int(min(numbers)), node), g.le(node, g.int(max(numbers))))
        found: list[Node] = []
        for there, other in held.members:
            with self.path.assuming(there):
                found.append(g.both(there, self.equal(value, other, span)))
        return g.either(*found)

    def own_members(self, held: StateValue, others: StateValue) -> dict[int, Node] | None:
        """For a set of members of another set: by its members' identities, which of them it has.

        None where this is not known. Different members of a set without repetitions are unequal.
        """
        if not isinstance(held, MembersOf) or not isinstance(others, MembersOf):
            return None
        g, own = self.graph, {id(member): there for there, member in held.members}
        if not held.distinct or len(own) < len(held.members):
            return None
        for there, member in others.members:
            inside = own.get(id(member))
            if inside is None or self.path.possible(g.both(there, g.negate(inside))):
                return None
        return {id(m): there for there, m in others.members}

    def subset(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        """Whether a set is a subset of another."""
        g, found = self.graph, list[Node]()
        held = self.open(a)
        members = held.members if isinstance(held, MembersOf) else self.members(a)
        for there, value in members:
            with self.path.assuming(there):
                found.append(g.either(g.negate(there), self.member(value, b, span)))
        return g.both(*found)
