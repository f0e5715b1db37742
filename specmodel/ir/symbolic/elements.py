"""Element domains of symbolic sets: their ints have only the bounds that the set needs.

A symbolic set has masks over an element domain. Two sets of one type may have different element
domains; an operation on both uses a domain that contains both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import repeat
from typing import Any

from specmodel.domains import (
    MOST_PLACES,
    BagDomain,
    Domain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlotSetDomain,
    SparseMapDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.errors import SpecError
from specmodel.ir.layout import SET_CHUNK
from specmodel.ir.nodes import NONE, NOTHING
from specmodel.ir.symbolic.values import Composite, Option, Scalar, SymbolicSeq, SymbolicSet, Value


def limited(element: Domain) -> Domain:
    """An element domain; raises SpecError if it has more than MOST_PLACES values."""
    for part in reversed([*element.nested()]):  # the message names the innermost set too large
        if isinstance(part, SetDomain) and not isinstance(part, SlotSetDomain):
            limited(part.element)
    if element.size > MOST_PLACES:
        many = f"{element.size:,}" if element.size < 10**18 else "more than 10^18"
        what = f"this set may have each of {many} members, more than {MOST_PLACES:,}"
        raise SpecError(what, None, "take smaller ranges for what it may hold")
    return element


def chunks(element: Domain) -> list[int]:
    """The number of elements in each mask of a set over an element domain."""
    return [min(SET_CHUNK, element.size - low) for low in range(0, element.size, SET_CHUNK)]


def split(mask: int, element: Domain) -> list[int]:
    """A mask over a whole element domain as the masks of its chunks."""
    return [mask >> SET_CHUNK * i & ((1 << w) - 1) for i, w in enumerate(chunks(element))]


def bounded(domain: Domain, values: Iterable[Any]) -> Domain:
    """The type `domain` with the smallest bounds of ints and lists that contain the values.

    Without values, it is the domain of a placeholder that is never read.
    """
    found = list(values)
    if isinstance(domain, IntDomain):
        some = [min(max(domain.low, 0), domain.high)]
        return IntDomain(min(found or some), max(found or some))
    if isinstance(domain, OptionDomain):
        return OptionDomain(bounded(domain.inner, (v for v in found if v is not None)))
    if isinstance(domain, SetDomain):
        return SetDomain(bounded(domain.element, (v for held in found for v in held)))
    if isinstance(domain, BagDomain):
        inner = bounded(domain.element, (v for held in found for v in held))
        return BagDomain(inner, max(map(len, found), default=0))
    if isinstance(domain, SeqDomain):
        inner = bounded(domain.element, (v for held in found for v in held))
        return SeqDomain(inner, max(map(len, found), default=0))
    if isinstance(domain, SparseMapDomain):
        key = bounded(domain.key, (k for m in found for k in m))
        value = bounded(domain.value, (v for m in found for v in m.values()))
        return SparseMapDomain(key, value, max(map(len, found), default=0))
    if isinstance(domain, MapDomain):
        return MapDomain(domain.key, bounded(domain.value, (v for m in found for v in m.values())))
    if isinstance(domain, TupleDomain):
        held = zip(*found, strict=True) if found else repeat(())
        return domain.of(map(bounded, domain.kinds, held))
    return domain


def spanned(domain: Domain, value: Value) -> Domain:
    """As `bounded`, for all values that a symbolic value may have."""
    if isinstance(domain, IntDomain):
        assert isinstance(value, Scalar)
        return IntDomain(value.node.low, value.node.high)
    if isinstance(domain, OptionDomain) and isinstance(value, Option):
        return OptionDomain(spanned(domain.inner, value.held))
    if isinstance(value, SymbolicSet):
        return SetDomain(value.element)
    if isinstance(domain, SeqDomain | MapDomain) and isinstance(value, SymbolicSeq | Composite):
        held = [spanned(domain.parts[-1], part) for part in value.parts]
        inner = reduce(widest, held, NOTHING)
        if isinstance(domain, SeqDomain):
            return SeqDomain(inner, len(value.parts))
        return MapDomain(domain.key, inner)
    if isinstance(domain, TupleDomain) and isinstance(value, Composite):
        return domain.of(map(spanned, domain.kinds, value.parts))
    return domain


def widest(a: Domain, b: Domain) -> Domain:
    """The element domain that contains two element domains of one type."""
    if a == b or b.size == 0:
        return a
    if a.size == 0:
        return b
    if isinstance(a, IntDomain) and isinstance(b, IntDomain):
        return IntDomain(min(a.low, b.low), max(a.high, b.high))
    if isinstance(a, OptionDomain) and isinstance(b, OptionDomain):
        return OptionDomain(widest(a.inner, b.inner))
    if isinstance(a, SetDomain) and isinstance(b, SetDomain):
        return SetDomain(widest(a.element, b.element))
    if isinstance(a, SeqDomain) and isinstance(b, SeqDomain):
        return SeqDomain(widest(a.element, b.element), max(a.capacity, b.capacity))
    if isinstance(a, TupleDomain) and isinstance(b, TupleDomain):
        return a.of(map(widest, a.kinds, b.kinds))
    assert isinstance(a, MapDomain) and isinstance(b, MapDomain), (a, b)
    return MapDomain(a.key, widest(a.value, b.value))


def retyped(domain: Domain, wanted: Domain) -> Domain:
    """A domain converted to another compatible type, with its own bounds."""
    if isinstance(wanted, OptionDomain):
        if domain is NONE:
            return OptionDomain(bounded(wanted.inner, ()) if wanted.scalar else NOTHING)
        inner = domain.inner if isinstance(domain, OptionDomain) else domain
        return OptionDomain(retyped(inner, wanted.inner))
    if isinstance(domain, OptionDomain):
        return retyped(domain.inner, wanted)
    if isinstance(wanted, UnionDomain) and domain is not NOTHING:
        return wanted
    if isinstance(domain, SetDomain) and isinstance(wanted, SetDomain):
        return SetDomain(retyped(domain.element, wanted.element))
    if isinstance(domain, SeqDomain) and isinstance(wanted, SeqDomain):
        return SeqDomain(retyped(domain.element, wanted.element), domain.capacity)
    if isinstance(domain, MapDomain) and isinstance(wanted, MapDomain):
        return MapDomain(domain.key, retyped(domain.value, wanted.value))
    if isinstance(domain, TupleDomain) and isinstance(wanted, TupleDomain):
        return domain.of(map(retyped, domain.kinds, wanted.kinds))
    return domain


def position(domain: Domain, value: Any) -> int | None:
    """The index of a value in a domain of its type, or None if it is out of bounds."""
    return domain.index(value) if _within(domain, value) else None


def _within(domain: Domain, value: Any) -> bool:
    if isinstance(domain, OptionDomain):
        return value is None or _within(domain.inner, value)
    if domain is NONE:
        return value is None
    if value is None or domain is NOTHING:
        return False
    if isinstance(domain, IntDomain):
        return domain.low <= value <= domain.high
    if isinstance(domain, SetDomain | SeqDomain):
        held: Sequence[Any] = list(value)
        fits = isinstance(domain, SetDomain) or len(held) <= domain.capacity
        return fits and all(_within(domain.element, v) for v in held)
    if isinstance(domain, MapDomain):
        return all(_within(domain.value, v) for v in value.values())
    if isinstance(domain, TupleDomain):
        return all(map(_within, domain.kinds, value))
    return True
