"""Functions of the operators of logic, and of all built-in operators.

Every function takes the builder, a term, the scope that it is seen from, the number of bound
values, and whether its variables are those of the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from specmodel.errors import Span, SpecError
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import ACTION, TemporalFormula, joined, no_truth, placed_at, strict
from specmodel.tla.lazily import (
    STRING,
    Combined,
    DeferredSet,
    Powerset,
    domain_of,
    endless,
    finite,
    members,
)
from specmodel.tla.nodes import Applied, Term
from specmodel.tla.scopes import Meaning, OperatorSymbol, Run, Scope, TermSymbol, VariableSymbol
from specmodel.tla.values import (
    FALSE,
    TRUE,
    EvaluationError,
    Value,
    contains,
    equal,
    settled,
    truth,
)

if TYPE_CHECKING:
    from specmodel.tla.building import Builder




# Truth


def junction(
    builder: Builder, term: syntax.Junction, scope: Scope, depth: int, primed: bool
) -> Meaning:
    """A list of conjuncts or disjuncts."""
    parts = [builder.meaning(item, scope, depth, primed) for item in term.items]
    spans = [item.span for item in term.items]
    return _junction(term.operator, parts, spans)


def _junction(operator: str, parts: Sequence[Meaning], spans: Sequence[Span]) -> Meaning:
    ending, going = (FALSE, TRUE) if operator == "/\\" else (TRUE, FALSE)
    both = [(part.run, span) for part, span in zip(parts, spans, strict=True)]

    def run(c: Any, s: Any, n: Any) -> Value:
        for each, span in both:
            value = each(c, s, n)
            if value is ending:
                return ending
            if value is not going:
                raise no_truth(value, span)
        return going

    return Meaning(run, *joined(parts))


def _implies(first: Run, second: Run, spans: Sequence[Span]) -> Run:
    def run(c: Any, s: Any, n: Any) -> Value:
        given = first(c, s, n)
        if given is FALSE:
            return TRUE
        if given is not TRUE:
            raise no_truth(given, spans[0])
        value = second(c, s, n)
        if value is not TRUE and value is not FALSE:
            raise no_truth(value, spans[1])
        return value

    return run


def _equivalent(first: Run, second: Run, spans: Sequence[Span]) -> Run:
    def run(c: Any, s: Any, n: Any) -> Value:
        one, other = first(c, s, n), second(c, s, n)
        for value, span in zip((one, other), spans, strict=True):
            if value is not TRUE and value is not FALSE:
                raise no_truth(value, span)
        return truth(one is other)

    return run


def conditional(
    builder: Builder, term: syntax.IfTerm, scope: Scope, depth: int, primed: bool
) -> Meaning:
    """IF test THEN then ELSE other."""
    parts = [builder.meaning(t, scope, depth, primed) for t in (term.test, term.then, term.other)]
    test, then, other = (part.run for part in parts)
    span = term.test.span

    def run(c: Any, s: Any, n: Any) -> Value:
        value = test(c, s, n)
        if value is TRUE:
            return then(c, s, n)
        if value is FALSE:
            return other(c, s, n)
        raise no_truth(value, span)

    return Meaning(run, *joined(parts))


def case(
    builder: Builder, term: syntax.CaseTerm, scope: Scope, depth: int, primed: bool
) -> Meaning:
    """CASE: the first arm whose test is true."""
    arms = [
        tuple(builder.meaning(t, scope, depth, primed) for t in (test, value))
        for test, value in term.arms
    ]
    parts = [part for arm in arms for part in arm]
    runs = [
        (test.run, value.run, source.span)
        for (test, value), (source, _) in zip(arms, term.arms, strict=True)
    ]
    other: Run | None = None
    if term.other is not None:
        last = builder.meaning(term.other, scope, depth, primed)
        parts.append(last)
        other = last.run

    def run(c: Any, s: Any, n: Any) -> Value:
        for test, value, span in runs:
            held = test(c, s, n)
            if held is TRUE:
                return value(c, s, n)
            if held is not FALSE:
                raise no_truth(held, span)
        if other is None:
            raise EvaluationError("no arm of the CASE is true, and it has no OTHER", term.span)
        return other(c, s, n)

    return Meaning(run, *joined(parts))


# Actions


def box(
    builder: Builder, term: syntax.ActionBox, scope: Scope, depth: int, primed: bool
) -> Meaning:
    """`[A]_v` and `<<A>>_v` as values of a step."""
    action = builder.meaning(term.action, scope, depth, primed)
    same = unchanged_value(builder, term.subscript, scope, depth)
    act, stays, span = action.run, same.run, term.action.span

    def run(c: Any, s: Any, n: Any) -> Value:
        value = act(c, s, n)
        if value is not TRUE and value is not FALSE:
            raise no_truth(value, span)
        if term.angle:
            return truth(value is TRUE and stays(c, s, n) is FALSE)
        return truth(value is TRUE or stays(c, s, n) is TRUE)

    return Meaning(run, ACTION, action.closed and same.closed)


def unchanged_value(builder: Builder, term: Term, scope: Scope, depth: int) -> Meaning:
    """Whether an expression has the same value in both states of a step."""
    before = builder.meaning(term, scope, depth, False)
    after = builder.meaning(term, scope, depth, True)
    first, second, span = before.run, after.run, term.span

    def run(c: Any, s: Any, n: Any) -> Value:
        try:
            return truth(equal(first(c, s, n), second(c, s, n)))
        except EvaluationError as wrong:
            raise placed_at(wrong, span) from None

    return Meaning(run, ACTION, before.closed and after.closed)



# Sets


def union(first: Value, second: Value) -> Value:
    """A \\cup B."""
    if endless(first) or endless(second):
        return Combined(lambda v: contains(first, v) or contains(second, v))
    from specmodel.tla.values import refuse_mixed

    found = finite(first) | finite(second)
    refuse_mixed(found)
    return found


def intersection(first: Value, second: Value) -> Value:
    """A \\cap B: the members of A that are in B."""
    if endless(first):
        if endless(second):
            return Combined(lambda v: contains(first, v) and contains(second, v))
        first, second = second, first
    if isinstance(second, DeferredSet):
        return frozenset([v for v in finite(first) if contains(second, v)])
    return frozenset([v for v in finite(first) if contains(finite(second), v)])


def difference(first: Value, second: Value) -> Value:
    """A \\ B."""
    if endless(first):
        return Combined(lambda v: contains(first, v) and not contains(second, v))
    return frozenset([v for v in finite(first) if not contains(second, v)])


def subset(first: Value, second: Value) -> Value:
    """A \\subseteq B."""
    if isinstance(first, Powerset) and isinstance(second, Powerset):
        return subset(first.base, second.base)
    return truth(all(contains(second, v) for v in members(first)))


def big_union(held: Value) -> Value:
    """UNION S."""
    parts = list(members(held))
    if any(map(endless, parts)):
        return Combined(lambda v: any(contains(part, v) for part in parts))
    from specmodel.tla.values import refuse_mixed

    found = frozenset([v for part in parts for v in finite(part)])
    refuse_mixed(found)
    return found


_STRICT: dict[str, Callable[..., Value]] = {
    "=": lambda a, b: truth(equal(a, b)),
    "#": lambda a, b: truth(not equal(a, b)),
    "\\in": lambda a, b: truth(contains(b, a)),
    "\\notin": lambda a, b: truth(not contains(b, a)),
    "\\subseteq": subset,
    "\\cup": union,
    "\\cap": intersection,
    "\\": difference,
    "SUBSET": Powerset,
    "UNION": big_union,
    "DOMAIN": domain_of,
}
_CONSTANTS: dict[str, Value] = {
    "TRUE": TRUE,
    "FALSE": FALSE,
    "BOOLEAN": frozenset([TRUE, FALSE]),
    "STRING": STRING,
}
_TEMPORAL = ("[]", "<>", "~>", "-+->")
_LOGIC = ("/\\", "\\/", "=>", "\\equiv", "~", "'", "ENABLED", "UNCHANGED", "\\cdot")

BUILT_IN = frozenset([*_STRICT, *_CONSTANTS, *_TEMPORAL, *_LOGIC])
"""The names of the operators that every module has."""

_ARITY = {
    **dict.fromkeys(_CONSTANTS, 0),
    **dict.fromkeys(("~", "'", "ENABLED", "UNCHANGED", "[]", "<>", "SUBSET", "UNION"), 1),
    "DOMAIN": 1,
}


def built_in(builder: Builder, term: Applied, scope: Scope, depth: int, primed: bool) -> Meaning:
    """A built-in operator applied to arguments."""
    name, span = term.name, term.span
    if len(term.arguments) != _ARITY.get(name, 2):
        raise SpecError(f"{name} takes {_ARITY.get(name, 2)} arguments", span)
    if name in _CONSTANTS:
        value = _CONSTANTS[name]
        return Meaning(lambda c, s, n: value, 0, True)
    if name in _TEMPORAL:
        raise TemporalFormula("a temporal formula has no value in a state", span)
    if name == "\\cdot":
        raise SpecError("the composition of actions \\cdot is not supported", span)
    if name == "'":
        if primed:
            raise SpecError("a prime stands within a prime", span)
        made = builder.meaning(term.arguments[0], scope, depth, True)
        if made.level >= ACTION:
            raise SpecError("a prime stands over an expression with a prime", span)
        return Meaning(made.run, ACTION if made.level else 0, made.closed)
    if name == "UNCHANGED":
        if primed:
            raise SpecError("a prime stands within a prime", span)
        return unchanged_value(builder, term.arguments[0], scope, depth)
    if name == "ENABLED":
        return builder.enabled(term.arguments[0], scope, depth, primed)
    parts = [builder.meaning(a, scope, depth, primed) for a in term.arguments]
    spans = [a.span for a in term.arguments]
    if name in ("/\\", "\\/"):
        return _junction(name, parts, spans)
    if name in ("=>", "\\equiv"):
        make = _implies if name == "=>" else _equivalent
        return Meaning(make(parts[0].run, parts[1].run, spans), *joined(parts))
    if name == "~":
        return Meaning(_negation(parts[0].run, spans[0]), *joined(parts))
    return strict(_STRICT[name], parts, span)


def _negation(inner: Run, span: Span) -> Run:
    def run(c: Any, s: Any, n: Any) -> Value:
        value = inner(c, s, n)
        if value is TRUE:
            return FALSE
        if value is FALSE:
            return TRUE
        raise no_truth(value, span)

    return run


def variable_of(
    builder: Builder, term: Term, scope: Scope, depth: int, primed: bool
) -> int | None:
    """The index of the variable whose next value a term is; None for any other term.

    `primed`: the term stands within a prime, so the variable is written without one.
    """
    if not primed:
        if not isinstance(term, Applied) or term.name != "'" or term.path:
            return None
        (term,) = term.arguments
    while isinstance(term, Applied) and not term.arguments:
        symbol = builder.resolved(term, scope, depth)
        if isinstance(symbol, VariableSymbol):
            return symbol.index
        if isinstance(symbol, TermSymbol) and not symbol.arity:
            term, scope = symbol.term, symbol.scope
        elif isinstance(symbol, OperatorSymbol) and not symbol.parameters and not symbol.recursive:
            if symbol.body is None or symbol.bounds:
                return None
            term, scope = symbol.body, symbol.scope
        else:
            return None
    return None
