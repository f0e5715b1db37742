"""A digest of a model: equal for models with the same functions over the same domains.

It does not depend on places in the source, or on the name of the module that has a class.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from types import NoneType
from typing import Any

from specmodel.domains import (
    Domain,
    MapDomain,
    NamedDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.errors import Span
from specmodel.ir.nodes import Lowered


def digest(model: Lowered) -> str:
    """The SHA-256 of a model's IR and domains: 64 hexadecimal digits."""
    writer = _DigestWriter()
    writer.model(model)
    return hashlib.sha256("\n".join(writer.parts).encode()).hexdigest()


class _DigestWriter:
    """Writes IR depth first, each part as a string. A domain is defined once, then named."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.domains: dict[Domain, str] = {}
        self.seen: dict[int, str] = {}  # by identity: comparing domains takes longer
        self.definitions: list[str] = []

    def model(self, model: Lowered) -> None:
        self.parts.append(self.domain(model.state))
        for group in (
            model.helpers,
            model.actions,
            model.properties,
            model.antecedents,
            model.constraints,
        ):
            self._write(group)
        self.parts += self.definitions

    def _write(self, value: Any) -> None:
        cls = value.__class__
        shape = _SHAPES.get(cls)
        if shape is None:
            shape = _SHAPES[cls] = _shape(cls)
        kind, fields = shape
        if kind is NODE:
            self.parts.append(cls.__name__)
            for name in fields:
                self._write(getattr(value, name))
        elif kind is PLAIN:
            self.parts.append(repr(value))
        elif kind is DOMAIN:
            self.parts.append(self.seen.get(id(value)) or self.domain(value))
        elif kind is SEQUENCE:
            self.parts.append(f"({len(value)}")
            for held in value:
                self._write(held)
        elif kind is MAPPING:
            for key, held in value.items():
                self.parts.append(f"{key}:")
                self._write(held)
        elif kind is SET:
            self.parts += sorted(map(self._alone, value))
        else:
            self.parts.append(f"{cls.__name__}.{value!r}")

    def _alone(self, value: Any) -> str:
        """The text of a value, as one string."""
        before, self.parts = self.parts, []
        self._write(value)
        written, self.parts = "".join(self.parts), before
        return written

    def domain(self, domain: Domain) -> str:
        """The name of a domain; its first use also writes the definition."""
        name = self.seen.get(id(domain))
        if name is None:
            self.seen[id(domain)] = name = self._name(domain)
        return name

    def _name(self, domain: Domain) -> str:
        if domain not in self.domains:
            self.domains[domain] = name = f"D{len(self.domains)}"
            self.definitions.append(f"{name}={self._definition(domain)}")
        return self.domains[domain]

    def _definition(self, domain: Domain) -> str:
        if isinstance(domain, StructDomain):
            fields = ",".join(f"{n}:{self.domain(d)}" for n, d in domain.fields.items())
            return f"{domain.name}({fields}){','.join(domain.key)}"
        if isinstance(domain, NamedDomain):
            return f"{domain}{[str(m) for m in domain.members]}"
        if isinstance(domain, MapDomain):
            return f"{self.domain(domain.key)}->{self.domain(domain.value)}"
        if isinstance(domain, TupleDomain):
            return f"({','.join(map(self.domain, domain.kinds))})"
        if isinstance(domain, UnionDomain):
            return "|".join(map(self.domain, domain.alternatives))
        if isinstance(domain, OptionDomain):
            return f"{self.domain(domain.inner)}?"
        if isinstance(domain, SlottedDomain):
            held = ",".join(map(self.domain, domain.parts))
            return f"{type(domain).__name__}{{{held}}}*{domain.capacity}"
        if isinstance(domain, SetDomain):
            return f"{{{self.domain(domain.element)}}}"
        if isinstance(domain, SeqDomain):
            return f"[{self.domain(domain.element)}]*{domain.capacity}"
        return str(domain)


Shape = tuple[int, tuple[str, ...]]

NODE, PLAIN, DOMAIN, SEQUENCE, MAPPING, SET, OTHER = range(7)
"""The kinds of values, which are written in different ways."""

_SHAPES: dict[type[object], Shape] = {}


def _shape(cls: type[object]) -> Shape:
    """The kind of the values of a class, and the fields that are written if they are nodes."""
    if issubclass(cls, Domain):
        return DOMAIN, ()
    if issubclass(cls, Span):
        return OTHER, ()
    if dataclasses.is_dataclass(cls):
        return NODE, tuple(f.name for f in dataclasses.fields(cls) if f.compare)
    kinds: dict[int, tuple[type[object], ...]] = {
        PLAIN: (str, int, NoneType),
        MAPPING: (Mapping,),
        SEQUENCE: (list, tuple),
        SET: (set, frozenset),
    }
    found = (kind for kind, classes in kinds.items() if issubclass(cls, classes))
    return next(found, OTHER), ()
