"""Packing: reversible, in the domain's order, canonical, with room for tags, leaves in one word."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.domains import Domain, IntDomain, SeqDomain, SetDomain, StructDomain, UnionDomain
from specmodel.errors import SpecError
from specmodel.ir.layout import (
    LEAST_TAG_BITS,
    MOST_TAG_BITS,
    MOST_VALUES,
    Layout,
    codes_of,
    leaves_of,
)
from specmodel.lang import Capacity, Range, ScalarSet, Set, Struct
from tests.strategies import domains, struct_of

WORD = 64


class Node(ScalarSet, size=2):
    """An actor."""


class Inner(Struct):
    n: Annotated[int, Range(0, 3)]
    who: Node | None


class State(Struct):
    far: Inner | None
    log: Annotated[list[Inner], Capacity(2)]
    seen: Set[Node]


class Other(Struct):
    on: bool | None
    of: dict[Node, bool]
    log: Annotated[list[bool], Capacity(1)]
    numbers: Set[Annotated[int, Range(1, 40)]]


@st.composite
def states(draw: st.DrawFn) -> StructDomain:
    """The domain of a state: several variables of any kind."""
    count = draw(st.integers(1, 4))
    return struct_of({name: draw(domains()) for name in "wxyz"[:count]})


@given(states(), st.data())
def test_pack_and_unpack_are_inverse(domain: StructDomain, data: st.DataObject) -> None:
    """A state comes back whole, whatever tag its last word carries."""
    layout = Layout(domain)
    state = domain.at(data.draw(st.integers(0, domain.size - 1)))
    words = layout.pack(state)
    assert len(words) == layout.words
    assert layout.unpack(words) == state
    tag = data.draw(st.integers(0, (1 << layout.tag_bits) - 1))
    assert layout.unpack((*words[:-1], words[-1] | tag << layout.tag_shift)) == state


@given(states(), st.data())
def test_packed_states_are_in_the_order_of_the_domain(
    domain: StructDomain, data: st.DataObject
) -> None:
    """Both engines name the same least state only if words compare as places in the domain do."""
    a, b = (data.draw(st.integers(0, domain.size - 1)) for _ in range(2))
    assert_ordered(domain, a, b)


@given(st.integers(0, 1), st.data())
def test_wide_sets_are_in_the_order_of_the_domain(wrapped: int, data: st.DataObject) -> None:
    """A set of several masks compares by its last elements first, also as a part of a union."""
    wide: Domain = SetDomain(IntDomain(1, 70))
    if wrapped:
        wide = UnionDomain.of([struct_of({"w": wide}, "Wide"), struct_of({}, "Empty")])
    domain = struct_of({"held": wide})
    a, b = (data.draw(st.integers(0, domain.size - 1)) for _ in range(2))
    assert_ordered(domain, a, b)


def assert_ordered(domain: StructDomain, a: int, b: int) -> None:
    """Two values of a domain compare as their packed words do."""
    layout = Layout(domain)
    packed = [layout.pack(domain.at(i)) for i in (a, b)]
    assert (packed[0] < packed[1]) == (a < b)
    assert (packed[0] == packed[1]) == (a == b)


@given(states(), st.data())
def test_codes_fit_their_leaves(domain: StructDomain, data: st.DataObject) -> None:
    """Every code is below its leaf's size, and there are as many as there are leaves."""
    state = domain.at(data.draw(st.integers(0, domain.size - 1)))
    codes = list(codes_of(domain, state))
    leaves = list(leaves_of(domain))
    assert len(codes) == len(leaves)
    assert all(0 <= code < leaf.size for code, leaf in zip(codes, leaves, strict=True))


