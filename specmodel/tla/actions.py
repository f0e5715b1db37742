"""Finds the next states of an action, as TLC does: from left to right, by assignments.

An action becomes a generator: of the bound values, the state, and the next state as far as it is
known, it gives every next state that the action allows. `x' = e` gives a variable without a value
its next value, and compares otherwise; `x' \\in S` gives it every member. What is no such form is
evaluated as a condition. The initial states are found in the same way, as if every variable of the
initial predicate had a prime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from specmodel.errors import Span, SpecError
from specmodel.tla import binders, logic
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import (
    ACTION,
    Thunk,
    no_truth,
    parameters_of,
    placed_at,
    variable_meaning,
)
from specmodel.tla.lazily import members
from specmodel.tla.making import Maker
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.pausing import poll
from specmodel.tla.scopes import (
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
    contains,
    equal,
    settled,
    truth,
)

Step = Callable[[Any, Any, Any], Iterator[Any]]
"""Gives the next states: of the bound values, the state, the next state as far as known."""

_CHECK, _ASSIGN, _STEP, _SEVERAL = range(4)

COUNTED_ONCE: set[Span] = set()
"""The places of applied functions whose definitions TLC goes through as actions: there it counts
each way in which they are true."""


class Conjunct(NamedTuple):
    """A conjunct: a condition, the value of a variable, a step, or several conjuncts in `run`."""

    kind: int
    run: Any
    variable: int
    term: TlaTerm


class ActionReader:
    """Makes steps of actions. `primed`: of an initial predicate, whose variables have no prime."""

    def __init__(self, builder: Maker, primed: bool = False) -> None:
        self.builder = builder
        self.primed = primed
        self._made: dict[type[TlaTerm], Callable[[Any, TlaScope, int], Conjunct]] = {
            syntax.Junction: self._junction,
            syntax.Quantification: self._quantified,
            syntax.IfTerm: self._conditional,
            syntax.CaseTerm: self._case,
            syntax.LetTerm: self._let,
            syntax.ActionBox: self._box,
            Applied: self._applied,
            syntax.FunctionCall: self._called,
        }

    def counting(self, place: int, term: TlaTerm, scope: TlaScope, depth: int) -> Step:
        """The step of an action, which adds 1 to the variable at a place. Raises SpecError."""

        def counted(c: Any, s: Any, n: Any) -> Value:
            return s[place] + 1

        level = Conjunct(_ASSIGN, counted, place, term)
        return _all([level, self.part(term, scope, depth)])

    def step(self, term: TlaTerm, scope: TlaScope, depth: int) -> Step:
        """The step of an action. Raises SpecError."""
        return self.steps([(term, scope)], depth)

    def steps(self, conjuncts: Sequence[tuple[TlaTerm, TlaScope]], depth: int) -> Step:
        """The step of several actions, one after the other. Raises SpecError."""
        return _all([self.part(term, scope, depth) for term, scope in conjuncts])

    def part(self, term: TlaTerm, scope: TlaScope, depth: int) -> Conjunct:
        """An action as a conjunct."""
        made = self._made.get(type(term))
        if made is None:
            return self._condition(term, scope, depth)
        found = made(term, scope, depth)
        if found.kind != _STEP:
            return found
        return found._replace(run=self._checked(found.run, term, scope, depth))

    def _checked(self, step: Step, term: TlaTerm, scope: TlaScope, depth: int) -> Step:
        """A step that, once every variable has its next value, is a condition.

        So TLC counts a state once, however many disjuncts or witnesses are true of it.
        """
        held: list[Run | None] = []

        def condition() -> Run | None:
            if not held:
                try:
                    held.append(self.builder.meaning(term, scope, depth, self.primed).run)
                except SpecError:
                    held.append(None)  # what cannot be evaluated can still be a step
            return held[0]

        def either(c: Any, s: Any, n: Any) -> Iterator[Any]:
            if None in n or (test := condition()) is None:
                return step(c, s, n)
            value = test(c, s, n)
            if value is not TRUE and value is not FALSE:
                raise no_truth(value, term.span)
            return iter((n,) if value is TRUE else ())

        return either

    def _condition(self, term: TlaTerm, scope: TlaScope, depth: int) -> Conjunct:
        run = self.builder.meaning(term, scope, depth, self.primed).run
        return Conjunct(_CHECK, run, 0, term)

    def _step_part(self, step: Step, term: TlaTerm) -> Conjunct:
        return Conjunct(_STEP, step, 0, term)

    # Junctions

    def _junction(self, term: syntax.Junction, scope: TlaScope, depth: int) -> Conjunct:
        parts = [self.part(item, scope, depth) for item in term.items]
        if term.operator == "/\\":
            return self._step_part(_all(parts), term)
        return self._step_part(_any([_all([part]) for part in parts]), term)

    def _quantified(self, term: syntax.Quantification, scope: TlaScope, depth: int) -> Conjunct:
        if term.quantifier not in ("\\A", "\\E"):
            return self._condition(term, scope, depth)
        bound = binders.binding(self.builder, term.bounds, scope, depth, self.primed)
        each, body = bound.each, self.step(term.body, bound.scope, bound.depth)
        if term.quantifier == "\\E":

            def some(c: Any, s: Any, n: Any) -> Iterator[Any]:
                for inner in each(c, s, n):
                    yield from body(inner, s, n)

            return self._step_part(some, term)

        def every(c: Any, s: Any, n: Any) -> Iterator[Any]:
            return _through(list(each(c, s, n)), 0, s, n, body)

        return self._step_part(every, term)

    # Choices

    def _conditional(self, term: syntax.IfTerm, scope: TlaScope, depth: int) -> Conjunct:
        test = self.builder.meaning(term.test, scope, depth, self.primed).run
        then, other = self.step(term.then, scope, depth), self.step(term.other, scope, depth)
        return self._step_part(logic.branch(test, then, other, term.test.span), term)

    def _case(self, term: syntax.CaseTerm, scope: TlaScope, depth: int) -> Conjunct:
        arms = [
            (
                self.builder.meaning(test, scope, depth, self.primed).run,
                self.step(value, scope, depth),
            )
            for test, value in term.arms
        ]
        other = None if term.other is None else self.step(term.other, scope, depth)
        return self._step_part(logic.first_true(arms, other, term), term)

    def _let(self, term: syntax.LetTerm, scope: TlaScope, depth: int) -> Conjunct:
        # A definition with primes is put in place: what it reads gets its value later.
        inner, runs = self.builder.let_scope(
            term, scope, depth, self.primed, 0 if self.primed else ACTION - 1
        )
        body = self.step(term.body, inner, depth + len(runs))

        def step(c: Any, s: Any, n: Any) -> Iterator[Any]:
            for run in runs:
                c = (*c, Thunk(run, c, s, n))
            return body(c, s, n)

        return self._step_part(step if runs else body, term)

    def _box(self, term: syntax.ActionBox, scope: TlaScope, depth: int) -> Conjunct:
        action = self.step(term.action, scope, depth)
        if term.angle:
            same = logic.unchanged_value(self.builder, term.subscript, scope, depth).run
            return self._step_part(
                lambda c, s, n: (m for m in action(c, s, n) if same(c, s, m) is FALSE), term
            )
        stays = _all([self._unchanged(term.subscript, scope, depth)])
        return self._step_part(_any([action, stays]), term)

    # Operators

    def _applied(self, term: Applied, scope: TlaScope, depth: int) -> Conjunct:
        symbol = self.builder.resolved(term, scope, depth)
        if symbol is None:
            return self._built_in(term, scope, depth)
        if isinstance(symbol, TermSymbol):
            if not symbol.arity:
                return self.part(symbol.term, symbol.scope, depth)
            step = self.builder.call_term(
                symbol.term, symbol.scope, term, scope, depth, self.primed, self._placed
            )
            return self._step_part(step, term)
        if isinstance(symbol, OperatorSymbol) and not symbol.bounds:
            return self._operator(symbol, term, scope, depth)
        if isinstance(symbol, SlotSymbol) and symbol.term is not None:
            assert symbol.scope is not None
            # TLC goes through what a name stands for each time, also if it knows the value.
            if symbol.level >= ACTION or self._divided(symbol.term, symbol.scope, depth):
                return self.part(symbol.term, symbol.scope, depth)
        return self._condition(term, scope, depth)

    def _called(self, term: syntax.FunctionCall, scope: TlaScope, depth: int) -> Conjunct:
        """A condition, also where TLC goes through the definition of the function as an action."""
        made = self._condition(term, scope, depth)
        # TLC computes a function that does not depend on the state before.
        constant = not self.builder.meaning(term.function, scope, depth, self.primed).level
        if constant or not self._divided(term, scope, depth):
            return made

        def run(c: Any, s: Any, n: Any) -> Value:
            if None in n:
                COUNTED_ONCE.add(term.span)
            return made.run(c, s, n)

        return made._replace(run=run)

    def _divided(self, term: TlaTerm, scope: TlaScope, depth: int, left: int = 20) -> bool:
        """Whether there may be several ways in which a condition is true, as TLC counts them."""
        parts: Sequence[TlaTerm] = ()
        if isinstance(term, syntax.Junction):
            if term.operator == "\\/":
                return True
            parts = term.items
        elif isinstance(term, syntax.Quantification):
            if term.quantifier == "\\E":
                return True
            parts = (term.body,)
        elif isinstance(term, syntax.IfTerm):
            parts = (term.then, term.other)
        elif isinstance(term, syntax.CaseTerm):
            parts = [value for _, value in term.arms]
        elif isinstance(term, syntax.FunctionLiteral):
            parts = (term.body,)
        elif isinstance(term, syntax.LetTerm):
            defined = [u.body for u in term.units if isinstance(u, syntax.OperatorUnit)]
            parts = (*defined, term.body)
        elif isinstance(term, syntax.FunctionCall):
            parts = (term.function,)
        elif isinstance(term, Applied):
            try:
                symbol = self.builder.resolved(term, scope, depth)
            except SpecError:
                return False  # a name that is bound within: its definition is a part too
            if isinstance(symbol, OperatorSymbol) and symbol.body is not None and left:
                return self._divided(symbol.body, symbol.scope, symbol.base, left - 1)
            if symbol is None and term.name == "\\/":
                return True
            if symbol is None and term.name in ("/\\", "=>"):
                parts = term.arguments
            elif isinstance(symbol, SlotSymbol) and symbol.term is not None:
                parts = (symbol.term,)
        return any(self._divided(part, scope, depth, left) for part in parts)

    def _placed(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> Step:
        return self.step(term, scope, depth)

    def _operator(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, depth: int
    ) -> Conjunct:
        if self._in_place(symbol, term, scope, depth):
            if symbol.recursive:
                raise SpecError(
                    f"{symbol.name} is a recursive action with actions as arguments: not supported",
                    term.span,
                )
            inner = self.builder.placed(symbol, term, scope)
            with self.builder.expansion(symbol, term.span):
                assert symbol.body is not None
                return self.part(symbol.body, inner, depth)
        given = [self.builder.meaning(a, scope, depth, self.primed).run for a in term.arguments]
        made, base = self._shared(symbol, term), symbol.base

        def step(c: Any, s: Any, n: Any) -> Iterator[Any]:
            return made[0]((*c[:base], *[Thunk(run, c, s, n) for run in given]), s, n)

        return self._step_part(step, term)

    def _in_place(self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, depth: int) -> bool:
        """Whether an operator is put in place: an argument may be what gets a value."""
        if any(p.arity for p in symbol.parameters):
            return True
        if self.builder.in_place(symbol, term, scope, depth, self.primed):
            return True
        if not self.primed or symbol.recursive:
            return False
        return any(self.builder.meaning(a, scope, depth, True).level for a in term.arguments)

    def _shared(self, symbol: OperatorSymbol, term: Applied) -> list[Step]:
        """The step of an operator's body, in a list that is filled once it is made."""
        key = ("step", self.primed)
        made: list[Step] | None = symbol.codes.get(key)
        if made is None:
            made = symbol.codes[key] = []
            self.builder.made.append((symbol, key))
            scope = symbol.scope.inner(*parameters_of(symbol, symbol.base, self.primed))
            if symbol.body is None:
                raise SpecError(f"{symbol.name} is used before it is defined", term.span)
            made.append(self.step(symbol.body, scope, symbol.base + symbol.arity))
        return made

    def _built_in(self, term: Applied, scope: TlaScope, depth: int) -> Conjunct:
        name, arguments = term.name, term.arguments
        if name in ("/\\", "\\/"):
            return self._junction(syntax.Junction(term.span, name, arguments), scope, depth)
        if name in ("=", "\\in") and len(arguments) == 2:
            index = logic.variable_of(self.builder, arguments[0], scope, depth, self.primed)
            if index is not None:
                return self._assigned(index, term, scope, depth)
        if name == "UNCHANGED" and not self.primed:
            return self._unchanged(arguments[0], scope, depth)
        if name == "=>" and len(arguments) == 2:
            test = self.builder.meaning(arguments[0], scope, depth, self.primed).run
            then = self.step(arguments[1], scope, depth)
            step = logic.branch(test, then, lambda c, s, n: iter((n,)), arguments[0].span)
            return self._step_part(step, term)
        return self._condition(term, scope, depth)

    def _assigned(self, index: int, term: Applied, scope: TlaScope, depth: int) -> Conjunct:
        run = self.builder.meaning(term.arguments[1], scope, depth, self.primed).run
        if term.name == "=":
            return Conjunct(_ASSIGN, run, index, term)
        span = term.span

        def step(c: Any, s: Any, n: Any) -> Iterator[Any]:
            held, known = run(c, s, n), n[index]
            try:
                if known is not None:
                    if contains(held, known):
                        yield n
                    return
                found = members(held)
            except EvaluationError as wrong:
                raise placed_at(wrong, span) from None
            before, after = n[:index], n[index + 1 :]
            for member in found:
                poll()
                yield (*before, settled(member), *after)

        return self._step_part(step, term)

    # UNCHANGED

    def _unchanged(self, term: TlaTerm, scope: TlaScope, depth: int) -> Conjunct:
        """The variables of an expression keep their values: of a tuple, each of its items."""
        if isinstance(term, syntax.TupleLiteral):
            parts = [self._unchanged(item, scope, depth) for item in term.items]
            return Conjunct(_SEVERAL, parts, 0, term)
        if isinstance(term, Applied) and not term.arguments and term.name != "'":
            symbol = self.builder.resolved(term, scope, depth)
            if isinstance(symbol, VariableSymbol):
                run = variable_meaning(symbol, term.span, False).run
                return Conjunct(_ASSIGN, run, symbol.index, term)
            if isinstance(symbol, TermSymbol) and not symbol.arity:
                return self._unchanged(symbol.term, symbol.scope, depth)
            if isinstance(symbol, OperatorSymbol) and symbol.body is not None:
                plain = not symbol.parameters and not symbol.bounds and not symbol.recursive
                if plain:
                    return self._unchanged(symbol.body, symbol.scope, depth)
            if isinstance(symbol, SlotSymbol) and symbol.level and symbol.term is not None:
                assert symbol.scope is not None
                return self._unchanged(symbol.term, symbol.scope, depth)
        same = logic.unchanged_value(self.builder, term, scope, depth)
        return Conjunct(_CHECK, same.run, 0, term)


