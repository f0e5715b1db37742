"""The layout of a state: the bits of each leaf in the packed words.

A state is flattened to leaves: scalars, masks of sets, lengths of sequences. Each leaf gets the
bits that its domain needs; none crosses a 64-bit word. Leaves fill words from the most significant
bit down, in the order of the state's fields. So packed states compare, word by word and unsigned,
in the order of their domain. The top bits of the last word are free: a search tags states there.
If only some fields tell a state from others, the first words have these, and the others the rest.

Each value has one packed form: the fields of an absent optional, the elements past a sequence's
end and the leaves of a union that its alternative does not use are 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import repeat, zip_longest
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    ProductDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.errors import SpecError

SET_CHUNK = 32
"""Elements of a set per mask; a set over a larger domain has several masks, the one of the last
elements first, so that sets compare in the order of their domain."""

MOST_VALUES = 1 << 62
"""The most values of a scalar: the range of compiled arithmetic. A leaf has to fit into a word."""

LEAST_TAG_BITS = 20
MOST_TAG_BITS = 32


@dataclass(frozen=True)
class Leaf:
    """A leaf: its path from the state, its number of codes, and the domain that it is a leaf of."""

    path: str
    size: int
    domain: Domain

    @property
    def bits(self) -> int:
        return max(1, (self.size - 1).bit_length())


@dataclass(frozen=True)
class LeafBits:
    """The bits of a leaf: the word, the position of the lowest bit in it, the number of bits."""

    word: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    @property
    def in_word(self) -> int:
        """The mask of the bits in the word."""
        return self.mask << self.shift


def leaves_of(domain: Domain, path: str = "") -> Iterator[Leaf]:
    """The leaves of a domain, in order. Raises SpecError for a domain that has none."""
    if domain.scalar:
        if domain.size > MOST_VALUES:
            raise SpecError(f"{path}: {domain} is beyond 62 bits", None, "bound it")
        yield Leaf(path, domain.size, domain)
    elif isinstance(domain, OptionDomain):
        yield Leaf(f"{path}?", 2, domain)
        yield from leaves_of(domain.inner, path)
    elif isinstance(domain, UnionDomain):
        yield Leaf(f"type({path})", len(domain.alternatives), domain)
        for number, size in enumerate(payload_of(domain)):
            yield Leaf(f"{path}#{number}", size, domain)
    elif isinstance(domain, StructDomain):
        for name, kind in domain.fields.items():
            yield from leaves_of(kind, f"{path}.{name}" if path else name)
    elif isinstance(domain, MapDomain):
        for key in domain.keys:
            yield from leaves_of(domain.value, f"{path}[{key!r}]")
    elif isinstance(domain, TupleDomain):
        for name, kind in zip(domain.names, domain.places, strict=True):
            yield from leaves_of(kind, f"{path}.{name}")
    elif isinstance(domain, SlottedDomain):
        yield from leaves_of(domain.slots, path)
    elif isinstance(domain, SeqDomain):
        yield Leaf(f"len({path})", domain.capacity + 1, domain)
        for position in range(domain.capacity):
            yield from leaves_of(domain.element, f"{path}[{position}]")
    elif isinstance(domain, SetDomain):
        for low, count in chunks_of(domain):
            yield Leaf(path if low == 0 else f"{path}+{low}", 1 << count, domain)
    else:
        what = f"{path}: {domain} cannot be part of a state that is compiled"
        raise SpecError(what, hint="this takes a design that is written in Python")


def chunks_of(domain: SetDomain) -> Iterator[tuple[int, int]]:
    """The first element of each mask of a set, and the number of its elements, in leaf order."""
    size = domain.element.size
    for low in reversed(range(0, size, SET_CHUNK)):
        yield low, min(SET_CHUNK, size - low)


@lru_cache(maxsize=256)
def payload_of(domain: UnionDomain) -> tuple[int, ...]:
    """The number of codes of each leaf after the tag of a union.

    All alternatives share these leaves: the first leaf of each alternative is in the first one, and
    so on. Leaves that an alternative does not use are 0.
    """
    held = [[leaf.size for leaf in leaves_of(part)] for part in domain.alternatives]
    return tuple(map(max, zip_longest(*held, fillvalue=1)))


@lru_cache(maxsize=256)  # bounded: the cache keeps the classes of recent specs in memory
def width(domain: Domain) -> int:
    """The number of leaves of a domain."""
    return sum(1 for _ in leaves_of(domain))


def codes_of(domain: Domain, value: Any) -> Iterator[int]:
    """The codes of a value's leaves, in order."""
    if domain.scalar:
        yield domain.index(value)
    elif isinstance(domain, OptionDomain):
        yield int(value is not None)
        if value is None:
            yield from repeat(0, width(domain.inner))
        else:
            yield from codes_of(domain.inner, value)
    elif isinstance(domain, UnionDomain):
        tag = domain.tag(value)
        part = domain.alternatives[tag]
        yield tag
        yield from codes_of(part, value)
        yield from repeat(0, len(payload_of(domain)) - width(part))
    elif isinstance(domain, ProductDomain):
        for place, held in zip(domain.places, domain.split(value), strict=True):
            yield from codes_of(place, held)
    elif isinstance(domain, SlottedDomain):
        yield from codes_of(domain.slots, domain.entries(value))
    elif isinstance(domain, SeqDomain):
        yield len(value)
        for held in value:
            yield from codes_of(domain.element, held)
        yield from repeat(0, width(domain.element) * (domain.capacity - len(value)))
    elif isinstance(domain, SetDomain):
        mask = domain.index(value)
        for low, count in chunks_of(domain):
            yield mask >> low & ((1 << count) - 1)


