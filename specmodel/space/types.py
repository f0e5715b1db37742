"""The type of a state as JSON, and back: readers of a run do not need the spec's source.

Domains that are made from a description equal the spec's own in order, layout and texts of values.
"""

from __future__ import annotations

import enum
import json
import types
from collections.abc import Mapping
from typing import Any

from specmodel.domains import (
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
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
from specmodel.domains.records import Record
from specmodel.domains.scalars import ScalarSet
from specmodel.domains.shapes import is_mapping, written

Description = dict[str, Any]

PARTS: Mapping[str, tuple[type[Domain], Mapping[str, str]]] = {
    "bool": (BoolDomain, {}),
    "int": (IntDomain, {"low": "low", "high": "high"}),
    "optional": (OptionDomain, {"of": "inner"}),
    "map with a capacity": (
        SparseMapDomain,
        {"key": "key", "of": "value", "capacity": "capacity"},
    ),
    "map": (MapDomain, {"key": "key", "of": "value"}),
    "set with a capacity": (SlotSetDomain, {"of": "element", "capacity": "capacity"}),
    "bag": (BagDomain, {"of": "element", "capacity": "capacity"}),
    "set": (SetDomain, {"of": "element"}),
    "list": (SeqDomain, {"of": "element", "capacity": "capacity"}),
}
"""The domains that are described by their parts: each key of the JSON with the name of the part."""


def plain(value: Any) -> int | bool | str:
    """A scalar as in JSON and tables: a number, a truth value, a name."""
    return value if type(value) in (int, bool) else written(value)


def described(domain: Domain) -> Description:
    """A domain as JSON."""
    for kind, (cls, parts) in PARTS.items():
        if isinstance(domain, cls):
            held = {key: getattr(domain, name) for key, name in parts.items()}
            return {"type": kind, **{key: _part(part) for key, part in held.items()}}
    if isinstance(domain, StructDomain):
        fields = [{"name": n, "of": described(kind)} for n, kind in domain.fields.items()]
        return {"type": "struct", "name": domain.name, "fields": fields}
    if isinstance(domain, TupleDomain):
        return {"type": "tuple", "of": [described(kind) for kind in domain.kinds]}
    if isinstance(domain, UnionDomain):
        return {"type": "union", "of": [described(part) for part in domain.alternatives]}
    assert isinstance(domain, NamedDomain)
    description = {
        "type": "enum",
        "name": str(domain),
        "members": list(map(written, domain.members)),
    }
    if isinstance(domain, ScalarDomain):
        description |= {"type": "actor", "symmetric": domain.symmetric}
    return description


def _part(part: Domain | int) -> Description | int:
    return described(part) if isinstance(part, Domain) else part


def domain_of(description: Description) -> Domain:
    """The domain of a description. Raises KeyError, ValueError for anything else."""
    return _DomainReader().domain(description)


class _DomainReader:
    """Makes domains; one domain for equal descriptions, because classes compare by identity."""

    def __init__(self) -> None:
        self.known: dict[str, Domain] = {}

    def domain(self, description: Description) -> Domain:
        key = json.dumps(description, sort_keys=True)
        if key not in self.known:
            self.known[key] = self._made(description)
        return self.known[key]

    def _made(self, description: Description) -> Domain:
        kind = description["type"]
        if kind in PARTS:
            cls, parts = PARTS[kind]
            held: dict[str, Any] = {name: description[key] for key, name in parts.items()}
            return cls(**{n: self.domain({**p}) if is_mapping(p) else p for n, p in held.items()})
        if kind == "tuple":
            return TupleDomain(tuple(self.domain(part) for part in description["of"]))
        if kind == "union":
            united: Any = tuple(self.domain(part) for part in description["of"])
            return UnionDomain(united)
        if kind == "enum":
            made: Any = enum.Enum(description["name"], description["members"])
            return EnumDomain(made)
        if kind == "actor":
            return _actors(description)
        if kind == "struct":
            return self._struct(description)
        raise ValueError(f'no type is called "{kind}"')

    def _struct(self, description: Description) -> StructDomain:
        cls: Any = types.new_class(description["name"], (Record,))
        fields = {field["name"]: self.domain(field["of"]) for field in description["fields"]}
        return cls.declare(fields)


def _actors(description: Description) -> ScalarDomain:
    members: list[str] = description["members"]
    settings = {
        "size": len(members),
        "prefix": members[0].rstrip("0123456789") if members else "",
        "symmetric": description["symmetric"],
    }
    cls: Any = types.new_class(description["name"], (ScalarSet,), settings)
    return cls.__domain__
