"""Types of TLA+ as domains of a state: how values are written into leaves, and read from them."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from specmodel.domains import (
    BoolDomain,
    Domain,
    IntDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlotSetDomain,
    StructDomain,
    UnionDomain,
)
from specmodel.domains.domain import MOST_PLACES, NamedDomain
from specmodel.domains.records import Record
from specmodel.domains.sets import ValueSet, frozen
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic import values as symbolic
from specmodel.ir.symbolic.conversion import united
from specmodel.ir.symbolic.elements import chunks
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.types import (
    MOST_CANDIDATES,
    MapType,
    NameType,
    NumberType,
    ProductType,
    SequenceType,
    SetType,
    TlaType,
    TruthType,
    UnionType,
    candidates,
)
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    FunctionOf,
    KnownValue,
    MembersOf,
    NumberOf,
    RuleSet,
    SequenceOf,
    StateValue,
    TruthOf,
    choice_of,
    function_with,
    members_of,
    number_of,
    sequence_of,
    truth_of,
)
from specmodel.tla.values import (
    TRUE,
    Boolean,
    FunctionValue,
    Value,
    function_of,
    order_key,
    pairs_of,
    text_of,
    truth,
)


class OutsideType(Exception):  # noqa: N818 - the type is widened
    """A value is outside of the type of its place."""


@dataclass(frozen=True)
class NamesDomain(NamedDomain):
    """Known values of TLA+ as the members of a domain."""

    members: tuple[Any, ...]

    @cached_property
    def cls(self) -> type[Any]:  # type: ignore[override]
        return object

    @cached_property
    def places(self) -> dict[Any, int]:
        """The place of each member."""
        return {member: place for place, member in enumerate(self.members)}

    def index(self, value: Any) -> int:
        return self.places[value]

    def store(self, value: Any, where: str) -> Any:
        if value in self.places:
            return value
        raise self._wrong(value, where)

    def __str__(self) -> str:
        return "{" + ", ".join(map(text_of, self.members)) + "}"


class StoredType:
    """A type with its domain: `held` and `value` turn values into the domain's and back.

    `written` makes a symbolic value of the domain, with the condition that it fits; `read` the
    value of one.
    """

    domain: Any
    """The domain of the values that a state has."""

    def held(self, value: Value) -> Any:
        """A value as the domain has it. Raises OutsideType."""
        raise NotImplementedError

    def value(self, held: Any) -> Value:
        """The value that the domain has."""
        raise NotImplementedError

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        """A value as a symbolic value of the domain, and the condition that it fits."""
        raise NotImplementedError

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        """The value of a symbolic value of the domain."""
        raise NotImplementedError


class StoredTruth(StoredType):
    """TRUE or FALSE."""

    domain = BoolDomain()

    def held(self, value: Value) -> Any:
        if not isinstance(value, Boolean):
            raise OutsideType
        return value is TRUE

    def value(self, held: Any) -> Value:
        return truth(held)

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        value = writer.open(value)
        if isinstance(value, TruthOf):
            return writer.graph.true, symbolic.Scalar(value.node)
        return writer.by_arms(self, value) if isinstance(value, CasesOf) else writer.no(self)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Scalar)
        return truth_of(held.node)


class StoredNumber(StoredType):
    """An integer."""

    def __init__(self, low: int, high: int) -> None:
        self.domain = IntDomain(low, high)
        self.low, self.high = low, high

    def held(self, value: Value) -> Any:
        if value.__class__ is not int or not self.low <= value <= self.high:
            raise OutsideType
        return value

    def value(self, held: Any) -> Value:
        return held

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, ChoiceOf):
            value = writer.split(value)
        if isinstance(value, NumberOf):
            node = value.node
            inside = g.both(g.le(g.int(self.low), node), g.le(node, g.int(self.high)))
            return inside, symbolic.Scalar(node)
        return writer.by_arms(self, value) if isinstance(value, CasesOf) else writer.no(self)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Scalar)
        return number_of(held.node)


class StoredName(StoredType):
    """One of some known values."""

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options
        self.names = NamesDomain(options)
        self.domain = self.names

    def held(self, value: Value) -> Any:
        if value not in self.names.places:
            raise OutsideType
        return value

    def value(self, held: Any) -> Value:
        return held

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        found: list[tuple[Node, Value]] = []
        if isinstance(value, ChoiceOf):
            if value.options == self.options:
                return g.true, symbolic.Scalar(value.node)
            found = [(g.eq(value.node, g.int(i)), v) for i, v in enumerate(value.options)]
        elif isinstance(value, NumberOf):
            numbers = [v for v in self.options if v.__class__ is int]
            found = [(g.eq(value.node, g.int(v)), v) for v in numbers]
        elif isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        known = [(c, self.names.places[v]) for c, v in found if v in self.names.places]
        if not known:
            return writer.no(self)
        node = g.int(known[-1][1])
        for condition, place in reversed(known[:-1]):
            node = g.select(condition, g.int(place), node)
        return g.either(*(c for c, _ in known)), symbolic.Scalar(node)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Scalar)
        return choice_of(self.options, held.node)


def struct_of(name: str, fields: dict[str, Domain]) -> StructDomain:
    """The domain of records with some fields, with a class of its own."""
    made: Any = types.new_class(name, (Record,))
    return made.declare(fields)


def _field(key: Value) -> str:
    return key if isinstance(key, str) else f"[{text_of(key)}]"


class StoredProduct(StoredType):
    """A function with known arguments."""

    def __init__(self, name: str, keys: Sequence[Value], parts: Sequence[StoredType]) -> None:
        self.keys, self.parts = tuple(keys), tuple(parts)
        fields = {_field(k): p.domain for k, p in zip(self.keys, self.parts, strict=True)}
        self.domain = struct_of(name, fields)

    def held(self, value: Value) -> Any:
        if not isinstance(value, tuple | FunctionValue):
            raise OutsideType
        pairs: dict[Value, Value] = pairs_of(value)
        if len(pairs) != len(self.keys) or any(key not in pairs for key in self.keys):
            raise OutsideType
        both = zip(self.keys, self.parts, strict=True)
        return self.domain.build([part.held(pairs[key]) for key, part in both])

    def value(self, held: Any) -> Value:
        found = zip(self.parts, self.domain.split(held), strict=True)
        values = [part.value(each) for part, each in found]
        return function_of(dict(zip(self.keys, values, strict=True)))

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        fits, found = list[Node](), list[symbolic.Value]()
        if isinstance(value, SequenceOf):
            if self.keys != tuple(range(1, len(self.keys) + 1)):
                return writer.no(self)
            if len(value.items) < len(self.keys):
                return writer.no(self)
            fits.append(g.eq(value.length, g.int(len(self.keys))))
            parts = value.items[: len(self.keys)]
        elif isinstance(value, FunctionOf):
            if any(key not in value.keys for key in self.keys):
                return writer.no(self)
            for key in value.keys:
                there = writer.has_key(value, key)
                fits.append(there if key in self.keys else g.negate(there))
            parts = [value.part(key) for key in self.keys]
        else:
            return writer.no(self)
        for part, stored in zip(parts, self.parts, strict=True):
            assert part is not None
            inside, written = stored.written(writer, part)
            fits.append(inside)
            found.append(written)
        return g.both(*fits), symbolic.Composite(tuple(found))

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Composite)
        both = zip(self.parts, held.parts, strict=True)
        return function_with(self.keys, [part.read(writer, each) for part, each in both])


class StoredMap(StoredType):
    """A function whose arguments are some of the keys."""

    def __init__(self, name: str, keys: Sequence[Value], part: StoredType) -> None:
        self.keys, self.part = tuple(keys), part
        self.domain = struct_of(name, {_field(key): OptionDomain(part.domain) for key in keys})

    def held(self, value: Value) -> Any:
        if not isinstance(value, tuple | FunctionValue):
            raise OutsideType
        pairs: dict[Value, Value] = pairs_of(value)
        if any(key not in self.keys for key in pairs):
            raise OutsideType
        return self.domain.build(
            [self.part.held(pairs[key]) if key in pairs else None for key in self.keys]
        )

    def value(self, held: Any) -> Value:
        both = zip(self.keys, self.domain.split(held), strict=True)
        return function_of({k: self.part.value(each) for k, each in both if each is not None})

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        if isinstance(value, SequenceOf):
            value = writer.as_function(value)
        if not isinstance(value, FunctionOf):
            return writer.no(self)
        fits = [g.negate(writer.has_key(value, key)) for key in value.keys if key not in self.keys]
        found: list[symbolic.Value] = []
        inner = self.part.domain
        for key in self.keys:
            part, there = value.part(key), writer.has_key(value, key)
            if part is None or there is g.false:
                found.append(writer.domains.constant(OptionDomain(inner), None))
                continue
            with writer.path.assuming(there):
                inside, written = self.part.written(writer, part)
            fits.append(g.either(g.negate(there), inside))
            some = writer.domains.some(written, inner)
            none = writer.domains.constant(OptionDomain(inner), None)
            found.append(writer.domains.select(there, some, none))
        return g.both(*fits), symbolic.Composite(tuple(found))

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.Composite)
        present = [writer.domains.present(each) for each in held.parts]
        parts = [
            self.part.read(writer, writer.domains.held(each, self.part.domain))
            for each in held.parts
        ]
        return function_with(self.keys, parts, present)


class StoredSequence(StoredType):
    """A sequence with a capacity."""

    def __init__(self, item: StoredType, capacity: int) -> None:
        self.item, self.capacity = item, capacity
        self.domain = SeqDomain(item.domain, capacity)

    def held(self, value: Value) -> Any:
        if value.__class__ is not tuple:
            raise OutsideType
        items: tuple[Value, ...] = value
        if len(items) > self.capacity:
            raise OutsideType
        return self.domain.store([self.item.held(item) for item in items], "")

    def value(self, held: Any) -> Value:
        return tuple(map(self.item.value, held))

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        if not isinstance(value, FunctionOf | SequenceOf):
            return writer.no(self)
        form, held = writer.sequence_form(value)
        fits = [form, g.le(held.length, g.int(self.capacity))]
        found: list[symbolic.Value] = []
        for i, item in enumerate(held.items[: self.capacity]):
            there = g.lt(g.int(i), held.length)
            with writer.path.assuming(there):
                inside, written = self.item.written(writer, item)
            fits.append(g.either(g.negate(there), inside))
            found.append(written)
        return g.both(*fits), symbolic.SymbolicSeq(held.length, tuple(found), None)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        assert isinstance(held, symbolic.SymbolicSeq)
        return sequence_of(held.length, [self.item.read(writer, part) for part in held.parts])


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
        masks: list[Node] = []
        first = 0
        for count in chunks(self.names):
            mask = g.int(0)
            for i in range(count):
                one = g.shift_left(g.number(bits[first + i]), i)
                mask = g.bor(mask, one)
            masks.append(mask)
            first += count
        return g.both(*fits), symbolic.SymbolicSet(self.names, tuple(masks))

    def _places(self, writer: ValueAlgebra, member: StateValue) -> Iterator[tuple[Node, int]]:
        """The places that a member may have, each with its condition."""
        try:
            options = writer.candidates(member, None)
        except NotCompiled:  # too many: it is compared with each known member
            failures = len(writer.path.failures)
            options = [(writer.equal(member, KnownValue(v), None), v) for v in self.known]
            del writer.path.failures[failures:]
        for here, known in options:
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

    def __init__(self, member: StoredType, capacity: int) -> None:
        self.member, self.capacity = member, capacity
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
        return members_of(members, True, lambda: (self, g.true, kept))


class StoredUnion(StoredType):
    """A value of one of several kinds: a struct for each."""

    def __init__(self, name: str, parts: Sequence[StoredType]) -> None:
        self.parts = tuple(parts)
        self.structs: list[StructDomain] = []
        for place, part in enumerate(self.parts):
            if isinstance(part, StoredProduct):
                self.structs.append(part.domain)
            else:
                self.structs.append(struct_of(f"{name}_{place}", {"value": part.domain}))
        self.domain = UnionDomain(tuple(self.structs))

    def held(self, value: Value) -> Any:
        for part, struct in zip(self.parts, self.structs, strict=True):
            try:
                held = part.held(value)
            except OutsideType:
                continue
            return held if isinstance(part, StoredProduct) else struct.build([held])
        raise OutsideType

    def value(self, held: Any) -> Value:
        place: int = self.domain.tag(held)
        part = self.parts[place]
        if isinstance(part, StoredProduct):
            return part.value(held)
        (inner,) = self.structs[place].split(held)
        return part.value(inner)

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        g, value = writer.graph, writer.open(value)
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        fits, made = g.false, None
        for part, struct in zip(self.parts, self.structs, strict=True):
            inside, written = part.written(writer, value)
            if inside is g.false:
                continue
            if not isinstance(part, StoredProduct):
                written = symbolic.Composite((written,))
            union = united(writer.domains, written, struct, self.domain)
            if made is None:
                fits, made = inside, union
            else:
                taken = g.both(inside, g.negate(fits))
                made = writer.domains.select(taken, union, made)
                fits = g.either(fits, inside)
        return (fits, made) if made is not None else writer.no(self)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        g = writer.graph
        assert isinstance(held, symbolic.SymbolicUnion)
        arms: list[tuple[Node, StateValue]] = []
        for place, part in enumerate(self.parts):
            inner = writer.domains.narrowed(self.domain, held, place)
            if not isinstance(part, StoredProduct):
                assert isinstance(inner, symbolic.Composite)
                (inner,) = inner.parts
            arms.append((g.eq(held.tag, g.int(place)), part.read(writer, inner)))
        return CasesOf(tuple(arms))


def stored(held: TlaType, name: str) -> StoredType:
    """The storage of a type; `name` is that of its place."""
    if isinstance(held, TruthType):
        return StoredTruth()
    if isinstance(held, NumberType):
        return StoredNumber(held.low, held.high)
    if isinstance(held, NameType):
        return StoredName(held.options)
    if isinstance(held, ProductType):
        parts = [stored(part, f"{name}_{place}") for place, part in enumerate(held.parts)]
        return StoredProduct(name, held.keys, parts)
    if isinstance(held, MapType):
        if len(held.keys) > MOST_PLACES:
            raise NotCompiled(f"{name} has more than {MOST_PLACES} possible arguments")
        return StoredMap(name, held.keys, stored(held.part, f"{name}_value"))
    if isinstance(held, SequenceType):
        if held.item is None:
            return StoredProduct(name, (), ())
        return StoredSequence(stored(held.item, f"{name}_item"), held.capacity)
    if isinstance(held, UnionType):
        parts = [stored(part, f"{name}_{place}") for place, part in enumerate(held.parts)]
        return StoredUnion(name, parts)
    assert isinstance(held, SetType)
    return _stored_set(held, name)


FEW_MEMBERS = 8
"""Sets of at most so many composites lie in slots, unless there are few possible ones: each step
that takes a member is a step for each slot, or for each possible member."""

MANY_CANDIDATES = 256
"""The most possible members of a larger set that has a bit for each of them."""

MOST_KNOWN = 1024
"""The most members that were met of a larger set that has a bit for each of these."""


def _stored_set(held: SetType, name: str) -> StoredType:
    if held.member is None:
        return StoredMask(())
    flat = isinstance(held.member, NumberType | NameType | TruthType)
    members = candidates(held.member, MOST_CANDIDATES if flat else max(12, 4 * held.most))
    if members is None and held.most > FEW_MEMBERS:
        members = candidates(held.member, MANY_CANDIDATES)
        if members is None and len(held.known) <= MOST_KNOWN:
            members = tuple(held.known)
    if members is None and _holds_slots(held.member):
        members = tuple(held.known)
        if len(members) > MOST_PLACES:
            raise NotCompiled(f"{name} is a set of sets with too many members")
    if members is not None:
        return StoredMask(sorted(members, key=order_key))
    return StoredSlots(stored(held.member, f"{name}_member"), held.most + max(1, held.most // 3))


def _holds_slots(held: TlaType | None) -> bool:
    """Whether a type has sets whose members lie in slots: such sets have no order."""
    if isinstance(held, SetType):
        return held.member is not None and candidates(held.member, MOST_CANDIDATES) is None
    if isinstance(held, ProductType | UnionType):
        return any(map(_holds_slots, held.parts))
    if isinstance(held, MapType):
        return _holds_slots(held.part)
    return isinstance(held, SequenceType) and _holds_slots(held.item)
