"""Values of a domain as ITF expressions, exactly: reading gives back the value that was written.

    int               {"#bigint": "3"}        bool        true
    enum, actor       "name"                  struct      {"field": ...}
    set               {"#set": [...]}         sequence    [...]
    bag               {"#map": [[member, count], ...]}
    map               {"#map": [[k, v], ...]}
    A | B             {"tag": "A", "value": ...}
    X | None          {"tag": "None", "value": {"#tup": []}} or {"tag": "Some", "value": ...}

Members of sets and entries of maps are in the order of their domain. A struct whose fields are just
`tag` and `value` would read as a variant, so it is written as a tuple.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from specmodel.domains import (
    MOST_PLACES,
    Bag,
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    FreeDomain,
    IntDomain,
    MapDomain,
    NamedDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    SlotSetDomain,
    SparseMapDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.domains.shapes import written
from specmodel.errors import DomainError, UsageError

COUNT = IntDomain(1, MOST_PLACES)
"""How many copies of a member a bag has."""

_UNITS: tuple[Any, ...] = ({"#tup": []}, {"tag": "UNIT"}, {}, [], None, "U_OF_UNIT")


def type_of(domain: Domain) -> str:
    """The type string of a domain, in the notation of Apalache's types (its ADR-002).

    Empty for values of any type.
    """
    if isinstance(domain, FreeDomain):
        return ""
    if isinstance(domain, BoolDomain):
        return "Bool"
    if isinstance(domain, IntDomain):
        return "Int"
    if isinstance(domain, NamedDomain):
        return "Str"
    if isinstance(domain, OptionDomain):
        return f"None(UNIT) | Some({type_of(domain.inner)})"
    if isinstance(domain, UnionDomain):
        return " | ".join(f"{part}({type_of(part)})" for part in domain.alternatives)
    if isinstance(domain, StructDomain):
        if _is_variant_like(domain):
            return f"<<{', '.join(map(type_of, domain.places))}>>"
        inner = ", ".join(f"{name}: {type_of(kind)}" for name, kind in domain.fields.items())
        return f"{{{inner}}}"
    if isinstance(domain, TupleDomain):
        return f"<<{', '.join(map(type_of, domain.kinds))}>>"
    if isinstance(domain, MapDomain | SparseMapDomain):
        return f"{_operand(domain.key)} -> {_operand(domain.value)}"
    if isinstance(domain, BagDomain):
        return f"{_operand(domain.element)} -> Int"
    if isinstance(domain, SetDomain):
        return f"Set({type_of(domain.element)})"
    assert isinstance(domain, SeqDomain)
    return f"Seq({type_of(domain.element)})"


def _operand(domain: Domain) -> str:
    """A type beside an arrow, in parentheses if it would be read otherwise without them."""
    inner = type_of(domain)
    arrow = MapDomain | SparseMapDomain | BagDomain | OptionDomain | UnionDomain
    return f"({inner})" if isinstance(domain, arrow) else inner


def encode(domain: Domain, value: Any) -> Any:
    """A value of the domain as an ITF expression."""
    if isinstance(domain, FreeDomain):
        return domain.encode(value)
    if isinstance(domain, BoolDomain):
        return value
    if isinstance(domain, IntDomain):
        return {"#bigint": str(value)}
    if isinstance(domain, NamedDomain):
        return written(value)
    if isinstance(domain, OptionDomain):
        if value is None:
            return {"tag": "None", "value": {"#tup": []}}
        return {"tag": "Some", "value": encode(domain.inner, value)}
    if isinstance(domain, UnionDomain):
        part = domain.alternatives[domain.tag(value)]
        return {"tag": str(part), "value": encode(part, value)}
    if isinstance(domain, StructDomain):
        held = {name: encode(kind, vars(value)[name]) for name, kind in domain.fields.items()}
        return {"#tup": list(held.values())} if _is_variant_like(domain) else held
    if isinstance(domain, TupleDomain):
        return {"#tup": list(map(encode, domain.kinds, value))}
    if isinstance(domain, MapDomain | SparseMapDomain):
        pairs = [[encode(domain.key, k), encode(domain.value, v)] for k, v in value.items()]
        return {"#map": pairs}
    if isinstance(domain, BagDomain):
        return {"#map": [[encode(domain.element, m), encode(COUNT, n)] for m, n in value.items()]}
    if isinstance(domain, SetDomain):
        return {"#set": [encode(domain.element, member) for member in value]}
    assert isinstance(domain, SeqDomain)
    return [encode(domain.element, element) for element in value]


def decode(domain: Domain, expression: Any, where: str) -> Any:
    """The value of an ITF expression, checked against the domain.

    Accepts the forms of other tools for the same value too: plain JSON numbers, the several forms
    of the unit value, sequences as tuples. Raises UsageError, naming `where`, for anything else.
    """
    if isinstance(domain, FreeDomain):
        return domain.decode(expression, where)
    try:
        return domain.store(_READERS[type(domain)](domain, expression, where), where)
    except DomainError as wrong:
        raise UsageError(str(wrong)) from None


def _is_variant_like(domain: StructDomain) -> bool:
    return set(domain.fields) == {"tag", "value"}


def _wrong(expression: Any, domain: Domain, where: str) -> UsageError:
    text = repr(expression)
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return UsageError(f"{where}: {shown} is no value of {domain}")


def _wrapped(expression: Any, key: str) -> list[Any] | None:
    """The list in `{key: [...]}`; None if the expression is not that."""
    held = _object(expression)
    inner = held.get(key)
    return cast(list[Any], inner) if len(held) == 1 and isinstance(inner, list) else None


def _object(expression: Any) -> dict[str, Any]:
    """The expression if it is an object, else an empty object."""
    return cast(dict[str, Any], expression) if isinstance(expression, dict) else {}


def _listed(expression: Any) -> list[Any] | None:
    """The elements of a tuple or a sequence; None for anything else."""
    if isinstance(expression, list):
        return cast(list[Any], expression)
    return _wrapped(expression, "#tup")


def _bool(domain: Domain, expression: Any, where: str) -> bool:
    if not isinstance(expression, bool):
        raise _wrong(expression, domain, where)
    return expression


def _int(domain: Domain, expression: Any, where: str) -> int:
    if isinstance(expression, int) and not isinstance(expression, bool):
        return expression
    held = _object(expression)
    digits = held.get("#bigint")
    if len(held) == 1 and isinstance(digits, str) and re.fullmatch(r"-?[0-9]{1,4000}", digits):
        return int(digits)
    raise _wrong(expression, domain, where)


def _member(domain: Domain, expression: Any, where: str) -> Any:
    assert isinstance(domain, NamedDomain)
    for member in domain.members:
        if written(member) == expression:
            return member
    raise _wrong(expression, domain, where)


def _option(domain: Domain, expression: Any, where: str) -> Any:
    assert isinstance(domain, OptionDomain)
    held = _object(expression)
    if held.get("tag") == "None" and held.get("value", {}) in _UNITS and len(held) <= 2:
        return None
    if held.get("tag") == "Some" and set(held) == {"tag", "value"}:
        return decode(domain.inner, held["value"], where)
    raise _wrong(expression, domain, where)


def _union(domain: Domain, expression: Any, where: str) -> Any:
    assert isinstance(domain, UnionDomain)
    held = _object(expression)
    for part in domain.alternatives:
        if set(held) == {"tag", "value"} and held["tag"] == str(part):
            return decode(part, held["value"], where)
    raise _wrong(expression, domain, where)


def _struct(domain: Domain, expression: Any, where: str) -> Any:
    assert isinstance(domain, StructDomain)
    listed = _wrapped(expression, "#tup") if _is_variant_like(domain) else None
    if listed is not None and len(listed) == len(domain.fields):
        expression = dict(zip(domain.fields, listed, strict=True))
    if not isinstance(expression, dict):
        raise _wrong(expression, domain, where)
    held = cast(dict[str, Any], expression)
    for name in held:
        if name not in domain.fields:
            raise UsageError(f"{where}: a {domain.name} has no field {name}")
    values: list[Any] = []
    for name, kind in domain.fields.items():
        if name not in held:
            raise UsageError(f"{where}: the field {name} is missing")
        values.append(decode(kind, held[name], f"{where}.{name}"))
    return domain.build(values)


def _tuple(domain: Domain, expression: Any, where: str) -> Any:
    assert isinstance(domain, TupleDomain)
    listed = _listed(expression)
    if listed is None or len(listed) != len(domain.kinds):
        raise _wrong(expression, domain, where)
    parts = enumerate(zip(domain.kinds, listed, strict=True))
    return tuple(decode(kind, held, f"{where}[{i}]") for i, (kind, held) in parts)


def _map(domain: Domain, expression: Any, where: str) -> dict[Any, Any]:
    assert isinstance(domain, MapDomain | SparseMapDomain)
    return _entries(domain, domain.key, domain.value, expression, where)


def _bag(domain: Domain, expression: Any, where: str) -> Bag[Any]:
    assert isinstance(domain, BagDomain)
    counts = _entries(domain, domain.element, COUNT, expression, where)
    return Bag[Any].of(counts.items())


def _entries(
    domain: Domain, keys: Domain, values: Domain, expression: Any, where: str
) -> dict[Any, Any]:
    pairs = _wrapped(expression, "#map")
    if pairs is None:
        raise _wrong(expression, domain, where)
    found: dict[Any, Any] = {}
    for pair in pairs:
        listed = _wrapped(pair, "#tup") or pair
        if not isinstance(listed, list) or len(cast(list[Any], listed)) != 2:
            raise UsageError(f"{where}: an entry of a map is a key and a value")
        first, second = cast(list[Any], listed)
        key = decode(keys, first, f"{where}: key")
        if key in found:
            raise UsageError(f"{where}: the key {key!r} is given twice")
        found[key] = decode(values, second, f"{where}[{key!r}]")
    return found


def _set(domain: Domain, expression: Any, where: str) -> frozenset[Any]:
    assert isinstance(domain, SetDomain)
    members = _wrapped(expression, "#set")
    if members is None:
        raise _wrong(expression, domain, where)
    found: set[Any] = set()
    for member in members:
        value = decode(domain.element, member, f"{where}: member")
        if value in found:
            raise UsageError(f"{where}: the member {value!r} is given twice")
        found.add(value)
    return frozenset(found)


def _seq(domain: Domain, expression: Any, where: str) -> list[Any]:
    assert isinstance(domain, SeqDomain)
    elements = _listed(expression)
    if elements is None:
        raise _wrong(expression, domain, where)
    return [decode(domain.element, e, f"{where}[{i}]") for i, e in enumerate(elements)]


_READERS: dict[type[Domain], Callable[[Any, Any, str], Any]] = {
    BoolDomain: _bool,
    IntDomain: _int,
    EnumDomain: _member,
    ScalarDomain: _member,
    OptionDomain: _option,
    UnionDomain: _union,
    StructDomain: _struct,
    TupleDomain: _tuple,
    MapDomain: _map,
    SparseMapDomain: _map,
    BagDomain: _bag,
    SetDomain: _set,
    SlotSetDomain: _set,
    SeqDomain: _seq,
}
