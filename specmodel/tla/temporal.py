"""Takes temporal formulas apart into claims and demands that a search of a graph can decide.

A claim is a conjunct for one value of its parameters: `<>P`, `[]<>P`, `<>[]P`, `P ~> Q`,
`[]<><<A>>_v`, `WF_v(A)` or `SF_v(A)`, for predicates P and Q of a state. A demand is what a
behaviour satisfies: the fairness of the specification, or the antecedent of `demands => claim`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from specmodel.errors import Span, SpecError
from specmodel.tla import binders
from specmodel.tla import nodes as syntax
from specmodel.tla.building import Builder
from specmodel.tla.calling import ACTION, TemporalFormula
from specmodel.tla.logic import negation
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import Meaning, OperatorSymbol, Run, TermSymbol, TlaScope
from specmodel.tla.values import Value

Bound = tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class TlaDemand:
    """What a behaviour satisfies: a step that `taken` is true of, again and again, unless `enabled`
    is false again and again (`strong`: unless it is false from some state on).

    Without `taken` there is no such step; without `enabled` it is true in all states.
    """

    strong: bool
    action: str
    arguments: Mapping[str, Value]
    enabled: PlacedRun | None
    taken: PlacedRun | None
    fairness: bool = True
    """Whether it is WF or SF, not a formula of that meaning."""

    @property
    def strength(self) -> str:
        return "strong" if self.strong else "weak"


@dataclass(frozen=True, eq=False)
class TemporalClaim:
    """A claim about behaviours that satisfy `given`.

    `role` is "eventually", "always_eventually", "eventually_always" or "leads_to" (from `cause`),
    each about `goal`; or "demand", about `demand`. Or it is about no whole behaviour: "state" (the
    first state), "always" or "step".
    """

    role: str
    span: Span
    arguments: Mapping[str, Value]
    goal: PlacedRun | None = None
    cause: PlacedRun | None = None
    demand: TlaDemand | None = None
    given: tuple[TlaDemand, ...] = ()

    @property
    def text(self) -> str:
        """It as the module has it."""
        return _text(self.span)


class Undecided(SpecError):  # noqa: N818 - says what was found
    """A temporal formula of a form that is not followed."""


class _Subformula(NamedTuple):
    """A formula with what it sees: names, and the values of the bound ones."""

    term: TlaTerm
    scope: TlaScope
    depth: int
    bound: Bound
    names: tuple[str, ...]

    @property
    def arguments(self) -> Mapping[str, Value]:
        return dict(zip(self.names, self.bound, strict=True))

    def within(self, term: TlaTerm) -> _Subformula:
        """A part of it."""
        return self._replace(term=term)

    def refused(self) -> Undecided:
        """The error about a form that is not followed."""
        return Undecided("this form of a temporal formula is not followed", self.term.span)


class TemporalReader:
    """Reads temporal formulas, with definitions put in their places.

    Raises Undecided, and SpecError for what has no meaning.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def claims(self, term: TlaTerm, scope: TlaScope) -> list[TemporalClaim]:
        """The claims that together are a formula."""
        return list(self._claims(_Subformula(term, scope, 0, (), ())))

    def demands(self, term: TlaTerm, scope: TlaScope) -> list[TlaDemand]:
        """The demands that together are a formula."""
        return list(self._demands(_Subformula(term, scope, 0, (), ())))

    # Claims

    def _claims(self, place: _Subformula) -> Iterator[TemporalClaim]:
        if (run := self._predicate(place)) is not None:
            yield self._claim("state", place, run)
            return
        operator, parts = self._parts(place)
        if operator in ("/\\", "\\A"):
            for part in parts:
                yield from self._claims(part)
        elif operator == "fair":
            demand = self._fairness(parts[0])
            yield TemporalClaim("demand", place.term.span, place.arguments, demand=demand)
        elif operator == "[]":
            yield from self._always(parts[0])
        elif operator == "<>":
            yield from self._eventually(parts[0])
        elif operator == "~>":
            yield self._leads(*parts)
        elif operator == "=>":
            given = tuple(self._demands(parts[0]))
            for claim in self._claims(parts[1]):
                if claim.role in ("state", "always", "step"):
                    raise place.refused()
                yield replace(claim, given=(*given, *claim.given))
        else:
            raise place.refused()

    def _always(self, place: _Subformula) -> Iterator[TemporalClaim]:
        """The claims of `[]` of a formula."""
        if (run := self._predicate(place)) is not None:
            yield self._claim("always", place, run)
            return
        operator, parts = self._parts(place)
        if operator in ("/\\", "\\A", "[]"):
            for part in parts:
                yield from self._always(part)
        elif operator == "<>":
            yield self._recurring(parts[0])
        elif operator == "~>":
            yield self._leads(*parts)
        elif operator == "=>":
            operator, ends = self._parts(parts[1])
            if operator != "<>":
                raise place.refused()
            yield self._leads(parts[0], *ends)
        elif operator == "[A]":
            yield self._claim("step", place, self._run(parts[0]))
        else:
            raise place.refused()

    def _eventually(self, place: _Subformula) -> Iterator[TemporalClaim]:
        """The claim of `<>` of a formula."""
        if (run := self._predicate(place)) is not None:
            yield self._claim("eventually", place, run)
            return
        operator, parts = self._parts(place)
        if operator == "<>":
            yield from self._eventually(parts[0])
        elif operator == "[]":
            yield self._settling(parts[0])
        else:
            raise place.refused()

    def _recurring(self, place: _Subformula) -> TemporalClaim:
        """The claim of `[]<>` of a formula."""
        if (run := self._predicate(place)) is not None:
            return self._claim("always_eventually", place, run)
        operator, parts = self._parts(place)
        if operator == "<>":
            return self._recurring(parts[0])
        if operator == "[]":
            return self._settling(parts[0])
        if operator == "<<A>>":
            demand = self._recurrence(parts[0])
            return TemporalClaim("demand", place.term.span, place.arguments, demand=demand)
        raise place.refused()

    def _settling(self, place: _Subformula) -> TemporalClaim:
        """The claim of `<>[]` of a formula."""
        if (run := self._predicate(place)) is not None:
            return self._claim("eventually_always", place, run)
        operator, parts = self._parts(place)
        if operator == "[]":
            return self._settling(parts[0])
        if operator == "<>":
            return self._recurring(parts[0])
        raise place.refused()

    def _leads(self, cause: _Subformula, goal: _Subformula) -> TemporalClaim:
        first, last = self._predicate(cause), self._predicate(goal)
        if first is None or last is None:
            raise (cause if first is None else goal).refused()
        return replace(self._claim("leads_to", goal, last), cause=first)

    def _claim(self, role: str, place: _Subformula, goal: PlacedRun) -> TemporalClaim:
        return TemporalClaim(role, place.term.span, place.arguments, goal)

    # Demands

    def _demands(self, place: _Subformula) -> Iterator[TlaDemand]:
        operator, parts = self._parts(place)
        if operator in ("/\\", "\\A"):
            for part in parts:
                yield from self._demands(part)
            return
        if operator == "fair":
            yield self._fairness(parts[0])
            return
        if operator in ("[]", "<>"):
            (claim,) = self._always(parts[0]) if operator == "[]" else self._eventually(parts[0])
            if claim.demand is not None:
                yield claim.demand
                return
            if claim.role in ("always_eventually", "eventually_always") and claim.goal:
                yield self._visits(claim, place)
                return
        raise place.refused()

    def _visits(self, claim: TemporalClaim, place: _Subformula) -> TlaDemand:
        """`[]<>P` and `<>[]P` as demands without steps: where P is false, they are enabled."""
        goal, strong = claim.goal, claim.role == "eventually_always"
        assert goal is not None
        enabled = replace(goal, run=negation(goal.run, claim.span), form="not")
        return TlaDemand(strong, _text(place.term.span), claim.arguments, enabled, None, False)

    def _fairness(self, place: _Subformula) -> TlaDemand:
        """WF or SF. The action is enabled if a step of it changes the subscript."""
        term = place.term
        assert isinstance(term, syntax.FairnessTerm)
        step = place.within(syntax.ActionBox(term.span, term.action, term.subscript, True))
        enabled = self.builder.enabled(step.term, place.scope, place.depth, False)
        return TlaDemand(
            term.strong,
            _name(term.action),
            place.arguments,
            _closed(enabled, step, "enabled"),
            self._run(step),
        )

    def _recurrence(self, place: _Subformula) -> TlaDemand:
        """`[]<><<A>>_v`: such a step, whether enabled or not."""
        return TlaDemand(
            False, _text(place.term.span), place.arguments, None, self._run(place), False
        )

    # Formulas

    def _meaning(self, place: _Subformula) -> Meaning:
        return self.builder.meaning(place.term, place.scope, place.depth, False)

    def _run(self, place: _Subformula) -> PlacedRun:
        return _closed(self._meaning(place), place)

    def _predicate(self, place: _Subformula) -> PlacedRun | None:
        """A formula without temporal operators and primes as a predicate; None of others."""
        try:
            made = self._meaning(place)
        except TemporalFormula:
            return None
        return None if made.level >= ACTION else _closed(made, place)

    def _parts(self, place: _Subformula) -> tuple[str, list[_Subformula]]:
        """The outermost operator of a formula, and what it is applied to.

        Of `\\A` these are the bodies for all values; "fair" is of WF and SF, "[A]" and "<<A>>" of
        `[A]_v` and `<<A>>_v`.
        """
        term = place.term
        if isinstance(term, syntax.Junction):
            return term.operator, [place.within(item) for item in term.items]
        if isinstance(term, syntax.Quantification) and term.quantifier == "\\A":
            return "\\A", list(self._each(place, term))
        if isinstance(term, syntax.FairnessTerm):
            return "fair", [place]
        if isinstance(term, syntax.ActionBox):
            return "<<A>>" if term.angle else "[A]", [place]
        if isinstance(term, syntax.LetTerm):
            inner, _ = self.builder.let_scope(term, place.scope, place.depth, False, -1)
            return self._parts(place._replace(term=term.body, scope=inner))
        if not isinstance(term, Applied):
            raise place.refused()
        symbol = self.builder.resolved(term, place.scope, place.depth)
        if symbol is None:
            return term.name, [place.within(argument) for argument in term.arguments]
        if isinstance(symbol, TermSymbol) and not symbol.arity:
            return self._parts(place._replace(term=symbol.term, scope=symbol.scope))
        if isinstance(symbol, OperatorSymbol) and symbol.body is not None and not symbol.recursive:
            inner = self.builder.placed(symbol, term, place.scope)
            with self.builder.expansion(symbol, term.span):
                return self._parts(place._replace(term=symbol.body, scope=inner))
        raise place.refused()

    def _each(self, place: _Subformula, term: syntax.Quantification) -> Iterator[_Subformula]:
        bound = binders.binding(self.builder, term.bounds, place.scope, place.depth, False)
        if any(made.level for made in bound.sets):
            raise place.refused()
        names = (*place.names, *(name for part in term.bounds for name in part.names))
        for values in bound.each(place.bound, None, None):
            yield _Subformula(term.body, bound.scope, bound.depth, values, names)


def _name(action: TlaTerm) -> str:
    """The name of an action, or its text."""
    if isinstance(action, Applied) and action.name[0].isalpha():
        return "!".join([*(part.name for part in action.path), action.name])
    return _text(action.span)


def _text(span: Span) -> str:
    """A formula as the module has it, on one line."""
    return " ".join(span.text().split())


@dataclass(frozen=True, eq=False)
class PlacedRun:
    """The function of an expression, with the expression and its bound values.

    `form` is "" for the value of the expression, "enabled" for ENABLED of it, "not" for its
    negation.
    """

    run: Run
    term: TlaTerm
    scope: TlaScope
    bound: Bound
    form: str = ""

    def __call__(self, c: Any, s: Any, n: Any) -> Value:
        return self.run(self.bound, s, n)


def _closed(made: Meaning, place: _Subformula, form: str = "") -> PlacedRun:
    return PlacedRun(made.run, place.term, place.scope, place.bound, form)
