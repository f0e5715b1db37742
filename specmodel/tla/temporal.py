"""Takes temporal formulas apart into claims and demands that a search of a graph can decide.

Of the forms that most specifications use a violation is explained, and its cycle is the smallest.
A conjunct of another form is read as a formula over predicates of states and steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from specmodel.errors import SpecError
from specmodel.liveness.linear_time import (
    AllOf,
    Always,
    AnyOf,
    Atomic,
    Eventually,
    LinearFormula,
    negated,
)
from specmodel.tla import binders
from specmodel.tla import nodes as syntax
from specmodel.tla.building import Builder
from specmodel.tla.calling import ACTION, TemporalFormula, no_truth
from specmodel.tla.claims import Bound, PlacedRun, TemporalAtom, TemporalClaim, TlaDemand, text_at
from specmodel.tla.logic import negation
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import Meaning, OperatorSymbol, TermSymbol, TlaScope
from specmodel.tla.values import FALSE, TRUE, Value


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
        """The error about what is not followed."""
        return Undecided("this form of a temporal formula is not followed", self.term.span)


class TemporalReader:
    """Reads temporal formulas, with definitions put in their places.

    Raises Undecided, and SpecError for what has no meaning.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.following: tuple[TlaTerm, TlaScope] | None = None
        """The next-state action, which each step of the graph takes."""
        self._atoms: dict[tuple[int, int, Bound], TemporalAtom] = {}

    def claims(self, term: TlaTerm, scope: TlaScope) -> list[TemporalClaim]:
        """The claims that together are a formula."""
        return list(self._claims(_Subformula(term, scope, 0, (), ())))

    def demands(self, term: TlaTerm, scope: TlaScope) -> list[TlaDemand]:
        """The demands that together are a formula."""
        return list(self._demands(_Subformula(term, scope, 0, (), ())))

    def formula(self, term: TlaTerm, scope: TlaScope) -> LinearFormula:
        """A formula of any form."""
        return self._formula(_Subformula(term, scope, 0, (), ()), True)

    # Claims

    def _claims(self, place: _Subformula) -> Iterator[TemporalClaim]:
        if (run := self._predicate(place)) is not None:
            yield self._claim("state", place, run)
            return
        operator, parts = self._parts(place)
        if operator in ("/\\", "\\A"):
            for part in parts:
                yield from self._claims(part)
            return
        try:
            yield from list(self._of_form(place, operator, parts))
        except Undecided:
            formula = self._formula(place, True)
            yield TemporalClaim("formula", place.term.span, place.arguments, formula=formula)

    def _of_form(
        self, place: _Subformula, operator: str, parts: list[_Subformula]
    ) -> Iterator[TemporalClaim]:
        """The claims of a formula of a form of which violations are explained."""
        if operator == "fair":
            demand = self._fairness(parts[0])
            yield TemporalClaim("demand", place.term.span, place.arguments, demand=demand)
        elif operator == "[]":
            yield from self._always(parts[0])
        elif operator == "<>":
            yield from self._eventually(parts[0])
        elif operator == "~>":
            yield self._leads(*parts)
        elif operator == "=>":
            given, assumed = self._given(parts[0])
            claims = [] if assumed else list(self._claims(parts[1]))
            if assumed or any(claim.role in ("state", "always", "step") for claim in claims):
                formula = AnyOf((*map(negated, assumed), self._formula(parts[1], True)))
                whole = TemporalClaim("formula", place.term.span, place.arguments)
                claims = [replace(whole, formula=formula)]
            for claim in claims:
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

    # Formulas of any form

    def _formula(self, place: _Subformula, held: bool) -> LinearFormula:
        """A formula; with `held` false, its negation."""
        if (known := self._constant(place)) is not None:
            return _TRUTH[known is held]
        if (run := self._predicate(place)) is not None:
            return Atomic(self._atom(place, run, False, False), held)
        operator, parts = self._parts(place)
        if operator == "~":
            return self._formula(parts[0], not held)
        if operator in _JOINED:
            join = AllOf if (operator in ("/\\", "\\A")) is held else AnyOf
            return join(tuple(self._formula(part, held) for part in parts))
        if operator in ("=>", "~>"):
            cause, goal = self._formula(parts[0], not held), self._formula(parts[1], held)
            if operator == "=>":
                return (AnyOf if held else AllOf)((cause, goal))
            if held:
                return Always(AnyOf((cause, Eventually(goal))))
            return Eventually(AllOf((cause, Always(goal))))
        if operator in ("<=>", "\\equiv"):
            first, last = parts
            return AnyOf(
                tuple(
                    AllOf((self._formula(first, one), self._formula(last, one is held)))
                    for one in (True, False)
                )
            )
        if operator == "IF":
            test, then, other = parts
            return AnyOf(
                (
                    AllOf((self._formula(test, True), self._formula(then, held))),
                    AllOf((self._formula(test, False), self._formula(other, held))),
                )
            )
        if operator == "fair":
            whole = self._fairness(parts[0]).formula
            return whole if held else negated(whole)
        if operator in ("[]", "<>"):
            part = self._step(operator, parts[0], held) or self._formula(parts[0], held)
            return (Always if (operator == "[]") is held else Eventually)(part)
        raise place.refused()

    def _step(self, operator: str, place: _Subformula, held: bool) -> LinearFormula | None:
        """The part of `[][A]_v` and `<><<A>>_v`; None of another formula."""
        try:
            inner, parts = self._parts(place)
        except (TemporalFormula, Undecided):
            return None
        if inner != {"[]": "[A]", "<>": "<<A>>"}[operator]:
            return None
        return Atomic(self._atom(parts[0], self._run(parts[0]), True, inner == "[A]"), held)

    def _atom(self, place: _Subformula, run: PlacedRun, step: bool, box: bool) -> TemporalAtom:
        """A predicate, the same one for the same place."""
        key = (id(place.term), id(place.scope), place.bound)
        return self._atoms.setdefault(key, TemporalAtom(run, step, box))

    def _constant(self, place: _Subformula) -> bool | None:
        """The truth of what depends on no state; None of other formulas."""
        try:
            made = self._meaning(place)
        except TemporalFormula:
            return None
        if made.level:
            return None
        value = made.run(place.bound, None, None)
        if value is not TRUE and value is not FALSE:
            raise no_truth(value, place.term.span)
        return value is TRUE

    # Demands

    def _given(self, place: _Subformula) -> tuple[list[TlaDemand], list[LinearFormula]]:
        """What an antecedent says: demands, and formulas that are none."""
        try:
            return list(self._demands(place)), []
        except (Undecided, TemporalFormula):
            operator, parts = self._parts(place)
        if operator not in ("/\\", "\\A"):
            return [], [self._formula(place, True)]
        demands: list[TlaDemand] = []
        others: list[LinearFormula] = []
        for part in parts:
            given, assumed = self._given(part)
            demands += given
            others += assumed
        return demands, others

    def _demands(self, place: _Subformula) -> Iterator[TlaDemand]:
        operator, parts = self._parts(place)
        if operator in ("/\\", "\\A"):
            for part in parts:
                yield from self._demands(part)
            return
        if operator == "fair":
            yield self._fairness(parts[0])
            return
        if operator == "=>" and (known := self._constant(parts[0])) is not None:
            yield from self._demands(parts[1]) if known else ()
            return
        if operator in ("[]", "<>"):
            always = operator == "[]"
            for claim in self._always(parts[0]) if always else self._eventually(parts[0]):
                yield claim.demand or self._visits(claim, place)
            return
        raise place.refused()

    def _visits(self, claim: TemporalClaim, place: _Subformula) -> TlaDemand:
        """`[]<>P` and `<>[]P` as demands without steps: where P is false, they are enabled."""
        goal, strong = claim.goal, claim.role == "eventually_always"
        if goal is None or claim.role not in ("always_eventually", "eventually_always"):
            raise place.refused()
        enabled = replace(goal, run=negation(goal.run, claim.span), form="not")
        return TlaDemand(strong, text_at(place.term.span), claim.arguments, enabled, None, False)

    def _fairness(self, place: _Subformula) -> TlaDemand:
        """WF or SF. The action is enabled if a step of it changes the subscript."""
        term = place.term
        assert isinstance(term, syntax.FairnessTerm)
        step = place.within(syntax.ActionBox(term.span, term.action, term.subscript, True))
        enabled = self.builder.enabled(step.term, place.scope, place.depth, False)
        taken = step
        if self._is_following(place.within(term.action)):
            always = Applied(term.action.span, "TRUE")
            taken = place.within(syntax.ActionBox(term.span, always, term.subscript, True))
        return TlaDemand(
            term.strong,
            _name(term.action),
            place.arguments,
            _closed(enabled, step, "enabled"),
            self._run(taken),
        )

    def _is_following(self, action: _Subformula) -> bool:
        """Whether an action is the next-state action, by its name."""
        if self.following is None:
            return False
        found = [
            self.builder.resolved(term, scope, action.depth)
            for term, scope in (self.following, (action.term, action.scope))
            if isinstance(term, Applied) and not term.path and not term.arguments
        ]
        return len(found) == 2 and isinstance(found[0], OperatorSymbol) and found[0] is found[1]

    def _recurrence(self, place: _Subformula) -> TlaDemand:
        """`[]<><<A>>_v`: such a step, whether enabled or not."""
        return TlaDemand(
            False, text_at(place.term.span), place.arguments, None, self._run(place), False
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

        Of a quantifier these are the bodies for all values; "fair" is of WF and SF, "[A]" and
        "<<A>>" of `[A]_v` and `<<A>>_v`, "IF" of IF.
        """
        term = place.term
        if isinstance(term, syntax.Junction):
            return term.operator, [place.within(item) for item in term.items]
        if isinstance(term, syntax.Quantification) and term.quantifier in ("\\A", "\\E"):
            return term.quantifier, list(self._each(place, term))
        if isinstance(term, syntax.IfTerm):
            return "IF", [place.within(part) for part in (term.test, term.then, term.other)]
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


_JOINED = ("/\\", "\\/", "\\A", "\\E")
_TRUTH: dict[bool, LinearFormula] = {True: AllOf(()), False: AnyOf(())}


def _name(action: TlaTerm) -> str:
    """The name of an action, or its text."""
    if isinstance(action, Applied) and action.name[0].isalpha():
        return "!".join([*(part.name for part in action.path), action.name])
    return text_at(action.span)


def _closed(made: Meaning, place: _Subformula, form: str = "") -> PlacedRun:
    return PlacedRun(made.run, place.term, place.scope, place.bound, form)
