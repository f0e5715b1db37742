"""Types of TLA+ values: what the values of a place look like, found from values themselves.

TLA+ has no types. A type is the smallest that this module can write down for all values that were
met at a place. A value outside of it widens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from specmodel.dataclass import dataclass
from specmodel.tla import lazily
from specmodel.tla.values import (
    EMPTY,
    FALSE,
    TRUE,
    Boolean,
    FunctionValue,
    ModelValue,
    Value,
    order_key,
    ordered,
    pairs_of,
)

MOST_CANDIDATES = 48
"""The most possible members of a set that has a bit for each; others lie in slots."""

FEW_MEMBERS = 8
"""Collections of at most so many composites lie in slots, unless there are few possible ones: each
step that takes a member is a step for each slot, or for each possible member."""

MANY_KEYS = 64
"""The most arguments that were met of a larger function that has a place for each of these, and the
most members that were met of a larger set that has a bit for each. A further one widens the type;
where so many were met, many others will be."""

MOST_OPTIONS = 4096


class TlaType:
    """The values of a place."""


@dataclass(frozen=True)
class TruthType(TlaType):
    """TRUE and FALSE."""


@dataclass(frozen=True)
class NumberType(TlaType):
    """The integers from low to high."""

    low: int
    high: int


@dataclass(frozen=True)
class NameType(TlaType):
    """Some strings, model values, and numbers that stand beside names, in TLA+'s order."""

    options: tuple[Value, ...]


@dataclass(frozen=True)
class ProductType(TlaType):
    """Functions with these arguments: records, tuples and functions with a known domain."""

    keys: tuple[Value, ...]
    parts: tuple[TlaType, ...]


@dataclass(frozen=True)
class MapType(TlaType):
    """Functions whose arguments are some of the keys, `most` of them at most."""

    keys: tuple[Value, ...]
    part: TlaType
    most: int

    def argument(self) -> TlaType:
        """The type of the arguments."""
        return reduce(joined, map(type_of, self.keys))

    def in_pairs(self) -> bool:
        """Whether its pairs lie in slots: too many arguments are possible for a place for each."""
        if not any(isinstance(key, tuple | FunctionValue | frozenset) for key in self.keys):
            return False
        if self.most > FEW_MEMBERS and len(self.keys) <= MANY_KEYS:
            return False
        return candidates(self.argument(), max(12, 4 * self.most)) is None


@dataclass(frozen=True)
class SequenceType(TlaType):
    """Sequences of at most `capacity` items; `item` is None if all are empty."""

    item: TlaType | None
    capacity: int


@dataclass(frozen=True)
class SetType(TlaType):
    """Sets: `known` are the members that were met; they have the type `member`.

    `most` is the greatest number of members that was met in one set.
    """

    member: TlaType | None
    known: frozenset[Value]
    most: int


@dataclass(frozen=True)
class UnionType(TlaType):
    """Values of several kinds: one type for each kind."""

    parts: tuple[TlaType, ...]


def type_of(value: Value) -> TlaType:
    """The type of one value."""
    if value.__class__ is int:
        return NumberType(value, value)
    if isinstance(value, Boolean):
        return TruthType()
    if isinstance(value, str | ModelValue):
        return NameType((value,))
    if value.__class__ is frozenset:
        members: list[Value] = list(value)
        held = reduce(joined, map(type_of, members)) if members else None
        return SetType(held, frozenset(members), len(members))
    if value == ():
        return SequenceType(None, 0)
    pairs = pairs_of(value)
    keys = ordered(frozenset(pairs))
    return ProductType(keys, tuple(type_of(pairs[key]) for key in keys))


def type_of_members(held: Value) -> TlaType | None:
    """The type of the members of a set; None for a set without members, or without end.

    It may have further values.
    """
    if isinstance(held, lazily.Interval):
        return NumberType(held.low, held.high)
    if isinstance(held, lazily.Powerset):
        known = lazily.finite(held.base)
        return SetType(type_of_members(known), known, len(known))
    if isinstance(held, lazily.FunctionSpace):
        keys, part = ordered(lazily.finite(held.source)), type_of_members(held.target)
        if keys and part is None:
            return None
        return ProductType(keys, (part,) * len(keys)) if part and keys else SequenceType(None, 0)
    if isinstance(held, lazily.RecordSpace | lazily.ProductSpace):
        fields = (
            dict(held.fields)
            if isinstance(held, lazily.RecordSpace)
            else dict(enumerate(held.factors, 1))
        )
        keys = ordered(frozenset(fields))
        parts = [type_of_members(fields[key]) for key in keys]
        found = tuple(part for part in parts if part is not None)
        return ProductType(keys, found) if len(found) == len(parts) else None
    if isinstance(held, lazily.UnionSet):
        joint = [part for part in map(type_of_members, held.parts) if part is not None]
        return reduce(joined, joint) if joint else None
    if isinstance(held, lazily.FilteredSet):
        return type_of_members(held.base)
    if held.__class__ is frozenset and held:
        return reduce(joined, map(type_of, held))
    return None


