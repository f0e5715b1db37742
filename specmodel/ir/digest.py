"""A digest of a model: equal for models that mean the same functions over the same domains.

Source places do not count, nor does the module a class happens to have been loaded as.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from typing import Any

from specmodel.domains import (
    Domain,
    EnumDomain,
    MapDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
)
from specmodel.domains.shapes import is_mapping, is_sequence, is_set
from specmodel.errors import Span
from specmodel.ir.nodes import Model


def digest(model: Model) -> str:
    """64 hexadecimal digits."""
    writer = _Writer()
    return hashlib.sha256("\n".join(writer.parts(model)).encode()).hexdigest()


class _Writer:
    """Writes IR depth first, each part as one string. A domain is written once, then named."""

    def __init__(self) -> None:
        self.domains: dict[Domain, str] = {}
        self.definitions: list[str] = []

    def parts(self, model: Model) -> Iterator[str]:
        yield self.domain(model.state)
        for group in (
            model.helpers,
            model.actions,
            model.properties,
            model.antecedents,
            model.constraints,
        ):
            yield from self._walk(group)
        yield from self.definitions

    def _walk(self, value: Any) -> Iterator[str]:
        if value is None or isinstance(value, str | int):
            yield repr(value)
        elif isinstance(value, Domain):
            yield self.domain(value)
        elif is_mapping(value):
            for key, held in value.items():
                yield f"{key}:"
                yield from self._walk(held)
        elif is_sequence(value):
            yield f"({len(value)}"
            for held in value:
                yield from self._walk(held)
        elif is_set(value):
            yield from sorted("".join(self._walk(held)) for held in value)
        elif dataclasses.is_dataclass(value) and not isinstance(value, Span):
            yield type(value).__name__
            for name in _fields(type(value)):
                yield from self._walk(getattr(value, name))
        else:
            yield f"{type(value).__name__}.{value!r}"

    def domain(self, domain: Domain) -> str:
        """The name of a domain, defined on first sight."""
        if domain not in self.domains:
            self.domains[domain] = name = f"D{len(self.domains)}"
            self.definitions.append(f"{name}={self._definition(domain)}")
        return self.domains[domain]

    def _definition(self, domain: Domain) -> str:
        if isinstance(domain, StructDomain):
            fields = ",".join(f"{n}:{self.domain(d)}" for n, d in domain.fields.items())
            return f"{domain.name}({fields})"
        if isinstance(domain, EnumDomain | ScalarDomain):
            return f"{domain}{[str(m) for m in domain.members]}"
        if isinstance(domain, MapDomain):
            return f"{self.domain(domain.key)}->{self.domain(domain.value)}"
        if isinstance(domain, OptionDomain):
            return f"{self.domain(domain.inner)}?"
        if isinstance(domain, SetDomain):
            return f"{{{self.domain(domain.element)}}}"
        if isinstance(domain, SeqDomain):
            return f"[{self.domain(domain.element)}]*{domain.capacity}"
        return str(domain)


_known: dict[type, tuple[str, ...]] = {}


def _fields(cls: type[Any]) -> tuple[str, ...]:
    if cls not in _known:
        _known[cls] = tuple(f.name for f in dataclasses.fields(cls) if f.name != "span")
    return _known[cls]
