"""Functions of expressions that make sets, functions, records and tuples of parts, or take a part.

Every function takes the builder, a term, the scope that it is seen from, the number of bound
values, and whether its variables are those of the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.errors import Span
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import joined, placed_at, strict
from specmodel.tla.lazily import (
    DeferredFunction,
    FunctionSpace,
    ProductSpace,
    RecordSpace,
    at,
    domain_of,
    endless,
)
from specmodel.tla.making import Maker
from specmodel.tla.scopes import Meaning, Run, SlotSymbol, TlaScope
from specmodel.tla.values import (
    EvaluationError,
    FunctionValue,
    Value,
    function_of,
    pairs_of,
    refuse_unlike,
    set_of,
    settled,
    text_of,
)

# Sets


def set_literal(
    builder: Maker, term: syntax.SetLiteral, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """{a, b}."""
    parts = [builder.meaning(item, scope, depth, primed) for item in term.items]

    def make(*items: Value) -> Value:
        return set_of(items)

    return strict(make, parts, term.span)


def product_term(
    builder: Maker, term: syntax.ProductTerm, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """A \\X B."""
    parts = [builder.meaning(item, scope, depth, primed) for item in term.items]

    def make(*factors: Value) -> Value:
        return ProductSpace(factors)

    return strict(make, parts, term.span)


# Functions


def function_set(
    builder: Maker, term: syntax.FunctionSet, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """[S -> T]."""
    parts = [builder.meaning(t, scope, depth, primed) for t in (term.source, term.target)]
    return strict(FunctionSpace, parts, term.span)


def function_call(
    builder: Maker, term: syntax.FunctionCall, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """f[x]."""
    function = builder.meaning(term.function, scope, depth, primed)
    given = [builder.meaning(a, scope, depth, primed) for a in term.arguments]
    called, runs, span = function.run, [part.run for part in given], term.span
    key = _key(runs)

    def run(c: Any, s: Any, n: Any) -> Value:
        held = called(c, s, n)
        argument = settled(key(c, s, n))
        if held.__class__ is FunctionValue:
            found = held.pairs.get(argument)
        elif held.__class__ is DeferredFunction:
            found = held.known.get(argument)
        else:
            found = None
        if found is not None:
            return found
        try:
            found = at(held, argument)
        except EvaluationError as wrong:
            raise placed_at(wrong, span) from None
        if found is None:
            raise _outside(held, argument, span)
        return found

    return Meaning(run, *joined([function, *given]))


def _outside(held: Value, argument: Value, span: Span) -> EvaluationError:
    # The function is not computed for the message: its other values may have no end.
    domain = held.domain if isinstance(held, DeferredFunction) else domain_of(held)
    shown = "" if endless(domain) else f" {text_of(settled(domain), 80)}"
    return EvaluationError(f"{text_of(argument, 60)} is not in the function's domain{shown}", span)


def except_term(
    builder: Maker, term: syntax.ExceptTerm, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """[f EXCEPT ![a].b = e]: a later update sees an earlier one; a missing argument is left out."""
    function = builder.meaning(term.function, scope, depth, primed)
    parts = [function]
    updates: list[tuple[list[Any], Run]] = []
    for update in term.updates:
        path: list[Any] = []
        for step in update.path:
            if isinstance(step, str):
                path.append(_constant(step))
                continue
            keys = [builder.meaning(t, scope, depth, primed) for t in step]
            parts += keys
            path.append(_key([key.run for key in keys]))
        old = SlotSymbol("@", update.span, depth)
        value = builder.meaning(update.value, scope.over(old), depth + 1, primed)
        parts.append(value)
        updates.append((path, value.run))
    start = function.run

    def run(c: Any, s: Any, n: Any) -> Value:
        try:
            held = settled(start(c, s, n))
            for path, value in updates:
                keys = [settled(step(c, s, n)) for step in path]
                held = _updated(held, keys, 0, lambda old, v=value: v((*c, old), s, n))
            return held
        except EvaluationError as wrong:
            raise placed_at(wrong, term.span) from None

    level, closed = joined(parts)
    return Meaning(run, level, closed or (depth == 0 and all(p.level == 0 for p in parts)))


def _constant(name: str) -> Run:
    return lambda c, s, n: name


def _key(runs: Sequence[Run]) -> Run:
    if len(runs) == 1:
        return runs[0]
    return lambda c, s, n: tuple([settled(run(c, s, n)) for run in runs])


def _updated(
    held: Value, keys: Sequence[Value], place: int, value: Callable[[Value], Value]
) -> Value:
    if place == len(keys):
        return settled(value(held))
    held = settled(held)
    key = keys[place]
    old = at(held, key)
    if old is None:
        refuse_unlike(key, frozenset(pairs_of(held)))
        return held
    new = _updated(old, keys, place + 1, value)
    if held.__class__ is tuple:
        items: tuple[Value, ...] = held
        return (*items[: key - 1], new, *items[key:])
    return FunctionValue({**held.pairs, key: new})


# Records and tuples


def record_literal(
    builder: Maker, term: syntax.RecordLiteral, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """[a |-> x, b |-> y]."""
    names = [name for name, _ in term.fields]
    parts = [builder.meaning(value, scope, depth, primed) for _, value in term.fields]

    def make(*values: Value) -> Value:
        return function_of(dict(zip(names, map(settled, values), strict=True)))

    return strict(make, parts, term.span)


def record_set(
    builder: Maker, term: syntax.RecordSet, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """[a : S, b : T]."""
    names = [name for name, _ in term.fields]
    parts = [builder.meaning(value, scope, depth, primed) for _, value in term.fields]

    def make(*values: Value) -> Value:
        return RecordSpace(list(zip(names, values, strict=True)))

    return strict(make, parts, term.span)


def field_access(
    builder: Maker, term: syntax.FieldAccess, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """r.name."""
    made = builder.meaning(term.record, scope, depth, primed)
    record, name, span = made.run, term.name, term.span

    def run(c: Any, s: Any, n: Any) -> Value:
        held = record(c, s, n)
        try:
            found = at(held, name)
        except EvaluationError as wrong:
            raise placed_at(wrong, span) from None
        if found is None:
            raise EvaluationError(f"{text_of(settled(held), 80)} has no field {name}", span)
        return found

    return Meaning(run, made.level, made.closed)


def tuple_literal(
    builder: Maker, term: syntax.TupleLiteral, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """<<a, b>>."""
    parts = [builder.meaning(item, scope, depth, primed) for item in term.items]

    def make(*items: Value) -> Value:
        return tuple([settled(item) for item in items])

    return strict(make, parts, term.span)
