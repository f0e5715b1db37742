"""The intervals of operations on ints, by their number and their operands.

An interval holds for every assignment of the leaves within their ranges, also where nobody looks at
the value, since intervals decide how other nodes are simplified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Interval = tuple[int, int]


class Operand(Protocol):
    """What determines an operation's interval: each operand's interval and operation."""

    op: str
    value: int
    args: tuple[Operand, ...]
    low: int
    high: int

    @property
    def constant(self) -> bool: ...


def _sum(value: int, a: Operand, b: Operand) -> Interval:
    return a.low + b.low, a.high + b.high


def _difference(value: int, a: Operand, b: Operand) -> Interval:
    return a.low - b.high, a.high - b.low


def _product(value: int, a: Operand, b: Operand) -> Interval:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(corners), max(corners)


def _quotient(value: int, a: Operand, b: Operand) -> Interval:
    divisors = [d for d in (b.low, b.high, -1, 1) if d and b.low <= d <= b.high]
    if b.low <= 0 <= b.high:
        divisors.append(1)
    corners = [x // y for x in (a.low, a.high) for y in divisors]
    return min(corners), max(corners)


def _rest(value: int, a: Operand, b: Operand) -> Interval:
    return min(0, b.low + 1), max(0, b.high - 1)


def _common(value: int, a: Operand, b: Operand) -> Interval:
    return 0, min(a.high, b.high)


def _joined(value: int, a: Operand, b: Operand) -> Interval:
    return 0, (1 << max(a.high, b.high).bit_length()) - 1


def _moved_left(value: int, a: Operand) -> Interval:
    return a.low << value, a.high << value


def _moved_right(value: int, a: Operand) -> Interval:
    return a.low >> value, a.high >> value


def _single(value: int, position: Operand) -> Interval:
    if value:
        return 1, 1 << (value - 1)
    return 1 << position.low, 1 << position.high


def _members(value: int, mask: Operand) -> Interval:
    return 0, mask.high.bit_length()


def _chosen(value: int, condition: Operand, a: Operand, b: Operand) -> Interval:
    (one, two), (three, four) = _where(condition, True, a), _where(condition, False, b)
    return min(one, three), max(two, four)


def _where(condition: Operand, holds: bool, node: Operand) -> Interval:
    """The interval of a node where a condition holds, or does not: tells minima and maxima."""
    low, high = node.low, node.high
    if condition.op == "lt":
        x, y = condition.args
        if node is x:
            low, high = (low, min(high, y.high - 1)) if holds else (max(low, y.low), high)
        elif node is y:
            low, high = (max(low, x.low + 1), high) if holds else (low, min(high, x.high))
    elif condition.op == "eq" and not holds and node is condition.args[0]:
        other = condition.args[1]
        low += other.constant and other.value == low
        high -= other.constant and other.value == high
    return (low, high) if low <= high else (node.low, node.high)


INTERVALS: dict[str, Callable[..., Interval]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "floordiv": _quotient,
    "mod": _rest,
    "band": _common,
    "bor": _joined,
    "bxor": _joined,
    "shl": _moved_left,
    "shr": _moved_right,
    "bit": _single,
    "popcount": _members,
    "select": _chosen,
}
"""The interval of an operation on ints, by its number and operands. Others give truths."""
