"""Makes functions of expressions: the evaluator of TLA+.

An expression becomes a Python function of the bound values (a tuple), the state, and the next state
(tuples; None where a variable has no value yet). The bound values have fixed places, so a name is
an index. As in TLC, definitions of LET, arguments and values of functions are computed when they
are used. An operator whose argument may mean different things in the two states of a step is not
called but put in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from specmodel.errors import Span, SpecError
from specmodel.tla import actions, binders, logic
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import (
    ACTION,
    TemporalFormula,
    Thunk,
    arguments_of,
    bound_let,
    near,
    once,
    parameters_of,
    refuse_arguments,
    strict,
    variable_meaning,
    wrong_count,
)
from specmodel.tla.modules import Resolver, defined
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import (
    ConstantSymbol,
    InstanceSymbol,
    Meaning,
    ModuleScope,
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


def _unmade(c: Any, s: Any, n: Any) -> Value:
    raise NotImplementedError


class Pending:
    """The function of an operator that is being made, for operators that call themselves."""

    __slots__ = ("level", "run")

    def __init__(self, level: int) -> None:
        self.run: Run = _unmade
        self.level = level


class Builder:
    """Makes functions of expressions, which see a scope and `depth` bound values.

    `overrides` are the definitions that a configuration puts in place of others, and
    `module_overrides` those within one module.
    """

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.overrides: dict[TlaSymbol, TlaSymbol] = {}
        self.module_overrides: dict[tuple[str, str], TlaSymbol] = {}
        self.expanding: list[OperatorSymbol] = []
        self._made: dict[type[TlaTerm], Callable[..., Meaning]] = {
            syntax.Numeral: self._literal,
            syntax.StringLiteral: self._literal,
            Applied: self._applied,
            syntax.Junction: logic.junction,
            syntax.Quantification: binders.quantified,
            syntax.ChooseTerm: binders.chosen,
            syntax.SetLiteral: binders.set_literal,
            syntax.SetFilter: binders.set_filter,
            syntax.SetImage: binders.set_image,
            syntax.FunctionLiteral: binders.function_literal,
            syntax.FunctionSet: binders.function_set,
            syntax.FunctionCall: binders.function_call,
            syntax.ExceptTerm: binders.except_term,
            syntax.OldValue: self._old,
            syntax.RecordLiteral: binders.record_literal,
            syntax.RecordSet: binders.record_set,
            syntax.FieldAccess: binders.field_access,
            syntax.TupleLiteral: binders.tuple_literal,
            syntax.ProductTerm: binders.product_term,
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
            return Meaning(once(found.run), 0, True)
        return found

    # Names

    def find(self, name: str, span: Span, scope: TlaScope) -> TlaSymbol | None:
        """What a name stands for, once the configuration has replaced it; None for a built-in."""
        found = scope.find(name)
        if self.module_overrides:
            other = self.module_overrides.get((scope.module, name))
            if other is not None:
                return other
        if found is None:
            if name in logic.BUILT_IN:
                return None
            known = [n for n in scope.known() if n[0].isalpha()] if name[0].isalpha() else []
            raise SpecError(f"{name} has no meaning here{near(name, known)}", span)
        return self.overrides.get(found, found)

    def resolved(self, term: Applied, scope: TlaScope, depth: int) -> TlaSymbol | None:
        """The symbol of an applied operator, with the instances before it.

        None for a built-in operator.
        """
        if not term.path:
            return self.find(term.name, term.span, scope)
        content: TlaScope = scope
        for component in term.path:
            instance = self.find(component.name, component.span, content)
            if not isinstance(instance, InstanceSymbol):
                raise SpecError(f"{component.name} is no instance of a module", component.span)
            content = self._content(instance, component, scope, depth)
        assert isinstance(content, ModuleScope)
        found = content.own(term.name)
        if found is None or term.name in content.local:
            names = [symbol.name for symbol in content.exported()]
            inst = "!".join(part.name for part in term.path)
            raise SpecError(f"{inst} defines no {term.name}{near(term.name, names)}", term.span)
        return self.overrides.get(found, found)

    def _content(
        self, instance: InstanceSymbol, component: Applied, scope: TlaScope, depth: int
    ) -> ModuleScope:
        parameters = instance.unit.parameters
        if len(parameters) != len(component.arguments):
            raise wrong_count(component, len(parameters))
        if instance.content is not None:
            return instance.content
        symbols = [
            TermSymbol(p.name, p.span, argument, scope, p.arity)
            for p, argument in zip(parameters, component.arguments, strict=True)
        ]
        return self.resolver.instance(instance.unit, instance.scope.over(*symbols), depth)

    # Expressions

    def _literal(self, _: Builder, term: Any, *place: Any) -> Meaning:
        value = term.value
        if isinstance(value, int) and abs(value) > 2147483647:
            raise SpecError(f"{value} has more than 32 bits", term.span, "TLC takes none either")
        return Meaning(lambda c, s, n: value, 0, True)

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
            return self._operator(symbol, term, scope, depth, primed)
        if isinstance(symbol, TermSymbol):
            return self._term(symbol, term, scope, depth, primed)
        if isinstance(symbol, NativeSymbol):
            return self._native(symbol, term, scope, depth, primed)
        if isinstance(symbol, ConstantSymbol):
            return self._constant(symbol, term, scope, depth, primed)
        if isinstance(symbol, RefusedSymbol):
            raise SpecError(f"{symbol.name}: {symbol.why}", term.span)
        raise SpecError(f"{symbol.name} is an instance, not a value", term.span)

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
            return Meaning(lambda c, s, n: value, 0, True)
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
            elif symbol.level and symbol.term is not None and symbol.scope is not None:
                return self.meaning(symbol.term, symbol.scope, depth, True)
        if not symbol.lazy:
            return Meaning(lambda c, s, n: c[slot], symbol.level, False)

        def run(c: Any, s: Any, n: Any) -> Value:
            found = c[slot]
            return found.force() if found.__class__ is Thunk else found

        return Meaning(run, symbol.level, False)

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

    def call_term(
        self,
        operator: TlaTerm,
        seen: TlaScope,
        term: Applied,
        scope: TlaScope,
        depth: int,
        primed: bool,
        make: Callable[[TlaTerm, TlaScope, int, bool], Any],
    ) -> Any:
        """An operator that was passed as an argument (seen from `seen`), put in place of a call."""
        if isinstance(operator, syntax.LambdaTerm):
            refuse_arguments(term, len(operator.parameters))
            symbols = [
                TermSymbol(p.name, p.span, argument, scope)
                for p, argument in zip(operator.parameters, term.arguments, strict=True)
            ]
            return make(operator.body, seen.over(*symbols), depth, primed)
        if not isinstance(operator, Applied) or operator.arguments:
            raise SpecError("an operator is needed here, not a value", operator.span)
        names = [f"#{i}" for i in range(len(term.arguments))]
        symbols = [
            TermSymbol(name, argument.span, argument, scope, 0)
            for name, argument in zip(names, term.arguments, strict=True)
        ]
        inner = tuple(Applied(a.span, n) for n, a in zip(names, term.arguments, strict=True))
        applied = Applied(operator.span, operator.name, inner, operator.path)
        return make(applied, seen.over(*symbols), depth, primed)

    # Operators

    def _operator(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        arguments = term.arguments
        refuse_arguments(term, symbol.arity)
        if not arguments:
            made = self.body(symbol, primed, term.span)
            base = symbol.base
            if isinstance(made, Pending):
                return Meaning(lambda c, s, n: made.run(c[:base], s, n), made.level, False)
            run = made.run
            if not base:
                return Meaning(lambda c, s, n: run((), s, n), made.level, made.closed)
            return Meaning(lambda c, s, n: run(c[:base], s, n), made.level, made.closed)
        if self.in_place(symbol, term, scope, depth, primed):
            inner = self.placed(symbol, term, scope)
            with self.expansion(symbol, term.span):
                assert symbol.body is not None
                return self.meaning(symbol.body, inner, depth, primed)
        return self._called(symbol, term, scope, depth, primed)

    def in_place(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> bool:
        """Whether an operator is put in place, not called, because of its arguments.

        Raises SpecError for a wrong number of arguments, and for a recursive operator that would
        have to be put in place.
        """
        refuse_arguments(term, symbol.arity)
        orders = [p.arity for p in symbol.parameters]
        if any(orders) and not symbol.recursive:
            return True
        plain = [a for a, order in zip(term.arguments, orders, strict=True) if not order]
        levels = [self.meaning(a, scope, depth, primed).level for a in plain]
        if not symbol.recursive and max(levels, default=0) >= ACTION:
            return True
        self.body(symbol, primed, term.span)
        reached = any(
            number in symbol.primed_parameters
            and not order
            and self.meaning(argument, scope, depth, primed).level > 0
            for number, (argument, order) in enumerate(zip(term.arguments, orders, strict=True))
        )
        if reached and symbol.recursive:
            raise SpecError(
                f"{symbol.name} is recursive, and primes a parameter: not supported", term.span
            )
        return reached

    def placed(self, symbol: OperatorSymbol, term: Applied, scope: TlaScope) -> TlaScope:
        """The scope of an operator's body with the arguments of a term in place of parameters.

        Raises SpecError for a wrong number of arguments.
        """
        refuse_arguments(term, symbol.arity)
        symbols = [
            TermSymbol(p.name, p.span, argument, scope, p.arity)
            for p, argument in zip(symbol.parameters, term.arguments, strict=True)
        ]
        return symbol.scope.over(*symbols)

    def _called(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        made = self.body(symbol, primed, term.span)
        parts = [
            self.operator(a, p.arity, scope, depth, primed)
            if p.arity
            else self.meaning(a, scope, depth, primed)
            for p, a in zip(symbol.parameters, term.arguments, strict=True)
        ]
        given = arguments_of(parts, [p.arity for p in symbol.parameters], term.arguments)
        level = max(made.level, *(part.level for part in parts))
        closed = all(part.closed for part in parts) and not symbol.base
        base = symbol.base
        if isinstance(made, Pending):

            def recurse(c: Any, s: Any, n: Any) -> Value:
                return made.run((*c[:base], *given(c, s, n)), s, n)

            return Meaning(recurse, level, False)
        run = made.run
        if not base:
            return Meaning(lambda c, s, n: run(given(c, s, n), s, n), level, closed)
        return Meaning(lambda c, s, n: run((*c[:base], *given(c, s, n)), s, n), level, closed)

    def body(self, symbol: OperatorSymbol, primed: bool, span: Span) -> Meaning | Pending:
        """The function of an operator's body, of its parameters after the shared bound values."""
        found = symbol.codes.get(primed)
        if found is not None:
            return found
        if symbol.body is None:
            raise SpecError(f"{symbol.name} is used before it is defined", span, "", symbol.span)
        if not symbol.recursive and symbol in self.expanding:
            raise SpecError(f"{symbol.name} is defined by itself", span, "", symbol.span)
        level = 0
        while True:
            pending = symbol.codes[primed] = Pending(level)
            self.expanding.append(symbol)
            try:
                made = self._body(symbol, symbol.body, primed)
            except BaseException:
                del symbol.codes[primed]
                raise
            finally:
                self.expanding.pop()
            pending.run = made.run
            if made.level <= level or not symbol.recursive:
                break
            level = made.level
        symbol.codes[primed] = made
        return made

    def _body(self, symbol: OperatorSymbol, body: TlaTerm, primed: bool) -> Meaning:
        if symbol.bounds:
            return binders.recursive_function(self, symbol, body, primed)
        scope = symbol.scope
        if symbol.parameters:
            scope = scope.inner(*parameters_of(symbol, symbol.base, primed))
        found = self.meaning(body, scope, symbol.base + symbol.arity, primed)
        if found.closed and found.level == 0 and not symbol.parameters:
            return Meaning(once(found.run), 0, True)
        return found

    def operator(
        self, term: TlaTerm, arity: int, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        """An argument that is an operator: evaluates to a Python function of values."""
        if isinstance(term, Applied) and not term.arguments and not term.path:
            symbol = self.find(term.name, term.span, scope)
            if isinstance(symbol, SlotSymbol) and symbol.arity == arity:
                slot = symbol.slot
                return Meaning(lambda c, s, n: c[slot], 0, False)
        slots = [SlotSymbol(f"#{depth + i}", term.span, depth + i, lazy=True) for i in range(arity)]
        arguments = tuple(Applied(term.span, slot.name) for slot in slots)
        call = Applied(term.span, "operator", arguments)
        made = self.call_term(
            term, scope, call, scope.over(*slots), depth + arity, primed, self.meaning
        )
        run = made.run

        def function(c: Any, s: Any, n: Any) -> Callable[..., Value]:
            return lambda *values: run((*c[:depth], *values), s, n)

        return Meaning(function, made.level, False)

    def _native(
        self, symbol: NativeSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        refuse_arguments(term, len(symbol.orders))
        if symbol.build is not None:
            return symbol.build(self, term, scope, depth, primed)
        parts = [
            self.operator(a, order, scope, depth, primed)
            if order
            else self.meaning(a, scope, depth, primed)
            for a, order in zip(term.arguments, symbol.orders, strict=True)
        ]
        assert symbol.call is not None
        return strict(symbol.call, parts, term.span)

    def expansion(self, symbol: OperatorSymbol, span: Span) -> Expanding:
        """Notes, while it is open, that an operator is put in place."""
        return Expanding(self, symbol, span)

    def enabled(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> Meaning:
        """ENABLED of an action."""
        if primed:
            raise SpecError("ENABLED stands within a prime: not supported", term.span)
        return actions.enabled(self, term, scope, depth)

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

        Names whose level is above `lazy` take none: their definitions are put in place.
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
                made = self.meaning(body, scope, depth + len(runs), primed)
                if made.level > lazy:
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


_CACHED = (
    Applied, syntax.SetLiteral, syntax.SetFilter, syntax.SetImage, syntax.FunctionLiteral,
    syntax.FunctionSet, syntax.ExceptTerm, syntax.RecordLiteral, syntax.RecordSet,
    syntax.TupleLiteral, syntax.ProductTerm, syntax.Quantification, syntax.ChooseTerm,
    syntax.LetTerm, syntax.FunctionCall, syntax.FieldAccess, syntax.CaseTerm, syntax.IfTerm,
)  # fmt: skip


class Expanding:
    """Notes an operator that is put in place, to find those that never end."""

    def __init__(self, builder: Builder, symbol: OperatorSymbol, span: Span) -> None:
        self.builder = builder
        self.symbol = symbol
        self.span = span

    def __enter__(self) -> None:
        if len(self.builder.expanding) > _MOST_NESTED:
            raise SpecError(f"{self.symbol.name} is defined by itself", self.span)
        self.builder.expanding.append(self.symbol)

    def __exit__(self, *what: object) -> None:
        self.builder.expanding.pop()


_MOST_NESTED = 200
