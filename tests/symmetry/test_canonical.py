"""Renaming values, packed states, and in the kernel: all the same, for domains of any kind."""

from __future__ import annotations

import math
import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from specmodel.domains import (
    BagDomain,
    IntDomain,
    MapDomain,
    ScalarDomain,
    SlotSetDomain,
    SparseMapDomain,
    StructDomain,
    UnionDomain,
)
from specmodel.domains.bags import Bag
from specmodel.domains.renaming import renamed, renamings_of, scalar_sets, swaps_of
from specmodel.domains.sets import frozen
from specmodel.ir.layout import Layout
from specmodel.ir.symmetry.swaps import RenamingWalk
from specmodel.kernel.kernel import Kernel
from specmodel.lang import ScalarSet, Spec, init
from tests.strategies import domains, struct_of

LARGEST = 400
"""Bits of a state: those of random domains may be thousands."""


class Big(ScalarSet, size=5, symmetric=True):
    """Actors b1 to b5."""


@init
def start() -> Any:
    """Never called."""


@st.composite
def states(draw: st.DrawFn) -> tuple[StructDomain, list[Any]]:
    """A state domain with symmetric sets in it, and some states."""
    kinds = domains(slotted=True)
    domain = struct_of({"tag": draw(kinds), "value": draw(kinds)})
    assume(symmetric(domain) and domain.size.bit_length() < LARGEST)
    places = st.integers(0, domain.size - 1)
    return domain, [domain.at(draw(places)) for _ in range(draw(st.integers(1, 9)))]


def symmetric(domain: StructDomain) -> tuple[ScalarDomain, ...]:
    """The sets in a domain, each once."""
    return tuple(dict.fromkeys(scalar_sets(domain)))


@given(states())
@settings(deadline=None)
def test_swaps_of_packed_states(given: tuple[StructDomain, list[Any]]) -> None:
    """An exchange of bits is the exchange of members."""
    domain, values = given
    layout, sets = Layout(domain), symmetric(domain)
    walk = RenamingWalk.over(layout, sets)
    for value in values:
        for renaming, swap in zip(swaps_of(sets), walk.swaps, strict=True):
            other = renamed(domain, value, renaming)
            assert swap.apply(layout.pack(value)) == layout.pack(other)
            assert renamed(domain, other, renaming) == value


@given(states())
@settings(deadline=None)
def test_walks_pass_every_renaming(given: tuple[StructDomain, list[Any]]) -> None:
    """The least state on the walk is the least of all renamings, for every one of them."""
    domain, values = given
    layout, sets = Layout(domain), symmetric(domain)
    walk = RenamingWalk.over(layout, sets)
    assert len(walk.steps) + 1 == math.prod(math.factorial(s.size) for s in sets)
    for value in values:
        orbit = [renamed(domain, value, renaming) for renaming in renamings_of(sets)]
        packed = [layout.pack(other) for other in orbit]
        assert {walk.least(words) for words in packed} == {min(packed)}
        assert min(packed) == layout.pack(domain.at(min(map(domain.index, orbit))))


@given(states())
@settings(max_examples=25, deadline=None)
def test_kernels(given: tuple[StructDomain, list[Any]]) -> None:
    """A kernel takes each state of a batch to the least of its orbit."""
    domain, values = given
    sets = symmetric(domain)
    kernel = Kernel(Spec(state=domain.cls, init=start, actions=[]), [], symmetric=sets)
    layout = kernel.program.layout
    wanted = [
        min(layout.pack(renamed(domain, value, r)) for r in renamings_of(sets)) for value in values
    ]
    assert kernel.canonical_forms(map(layout.pack, values)) == wanted


def test_states_of_several_words() -> None:
    """The least of an orbit is told by its first word, and by others only where those are equal."""
    counts = MapDomain(Big.__domain__, IntDomain(0, 1))
    wide = MapDomain(Big.__domain__, IntDomain(0, 2**20))
    domain = struct_of({"first": counts, "second": wide, "third": wide})
    layout, sets = Layout(domain), [Big.__domain__]
    assert layout.words > 2
    kernel = Kernel(Spec(state=domain.cls, init=start, actions=[]), [], symmetric=sets)
    draw = random.Random(1)
    values = [domain.at(draw.randrange(domain.size)) for _ in range(40)]
    wanted = [
        min(layout.pack(renamed(domain, value, r)) for r in renamings_of(sets)) for value in values
    ]
    assert kernel.canonical_forms(map(layout.pack, values)) == wanted


