"""Functions of the operators of logic, and of all built-in operators.

Every function takes the builder, a term, the scope that it is seen from, the number of bound
values, and whether its variables are those of the next state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.errors import Span, SpecError
from specmodel.tla import binders
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import (
    ACTION,
    TemporalFormula,
    constant,
    joined,
    no_truth,
    placed_at,
    refuse_arguments,
    strict,
)
from specmodel.tla.lazily import (
    STRING,
    DeferredSet,
    FilteredSet,
    Powerset,
    UnionSet,
    domain_of,
    finite,
    members,
)
from specmodel.tla.making import Maker
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import (
    Call,
    Meaning,
    OperatorSymbol,
    Run,
    SlotSymbol,
    TermSymbol,
    TlaScope,
    VariableSymbol,
)
from specmodel.tla.values import (
    FALSE,
    TRUE,
    EvaluationError,
    Value,
    alike,
    contains,
    equal,
    refuse_mixed,
    truth,
)

# Truth


def junction(
    builder: Maker, term: syntax.Junction, scope: TlaScope, depth: int, primed: bool
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
    builder: Maker, term: syntax.IfTerm, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """IF test THEN then ELSE other."""
    parts = [builder.meaning(t, scope, depth, primed) for t in (term.test, term.then, term.other)]
    test, then, other = (part.run for part in parts)
    return Meaning(branch(test, then, other, term.test.span), *joined(parts))


def branch(test: Run, then: Run, other: Run, span: Span) -> Run:
    """One of two functions, by a test."""

    def run(c: Any, s: Any, n: Any) -> Any:
        value = test(c, s, n)
        if value is TRUE:
            return then(c, s, n)
        if value is FALSE:
            return other(c, s, n)
        raise no_truth(value, span)

    return run


def case(
    builder: Maker, term: syntax.CaseTerm, scope: TlaScope, depth: int, primed: bool
) -> Meaning:
    """CASE: the first arm whose test is true."""
    arms = [
        tuple(builder.meaning(t, scope, depth, primed) for t in (test, value))
        for test, value in term.arms
    ]
    parts = [part for arm in arms for part in arm]
    runs = [(test.run, value.run) for test, value in arms]
    other: Run | None = None
    if term.other is not None:
        last = builder.meaning(term.other, scope, depth, primed)
        parts.append(last)
        other = last.run
    return Meaning(first_true(runs, other, term), *joined(parts))


def first_true(arms: Sequence[tuple[Run, Run]], other: Run | None, term: syntax.CaseTerm) -> Run:
    """The function of the first arm of a CASE whose test is true."""
    runs = [(*arm, test.span) for arm, (test, _) in zip(arms, term.arms, strict=True)]

    def run(c: Any, s: Any, n: Any) -> Any:
        for test, value, span in runs:
            held = test(c, s, n)
            if held is TRUE:
                return value(c, s, n)
            if held is not FALSE:
                raise no_truth(held, span)
        if other is None:
            raise EvaluationError("no arm of the CASE is true, and it has no OTHER", term.span)
        return other(c, s, n)

    return run


# Actions


def box(
    builder: Maker, term: syntax.ActionBox, scope: TlaScope, depth: int, primed: bool
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


def unchanged_value(builder: Maker, term: TlaTerm, scope: TlaScope, depth: int) -> Meaning:
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
    if alike(first, second):
        return first | second
    if isinstance(first, DeferredSet) or isinstance(second, DeferredSet):
        return UnionSet((_set(first), _set(second)))
    found = finite(first) | finite(second)
    refuse_mixed(found)
    return found


def _set(value: Value) -> Value:
    """A set as it is. Raises EvaluationError for no set."""
    return value if isinstance(value, DeferredSet) else finite(value)


def intersection(first: Value, second: Value) -> Value:
    """A \\cap B: the members of A that are in B."""
    if alike(first, second):
        return first & second
    if isinstance(first, DeferredSet) and not isinstance(second, DeferredSet):
        first, second = second, first
    return _filtered(first, lambda v: contains(second, v))


def difference(first: Value, second: Value) -> Value:
    """A \\ B."""
    if alike(first, second):
        return first - second
    return _filtered(first, lambda v: not contains(second, v))


def _filtered(held: Value, test: Callable[[Value], bool]) -> Value:
    if isinstance(held, DeferredSet):
        return FilteredSet(held, test)
    return frozenset([v for v in finite(held) if test(v)])


def subset(first: Value, second: Value) -> Value:
    """A \\subseteq B."""
    if alike(first, second):
        return TRUE if first <= second else FALSE
    if isinstance(first, Powerset) and isinstance(second, Powerset):
        return subset(first.base, second.base)
    return truth(all(contains(second, v) for v in members(first)))


def _union_of(parts: Sequence[Value]) -> Value:
    """The union of some sets."""
    if any(isinstance(part, DeferredSet) for part in parts):
        return UnionSet([_set(part) for part in parts])
    found = frozenset([v for part in parts for v in finite(part)])
    refuse_mixed(found)
    return found


def _big_union(builder: Maker, term: Applied, scope: TlaScope, depth: int, primed: bool) -> Meaning:
    """UNION S: sets that S lists are not computed, as a test of membership needs no members."""
    (held,) = term.arguments
    if isinstance(held, syntax.SetLiteral):
        parts = [builder.meaning(item, scope, depth, primed) for item in held.items]

        def make(*sets: Value) -> Value:
            return _union_of(sets)

        return strict(make, parts, term.span)
    if isinstance(held, syntax.SetImage):
        return binders.set_image(builder, held, scope, depth, primed, _union_of)
    inner = builder.meaning(held, scope, depth, primed)
    return strict(lambda sets: _union_of(list(members(sets))), [inner], term.span)


_STRICT: dict[str, Call] = {
    "=": lambda a, b: TRUE if equal(a, b) else FALSE,
    "#": lambda a, b: FALSE if equal(a, b) else TRUE,
    "\\in": lambda a, b: TRUE if contains(b, a) else FALSE,
    "\\notin": lambda a, b: FALSE if contains(b, a) else TRUE,
    "\\subseteq": subset,
    "\\cup": union,
    "\\cap": intersection,
    "\\": difference,
    "SUBSET": Powerset,
    "DOMAIN": domain_of,
}
_CONSTANTS: dict[str, Value] = {
    "TRUE": TRUE,
    "FALSE": FALSE,
    "BOOLEAN": frozenset([TRUE, FALSE]),
    "STRING": STRING,
}
_TEMPORAL = ("[]", "<>", "~>", "-+->")
_LOGIC = ("UNION", "/\\", "\\/", "=>", "\\equiv", "~", "'", "ENABLED", "UNCHANGED", "\\cdot")

BUILT_IN = frozenset([*_STRICT, *_CONSTANTS, *_TEMPORAL, *_LOGIC])
"""The names of the operators that every module has."""

_ARITY = {
    **dict.fromkeys(_CONSTANTS, 0),
    **dict.fromkeys(("~", "'", "ENABLED", "UNCHANGED", "[]", "<>", "SUBSET", "UNION"), 1),
    "DOMAIN": 1,
}


def refuse_operands(term: Applied) -> None:
    """Raises SpecError for a wrong number of operands of a built-in operator."""
    refuse_arguments(term, _ARITY.get(term.name, 2))


def built_in(builder: Maker, term: Applied, scope: TlaScope, depth: int, primed: bool) -> Meaning:
    """A built-in operator applied to arguments."""
    name, span = term.name, term.span
    refuse_operands(term)
    if name in _CONSTANTS:
        return constant(_CONSTANTS[name])
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
    if name == "UNION":
        return _big_union(builder, term, scope, depth, primed)
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
        return Meaning(negation(parts[0].run, spans[0]), *joined(parts))
    return strict(_STRICT[name], parts, span)


def negation(inner: Run, span: Span) -> Run:
    """`~P`."""

    def run(c: Any, s: Any, n: Any) -> Value:
        value = inner(c, s, n)
        if value is TRUE:
            return FALSE
        if value is FALSE:
            return TRUE
        raise no_truth(value, span)

    return run


def variable_of(
    builder: Maker, term: TlaTerm, scope: TlaScope, depth: int, primed: bool
) -> int | None:
    """The index of the variable whose next value a term is; None for any other term.

    `primed`: the term stands within a prime, so the variable is written without one.
    """
    while isinstance(term, Applied):
        if not primed and term.name == "'" and not term.path:
            (term,) = term.arguments
            primed = True
            continue
        if term.arguments:
            return None
        symbol = builder.resolved(term, scope, depth)
        if isinstance(symbol, VariableSymbol):
            return symbol.index if primed else None
        if isinstance(symbol, TermSymbol) and not symbol.arity:
            term, scope = symbol.term, symbol.scope
        elif isinstance(symbol, SlotSymbol) and symbol.term is not None:
            assert symbol.scope is not None
            term, scope = symbol.term, symbol.scope
        elif isinstance(symbol, OperatorSymbol) and not symbol.parameters and not symbol.recursive:
            if symbol.body is None or symbol.bounds:
                return None
            term, scope = symbol.body, symbol.scope
        else:
            return None
    return None
