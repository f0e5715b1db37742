"""Which bounds of a domain are found by searching, because no annotation declares them."""

from __future__ import annotations

from collections.abc import Iterator

from specmodel.domains.atoms import IntDomain
from specmodel.domains.composites import SeqDomain
from specmodel.domains.domain import Domain
from specmodel.domains.slotted import SlottedDomain
from specmodel.errors import FoundPlace

Bound = tuple[int, int]
"""The least and greatest value of an int, or 0 and the most elements of a collection."""


def found_places(domain: Domain) -> Iterator[tuple[FoundPlace, Bound]]:
    """The places of a domain whose bounds are found, each once, with the bounds it has."""
    met: set[str] = set()
    for part in domain.nested():
        if not isinstance(part, IntDomain | SeqDomain | SlottedDomain):
            continue
        place = part.found
        if place is not None and place.name not in met:
            met.add(place.name)
            yield (
                place,
                (part.low, part.high) if isinstance(part, IntDomain) else (0, part.capacity),
            )


def bounded(domain: Domain) -> bool:
    """Whether all bounds of a domain are declared, so that its values can be gone through."""
    return next(found_places(domain), None) is None
