"""Every node of every shipped design and of random specs, checked on assignments of the leaves.

A node's value lies within its interval, is that of the computation that it stands for, and is the
same by plain Python, by the kernel's instructions, by its gates and by z3.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.ir.layout import Layout
from specmodel.kernel.program import Program
from specmodel.lang.annotations import Range
from specmodel.lang.loading import load_module
from specmodel.lang.spec import Spec
from specmodel.lang.struct import Struct
from specmodel.machine.words import LANES
from tests.ir.test_graph import HIGHEST, Builder, combined, operands
from tests.kernel.checked import CheckedGraph, assert_back_ends_agree, assignments_of
from tests.kernel.test_designs import Setting, found, load, together
from tests.random_specs import few, refusals_allowed, spec_sources

codes = st.tuples(*(st.integers(0, high) for high in HIGHEST))

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"


def assert_sound(spec: Spec, most: int, seed: int = 1) -> int:
    """Asserts it of all nodes of a spec's actions, properties and constraints; how many."""
    program = Program(spec, spec.properties)
    assignments = assignments_of(spec, program.layout, random.Random(seed))
    graph = CheckedGraph(assignments)
    program.graph = graph
    for move in program.moves():
        program.stepped(move.after)
    for role in ("invariant", "reachable"):
        program.judged(role)
    program.bounds()
    assert_back_ends_agree(program.layout, graph, assignments, most)
    return len(graph.nodes())


@pytest.mark.parametrize("setting", found(), ids=str)
def test_shipped_designs(setting: Setting) -> None:
    """All bindings and properties, at small constants; back ends on a sample of the nodes."""
    file, number, state = setting
    specs = [spec for spec in load(file, number) if spec.state.__name__ == state]
    assert assert_sound(together(specs), 600) > 5


def test_every_construct() -> None:
    """A spec that has everything in the language."""
    assert assert_sound(load_module(TOUR).spec("tour"), 2000) > 1000


class Leaves(Struct):
    """A state with the leaves of random graphs."""

    a: Annotated[int, Range(0, HIGHEST[0])]
    b: Annotated[int, Range(0, HIGHEST[1])]
    c: Annotated[int, Range(0, HIGHEST[2])]
    d: Annotated[int, Range(0, HIGHEST[3])]
    e: Annotated[int, Range(0, HIGHEST[4])]


@few(40)
@given(st.data(), st.lists(codes, min_size=LANES, max_size=LANES), st.integers(1, 40))
def test_random_graphs(data: st.DataObject, leaves: list[tuple[int, ...]], steps: int) -> None:
    """Operations in every combination: negative numbers, divisors of 0, positions out of range."""
    graph = CheckedGraph(leaves)
    builder = Builder(data, leaves, graph)
    for _ in range(steps):
        builder.step()
    assert_back_ends_agree(Layout(Leaves.__domain__), graph, leaves, 1000, proofs=2)


def test_every_operation() -> None:
    """Each operation on operands of every kind."""
    draw = random.Random(5)
    leaves = [tuple(draw.randint(0, high) for high in HIGHEST) for _ in range(LANES)]
    graph = CheckedGraph(leaves)
    ints, truths = operands(graph)
    combined(graph, [*ints[:-2:3], *ints[-2:]], truths[::3])
    assert_back_ends_agree(Layout(Leaves.__domain__), graph, leaves, 2000)


def test_shifts_beyond_the_width() -> None:
    """A number that is moved out altogether is 0, also to z3, where a distance has the width of
    what is moved."""
    leaves = [tuple(min(lane % 2 + 1, high) for high in HIGHEST) for lane in range(LANES)]
    graph = CheckedGraph(leaves)
    for node in [n for n in operands(graph)[0] if n.low >= 0]:
        for distance in (1, 2, 3, 4, 8):
            graph.shift_right(node, distance)
    assert_back_ends_agree(Layout(Leaves.__domain__), graph, leaves, 1000, proofs=2)


def check_random_spec(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        with refusals_allowed():
            assert_sound(load_module(file).spec("spec"), 400)


@few(40)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """Random small specs over every kind of domain."""
    check_random_spec(text)


@pytest.mark.long
@few(10_000)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, at leisure."""
    check_random_spec(text)
