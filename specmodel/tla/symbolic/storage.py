"""How values of a type of TLA+ are written into the leaves of a state, and read from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.domains import (
    StructDomain,
    UnionDomain,
)
from specmodel.domains.domain import MOST_PLACES
from specmodel.ir.symbolic import values as symbolic
from specmodel.ir.symbolic.conversion import united
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.stored import (
    OutsideType,
    StoredName,
    StoredNumber,
    StoredTruth,
    StoredType,
)
from specmodel.tla.symbolic.stored_functions import (
    StoredMap,
    StoredProduct,
    StoredSequence,
    struct_of,
)
from specmodel.tla.symbolic.stored_pairs import StoredPairs
from specmodel.tla.symbolic.stored_sets import StoredMask, StoredSlots
from specmodel.tla.symbolic.types import (
    FEW_MEMBERS,
    MANY_KEYS,
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
    roomy,
    with_shared_fields,
)
from specmodel.tla.symbolic.values import (
    CasesOf,
    StateValue,
)
from specmodel.tla.values import (
    Value,
    order_key,
)


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
        if known := writer.origin(self, value):
            return known
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
        return writer.remembered(self, held, CasesOf(tuple(arms)))


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
        if held.in_pairs():
            argument = stored(roomy(with_shared_fields(held.argument())), f"{name}_argument")
            part = stored(held.part, f"{name}_value")
            return StoredPairs(name, argument, part, with_room(held.most))
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


MANY_CANDIDATES = 256
"""The most possible members of a larger set that has a bit for each of them."""


def _stored_set(held: SetType, name: str) -> StoredType:
    if held.member is None:
        return StoredMask(())
    flat = isinstance(held.member, NumberType | NameType | TruthType)
    members = candidates(held.member, MOST_CANDIDATES if flat else max(12, 4 * held.most))
    if members is None and held.most > FEW_MEMBERS:
        members = candidates(held.member, MANY_CANDIDATES)
        if members is None and len(held.known) <= MANY_KEYS:
            members = tuple(held.known)
    if members is None and _holds_slots(held.member):
        members = tuple(held.known)
        if len(members) > MOST_PLACES:
            raise NotCompiled(f"{name} is a set of sets with too many members")
    if members is not None:
        return StoredMask(sorted(members, key=order_key))
    member = roomy(with_shared_fields(held.member))
    return StoredSlots(stored(member, f"{name}_member"), with_room(held.most))


def with_room(most: int) -> int:
    """The slots of a collection of which at most so many members were met at once."""
    return most + max(1, most // 3)


def _holds_slots(held: TlaType | None) -> bool:
    """Whether a type has sets whose members lie in slots: such sets have no order."""
    if isinstance(held, SetType):
        return held.member is not None and candidates(held.member, MOST_CANDIDATES) is None
    if isinstance(held, ProductType | UnionType):
        return any(map(_holds_slots, held.parts))
    if isinstance(held, MapType):
        return held.in_pairs() or _holds_slots(held.part)
    return isinstance(held, SequenceType) and _holds_slots(held.item)
