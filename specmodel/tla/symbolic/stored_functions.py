"""Functions, records and sequences of TLA+ as domains of a state."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from specmodel.domains import (
    Domain,
    OptionDomain,
    SeqDomain,
    StructDomain,
)
from specmodel.domains.records import Record
from specmodel.ir.symbolic import values as symbolic
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.stored import OutsideType, StoredType
from specmodel.tla.symbolic.values import (
    AnyFunction,
    CasesOf,
    FunctionOf,
    PairsOf,
    SequenceOf,
    StateValue,
    function_with,
    sequence_of,
)
from specmodel.tla.values import (
    FunctionValue,
    Value,
    function_of,
    pairs_of,
    text_of,
)


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
        if known := writer.origin(self, value):
            return known
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        fits, found = list[Node](), list[symbolic.Value]()
        if isinstance(value, PairsOf):
            among, value = writer.on_keys(value, self.keys)
            fits.append(among)
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
        made = function_with(self.keys, [part.read(writer, each) for part, each in both])
        return writer.remembered(self, held, made)


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
        among = g.true
        if isinstance(value, PairsOf):
            among, value = writer.on_keys(value, self.keys)
        if isinstance(value, SequenceOf):
            value = writer.as_function(value)
        if not isinstance(value, FunctionOf):
            return writer.no(self)
        fits = [among]
        fits += [g.negate(writer.has_key(value, key)) for key in value.keys if key not in self.keys]
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
        if not isinstance(value, AnyFunction):
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
