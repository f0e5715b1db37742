"""Sets of TLA+ as domains of a state: a bit for each possible member, or a slot for each member."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from specmodel.domains import (
    SetDomain,
    SlotSetDomain,
)
from specmodel.domains.sets import ValueSet, frozen
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic import values as symbolic
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.sorting import sorted_entries
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.stored import NamesDomain, OutsideType, StoredType
from specmodel.tla.symbolic.values import (
    BySlot,
    CasesOf,
    KnownValue,
    MembersOf,
    RuleSet,
    StateValue,
    members_of,
)
from specmodel.tla.values import (
    Value,
)

MANY = 4
"""The members of a set that are sorted all at once."""


class StoredMask(StoredType):
    """A set of known values, with a bit for each."""

    def __init__(self, members: Sequence[Value]) -> None:
        self.known = tuple(members)
        self.names = NamesDomain(self.known)
        self.domain = SetDomain(self.names)

    def held(self, value: Value) -> Any:
        if value.__class__ is not frozenset or any(v not in self.names.places for v in value):
            raise OutsideType
        found: frozenset[Value] = value
        return ValueSet.of(tuple(sorted(found, key=self.names.places.__getitem__)))

    def value(self, held: Any) -> Value:
        return frozenset(held)

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        if isinstance(value, RuleSet):
            value = writer.open(value.members())
        if not isinstance(value, MembersOf):
            return writer.no(self)
        fits, bits = list[Node](), [g.false] * len(self.known)
        for there, member in value.members:
            if isinstance(member, KnownValue):
                place = self.names.places.get(member.value)
                if place is None:
                    fits.append(g.negate(there))
                else:
                    bits[place] = g.either(bits[place], there)
                continue
            found: list[Node] = []
            with writer.path.assuming(there):
                for here, place in self._places(writer, member):
                    found.append(here)
                    bits[place] = g.either(bits[place], g.both(there, here))
            fits.append(g.either(g.negate(there), *found))
        return g.both(*fits), writer.domains.sets.of_bits(self.names, bits)

    def _places(self, writer: ValueAlgebra, member: StateValue) -> Iterator[tuple[Node, int]]:
        """The places that a member may have, each with its condition."""
        for here, known in writer.options(member, self.known):
            if (place := self.names.places.get(known)) is not None:
                yield here, place

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.SymbolicSet)
        found = [
            (writer.domains.sets.member_at(held, i), KnownValue(member))
            for i, member in enumerate(self.known)
        ]
        return members_of(found, True)


class StoredSlots(StoredType):
    """A set whose members lie in slots, in order."""

    def __init__(self, member: StoredType, capacity: int, keyed: bool = False) -> None:
        """Of `keyed` slots, whose members are pairs, no two have the same argument."""
        self.member, self.capacity, self.keyed = member, capacity, keyed
        self.domain = SlotSetDomain(member.domain, capacity)

    def held(self, value: Value) -> Any:
        if value.__class__ is not frozenset:
            raise OutsideType
        found: frozenset[Value] = value
        if len(found) > self.capacity:
            raise OutsideType
        return self.domain.of([frozen(self.member.held(each)) for each in found])

    def value(self, held: Any) -> Value:
        return frozenset(map(self.member.value, held))

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        if isinstance(value, RuleSet):
            value = writer.open(value.members())
        if not isinstance(value, MembersOf):
            return writer.no(self)
        made = value.slots() if value.slots is not None else None
        if made is not None and made[0] is self:
            fits, held = [made[1]], made[2]
        elif value.distinct and len(value.members) >= MANY:
            entries, fits = list[tuple[Node, symbolic.Value]](), list[Node]()
            for there, member in value.members:
                with writer.path.assuming(there):
                    inside, written = self.member.written(writer, member)
                fits.append(g.either(g.negate(there), inside))
                entries.append((there, written))
            element = self.domain.slots.element
            held = sorted_entries(writer.domains, entries, element, self.capacity)
        else:
            held, fits = slots.empty(writer.domains), list[Node]()
            for there, member in value.members:
                with writer.path.assuming(there):
                    inside, written = self.member.written(writer, member)
                fits.append(g.either(g.negate(there), inside))
                held = slots.inserted(writer.domains, held, written, there)
        fits.append(g.le(held.length, g.int(self.capacity)))
        return g.both(*fits), held

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        g = writer.graph
        assert isinstance(held, symbolic.SymbolicSeq)
        kept = held
        members = [
            (g.lt(g.int(i), kept.length), self.member.read(writer, part))
            for i, part in enumerate(kept.parts)
        ]

        def at(slot: Node) -> tuple[Node, StateValue]:
            part = slots.chosen(writer.domains, kept, self.domain.slots.element, slot, self.keyed)
            return g.lt(slot, kept.length), self.member.read(writer, part)

        by_slot = BySlot(tuple(member for _, member in members), at)
        made = members_of(members, True, lambda: (self, g.true, kept), None, by_slot)
        return replace(made, parallel=True) if isinstance(made, MembersOf) else made
