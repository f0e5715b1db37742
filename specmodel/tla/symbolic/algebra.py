"""Operations on values that depend on a state: equality, choice, application, membership.

A condition under which an operation has no value is noted on the path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.values import SymbolicSeq
from specmodel.tla import lazily
from specmodel.tla.symbolic.path import EvaluationPath, NotCompiled
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    FunctionOf,
    FunctionRule,
    KnownValue,
    MembersOf,
    NumberOf,
    RuleSet,
    SequenceOf,
    StateValue,
    TruthOf,
    choice_of,
    function_with,
    is_sequence,
    members_of,
    number_of,
    opened,
    sequence_of,
    truth_of,
)
from specmodel.tla.values import (
    FALSE,
    TRUE,
    Boolean,
    Deferred,
    EvaluationError,
    ModelValue,
    Value,
    contains,
    equal,
    function_of,
    order_key,
    ordered,
    settled,
    text_of,
)

FoundSlots = tuple[Any, Node, SymbolicSeq]
"""The slots of a set: their stored type, the condition that all members fit, and the slots."""

NOTHING = CasesOf(())
"""The value of an expression that has failed."""

MOST_LISTED = 4096
"""The most members of a set that are gone through one by one."""


class ValueAlgebra:
    """Operations on values; `path` has the conditions under which they are made."""

    def __init__(self, path: EvaluationPath) -> None:
        self.path = path
        self.graph = path.graph
        self.domains = Algebra(path.graph)

    # Domains of states

    def no(self, stored: Any) -> tuple[Node, Any]:
        """A value that does not fit a stored type."""
        return self.graph.false, self.domains.zero(stored.domain)

    def by_arms(self, stored: Any, value: StateValue) -> tuple[Node, Any]:
        """A value of several cases as a stored type has it: that of the arm that is true."""
        g, value = self.graph, self.open(value)
        assert isinstance(value, CasesOf)
        fits, made = g.false, None
        for condition, arm in reversed(value.arms):
            with self.path.assuming(condition):
                inside, written = stored.written(self, arm)
            fits = g.either(fits, g.both(condition, inside))
            if made is None:
                made = written
            elif inside is not g.false:
                made = self.domains.select(condition, written, made)
        return (fits, made) if made is not None else self.no(stored)

    # Kinds

    def open(self, value: StateValue) -> StateValue:
        """A value with its parts; a known set that is not computed is given by its rule."""
        if isinstance(value, KnownValue) and isinstance(value.value, Deferred):
            held = value.value
            if isinstance(held, lazily.DeferredFunction):
                return opened(KnownValue(self._computed(held)), self.graph)
            return self._rule(held)
        if isinstance(value, FunctionRule):
            return self.open(value.whole())
        return opened(value, self.graph)

    def _computed(self, value: Value) -> Value:
        try:
            return settled(value)
        except EvaluationError as wrong:
            self.path.refuse(wrong)
            return ()

    def _rule(self, held: Any) -> RuleSet:
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
                    return self._not_in(y, held.name)

                return self.on_kinds(x, of)

            has = endless
        elif isinstance(held, lazily.Interval):

            def between(x: StateValue) -> Node:
                def of(y: StateValue) -> Node:
                    if isinstance(y, NumberOf):
                        return g.both(g.le(g.int(held.low), y.node), g.le(y.node, g.int(held.high)))
                    return self._not_in(y, "a set of integers")

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

    def on_kinds(self, value: StateValue, test: Callable[[StateValue], Node]) -> Node:
        """A condition on a value, by its cases."""
        value = self.open(value)
        if not isinstance(value, CasesOf):
            return test(value)
        found: list[Node] = []
        for condition, arm in value.arms:
            with self.path.assuming(condition):
                found.append(self.graph.both(condition, self.on_kinds(arm, test)))
        return self.graph.either(*found)

    def by_kinds(self, value: StateValue, make: Callable[[StateValue], StateValue]) -> StateValue:
        """What is made of a value, by its cases."""
        value = self.open(value)
        if not isinstance(value, CasesOf):
            return make(value)
        found: list[tuple[Node, StateValue]] = []
        for condition, arm in value.arms:
            if self.path.possible(condition):
                with self.path.assuming(condition):
                    found.append((condition, self.by_kinds(arm, make)))
        return self.merged(found)

    def _where(self, value: ChoiceOf, test: Callable[[Value], bool], what: str) -> Node:
        """Whether a choice is one of its options for which a test is true."""
        g, found = self.graph, list[Node]()
        for place, option in enumerate(value.options):
            here = g.eq(value.node, g.int(place))
            if test(option):
                found.append(here)
            elif not isinstance(option, ModelValue | str) or isinstance(option, str):
                if option.__class__ is not int:
                    self.path.fail(here, f"{text_of(option, 60)} is looked for in {what}", None)
        return g.either(*found)

    def _not_in(self, value: StateValue, what: str) -> Node:
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

    # Choice

    def select(self, condition: Node, a: StateValue, b: StateValue) -> StateValue:
        """`a` where a condition is true, else `b`."""
        if condition.constant:
            return a if condition.value else b
        if a is b:
            return a
        return self.merged([(condition, a), (self.graph.negate(condition), b)])

    def merged(self, arms: Sequence[tuple[Node, StateValue]]) -> StateValue:
        """The value of the arm whose condition is true; there is one, or nothing is read."""
        flat = list(self._flat(arms))
        if not flat:
            return NOTHING
        functions = any(_is_map(self.open(value)) for _, value in flat)
        groups: dict[Any, list[tuple[Node, StateValue]]] = {}
        for condition, value in flat:
            held = self.open(value)
            groups.setdefault(_shape(held, functions), []).append((condition, value))
        made: list[tuple[Node, StateValue]] = []
        for group in groups.values():
            condition, value = group[-1]
            for other, before in reversed(group[:-1]):
                value = self._pair(other, before, value)
                condition = self.graph.either(condition, other)
            made.append((condition, value))
        return made[0][1] if len(made) == 1 else CasesOf(tuple(made))

    def _flat(self, arms: Iterable[tuple[Node, StateValue]]) -> Iterator[tuple[Node, StateValue]]:
        for condition, value in arms:
            if condition is self.graph.false:
                continue
            if isinstance(value, CasesOf):
                for inner, arm in value.arms:
                    both = self.graph.both(condition, inner)
                    if both is not self.graph.false:
                        yield both, arm
            else:
                yield condition, value

    def _pair(self, condition: Node, a: StateValue, b: StateValue) -> StateValue:
        """`a` where a condition is true, else `b`; both have one shape."""
        if a is b or condition.constant:
            return a if a is b or condition.value else b
        if isinstance(a, KnownValue) and isinstance(b, KnownValue) and _same(a.value, b.value):
            return a
        g, a, b = self.graph, self.open(a), self.open(b)
        if isinstance(a, TruthOf) and isinstance(b, TruthOf):
            return truth_of(g.select(condition, a.node, b.node))
        if isinstance(a, NumberOf) and isinstance(b, NumberOf):
            return number_of(g.select(condition, a.node, b.node))
        if isinstance(a, ChoiceOf) and isinstance(b, ChoiceOf):
            return self._choice(condition, a, b)
        if isinstance(a, SequenceOf | FunctionOf) and isinstance(b, SequenceOf | FunctionOf):
            return self._functions(condition, a, b)
        if isinstance(a, MembersOf) and isinstance(b, MembersOf):
            return self._sets(condition, a, b)
        return self._rules(condition, a, b)

    def _choice(self, condition: Node, a: ChoiceOf, b: ChoiceOf) -> StateValue:
        g = self.graph
        if a.options == b.options:
            return choice_of(a.options, g.select(condition, a.node, b.node))
        options = (*a.options, *(v for v in b.options if v not in a.options))
        if b.options == options[: len(b.options)]:
            other = b.node
        else:
            other = g.int(options.index(b.options[-1]))
            for place, option in reversed(list(enumerate(b.options[:-1]))):
                here = g.eq(b.node, g.int(place))
                other = g.select(here, g.int(options.index(option)), other)
        return choice_of(options, g.select(condition, a.node, other))

    def _functions(
        self, condition: Node, a: SequenceOf | FunctionOf, b: SequenceOf | FunctionOf
    ) -> StateValue:
        g = self.graph
        if (
            isinstance(a, FunctionOf)
            and isinstance(b, FunctionOf)
            and a.keys == b.keys
            and a.present is None
            and b.present is None
        ):
            parts = [self.select(condition, x, y) for x, y in zip(a.parts, b.parts, strict=True)]
            return function_with(a.keys, parts)
        if is_sequence(a) and is_sequence(b):
            one, other = self.as_sequence(a), self.as_sequence(b)
            items: list[StateValue] = []
            for i in range(max(len(one.items), len(other.items))):
                if i < len(one.items) and i < len(other.items):
                    items.append(self.select(condition, one.items[i], other.items[i]))
                else:
                    items.append((one if i < len(one.items) else other).items[i])
            return sequence_of(g.select(condition, one.length, other.length), items)
        a, b = self._as_function(a), self._as_function(b)
        keys = ordered(frozenset(a.keys) | frozenset(b.keys))
        parts, present = list[StateValue](), list[Node]()
        for key in keys:
            one, other = a.part(key), b.part(key)
            present.append(g.select(condition, self.has_key(a, key), self.has_key(b, key)))
            if one is not None and other is not None:
                parts.append(self.select(condition, one, other))
            else:
                found = one or other
                assert found is not None
                parts.append(found)
        return function_with(keys, parts, present)

    def has_key(self, function: FunctionOf, key: Value) -> Node:
        """Whether a known key is an argument of a function."""
        if key not in function.keys:
            return self.graph.false
        if function.present is None:
            return self.graph.true
        return function.present[function.keys.index(key)]

    def _as_function(self, value: SequenceOf | FunctionOf) -> FunctionOf:
        if isinstance(value, FunctionOf):
            return value
        g = self.graph
        keys = tuple(range(1, len(value.items) + 1))
        return FunctionOf(keys, value.items, tuple(g.le(g.int(k), value.length) for k in keys))

    def as_sequence(self, value: StateValue) -> SequenceOf:
        """A sequence with its length."""
        held = self.open(value)
        if isinstance(held, SequenceOf):
            return held
        assert isinstance(held, FunctionOf)
        return SequenceOf(self.graph.int(len(held.keys)), held.parts)

    def _sets(self, condition: Node, a: MembersOf, b: MembersOf) -> StateValue:
        g = self.graph
        found: dict[Any, list[Any]] = {}
        for place, held in enumerate((a, b)):
            for there, value in held.members:
                key = ("known", value.value) if isinstance(value, KnownValue) else id(value)
                entry = found.setdefault(key, [g.false, g.false, value])
                entry[place] = g.either(entry[place], there)
        members = [(g.select(condition, one, two), value) for one, two, value in found.values()]

        made = None
        if a.slots or b.slots:
            made = _once(lambda: self._selected_slots(condition, a, b))
        return members_of(members, a.distinct and b.distinct, made)

    def _selected_slots(self, condition: Node, a: MembersOf, b: MembersOf) -> FoundSlots | None:
        """The slots of one of two sets."""
        one, two = self._slots_of(a, b), self._slots_of(b, a)
        if one is None or two is None:
            return None
        fits = self.graph.select(condition, one[1], two[1])
        return one[0], fits, self.domains.select(condition, one[2], two[2])

    def _slots_of(self, held: MembersOf, like: MembersOf) -> FoundSlots | None:
        """The slots of a set; of one without, as another set has them."""
        if held.slots is not None:
            return held.slots()
        other = like.slots() if like.slots is not None else None
        if other is None:
            return None
        stored, empty = other[0], slots.empty(self.domains)
        return self._with_members(stored, self.graph.true, empty, held.members)

    def _with_members(
        self,
        stored: Any,
        fits: Node,
        held: SymbolicSeq,
        members: Iterable[tuple[Node, StateValue]],
    ) -> FoundSlots:
        g = self.graph
        for there, member in members:
            with self.path.assuming(there):
                inside, written = stored.member.written(self, member)
            fits = g.both(fits, g.either(g.negate(there), inside))
            held = slots.inserted(self.domains, held, written, there)
        return stored, fits, held

    def _rules(self, condition: Node, a: StateValue, b: StateValue) -> StateValue:
        g, other = self.graph, self.graph.negate(condition)

        def has(x: StateValue) -> Node:
            with self.path.assuming(condition):
                one = self.member(x, a, None)
            with self.path.assuming(other):
                two = self.member(x, b, None)
            return g.select(condition, one, two)

        def listed() -> Any:
            held = self.select(
                condition, MembersOf(tuple(self.members(a)), True),
                MembersOf(tuple(self.members(b)), True),
            )  # fmt: skip
            return held

        return RuleSet(has, listed)

    # Equality

    def equal(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        """Whether two values are equal; fails where TLC does not compare them."""
        g = self.graph
        if a is b:
            return g.true
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
        if isinstance(a, SequenceOf | FunctionOf) and isinstance(b, SequenceOf | FunctionOf):
            return self._equal_functions(a, b, span)
        if isinstance(a, MembersOf) and isinstance(b, MembersOf):
            return self._equal_sets(a, b, span)
        self.path.fail(g.true, "values of different kinds are compared", span)
        return g.false

    def _equal_choice(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        g = self.graph
        if not isinstance(a, ChoiceOf):
            a, b = b, a
        assert isinstance(a, ChoiceOf)
        if isinstance(b, ChoiceOf):
            if a.options == b.options and not any(isinstance(v, str) for v in a.options[1:]):
                if len({v.__class__ for v in a.options}) == 1:
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
        for i, option in enumerate(a.options):
            here = g.eq(a.node, g.int(i))
            if isinstance(option, ModelValue) and not option.type:
                continue
            if option.__class__ is int and isinstance(b, NumberOf):
                found.append(g.both(here, g.eq(b.node, g.int(option))))
            elif isinstance(option, Boolean) and isinstance(b, TruthOf):
                found.append(g.both(here, b.node if option is TRUE else g.negate(b.node)))
            else:
                self.path.fail(here, f"{text_of(option, 60)} is compared with another kind", span)
        return g.either(*found)

    def _equal_functions(
        self, a: SequenceOf | FunctionOf, b: SequenceOf | FunctionOf, span: Span | None
    ) -> Node:
        g = self.graph
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
        a, b = self._as_function(a), self._as_function(b)
        if a.present is None and b.present is None and len(a.keys) != len(b.keys):
            return g.false
        keys = frozenset(a.keys) | frozenset(b.keys)
        try:
            found = ordered(keys)
        except EvaluationError as wrong:
            sizes = [self._count(f.present) if f.present else g.int(len(f.keys)) for f in (a, b)]
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

    def _count(self, conditions: Iterable[Node]) -> Node:
        g, total = self.graph, self.graph.int(0)
        for condition in conditions:
            total = g.add(total, g.number(condition))
        return total

    # Functions

    def apply(self, function: StateValue, argument: StateValue, span: Span | None) -> StateValue:
        """The value of a function for an argument; fails outside of its domain."""
        if isinstance(function, KnownValue) and isinstance(argument, KnownValue):
            try:
                found = lazily.at(function.value, settled(argument.value))
            except EvaluationError as wrong:
                self.path.refuse(wrong, span)
                return NOTHING
            if found is None:
                self._outside(self.graph.true, argument, span)
                return NOTHING
            return KnownValue(found)
        if isinstance(function, FunctionRule):
            part = function.at(argument)
            if part is None:
                self._outside(self.graph.true, argument, span)
                return NOTHING
            return part
        if isinstance(function, KnownValue) and isinstance(function.value, lazily.DeferredFunction):
            return self._on_candidates(function, argument, span)
        return self.by_kinds(function, lambda held: self._applied(held, argument, span))

    def _on_candidates(
        self, function: KnownValue, argument: StateValue, span: Span | None
    ) -> StateValue:
        """A known function that is not computed, at each value that an argument may have."""
        g, arms = self.graph, list[tuple[Node, StateValue]]()
        for here, value in self.candidates(argument, span):
            if self.path.possible(here):
                with self.path.assuming(here):
                    arms.append((here, self.apply(function, KnownValue(value), span)))
        self._outside(g.negate(g.either(*(here for here, _ in arms))), argument, span)
        return self.merged(arms)

    def candidates(self, value: StateValue, span: Span | None) -> list[tuple[Node, Value]]:
        """The known values that a value may be, with their conditions. Raises NotCompiled."""
        g, held = self.graph, self.open(value)
        if isinstance(value, KnownValue):
            return [(g.true, settled(value.value))]
        if isinstance(held, NumberOf) and held.node.high - held.node.low < MOST_LISTED:
            numbers = range(held.node.low, held.node.high + 1)
            return [(g.eq(held.node, g.int(n)), n) for n in numbers]
        if isinstance(held, ChoiceOf):
            return [(g.eq(held.node, g.int(i)), v) for i, v in enumerate(held.options)]
        if isinstance(held, TruthOf):
            return [(held.node, TRUE), (g.negate(held.node), FALSE)]
        if isinstance(held, CasesOf):
            return [
                (g.both(condition, here), known)
                for condition, arm in held.arms
                for here, known in self.candidates(arm, span)
            ]
        if isinstance(held, FunctionOf) and held.present is None:
            found: list[tuple[Node, dict[Value, Value]]] = [(g.true, {})]
            for key, part in zip(held.keys, held.parts, strict=True):
                options = self.candidates(part, span)
                if len(options) * len(found) > MOST_LISTED:
                    break
                found = [
                    (g.both(there, here), {**pairs, key: known})
                    for there, pairs in found
                    for here, known in options
                ]
            else:
                return [(there, function_of(pairs)) for there, pairs in found]
        raise NotCompiled("a value has too many candidates here", span)

    def _outside(self, condition: Node, argument: StateValue, span: Span | None) -> None:
        shown = text_of(argument.value, 60) if isinstance(argument, KnownValue) else "the argument"
        self.path.fail(condition, f"{shown} is not in the function's domain", span)

    def _applied(self, function: StateValue, argument: StateValue, span: Span | None) -> StateValue:
        g = self.graph
        if isinstance(function, SequenceOf):
            function = self._as_function(function)
        if not isinstance(function, FunctionOf):
            self.path.fail(g.true, "a value that is no function is applied", span)
            return NOTHING
        if isinstance(argument, KnownValue):
            key = settled(argument.value)
            found = function.part(key)
            if found is None:
                self._outside(g.true, argument, span)
                return NOTHING
            self._outside(g.negate(self.has_key(function, key)), argument, span)
            return found
        arms: list[tuple[Node, StateValue]] = []
        for key, part in zip(function.keys, function.parts, strict=True):
            here = self.equal(argument, KnownValue(key), span)
            there = g.both(here, self.has_key(function, key))
            if self.path.possible(there):
                arms.append((there, part))
        self._outside(g.negate(g.either(*(there for there, _ in arms))), argument, span)
        return self.merged(arms)

    def domain(self, function: StateValue, span: Span | None) -> StateValue:
        """The domain of a function."""
        if isinstance(function, KnownValue):
            try:
                return KnownValue(lazily.domain_of(function.value))
            except EvaluationError as wrong:
                self.path.refuse(wrong, span)
                return NOTHING

        def make(held: StateValue) -> StateValue:
            if isinstance(held, SequenceOf):
                held = self._as_function(held)
            if not isinstance(held, FunctionOf):
                self.path.fail(self.graph.true, "DOMAIN of a value that is no function", span)
                return NOTHING
            present = held.present or (self.graph.true,) * len(held.keys)
            pairs = zip(present, map(KnownValue, held.keys), strict=True)
            return members_of(pairs, True)

        return self.by_kinds(function, make)

    # Sets

    def as_members(self, value: StateValue) -> MembersOf:
        """A set with its possible members."""
        return MembersOf(tuple(self.members(value)), True)

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
                    if _same(value.value, other.value):
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

    def subset(self, a: StateValue, b: StateValue, span: Span | None) -> Node:
        """Whether a set is a subset of another."""
        g, found = self.graph, list[Node]()
        held = self.open(a)
        members = held.members if isinstance(held, MembersOf) else self.members(a)
        for there, value in members:
            with self.path.assuming(there):
                found.append(g.either(g.negate(there), self.member(value, b, span)))
        return g.both(*found)

    def filtered(
        self, held: StateValue, test: Callable[[StateValue], Node], lazily_too: bool = True
    ) -> StateValue:
        """The members of a set that pass a test."""

        def make(arm: StateValue) -> StateValue:
            if isinstance(arm, RuleSet) and lazily_too:
                rule = arm

                def has(x: StateValue) -> Node:
                    inside = rule.has(x)
                    with self.path.assuming(inside):
                        return self.graph.both(inside, test(x))

                return RuleSet(
                    has,
                    lambda: _known_or_members(self.filtered(rule.members(), test)),
                )
            source = arm if isinstance(arm, MembersOf) else self.as_members(arm)
            kept: list[tuple[Node, StateValue]] = []
            for there, value in source.members:
                if not self.path.possible(there):
                    continue
                with self.path.assuming(there):
                    kept.append((self.graph.both(there, test(value)), value))
            made = None
            if source.slots is not None:
                made = _once(lambda: self._kept_slots(source, kept))
            return members_of(kept, source.distinct, made)

        return self.by_kinds(held, make)

    def _kept_slots(
        self, source: MembersOf, kept: Sequence[tuple[Node, StateValue]]
    ) -> FoundSlots | None:
        """The slots of a stored set without some of its members; None of a set made of one."""
        found = source.slots() if source.slots is not None else None
        if found is None or len(source.members) != len(found[2].parts):
            return None
        g, (stored, fits, held) = self.graph, found
        stays = {id(member): there for there, member in kept}
        conditions = [stays.get(id(member), g.false) for _, member in source.members]
        gone = [i for i, c in enumerate(conditions) if c is g.false]
        if len(gone) == 1 and all(
            c is there for c, (there, _) in zip(conditions, source.members, strict=True)
            if c is not g.false
        ):  # fmt: skip
            here = [g.true if i == gone[0] else g.false for i in range(len(conditions))]
            return stored, fits, slots.removed(self.domains, held, here)
        return stored, fits, slots.kept(self.domains, held, conditions)

    def union(self, a: StateValue, b: StateValue) -> StateValue:
        """The union of two sets."""
        if isinstance(self.open(a), RuleSet) or isinstance(self.open(b), RuleSet):
            g = self.graph

            def has(x: StateValue) -> Node:
                one = self.member(x, a, None)
                with self.path.assuming(g.negate(one)):
                    return g.either(one, self.member(x, b, None))

            return RuleSet(
                has,
                lambda: _known_or_members(self._joined(self.as_members(a), self.as_members(b))),
            )
        return self.by_kinds(
            a, lambda one: self.by_kinds(b, lambda other: self._joined(one, other))
        )

    def _joined(self, a: StateValue, b: StateValue) -> StateValue:
        g = self.graph
        if not isinstance(a, MembersOf) or not isinstance(b, MembersOf):
            self.path.fail(g.true, "the union of a value that is no set", None)
            return NOTHING
        found: dict[Any, list[Any]] = {}
        for held in (a, b):
            for there, value in held.members:
                key = ("known", value.value) if isinstance(value, KnownValue) else id(value)
                entry = found.setdefault(key, [g.false, value])
                entry[0] = g.either(entry[0], there)
        known = [entry[1].value for entry in found.values() if isinstance(entry[1], KnownValue)]
        distinct = len(known) == len(found) or (
            a.distinct and b.distinct and (not a.members or not b.members)
        )
        if len(known) > 1:
            try:
                ordered(frozenset(known))
            except EvaluationError as wrong:
                raise NotCompiled(f"a set of values of different kinds: {wrong.message}") from None
        return members_of(
            [(there, value) for there, value in found.values()],
            distinct,
            _once(lambda: self._joined_slots(a, b)) if a.slots or b.slots else None,
        )

    def _joined_slots(self, a: MembersOf, b: MembersOf) -> FoundSlots | None:
        """The slots of the union of two sets."""
        if a.slots is None:
            a, b = b, a
        found = a.slots() if a.slots is not None else None
        return found and self._with_members(*found, b.members)

    # Sets by rules

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
            return _known_or_members(members_of(found, True))

        return RuleSet(has, listed)

    def functions(self, source: StateValue, target: StateValue) -> RuleSet:
        """[source -> target]."""
        g = self.graph

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if isinstance(held, SequenceOf):
                    held = self._as_function(held)
                if not isinstance(held, FunctionOf):
                    return self._not_in(held, "a set of functions")
                same = self.equal(self.domain(held, None), source, None)
                found = [same]
                for key, part in zip(held.keys, held.parts, strict=True):
                    there = self.has_key(held, key)
                    with self.path.assuming(*found, there):
                        found.append(g.either(g.negate(there), self.member(part, target, None)))
                return g.both(*found)

            return self.on_kinds(x, of)

        def listed() -> Any:
            keys = self.known_members(source)
            values = self.members(target)
            if len(values) ** len(keys) > MOST_LISTED:
                raise NotCompiled(f"more than {MOST_LISTED:,} functions are gone through")
            found: list[tuple[Node, StateValue]] = [(g.true, function_with((), ()))]
            parts: list[tuple[Node, tuple[StateValue, ...]]] = [(g.true, ())]
            for _ in keys:
                parts = [
                    (g.both(there, more), (*held, value))
                    for there, held in parts
                    for more, value in values
                ]
            found = [(there, function_with(keys, held)) for there, held in parts]
            return _known_or_members(members_of(found, True))

        return RuleSet(has, listed)

    def known_members(self, held: StateValue) -> tuple[Value, ...]:
        """The members of a set that does not depend on the state."""
        value = self.constant(held)
        return ordered(lazily.finite(value))

    def constant(self, held: StateValue) -> Value:
        """A value that does not depend on the state. Raises NotCompiled."""
        if isinstance(held, KnownValue):
            return settled(held.value)
        opened_value = self.open(held)
        if isinstance(opened_value, RuleSet):
            return self.constant(opened_value.members())
        raise NotCompiled("a domain of a set of functions depends on the state")

    def records(self, fields: Sequence[tuple[str, StateValue]]) -> RuleSet:
        """[name : set, ...]."""
        g = self.graph
        names = ordered(frozenset(name for name, _ in fields))
        sets = dict(fields)

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if not isinstance(held, FunctionOf | SequenceOf):
                    return self._not_in(held, "a set of records")
                if not isinstance(held, FunctionOf) or held.keys != names or held.present:
                    if is_sequence(held) and held != ():
                        self._not_in(held, "a set of records")
                    return g.false
                found: list[Node] = []
                for name in names:
                    part = held.part(name)
                    assert part is not None
                    with self.path.assuming(*found):
                        found.append(self.member(part, sets[name], None))
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
            return _known_or_members(members_of(found, True))

        return RuleSet(has, listed)

    def products(self, factors: Sequence[StateValue]) -> RuleSet:
        """A \\X B."""
        g = self.graph

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if not is_sequence(held):
                    return self._not_in(held, "a set of tuples")
                sequence = self.as_sequence(held)
                found = [g.eq(sequence.length, g.int(len(factors)))]
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
            return _known_or_members(members_of(found, True))

        return RuleSet(has, listed)

    def sequences(self, base: StateValue) -> RuleSet:
        """Seq(base)."""
        g = self.graph

        def has(x: StateValue) -> Node:
            def of(held: StateValue) -> Node:
                if not is_sequence(held):
                    if isinstance(held, FunctionOf):
                        return g.false
                    return self._not_in(held, "a set of sequences")
                sequence, found = self.as_sequence(held), list[Node]()
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
                if isinstance(held, ChoiceOf):
                    return self.on_kinds(self.split(held), of)
                return self._not_in(held, "a set of integers")

            return self.on_kinds(x, of)

        def listed() -> Any:
            if b.high - a.low > MOST_LISTED:
                raise NotCompiled("a long interval is gone through", span)
            found: list[tuple[Node, StateValue]] = []
            for n in range(a.low, b.high + 1):
                there = g.both(g.le(a, g.int(n)), g.le(g.int(n), b))
                found.append((there, KnownValue(n)))
            return _known_or_members(members_of(found, True))

        return RuleSet(has, listed)

    # Truths and numbers

    def truth(self, value: StateValue, span: Span | None) -> Node:
        """The node of a truth value; fails for any other."""

        def of(held: StateValue) -> Node:
            if isinstance(held, TruthOf):
                return held.node
            if isinstance(held, ChoiceOf) and any(isinstance(v, Boolean) for v in held.options):
                held = self.split(held)
                return self.on_kinds(held, of)
            self.path.fail(self.graph.true, "a value is neither TRUE nor FALSE", span)
            return self.graph.false

        return self.on_kinds(value, of)

    def split(self, value: ChoiceOf) -> StateValue:
        """A choice, by the kinds of its options."""
        g = self.graph
        numbers = [(i, v) for i, v in enumerate(value.options) if v.__class__ is int]
        truths = [(i, v) for i, v in enumerate(value.options) if isinstance(v, Boolean)]
        arms: list[tuple[Node, StateValue]] = []
        for found in (numbers, truths):
            if not found:
                continue
            there = g.either(*(g.eq(value.node, g.int(i)) for i, _ in found))
            (_, last) = found[-1]
            if found is numbers:
                node = g.int(last)
                for i, v in reversed(found[:-1]):
                    node = g.select(g.eq(value.node, g.int(i)), g.int(v), node)
                arms.append((there, NumberOf(node)))
            else:
                true = [g.eq(value.node, g.int(i)) for i, v in found if v is TRUE]
                arms.append((there, TruthOf(g.either(*true))))
        others = [i for i, v in enumerate(value.options) if isinstance(v, str | ModelValue)]
        if not arms:
            return value
        if others:
            there = g.either(*(g.eq(value.node, g.int(i)) for i in others))
            node = g.int(len(others) - 1)
            for place, i in reversed(list(enumerate(others[:-1]))):
                node = g.select(g.eq(value.node, g.int(i)), g.int(place), node)
            arms.append((there, ChoiceOf(tuple(value.options[i] for i in others), node)))
        return arms[0][1] if len(arms) == 1 else CasesOf(tuple(arms))

    def number(self, value: StateValue, span: Span | None) -> Node:
        """The node of an integer; fails for any other value."""
        g = self.graph
        value = self.open(value)
        if isinstance(value, NumberOf):
            return value.node
        if isinstance(value, ChoiceOf):
            value = self.split(value)
            if isinstance(value, NumberOf):
                return value.node
        if isinstance(value, CasesOf):
            found, others = list[tuple[Node, Node]](), list[Node]()
            for condition, arm in value.arms:
                arm = self.open(arm)
                if isinstance(arm, ChoiceOf):
                    arm = self.split(arm)
                if isinstance(arm, CasesOf):
                    return self.number(self.merged([(c, a) for c, a in value.arms]), span)
                if isinstance(arm, NumberOf):
                    found.append((condition, arm.node))
                else:
                    others.append(condition)
            self.path.fail(g.either(*others), "a value is no integer", span)
            if not found:
                return g.int(0)
            node = found[-1][1]
            for condition, other in reversed(found[:-1]):
                node = g.select(condition, other, node)
            return node
        self.path.fail(g.true, "a value is no integer", span)
        return g.int(0)


def _known_or_members(value: StateValue) -> Any:
    return value


def _once(make: Callable[[], FoundSlots | None]) -> Callable[[], FoundSlots | None]:
    """A function that is called once at most."""
    held: list[FoundSlots | None] = []

    def first() -> FoundSlots | None:
        if not held:
            held.append(make())
        return held[0]

    return first


def _same(a: Value, b: Value) -> bool:
    return a.__class__ is b.__class__ and a == b


def _is_map(value: StateValue) -> bool:
    """Whether a value is a function that may lack arguments of others like it."""
    return (
        isinstance(value, FunctionOf)
        and not is_sequence(value)
        and not all(isinstance(key, str) for key in value.keys)
    )


def _shape(value: StateValue, functions: bool) -> Any:
    """A key that is equal for values that can be merged into one."""
    if isinstance(value, FunctionOf | SequenceOf):
        if functions and isinstance(value, FunctionOf) and not value.keys:
            return "function"
        if is_sequence(value):
            return "sequence"
        assert isinstance(value, FunctionOf)
        if all(isinstance(key, str) for key in value.keys) and value.present is None:
            return value.keys
        return "function"
    return type(value).__name__


def least_first(members: Iterable[tuple[Node, StateValue]]) -> list[tuple[Node, StateValue]]:
    """Known members in TLA+'s order. Raises NotCompiled for others."""
    found = list(members)
    if len(found) > 1 and not all(isinstance(m, KnownValue) for _, m in found):
        raise NotCompiled("a CHOOSE among values that depend on the state")
    return sorted(found, key=lambda pair: order_key(settled(pair[1].value)) if isinstance(pair[1], KnownValue) else ())  # fmt: skip
