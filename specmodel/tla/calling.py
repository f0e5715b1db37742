"""The parts of functions of expressions that need no builder: calls, LETs, values on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.errors import Span, SpecError, suggestion
from specmodel.tla.nodes import Applied
from specmodel.tla.scopes import (
    Call,
    Meaning,
    OperatorSymbol,
    Run,
    SlotSymbol,
    TlaSymbol,
    VariableSymbol,
)
from specmodel.tla.values import KINDS, EvaluationError, Value, settled, text_of

ACTION = 2
"""The level of an expression that depends on a step: 0 is a constant, 1 depends on a state."""


NO_NEXT_VALUE = "has no value in the next state yet"
"""The message for a variable without a value in the next state."""


class NotFollowed(SpecError):  # noqa: N818 - says what was found
    """An operator that is refused, and that TLC has."""


class TemporalFormula(SpecError):  # noqa: N818 - says what was found
    """A temporal formula stands where a value is needed."""


class Thunk:
    """A value that is computed when it is first used."""

    __slots__ = ("held", "run")

    def __init__(self, run: Run, bound: Any, state: Any, after: Any) -> None:
        self.run: Run | None = run
        self.held: Any = (bound, state, after)
        """What `run` is given, and then the value."""

    def force(self) -> Value:
        """The value."""
        if self.run is not None:
            self.held = self.run(*self.held)
            self.run = None
        return self.held


OUTSIDE = [0]
"""How often anything was read that is neither part of the module nor of a state."""


def once(run: Run) -> Meaning:
    """A constant expression, evaluated once. It is given no state, so it cannot read one."""
    held: list[Value] = []

    def first(c: Any, s: Any, n: Any) -> Value:
        if held:
            return held[0]
        outside = OUTSIDE[0]
        found = run((), None, None)
        if outside == OUTSIDE[0]:
            held.append(found)
        return found

    def passed(c: Any, s: Any, n: Any) -> Any:
        return held[0] if held else Thunk(first, (), None, None)

    return Meaning(first, 0, True, passed)


def once_a_state(run: Run) -> Meaning:
    """An expression of the state alone, of which one state may need the value several times."""
    known: tuple[Any, Any] = (object(), None)  # together: other threads may evaluate it too

    def kept(c: Any, s: Any, n: Any) -> Value:
        nonlocal known
        state, held = known
        if s is not state:
            outside = OUTSIDE[0]
            held = run((), s, None)
            if outside == OUTSIDE[0]:
                known = s, held
        return held

    return Meaning(kept, 1, True)


_TRIED = 200
"""Calls after which a function forgets its values, unless a tenth of them gave one again."""

_MOST_KEPT = 2_000
_MOST_MEMBERS = 10_000
"""The most values that a function keeps, and the most members of one that is a set."""


def remembered(run: Run, level: int, depth: int) -> Run:
    """A function of bound values that keeps its values, if it reads nothing else."""
    if level or not depth:
        return run
    held: dict[tuple[Value, ...], Value] = {}
    asked = met = 0

    def kept(c: Any, s: Any, n: Any) -> Value:
        nonlocal asked, met
        if asked >= _TRIED and met * 10 < asked:
            return run(c, s, n)
        asked += 1
        key = _computed(c)
        if key is None:
            return run(c, s, n)
        found = held.get(key)
        if found is not None:
            met += 1
            return found
        outside = OUTSIDE[0]
        found = run(c, None, None)  # it cannot read a state, for which the value would be wrong
        if outside != OUTSIDE[0]:
            return found
        kind = found.__class__
        if kind in KINDS and (kind is not frozenset or len(found) <= _MOST_MEMBERS):
            if len(held) >= _MOST_KEPT:
                held.clear()
            held[key] = found
        return found

    return kept


def _computed(bound: Sequence[Any]) -> tuple[Value, ...] | None:
    """The bound values; None if one of them is not computed."""
    found: list[Value] = []
    for value in bound:
        if value.__class__ is Thunk:
            if value.run is not None:
                return None
            value = value.held
        if value.__class__ not in KINDS:
            return None
        found.append(value)
    return tuple(found)


def constant(value: Value) -> Meaning:
    """The meaning of a value."""

    def run(c: Any, s: Any, n: Any) -> Value:
        return value

    return Meaning(run, 0, True, run)


def slot_meaning(slot: int, level: int) -> Meaning:
    """The meaning of a bound value that is computed."""

    def run(c: Any, s: Any, n: Any) -> Any:
        return c[slot]

    return Meaning(run, level, False, run)


def bound_let(runs: Sequence[Run], body: Run) -> Run:
    """A function with further bound values, which are computed when they are used."""
    if not runs:
        return body
    if len(runs) == 1:
        first = runs[0]
        return lambda c, s, n: body((*c, Thunk(first, c, s, n)), s, n)

    def run(c: Any, s: Any, n: Any) -> Value:
        for each in runs:
            c = (*c, Thunk(each, c, s, n))
        return body(c, s, n)

    return run


def parameters_of(symbol: OperatorSymbol, base: int, primed: bool) -> list[SlotSymbol]:
    """The parameters of an operator that is called, as bound values."""
    return [
        SlotSymbol(
            p.name, p.span, base + i, True, primed=primed, arity=p.arity, owner=symbol, number=i
        )
        for i, p in enumerate(symbol.parameters)
    ]


def arguments_of(parts: Sequence[Meaning]) -> Callable[[Any, Any, Any], tuple[Any, ...]]:
    """The arguments of a call: those that are not at hand are computed when they are used."""
    runs = [_passed(part) for part in parts]
    if len(runs) == 1:
        (one,) = runs
        return lambda c, s, n: (one(c, s, n),)
    if len(runs) == 2:
        first, second = runs
        return lambda c, s, n: (first(c, s, n), second(c, s, n))
    return lambda c, s, n: tuple([run(c, s, n) for run in runs])


def _passed(part: Meaning) -> Run:
    run = part.run
    return part.passed or (lambda c, s, n: Thunk(run, c, s, n))


def strict(given: Call, parts: Sequence[Meaning], span: Span) -> Meaning:
    """An operator whose arguments are all evaluated."""
    call: Callable[..., Value] = given
    level = max((part.level for part in parts), default=0)
    closed = all(part.closed for part in parts)
    runs = [part.run for part in parts]
    if len(runs) == 1:
        (only,) = runs

        def one(c: Any, s: Any, n: Any) -> Value:
            try:
                return call(only(c, s, n))
            except EvaluationError as wrong:
                raise placed_at(wrong, span) from None

        return Meaning(one, level, closed)
    if len(runs) == 2:
        first, second = runs

        def two(c: Any, s: Any, n: Any) -> Value:
            try:
                return call(first(c, s, n), second(c, s, n))
            except EvaluationError as wrong:
                raise placed_at(wrong, span) from None

        return Meaning(two, level, closed)

    def many(c: Any, s: Any, n: Any) -> Value:
        try:
            return call(*[run(c, s, n) for run in runs])
        except EvaluationError as wrong:
            raise placed_at(wrong, span) from None

    return Meaning(many, level, closed)


def placed_at(wrong: EvaluationError, span: Span) -> EvaluationError:
    """An error with a place, if it has none yet."""
    if wrong.span is None:
        wrong.span = span
    return wrong


def variable_meaning(symbol: VariableSymbol, span: Span, primed: bool) -> Meaning:
    index, name = symbol.index, symbol.name

    def now(c: Any, s: Any, n: Any) -> Value:
        found = s[index]
        if found is None:
            raise EvaluationError(f"{name} has no value yet", span)
        return found

    def later(c: Any, s: Any, n: Any) -> Value:
        found = n[index]
        if found is None:
            raise EvaluationError(f"{name} {NO_NEXT_VALUE}", span)
        return found

    def passed(c: Any, s: Any, n: Any) -> Any:
        found = s[index]
        return Thunk(now, c, s, n) if found is None else found

    return Meaning(later, 1, True) if primed else Meaning(now, 1, True, passed)


def refuse_arguments(term: Applied, wanted: int) -> None:
    """Raises SpecError for a wrong number of arguments."""
    if len(term.arguments) != wanted:
        raise wrong_count(term, wanted)


def wrong_count(term: Applied, wanted: int) -> SpecError:
    given = len(term.arguments)
    has = f"{wanted} argument{'' if wanted == 1 else 's'}"
    return SpecError(f"{term.name} takes {has}, and is given {given}", term.span)


def not_a_value(symbol: TlaSymbol, term: Applied) -> SpecError:
    return SpecError(f"{symbol.name} is an instance, not a value", term.span)


def near(name: str, known: Sequence[str]) -> str:
    text = suggestion(name, known)
    return text if text.startswith("; did") else ""


def joined(parts: Sequence[Meaning]) -> tuple[int, bool]:
    """The level of an expression with some parts, and whether it is closed."""
    return max((p.level for p in parts), default=0), all(p.closed for p in parts)


def no_truth(value: Value, span: Span) -> EvaluationError:
    """The error about a value that should be TRUE or FALSE."""
    return EvaluationError(f"{text_of(settled(value), 80)} is neither TRUE nor FALSE", span)