def kind_of_type(held: TlaType) -> object:
    """Equal for types of which one type is made; different ones are parts of a union."""
    if isinstance(held, NumberType | NameType):
        return "atom"
    if isinstance(held, ProductType):
        if all(isinstance(key, str) for key in held.keys):
            return held.keys
        return "function"
    if isinstance(held, SequenceType | MapType):
        return "function"
    return type(held).__name__


def joined(a: TlaType, b: TlaType) -> TlaType:
    """The type of the values of two types."""
    if a == b:
        return a
    if isinstance(a, UnionType) or isinstance(b, UnionType):
        return _union([*_parts(a), *_parts(b)])
    if isinstance(a, NumberType) and isinstance(b, NumberType):
        return NumberType(min(a.low, b.low), max(a.high, b.high))
    if isinstance(a, NumberType | NameType) and isinstance(b, NumberType | NameType):
        return _named([*_options(a), *_options(b)])
    if isinstance(a, SetType) and isinstance(b, SetType):
        member = a.member or b.member
        if a.member is not None and b.member is not None:
            member = joined(a.member, b.member)
        return SetType(member, a.known | b.known, max(a.most, b.most))
    if kind_of_type(a) == kind_of_type(b):
        return _functions(a, b)
    # An empty function may be one of records' or of functions' kind.
    return _union([a, b])


def _options(held: TlaType) -> Iterable[Value]:
    if isinstance(held, NameType):
        return held.options
    assert isinstance(held, NumberType)
    return range(held.low, held.high + 1)


def _named(options: Iterable[Value]) -> TlaType:
    found = dict.fromkeys(options)
    return NameType(tuple(sorted(found, key=order_key)))


def _functions(a: TlaType, b: TlaType) -> TlaType:
    if isinstance(a, ProductType) and isinstance(b, ProductType) and a.keys == b.keys:
        return ProductType(a.keys, tuple(map(joined, a.parts, b.parts)))
    if _is_list(a) and _is_list(b):
        one, other = _as_list(a), _as_list(b)
        item = one.item or other.item
        if one.item is not None and other.item is not None:
            item = joined(one.item, other.item)
        return SequenceType(item, max(one.capacity, other.capacity))
    keys, parts, most = set[Value](), list[TlaType](), 0
    for held in (a, b):
        if isinstance(held, SequenceType):
            most = max(most, held.capacity)
            keys |= set(range(1, held.capacity + 1))
            parts += [held.item] if held.item is not None else []
        elif isinstance(held, MapType):
            most = max(most, held.most)
            keys |= set(held.keys)
            parts.append(held.part)
        else:
            assert isinstance(held, ProductType)
            most = max(most, len(held.keys))
            keys |= set(held.keys)
            parts += held.parts
    if isinstance(a, MapType) and len(a.keys) == len(keys):
        return MapType(a.keys, reduce(joined, parts), most)  # to put them in order takes long
    # Arguments of different kinds have no order for TLC, and are never those of one function.
    return MapType(tuple(sorted(keys, key=order_key)), reduce(joined, parts), most)


def _is_list(held: TlaType) -> bool:
    if isinstance(held, SequenceType):
        return True
    return isinstance(held, ProductType) and held.keys == tuple(range(1, len(held.keys) + 1))


def _as_list(held: TlaType) -> SequenceType:
    if isinstance(held, SequenceType):
        return held
    assert isinstance(held, ProductType)
    item = reduce(joined, held.parts) if held.parts else None
    return SequenceType(item, len(held.keys))


def _parts(held: TlaType) -> Sequence[TlaType]:
    return held.parts if isinstance(held, UnionType) else (held,)


def _union(parts: Sequence[TlaType]) -> TlaType:
    kinds: dict[object, TlaType] = {}
    for part in parts:
        kind = kind_of_type(part)
        kinds[kind] = joined(kinds[kind], part) if kind in kinds else part
    if len(kinds) == 1:
        return next(iter(kinds.values()))
    return UnionType(tuple(kinds[kind] for kind in sorted(kinds, key=repr)))


