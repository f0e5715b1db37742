"""States of a module as everything outside of this package holds them: values with a notation."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from enum import Enum
from typing import Any, cast

from specmodel.dataclass import dataclass
from specmodel.domains import FreeDomain, FreeValue, StructDomain
from specmodel.domains.records import Record
from specmodel.domains.scalars import ScalarSet
from specmodel.errors import DomainError, UsageError
from specmodel.tla.values import (
    FALSE,
    TRUE,
    Boolean,
    EvaluationError,
    FunctionValue,
    ModelValue,
    Value,
    function_of,
    order_key,
    ordered,
    set_of,
    settled,
    text_of,
)


class WrittenValue(FreeValue):
    """A value of TLA+ in a state or a step: it is written in TLA+'s notation."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    @property
    def kind(self) -> str:
        """A function has a part for each argument. One with the domain 1..n is like a tuple."""
        if not isinstance(self.value, FunctionValue):
            return ""
        named = all(isinstance(key, str) for key in self.value.pairs)
        return "record" if named else "map"

    def parts(self) -> Mapping[str, WrittenValue]:
        """The values of a function by its arguments."""
        if not self.kind:
            return {}
        pairs = self.value.pairs
        write = str if self.kind == "record" else text_of
        return {write(key): WrittenValue(pairs[key]) for key in sorted(pairs, key=order_key)}

    def plain(self) -> Any:
        return _plain(self.value)

    def __repr__(self) -> str:
        return text_of(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrittenValue) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


def argument(value: Value) -> WrittenValue:
    """A value of a parameter, as steps name it: equal values have the same text.

    A state shows the fields of a record in the order in which the module wrote them, and equal
    records may have several.
    """
    return WrittenValue(_in_order(settled(value)))


def _in_order(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_in_order, cast(tuple[Value, ...], value)))
    if isinstance(value, frozenset):
        return frozenset(map(_in_order, cast(frozenset[Value], value)))
    if isinstance(value, FunctionValue):
        keys = sorted(value.pairs, key=order_key)
        return FunctionValue({key: _in_order(value.pairs[key]) for key in keys})
    return value


class TlaState(Record):
    """A state of a trace: its variables, or what an ALIAS shows of them, as `WrittenValue`s."""


def values_of(state: Record) -> tuple[Value, ...]:
    """The values of the variables in a state."""
    return tuple(written.value for written in vars(state).values())


