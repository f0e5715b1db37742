"""Blocks of 512 states: the gates that their masks go through, and blocks that do not fit."""

from __future__ import annotations

import ctypes
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import specmodel
from specmodel.kernel.circuit import ALL, LIVE, NONE, Placed
from specmodel.kernel.kernel import Kernel
from specmodel.machine.words import LANES
from tests.kernel.reference import Reference, columns_of, reachable_states
from tests.written import design_of

FIRST = 5
"""The masks before any gate: which states there are, none, and three comparisons."""


@st.composite
def circuits(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[int]]:
    """Gates on what was before them, and some literals that are wanted afterwards."""
    gates: list[tuple[int, int]] = []
    for number in range(draw(st.integers(0, 30))):
        literals = st.integers(0, 2 * (FIRST + number) - 1)
        gates.append((draw(literals), draw(literals)))
    wanted = st.integers(0, 2 * (FIRST + len(gates)) - 1)
    return gates, draw(st.lists(wanted, max_size=12))


@given(circuits(), st.lists(st.integers(0, 0xFF), min_size=3, max_size=3))
def test_gates_keep_what_is_needed(
    circuit: tuple[list[tuple[int, int]], list[int]], comparisons: list[int]
) -> None:
    """Gates that share places give the masks of gates that each have their own."""
    gates, outputs = circuit
    start = [0b11111, 0, *comparisons]

    def read(masks: list[int] | dict[int, int], literal: int) -> int:
        return masks[literal // 2] ^ (0xFF if literal % 2 else 0)

    masks = list(start)
    for a, b in gates:
        masks.append(read(masks, a) & read(masks, b))
    placed = Placed.of(FIRST, gates, outputs)
    scratch = dict(enumerate(start))
    for a, b, place in placed.gates:
        assert FIRST <= place < placed.after
        scratch[place] = read(scratch, a) & read(scratch, b)
    assert [scratch[FIRST + i] for i in range(len(outputs))] == [read(masks, o) for o in outputs]
    assert len(placed.gates) <= len(gates) + len(outputs)


def test_places_are_used_again() -> None:
    """A long chain takes one place besides that of its end; what nobody wants takes no gate."""
    gates = [(2 * (FIRST + n - 1) if n else LIVE, 4) for n in range(100)]
    placed = Placed.of(FIRST, gates, [2 * (FIRST + 99)])
    assert len(placed.gates) == 100
    assert placed.after == FIRST + 2
    assert Placed.of(FIRST, gates, [LIVE, NONE, ALL]).gates == (
        (LIVE, ALL, FIRST),
        (NONE, ALL, FIRST + 1),
        (ALL, ALL, FIRST + 2),
    )


@pytest.mark.parametrize("most", [0, 1, 40, 700, 100_000])
def test_a_block_too_large_for_the_room(most: int) -> None:
    """With whatever room, if enough for LANES states, all successors come, each once."""
    design = specmodel.load("kip320", replicas=2, max_leader_epoch=1)
    kernel = Kernel(design.spec, ())
    layout = kernel.program.layout
    packed = [layout.pack(state) for state in reachable_states(design.spec, 1000)]
    assert len(packed) > 512
    columns, width = columns_of(packed)
    room = LANES * kernel.bindings + most
    out = (ctypes.c_uint64 * (layout.words * (room + LANES)))()
    context = kernel.context()
    made: Counter[tuple[int, ...]] = Counter()
    at = 0
    while at < len(packed):
        context.count = 0
        done = kernel.expand(
            ctypes.addressof(columns),
            width,
            at,
            len(packed) - at,
            ctypes.addressof(out),
            room + LANES,
            room,
            context.address,
        )
        assert done > 0
        assert (at + done) % LANES == 0 or at + done == len(packed)
        assert context.count <= room
        step = room + LANES
        made.update(
            zip(
                *(out[w * step : w * step + context.count] for w in range(layout.words)),
                strict=True,
            )
        )
        at += done
    assert made == Counter(kernel.successors(packed, kernel.context()))
    assert sum(context.fired()) == made.total() == 1800


CHAIN = """
class Node(ScalarSet, size=3):
    pass


class Pair(Struct):
    a: Annotated[int, Range(0, 2)]
    b: Annotated[int, Range(0, 2)]
    to: Node


class State(Struct):
    of: dict[Node, Pair]
    at: Node
    best: Pair


@init
def start() -> State:
    first = Node.nth(0)
    best = Pair(a=1, b=0, to=first)
    return State(of={n: Pair(a=0, b=0, to=n) for n in Node}, at=first, best=best)


@action
def walk(s: State) -> None:
    here = s.at
    for _ in range(60):
        there = s.of[here].to
        if s.best.a == s.of[there].a and s.best.b == s.of[there].b:
            here = s.of[there].to
        else:
            here = there
    s.at = here


@action
def change(s: State, n: Node, to: Node) -> None:
    s.of[n].to = to
    s.of[n].a = (s.of[n].a + 1) % 3
    s.of[to].b = s.of[n].a


spec = Spec(state=State, init=start, actions=[walk, change])
"""


def test_comparisons_of_what_was_compared_before(tmp_path: Path) -> None:
    """Sixty choices, each by a comparison of fields of what the choice before it found."""
    design = design_of(tmp_path, CHAIN)
    native = specmodel.check(design, max_depth=3)
    reference = specmodel.check(design, engine="interpret", max_depth=3)
    assert (native.distinct, native.generated) == (reference.distinct, reference.generated)
    kernel = Kernel(design.spec, ())
    Reference(kernel).compare(reachable_states(design.spec, 600))
