"""Swapping two members of a scalar set in packed states, and the sequence of all renamings.

In a packed state, renaming moves bits (the entries of maps, the elements of sets) and changes the
codes of members. A swap of two neighbours is a few masks and shifts for each word. Any renaming is
a sequence of such swaps. Slots whose keys contain members are sorted anew after each swap, by a
sorting network.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from math import factorial, prod

from specmodel.dataclass import dataclass
from specmodel.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.domains.renaming import Renaming, involves, renamed, swaps_of
from specmodel.ir.layout import SET_CHUNK, Layout, LeafBits, width


@dataclass(frozen=True)
class Above:
    """The condition that the bits of a mask in a word, as a number, are above a limit."""

    word: int
    mask: int
    limit: int

    def holds(self, words: Sequence[int]) -> bool:
        return words[self.word] & self.mask > self.limit


@dataclass(frozen=True)
class Equals:
    """The condition that the bits of a mask in a word are a code."""

    word: int
    mask: int
    code: int

    def holds(self, words: Sequence[int]) -> bool:
        return words[self.word] & self.mask == self.code


Conditions = tuple[Above | Equals, ...]
"""A conjunction of conditions."""


def _hold(conditions: Conditions, words: Sequence[int]) -> bool:
    return all(condition.holds(words) for condition in conditions)


@dataclass(frozen=True)
class Recode:
    """Swaps two codes in the bits of a mask of a word, if conditions hold."""

    word: int
    mask: int
    codes: tuple[int, int]
    where: Conditions

    @property
    def difference(self) -> int:
        return self.codes[0] ^ self.codes[1]

    @property
    def one_bit(self) -> bool:
        """Whether the codes differ in a single bit."""
        return self.difference.bit_count() == 1

    def of(self, words: Sequence[int]) -> int:
        """The new value of the word."""
        word = words[self.word]
        if word & self.mask in self.codes and _hold(self.where, words):
            word ^= self.difference
        return word


@dataclass(frozen=True)
class Carry:
    """Moves the bits of a mask of one word to a word, shifted to the left, if conditions hold.

    A negative shift is a shift to the right.
    """

    source: int
    target: int
    shift: int
    where: Conditions
    mask: int

    def of(self, words: Sequence[int]) -> int:
        """The bits that it adds to the target word."""
        if not _hold(self.where, words):
            return 0
        bits = words[self.source] & self.mask
        return bits << self.shift if self.shift >= 0 else bits >> -self.shift


@dataclass(frozen=True)
class SlotExchange:
    """Exchanges two slots of a collection if the later slot is used and its key is the smaller one.

    `runs` are pieces of the earlier and of the later slot, in the order in which they compare; the
    first `keys` of them are the key.
    """

    runs: tuple[tuple[LeafBits, LeafBits], ...]
    keys: int
    where: Conditions

    def apply(self, words: list[int]) -> None:
        """Exchanges the slots in words, if necessary."""
        held = [
            tuple(words[part.word] >> part.shift & part.mask for part in run) for run in self.runs
        ]
        early, late = zip(*held[: self.keys], strict=True)
        if late < early and _hold(self.where, words):
            for run, values in zip(self.runs, held, strict=True):
                for part in run:
                    words[part.word] ^= (values[0] ^ values[1]) << part.shift


@dataclass(frozen=True)
class Swap:
    """A swap of two members: first codes change, then bits move, then slots are sorted."""

    recodes: tuple[Recode, ...]
    carries: tuple[Carry, ...]
    exchanges: tuple[SlotExchange, ...]

    def apply(self, words: Sequence[int]) -> tuple[int, ...]:
        """A packed state with the two members swapped."""
        held = list(words)
        for recode in self.recodes:
            held[recode.word] = recode.of(held)
        found = [0] * len(held)
        for carry in self.carries:
            found[carry.target] |= carry.of(held)
        for exchange in self.exchanges:
            exchange.apply(found)
        return tuple(found)


@dataclass(frozen=True)
class RenamingWalk:
    """All renamings of scalar sets, as a sequence of swaps of neighbours.

    `steps` are indexes in `swaps`. Applied in turn, they lead from a state through all renamings of
    the state. All swaps end with the same `exchanges`.
    """

    swaps: tuple[Swap, ...]
    steps: tuple[int, ...]
    exchanges: tuple[SlotExchange, ...]

    @classmethod
    def over(cls, layout: Layout, sets: Sequence[ScalarDomain]) -> RenamingWalk:
        """The sequence for the states of a layout."""
        exchanges = exchanges_of(layout, sets)
        swaps = tuple(swap_of(layout, renaming, exchanges) for renaming in swaps_of(sets))
        steps: list[int] = []
        first = 0
        for found in sets:
            inner = list(steps)
            for step in _plain_changes(found.size):
                steps += [first + step, *inner]
            first += found.size - 1
        return cls(swaps, tuple(steps), exchanges)

    def least(self, words: Sequence[int]) -> tuple[int, ...]:
        """The canonical form of a packed state: the least of its renamings."""
        here = least = tuple(words)
        for step in self.steps:
            here = self.swaps[step].apply(here)
            least = min(least, here)
        return least


def order_of(sets: Sequence[ScalarDomain]) -> int:
    """The number of renamings of sets."""
    return prod(factorial(s.size) for s in sets)


def swap_of(layout: Layout, renaming: Renaming, exchanges: tuple[SlotExchange, ...]) -> Swap:
    """The swap of two members in the states of a layout, whose slots `exchanges` sort."""
    placing = _Placing(layout, renaming)
    placing.place(layout.domain, 0, 0, None)
    carries = [Carry(*key, mask) for key, mask in placing.moved()]
    return Swap(tuple(placing.recodes), tuple(carries), exchanges)


def exchanges_of(layout: Layout, sets: Collection[ScalarDomain]) -> tuple[SlotExchange, ...]:
    """The exchanges that sort all slots of a state whose keys contain members of sets."""
    return tuple(_exchanges(layout, layout.domain, 0, (), sets))


def _exchanges(
    layout: Layout, domain: Domain, at: int, where: Conditions, sets: Collection[ScalarDomain]
) -> Iterator[SlotExchange]:
    """The exchanges for the slots of a part, whose leaves begin at a number: inner slots first."""

    def inner(part: Domain, start: int, *more: Equals) -> Iterator[SlotExchange]:
        return _exchanges(layout, part, start, (*where, *more), sets)

    if not any(isinstance(part, SlottedDomain) for part in domain.nested()):
        return
    slot = layout.slots[at]
    if isinstance(domain, OptionDomain):
        yield from inner(domain.inner, at + 1)
    elif isinstance(domain, UnionDomain):
        for number, part in enumerate(domain.alternatives):
            yield from inner(part, at + 1, Equals(slot.word, slot.in_word, number << slot.shift))
    elif isinstance(domain, StructDomain | TupleDomain):
        for part in domain.places:
            yield from inner(part, at)
            at += width(part)
    elif isinstance(domain, MapDomain):
        for number in range(len(domain.keys)):
            yield from inner(domain.value, at + number * width(domain.value))
    else:
        assert isinstance(domain, SlottedDomain | SeqDomain)
        kind = domain.slots if isinstance(domain, SlottedDomain) else domain
        size = width(kind.element)
        starts = [at + 1 + number * size for number in range(kind.capacity)]
        for start in starts:
            yield from inner(kind.element, start)
        if isinstance(domain, SlottedDomain) and involves(domain.slot_key, sets):
            key = width(domain.slot_key)
            for early, late in _network(kind.capacity):
                used = Above(slot.word, slot.in_word, late << slot.shift)
                keys, rest = (
                    _runs(layout, starts[early], starts[late], leaves)
                    for leaves in (range(key), range(key, size))
                )
                yield SlotExchange((*keys, *rest), len(keys), (*where, used))


def _runs(layout: Layout, early: int, late: int, leaves: range) -> list[tuple[LeafBits, LeafBits]]:
    """The bits of two slots, whose leaves begin at two numbers, in as few pieces as possible.

    A leaf joins the leaf beside it if it has as many bits in one slot as in the other: the leaves
    of a union have the bits of the largest alternative, so their numbers of bits may differ.
    """
    runs = list[tuple[LeafBits, LeafBits]]()
    for leaf in leaves:
        one, other = layout.slots[early + leaf], layout.slots[late + leaf]
        last = runs[-1] if runs and one.bits == other.bits else None
        if last and _beside(last[0], one) and _beside(last[1], other):
            runs[-1] = _together(last[0], one), _together(last[1], other)
        else:
            runs.append((one, other))
    return runs


def _beside(left: LeafBits, right: LeafBits) -> bool:
    """Whether some bits of a word lie directly above others."""
    return left.word == right.word and left.shift == right.shift + right.bits


def _together(left: LeafBits, right: LeafBits) -> LeafBits:
    """The bits of two neighbours in a word."""
    return LeafBits(right.word, right.shift, left.bits + right.bits)


def _network(size: int) -> Iterator[tuple[int, int]]:
    """The comparisons of a sorting network: Batcher's odd-even merge sort."""
    block = 1
    while block < size:
        step = block
        while step:
            for start in range(step % block, size - step, 2 * step):
                for i in range(start, min(start + step, size - step)):
                    if i // (2 * block) == (i + step) // (2 * block):
                        yield i, i + step
            step //= 2
        block *= 2


