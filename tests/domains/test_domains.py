"""Domains of every kind, nested: an order without gaps, and stores of checked private copies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.domains import (
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
)
from specmodel.errors import DomainError
from specmodel.lang import Struct
from tests.strategies import Colour, Node, domains, domains_with_values, struct_of

SMALL = IntDomain(-1, 1)
POINT = struct_of({"a": SMALL, "b": OptionDomain(Node.__domain__)})


@given(domains(), st.data())
def test_index_and_at_are_inverse(domain: Domain, data: st.DataObject) -> None:
    """Every place has one value and every value its place, the first and last included."""
    for place in (0, domain.size - 1, data.draw(st.integers(0, domain.size - 1))):
        assert domain.index(domain.at(place)) == place


@given(domains(depth=1))
def test_values_are_all_and_different(domain: Domain) -> None:
    """As many different values as the size says."""
    if domain.size <= 200:
        found = list(domain.values())
        assert len(found) == len(set(found)) == domain.size
        assert [domain.index(v) for v in found] == list(range(domain.size))


@given(domains_with_values(2))
def test_store_and_copy_keep_the_value(drawn: tuple[Domain, list[Any]]) -> None:
    """A stored or copied value is equal, and at the same place."""
    domain, (a, b) = drawn
    for made in (domain.store(a, "here"), domain.copy(a)):
        assert made == a
        assert domain.index(made) == domain.index(a)
        assert type(made) is type(a)
    assert (a == b) == (domain.index(a) == domain.index(b))


@given(domains_with_values())
def test_nothing_that_can_change_is_shared(drawn: tuple[Domain, list[Any]]) -> None:
    """No dict, list or struct of a copy is one of the original."""
    domain, (value,) = drawn
    own = mutable_parts(value)
    assert own.isdisjoint(mutable_parts(domain.copy(value)))
    assert own.isdisjoint(mutable_parts(domain.store(value, "")))


def mutable_parts(value: Any) -> set[int]:
    """The identities of what can change in a value."""
    if isinstance(value, dict):
        return {id(value)}.union(*(mutable_parts(v) for v in value.values()))
    if isinstance(value, list):
        return {id(value)}.union(*(mutable_parts(v) for v in value))
    if isinstance(value, Struct):
        return {id(value)}.union(*(mutable_parts(v) for v in value.__dict__.values()))
    return set()


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (SMALL, [-1, 0, 1]),
        (OptionDomain(SMALL), [None, -1, 0, 1]),
        (SeqDomain(IntDomain(0, 1), 2), [[], [0], [1], [0, 0], [0, 1], [1, 0], [1, 1]]),
        (
            MapDomain(IntDomain(0, 1), IntDomain(5, 6)),
            [{0: a, 1: b} for a in (5, 6) for b in (5, 6)],
        ),
        (SetDomain(IntDomain(0, 1)), [set(), {0}, {1}, {0, 1}]),
    ],
    ids=str,
)
def test_order_of_values(domain: Domain, values: list[Any]) -> None:
    """The canonical order, on which the choice of a counterexample rests."""
    assert list(domain.values()) == values


def test_enum_members_are_ordered_as_defined() -> None:
    """Not by their Python values."""
    assert list(EnumDomain(Colour).values()) == [Colour.red, Colour.green, Colour.blue]


@pytest.mark.parametrize(
    ("domain", "wrong", "said"),
    [
        (SMALL, 2, "x = 2 leaves its domain -1..1"),
        (SMALL, True, "x = True leaves its domain -1..1"),
        (SetDomain(SMALL), {1, 5}, "x: element = 5 leaves its domain -1..1"),
        (SeqDomain(SMALL, 1), [0, 0], "x: 2 elements exceed the capacity 1"),
        (OptionDomain(SMALL), 4, "x = 4 leaves its domain -1..1"),
        (MapDomain(Node.__domain__, SMALL), {n: 7 for n in Node}, "x[n1] = 7 leaves its domain"),
        (POINT, 1, "x = 1 leaves its domain Made"),
        (Node.__domain__, Colour.red, "leaves its domain Node"),
    ],
    ids=str,
)
def test_store_refuses(domain: Domain, wrong: Any, said: str) -> None:
    """A value outside its domain is refused with the place and the domain."""
    with pytest.raises(DomainError) as error:
        domain.store(wrong, "x")
    assert said in error.value.message
