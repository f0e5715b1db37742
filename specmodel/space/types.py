"""The type of a state as JSON, and back: who has a run can read it without the spec's source.

Domains that are made from a description are as good as the spec's own for all that has to do with
values: their order, their layout, their texts.
"""

from __future__ import annotations

import enum
import json
import types
from typing import Any

from specmodel.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
)
from specmodel.lang.scalars import ScalarSet
from specmodel.lang.struct import Struct

Description = dict[str, Any]


def described(domain: Domain) -> Description:
    """A domain as JSON has it."""
    if isinstance(domain, BoolDomain):
        return {"type": "bool"}
    if isinstance(domain, IntDomain):
        return {"type": "int", "low": domain.low, "high": domain.high}
    if isinstance(domain, EnumDomain):
        members = [member.name for member in domain.members]
        return {"type": "enum", "name": domain.cls.__name__, "members": members}
    if isinstance(domain, ScalarDomain):
        members = [repr(member) for member in domain.members]
        return {
            "type": "actor",
            "name": domain.name,
            "members": members,
            "symmetric": domain.symmetric,
        }
    if isinstance(domain, OptionDomain):
        return {"type": "optional", "of": described(domain.inner)}
    if isinstance(domain, StructDomain):
        fields = [{"name": n, "of": described(kind)} for n, kind in domain.fields.items()]
        return {"type": "struct", "name": domain.name, "fields": fields}
    if isinstance(domain, MapDomain):
        return {"type": "map", "key": described(domain.key), "of": described(domain.value)}
    if isinstance(domain, SetDomain):
        return {"type": "set", "of": described(domain.element)}
    if isinstance(domain, SeqDomain):
        return {"type": "list", "of": described(domain.element), "capacity": domain.capacity}
    raise AssertionError(domain)


def domain_of(description: Description) -> Domain:
    """The domain that a description is of. Raises KeyError, ValueError for what is none."""
    return _Reader().domain(description)


class _Reader:
    """Makes domains; of the same description the same one, as classes compare by identity."""

    def __init__(self) -> None:
        self.known: dict[str, Domain] = {}

    def domain(self, told: Description) -> Domain:
        key = json.dumps(told, sort_keys=True)
        if key not in self.known:
            self.known[key] = self._made(told)
        return self.known[key]

    def _made(self, told: Description) -> Domain:
        kind = told["type"]
        if kind == "bool":
            return BoolDomain()
        if kind == "int":
            return IntDomain(told["low"], told["high"])
        if kind == "enum":
            made: Any = enum.Enum(told["name"], told["members"])
            return EnumDomain(made)
        if kind == "actor":
            return _actors(told)
        if kind == "optional":
            return OptionDomain(self.domain(told["of"]))
        if kind == "struct":
            return self._struct(told)
        if kind == "map":
            return MapDomain(self.domain(told["key"]), self.domain(told["of"]))
        if kind == "set":
            return SetDomain(self.domain(told["of"]))
        if kind == "list":
            return SeqDomain(self.domain(told["of"]), told["capacity"])
        raise ValueError(f'no type is called "{kind}"')

    def _struct(self, told: Description) -> StructDomain:
        cls: Any = types.new_class(told["name"], (Struct,))
        fields = {field["name"]: self.domain(field["of"]) for field in told["fields"]}
        cls.__domain__ = StructDomain(cls, told["name"], fields)
        return cls.__domain__


def _actors(told: Description) -> ScalarDomain:
    members: list[str] = told["members"]
    settings = {
        "size": len(members),
        "prefix": members[0].rstrip("0123456789") if members else "",
        "symmetric": told["symmetric"],
    }
    cls: Any = types.new_class(told["name"], (ScalarSet,), settings)
    return cls.__domain__
