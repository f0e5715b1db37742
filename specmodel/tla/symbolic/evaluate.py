"""Evaluates expressions of TLA+ on an unknown state.

As in TLC, definitions of LET and arguments of operators are evaluated where they are used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from specmodel.errors import Span, SpecError
from specmodel.ir.symbolic.graph import Node
from specmodel.tla import nodes as syntax
from specmodel.tla.binders import AMBIGUOUS
from specmodel.tla.building import Builder
from specmodel.tla.calling import NO_NEXT_VALUE, TemporalFormula, refuse_arguments
from specmodel.tla.modules import defined
from specmodel.tla.nodes import Applied, BoundNames, TlaTerm
from specmodel.tla.pausing import HALT, poll
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
from specmodel.tla.symbolic.comparing import MOST_LISTED
from specmodel.tla.symbolic.natives import NATIVES
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.operators import BUILT_IN_OPERATORS, SymbolicOperators
from specmodel.tla.symbolic.path import EvaluationPath, NotCompiled
from specmodel.tla.symbolic.sets import least_first
from specmodel.tla.symbolic.values import (
    FALSE_VALUE,
    TRUE_VALUE,
    FunctionOf,
    FunctionRule,
    KnownValue,
    NumberOf,
    StateValue,
    function_with,
    members_of,
    number_of,
    truth_of,
)
from specmodel.tla.values import EvaluationError, Value, has_names, ordered

MOST_NESTED = 160
"""The most definitions that are put in place of each other; a recursion has an end before."""


@dataclass(eq=False)
class BoundSymbol(TlaSymbol):
    """A name that is bound to a value."""

    value: StateValue


@dataclass(eq=False)
class LazySymbol(TlaSymbol):
    """A name that stands for a term, seen from a scope, which is evaluated where it is used."""

    term: TlaTerm
    scope: TlaScope
    kept: dict[bool, Kept] = field(default_factory=dict[bool, "Kept"])


class Kept:
    """A value that is evaluated once for each path: one holds on all longer paths."""

    def __init__(self, evaluator: TlaEvaluator, make: Callable[[], StateValue]) -> None:
        self.evaluator = evaluator
        self.make = make
        self.found: list[tuple[set[int], list[StateValue | None], StateValue, list[Any]]] = []

    def value(self) -> StateValue:
        """The value on the current path, with its failures."""
        path, after = self.evaluator.path, list(self.evaluator.after)
        here = {condition.id for condition in path.conditions}
        for conditions, seen, value, failures in self.found:
            if conditions <= here and all(map(operator.is_, seen, after)):
                for node, message, span in failures:
                    path.fail(node, message, span)
                return value
        first = len(path.failures)
        value = self.make()
        self.found.append((here, after, value, path.failures[first:]))
        return value


class TlaEvaluator(SymbolicOperators):
    """Evaluates terms: `now` and `after` are the values of the variables in a step's states.

    A variable without a next value has None there.
    """

    def __init__(
        self, builder: Builder, path: EvaluationPath, now: Sequence[StateValue | None]
    ) -> None:
        super().__init__(path)
        self.builder = builder
        self.now = tuple(now)
        self.after: list[StateValue | None] = [None] * len(now)
        self.slots: tuple[StateValue, ...] = ()
        """The values of names that are bound outside of a formula."""
        self.depth = 0
        self.enabled: Callable[[TlaTerm, TlaScope], Node] | None = None
        self._made: dict[type[TlaTerm], Callable[[Any, TlaScope, bool], StateValue]] = {
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

    def value(self, term: TlaTerm, scope: TlaScope, primed: bool = False) -> StateValue:
        """The value of a term. Raises NotCompiled."""
        if HALT:
            poll()
        made = self._made.get(type(term))
        if made is None:
            if isinstance(term, syntax.FairnessTerm):
                raise TemporalFormula("a temporal formula has no value in a state", term.span)
            raise NotCompiled("this is not compiled", term.span)
        before, self.path.span = self.path.span, term.span
        try:
            return made(term, scope, primed)
        except NotCompiled as wrong:
            if wrong.span is not None:
                raise
            raise NotCompiled(wrong.message, term.span) from None
        except SpecError as wrong:
            raise NotCompiled(wrong.message, wrong.span or term.span) from None
        finally:
            self.path.span = before

    def holds(self, term: TlaTerm, scope: TlaScope, primed: bool = False) -> Node:
        """The node of a term that is true or false."""
        return self.truth(self.value(term, scope, primed), term.span)

    # Names

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
        body, inner = symbol.body, self.inside(symbol, term, scope)
        return self.deeper(lambda: self.value(body, inner, primed))

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

    # Built-in operators

    def _built_in(self, term: Applied, scope: TlaScope, primed: bool) -> StateValue:
        name, arguments = term.name, term.arguments
        if name in ("/\\", "\\/"):
            return self._junction(syntax.Junction(term.span, name, arguments), scope, primed)
        if name == "=>":
            first = self.holds(arguments[0], scope, primed)
            g = self.graph
            if not self.path.possible(first):
                return TRUE_VALUE
            with self.path.assuming(first):
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

    def _big_union(self, term: TlaTerm, scope: TlaScope, primed: bool) -> StateValue:
        held = self.value(term, scope, primed)
        found: StateValue = KnownValue(frozenset())
        for there, part in self.members(held):
            with self.path.assuming(there):
                inner = self.filtered(part, lambda _, there=there: there)
                found = self.union(found, inner)
        return found

    # Logic

    def _junction(self, term: syntax.Junction, scope: TlaScope, primed: bool) -> StateValue:
        g, every = self.graph, term.operator == "/\\"
        found: list[Node] = []
        opened = len(self.path.conditions)
        try:
            for item in term.items:
                node = self.path.simplified(self.holds(item, scope, primed))
                found.append(node)
                going = node if every else g.negate(node)
                if going is g.false:
                    break
                if not going.constant:
                    self.path.conditions.append(going)
        finally:
            del self.path.conditions[opened:]
        return truth_of(g.both(*found) if every else g.either(*found))

    def _quantified(self, term: syntax.Quantification, scope: TlaScope, primed: bool) -> StateValue:
        g, every = self.graph, term.quantifier == "\\A"
        if term.quantifier not in ("\\A", "\\E"):
            raise NotCompiled(f"{term.quantifier} is not compiled", term.span)
        found: list[Node] = []
        opened = len(self.path.conditions)
        try:
            for there, inner in self.bindings(term.bounds, scope, primed):
                if not self.path.possible(there):
                    continue
                with self.path.assuming(there):
                    node = self.holds(term.body, inner, primed)
                node = g.either(g.negate(there), node) if every else g.both(there, node)
                found.append(node)
                going = node if every else g.negate(node)
                if not self.path.possible(going):
                    break
                if not going.constant:
                    self.path.conditions.append(going)
        finally:
            del self.path.conditions[opened:]
        return truth_of(g.both(*found) if every else g.either(*found))

    def bindings(
        self, bounds: Sequence[BoundNames], scope: TlaScope, primed: bool
    ) -> list[tuple[Node, TlaScope]]:
        """The scopes with the names bound to members, each with its condition."""
        return [
            (there, scope.over(*symbols)) for there, symbols in self.bound(bounds, scope, primed)
        ]

    def bound(
        self, bounds: Sequence[BoundNames], scope: TlaScope, primed: bool
    ) -> list[tuple[Node, tuple[BoundSymbol, ...]]]:
        """The bound names with every combination of members, each with its condition."""
        g = self.graph
        found: list[tuple[Node, tuple[BoundSymbol, ...]]] = [(g.true, ())]
        for held in bounds:
            if held.members is None:
                raise NotCompiled(f"{held.names[0]} is bound without a set", held.spans[0])
            members = self.members(self.value(held.members, scope, primed))
            groups = [(held.names, held.spans)] if held.pattern else [
                ((name,), (span,)) for name, span in zip(held.names, held.spans, strict=True)
            ]  # fmt: skip
            for names, spans in groups:
                more: list[tuple[Node, tuple[BoundSymbol, ...]]] = []
                for there, symbols in found:
                    for inside, member in members:
                        both = g.both(there, inside)
                        if both is g.false:
                            continue
                        with self.path.assuming(both):
                            parts = (
                                self._pattern(member, len(names), held)
                                if held.pattern
                                else [member]
                            )
                        new = tuple(map(BoundSymbol, names, spans, parts))
                        more.append((both, (*symbols, *new)))
                if len(more) > MOST_LISTED:
                    raise NotCompiled(f"more than {MOST_LISTED:,} values are gone through")
                found = more
        return found

    def _pattern(self, member: StateValue, count: int, bound: BoundNames) -> list[StateValue]:
        return [self.apply(member, KnownValue(i), bound.spans[i - 1]) for i in range(1, count + 1)]

    def _if(self, term: syntax.IfTerm, scope: TlaScope, primed: bool) -> StateValue:
        g, test = self.graph, self.path.simplified(self.holds(term.test, scope, primed))
        if test.constant:
            return self.value(term.then if test.value else term.other, scope, primed)
        with self.path.assuming(test):
            then = self.value(term.then, scope, primed)
        with self.path.assuming(g.negate(test)):
            other = self.value(term.other, scope, primed)
        return self.select(test, then, other)

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

    # Sets

    def _set_literal(self, term: syntax.SetLiteral, scope: TlaScope, primed: bool) -> StateValue:
        g, found = self.graph, KnownValue(frozenset())
        made: StateValue = found
        whole: list[StateValue] = []
        for item in term.items:
            value = self.value(item, scope, primed)
            # A set compares its members, and fails for those of different kinds.
            held = self.open(value)
            for other in whole:
                if type(other) is not type(held):
                    self.equal(other, held, term.span)
            whole.append(held)
            made = self.union(made, members_of([(g.true, value)], True))
        return made

    def _filter(self, term: syntax.SetFilter, scope: TlaScope, primed: bool) -> StateValue:
        (bound,) = term.bounds
        if bound.members is None:
            raise NotCompiled(f"{bound.names[0]} is bound without a set", term.span)

        def test(member: StateValue) -> Node:
            parts = self._pattern(member, len(bound.names), bound) if bound.pattern else [member]
            symbols = map(BoundSymbol, bound.names, bound.spans, parts)
            return self.holds(term.body, scope.over(*symbols), primed)

        return self.filtered(self.value(bound.members, scope, primed), test)

    def _image(self, term: syntax.SetImage, scope: TlaScope, primed: bool) -> StateValue:
        found: list[tuple[Node, StateValue]] = []
        for there, inner in self.bindings(term.bounds, scope, primed):
            if self.path.possible(there):
                with self.path.assuming(there):
                    found.append((there, self.value(term.body, inner, primed)))
        if all(isinstance(value, KnownValue) for _, value in found):
            known: dict[Value, Node] = {}
            for there, value in found:
                assert isinstance(value, KnownValue)
                held = self.constant(value)
                known[held] = self.graph.either(known.get(held, self.graph.false), there)
            ordered(frozenset(known))
            return members_of([(there, KnownValue(v)) for v, there in known.items()], True)
        return members_of(found, False)

    def _chosen(self, term: syntax.ChooseTerm, scope: TlaScope, primed: bool) -> StateValue:
        g, (bound,) = self.graph, term.bounds
        if bound.members is None:
            raise NotCompiled(f"{bound.names[0]} is bound without a set", term.span)
        if len(bound.names) > 1 and not bound.pattern:
            raise NotCompiled("a CHOOSE binds one name", term.span)

        def taken(member: StateValue) -> Node:
            parts = self._pattern(member, len(bound.names), bound) if bound.pattern else [member]
            symbols = map(BoundSymbol, bound.names, bound.spans, parts)
            return self.holds(term.body, scope.over(*symbols), primed)

        members = self.members(self.value(bound.members, scope, primed))
        if not all(isinstance(member, KnownValue) for _, member in members):
            if all(isinstance(self.open(member), NumberOf) for _, member in members):
                return self._least_number(members, taken, term.span)
            members = self._expanded(members, term.span)
        arms, before, named = list[tuple[Node, StateValue]](), list[Node](), False
        for there, member in least_first(members):
            here = g.both(there, *before)
            if not self.path.possible(here):
                continue
            with self.path.assuming(here):
                both = g.both(there, taken(member))
            if self.path.possible(g.both(*before, both)):
                arms.append((g.both(*before, both), member))
            if arms and isinstance(member, KnownValue) and has_names(self.constant(member)):
                named = named or len(arms) > 1
            before.append(g.negate(both))
        self.path.fail(g.both(*before), "no member of the set is as CHOOSE asks", term.span)
        if named:
            AMBIGUOUS.add(term.span)
        return self.merged(arms)

    def _least_number(
        self,
        members: Sequence[tuple[Node, StateValue]],
        taken: Callable[[StateValue], Node],
        span: Span,
    ) -> StateValue:
        """The least of some numbers that are as CHOOSE asks."""
        g, some, best = self.graph, self.graph.false, self.graph.int(0)
        for there, member in members:
            if not self.path.possible(there):
                continue
            with self.path.assuming(there):
                here, node = g.both(there, taken(member)), self.number(member, span)
            better = node if some is g.false else g.select(g.lt(node, best), node, best)
            best = g.select(here, g.select(some, better, node), best)
            some = g.either(some, here)
        self.path.fail(g.negate(some), "no member of the set is as CHOOSE asks", span)
        return number_of(best)

    def _expanded(
        self, members: Sequence[tuple[Node, StateValue]], span: Span
    ) -> list[tuple[Node, StateValue]]:
        """The known values that members may have. Raises NotCompiled if they are many."""
        g, found = self.graph, dict[Value, Node]()
        for there, member in members:
            for here, value in self.candidates(member, span):
                found[value] = g.either(found.get(value, g.false), g.both(there, here))
        return [(there, KnownValue(value)) for value, there in found.items()]

    # Functions

    def _function_set(self, term: syntax.FunctionSet, scope: TlaScope, primed: bool) -> StateValue:
        source = self.value(term.source, scope, primed)
        return self.functions(source, self.value(term.target, scope, primed))

    def _record_set(self, term: syntax.RecordSet, scope: TlaScope, primed: bool) -> StateValue:
        return self.records([(n, self.value(t, scope, primed)) for n, t in term.fields])

    def _product(self, term: syntax.ProductTerm, scope: TlaScope, primed: bool) -> StateValue:
        return self.products([self.value(item, scope, primed) for item in term.items])

    def _function(self, term: syntax.FunctionLiteral, scope: TlaScope, primed: bool) -> StateValue:
        return self.function_rule(term.bounds, term.body, scope, primed)

    def _recursive_function(self, symbol: OperatorSymbol, primed: bool) -> StateValue:
        known = self.functions_made.get((symbol, primed))
        if known is None:
            own = BoundSymbol(symbol.name, symbol.span, NOTHING)
            assert symbol.body is not None
            known = self.function_rule(symbol.bounds, symbol.body, symbol.scope.over(own), primed)
            own.value = known
            self.functions_made[symbol, primed] = known
        return known

    functions_made: dict[Any, StateValue]

    def function_rule(
        self, bounds: Sequence[BoundNames], body: TlaTerm, scope: TlaScope, primed: bool
    ) -> StateValue:
        """A function by its rule: its values are evaluated where they are used."""
        sets = [
            held
            for bound in bounds
            for held in [self._source(bound, scope, primed)]
            * (1 if bound.pattern else len(bound.names))
        ]
        names = [(n, s) for bound in bounds for n, s in zip(bound.names, bound.spans, strict=True)]
        kept: dict[Value, Kept] = {}

        def make(values: Sequence[StateValue]) -> StateValue:
            parts: list[StateValue] = []
            for bound, member in zip(_each_set(bounds), values, strict=True):
                parts += (
                    self._pattern(member, len(bound.names), bound) if bound.pattern else [member]
                )
            symbols = [BoundSymbol(n, s, v) for (n, s), v in zip(names, parts, strict=True)]
            return self.value(body, scope.over(*symbols), primed)

        def of(key: Value) -> StateValue:
            if key not in kept:
                values = list(map(KnownValue, key if len(sets) > 1 else (key,)))
                kept[key] = Kept(self, lambda: self.deeper(lambda: make(values)))
            return kept[key].value()

        def at(argument: StateValue) -> StateValue | None:
            g, values = self.graph, [argument]
            if len(sets) > 1:
                held = self.open(argument)
                if not isinstance(held, FunctionOf) or held.keys != tuple(range(1, len(sets) + 1)):
                    raise NotCompiled("an argument that is no tuple is not compiled")
                values = list(held.parts)
            inside = [self.member(v, held, None) for v, held in zip(values, sets, strict=True)]
            there = g.both(*inside)
            if not self.path.possible(there):
                return None
            self.path.fail(g.negate(there), "the argument is not in the function's domain", None)
            with self.path.assuming(there):
                if all(isinstance(value, KnownValue) for value in values):
                    keys = tuple(map(self.constant, values))
                    return of(keys if len(sets) > 1 else keys[0])
                return self.deeper(lambda: make(values))

        def whole() -> StateValue:
            members = [self.members(held) for held in sets]
            found: list[tuple[Node, tuple[Value, ...]]] = [(self.graph.true, ())]
            for options in members:
                if not all(isinstance(m, KnownValue) for _, m in options):
                    raise NotCompiled("a function's domain has members that depend on the state")
                found = [
                    (self.graph.both(there, more), (*key, self.constant(m)))
                    for there, key in found
                    for more, m in options
                ]
            keyed = {
                (key if len(sets) > 1 else key[0]): there
                for there, key in found
                if there is not self.graph.false
            }
            keys = ordered(frozenset(keyed))
            parts: list[StateValue] = []
            for key in keys:
                with self.path.assuming(keyed[key]):
                    parts.append(of(key))
            return function_with(keys, parts, [keyed[key] for key in keys])

        return FunctionRule(at, Kept(self, whole).value)

    def _source(self, bound: BoundNames, scope: TlaScope, primed: bool) -> StateValue:
        if bound.members is None:
            raise NotCompiled(f"{bound.names[0]} is bound without a set", bound.spans[0])
        return self.value(bound.members, scope, primed)

    def deeper(self, make: Callable[[], StateValue]) -> StateValue:
        """What a function makes, within one more definition. Raises NotCompiled for many."""
        if self.depth > MOST_NESTED:
            raise NotCompiled("a function calls itself too deeply")
        self.depth += 1
        try:
            return make()
        finally:
            self.depth -= 1

    def _call(self, term: syntax.FunctionCall, scope: TlaScope, primed: bool) -> StateValue:
        function = self.value(term.function, scope, primed)
        given = [self.value(a, scope, primed) for a in term.arguments]
        argument = given[0]
        if len(given) > 1:
            argument = function_with(range(1, len(given) + 1), given)
        return self.apply(function, argument, term.span)

    def _except(self, term: syntax.ExceptTerm, scope: TlaScope, primed: bool) -> StateValue:
        held = self.value(term.function, scope, primed)
        for update in term.updates:
            keys: list[StateValue] = []
            for step in update.path:
                if isinstance(step, str):
                    keys.append(KnownValue(step))
                    continue
                given = [self.value(t, scope, primed) for t in step]
                keys.append(
                    given[0] if len(given) == 1 else function_with(range(1, len(given) + 1), given)
                )

            def new(old: StateValue, update: Any = update) -> StateValue:
                symbol = BoundSymbol("@", update.span, old)
                return self.value(update.value, scope.over(symbol), primed)

            held = self.updated(held, keys, new, update.span)
        return held

    def _old(self, term: syntax.OldValue, scope: TlaScope, primed: bool) -> StateValue:
        symbol = scope.find("@")
        if not isinstance(symbol, BoundSymbol):
            raise NotCompiled("@ stands outside of an EXCEPT", term.span)
        return symbol.value

    def _record(self, term: syntax.RecordLiteral, scope: TlaScope, primed: bool) -> StateValue:
        fields = {name: self.value(value, scope, primed) for name, value in term.fields}
        names = ordered(frozenset(fields))
        return function_with(names, [fields[name] for name in names])

    def _field(self, term: syntax.FieldAccess, scope: TlaScope, primed: bool) -> StateValue:
        held = self.value(term.record, scope, primed)
        return self.apply(held, KnownValue(term.name), term.span)

    def _tuple(self, term: syntax.TupleLiteral, scope: TlaScope, primed: bool) -> StateValue:
        items = [self.value(item, scope, primed) for item in term.items]
        return function_with(range(1, len(items) + 1), items)


def _each_set(bounds: Sequence[BoundNames]) -> list[BoundNames]:
    """The bounds, once for each of their sets."""
    return [b for bound in bounds for b in [bound] * (1 if bound.pattern else len(bound.names))]
