"""Functions of expressions that bind names to the members of sets.

Every function takes the builder, a term, the scope that it is seen from, the number of bound
values, and whether its variables are those of the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from specmodel.errors import Span, SpecError
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import joined, no_truth, placed_at, remembered
from specmodel.tla.lazily import (
    DeferredFunction,
    DeferredSet,
    FilteredSet,
    ProductSpace,
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
    Value,
    has_names,
    ordered,
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
    `only` gives the members where a single name is bound, and is None otherwise.
    """

    scope: TlaScope
    depth: int
    sets: tuple[Meaning, ...]
    take: Callable[[Sequence[Value]], tuple[Value, ...]]
    each: Bind
    only: Callable[[Any, Any, Any], Iterable[Value]] | None


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

    source, source_span = runs[0]

    def members_of_one(c: Any, s: Any, n: Any) -> Iterable[Value]:
        return _members(source(c, s, n), source_span)

    def one(c: Any, s: Any, n: Any) -> Iterator[Any]:
        for member in members_of_one(c, s, n):
            if HALT:
                poll()
            yield (*c, member)

    def several(c: Any, s: Any, n: Any) -> Iterator[Any]:
        found = [_members(run(c, s, n), span) for run, span in runs]
        for chosen in product(*found):
            if HALT:
                poll()
            yield (*c, *take(chosen))

    single = len(sets) == 1 and not counts[0]
    return BoundValues(
        inner, depth + len(slots), tuple(sets), take,
        one if single else several, members_of_one if single else None,
    )  # fmt: skip


def _members(held: Value, span: Span) -> Any:
    try:
        return ordered(held) if held.__class__ is frozenset else members(held)
    except EvaluationError as wrong:
        raise placed_at(wrong, span) from None


def _taking(
    counts: Sequence[int], spans: Sequence[Span]
) -> Callable[[Sequence[Value]], tuple[Value, ...]]:
    """The bound values for members; where `counts` is above 0, members are tuples."""
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


def _bound_meaning(run: Run, parts: Sequence[Meaning], body: Meaning, depth: int) -> Meaning:
    level, closed = _within(parts, body, depth)
    return Meaning(remembered(run, level, depth), level, closed)


def quantified(
    builder: Maker, term: syntax.Quantification, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """\\A and \\E."""
    if term.quantifier in ("\\AA", "\\EE"):
        raise SpecError(f"{term.quantifier} is not supported", term.span)
    bound = binding(builder, term.bounds, scope, depth, primed)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    ending, going = (FALSE, TRUE) if term.quantifier == "\\A" else (TRUE, FALSE)
    each, only, test, span = bound.each, bound.only, body.run, term.body.span

    def run(c: Any, s: Any, n: Any) -> Value:
        for inner in each(c, s, n):
            value = test(inner, s, n)
            if value is ending:
                return ending
            if value is not going:
                raise no_truth(value, span)
        return going

    def run_of_one(c: Any, s: Any, n: Any) -> Value:
        assert only is not None
        for member in only(c, s, n):
            if HALT:
                poll()
            value = test((*c, member), s, n)
            if value is ending:
                return ending
            if value is not going:
                raise no_truth(value, span)
        return going

    return _bound_meaning(run_of_one if only else run, bound.sets, body, depth)


def chosen(
    builder: Maker, term: syntax.ChooseTerm, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """CHOOSE: the least member in the order of values for which the body is true."""
    bound = binding(builder, term.bounds, scope, depth, primed)
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

    return _bound_meaning(run, bound.sets, body, depth)


# Sets


def set_filter(
    builder: Maker, term: syntax.SetFilter, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """{x \\in S : P(x)}."""
    bound = binding(builder, term.bounds, scope, depth, primed)
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

    return _bound_meaning(run, bound.sets, body, depth)


def set_image(
    builder: Maker,
    term: syntax.SetImage,
    scope: TlaScope,
    depth: int,
    primed: bool,
    join: Callable[[Sequence[Value]], Value] = set_of,
) -> Meaning:
    """{e(x) : x \\in S}: `join` makes the value of all e(x)."""
    bound = binding(builder, term.bounds, scope, depth, primed)
    body = builder.meaning(term.body, bound.scope, bound.depth, primed)
    each, value = bound.each, body.run

    def run(c: Any, s: Any, n: Any) -> Value:
        try:
            return join([value(inner, s, n) for inner in each(c, s, n)])
        except EvaluationError as wrong:
            raise placed_at(wrong, term.span) from None

    return _bound_meaning(run, bound.sets, body, depth)


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