def _through(found: Sequence[Any], place: int, s: Any, n: Any, body: Step) -> Iterator[Any]:
    """The next states that a body allows with each of some bound values, one after the other."""
    if place == len(found):
        yield n
        return
    for known in body(found[place], s, n):
        yield from _through(found, place + 1, s, known, body)


def _any(steps: Sequence[Step]) -> Step:
    def step(c: Any, s: Any, n: Any) -> Iterator[Any]:
        for each in steps:
            yield from each(c, s, n)

    return step


def _all(parts: Sequence[Conjunct]) -> Step:
    """The step of conjuncts: conditions and values up to a step, and what follows it."""
    flat = list(_flattened(parts))
    place = next((i for i, part in enumerate(flat) if part.kind == _STEP), len(flat))
    simple = [(part.kind, part.run, part.variable, part.term.span) for part in flat[:place]]
    first = flat[place].run if place < len(flat) else None
    rest = _all(flat[place + 1 :]) if place + 1 < len(flat) else None
    if first is not None and not simple and rest is None:
        return first

    def step(c: Any, s: Any, n: Any) -> Iterator[Any]:
        for kind, run, index, span in simple:
            value = run(c, s, n)
            if kind == _ASSIGN:
                known = n[index]
                if known is None:
                    try:
                        value = settled(value)
                    except EvaluationError as wrong:
                        raise placed_at(wrong, span) from None
                    if n.__class__ is tuple:
                        n = list(n)
                    n[index] = value
                    continue
                try:
                    value = truth(equal(known, value))
                except EvaluationError as wrong:
                    raise placed_at(wrong, span) from None
            if value is FALSE:
                return
            if value is not TRUE:
                raise no_truth(value, span)
        if n.__class__ is list:
            n = tuple(n)
        if first is None:
            yield n
        elif rest is None:
            yield from first(c, s, n)
        else:
            for known in first(c, s, n):
                yield from rest(c, s, known)

    return step


def _flattened(parts: Sequence[Conjunct]) -> Iterator[Conjunct]:
    for part in parts:
        if part.kind == _SEVERAL:
            yield from _flattened(part.run)
        else:
            yield part


class OwnVariables(NamedTuple):
    """A scope with variables of its own, whose places follow those of the model.

    `terms`, which `seen` sees, are their values in a state.
    """

    scope: TlaScope
    terms: tuple[TlaTerm, ...]
    seen: TlaScope


def enabled(
    builder: Maker, term: TlaTerm, scope: TlaScope, depth: int, own: OwnVariables | None
) -> Meaning:
    """ENABLED: whether an action allows a next state."""
    values: list[Run] = []
    if own is not None:
        scope = own.scope
        values = [builder.meaning(held, own.seen, 0, False).run for held in own.terms]
    blank = (None,) * (len(builder.resolver.variables) + len(values))
    step = ActionReader(builder).step(term, scope, depth)

    def run(c: Any, s: Any, n: Any) -> Value:
        if values:
            s = (*s, *[settled(value((), s, None)) for value in values])
        return truth(next(step(c, s, blank), None) is not None)

    return Meaning(run, 1, depth == 0)
