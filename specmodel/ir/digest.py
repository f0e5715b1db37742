"""A digest of a model: equal for models that mean the same functions over the same domains.

Source places do not count, nor does the module a class happens to have been loaded as.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
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
    writer.model(model)
    return hashlib.sha256("\n".join(writer.parts).encode()).hexdigest()


class _Writer:
    """Writes IR depth first, each part as one string. A domain is written once, then named."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.domains: dict[Domain, str] = {}
        self.definitions: list[str] = []

    def model(self, model: Model) -> None:
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
        fields = _fields(value.__class__)
        if fields is not None:
            self.parts.append(value.__class__.__name__)
            for name in fields:
                self._write(getattr(value, name))
        elif value is None or isinstance(value, str | int):
            self.parts.append(repr(value))
        elif isinstance(value, Domain):
            self.parts.append(self.domain(value))
        elif is_mapping(value):
            for key, held in value.items():
                self.parts.append(f"{key}:")
                self._write(held)
        elif is_sequence(value):
            self.parts.append(f"({len(value)}")
            for held in value:
                self._write(held)
        elif is_set(value):
            self.parts += sorted(map(self._alone, value))
        else:
            self.parts.append(f"{type(value).__name__}.{value!r}")

    def _alone(self, value: Any) -> str:
        """What is written of a value, as one string."""
        before, self.parts = self.parts, []
        self._write(value)
        written, self.parts = "".join(self.parts), before
        return written

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


@functools.cache
def _fields(cls: type[object]) -> tuple[str, ...] | None:
    """The fields of a node that count; None for what is no node."""
    if not dataclasses.is_dataclass(cls) or issubclass(cls, Domain | Span):
        return None
    return tuple(f.name for f in dataclasses.fields(cls) if f.name != "span")