def value_of(domain: Domain, codes: Iterator[int]) -> Any:
    """The value whose leaves have these codes. Takes one code for each leaf of the domain."""
    if domain.scalar:
        code = next(codes)
        return domain.at(code) if domain.size else None  # where no value is, none is used
    if isinstance(domain, OptionDomain):
        present = next(codes)
        held = value_of(domain.inner, codes)
        return held if present else None
    if isinstance(domain, UnionDomain):
        part = domain.alternatives[next(codes)]
        held = value_of(part, codes)
        for _ in range(len(payload_of(domain)) - width(part)):
            next(codes)
        return held
    if isinstance(domain, ProductDomain):
        return domain.build([value_of(place, codes) for place in domain.places])
    if isinstance(domain, SlottedDomain):
        return domain.of(value_of(domain.slots, codes))
    if isinstance(domain, SeqDomain):
        length = next(codes)
        held = [value_of(domain.element, codes) for _ in range(domain.capacity)][:length]
        return domain.store(held, "")
    if isinstance(domain, SetDomain):
        mask = 0
        for low, _ in chunks_of(domain):
            mask |= next(codes) << low
        return domain.at(mask)
    raise AssertionError(domain)


class Layout:
    """The packing of a state domain into `words` 64-bit words."""

    def __init__(self, domain: StructDomain) -> None:
        self.domain = domain
        self.leaves = tuple(leaves_of(domain))
        self.order = places = self._key_first()
        """The numbers of the leaves, with those of the domain's key before the others."""
        of_key = sum(width(domain.fields[name]) for name in domain.key)
        apart = of_key if domain.key and of_key < len(places) else None
        placed, used = _placed([self.leaves[place].bits for place in places], apart)
        of = dict(zip(places, placed, strict=True))
        self.slots = tuple(of[place] for place in range(len(placed)))
        self.words = len(used)
        self.key_words = self.words if apart is None else placed[apart].word
        """The first words, by which a search tells a state from others."""
        self.tag_bits = min(MOST_TAG_BITS, 64 - used[-1])

    def _key_first(self) -> list[int]:
        first, key, others = 0, list[int](), list[int]()
        for name, kind in self.domain.fields.items():
            after = first + width(kind)
            (key if name in self.domain.key else others).extend(range(first, after))
            first = after
        return key + others

    @property
    def tag_shift(self) -> int:
        """The lowest bit of the tag in the last word: leaves use the bits below it."""
        return 64 - self.tag_bits

    @cached_property
    def bits(self) -> int:
        """The total bits of the leaves."""
        return sum(leaf.bits for leaf in self.leaves)

    def pack(self, value: Any) -> tuple[int, ...]:
        """The packed words of a state, without a tag."""
        words = [0] * self.words
        for slot, code in zip(self.slots, codes_of(self.domain, value), strict=True):
            words[slot.word] |= code << slot.shift
        return tuple(words)

    def unpack(self, words: Sequence[int]) -> Any:
        """The state with these packed words; a tag is ignored."""
        codes = (words[slot.word] >> slot.shift & slot.mask for slot in self.slots)
        return value_of(self.domain, iter(codes))


def _placed(widths: Sequence[int], apart: int | None) -> tuple[tuple[LeafBits, ...], list[int]]:
    """Slots in as few words as possible, and the bits used in each word.

    The leaves from `apart` on have words of their own, after one word at least.
    """
    count = 1
    while True:
        slots = _fill(widths, count, apart)
        if slots is not None:
            break
        count += 1
    used = [0] * count
    for slot in slots:
        used[slot.word] += slot.bits
    tag = min(MOST_TAG_BITS, 64 - used[-1])
    last = [s for s in slots if s.word == count - 1]
    if last:
        drop = (last[0].shift + last[0].bits) - (64 - tag)
        slots = [
            LeafBits(s.word, s.shift - drop, s.bits) if s.word == count - 1 else s for s in slots
        ]
    return tuple(slots), used


def _fill(widths: Sequence[int], count: int, apart: int | None) -> list[LeafBits] | None:
    """Slots in `count` words, filled from the top, with room for a tag; None if they do not fit."""
    slots: list[LeafBits] = []
    word, free = 0, 64 if count > 1 else 64 - LEAST_TAG_BITS
    for number, width in enumerate(widths):
        while width > free or (number == apart and word == (slots[-1].word if slots else 0)):
            word += 1
            if word >= count:
                return None
            free = 64 if word < count - 1 else 64 - LEAST_TAG_BITS
        free -= width
        slots.append(LeafBits(word, free, width))
    return slots
