"""Functions of expressions that bind names, and of those that make sets, functions and records.

Every function takes the builder, a term, the scope that it is seen from, the number of bound
values, and whether its variables are those of the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from specmodel.errors import Span, SpecError
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import joined, no_truth, placed_at, strict
from specmodel.tla.lazily import (
    DeferredFunction,
    DeferredSet,
    FilteredSet,
    FunctionSpace,
    ProductSpace,
    RecordSpace,
    at,
    domain_of,
    endless,
    finite,
    members,
)
from specmodel.tla.making import Maker
from specmodel.tla.nodes import BoundNames
from specmodel.tla.pausing import HALT, poll
from specmodel.tla.scopes import Meaning, OperatorSymbol, Run, SlotSymbol, TlaScope
from specmodel.tla.values import (
    FALSE,
    TRUE,
    EvaluationError,
    FunctionValue,
    Value,
    function_of,
    has_names,
    ordered,
    pairs_of,
    refuse_unlike,
    set_of,
    settled,
    text_of,
)

Bind = Callable[[Any, Any, Any], Iterator[Any]]


AMBIGUOUS: set[Span] = set()
"""The places of each CHOOSE that had several candidates of which TLC may take another one."""


class BoundValues(NamedTuple):
    """Bounds: `each` gives the bound values with those of every combination of members.

    `sets` are the sets, one for each argument; `take` gives the bound values for one member each.
    """

    scope: TlaScope
    depth: int
    sets: tuple[Meaning, ...]
    take: Callable[[Sequence[Value]], tuple[Value, ...]]
    each: Bind


def binding(
    builder: Maker, bounds: Sequence[BoundNames], scope: TlaScope, depth: int, primed: bool
) -> BoundValues:
    """The binding of some bounds. No set sees the names that are bound beside it."""
    sets: list[Meaning] = []
    counts: list[int] = []
    spans: list[Span] = []
    slots: list[SlotSymbol] = []
    for bound in bounds:
        if bound.members is None:
            raise SpecError(
                f"{bound.names[0]} is bound without a set: not supported",
                bound.spans[0],
                "write \\in and a set",
            )
        made = builder.meaning(bound.members, scope, depth, primed)
        for name, span in zip(bound.names, bound.spans, strict=True):
            slots.append(SlotSymbol(name, span, depth + len(slots)))
        times = 1 if bound.pattern else len(bound.names)
        sets += [made] * times
        counts += [len(bound.names) if bound.pattern else 0] * times
        spans += [bound.members.span] * times
    inner = scope.inner(*slots)
    take = _taking(counts, spans)
    runs = list(zip([made.run for made in sets], spans, strict=True))

    def one(c: Any, s: Any, n: Any) -> Iterator[Any]:
        ((run, span),) = runs
        for member in _members(run(c, s, n), span):
            if HALT:
                poll()
            yield (*c, member)

    def several(c: Any, s: Any, n: Any) -> Iterator[Any]:
        found = [_members(run(c, s, n), span) for run, span in runs]
        for chosen in product(*found):
            if HALT:
                poll()
            yield (*c, *take(chosen))

    each = one if len(sets) == 1 and not counts[0] else several
    return BoundValues(inner, depth + len(slots), tuple(sets), take, each)


def _members(held: Value, span: Span) -> Any:
    try:
        return members(held)
    except EvaluationError as wrong:
        raise placed_at(wrong, span) from None


def _taking(
    counts: Sequence[int], spans: Sequence[Span]
) -> Callable[[Sequence[Value]], tuple[Value, ...]]:
    """The bound values for members; where `counts` is above 0, a member is a tuple of so many."""
    if not any(counts):
        return lambda chosen: tuple(chosen)

    def take(chosen: Sequence[Value]) -> tuple[Value, ...]:
        found: list[Value] = []
        for member, count, span in zip(chosen, counts, spans, strict=True):
            if not count:
                found.append(member)
                continue
            held = settled(member)
            if held.__class__ is not tuple:
                raise EvaluationError(f"{text_of(held, 80)} is no tuple of {count}", span)
            items: tuple[Value, ...] = held
            if len(items) != count:
                raise EvaluationError(f"{text_of(held, 80)} is no tuple of {count}", span)
            found += items
        return tuple(found)

    return take


def _within(parts: Sequence[Meaning], body: Meaning, depth: int) -> tuple[int, bool]:
    """The level of an expression that binds names, and whether it is closed: only at the top."""
    level, closed = joined(parts)
    return max(level, body.level), closed and (body.closed or depth == 0)


def quantified(
    builder: Maker, term: syntax.Quantification, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """\\A and \\E."""
    if term.quantifier in ("\\AA", "\\EE"):
        raise SpecError(f"{term.quantifier} is not supported", term.span)
    bound = binding(builder, term.bounds, scope, depth, primed)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    ending, going = (FALSE, TRUE) if term.quantifier == "\\A" else (TRUE, FALSE)
    each, test, span = bound.each, body.run, term.body.span

    def run(c: Any, s: Any, n: Any) -> Value:
        for inner in each(c, s, n):
            value = test(inner, s, n)
            if value is ending:
                return ending
            if value is not going:
                raise no_truth(value, span)
        return going

    return Meaning(run, *_within(bound.sets, body, depth))


def chosen(
    builder: Maker, term: syntax.ChooseTerm, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """CHOOSE: the least member in the order of values for which the body is true."""
    bound = binding(builder, [term.bound], scope, depth, primed)
    if len(bound.sets) != 1:
        raise SpecError("a CHOOSE binds one name", term.span)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    held, take, test, span = bound.sets[0].run, bound.take, body.run, term.body.span

    def run(c: Any, s: Any, n: Any) -> Value:
        try:
            found = ordered(finite(held(c, s, n)))
        except EvaluationError as wrong:
            raise placed_at(wrong, term.span) from None
        for member in found:
            value = test((*c, *take([member])), s, n)
            if value is TRUE:
                if term.span not in AMBIGUOUS and has_names(member):
                    note_others(member, found, c, s, n)
                return member
            if value is not FALSE:
                raise no_truth(value, span)
        raise EvaluationError("no member of the set is as CHOOSE asks", term.span)

    def note_others(first: Value, found: Sequence[Value], c: Any, s: Any, n: Any) -> None:
        for member in found[found.index(first) + 1 :]:
            try:
                if test((*c, *take([member])), s, n) is TRUE:
                    AMBIGUOUS.add(term.span)
                    return
            except EvaluationError:
                return

    return Meaning(run, *_within(bound.sets, body, depth))


# Sets


def set_literal(
    builder: Maker, term: syntax.SetLiteral, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """{a, b}."""
    parts = [builder.meaning(item, scope, depth, primed) for item in term.items]

    def make(*items: Value) -> Value:
        return set_of(items)

    return strict(make, parts, term.span)


def set_filter(
    builder: Maker, term: syntax.SetFilter, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """{x \\in S : P(x)}."""
    bound = binding(builder, [term.bound], scope, depth, primed)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    (held,), take, test, span = bound.sets, bound.take, body.run, term.body.span
    source = held.run

    def run(c: Any, s: Any, n: Any) -> Value:
        def has(member: Value) -> bool:
            value = test((*c, *take([member])), s, n)
            if value is TRUE:
                return True
            if value is FALSE:
                return False
            raise no_truth(value, span)

        found = source(c, s, n)
        if isinstance(found, DeferredSet):
            return FilteredSet(found, has)
        return frozenset([member for member in _members(found, term.span) if has(member)])

    return Meaning(run, *_within(bound.sets, body, depth))


def set_image(
    builder: Maker, term: syntax.SetImage, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """{e(x) : x \\in S}."""
    bound = binding(builder, term.bounds, scope, depth, primed)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    each, value = bound.each, body.run

    def run(c: Any, s: Any, n: Any) -> Value:
        try:
            return set_of([value(inner, s, n) for inner in each(c, s, n)])
        except EvaluationError as wrong:
            raise placed_at(wrong, term.span) from None

    return Meaning(run, *_within(bound.sets, body, depth))


def union_image(
    builder: Maker,
    term: syntax.SetImage,
    scope: TlaScope,
    depth: int,
    primed: bool,
    join: Callable[[Sequence[Value]], Value],
) -> Meaning:
    """UNION {e(x) : x \\in S}: `join` makes it of the sets e(x)."""
    bound = binding(builder, term.bounds, scope, depth, primed)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    each, value = bound.each, body.run

    def run(c: Any, s: Any, n: Any) -> Value:
        try:
            return join([value(inner, s, n) for inner in each(c, s, n)])
        except EvaluationError as wrong:
            raise placed_at(wrong, term.span) from None

    return Meaning(run, *_within(bound.sets, body, depth))


def product_term(
    builder: Maker, term: syntax.ProductTerm, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """A \\X B."""
    parts = [builder.meaning(item, scope, depth, primed) for item in term.factors]

    def make(*factors: Value) -> Value:
        return ProductSpace(factors)

    return strict(make, parts, term.span)


# Functions


def _function(bound: BoundValues, body: Run) -> Run:
    sets, take = [held.run for held in bound.sets], bound.take
    if len(sets) == 1:
        (only,) = sets

        def one(c: Any, s: Any, n: Any) -> Value:
            def compute(argument: Value) -> Value:
                return body((*c, *take((argument,))), s, n)

            return DeferredFunction(only(c, s, n), compute)

        return one

    def several(c: Any, s: Any, n: Any) -> Value:
        def compute(argument: Value) -> Value:
            return body((*c, *take(argument)), s, n)

        return DeferredFunction(ProductSpace([run(c, s, n) for run in sets]), compute)

    return several


def function_literal(
    builder: Maker, term: syntax.FunctionLiteral, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """[x \\in S |-> e(x)]."""
    bound = binding(builder, term.bounds, scope, depth, primed)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    return Meaning(_function(bound, body.run), *_within(bound.sets, body, depth))


def recursive_function(
    builder: Maker, symbol: OperatorSymbol, term: syntax.TlaTerm, primed: bool
) -> Meaning:
    """f[x \\in S] == e(x), where f may occur: a bound value holds the function itself."""
    base = symbol.base
    own = SlotSymbol(symbol.name, symbol.span, base)
    bound = binding(builder, symbol.bounds, symbol.scope.over(own), base + 1, primed)
    body = builder.meaning(term, bound.scope, bound.depth, primed)
    make = _function(bound, body.run)
    level, _ = _within(bound.sets, body, 1)
    held: list[Value] = []

    def run(c: Any, s: Any, n: Any) -> Value:
        if held:
            return held[0]
        # The function is among its own bound values, so it is made before them.
        function = make((*c, None), s, n)
        function.compute = make((*c, function), s, n).compute
        if not base and not level:
            held.append(function)
        return function

    return Meaning(run, level, base == 0)


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
    domain = domain_of(held)
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
