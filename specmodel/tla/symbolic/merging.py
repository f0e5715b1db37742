"""Values by their kinds: the parts of known values, and choices between values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.values import SymbolicSeq
from specmodel.tla import lazily
from specmodel.tla.symbolic.operations import NOTHING, ValueOperations
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    AnyFunction,
    CasesOf,
    ChoiceOf,
    FunctionOf,
    FunctionRule,
    KnownValue,
    MembersOf,
    NumberOf,
    PairsOf,
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
    pair_of,
    pairs_with,
    sequence_of,
    truth_of,
)
from specmodel.tla.values import (
    Deferred,
    EvaluationError,
    Value,
    order_key,
    settled,
)

FoundSlots = tuple[Any, Node, SymbolicSeq]
"""The slots of a set: their stored type, the condition that all members fit, and the slots."""


class ValueMerging(ValueOperations):
    """The kinds of values, and choices between values."""

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
            return self.known_rule(held)
        if isinstance(value, FunctionRule):
            return self.open(value.whole())
        return opened(value, self.graph)

    def computed(self, value: StateValue) -> StateValue:
        """A value as part of another one: a function has all its values, each of which may fail."""
        rule = isinstance(value, FunctionRule)
        known = isinstance(value, KnownValue) and isinstance(value.value, lazily.DeferredFunction)
        return self.open(value) if rule or known else value

    def _computed(self, value: Value) -> Value:
        try:
            return settled(value)
        except EvaluationError as wrong:
            self.path.refuse(wrong)
            return ()

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
        """The result of a function for each case of a value, merged."""
        value = self.open(value)
        if not isinstance(value, CasesOf):
            return make(value)
        found: list[tuple[Node, StateValue]] = []
        for condition, arm in value.arms:
            if self.path.possible(condition):
                with self.path.assuming(condition):
                    found.append((condition, self.by_kinds(arm, make)))
        return self.merged(found)

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
        if len(flat) == 1:
            return flat[0][1]
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
        if isinstance(a, KnownValue) and isinstance(b, KnownValue) and same_value(a.value, b.value):
            return a
        g, a, b = self.graph, self.open(a), self.open(b)
        if isinstance(a, TruthOf) and isinstance(b, TruthOf):
            return truth_of(g.select(condition, a.node, b.node))
        if isinstance(a, NumberOf) and isinstance(b, NumberOf):
            return number_of(g.select(condition, a.node, b.node))
        if isinstance(a, ChoiceOf) and isinstance(b, ChoiceOf):
            return self._choice(condition, a, b)
        if isinstance(a, AnyFunction) and isinstance(b, AnyFunction):
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

    def _functions(self, condition: Node, a: AnyFunction, b: AnyFunction) -> StateValue:
        g = self.graph
        if isinstance(a, PairsOf) or isinstance(b, PairsOf):
            return self._pairs(condition, self.as_pairs(a), self.as_pairs(b))
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
        a, b = self.as_function(a), self.as_function(b)
        keys = sorted({*a.keys, *b.keys}, key=order_key)
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

    def as_pairs(self, value: AnyFunction) -> PairsOf:
        """A function as the set of its pairs."""
        if isinstance(value, PairsOf):
            return value
        return PairsOf(
            MembersOf(tuple((c, pair_of(k, v)) for c, k, v in self.entries(value)), True)
        )

    def entries(self, value: AnyFunction) -> list[tuple[Node, StateValue, StateValue]]:
        """Each argument of a function with its condition and its value."""
        if isinstance(value, PairsOf):
            return value.entries()
        held = self.as_function(value)
        present = held.present or (self.graph.true,) * len(held.keys)
        return list(zip(present, map(KnownValue, held.keys), held.parts, strict=True))

    def as_function(self, value: AnyFunction) -> FunctionOf:
        """A function by known arguments. Raises NotCompiled where too many are possible."""
        if isinstance(value, FunctionOf):
            return value
        if isinstance(value, PairsOf):
            return self.on_keys(value, None)[1]
        g = self.graph
        keys = tuple(range(1, len(value.items) + 1))
        return FunctionOf(keys, value.items, tuple(g.le(g.int(k), value.length) for k in keys))

    def on_keys(self, value: PairsOf, keys: Sequence[Value] | None) -> tuple[Node, FunctionOf]:
        """A function by known arguments, and whether they are all; None: by all possible ones."""
        g, arms = self.graph, dict[Value, list[tuple[Node, StateValue]]]()
        fits: list[Node] = []
        for there, argument, part in value.entries():
            with self.path.assuming(there):
                options = self.options(argument, keys)
            for here, key in options:
                both = g.both(there, here)
                if self.path.possible(both):
                    arms.setdefault(key, []).append((both, part))
            if keys is not None:
                fits.append(g.either(g.negate(there), *(here for here, _ in options)))
        found = tuple(sorted(arms, key=order_key))
        present = tuple(g.either(*(there for there, _ in arms[key])) for key in found)
        parts = tuple(self.merged(arms[key]) for key in found)
        return g.both(*fits), FunctionOf(found, parts, present)

    def options(self, value: StateValue, known: Sequence[Value] | None) -> list[tuple[Node, Value]]:
        """The known values that a value may be, with their conditions.

        Where these are too many, it is compared with some. Raises NotCompiled without such.
        """
        try:
            return self.candidates(value, None)
        except NotCompiled:
            if known is None:
                raise
            failures = len(self.path.failures)
            found = [(self.equal(value, KnownValue(v), None), v) for v in known]
            del self.path.failures[failures:]
            return found

    def as_sequence(self, value: StateValue) -> SequenceOf:
        """A sequence with its length."""
        held = self.open(value)
        if isinstance(held, SequenceOf):
            return held
        assert isinstance(held, FunctionOf)
        return SequenceOf(self.graph.int(len(held.keys)), held.parts)

    def sequence_form(self, value: AnyFunction) -> tuple[Node, SequenceOf]:
        """Whether the arguments of a function are 1..n, and the sequence that it then is."""
        g = self.graph
        if is_sequence(value):
            return g.true, self.as_sequence(value)
        held = self.as_function(value)
        first = 0
        while first + 1 in held.keys:
            first += 1
        there = [self.has_key(held, place) for place in range(1, first + 1)]
        fits = [
            g.negate(self.has_key(held, key)) for key in held.keys if key not in range(1, first + 1)
        ]
        fits += [g.either(one, g.negate(other)) for one, other in pairwise(there)]
        length = g.int(0)
        for each in there:
            length = g.add(length, g.number(each))
        items = [held.parts[held.keys.index(place)] for place in range(1, first + 1)]
        return g.both(*fits), SequenceOf(length, tuple(items))

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
            made = once(lambda: self._selected_slots(condition, a, b))
        return members_of(members, a.distinct and b.distinct, made)

    def _pairs(self, condition: Node, a: PairsOf, b: PairsOf) -> StateValue:
        """One of two functions; an argument that both have in one place has one pair."""
        g, others = self.graph, dict[Any, list[tuple[Node, StateValue, StateValue]]]()
        for (there, pair), (_, key, value) in zip(b.pairs.members, b.entries(), strict=True):
            others.setdefault(_name(key), []).append((there, pair, value))
        pairs: list[tuple[Node, StateValue]] = []
        for (there, pair), (_, key, value) in zip(a.pairs.members, a.entries(), strict=True):
            there, same = g.both(condition, there), others.get(_name(key))
            if same:
                other, second, found = same.pop(0)
                there = g.either(there, g.both(g.negate(condition), other))
                if second is not pair:
                    pair = pair_of(key, self.select(condition, value, found))
            pairs.append((there, pair))
        for there, pair, _ in (each for left in others.values() for each in left):
            pairs.append((g.both(g.negate(condition), there), pair))
        made = None
        if a.pairs.slots or b.pairs.slots:
            made = once(lambda: self._selected_slots(condition, a.pairs, b.pairs))
        return pairs_with(pairs, made)

    def _selected_slots(self, condition: Node, a: MembersOf, b: MembersOf) -> FoundSlots | None:
        """The slots of one of two sets."""
        one, two = self._slots_of(a, b), self._slots_of(b, a)
        if one is None or two is None:
            return None
        fits = self.graph.select(condition, one[1], two[1])
        held = self.domains.select(condition, one[2], two[2])
        return (one[0], fits, held) if isinstance(held, SymbolicSeq) else None

    def _slots_of(self, held: MembersOf, like: MembersOf) -> FoundSlots | None:
        """The slots of a set; of one without, as another set has them."""
        if held.slots is not None:
            return held.slots()
        other = like.slots() if like.slots is not None else None
        if other is None:
            return None
        stored, empty = other[0], slots.empty(self.domains)
        return self.with_members(stored, self.graph.true, empty, held.members)

    def with_members(
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
            return self.select(condition, self.as_members(a), self.as_members(b))

        return RuleSet(has, listed)


def once(make: Callable[[], FoundSlots | None]) -> Callable[[], FoundSlots | None]:
    """A function that is called once at most."""
    held: list[FoundSlots | None] = []

    def first() -> FoundSlots | None:
        if not held:
            held.append(make())
        return held[0]

    return first


def _name(value: StateValue) -> Any:
    """Equal for values that are known to be one."""
    if isinstance(value, KnownValue):
        return value.value.__class__, value.value
    return id(value)


def same_value(a: Value, b: Value) -> bool:
    return a.__class__ is b.__class__ and a == b


def _is_map(value: StateValue) -> bool:
    """Whether a value is a function that may lack arguments of others like it."""
    return isinstance(value, PairsOf) or (
        isinstance(value, FunctionOf)
        and not is_sequence(value)
        and not all(isinstance(key, str) for key in value.keys)
    )


def _shape(value: StateValue, functions: bool) -> Any:
    """A key that is equal for values that can be merged into one."""
    if isinstance(value, PairsOf):
        return "function"
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