@pytest.mark.parametrize("capacity", [2, 5, 7, 8])
def test_many_slots(capacity: int) -> None:
    """Slots are sorted anew, whatever their number, also those whose key lies in two words."""
    message = struct_of({"n": IntDomain(0, 2**40), "to": Big.__domain__, "last": IntDomain(0, 40)})
    kinds = {
        "set": SlotSetDomain(message, capacity),
        "bag": BagDomain(Big.__domain__, capacity),
        "table": SparseMapDomain(message, Big.__domain__, capacity),
    }
    domain = struct_of(kinds)
    layout, sets = Layout(domain), [Big.__domain__]
    kernel = Kernel(Spec(state=domain.cls, init=start, actions=[]), [], symmetric=sets)
    draw = random.Random(1)
    values: list[Any] = []
    for _ in range(12):  # of messages that differ in few parts, so that each part decides once
        some = [
            message.build([draw.choice((0, 2**33)), draw.choice(Big.__domain__.members), n % 2])
            for n in range(capacity)
        ]
        members = draw.choices(Big.__domain__.members, k=draw.randint(0, capacity))
        table = {frozen(key): members[0] if members else Big.nth(0) for key in some}
        values.append(domain.store(domain.cls(set(some), Bag(members), table), ""))
    for value in values:
        orbit = [layout.pack(renamed(domain, value, r)) for r in renamings_of(sets)]
        assert set(kernel.canonical_forms(orbit)) == {min(orbit)}


def test_slots_in_a_union() -> None:
    """Leaves that slots share with another alternative, which has more bits there, and more in one
    slot than in another; the other alternative is not sorted."""
    pair = struct_of({"by": Big.__domain__, "to": Big.__domain__}, "Pair")
    sent = struct_of({"sent": SlotSetDomain(pair, 2)}, "Sent")
    sizes = {"a": 2, "b": 8, "c": 400, "d": 5, "e": 9}
    other = struct_of({name: IntDomain(0, size) for name, size in sizes.items()}, "Numbers")
    domain = struct_of({"held": UnionDomain.of([sent, other]), "who": Big.__domain__})
    layout, sets = Layout(domain), [Big.__domain__]
    kernel = Kernel(Spec(state=domain.cls, init=start, actions=[]), [], symmetric=sets)
    pairs = list(pair.values())
    held = [sent.build([frozenset(two)]) for two in combinations(pairs[::3], 2)]
    held += [other.build([2, 8, 400, 5, 0]), other.build([2, 0, 0, 0, 9])]
    for value in held:
        state = domain.store(domain.cls(value, Big.nth(0)), "")
        orbit = [layout.pack(renamed(domain, state, r)) for r in renamings_of(sets)]
        assert set(kernel.canonical_forms(orbit)) == {min(orbit)}


def test_large_sets() -> None:
    """More members than the code of a member has values to spare, and 120 renamings."""
    domain = struct_of({"tag": Big.__domain__})
    layout = Layout(domain)
    walk = RenamingWalk.over(layout, [Big.__domain__])
    for value in domain.values():
        assert walk.least(layout.pack(value)) == layout.pack(domain.at(0))


def test_sets_of_one_have_nothing_to_rename() -> None:
    """One member is as good as another: there is no walk, and no canonical form to compile."""

    class Alone(ScalarSet, size=1, symmetric=True):
        """One actor."""

    domain = struct_of({"tag": Alone.__domain__})
    sets = [Alone.__domain__]
    kernel = Kernel(Spec(state=domain.cls, init=start, actions=[]), [], symmetric=sets)
    assert kernel.canonical is None
    assert kernel.canonical_forms([(0,)]) == [(0,)]
