"""Helpers of the operators of standard modules that are written in Python."""

from __future__ import annotations

from typing import Any

from specmodel.tla.lazily import DeferredFunction
from specmodel.tla.scopes import Call, NativeSymbol
from specmodel.tla.values import (
    FALSE,
    GREATEST,
    LEAST,
    TRUE,
    EvaluationError,
    FunctionValue,
    Value,
    function_of,
    pairs_of,
    refuse_mixed,
    settled,
    text_of,
)


def op(name: str, call: Call, *orders: int, community: bool = False) -> NativeSymbol:
    """An operator that computes its value of its computed arguments.

    `orders` has 0 for a value, or the number of parameters of an argument that is an operator.
    """
    return NativeSymbol(name, None, orders, call, community=community)


def within(value: int) -> int:
    """An integer that TLC has. Raises EvaluationError for one of more than 32 bits."""
    if LEAST <= value <= GREATEST:
        return value
    raise EvaluationError(f"{value} has more than 32 bits", hint="TLC's integers have 32 bits")


def integer(value: Value, where: str) -> int:
    """An integer. Raises EvaluationError for any other value."""
    if value.__class__ is not int:
        raise EvaluationError(f"{text_of(settled(value), 80)} is no integer, in {where}")
    return value


def sequence(value: Value, where: str) -> tuple[Any, ...]:
    """A sequence. Raises EvaluationError for any other value."""
    held = settled(value)
    if held.__class__ is not tuple:
        raise EvaluationError(f"{text_of(held, 80)} is no sequence, in {where}")
    items: tuple[Any, ...] = held
    return items


def holds(value: Value, where: str) -> bool:
    """A predicate's result. Raises EvaluationError if it is no truth value."""
    if value is TRUE or value is FALSE:
        return value is TRUE
    text = text_of(settled(value), 80)
    raise EvaluationError(f"{text} is neither TRUE nor FALSE, in {where}")


def function(pairs: dict[Value, Value]) -> Value:
    """A function. Raises EvaluationError for arguments that TLC does not compare."""
    refuse_mixed(frozenset(pairs))
    return function_of(pairs)


def apply_pairs(value: Value, where: str) -> dict[Value, Value]:
    """The values of a function by its arguments. Raises EvaluationError for any other value."""
    held = value.value() if isinstance(value, DeferredFunction) else value
    if not isinstance(held, tuple | FunctionValue):
        raise EvaluationError(f"{text_of(settled(held), 80)} is no function, in {where}")
    return pairs_of(held)
