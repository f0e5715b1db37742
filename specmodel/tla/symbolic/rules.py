"""Sets that are given by a test of membership, such as SUBSET S and [S -> T]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla import lazily
from specmodel.tla.symbolic.comparing import MOST_LISTED
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.sets import ValueSets
from specmodel.tla.symbolic.values import (
    AnyFunction,
    ChoiceOf,
    KnownValue,
    NumberOf,
    RuleSet,
    StateValue,
    function_with,
    members_of,
)
from specmodel.tla.values import (
    ModelValue,
    Value,
    ordered,
    settled,
    text_of,
)


class ValueAlgebra(ValueSets):
    """All operations on values."""

    def known_rule(self, held: Any) -> RuleSet:
        """A known set that is not computed."""
        g = self.graph

        def listed() -> KnownValue:
            if lazily.endless(held) or held.size() > MOST_LISTED:
                raise NotCompiled(f"a set with more than {MOST_LISTED:,} members is gone through")
            return KnownValue(settled(held))

        has: Callable[[StateValue], Node]
        if isinstance(held, lazily.Infinite):
            kind = held.test[0]

            def endless(x: StateValue) -> Node:
                def of(y: StateValue) -> Node:
                    if kind == "integer" and isinstance(y, NumberOf):
                        return g.le(g.int(0), y.node) if held is lazily.NAT else g.true
                    if kind == "string" and isinstance(y, ChoiceOf):
                        return self._where(y, lambda v: isinstance(v, str), held.name)
                    if kind == "integer" and isinstance(y, ChoiceOf):
                        low = -(1 << 31) if held is lazily.INT else 0
                        return self._where(y, lambda v: v.__class__ is int and v >= low, held.name)
                    return self.no_member(y, held.name)

                return self.on_kinds(x, of)

            has = endless
        elif isinstance(held, lazily.Interval):

            def between(x: StateValue) -> Node:
                def of(y: StateValue) -> Node:
                    if isinstance(y, NumberOf):
                        return g.both(g.le(g.int(held.low), y.node), g.le(y.node, g.int(held.high)))
                    if isinstance(y, ChoiceOf) and any(v.__class__ is int for v in y.options):
                        return self.on_kinds(self.split(y), of)
                    return self.no_member(y, "a set of integers")

                return self.on_kinds(x, of)

            has = between
        elif isinstance(held, lazily.Powerset):
            base = KnownValue(held.base)
            has = self.powerset(base).has
        elif isinstance(held, lazily.FunctionSpace):
            has = self.functions(KnownValue(held.source), KnownValue(held.target)).has
        elif isinstance(held, lazily.RecordSpace):
            has = self.records([(name, KnownValue(s)) for name, s in held.fields]).has
        elif isinstance(held, lazily.ProductSpace):
            has = self.products([KnownValue(s) for s in held.factors]).has
        elif isinstance(held, lazily.SequenceSpace):
            has = self.sequences(KnownValue(held.base)).has
        elif isinstance(held, lazily.UnionSet):
            parts = [KnownValue(part) for part in held.parts]

            def within_any(x: StateValue) -> Node:
                found: list[Node] = []
                for part in parts:
                    with self.path.assuming(*map(g.negate, found)):
                        found.append(self.member(x, part, None))
                return g.either(*found)

            has = within_any
        else:

            def among(x: StateValue) -> Node:
                return self.member(x, listed(), None)

            has = among
        return RuleSet(has, listed)

    def _where(self, value: ChoiceOf, test: Callable[[Value], bool], what: str) -> Node:
        """Whether a choice is one of its options for which a test is true."""
        g, found = self.graph, list[Node]()
        for place, option in enumerate(value.options):
            here = g.eq(value.node, g.int(place))
            if test(option):
                found.append(here)
            elif not isinstance(option, ModelValue | int):
                self.path.fail(here, f"{text_of(option, 60)} is looked for in {what}", None)
        return g.either(*found)

    def no_member(self, value: StateValue, what: str) -> Node:
        """False for a model value; any other value is no such member, which is an error."""
        g = self.graph
        if isinstance(value, ChoiceOf):
            others = [
                g.eq(value.node, g.int(i))
                for i, option in enumerate(value.options)
                if not isinstance(option, ModelValue)
            ]
            self.path.fail(g.either(*others), f"a value is looked for in {what}", None)
        else:
            self.path.fail(g.true, f"a value is looked for in {what}", None)
        return g.false

    def powerset(self, base: StateValue) -> RuleSet:
        """SUBSET base."""
        g = self.graph

        def has(x: StateValue) -> Node:
            return self.subset(x, base, None)

        def listed() -> Any:
            members = self.members(base)
            if len(members) > 12:
                raise NotCompiled("the subsets of a set of more than 12 members are gone through")
            found: list[tuple[Node, StateValue]] = []
            for chosen in range(1 << len(members)):
                taken = [m for i, m in enumerate(members) if chosen >> i & 1]
                there = g.both(*(condition for condition, _ in taken))
                subset = members_of([(g.true, m) for _, m in taken], True)
                found.append((there, subset))
            return members_of(found, True)

        return RuleSet(has, listed)

    def functions(self, source: StateValue, target: StateValue) -> RuleSet:
        """[source -> target]."""
        g = self.graph

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if not isinstance(held, AnyFunction):
                    return self.no_member(held, "a set of functions")
                same = self.equal(self.domain(held, None), source, None)
                found = [same]
                for there, _, part in self.entries(held):
                    with self.path.assuming(*found, there):
                        found.append(g.either(g.negate(there), self.member(part, target, None)))
                return g.both(*found)

            return self.on_kinds(x, of)

        def listed() -> Any:
            values, found = self.members(target), list[tuple[Node, StateValue]]()
            for present, keys in self.possible_sets(source):
                if len(found) + len(values) ** len(keys) > MOST_LISTED:
                    raise NotCompiled(f"more than {MOST_LISTED:,} functions are gone through")
                parts: list[tuple[Node, tuple[StateValue, ...]]] = [(present, ())]
                for _ in keys:
                    parts = [
                        (g.both(there, more), (*held, value))
                        for there, held in parts
                        for more, value in values
                    ]
                found += [(there, function_with(keys, held)) for there, held in parts]
            return members_of(found, True)

        return RuleSet(has, listed)

    def records(self, fields: Sequence[tuple[str, StateValue]]) -> RuleSet:
        """[name : set, ...]."""
        g = self.graph
        names = ordered(frozenset(name for name, _ in fields))
        sets = dict(fields)

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if not isinstance(held, AnyFunction):
                    return self.no_member(held, "a set of records")
                held = self.as_function(held)
                there = {key: self.has_key(held, key) for key in held.keys}
                others = g.either(*(c for key, c in there.items() if not isinstance(key, str)))
                self.path.fail(others, "a function is looked for in a set of records", None)
                found = [c if key in names else g.negate(c) for key, c in there.items()]
                if any(name not in there for name in names):
                    return g.false
                for name, members in fields:
                    part = held.part(name)
                    assert part is not None
                    with self.path.assuming(*found):
                        found.append(self.member(part, members, None))
                return g.both(*found)

            return self.on_kinds(x, of)

        def listed() -> Any:
            parts: list[tuple[Node, tuple[StateValue, ...]]] = [(g.true, ())]
            for name in names:
                values = self.members(sets[name])
                if len(values) * len(parts) > MOST_LISTED:
                    raise NotCompiled(f"more than {MOST_LISTED:,} records are gone through")
                parts = [
                    (g.both(there, more), (*held, value))
                    for there, held in parts
                    for more, value in values
                ]
            found = [(there, function_with(names, held)) for there, held in parts]
            return members_of(found, True)

        return RuleSet(has, listed)

    def products(self, factors: Sequence[StateValue]) -> RuleSet:
        """A \\X B."""
        g = self.graph

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if not isinstance(held, AnyFunction):
                    return self.no_member(held, "a set of tuples")
                form, sequence = self.sequence_form(held)
                self.path.fail(g.negate(form), "a function is looked for in a set of tuples", None)
                found = [g.both(form, g.eq(sequence.length, g.int(len(factors))))]
                if found[0] is g.false:
                    return g.false
                for item, factor in zip(sequence.items, factors, strict=False):
                    with self.path.assuming(*found):
                        found.append(self.member(item, factor, None))
                return g.both(*found)

            return self.on_kinds(x, of)

        def listed() -> Any:
            parts: list[tuple[Node, tuple[StateValue, ...]]] = [(g.true, ())]
            for factor in factors:
                values = self.members(factor)
                if len(values) * len(parts) > MOST_LISTED:
                    raise NotCompiled(f"more than {MOST_LISTED:,} tuples are gone through")
                parts = [
                    (g.both(there, more), (*held, value))
                    for there, held in parts
                    for more, value in values
                ]
            keys = range(1, len(factors) + 1)
            found = [(there, function_with(keys, held)) for there, held in parts]
            return members_of(found, True)

        return RuleSet(has, listed)

    def sequences(self, base: StateValue) -> RuleSet:
        """Seq(base)."""
        g = self.graph

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if not isinstance(held, AnyFunction):
                    return self.no_member(held, "a set of sequences")
                form, sequence = self.sequence_form(held)
                found = [form]
                for i, item in enumerate(sequence.items):
                    there = g.lt(g.int(i), sequence.length)
                    with self.path.assuming(*found, there):
                        found.append(g.either(g.negate(there), self.member(item, base, None)))
                return g.both(*found)

            return self.on_kinds(x, of)

        def listed() -> Any:
            raise NotCompiled("the set of all sequences is gone through")

        return RuleSet(has, listed)

    def interval(self, low: StateValue, high: StateValue, span: Span | None) -> StateValue:
        """low..high, whose ends depend on the state."""
        g = self.graph
        a, b = self.number(low, span), self.number(high, span)

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if isinstance(held, NumberOf):
                    return g.both(g.le(a, held.node), g.le(held.node, b))
                if isinstance(held, ChoiceOf) and any(v.__class__ is int for v in held.options):
                    return self.on_kinds(self.split(held), of)
                return self.no_member(held, "a set of integers")

            return self.on_kinds(x, of)

        def listed() -> Any:
            if b.high - a.low > MOST_LISTED:
                raise NotCompiled("a long interval is gone through", span)
            found: list[tuple[Node, StateValue]] = []
            for n in range(a.low, b.high + 1):
                there = g.both(g.le(a, g.int(n)), g.le(g.int(n), b))
                found.append((there, KnownValue(n)))
            return members_of(found, True)

        return RuleSet(has, listed)
