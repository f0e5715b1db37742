"""Functions of defined operators that are applied: called, or put in place of their names.

An operator is put in place if an argument may mean different things in the two states of a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from specmodel.errors import Span, SpecError
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import ACTION, arguments_of, refuse_arguments, slot_meaning, strict
from specmodel.tla.names import NameTable
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import (
    Meaning,
    NativeSymbol,
    OperatorSymbol,
    Run,
    SlotSymbol,
    TermSymbol,
    TlaScope,
)
from specmodel.tla.values import Value


def _unmade(c: Any, s: Any, n: Any) -> Value:
    raise NotImplementedError


class Pending:
    """The function of an operator that is being made, for operators that call themselves.

    `used`: another one, or itself, calls it.
    """

    __slots__ = ("level", "run", "used")

    def __init__(self, level: int) -> None:
        self.run: Run = _unmade
        self.level = level
        self.used = False


class OperatorMaker(NameTable):
    """Makes functions of applied operators. `expanding` are those that are being made.

    `made` are those that have been made, with the keys of their codes.
    """

    expanding: list[OperatorSymbol]
    made: list[tuple[OperatorSymbol, Any]]

    def meaning(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> Meaning:
        """The function of an expression."""
        raise NotImplementedError

    def body_meaning(self, symbol: OperatorSymbol, body: TlaTerm, primed: bool) -> Meaning:
        """The function of an operator's body, of its parameters after the shared bound values."""
        raise NotImplementedError

    def applied_operator(
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
        primes = [a for i, a in enumerate(term.arguments) if i in symbol.primed_parameters]
        for argument in primes:
            self.meaning(argument, scope, depth, True)  # notes the parameters in it as primed too
        reached = any(self.meaning(a, scope, depth, primed).level > 0 for a in primes)
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
        given = arguments_of(parts)
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
            if isinstance(found, Pending):
                found.used = True
            return found
        if symbol.body is None:
            raise SpecError(f"{symbol.name} is used before it is defined", span, "", symbol.span)
        if not symbol.recursive and symbol in self.expanding:
            raise SpecError(f"{symbol.name} is defined by itself", span, "", symbol.span)
        level, before = 0, len(self.made)
        while True:
            primes = len(symbol.primed_parameters)
            pending = symbol.codes[primed] = Pending(level)
            self.expanding.append(symbol)
            try:
                made = self.body_meaning(symbol, symbol.body, primed)
            except BaseException:
                del symbol.codes[primed]
                self._unmake(before)
                raise
            finally:
                self.expanding.pop()
            pending.run = made.run
            settled = made.level <= level and primes == len(symbol.primed_parameters)
            if settled or not pending.used:
                break
            level = max(level, made.level)
            self._unmake(before)
        symbol.codes[primed] = made
        self.made.append((symbol, primed))
        return made

    def _unmake(self, before: int) -> None:
        """Forgets what was made since then: it may call an operator of which not all was known."""
        for symbol, key in self.made[before:]:
            del symbol.codes[key]
        del self.made[before:]

    def operator(
        self, term: TlaTerm, arity: int, scope: TlaScope, depth: int, primed: bool
    ) -> Meaning:
        """An argument that is an operator: evaluates to a Python function of values."""
        if isinstance(term, Applied) and not term.arguments and not term.path:
            symbol = self.find(term.name, term.span, scope)
            if isinstance(symbol, SlotSymbol) and symbol.arity == arity:
                return slot_meaning(symbol.slot, 0)
        slots = [SlotSymbol(f"#{depth + i}", term.span, depth + i, lazy=True) for i in range(arity)]
        arguments = tuple(Applied(term.span, slot.name) for slot in slots)
        call = Applied(term.span, "operator", arguments)
        made = self.call_term(
            term, scope, call, scope.over(*slots), depth + arity, primed, self.meaning
        )
        run = made.run

        def function(c: Any, s: Any, n: Any) -> Callable[..., Value]:
            return lambda *values: run((*c[:depth], *values), s, n)

        return Meaning(function, made.level, False, function)

    def applied_native(
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


class Expanding:
    """Notes an operator that is put in place, to find those that never end."""

    def __init__(self, builder: OperatorMaker, symbol: OperatorSymbol, span: Span) -> None:
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