class _Placing:
    """Finds the new place of each bit of a state. Leaves are given by their number."""

    def __init__(self, layout: Layout, renaming: Renaming) -> None:
        self.slots = layout.slots
        self.renaming = renaming
        self.recodes: list[Recode] = []
        self.masks: dict[tuple[int, int, int, Conditions], int] = defaultdict(int)
        self.tags: Conditions = ()
        self.moving: Conditions = ()

    def moved(self) -> list[tuple[tuple[int, int, int, Conditions], int]]:
        """The masks of the bits that move, in a fixed order."""
        return sorted(self.masks.items(), key=lambda item: (*item[0][:3], repr(item[0][3])))

    def place(self, domain: Domain, source: int, target: int, where: Above | None) -> None:
        """Places the leaves of a part: from `source` on before the swap, from `target` on after it.

        `where` is the condition that the part is present. The leaves of an absent part stay 0.
        """
        if domain.scalar:
            self._leaf(source, target)
            if involves(domain, self.renaming):
                self._recode(domain, source, where)
        elif isinstance(domain, OptionDomain):
            self._leaf(source, target)
            self.place(domain.inner, source + 1, target + 1, self._above(source, 0))
        elif isinstance(domain, UnionDomain):
            self._leaf(source, target)
            self._alternatives(domain, source, target, where)
        elif isinstance(domain, StructDomain | TupleDomain):
            for part in domain.places:
                self.place(part, source, target, where)
                source, target = source + width(part), target + width(part)
        elif isinstance(domain, MapDomain):
            size = width(domain.value)
            for number, key in enumerate(domain.keys):
                moved = domain.key.index(renamed(domain.key, key, self.renaming))
                at = target + moved * size
                self.place(domain.value, source + number * size, at, where)
        elif isinstance(domain, SlottedDomain):  # whose entries keep their order
            self.place(domain.slots, source, target, where)
        elif isinstance(domain, SetDomain):
            for number, element in enumerate(domain.element.values()):
                moved = domain.element.index(renamed(domain.element, element, self.renaming))
                (chunk, bit), (new_chunk, new_bit) = (divmod(n, SET_CHUNK) for n in (number, moved))
                last = width(domain) - 1  # the masks are in the reverse order
                self._bits(source + last - chunk, bit, target + last - new_chunk, new_bit, 1)
        elif isinstance(domain, SeqDomain):
            self._leaf(source, target)
            size = width(domain.element)
            for number in range(domain.capacity):
                at = 1 + number * size
                there = self._above(source, number)
                self.place(domain.element, source + at, target + at, there)
        else:
            raise AssertionError(domain)

    def _alternatives(
        self, domain: UnionDomain, source: int, target: int, where: Above | None
    ) -> None:
        """Places the leaves after the tag of a union.

        Codes change if the tag is the number of their alternative. Bits move in the same way for
        all alternatives, unless one of them has a map or set over renamed members.
        """
        tags, moving = self.tags, self.moving
        alike = not any(map(self._rearranged, domain.alternatives))
        slot = self.slots[source]
        for number, part in enumerate(domain.alternatives):
            own = Equals(slot.word, slot.in_word, number << slot.shift)
            self.tags = (*tags, own)
            self.moving = moving if alike else (*moving, own)
            self.place(part, source + 1, target + 1, where)
        self.tags, self.moving = tags, moving

    def _rearranged(self, domain: Domain) -> bool:
        """Whether renaming moves parts of a value."""
        keys = (
            part.parts[0] for part in domain.nested() if isinstance(part, MapDomain | SetDomain)
        )
        return any(involves(key, self.renaming) for key in keys)

    def _leaf(self, source: int, target: int) -> None:
        self._bits(source, 0, target, 0, self.slots[source].bits)

    def _bits(self, source: int, low: int, target: int, new_low: int, count: int) -> None:
        old, new = self.slots[source], self.slots[target]
        start = old.shift + low
        shift = new.shift + new_low - start
        self.masks[old.word, new.word, shift, self.moving] |= ((1 << count) - 1) << start

    def _recode(self, domain: Domain, source: int, where: Above | None) -> None:
        slot = self.slots[source]
        pairs = (
            (i, domain.index(renamed(domain, domain.at(i), self.renaming)))
            for i in range(domain.size)
        )
        moved = [pair for pair in pairs if pair[0] < pair[1]]
        for low, high in moved:
            absent = (where,) if where and low == 0 else ()  # the code of an absent part is 0
            codes = (low << slot.shift, high << slot.shift)
            self.recodes.append(Recode(slot.word, slot.in_word, codes, (*self.tags, *absent)))

    def _above(self, leaf: int, limit: int) -> Above:
        slot = self.slots[leaf]
        return Above(slot.word, slot.in_word, limit << slot.shift)


def _plain_changes(size: int) -> list[int]:
    """Swaps of neighbours that lead through all permutations of `size` elements (Steinhaus)."""
    if size < 2:
        return []
    down = list(range(size - 2, -1, -1))
    steps: list[int] = []
    left = False
    for step in [*_plain_changes(size - 1), None]:
        steps += down[::-1] if left else down
        left = not left
        if step is not None:
            steps.append(step + 1 if left else step)
    return steps