def candidates(held: TlaType, most: int) -> tuple[Value, ...] | None:
    """All values of a type, if they are no more than `most`."""
    if isinstance(held, TruthType):
        return (FALSE, TRUE)
    if isinstance(held, NumberType):
        if held.high - held.low >= most:
            return None
        return tuple(range(held.low, held.high + 1))
    if isinstance(held, NameType):
        return held.options if len(held.options) <= most else None
    if isinstance(held, UnionType):
        found: list[Value] = []
        for part in held.parts:
            more = candidates(part, most)
            if more is None or len(found) + len(more) > most:
                return None
            found += more
        return tuple(found)
    if isinstance(held, ProductType):
        made: list[dict[Value, Value]] = [{}]
        for key, part in zip(held.keys, held.parts, strict=True):
            values = candidates(part, most)
            if values is None or len(made) * len(values) > most:
                return None
            made = [{**pairs, key: value} for pairs in made for value in values]
        if held.keys == tuple(range(1, len(held.keys) + 1)):
            return tuple(tuple(pairs.values()) for pairs in made)
        return tuple(FunctionValue(pairs) for pairs in made)
    if isinstance(held, SetType):
        if held.member is None:
            return (EMPTY,)
        members = candidates(held.member, most)
        if members is None or 1 << len(members) > most:
            return None
        return tuple(
            frozenset(m for i, m in enumerate(members) if chosen >> i & 1)
            for chosen in range(1 << len(members))
        )
    return None


def roomy(held: TlaType) -> TlaType:
    """A type with room for values beyond those met, where that costs no bits."""
    if isinstance(held, NumberType):
        low, high = held.low, held.high
        low = min(low, 0) if low >= 0 else low
        bits = max(1, (high - low).bit_length())
        return NumberType(low, low + (1 << bits) - 1)
    if isinstance(held, ProductType) and all(isinstance(key, ModelValue) for key in held.keys):
        held = _with_one_part(held, mixed=True)
    few = isinstance(held, SetType) and held.member and candidates(held.member, MOST_CANDIDATES)
    return held if few else _with_parts(held, roomy)


def _with_one_part(held: ProductType, mixed: bool) -> ProductType:
    """Functions whose values have one type: what one server has had, another one will.

    Values of several kinds keep their types, such as those of a tuple; numbers and names are of one
    kind if they may be `mixed`.
    """
    common = reduce(joined, held.parts)
    alike = mixed or all(type(part) is type(common) for part in held.parts)
    if isinstance(common, UnionType) or not alike:
        return held
    return ProductType(held.keys, (common,) * len(held.keys))


def _with_parts(held: TlaType, change: Callable[[TlaType], TlaType]) -> TlaType:
    """A type with its parts changed."""
    if isinstance(held, UnionType):
        return _union([change(part) for part in held.parts])
    if isinstance(held, ProductType):
        return ProductType(held.keys, tuple(map(change, held.parts)))
    if isinstance(held, MapType):
        return MapType(held.keys, change(held.part), held.most)
    if isinstance(held, SequenceType) and held.item is not None:
        return SequenceType(change(held.item), held.capacity)
    if isinstance(held, SetType) and held.member is not None:
        return SetType(change(held.member), held.known, held.most)
    return held


def with_shared_fields(held: TlaType) -> TlaType:
    """A type of records of several kinds, whose fields of one name have one type.

    What a field of one kind of message has had, that of another one will. A field that tells the
    kinds apart, by a name of its own for each, stays as it is.
    """
    return _with_fields(held, _shared([held])) if isinstance(held, UnionType) else held


def alike(types: Sequence[TlaType]) -> list[TlaType]:
    """Types of variables in which servers that are numbers, and fields of one name, are alike.

    This costs bits, and fewer searches begin again.
    """
    servers = [_with_servers_alike(held) for held in types]
    shared = _shared(servers)
    return [_with_servers_alike(_with_fields(held, shared)) for held in servers]


def _with_servers_alike(held: TlaType) -> TlaType:
    """A type in which all values of a function on 1..n have one type."""
    held = _with_parts(held, _with_servers_alike)
    if isinstance(held, ProductType) and held.keys == tuple(range(1, len(held.keys) + 1)):
        return _with_one_part(held, mixed=False)
    return held


def _shared(types: Sequence[TlaType]) -> dict[Value, TlaType]:
    """One type for all fields of a name, if they are of one kind."""
    fields: dict[Value, list[TlaType]] = {}

    def collect(held: TlaType) -> TlaType:
        if isinstance(held, ProductType):
            for key, part in zip(held.keys, held.parts, strict=True):
                if isinstance(key, str):
                    fields.setdefault(key, []).append(part)
        return _with_parts(held, collect)

    for held in types:
        collect(held)
    return {
        name: reduce(joined, parts)
        for name, parts in fields.items()
        if len({kind_of_type(each) for each in parts}) == 1
        and not all(isinstance(each, NameType) and len(each.options) == 1 for each in parts)
    }


def _with_fields(held: TlaType, shared: Mapping[Value, TlaType]) -> TlaType:
    """A type with these types of fields; a field within one of its own name stays as it is."""
    if not isinstance(held, ProductType):
        return _with_parts(held, lambda part: _with_fields(part, shared))
    parts = list[TlaType]()
    for key, part in zip(held.keys, held.parts, strict=True):
        others = {name: each for name, each in shared.items() if name != key}
        parts.append(_with_fields(shared.get(key, part), others))
    return ProductType(held.keys, tuple(parts))
