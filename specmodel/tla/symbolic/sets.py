"""Sets that depend on a state, as their possible members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.values import Composite, first
from specmodel.tla import lazily
from specmodel.tla.symbolic.applying import ValueFunctions
from specmodel.tla.symbolic.merging import FoundSlots, once
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    BySlot,
    KnownValue,
    MembersOf,
    PairsOf,
    RuleSet,
    Slots,
    StateValue,
    members_of,
    pair_of,
    pairs_with,
)
from specmodel.tla.values import (
    EvaluationError,
    Value,
    order_key,
    ordered,
    settled,
)

MOST_POSSIBLE = 8
"""The most possible members of a set whose values are gone through."""


class ValueSets(ValueFunctions):
    """Filters and unions of sets."""

    def filtered(
        self,
        held: StateValue,
        test: Callable[[StateValue], Node],
        gone: tuple[Node, StateValue] | None = None,
    ) -> StateValue:
        """The members of a set that pass a test: all but `gone`, if that is given."""

        def make(arm: StateValue) -> StateValue:
            if isinstance(arm, RuleSet):
                rule = arm

                def has(x: StateValue) -> Node:
                    inside = rule.has(x)
                    with self.path.assuming(inside):
                        return self.graph.both(inside, test(x))

                return RuleSet(
                    has,
                    lambda: self.filtered(rule.members(), test),
                )
            source = arm if isinstance(arm, MembersOf) else self.as_members(arm)
            kept, places = list[tuple[Node, StateValue]](), list[int]()
            for place, (there, value) in enumerate(source.members):
                if not self.path.possible(there):
                    continue
                with self.path.assuming(there):
                    kept.append((self.graph.both(there, test(value)), value))
                places.append(place)
            function = source.arguments_of
            if function is not None:
                pairs = [
                    (there, function.pairs.members[place][1])
                    for place, (there, _) in zip(places, kept, strict=True)
                ]
                less = self._slots_without(function.pairs, pairs, gone, True)
                restricted = pairs_with(pairs, less)
                function = restricted if isinstance(restricted, PairsOf) else None
            made = self._slots_without(source, kept, gone, False)
            by_slot = source.by_slot and self._passing(source.by_slot, test)
            return members_of(kept, source.distinct, made, function, by_slot)

        return self.by_kinds(held, make)

    def _passing(self, source: BySlot, test: Callable[[StateValue], Node]) -> BySlot:
        """The members that pass a test, which has been made of each: failures are known."""

        def at(slot: Node) -> tuple[Node, StateValue]:
            (there, value), failures = self.member_at(source, slot), len(self.path.failures)
            with self.path.assuming(there):
                passes = test(value)
            del self.path.failures[failures:]
            return self.graph.both(there, passes), value

        return BySlot(source.members, at)

    def pairs_joined(
        self, function: PairsOf, more: Sequence[tuple[Node, StateValue]]
    ) -> StateValue:
        """A function with further pairs, whose arguments are not among its own."""
        added, slots = MembersOf(tuple(more), True), None
        if function.pairs.slots is not None:
            slots = once(lambda: self._joined_slots(function.pairs, added))
        return pairs_with([*function.pairs.members, *more], slots)

    def with_parts(
        self,
        function: PairsOf,
        parts: Sequence[StateValue],
        argument: StateValue,
        value: Callable[[], StateValue],
    ) -> StateValue:
        """A function with other values, of which that for an argument alone differs from before."""
        pairs = [
            (there, pair_of(key, part))
            for (there, key, _), part in zip(function.entries(), parts, strict=True)
        ]
        slots = once(lambda: self._changed_slots(function.pairs, argument, value))
        return pairs_with(pairs, slots if function.pairs.slots else None)

    def _changed_slots(
        self, source: MembersOf, argument: StateValue, value: Callable[[], StateValue]
    ) -> FoundSlots | None:
        """The slots of a function's pairs with another value for an argument, if it is one."""
        found = source.slots() if source.slots is not None else None
        if found is None:
            return None
        g, (stored, fits, held) = self.graph, found
        inside, key = stored.member.parts[0].written(self, argument)
        same = slots.same_as(self.domains, key, held, list(map(first, held.parts)))
        there = g.both(inside, g.either(*same))
        with self.path.assuming(there):
            fitting, written = stored.member.parts[1].written(self, value())
        parts = [
            self.domains.select(g.both(inside, s), Composite((first(part), written)), part)
            for s, part in zip(same, held.parts, strict=True)
        ]
        fits = g.both(fits, g.either(g.negate(there), fitting))
        return stored, fits, replace(held, parts=tuple(parts))

    def _slots_without(
        self,
        source: MembersOf,
        kept: Sequence[tuple[Node, StateValue]],
        gone: tuple[Node, StateValue] | None,
        by_argument: bool,
    ) -> Slots | None:
        """The slots of some members of a set; `gone` is the only other one, if that is known.

        For the pairs of a function, `gone` is an argument.
        """
        if gone is not None and source.slots is not None:
            return once(lambda: self._removed_slots(source, gone, by_argument))
        return once(lambda: self._kept_slots(source, kept)) if source.parallel else None

    def _removed_slots(
        self, source: MembersOf, gone: tuple[Node, StateValue], by_argument: bool
    ) -> FoundSlots | None:
        found = source.slots() if source.slots is not None else None
        if found is None:
            return None
        g, (stored, fits, held), (there, member) = self.graph, found, gone
        keys = list(map(first, held.parts)) if by_argument else held.parts
        with self.path.assuming(there):
            form = stored.member.parts[0] if by_argument else stored.member
            inside, key = form.written(self, member)
        same = slots.same_as(self.domains, key, held, keys)
        here = [g.both(there, inside, s) for s in same]
        return stored, fits, slots.removed(self.domains, held, here)

    def _kept_slots(
        self, source: MembersOf, kept: Sequence[tuple[Node, StateValue]]
    ) -> FoundSlots | None:
        """The slots of a stored set without some of its members."""
        found = source.slots() if source.slots is not None else None
        if found is None or len(source.members) != len(found[2].parts):
            return None
        g, (stored, fits, held) = self.graph, found
        stays = {id(member): there for there, member in kept}
        conditions = [stays.get(id(member), g.false) for _, member in source.members]
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
                lambda: self._joined(self.as_members(a), self.as_members(b)),
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
                if entry := found.get(key):
                    entry[0] = g.either(entry[0], there)
                else:
                    found[key] = [there, value]
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
            once(lambda: self._joined_slots(a, b)) if a.slots or b.slots else None,
        )

    def _joined_slots(self, a: MembersOf, b: MembersOf) -> FoundSlots | None:
        """The slots of the union of two sets."""
        if a.slots is None:
            a, b = b, a
        found = a.slots() if a.slots is not None else None
        return found and self.with_members(*found, b.members)

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

    def possible_sets(self, held: StateValue) -> list[tuple[Node, tuple[Value, ...]]]:
        """The values that a set may have, each with its condition. Raises NotCompiled for many."""
        g = self.graph
        try:
            return [(g.true, self.known_members(held))]
        except NotCompiled as wrong:
            members, known = self.members(held), dict[Value, Node]()
            for there, member in members:
                if not isinstance(member, KnownValue):
                    raise wrong
                value = settled(member.value)
                known[value] = g.either(known.get(value, g.false), there)
            if len(known) > MOST_POSSIBLE:
                raise wrong
        found: list[tuple[Node, tuple[Value, ...]]] = [(g.true, ())]
        for value in sorted(known, key=order_key):
            more = list[tuple[Node, tuple[Value, ...]]]()
            for there, some in found:
                more.append((g.both(there, known[value]), (*some, value)))
                more.append((g.both(there, g.negate(known[value])), some))
            found = [(there, some) for there, some in more if self.path.possible(there)]
        return found


def least_first(members: Iterable[tuple[Node, StateValue]]) -> list[tuple[Node, StateValue]]:
    """Known members in TLA+'s order. Raises NotCompiled for others."""
    found = list(members)
    if len(found) > 1 and not all(isinstance(m, KnownValue) for _, m in found):
        raise NotCompiled("a CHOOSE among values that depend on the state")
    return sorted(found, key=_place)


def _place(member: tuple[Node, StateValue]) -> tuple[Any, ...]:
    _, value = member
    return order_key(settled(value.value)) if isinstance(value, KnownValue) else ()
