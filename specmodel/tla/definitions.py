"""Checks the definitions of modules, also those that a search does not need.

A name without a meaning, a name that is taken, or a wrong number of arguments is a mistake wherever
it stands. SANY refuses such a module too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from specmodel.errors import SpecError
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import not_a_value, refuse_arguments
from specmodel.tla.logic import BUILT_IN, refuse_operands
from specmodel.tla.modules import Resolver, defined
from specmodel.tla.names import NameTable
from specmodel.tla.nodes import Applied, BoundNames, InstanceUnit, Parameter, TlaTerm
from specmodel.tla.scopes import (
    InstanceSymbol,
    ModuleScope,
    NativeSymbol,
    OperatorSymbol,
    RefusedSymbol,
    SlotSymbol,
    TlaScope,
    TlaSymbol,
    names_of,
)


def check_definitions(resolver: Resolver) -> None:
    """Checks all definitions of the modules that were read. Raises SpecError at the first mistake.

    A module that is only instantiated is checked with the names that its first instance has.
    """
    checker = _Checker(NameTable(resolver))
    for unit, scope in list(resolver.checked.items()):
        checker.module(unit, scope)


class _Checker:
    """Checks expressions, each with the names that it sees."""

    def __init__(self, names: NameTable) -> None:
        self.names = names

    def module(self, unit: syntax.ModuleUnit, scope: ModuleScope) -> None:
        """Checks the definitions of a module."""
        for held in unit.units:
            if isinstance(held, syntax.OperatorUnit):
                symbol = scope.names[held.name]
                if isinstance(symbol, OperatorSymbol) and symbol.body is held.body:
                    self.symbol(symbol)
            elif isinstance(held, InstanceUnit) and held.name:
                self.symbol(scope.names[held.name])

    def symbol(self, symbol: TlaSymbol) -> None:
        """Checks a definition."""
        if isinstance(symbol, InstanceSymbol):
            inner = symbol.scope.inner(*_parameters(symbol.unit.parameters))
            for _, term in symbol.unit.substitutions:
                self.operator(term, inner)
        elif isinstance(symbol, OperatorSymbol) and symbol.body is not None:
            scope = symbol.scope
            if symbol.bounds:
                scope = scope.over(symbol)
            scope = self.bound(symbol.bounds, scope).inner(*_parameters(symbol.parameters))
            self.term(symbol.body, scope)

    def term(self, term: TlaTerm, scope: TlaScope) -> None:
        """Checks an expression."""
        if (parts := _PARTS.get(type(term))) is not None:
            for part in parts(term):
                self.term(part, scope)
        elif isinstance(term, Applied):
            self.applied(term, scope)
        elif isinstance(term, syntax.BindingTerm):
            self.term(term.body, self.bound(term.bounds, scope))
        elif isinstance(term, syntax.LetTerm):
            for unit in term.units:
                for symbol in defined(unit, scope, scope, 0, self.names.resolver):
                    scope = scope.inner(symbol)
                if isinstance(unit, syntax.OperatorUnit | InstanceUnit) and unit.name:
                    found = scope.find(unit.name)
                    assert found is not None
                    self.symbol(found)
            self.term(term.body, scope)
        elif isinstance(term, syntax.PartOf):
            self.operator(term.definition, scope)
        elif isinstance(term, syntax.LambdaTerm):
            self.term(term.body, scope.inner(*_parameters(term.parameters)))

    def applied(self, term: Applied, scope: TlaScope) -> None:
        """Checks an applied operator."""
        box = term.arguments[0] if term.name in _FORMS else None
        if isinstance(box, syntax.ActionBox) and box.angle is (term.name == "[]"):
            form = f"{term.name} is followed by an action that is not {_FORMS[term.name]}"
            raise SpecError(form, box.span)
        symbol = self.names.resolved(term, scope, 0)
        for component in term.path:
            for argument in component.arguments:
                self.operator(argument, scope)
        if symbol is None:
            refuse_operands(term)
        elif isinstance(symbol, InstanceSymbol):
            raise not_a_value(symbol, term)
        elif not isinstance(symbol, RefusedSymbol):
            refuse_arguments(term, len(_orders(symbol)))
        orders = [0] * len(term.arguments) if symbol is None else _orders(symbol)
        for argument, order in zip(term.arguments, orders, strict=False):
            self.operator(argument, scope) if order else self.term(argument, scope)

    def operator(self, term: TlaTerm, scope: TlaScope) -> None:
        """Checks what may be an operator: a name without arguments."""
        if isinstance(term, Applied) and not term.arguments:
            if not term.path:  # that of an instance with parameters takes these first
                self.names.resolved(term, scope, 0)
        else:
            self.term(term, scope)

    def bound(self, bounds: tuple[BoundNames, ...], scope: TlaScope) -> TlaScope:
        """The scope of a body with bound names. Checks their sets."""
        for held in bounds:
            if held.members is not None:
                self.term(held.members, scope)
        for name, span in names_of(bounds):
            if name in BUILT_IN:
                raise SpecError(f"{name} cannot be a bound name", span)
            scope = scope.inner(SlotSymbol(name, span, 0))
        return scope


def _parameters(parameters: tuple[Parameter, ...]) -> list[SlotSymbol]:
    return [SlotSymbol(p.name, p.span, 0, arity=p.arity) for p in parameters]


def _orders(symbol: TlaSymbol) -> tuple[int, ...]:
    """The number of arguments of each argument of a symbol: an expression takes none."""
    if isinstance(symbol, OperatorSymbol):
        return tuple(p.arity for p in symbol.parameters)
    if isinstance(symbol, NativeSymbol):
        return symbol.orders
    return (0,) * getattr(symbol, "arity", 0)


def _updated(term: syntax.ExceptTerm) -> Iterator[TlaTerm]:
    yield term.function
    for update in term.updates:
        for place in update.path:
            if not isinstance(place, str):
                yield from place
        yield update.value


def _arms(term: syntax.CaseTerm) -> Iterator[TlaTerm]:
    for arm in term.arms:
        yield from arm
    if term.other is not None:
        yield term.other


_FORMS = {"[]": "[A]_v", "<>": "<<A>>_v"}

_PARTS: dict[type[TlaTerm], Callable[[Any], Iterable[TlaTerm]]] = {
    **dict.fromkeys(
        (syntax.Junction, syntax.SetLiteral, syntax.TupleLiteral, syntax.ProductTerm),
        lambda t: t.items,
    ),
    **dict.fromkeys(
        (syntax.RecordLiteral, syntax.RecordSet), lambda t: [part for _, part in t.fields]
    ),
    syntax.FunctionSet: lambda t: (t.source, t.target),
    syntax.FunctionCall: lambda t: (t.function, *t.arguments),
    syntax.ExceptTerm: _updated,
    syntax.FieldAccess: lambda t: (t.record,),
    syntax.IfTerm: lambda t: (t.test, t.then, t.other),
    syntax.CaseTerm: _arms,
    syntax.ActionBox: lambda t: (t.action, t.subscript),
    syntax.FairnessTerm: lambda t: (t.action, t.subscript),
}
