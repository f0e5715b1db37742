"""Renaming the members of scalar sets in a value, by which symmetry makes states equal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any

from specmodel.domains.atoms import ScalarDomain
from specmodel.domains.composites import (
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
    TupleDomain,
)
from specmodel.domains.domain import Domain
from specmodel.domains.slotted import SlottedDomain
from specmodel.domains.unions import UnionDomain

Renaming = Mapping[ScalarDomain, Sequence[int]]
"""For scalar sets, the new position of the member at each position: a permutation."""


def scalar_sets(domain: Domain) -> Iterator[ScalarDomain]:
    """The scalar sets whose members may occur in values of a domain, possibly repeated."""
    return (part for part in domain.nested() if isinstance(part, ScalarDomain))


def involves(domain: Domain, sets: Collection[ScalarDomain]) -> bool:
    """Whether members of one of these sets may occur in values of a domain."""
    return any(found in sets for found in scalar_sets(domain))


def renamed(domain: Domain, value: Any, renaming: Renaming) -> Any:
    """A stored value of a domain with members renamed. Immutable parts are shared."""
    if not involves(domain, renaming):
        return domain.copy(value)
    if isinstance(domain, ScalarDomain):
        return domain.members[renaming[domain][value.position]]
    if isinstance(domain, OptionDomain):
        return None if value is None else renamed(domain.inner, value, renaming)
    if isinstance(domain, UnionDomain):
        return renamed(domain.alternatives[domain.tag(value)], value, renaming)
    if isinstance(domain, StructDomain):
        held = value.__dict__
        return domain.build([renamed(d, held[name], renaming) for name, d in domain.fields.items()])
    if isinstance(domain, MapDomain):
        pairs = value.items()
        moved = {
            renamed(domain.key, k, renaming): renamed(domain.value, v, renaming) for k, v in pairs
        }
        return domain.store(moved, "")
    if isinstance(domain, TupleDomain):
        pair = zip(domain.places, value, strict=True)
        return domain.build([renamed(part, held, renaming) for part, held in pair])
    if isinstance(domain, SlottedDomain):
        entries = domain.entries(value)
        return domain.of([renamed(domain.entry, entry, renaming) for entry in entries])
    if isinstance(domain, SetDomain):
        return domain.store({renamed(domain.element, v, renaming) for v in value}, "")
    assert isinstance(domain, SeqDomain)
    return domain.store([renamed(domain.element, v, renaming) for v in value], "")


def swapping(domain: ScalarDomain, position: int) -> Renaming:
    """The renaming that swaps the members at a position and the next position."""
    images = list(range(domain.size))
    images[position], images[position + 1] = position + 1, position
    return {domain: images}


def swaps_of(sets: Sequence[ScalarDomain]) -> list[Renaming]:
    """The swaps of two neighbours in each set; every renaming is a sequence of them."""
    return [swapping(s, position) for s in sets for position in range(s.size - 1)]


def renamings_of(sets: Sequence[ScalarDomain]) -> Iterator[Renaming]:
    """All renamings of the members of sets, the identity first."""
    for images in product(*(permutations(range(s.size)) for s in sets)):
        yield dict(zip(sets, images, strict=True))
