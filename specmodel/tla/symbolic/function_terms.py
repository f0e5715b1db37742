"""Evaluates functions, records, tuples, and EXCEPT."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from specmodel.ir.symbolic.graph import Node
from specmodel.tla import nodes as syntax
from specmodel.tla.nodes import BoundNames, TlaTerm
from specmodel.tla.scopes import (
    OperatorSymbol,
    TlaScope,
)
from specmodel.tla.symbolic.binders import BinderTerms
from specmodel.tla.symbolic.evaluation import BoundSymbol, Kept
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    FunctionOf,
    FunctionRule,
    KnownValue,
    MembersOf,
    StateValue,
    function_with,
    pair_of,
    pairs_with,
)
from specmodel.tla.values import Value, ordered


class FunctionTerms(BinderTerms):
    """The terms that make, change and apply functions, records and tuples."""

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
            return self.computed(self.value(body, scope.over(*symbols), primed))

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

        def by_members(members: Sequence[list[tuple[Node, StateValue]]]) -> StateValue:
            g, pairs = self.graph, list[tuple[Node, StateValue]]()
            source = self.open(sets[0]) if len(sets) == 1 else None
            origin = source.arguments_of if isinstance(source, MembersOf) else None
            old = [value for _, _, value in origin.entries()] if origin else []
            same = origin is not None
            for place, combination in enumerate(product(*members)):
                there, values = g.both(*(c for c, _ in combination)), [v for _, v in combination]
                if not self.path.possible(there):
                    continue
                key = (
                    values[0] if len(sets) == 1 else function_with(range(1, len(sets) + 1), values)
                )
                with self.path.assuming(there):
                    value = self.deeper(lambda values=values: make(values))
                same = same and old[place] is value
                pairs.append((there, pair_of(key, value)))
            if origin and same:
                return origin
            return pairs_with(pairs)

        def whole() -> StateValue:
            members = [self.members(held) for held in sets]
            if not all(isinstance(m, KnownValue) for options in members for _, m in options):
                return by_members(members)
            found: list[tuple[Node, tuple[Value, ...]]] = [(self.graph.true, ())]
            for options in members:
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
                return self.computed(self.value(update.value, scope.over(symbol), primed))

            held = self.updated(held, keys, new, update.span)
        return held

    def _old(self, term: syntax.OldValue, scope: TlaScope, primed: bool) -> StateValue:
        symbol = scope.find("@")
        if not isinstance(symbol, BoundSymbol):
            raise NotCompiled("@ stands outside of an EXCEPT", term.span)
        return symbol.value

    def _record(self, term: syntax.RecordLiteral, scope: TlaScope, primed: bool) -> StateValue:
        fields = {n: self.computed(self.value(t, scope, primed)) for n, t in term.fields}
        names = ordered(frozenset(fields))
        return function_with(names, [fields[name] for name in names])

    def _field(self, term: syntax.FieldAccess, scope: TlaScope, primed: bool) -> StateValue:
        held = self.value(term.record, scope, primed)
        return self.apply(held, KnownValue(term.name), term.span)

    def _tuple(self, term: syntax.TupleLiteral, scope: TlaScope, primed: bool) -> StateValue:
        items = [self.computed(self.value(item, scope, primed)) for item in term.items]
        return function_with(range(1, len(items) + 1), items)


def _each_set(bounds: Sequence[BoundNames]) -> list[BoundNames]:
    """The bounds, once for each of their sets."""
    return [b for bound in bounds for b in [bound] * (1 if bound.pattern else len(bound.names))]