@dataclass(frozen=True, eq=False)
class WrittenDomain(FreeDomain):
    """The values of TLA+; `names` are the model values that a configuration names."""

    names: Mapping[str, ModelValue] = field(default_factory=dict[str, ModelValue])

    def store(self, value: Any, where: str) -> WrittenValue:
        """A value of TLA+, or of Python: one of a spec, or plain ones as `written` reads them.

        Raises DomainError for anything else.
        """
        if isinstance(value, WrittenValue):
            return value
        try:
            return WrittenValue(self._of_python(value))
        except EvaluationError as wrong:
            raise DomainError(f"{where}: {wrong.message}") from None

    def _of_python(self, value: Any) -> Value:
        """A record, dict, list, set, number, truth or text of Python; members have their names.

        The name of a model value stands for it. What Python cannot hold, such as a set of dicts, is
        written as in ITF: `{"#set": [...]}`, `{"#map": [[key, value], ...]}`.
        """
        if isinstance(value, bool):
            return TRUE if value else FALSE
        if isinstance(value, int):
            return int(value)
        if isinstance(value, (str, ScalarSet, Enum)):
            name = value.name if isinstance(value, Enum) else str(value)
            return self.names.get(name, name)
        if isinstance(value, (dict, Mapping)):
            held = cast(Mapping[Any, Any], value)
            if len(held) == 1 and "#set" in held:
                return set_of(list(map(self._of_python, held["#set"])))
            pairs = held["#map"] if len(held) == 1 and "#map" in held else held.items()
            return function_of({self._of_python(k): self._of_python(v) for k, v in pairs})
        if isinstance(value, (list, tuple)):
            return tuple(map(self._of_python, cast(Sequence[Any], value)))
        if isinstance(value, Record):
            return function_of({name: self._of_python(held) for name, held in vars(value).items()})
        if isinstance(value, AbstractSet):
            return set_of(list(map(self._of_python, cast(AbstractSet[Any], value))))
        raise EvaluationError(f"{value!r} is no value of TLA+: say what it stands for")

    def encode(self, value: WrittenValue) -> Any:
        return itf_value(value.value)

    def decode(self, expression: Any, where: str) -> WrittenValue:
        return WrittenValue(self._read(expression, where))

    def _read(self, expression: Any, where: str) -> Value:
        if isinstance(expression, bool):
            return TRUE if expression else FALSE
        if isinstance(expression, int):
            return expression
        if isinstance(expression, str):
            return self.names.get(expression, expression)
        if isinstance(expression, list):
            return tuple(self._read(item, where) for item in cast(list[Any], expression))
        if not isinstance(expression, dict):
            raise UsageError(f"{where}: {expression!r} is no value of TLA+")
        held = cast(dict[str, Any], expression)
        inner: Any = next(iter(held.values()), None) if len(held) == 1 else None
        if "#bigint" in held and isinstance(inner, str) and re.fullmatch(r"-?\d{1,10}", inner):
            return int(inner)
        if "#tup" in held and isinstance(inner, list):
            return self._read(inner, where)
        try:
            if "#set" in held and isinstance(inner, list):
                return set_of([self._read(item, where) for item in cast(list[Any], inner)])
            if "#map" in held and isinstance(inner, list):
                pairs = [self._read(pair, where) for pair in cast(list[Any], inner)]
                return function_of(dict(pairs))
        except (EvaluationError, TypeError, ValueError) as wrong:
            raise UsageError(f"{where}: {wrong}") from None
        if any(name.startswith("#") for name in held):
            raise UsageError(f"{where}: {repr(held)[:60]} is no value of TLA+")
        return function_of({name: self._read(item, where) for name, item in held.items()})

    def __str__(self) -> str:
        return "a value of TLA+"


def state_domain(
    variables: Sequence[str], names: Mapping[str, ModelValue] | None = None
) -> StructDomain:
    """The domain of the states of a module; `names` are its model values, to be read."""
    made: type[Record] = types.new_class("State", (TlaState,))
    return made.declare(dict.fromkeys(variables, WrittenDomain(names or {})))


def _plain(value: Value) -> Any:
    if isinstance(value, Boolean):
        return value is TRUE
    if isinstance(value, tuple):
        return list(map(_plain, cast(tuple[Value, ...], value)))
    if isinstance(value, frozenset):
        return list(map(_plain, ordered(cast(frozenset[Value], value))))
    if isinstance(value, FunctionValue):
        keys = sorted(value.pairs, key=order_key)
        return {
            key if isinstance(key, str) else text_of(key): _plain(value.pairs[key]) for key in keys
        }
    return value if isinstance(value, int | str) else str(value)


def itf_value(value: Value) -> Any:
    """A value as an ITF expression: a function of strings is a record, another one a map.

    Model values are strings, as their names are (Apalache's ADR-015).
    """
    if isinstance(value, Boolean):
        return value is TRUE
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, ModelValue):
        return value.name
    if isinstance(value, tuple):
        return {"#tup": [itf_value(item) for item in cast(tuple[Value, ...], value)]}
    if isinstance(value, frozenset):
        members = ordered(cast(frozenset[Value], value))
        return {"#set": [itf_value(member) for member in members]}
    if isinstance(value, FunctionValue):
        keys = sorted(value.pairs, key=order_key)
        if keys and all(isinstance(key, str) and not key.startswith("#") for key in keys):
            return {key: itf_value(value.pairs[key]) for key in keys}
        return {"#map": [[itf_value(key), itf_value(value.pairs[key])] for key in keys]}
    return value if isinstance(value, str) else str(value)
