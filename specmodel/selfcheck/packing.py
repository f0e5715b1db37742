"""Packs states to words and unpacks them, with a cache of the parts of states.

The states of a sample share most of their parts: the successors of a state differ from it in a
field or two. Looking a part up takes a fifth of the time that packing or unpacking it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from specmodel.domains import Domain, MapDomain
from specmodel.domains.containers import Map
from specmodel.ir.layout import Layout, LeafBits, codes_of, leaves_of, value_of

Words = tuple[int, ...]

_WORD = (1 << 64) - 1


class Packing:
    """Equals `Layout.pack` and `Layout.unpack`. States share parts: do not change them.

    Here all words of a state are one number, the first word the most significant.
    """

    def __init__(self, layout: Layout) -> None:
        self.domain = layout.domain
        self._ends = [64 * place for place in reversed(range(layout.words))]
        slots = iter(layout.slots)
        self._fields = [
            (name, domain, list(self._parts(domain, slots)))
            for name, domain in layout.domain.fields.items()
        ]

    def _parts(self, domain: Domain, slots: Iterator[LeafBits]) -> Iterator[_PartPacking]:
        """The parts of a field: each value of a map, or else the field as a whole."""
        parts = [domain.value] * len(domain.keys) if isinstance(domain, MapDomain) else [domain]
        for part in parts:
            leaves = list(leaves_of(part))
            own = [next(slots) for _ in leaves]
            shifts = [slot.shift + self._ends[slot.word] for slot in own]
            yield _PartPacking(
                part, shifts, [slot.mask for slot in own], [leaf.size for leaf in leaves]
            )

    def pack(self, state: Any) -> Words:
        """The words of a state. Its parts must not change afterwards."""
        held, bits = state.__dict__, 0
        for name, domain, parts in self._fields:
            if isinstance(domain, MapDomain):
                for part, value in zip(parts, held[name].values(), strict=True):
                    bits |= part.bits[value]
            else:
                bits |= parts[0].bits[held[name]]
        return tuple(bits >> end & _WORD for end in self._ends)

    def unpack(self, words: Words) -> Any:
        """The state of some words. Raises ValueError if they are those of no state."""
        bits = sum(word << end for word, end in zip(words, self._ends, strict=True))
        values: list[Any] = []
        for _, domain, parts in self._fields:
            found = [part.values[bits & part.mask] for part in parts]
            mapped = isinstance(domain, MapDomain)
            values.append(Map(domain, zip(domain.keys, found, strict=True)) if mapped else found[0])
        return self.domain.build(values)


class _PartPacking:
    """A part of a state: its bits by its value, and its value by its bits."""

    def __init__(
        self, domain: Domain, shifts: Sequence[int], masks: Sequence[int], sizes: Sequence[int]
    ) -> None:
        self.domain = domain
        self.shifts = shifts
        self.masks = masks
        self.sizes = sizes
        self.mask = sum(mask << shift for mask, shift in zip(masks, shifts, strict=True))
        self.bits = _Bits(self)
        self.values = _Values(self)


class _Bits(dict[Any, int]):
    """Bits by value."""

    def __init__(self, part: _PartPacking) -> None:
        super().__init__()
        self.part = part

    def __missing__(self, value: Any) -> int:
        codes = codes_of(self.part.domain, value)
        bits = sum(code << shift for code, shift in zip(codes, self.part.shifts, strict=True))
        self[value] = bits
        return bits


class _Values(dict[int, Any]):
    """Values by bits."""

    def __init__(self, part: _PartPacking) -> None:
        super().__init__()
        self.part = part

    def __missing__(self, bits: int) -> Any:
        part = self.part
        codes = [bits >> s & mask for s, mask in zip(part.shifts, part.masks, strict=True)]
        if any(code >= max(size, 1) for code, size in zip(codes, part.sizes, strict=True)):
            raise ValueError(f"{part.domain} has no value with the codes {codes}")
        value = self[bits] = value_of(part.domain, iter(codes))
        return value
