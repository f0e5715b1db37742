"""Values of a state: stores are checked and private; CPython too refuses what is missing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Annotated, Any

import pytest

from specmodel.domains import Writes
from specmodel.errors import DomainError, SpecError
from specmodel.lang import Capacity, Range, ScalarSet, Set, Struct

Small = Annotated[int, Range(0, 3)]


class Node(ScalarSet, size=2, prefix="n"):
    """An actor."""


class Point(Struct):
    x: Small
    y: Small = 1


class State(Struct):
    point: Point
    maybe: Point | None
    log: Annotated[list[Small], Capacity(2)]
    points: Annotated[list[Point], Capacity(2)]
    of: dict[Node, Point]
    members: Set[Node]
    flag: bool


def state() -> State:
    return State(
        point=Point(0),
        maybe=None,
        log=[],
        points=[],
        of={n: Point(0) for n in Node},
        members=set(),
        flag=False,
    )


def assign(s: State, name: str, value: Any) -> None:
    setattr(s, name, value)


@pytest.mark.parametrize(
    ("store", "said"),
    [
        (lambda s: assign(s, "flag", 1), "State.flag = 1 leaves its domain bool"),
        (lambda s: assign(s.point, "x", 4), "Point.x = 4 leaves its domain 0..3"),
        (lambda s: assign(s.point, "x", -1), "Point.x = -1 leaves its domain 0..3"),
        (lambda s: assign(s.point, "x", True), "Point.x = True leaves its domain 0..3"),
        (lambda s: assign(s.point, "x", None), "Point.x = None leaves its domain 0..3"),
        (lambda s: assign(s, "point", None), "State.point = None leaves its domain Point"),
        (lambda s: assign(s, "members", {1}), "State.members: element = 1 leaves its domain Node"),
        (lambda s: assign(s, "members", [Node.nth(0)]), "leaves its domain Set[Node]"),
        (lambda s: assign(s, "log", [1, 2, 3]), "State.log: 3 elements exceed the capacity 2"),
        (lambda s: assign(s, "log", [1, 9]), "State.log[1] = 9 leaves its domain 0..3"),
        (lambda s: assign(s, "log", "ab"), "State.log = 'ab' leaves its domain list[0..3] up to 2"),
        (lambda s: assign(s, "of", {Node.nth(0): Point(0)}), "leaves its domain Node -> Point"),
        (lambda s: assign(s, "of", {1: Point(0), 2: Point(0)}), "no value for key n1"),
        (lambda s: assign(s, "pint", Point(0)), "State has no field pint"),
        (lambda s: s.of.__setitem__(3, Point(0)), "3 is not a key of Node -> Point"),
        (lambda s: s.of.__setitem__(Node.nth(0), 3), "[n1] = 3 leaves its domain Point"),
        (lambda s: s.log.append(7), "[0] = 7 leaves its domain 0..3"),
        (lambda s: s.log.extend([1, 2, 3]), "the list: 3 elements exceed the capacity 2"),
        (lambda s: s.log.insert(0, 5), "[0] = 5 leaves its domain 0..3"),
    ],
)
def test_store_outside_the_domain(store: Callable[[State], None], said: str) -> None:
    """The error names the field, the value and the domain."""
    with pytest.raises(DomainError) as error:
        store(state())
    assert said in error.value.message


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.of.pop(Node.nth(0)),
        lambda s: s.of.clear(),
        lambda s: s.of.update({}),
        lambda s: s.of.setdefault(Node.nth(0), Point(0)),
        lambda s: s.of.popitem(),
        lambda s: s.of.__delitem__(Node.nth(0)),
        lambda s: s.log.sort(),
        lambda s: s.log.reverse(),
        lambda s: s.log.remove(1),
        lambda s: s.log.__setitem__(slice(0, 1), [1]),
    ],
)
def test_change_that_the_language_lacks(change: Callable[[State], object]) -> None:
    """Refused with what to write instead, rather than done by the underlying dict or list."""
    s = state()
    s.log.extend([1, 1])
    before = repr(s)
    with pytest.raises(SpecError) as error:
        change(s)
    assert error.value.hint
    assert repr(s) == before


def test_construction() -> None:
    """By position and by name, with defaults; too much and too little are told apart."""
    assert Point(2) == Point(x=2, y=1)
    with pytest.raises(SpecError, match="Point needs a value for its field x"):
        Point()  # type: ignore[call-arg]  # wrong on purpose
    with pytest.raises(SpecError, match="Point has 2 fields, 3 were given"):
        Point(1, 2, 3)  # type: ignore[call-arg]  # wrong on purpose
    with pytest.raises(DomainError, match="Point has no field z"):
        Point(1, z=2)  # type: ignore[call-arg]  # wrong on purpose


def test_stored_composites_are_copies() -> None:
    """Two places of a state never share an object: changing one leaves the other."""
    s, point = state(), Point(1)
    s.point = point
    s.maybe = point
    s.points.append(point)
    s.of[Node.nth(0)] = point
    point.x = 3
    s.point.x = 2
    assert [s.point.x, s.maybe.x, s.points[0].x, s.of[Node.nth(0)].x] == [2, 1, 1, 1]


def test_what_is_read_is_the_part_itself() -> None:
    """A name for a part of the state is a reference, as anywhere in Python."""
    s = state()
    point, log, first = s.point, s.log, s.of[Node.nth(0)]
    point.x, first.x = 3, 2
    log.append(1)
    assert (s.point.x, s.of[Node.nth(0)].x, s.log) == (3, 2, [1])


def test_replaced_part_leaves_the_reference_behind() -> None:
    """After `s.point = ...` the old reference is detached; the native engine refuses to use it."""
    s = state()
    point = s.point
    s.point = Point(3)
    point.x = 1
    assert s.point.x == 3


def test_copies_are_deep() -> None:
    """A copy of a state, as taken before every action, shares nothing that can change."""
    s = state()
    s.points.append(Point(1))
    other = copy.copy(s)
    other.points[0].x = 2
    other.of[Node.nth(1)].y = 3
    other.log.append(0)
    assert (s.points[0].x, s.of[Node.nth(1)].y, len(s.log)) == (1, 1, 0)
    assert other != s


def test_equality_and_hash_are_by_value() -> None:
    """Equal states are one state."""
    a, b = state(), state()
    assert a == b
    assert hash(a) == hash(b)
    b.members = {Node.nth(1)}
    assert a != b
    assert Point(0) != 0


def test_inheritance_puts_base_fields_first() -> None:
    """An extended state has the base's fields in front, so that packed forms are alike."""

    class Wider(Point):
        z: bool  # pyright: ignore[reportGeneralTypeIssues] - a struct allows it after a default

    assert list(Wider.__domain__.fields) == ["x", "y", "z"]
    assert repr(Wider(1, 2, True)) == "Wider(x=1, y=2, z=True)"


def test_sets_iterate_in_the_order_of_the_domain() -> None:
    """Whatever order they were built in, or else two runs would differ."""
    s = state()
    s.members = {Node.nth(1), Node.nth(0)}
    assert list(s.members) == [Node.nth(0), Node.nth(1)]
    assert repr(s.members) == "{n1, n2}"
    s.members = s.members - {Node.nth(0)}
    assert list(s.members) == [Node.nth(1)]


@pytest.mark.parametrize(
    "change",
    [
        lambda s: assign(s.point, "x", 2),
        lambda s: s.log.append(1),
        lambda s: s.points.__delitem__(slice(0, 1)),
        lambda s: s.of.__setitem__(Node.nth(0), Point(2)),
        lambda s: assign(s, "members", {Node.nth(0)}),
        lambda s: s.points.clear(),
        lambda s: s.points.pop(),
    ],
)
def test_every_change_is_counted(change: Callable[[State], object]) -> None:
    """The interpreter copies its scratch state only after a write: one unnoticed would leak."""
    s = state()
    s.points.append(Point(0))
    before = Writes.count
    change(s)
    assert Writes.count > before
