"""Annotations become the domains they declare, and what is not finite is refused with a way out."""

from __future__ import annotations

import enum
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Optional

import pytest

from specmodel.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
)
from specmodel.errors import SpecError
from specmodel.lang import Capacity, Range, ScalarSet, Set, Struct
from specmodel.lang.annotations import domain_of


class Light(enum.Enum):
    """A traffic light."""

    red = 1
    green = 2


class Node(ScalarSet, size=2):
    """An actor."""


class Point(Struct):
    """A struct."""

    x: Annotated[int, Range(0, 3)]


SMALL = Annotated[int, Range(-1, 2)]


@pytest.mark.parametrize(
    ("annotation", "domain"),
    [
        (bool, BoolDomain()),
        (SMALL, IntDomain(-1, 2)),
        (Light, EnumDomain(Light)),
        (Node, Node.__domain__),
        (Point, Point.__domain__),
        (SMALL | None, OptionDomain(IntDomain(-1, 2))),
        (Optional[Node], OptionDomain(Node.__domain__)),  # noqa: UP045 - the old form is the point
        (None | Node, OptionDomain(Node.__domain__)),
        (Set[Node], SetDomain(Node.__domain__)),
        (AbstractSet[Node], SetDomain(Node.__domain__)),
        (frozenset[Light], SetDomain(EnumDomain(Light))),
        (dict[Node, bool], MapDomain(Node.__domain__, BoolDomain())),
        (Annotated[list[Light], Capacity(3)], SeqDomain(EnumDomain(Light), 3)),
        (
            dict[Light, Annotated[list[Point | None], Capacity(1)]],
            MapDomain(EnumDomain(Light), SeqDomain(OptionDomain(Point.__domain__), 1)),
        ),
        (Annotated[bool, "a note for people"], BoolDomain()),
    ],
    ids=str,
)
def test_domain_of_an_annotation(annotation: Any, domain: Domain) -> None:
    """Each form of the language gives its domain, nested ones included."""
    assert domain_of(annotation, "here") == domain


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (int, "an int needs bounds\n  write Annotated[int, Range(low, high)]"),
        (list[Light], "a list needs a capacity\n  write Annotated[list[Light], Capacity(most)]"),
        (list, "a list needs a capacity"),
        (
            set[Light],
            "a set in a state is a value\n  write Set[Light], with Set from",
        ),
        (dict, "a dict needs the types of its keys and values"),
        (frozenset, "a set needs the type of its members"),
        (str, "`str` is not a finite type"),
        (float, "`float` is not a finite type"),
        (dict[Node, int], "an int needs bounds"),
        (Annotated[int, Capacity(2)], "int has no Capacity"),
        (Annotated[set[Node], Capacity(2)], "a set in a state is a value"),
        (Annotated[list[Light], Range(0, 2)], "has no Range"),
    ],
    ids=str,
)
def test_infinite_or_foreign_annotation(annotation: Any, said: str) -> None:
    """The error names the place and says what to write."""
    with pytest.raises(SpecError) as error:
        domain_of(annotation, "State.field")
    assert str(error.value).startswith("State.field: ")
    assert said in str(error.value)


def test_empty_marks_are_refused() -> None:
    """Bounds the wrong way round, and a capacity below nothing."""
    with pytest.raises(SpecError, match=r"Range\(3, 2\) is empty"):
        Range(3, 2)
    with pytest.raises(SpecError, match=r"Capacity\(-1\): a list, set, bag or map has 0 to"):
        Capacity(-1)
    assert domain_of(Annotated[list[bool], Capacity(0)], "").size == 1


def test_field_errors_name_struct_and_field() -> None:
    """A wrong field is found when the struct is defined."""
    with pytest.raises(SpecError, match=r"^Wrong\.count: `float` is not a finite type"):

        class Wrong(Struct):  # pyright: ignore[reportUnusedClass]
            count: float
