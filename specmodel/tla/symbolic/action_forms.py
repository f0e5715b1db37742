"""What is known of an action from its form, before it is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from specmodel.tla import nodes as syntax
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import OperatorSymbol, TermSymbol, TlaScope, VariableSymbol
from specmodel.tla.symbolic.definitions import definition_of
from specmodel.tla.symbolic.evaluate import TlaEvaluator
from specmodel.tla.symbolic.evaluation import BoundSymbol
from specmodel.tla.symbolic.operations import NOTHING


class ActionForm(NamedTuple):
    """What the form of an action says.

    `ways` is the number of ways through it, where each choice of a member is one; `single` says
    that a state takes one of them at most, `assigns` that it gives a variable its next value.
    """

    ways: int = 1
    single: bool = True
    assigns: bool = False


class ActionForms:
    """The forms of the actions that an evaluator evaluates."""

    primed = False
    """Of an initial predicate, whose variables are as if they had a prime."""

    def __init__(self, evaluator: TlaEvaluator) -> None:
        self.evaluator = evaluator
        self._examined: list[OperatorSymbol] = []
        """The operators around what is examined, which may call themselves."""

    def form(self, term: TlaTerm, scope: TlaScope) -> ActionForm:
        """The form of an action, or of a part of one."""
        if isinstance(term, syntax.Junction):
            return self._joint(term.operator == "/\\", term.items, scope)
        if isinstance(term, syntax.Quantification):
            # The sets are not evaluated: what is outside of them has failures of its own.
            names = [
                BoundSymbol(name, span, NOTHING)
                for bound in term.bounds
                for name, span in zip(bound.names, bound.spans, strict=True)
            ]
            body = self.form(term.body, scope.over(*names))
            return body if term.quantifier == "\\A" else body._replace(single=False)
        if isinstance(term, syntax.IfTerm):
            return self._choice((term.then, term.other), scope)
        if isinstance(term, syntax.CaseTerm):
            others = [term.other] if term.other is not None else []
            return self._choice((*(value for _, value in term.arms), *others), scope)
        if isinstance(term, syntax.LetTerm):
            return self.form(term.body, self.evaluator.let_scope(term, scope))
        if isinstance(term, syntax.ActionBox):
            return ActionForm(2, False, True)
        if not isinstance(term, Applied):
            return ActionForm()
        symbol = self.evaluator.builder.resolved(term, scope, 0)
        if symbol is None:
            return self._built_in_form(term, scope)
        if isinstance(symbol, OperatorSymbol) and symbol.body is not None and not symbol.bounds:
            if symbol.recursive and symbol in self._examined:
                # As the rest of its body, and what this call gives it.
                return self._joint(True, term.arguments, scope)
            self._examined.append(symbol)
            try:
                return self.form(symbol.body, self.evaluator.inside(symbol, term, scope))
            finally:
                self._examined.pop()
        if isinstance(symbol, TermSymbol) and symbol.arity:
            return self.evaluator.builder.call_term(
                symbol.term, symbol.scope, term, scope, 0, False,
                lambda t, s, depth, primed: self.form(t, s),
            )  # fmt: skip
        inner = definition_of(symbol)
        return ActionForm() if inner is None else self.form(*inner)

    def _joint(self, every: bool, terms: Sequence[TlaTerm], scope: TlaScope) -> ActionForm:
        """The form of a conjunction or a disjunction."""
        forms = [self.form(term, scope) for term in terms]
        ways = prod(form.ways for form in forms) if every else sum(form.ways for form in forms)
        single = every and all(form.single for form in forms)
        return ActionForm(ways, single, any(form.assigns for form in forms))

    def _choice(self, terms: Sequence[TlaTerm], scope: TlaScope) -> ActionForm:
        """The form of a choice by conditions."""
        forms = [self.form(term, scope) for term in terms]
        single, assigns = (all(f.single for f in forms), any(f.assigns for f in forms))
        return ActionForm(sum(form.ways for form in forms), single, assigns)

    def _built_in_form(self, term: Applied, scope: TlaScope) -> ActionForm:
        name, arguments = term.name, term.arguments
        if name in ("/\\", "\\/"):
            return self._joint(name == "/\\", arguments, scope)
        if name == "=>":
            form = self.form(arguments[1], scope)
            return form._replace(ways=form.ways + 1)
        if name in ("=", "\\in") and self.variable(arguments[0], scope) is not None:
            return ActionForm(single=name == "=", assigns=True)
        return ActionForm(assigns=name == "UNCHANGED")

    def variable(self, term: TlaTerm, scope: TlaScope) -> int | None:
        """The variable whose next value a term is; None for any other term."""
        primed = self.primed
        while isinstance(term, Applied):
            if not primed and term.name == "'" and not term.path:
                (term,) = term.arguments
                primed = True
                continue
            if term.arguments:
                return None
            symbol = self.evaluator.builder.resolved(term, scope, 0)
            if isinstance(symbol, VariableSymbol):
                return symbol.index if primed else None
            inner = definition_of(symbol)
            if inner is None:
                return None
            term, scope = inner
        return None
