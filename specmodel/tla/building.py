"""Makes functions of expressions: the evaluator of TLA+.

An expression becomes a Python function of the bound values (a tuple), the state, and the next state
(tuples; None where a variable has no value yet). The bound values have fixed places, so a name is
an index. As in TLC, definitions of LET, arguments and values of functions are computed when they
are used.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from specmodel.errors import SpecError
from specmodel.tla import actions, binders, logic, structures
from specmodel.tla import nodes as syntax
from specmodel.tla.applying import OperatorMaker
from specmodel.tla.calling import (
    NotFollowed,
    TemporalFormula,
    Thunk,
    bound_let,
    constant,
    not_a_value,
    once,
    once_a_state,
    parameters_of,
    refuse_arguments,
    slot_meaning,
    variable_meaning,
)
from specmodel.tla.modules import Resolver, defined
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import (
    ConstantSymbol,
    Meaning,
    NativeSymbol,
    OperatorSymbol,
    RefusedSymbol,
    Run,
    SlotSymbol,
    TermSymbol,
    TlaScope,
    TlaSymbol,
    VariableSymbol,
)
from specmodel.tla.values import EvaluationError, Value, settled, text_of


class Builder(OperatorMaker):
    """Makes functions of expressions, which see a scope and `depth` bound values."""

    def __init__(self, resolver: Resolver) -> None:
        super().__init__(resolver)
        self.expanding, self.made = [], []
        self._made: dict[type[TlaTerm], Callable[..., Meaning]] = {
            syntax.Numeral: self._literal,
            syntax.StringLiteral: self._literal,
            Applied: self._applied,
            syntax.Junction: logic.junction,
            syntax.Quantification: binders.quantified,
            syntax.ChooseTerm: binders.chosen,
            syntax.SetLiteral: structures.set_literal,
            syntax.SetFilter: binders.set_filter,
            syntax.SetImage: binders.set_image,
            syntax.FunctionLiteral: binders.function_literal,
            syntax.FunctionSet: structures.function_set,
            syntax.FunctionCall: structures.function_call,
            syntax.ExceptTerm: structures.except_term,
            syntax.OldValue: self._old,
            syntax.RecordLiteral: structures.record_literal,
            syntax.RecordSet: structures.record_set,
            syntax.FieldAccess: structures.field_access,
            syntax.TupleLiteral: structures.tuple_literal,
            syntax.ProductTerm: structures.product_term,
            syntax.IfTerm: logic.conditional,
            syntax.CaseTerm: logic.case,
            syntax.LetTerm: self._let,
            syntax.ActionBox: logic.box,
            syntax.FairnessTerm: self._temporal,
            syntax.LambdaTerm: self._lambda,
            syntax.PartOf: self._part,
            syntax.Refused: self._refused,
        }

    def meaning(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> Meaning:
        """The function of an expression. `primed`: its variables are those of the next state.

        Raises SpecError for what has no meaning, and TemporalFormula.
        """
        made = self._made[type(term)]
        found = made(self, term, scope, depth, primed)
        if found.closed and found.level == 0 and type(term) in _CACHED:
            return found if found.passed is not None else once(found.run)
        if found.closed and found.level == 1 and not primed and type(term) in _SEARCHED:
            return once_a_state(found.run)
        return found

    # Expressions

    def _literal(self, _: Builder, term: Any, *place: Any) -> Meaning:
        value = term.value
        if isinstance(value, int) and abs(value) > 2147483647:
            raise SpecError(f"{value} has more than 32 bits", term.span, "TLC takes none either")
        return constant(value)

    def _part(
        self, _: Builder, term: syntax.PartOf, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        symbol = self.resolved(term.definition, scope, depth)
        if not isinstance(symbol, OperatorSymbol) or symbol.body is None or symbol.bounds:
            raise SpecError("parts of this are not supported", term.span)
        found = symbol.body
        for place in term.places:
            items: tuple[TlaTerm, ...] = ()
            if isinstance(found, syntax.Junction):
                items = found.items
            elif isinstance(found, Applied) and not found.name[0].isalnum():
                items = found.arguments
            if place > len(items):
                raise SpecError("parts of this are not supported", term.span)
            found = items[place - 1] if place else found
        inner = self.placed(symbol, term.definition, scope)
        return self.meaning(found, inner, depth, primed)

    def _refused(self, _: Builder, term: syntax.Refused, *place: Any) -> Meaning:
        raise SpecError(f"{term.what}: not supported", term.span)

    def _temporal(self, _: Builder, term: TlaTerm, *place: Any) -> Meaning:
        raise TemporalFormula("a temporal formula has no value in a state", term.span)

    def _lambda(self, _: Builder, term: TlaTerm, *place: Any) -> Meaning:
        raise SpecError("a LAMBDA is no value: it is an argument of an operator", term.span)

    def _old(
        self, _: Builder, term: syntax.OldValue, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        found = scope.find("@")
        if not isinstance(found, SlotSymbol):
            raise SpecError("@ stands outside of an EXCEPT", term.span)
        return self._slot(found, term, scope, depth, primed)

    def _applied(
        self, _: Builder, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        symbol = self.resolved(term, scope, depth)
        if symbol is None:
            return logic.built_in(self, term, scope, depth, primed)
        return self.of_symbol(symbol, term, scope, depth, primed)

    def of_symbol(
        self, symbol: TlaSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        """The function of a symbol applied to the arguments of a term."""
        if isinstance(symbol, VariableSymbol):
            refuse_arguments(term, 0)
            return variable_meaning(symbol, term.span, primed)
        if isinstance(symbol, SlotSymbol):
            if symbol.arity:
                return self._call_slot(symbol, term, scope, depth, primed)
            refuse_arguments(term, 0)
            return self._slot(symbol, term, scope, depth, primed)
        if isinstance(symbol, OperatorSymbol):
            return self.applied_operator(symbol, term, scope, depth, primed)
        if isinstance(symbol, TermSymbol):
            return self._term(symbol, term, scope, depth, primed)
        if isinstance(symbol, NativeSymbol):
            return self.applied_native(symbol, term, scope, depth, primed)
        if isinstance(symbol, ConstantSymbol):
            return self._constant(symbol, term, scope, depth, primed)
        if isinstance(symbol, RefusedSymbol):
            raise NotFollowed(f"{symbol.name}: {symbol.why}", term.span)
        raise not_a_value(symbol, term)

    def _constant(
        self, symbol: ConstantSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        refuse_arguments(term, symbol.arity)
        value = symbol.value
        if value is None:
            raise SpecError(
                f"the constant {symbol.name} has no value",
                term.span,
                f"the configuration may say CONSTANT {symbol.name} = ...",
                symbol.span,
            )
        if not symbol.arity:
            return constant(value)
        parts = [self.meaning(a, scope, depth, primed) for a in term.arguments]
        span, runs = term.span, [part.run for part in parts]

        def run(c: Any, s: Any, n: Any) -> Value:
            key = tuple(settled(part(c, s, n)) for part in runs)
            found = value.get(key)
            if found is None:
                shown = ", ".join(map(text_of, key))
                raise EvaluationError(f"the configuration gives no {symbol.name}({shown})", span)
            return found

        return Meaning(run, max(p.level for p in parts), all(p.closed for p in parts))

    def _slot(
        self, symbol: SlotSymbol, term: TlaTerm, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        slot = symbol.slot
        if primed and not symbol.primed:
            if symbol.owner is not None:
                symbol.owner.primed_parameters.add(symbol.number)
            elif symbol.term is not None and symbol.scope is not None:
                later = self.meaning(symbol.term, symbol.scope, depth, True)
                if symbol.level:
                    return later
        known = slot_meaning(slot, symbol.level)
        if not symbol.lazy:
            return known

        def run(c: Any, s: Any, n: Any) -> Value:
            found = c[slot]
            return found.force() if found.__class__ is Thunk else found

        return Meaning(run, symbol.level, False, known.run)

    def _call_slot(
        self, symbol: SlotSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        """The call of a parameter that is an operator."""
        refuse_arguments(term, symbol.arity)
        slot = symbol.slot
        parts = [self.meaning(a, scope, depth, primed) for a in term.arguments]
        runs = [part.run for part in parts]
        level = max(part.level for part in parts)
        return Meaning(lambda c, s, n: c[slot](*[r(c, s, n) for r in runs]), level, False)

    def _term(
        self, symbol: TermSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        if not symbol.arity:
            refuse_arguments(term, 0)
            return self.meaning(symbol.term, symbol.scope, depth, primed)
        return self.call_term(symbol.term, symbol.scope, term, scope, depth, primed, self.meaning)

    def body_meaning(self, symbol: OperatorSymbol, body: TlaTerm, primed: bool) -> Meaning:
        if symbol.bounds:
            return binders.recursive_function(self, symbol, body, primed)
        scope = symbol.scope
        if symbol.parameters:
            scope = scope.inner(*parameters_of(symbol, symbol.base, primed))
        found = self.meaning(body, scope, symbol.base + symbol.arity, primed)
        if found.closed and found.level == 0 and not symbol.parameters:
            return once(found.run)
        return found

    def enabled(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> Meaning:
        """ENABLED of an action."""
        if primed:
            raise SpecError("ENABLED stands within a prime: not supported", term.span)
        return actions.enabled(self, term, scope, depth, self.own_variables(scope))

    def own_variables(self, scope: TlaScope) -> actions.OwnVariables | None:
        """The scope for ENABLED of an action that `scope` sees; None if it is `scope`.

        A variable of an instance may stand for an expression. ENABLED asks for next values of the
        variable itself, not of those that the expression has (Lamport, Specifying Systems, 17.8).
        """
        home = scope.home
        made = None if home is None else home.instance
        if home is None or made is None or made.depth:
            return None
        seen = made.modules[0]
        terms = tuple(Applied(made.unit.span, name) for name in made.variables)
        if all(logic.variable_of(self, term, seen, 0, True) is not None for term in terms):
            return None
        replaced = [name for name in self.overrides if isinstance(name, OperatorSymbol)]
        if any(name.scope.home in made.modules for name in replaced):
            return None  # the configuration says nothing of the same definition elsewhere
        free = self.resolver.freed(made)
        return actions.OwnVariables(
            scope.within(free.modules[made.modules.index(home)]), terms, seen
        )

    # LET

    def _let(
        self, _: Builder, term: syntax.LetTerm, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        scope, runs = self.let_scope(term, scope, depth, primed, 99)
        made = self.meaning(term.body, scope, depth + len(runs), primed)
        return Meaning(bound_let(runs, made.run), made.level, made.closed and not runs)

    def let_scope(
        self, term: syntax.LetTerm, scope: TlaScope, depth: int, primed: bool, lazy: int
    ) -> tuple[TlaScope, list[Run]]:
        """The scope of a LET's body, and the functions of the names that take a slot.

        Temporal formulas and names whose level is above `lazy` take none: their definitions are put
        in place.
        """
        runs: list[Run] = []
        for unit in term.units:
            if isinstance(unit, syntax.InstanceUnit) and not unit.name:
                raise SpecError("a LET takes no INSTANCE without a name", unit.span)
            for symbol in defined(unit, scope, scope, depth + len(runs), self.resolver):
                body = _plain_body(symbol)
                if body is None:
                    scope = scope.inner(symbol)
                    if isinstance(symbol, OperatorSymbol) and symbol.bounds:
                        symbol.scope = scope
                    continue
                made = None
                with suppress(TemporalFormula):
                    made = self.meaning(body, scope, depth + len(runs), primed)
                if made is None or made.level > lazy:
                    scope = scope.inner(TermSymbol(symbol.name, symbol.span, body, scope))
                    continue
                slot = SlotSymbol(symbol.name, symbol.span, depth + len(runs), True, made.level)
                slot.primed, slot.term, slot.scope = primed, body, scope
                scope = scope.inner(slot)
                runs.append(made.run)
        return scope, runs


def _plain_body(symbol: TlaSymbol) -> TlaTerm | None:
    """The body of a definition without parameters, which is evaluated once where it stands."""
    if not isinstance(symbol, OperatorSymbol) or symbol.parameters:
        return None
    return None if symbol.recursive or symbol.bounds else symbol.body


_SEARCHED = (
    syntax.SetFilter, syntax.SetImage, syntax.Quantification, syntax.ChooseTerm,
    syntax.FunctionLiteral,
)  # fmt: skip
_CACHED = (
    Applied, syntax.SetLiteral, syntax.SetFilter, syntax.SetImage, syntax.FunctionLiteral,
    syntax.FunctionSet, syntax.ExceptTerm, syntax.RecordLiteral, syntax.RecordSet,
    syntax.TupleLiteral, syntax.ProductTerm, syntax.Quantification, syntax.ChooseTerm,
    syntax.LetTerm, syntax.FunctionCall, syntax.FieldAccess, syntax.CaseTerm, syntax.IfTerm,
)  # fmt: skip
