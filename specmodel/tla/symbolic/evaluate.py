"""Evaluates expressions of TLA+ on an unknown state.

As in TLC, definitions of LET and arguments of operators are evaluated where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from specmodel.errors import Span, SpecError
from specmodel.ir.symbolic.graph import Node
from specmodel.results.coverage import Kind
from specmodel.tla import nodes as syntax
from specmodel.tla.building import Builder
from specmodel.tla.calling import NO_NEXT_VALUE, refuse_arguments
from specmodel.tla.modules import defined
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import (
    ConstantSymbol,
    NativeSymbol,
    OperatorSymbol,
    RefusedSymbol,
    SlotSymbol,
    TermSymbol,
    TlaScope,
    TlaSymbol,
    VariableSymbol,
)
from specmodel.tla.symbolic.call_depths import CUT
from specmodel.tla.symbolic.evaluation import MOST_NESTED, BoundSymbol, Kept, LazySymbol
from specmodel.tla.symbolic.function_terms import FunctionTerms
from specmodel.tla.symbolic.natives import NATIVES
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.operators import BUILT_IN_OPERATORS
from specmodel.tla.symbolic.path import EvaluationPath, NotCompiled
from specmodel.tla.symbolic.values import (
    FALSE_VALUE,
    TRUE_VALUE,
    KnownValue,
    StateValue,
    truth_of,
)
from specmodel.tla.symbolic.visits import VisitedPlace
from specmodel.tla.values import EvaluationError


class TlaEvaluator(FunctionTerms):
    """Evaluates terms of every kind."""

    def __init__(
        self, builder: Builder, path: EvaluationPath, now: Sequence[StateValue | None]
    ) -> None:
        super().__init__(builder, path, now)
        self.made = {
            syntax.Numeral: self._literal,
            syntax.StringLiteral: self._literal,
            Applied: self._term_applied,
            syntax.Junction: self._junction,
            syntax.Quantification: self._quantified,
            syntax.ChooseTerm: self._chosen,
            syntax.SetLiteral: self._set_literal,
            syntax.SetFilter: self._filter,
            syntax.SetImage: self._image,
            syntax.FunctionLiteral: self._function,
            syntax.FunctionSet: self._function_set,
            syntax.FunctionCall: self._call,
            syntax.ExceptTerm: self._except,
            syntax.OldValue: self._old,
            syntax.RecordLiteral: self._record,
            syntax.RecordSet: self._record_set,
            syntax.FieldAccess: self._field,
            syntax.TupleLiteral: self._tuple,
            syntax.ProductTerm: self._product,
            syntax.IfTerm: self._if,
            syntax.CaseTerm: self._case,
            syntax.LetTerm: self._let,
            syntax.ActionBox: self._box,
            syntax.PartOf: self._part,
        }

    def _literal(self, term: Any, scope: TlaScope, primed: bool) -> StateValue:
        return KnownValue(term.value)

    def _term_applied(self, term: Applied, scope: TlaScope, primed: bool) -> StateValue:
        symbol = self.builder.resolved(term, scope, 0)
        if symbol is None:
            return self._built_in(term, scope, primed)
        return self.of_symbol(symbol, term, scope, primed)

    def of_symbol(
        self, symbol: TlaSymbol, term: Applied, scope: TlaScope, primed: bool
    ) -> StateValue:
        """The value of a symbol that is applied to the arguments of a term."""
        if isinstance(symbol, VariableSymbol):
            found = (self.after if primed else self.now)[symbol.index]
            if found is None:
                self.path.fail(self.graph.true, f"{symbol.name} {NO_NEXT_VALUE}", term.span)
                return NOTHING
            return found
        if isinstance(symbol, BoundSymbol):
            return symbol.value
        if isinstance(symbol, SlotSymbol) and symbol.slot < len(self.slots):
            return self.slots[symbol.slot]
        if isinstance(symbol, LazySymbol):
            return self._lazy(symbol, primed)
        if isinstance(symbol, ConstantSymbol):
            return self._constant(symbol, term, scope, primed)
        if isinstance(symbol, OperatorSymbol):
            return self._operator(symbol, term, scope, primed)
        if isinstance(symbol, TermSymbol):
            if not symbol.arity:
                return self.value(symbol.term, symbol.scope, primed)
            return self.builder.call_term(
                symbol.term, symbol.scope, term, scope, 0, primed, self._placed
            )
        if isinstance(symbol, NativeSymbol):
            return self._native(symbol, term, scope, primed)
        if isinstance(symbol, RefusedSymbol):
            raise NotCompiled(f"{symbol.name}: {symbol.why}", term.span)
        raise NotCompiled(f"{symbol.name} is not compiled here", term.span)

    def _placed(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> StateValue:
        return self.value(term, scope, primed)

    def _lazy(self, symbol: LazySymbol, primed: bool) -> StateValue:
        if primed not in symbol.kept:
            symbol.kept[primed] = Kept(self, lambda: self.value(symbol.term, symbol.scope, primed))
        return symbol.kept[primed].value()

    def _constant(
        self, symbol: ConstantSymbol, term: Applied, scope: TlaScope, primed: bool
    ) -> StateValue:
        refuse_arguments(term, symbol.arity)
        if not symbol.arity:
            return KnownValue(symbol.value)
        given = [self.value(a, scope, primed) for a in term.arguments]
        key = tuple(self.constant(value) for value in given)
        if key not in symbol.value:
            self.path.fail(self.graph.true, f"the configuration gives no {symbol.name}", term.span)
            return NOTHING
        return KnownValue(symbol.value[key])

    def _operator(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, primed: bool
    ) -> StateValue:
        refuse_arguments(term, symbol.arity)
        if symbol.body is None:
            raise NotCompiled(f"{symbol.name} is used before it is defined", term.span)
        if not symbol.parameters and (known := self._known_definition(symbol, term)) is not None:
            return known
        if symbol.bounds:
            return self._recursive_function(symbol, primed)
        if self.visits is not None:
            self.visits.enter(symbol)
        body, inner, calls = symbol.body, self.inside(symbol, term, scope), self.recursions
        if calls is None or not symbol.recursive:
            return self.deeper(lambda: self.value(body, inner, primed))
        place = symbol.span or term.span
        if not calls.enter(place, len(self.path.conditions)):
            self.path.fail(self.graph.true, CUT, place)
            return NOTHING
        try:
            return self.deeper(lambda: self.value(body, inner, primed))
        finally:
            calls.leave(place)

    def inside(self, symbol: OperatorSymbol, term: Applied, scope: TlaScope) -> TlaScope:
        """The scope of an operator's body; an argument is evaluated where it is used."""
        refuse_arguments(term, symbol.arity)
        if self.depth > MOST_NESTED:
            raise NotCompiled(f"{symbol.name} calls itself too deeply", term.span)
        symbols = [
            TermSymbol(p.name, p.span, argument, scope, p.arity)
            if p.arity
            else self._argument(p.name, p.span, argument, scope)
            for p, argument in zip(symbol.parameters, term.arguments, strict=True)
        ]
        return symbol.scope.over(*symbols)

    def _argument(self, name: str, span: Span, term: TlaTerm, scope: TlaScope) -> TlaSymbol:
        if isinstance(term, Applied) and not term.arguments and not term.path:
            symbol = scope.find(term.name)
            if isinstance(symbol, BoundSymbol):
                return BoundSymbol(name, span, symbol.value)
        if isinstance(term, syntax.Numeral | syntax.StringLiteral):
            return BoundSymbol(name, span, KnownValue(term.value))
        return LazySymbol(name, span, term, scope)

    def _known_definition(self, symbol: OperatorSymbol, term: Applied) -> StateValue | None:
        """The value of a definition that depends on nothing; None for any other."""
        known = self.definitions
        if symbol not in known:
            known[symbol] = None
            try:
                made = self.builder.body(symbol, False, term.span)
            except SpecError:
                return None
            if getattr(made, "level", 1) == 0 and getattr(made, "closed", False):
                try:
                    known[symbol] = KnownValue(made.run((), None, None))
                except (EvaluationError, RecursionError):
                    return None
        return known[symbol]

    definitions: dict[OperatorSymbol, StateValue | None]

    def _native(
        self, symbol: NativeSymbol, term: Applied, scope: TlaScope, primed: bool
    ) -> StateValue:
        if symbol.reads is not None:
            return self.of_symbol(symbol.reads, term, scope, primed)
        refuse_arguments(term, len(symbol.orders))
        given: list[Any] = [
            self.operator_argument(a, order, scope, primed)
            if order
            else self.value(a, scope, primed)
            for a, order in zip(term.arguments, symbol.orders, strict=True)
        ]
        if symbol.call is not None and all(isinstance(value, KnownValue) for value in given):
            try:
                return KnownValue(symbol.call(*[value.value for value in given]))
            except EvaluationError as wrong:
                self.path.refuse(wrong, term.span)
                return NOTHING
        made = NATIVES.get(symbol.name)
        if made is None:
            what = f"{symbol.name} of a value that depends on the state is not compiled"
            raise NotCompiled(what, term.span)
        return made(self, given, term.span)

    def operator_argument(
        self, term: TlaTerm, arity: int, scope: TlaScope, primed: bool
    ) -> Callable[..., StateValue]:
        """An argument that is an operator, as a function of values."""

        def call(*values: StateValue) -> StateValue:
            symbols = [BoundSymbol(f"#{i}", term.span, v) for i, v in enumerate(values)]
            names = tuple(Applied(term.span, symbol.name) for symbol in symbols)
            applied = Applied(term.span, "operator", names)
            inner = scope.over(*symbols)
            return self.builder.call_term(term, inner, applied, inner, 0, primed, self._placed)

        return call

    def _built_in(self, term: Applied, scope: TlaScope, primed: bool) -> StateValue:
        name, arguments = term.name, term.arguments
        if name in ("/\\", "\\/"):
            return self._junction(syntax.Junction(term.span, name, arguments), scope, primed)
        if name == "=>":
            first = self.holds(arguments[0], scope, primed)
            g = self.graph
            if not self.path.possible(first):
                self._dead(arguments[1], arguments[:1], "implies")
                return TRUE_VALUE
            with self.path.assuming(first), self._hanging(arguments[1], arguments[:1], "implies"):
                second = self.holds(arguments[1], scope, primed)
            return truth_of(g.either(g.negate(first), second))
        if name == "~":
            return truth_of(self.graph.negate(self.holds(arguments[0], scope, primed)))
        if name == "'":
            return self.value(arguments[0], scope, True)
        if name == "UNCHANGED":
            return truth_of(self.unchanged(arguments[0], scope))
        if name == "ENABLED":
            if self.enabled is None or primed:
                raise NotCompiled("ENABLED is not compiled here", term.span)
            return truth_of(self.enabled(arguments[0], scope))
        if name == "UNION":
            return self._big_union(arguments[0], scope, primed)
        made = BUILT_IN_OPERATORS.get(name)
        if made is None:
            raise NotCompiled(f"{name} is not compiled here", term.span)
        given = [self.value(a, scope, primed) for a in arguments]
        return made(self, given, term.span)

    def unchanged(self, term: TlaTerm, scope: TlaScope) -> Node:
        """Whether a term has the same value in both states of a step."""
        before, after = self.value(term, scope, False), self.value(term, scope, True)
        return self.equal(before, after, term.span)

    def _junction(self, term: syntax.Junction, scope: TlaScope, primed: bool) -> StateValue:
        g, every = self.graph, term.operator == "/\\"
        found: list[Node] = []
        opened = len(self.path.conditions)
        try:
            for place, item in enumerate(term.items):
                before = () if every else term.items[:place]
                with self._hanging(item, before, "or"):
                    node = self.path.simplified(self.holds(item, scope, primed))
                found.append(node)
                going = node if every else g.negate(node)
                if going is g.false:
                    for after in term.items[place + 1 : place + 2]:
                        self._dead(after, () if every else term.items[: place + 1], "or")
                    break
                if not going.constant:
                    self.path.assume(going)
        finally:
            self.path.forget(opened)
        return truth_of(g.both(*found) if every else g.either(*found))

    def _if(self, term: syntax.IfTerm, scope: TlaScope, primed: bool) -> StateValue:
        g, test = self.graph, self.path.simplified(self.holds(term.test, scope, primed))
        if test.constant:
            arms: tuple[tuple[Kind, TlaTerm], ...] = (("then", term.then), ("else", term.other))
            (kind, taken), (never, dead) = arms if test.value else arms[::-1]
            self._dead(dead, (term.test,), "", never)
            with self._hanging(taken, (term.test,), "", kind):
                return self.value(taken, scope, primed)
        with self.path.assuming(test), self._hanging(term.then, (term.test,), "", "then"):
            then = self.value(term.then, scope, primed)
        denied = self.path.assuming(g.negate(test))
        with denied, self._hanging(term.other, (term.test,), "", "else"):
            other = self.value(term.other, scope, primed)
        return self.select(test, then, other)

    def _hanging(
        self, term: TlaTerm, before: Sequence[TlaTerm], operator: str, kind: Kind = "operand"
    ) -> AbstractContextManager[None]:
        """Notes that a term is evaluated because of the terms before it, if a property's are."""
        if self.visits is None or not before:
            return nullcontext()
        return self.visits.within(_place(term, before, operator, kind))

    def _dead(
        self, term: TlaTerm, before: Sequence[TlaTerm], operator: str, kind: Kind = "operand"
    ) -> None:
        """Notes that a term is not evaluated because of the terms before it."""
        if self.visits is not None and before:
            self.visits.dead(_place(term, before, operator, kind))

    def _case(self, term: syntax.CaseTerm, scope: TlaScope, primed: bool) -> StateValue:
        g, arms, before = self.graph, list[tuple[Node, StateValue]](), list[Node]()
        for test, value in term.arms:
            with self.path.assuming(*before):
                here = self.path.simplified(self.holds(test, scope, primed))
                if here is not g.false:
                    with self.path.assuming(here):
                        arms.append((g.both(*before, here), self.value(value, scope, primed)))
            if here is g.true:
                return self.merged(arms)
            before.append(g.negate(here))
        with self.path.assuming(*before):
            if term.other is not None:
                arms.append((g.both(*before), self.value(term.other, scope, primed)))
            else:
                self.path.fail(g.true, "no arm of the CASE is true", term.span)
        return self.merged(arms)

    def _let(self, term: syntax.LetTerm, scope: TlaScope, primed: bool) -> StateValue:
        return self.value(term.body, self.let_scope(term, scope), primed)

    def let_scope(self, term: syntax.LetTerm, scope: TlaScope) -> TlaScope:
        """The scope of a LET's body."""
        for unit in term.units:
            for symbol in defined(unit, scope, scope, 0, self.builder.resolver):
                if (
                    isinstance(symbol, OperatorSymbol)
                    and not symbol.parameters
                    and not symbol.bounds
                    and not symbol.recursive
                    and symbol.body is not None
                ):
                    symbol = LazySymbol(symbol.name, symbol.span, symbol.body, scope)
                elif isinstance(symbol, OperatorSymbol):
                    self.definitions[symbol] = None
                scope = scope.over(symbol)
                if isinstance(symbol, OperatorSymbol) and symbol.bounds:
                    symbol.scope = scope
        return scope

    def _part(self, term: syntax.PartOf, scope: TlaScope, primed: bool) -> StateValue:
        symbol = self.builder.resolved(term.definition, scope, 0)
        if not isinstance(symbol, OperatorSymbol) or symbol.body is None or symbol.bounds:
            raise NotCompiled("parts of this are not compiled", term.span)
        found = symbol.body
        for place in term.places:
            items: tuple[TlaTerm, ...] = ()
            if isinstance(found, syntax.Junction):
                items = found.items
            elif isinstance(found, Applied) and not found.name[0].isalnum():
                items = found.arguments
            if place > len(items):
                raise NotCompiled("parts of this are not compiled", term.span)
            found = items[place - 1] if place else found
        return self.value(found, self.inside(symbol, term.definition, scope), primed)

    def _box(self, term: syntax.ActionBox, scope: TlaScope, primed: bool) -> StateValue:
        g, act = self.graph, self.holds(term.action, scope, primed)
        going = act if term.angle else g.negate(act)
        if not self.path.possible(going):
            return FALSE_VALUE if term.angle else TRUE_VALUE
        with self.path.assuming(going):
            same = self.unchanged(term.subscript, scope)
        return truth_of(g.both(act, g.negate(same)) if term.angle else g.either(act, same))


def _place(term: TlaTerm, before: Sequence[TlaTerm], operator: str, kind: Kind) -> VisitedPlace:
    joined = " \\/ ".join(each.span.text() for each in before)
    return VisitedPlace(kind, term.span, joined, operator)
