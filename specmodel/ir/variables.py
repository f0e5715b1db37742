"""The variables of a state: its fields, and the fields of a field that is a struct or a map to
structs."""

from __future__ import annotations

from collections.abc import Iterator

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, MapDomain, StructDomain
from specmodel.ir.layout import width


@dataclass(frozen=True)
class StateVariable:
    """A part of the state, with the numbers of its leaves in the layout."""

    name: str
    domain: Domain
    leaves: tuple[int, ...]

    @property
    def nested(self) -> bool:
        """Whether it is a part of a variable that is listed before it."""
        return not self.name.isidentifier()


def variables_of(state: StructDomain) -> Iterator[StateVariable]:
    """The variables in order, each followed by its nested variables."""
    at = 0
    for name, domain in state.fields.items():
        size = width(domain)
        yield StateVariable(name, domain, tuple(range(at, at + size)))
        inner, places = domain, [at]
        if isinstance(domain, MapDomain) and isinstance(domain.value, StructDomain):
            inner, step = domain.value, width(domain.value)
            places = [at + step * i for i in range(len(domain.keys))]
        if isinstance(inner, StructDomain):
            offset = 0
            for field, kind in inner.fields.items():
                count = width(kind)
                leaves = tuple(p + offset + i for p in places for i in range(count))
                mark = "[]" if inner is not domain else ""
                # The fields of a function that a module declares are named as places: [r1].
                dot = "" if field.startswith("[") else "."
                yield StateVariable(f"{name}{mark}{dot}{field}", kind, leaves)
                offset += count
        at += size
