"""Places: parts of states and of local composites that names refer to, as Python's names do.

A name bound to a mutable part of a state is a reference to it. Replacing that part as a whole (or
something it lies in) leaves CPython's reference on a detached object; here it kills the reference,
and using it afterwards is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from specmodel.domains import Domain, MapDomain, OptionDomain, SeqDomain, StructDomain
from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.values import Value


@dataclass(frozen=True)
class Step:
    """One step into a value: a field by number, an index of a map or list, or into an optional."""

    kind: str
    field: int = 0
    index: Node | None = None


@dataclass(frozen=True)
class Place:
    """A path from a slot (a state, or a local composite)."""

    slot: int
    steps: tuple[Step, ...] = ()

    def then(self, step: Step) -> Place:
        return Place(self.slot, (*self.steps, step))

    def overlaps(self, other: Place) -> bool:
        """Whether one may lie within the other."""
        if self.slot != other.slot:
            return False
        return all(_may_meet(a, b) for a, b in zip(self.steps, other.steps, strict=False))

    def may_hold(self, other: Place) -> bool:
        """Whether the other may be this place or lie within it."""
        return len(self.steps) <= len(other.steps) and self.overlaps(other)


def _may_meet(a: Step, b: Step) -> bool:
    if a.kind == "field":
        return a.field == b.field
    if a.index is not None and b.index is not None and a.index.constant and b.index.constant:
        return a.index.value == b.index.value
    return True


@dataclass(frozen=True)
class Snapshot:
    """A composite that may be one of several places; good until one of them changes."""

    value: Value
    sources: tuple[Place, ...]


@dataclass(frozen=True)
class Dead:
    """What a name is bound to once the place it referred to was replaced."""

    replaced: Span | None


Binding = Value | Place | Snapshot | Dead
"""What a local name stands for."""


def mutable(domain: Domain) -> bool:
    """Whether Python passes values of a domain by reference and they can change in place."""
    if isinstance(domain, OptionDomain):
        return mutable(domain.inner)
    return isinstance(domain, StructDomain | MapDomain | SeqDomain)


def declared(domain: Domain, steps: tuple[Step, ...]) -> tuple[Domain, bool]:
    """The domain at the end of a path, and whether a struct on the way declares its bounds."""
    bounded = False
    for step in steps:
        if isinstance(domain, StructDomain):
            domain = tuple(domain.fields.values())[step.field]
            bounded = True
        elif isinstance(domain, MapDomain):
            domain = domain.value
        elif isinstance(domain, SeqDomain):
            domain = domain.element
        elif isinstance(domain, OptionDomain):
            domain = domain.inner
    return domain, bounded
