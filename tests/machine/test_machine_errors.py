"""What is not machine Python is refused, with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from specmodel.machine.language import i64, machine, pointer, ptr, unrolled
from specmodel.machine.signatures import MachineError
from specmodel.machine.translate import translate
from tests.machine.test_machine import SCALE, Pair, Parcel, in_fields, product


@machine
def divides(a: i64, b: i64) -> i64:
    return a // b


@machine
def reads_nothing(a: i64) -> i64:
    return a + missing  # noqa: F821  # pyright: ignore[reportUndefinedVariable] - the mistake under test


@machine
def mixes(a: i64, p: ptr) -> i64:
    a = p  # pyright: ignore[reportAssignmentType] - the mistake under test
    return a  # noqa: RET504


@machine
def too_many(a: i64) -> i64:
    return product(a)  # pyright: ignore[reportCallIssue] - the mistake under test


@machine
def untyped(a) -> i64:
    return 0


@machine
def over_list(a: i64) -> i64:
    for x in [a]:
        return x
    return 0


@machine
def chained(a: i64) -> bool:
    return 0 < a < 5


@machine
def field_of_another(c: Parcel) -> i64:
    return c.second  # pyright: ignore[reportAttributeAccessIssue] - the mistake under test


@machine
def unknown_field(c: Pair) -> None:
    c.third = 3  # pyright: ignore[reportAttributeAccessIssue] - the mistake under test


@machine
def another_structure(c: Pair) -> None:
    in_fields(c, ptr(0))  # pyright: ignore[reportArgumentType] - the mistake under test


@machine
def indexed(c: Pair) -> i64:
    return c[1]  # pyright: ignore[reportIndexIssue, reportUnknownVariableType] - likewise


@machine
def fields_of_plain(p: ptr) -> i64:
    return p.first  # pyright: ignore[reportAttributeAccessIssue] - the mistake under test


@machine
def whole_buffer(c: Parcel) -> None:
    c.marks = ptr(0)  # pyright: ignore[reportAttributeAccessIssue] - the mistake under test


@machine
def to_no_word(a: i64) -> ptr:
    return pointer(a + 1)


@machine
def unrolled_to_a_local(n: i64) -> None:
    for _ in unrolled(n):
        pass


@machine
def left_when_unrolled(p: ptr) -> None:
    for i in unrolled(SCALE):
        if p[i] == 0:
            break


@pytest.mark.parametrize(
    ("wrong", "line", "message"),
    [
        (divides, 2, "no operator FloorDiv"),
        (reads_nothing, 2, "`missing` is no local"),
        (mixes, 2, "ptr where i64"),
        (too_many, 2, "takes 2 arguments, not 1"),
        (untyped, 1, "annotate with"),
        (over_list, 2, "goes over range"),
        (chained, 2, "no Compare like this"),
        (field_of_another, 2, "Parcel has no field `second`"),
        (unknown_field, 2, "Pair has no field `third`"),
        (another_structure, 2, "Pair where Parcel is wanted"),
        (indexed, 2, "Pair where ptr is wanted"),
        (fields_of_plain, 2, "`p` is ptr, which has no fields"),
        (whole_buffer, 2, "ptr where i64 is wanted"),
        (to_no_word, 2, "no p.i. and no field"),
        (unrolled_to_a_local, 2, "takes a constant"),
        (left_when_unrolled, 2, "without break"),
    ],
)
def test_errors_say_where(wrong: Callable[..., Any], line: int, message: str) -> None:
    """What is not machine Python is refused with file, line and reason."""
    first = wrong.__code__.co_firstlineno
    with pytest.raises(MachineError, match=message) as caught:
        translate([wrong], {})
    assert str(caught.value).startswith(f"{__file__}:{first + line}: ")