@given(states())
def test_slots_lie_apart_within_words(domain: StructDomain) -> None:
    """No leaf crosses a word or overlaps another, and none reaches into the tag."""
    layout = Layout(domain)
    taken = [0] * layout.words
    for leaf, slot in zip(layout.leaves, layout.slots, strict=True):
        assert slot.bits == leaf.bits
        assert 0 <= slot.shift <= slot.shift + slot.bits <= WORD
        mask = slot.mask << slot.shift
        assert not taken[slot.word] & mask
        taken[slot.word] |= mask
    assert LEAST_TAG_BITS <= layout.tag_bits <= MOST_TAG_BITS
    assert taken[-1] >> layout.tag_shift == 0
    assert layout.tag_shift + layout.tag_bits == WORD
    assert sum(bits.bit_count() for bits in taken) == layout.bits


@given(st.lists(st.integers(1, 32), min_size=1, max_size=40))
def test_any_widths_are_placed_in_order(widths: list[int]) -> None:
    """Leaves of any widths fill words from the top, in order, in no more words than they must."""
    fields = {f"f{i}": IntDomain(0, (1 << bits) - 1) for i, bits in enumerate(widths)}
    layout = Layout(struct_of(fields))
    places = [(slot.word, -slot.shift) for slot in layout.slots]
    assert places == sorted(places)
    assert layout.words <= 2 + sum(widths) // (WORD - 31)


@given(states(), st.data())
def test_the_first_words_are_those_of_the_key(domain: StructDomain, data: st.DataObject) -> None:
    """States with the same values of the key's fields are those with the same first words."""
    some = data.draw(st.sets(st.sampled_from(list(domain.fields)), min_size=1))
    domain = replace(domain, key=tuple(name for name in domain.fields if name in some))
    layout = Layout(domain)
    assert layout.key_words <= layout.words
    assert (layout.key_words == layout.words) >= (len(some) == len(domain.fields))
    one, other = (domain.at(data.draw(st.integers(0, domain.size - 1))) for _ in range(2))
    mixed = domain.build(
        [
            getattr(one if name in some or data.draw(st.booleans()) else other, name)
            for name in domain.fields
        ]
    )
    first = [layout.pack(state)[: layout.key_words] for state in (one, mixed, other)]
    assert first[0] == first[1]
    same = all(getattr(one, name) == getattr(other, name) for name in some)
    assert (first[0] == first[2]) == same
    assert layout.unpack(layout.pack(mixed)) == mixed


def test_absent_parts_are_zero() -> None:
    """Equal states have equal words: what an absent optional or a shorter list held is gone."""
    layout = Layout(State.__domain__)
    s = State(Inner(3, Node.nth(1)), [Inner(2, None), Inner(1, Node.nth(0))], {Node.nth(1)})
    s.far = None
    del s.log[1:]
    s.seen = set()
    assert layout.pack(s) == layout.pack(State(None, [Inner(2, None)], set()))


def test_paths_of_leaves() -> None:
    """What a report on a layout calls each leaf."""
    paths = [leaf.path for leaf in Layout(Other.__domain__).leaves]
    assert paths == ["on", "of[n1]", "of[n2]", "len(log)", "log[0]", "numbers+32", "numbers"]


@pytest.mark.parametrize("capacity", [20, 40, 80])
def test_wide_states_take_as_many_words_as_they_need(capacity: int) -> None:
    """There is no largest state."""
    domain = struct_of({"log": SeqDomain(IntDomain(0, 255), capacity)})
    layout = Layout(domain)
    assert layout.words == -(-(layout.bits + LEAST_TAG_BITS) // WORD)
    last = domain.at(domain.size - 1)
    assert layout.unpack(layout.pack(last)) == last


def test_what_no_word_holds_is_refused() -> None:
    """A range beyond what compiled arithmetic knows; the interpreter alone takes it."""
    Layout(struct_of({"n": IntDomain(0, MOST_VALUES - 1)}))
    for last in (MOST_VALUES, 10**40):
        with pytest.raises(SpecError, match=r"^n: 0\.\.\d+ is beyond 62 bits"):
            Layout(struct_of({"n": IntDomain(0, last)}))
