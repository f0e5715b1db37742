"""Shapes say only of values that TLC compares that it does: else an error would be lost."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specmodel.errors import SpecError
from specmodel.tla.logic import difference, intersection, subset, union
from specmodel.tla.values import (
    EMPTY,
    FALSE,
    TRUE,
    ModelValue,
    Value,
    _compared,  # pyright: ignore[reportPrivateUsage]
    alike,
    contains,
    function_of,
    order_key,
    refuse_mixed,
    shape_of,
)

NAMES = [ModelValue(name, place) for place, name in enumerate(("p", "q", "A_1", "A_2", "B_1"))]

LEAVES = st.sampled_from([0, 1, 2, "a", "b", TRUE, FALSE, *NAMES])


def is_set(members: Iterable[Value]) -> bool:
    """Whether TLC compares all members."""
    try:
        refuse_mixed(frozenset(members))
    except SpecError:
        return False
    return True


def composites(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(
        st.frozensets(inner, max_size=2).filter(is_set),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(inner, inner, max_size=2).filter(is_set).map(function_of),
    )


VALUES = st.recursive(LEAVES, composites, max_leaves=6)
SETS = st.frozensets(VALUES, max_size=3).filter(is_set)


@settings(max_examples=150, deadline=None)
@given(VALUES, VALUES)
def test_values_of_one_shape_are_compared(a: Value, b: Value) -> None:
    if shape_of(a) is not None and shape_of(a) == shape_of(b):
        assert _compared(order_key(a), order_key(b))


@settings(max_examples=150, deadline=None)
@given(SETS, SETS)
def test_sets_that_are_alike_are_joined_without_a_loss(a: Value, b: Value) -> None:
    """Where sets are alike, no member fails to be compared, and the results are those of tests of
    membership, one by one."""
    if not alike(a, b):
        return
    kept = [v for v in a if contains(b, v)]
    assert intersection(a, b) == frozenset(kept)
    assert difference(a, b) == a.difference(kept)
    assert (subset(a, b) is TRUE) == (len(kept) == len(a))
    refuse_mixed(union(a, b))


def test_the_empty_set_is_compared_with_all_sets() -> None:
    """A set of sets, one of them empty, has a shape; with another kind beside them it has none."""
    some = frozenset([EMPTY, frozenset([1])])
    assert shape_of(some) is not None
    assert alike(some, frozenset([frozenset([2])]))
    assert not alike(some, frozenset([frozenset(["a"])]))
    for other in (1, (1,), NAMES[2]):
        assert shape_of(frozenset([EMPTY, other])) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, "a"),
        (1, TRUE),
        (NAMES[2], NAMES[4]),
        (NAMES[2], 1),
        ((1,), (1, "a")),
        ((1, "a"), (1, 2)),
        (frozenset([1]), frozenset(["a"])),
        (frozenset([1]), (1,)),
        (function_of({"a": 1}), function_of({0: 1})),
        (function_of({"a": 1}), function_of({"a": "a"})),
    ],
)
def test_values_that_are_not_compared_have_other_shapes(a: Value, b: Value) -> None:
    """Nor have functions with them as values, tuples and sets of them."""
    for x, y in ((a, b), ((a,), (b,)), (frozenset([a]), frozenset([b]))):
        assert shape_of(x) is not None
        assert shape_of(x) != shape_of(y)
    assert not alike(frozenset([a]), frozenset([b]))
