"""Divides a next-state action into actions with names, at its disjunctions and quantifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.tla import binders
from specmodel.tla import nodes as syntax
from specmodel.tla.actions import ActionReader, Step
from specmodel.tla.building import Builder
from specmodel.tla.calling import ACTION, refuse_arguments
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import OperatorSymbol, Run, TermSymbol, TlaScope, VariableSymbol
from specmodel.tla.values import EvaluationError, Value, settled

Contexts = Callable[[Any], Iterator[Any]]
"""Gives the bound values of an action in a state: one for every combination of its parameters."""


@dataclass(frozen=True)
class Action:
    """A named part of a next-state action: `term`, seen from `scope` with `depth` bound values.

    `parameters` are computed of the bound values, which are of the sets in `ranges`, each seen from
    its scope. `definition` is the place of the operator of its name, and `span` that of its use.
    """

    name: str
    span: Span
    parameters: tuple[tuple[str, Run], ...]
    contexts: Contexts
    step: Step
    term: TlaTerm
    scope: TlaScope
    depth: int
    definition: Span
    ranges: tuple[tuple[syntax.BoundNames, TlaScope], ...]

    def successors(self, state: Any, blank: Any) -> Iterator[tuple[Any, Any]]:
        """Each next state, with the bound values of its step."""
        for context in self.contexts(state):
            for after in self.step(context, state, blank):
                yield context, after

    def arguments(self, context: Any, state: Any) -> dict[str, Value]:
        """The values of the parameters in a step; one that it does not use may have none."""
        found: dict[str, Value] = {}
        for name, run in self.parameters:
            with suppress(EvaluationError):
                found[name] = settled(run(context, state, None))
        return found


def split(
    builder: Builder, term: TlaTerm, scope: TlaScope, level: VariableSymbol | None = None
) -> list[Action]:
    """The actions of a next-state action, each of which counts a level. Raises SpecError."""
    return _Splitter(builder, level).actions(term, scope, "Next", (), _no_names)


def _no_names(state: Any) -> Iterator[Any]:
    yield ()


class _Splitter:
    def __init__(self, builder: Builder, level: VariableSymbol | None) -> None:
        self.builder = builder
        self.level = level
        self.reader = ActionReader(builder)
        self.depth = 0
        self.ranges: tuple[tuple[syntax.BoundNames, TlaScope], ...] = ()
        self.defined: dict[str, Span] = {}
        """The places of the operators that actions have their names of."""

    def actions(
        self,
        term: TlaTerm,
        scope: TlaScope,
        name: str,
        parameters: tuple[tuple[str, Run], ...],
        contexts: Contexts,
    ) -> list[Action]:
        """The actions of a term, within an operator of a name, for some bound values."""
        if isinstance(term, syntax.Junction) and term.operator == "\\/":
            return [
                action
                for item in term.items
                for action in self.actions(item, scope, name, parameters, contexts)
            ]
        if isinstance(term, syntax.Quantification) and term.quantifier == "\\E":
            return self._quantified(term, scope, name, parameters, contexts)
        if isinstance(term, Applied):
            symbol = self.builder.resolved(term, scope, self.depth)
            if symbol is None and term.name == "\\/":
                both = syntax.Junction(term.span, "\\/", term.arguments)
                return self.actions(both, scope, name, parameters, contexts)
            if isinstance(symbol, TermSymbol) and not symbol.arity:
                return self.actions(symbol.term, symbol.scope, name, parameters, contexts)
            if isinstance(symbol, OperatorSymbol) and self._plain(symbol):
                return self._named(symbol, term, scope, contexts)
        place = self.defined.get(name, term.span)
        return [self._action(name, term, scope, parameters, contexts, place)]

    def _action(
        self,
        name: str,
        term: TlaTerm,
        scope: TlaScope,
        parameters: tuple[tuple[str, Run], ...],
        contexts: Contexts,
        definition: Span,
    ) -> Action:
        """An action that is not divided further."""
        if self.level is None:
            step = self.reader.step(term, scope, self.depth)
        else:
            step = self.reader.counting(self.level.index, term, scope, self.depth)
        place = (scope, self.depth, definition, self.ranges)
        return Action(name, term.span, parameters, contexts, step, term, *place)

    def _plain(self, symbol: OperatorSymbol) -> bool:
        return symbol.body is not None and not symbol.recursive and not symbol.bounds

    def _named(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, contexts: Contexts
    ) -> list[Action]:
        refuse_arguments(term, symbol.arity)
        given = [
            (p.name, self.builder.meaning(a, scope, self.depth, False))
            for p, a in zip(symbol.parameters, term.arguments, strict=True)
            if not p.arity
        ]
        # An action that is given has no value in a state.
        parameters = tuple((of, made.run) for of, made in given if made.level < ACTION)
        name = "!".join([*(part.name for part in term.path), symbol.name])
        assert symbol.body is not None
        self.defined.setdefault(name, definition_of(symbol, symbol.body))
        if not _divided(symbol.body):
            return [self._action(name, term, scope, parameters, contexts, self.defined[name])]
        inner = self.builder.placed(symbol, term, scope)
        with self.builder.expansion(symbol, term.span):
            return self.actions(symbol.body, inner, name, parameters, contexts)

    def _quantified(
        self,
        term: syntax.Quantification,
        scope: TlaScope,
        name: str,
        parameters: tuple[tuple[str, Run], ...],
        contexts: Contexts,
    ) -> list[Action]:
        before = self.depth
        bound = binders.binding(self.builder, term.bounds, scope, before, False)
        each = bound.each

        def inner(state: Any) -> Iterator[Any]:
            for context in contexts(state):
                yield from each(context, state, None)

        names = [n for held in term.bounds for n in held.names]
        more = tuple((n, _bound_value(before + place)) for place, n in enumerate(names))
        self.depth = bound.depth
        outside = self.ranges
        self.ranges = (*outside, *((held, scope) for held in term.bounds))
        try:
            return self.actions(term.body, bound.scope, name, (*parameters, *more), inner)
        finally:
            self.depth, self.ranges = before, outside


def definition_of(symbol: OperatorSymbol, body: TlaTerm) -> Span:
    """The place of an operator with its body."""
    start, end = symbol.span or body.span, body.span
    return Span(start.file, start.line, start.column, end.end_line, end.end_column)


def _bound_value(slot: int) -> Run:
    return lambda c, s, n: c[slot]


def _divided(body: TlaTerm) -> bool:
    """Whether an operator's body is divided further."""
    if isinstance(body, syntax.Junction):
        return body.operator == "\\/"
    if isinstance(body, syntax.Quantification):
        return body.quantifier == "\\E"
    return isinstance(body, Applied)
