"""Evaluates what binds names to the members of sets, and what makes sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla import nodes as syntax
from specmodel.tla.binders import AMBIGUOUS
from specmodel.tla.nodes import BoundNames, TlaTerm
from specmodel.tla.scopes import (
    TlaScope,
)
from specmodel.tla.symbolic.comparing import MOST_LISTED
from specmodel.tla.symbolic.evaluation import BoundSymbol, TermEvaluation
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.sets import least_first
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    FunctionOf,
    KnownValue,
    NumberOf,
    SequenceOf,
    StateValue,
    members_of,
    truth_of,
)
from specmodel.tla.symbolic.visits import set_place
from specmodel.tla.values import Value, has_names, ordered, settled


class BinderTerms(TermEvaluation):
    """Quantifiers, CHOOSE, and the terms that make sets."""

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
                with self.path.assuming(there), self.within_set(there, term):
                    node = self.holds(term.body, inner, primed)
                node = g.either(g.negate(there), node) if every else g.both(there, node)
                found.append(node)
                going = node if every else g.negate(node)
                if not self.path.possible(going):
                    break
                if not going.constant:
                    self.path.assume(going)
        finally:
            self.path.forget(opened)
        return truth_of(g.both(*found) if every else g.either(*found))

    def within_set(self, there: Node, term: syntax.Quantification) -> AbstractContextManager[None]:
        """Notes that a member is taken, of a set that depends on the state."""
        if self.visits is None or there.constant:
            return nullcontext()
        return self.visits.within(set_place("each", term))

    def bindings(
        self, bounds: Sequence[BoundNames], scope: TlaScope, primed: bool
    ) -> list[tuple[Node, TlaScope]]:
        """The scopes with the names bound to members, each with its condition."""
        return [
            (there, scope.over(*symbols)) for there, symbols in self.bound(bounds, scope, primed)
        ]

    def bound(
        self,
        bounds: Sequence[BoundNames],
        scope: TlaScope,
        primed: bool,
        members_of_set: Callable[[StateValue], list[tuple[Node, StateValue]]] | None = None,
    ) -> list[tuple[Node, tuple[BoundSymbol, ...]]]:
        """The bound names with every combination of members, each with its condition."""
        g, taken = self.graph, members_of_set or self.members
        found: list[tuple[Node, tuple[BoundSymbol, ...]]] = [(g.true, ())]
        for held in bounds:
            if held.members is None:
                raise NotCompiled(f"{held.names[0]} is bound without a set", held.spans[0])
            source = self.value(held.members, scope, primed)
            groups = [(held.names, held.spans)] if held.pattern else [
                ((name,), (span,)) for name, span in zip(held.names, held.spans, strict=True)
            ]  # fmt: skip
            for names, spans in groups:
                members = taken(source)
                more: list[tuple[Node, tuple[BoundSymbol, ...]]] = []
                for there, symbols in found:
                    for inside, member in members:
                        both = g.both(there, inside)
                        if both is g.false:
                            continue
                        parts = [member]
                        if held.pattern:
                            with self.path.assuming(both):
                                parts = self._pattern(member, len(names), held)
                        new = tuple(map(BoundSymbol, names, spans, parts))
                        more.append((both, (*symbols, *new)))
                if len(more) > MOST_LISTED:
                    raise NotCompiled(f"more than {MOST_LISTED:,} values are gone through")
                found = more
        return found

    def _pattern(self, member: StateValue, count: int, bound: BoundNames) -> list[StateValue]:
        return [self.apply(member, KnownValue(i), bound.spans[i - 1]) for i in range(1, count + 1)]

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

    def _big_union(self, term: TlaTerm, scope: TlaScope, primed: bool) -> StateValue:
        held = self.value(term, scope, primed)
        found: StateValue = KnownValue(frozenset())
        for there, part in self.members(held):
            with self.path.assuming(there):
                inner = self.filtered(part, lambda _, there=there: there)
                found = self.union(found, inner)
        return found

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
                return self._least(members, taken, term.span)
            try:
                members = self._expanded(members, term.span)
            except NotCompiled:  # too many values
                return self._least(members, taken, term.span)
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

    def _least(
        self,
        members: Sequence[tuple[Node, StateValue]],
        taken: Callable[[StateValue], Node],
        span: Span,
    ) -> StateValue:
        """The least of the members that are as CHOOSE asks.

        Raises NotCompiled for values that `comes_before` does not order.
        """
        g, some, best = self.graph, self.graph.false, members[0][1]
        candidates = 0
        for there, member in members:
            if not self.path.possible(there):
                continue
            with self.path.assuming(there):
                here = g.both(there, taken(member))
            if here is g.false:
                continue
            candidates += 1
            if some is g.false:
                best, some = member, here
                continue
            with self.path.assuming(here, some):
                before = self.comes_before(member, best, span)
            best = self.select(g.both(here, g.either(g.negate(some), before)), member, best)
            some = g.either(some, here)
        self.path.fail(g.negate(some), "no member of the set is as CHOOSE asks", span)
        if candidates > 1 and any(self.named(member) for _, member in members):
            AMBIGUOUS.add(span)
        return best

    def named(self, value: StateValue) -> bool:
        """Whether a value may have strings or model values in it, whose order is TLC's own."""
        held = self.open(value)
        if isinstance(held, KnownValue):
            return has_names(settled(held.value))
        if isinstance(held, ChoiceOf):
            return any(map(has_names, held.options))
        if isinstance(held, CasesOf):
            return any(self.named(arm) for _, arm in held.arms)
        if isinstance(held, SequenceOf):
            return any(map(self.named, held.items))
        if isinstance(held, FunctionOf):
            return any(map(has_names, held.keys)) or any(map(self.named, held.parts))
        return False

    def _expanded(
        self, members: Sequence[tuple[Node, StateValue]], span: Span
    ) -> list[tuple[Node, StateValue]]:
        """The known values that members may have. Raises NotCompiled if they are many."""
        g, found = self.graph, dict[Value, Node]()
        for there, member in members:
            for here, value in self.candidates(member, span):
                found[value] = g.either(found.get(value, g.false), g.both(there, here))
        return [(there, KnownValue(value)) for value, there in found.items()]

    def _function_set(self, term: syntax.FunctionSet, scope: TlaScope, primed: bool) -> StateValue:
        source = self.value(term.source, scope, primed)
        return self.functions(source, self.value(term.target, scope, primed))

    def _record_set(self, term: syntax.RecordSet, scope: TlaScope, primed: bool) -> StateValue:
        return self.records([(n, self.value(t, scope, primed)) for n, t in term.fields])

    def _product(self, term: syntax.ProductTerm, scope: TlaScope, primed: bool) -> StateValue:
        return self.products([self.value(item, scope, primed) for item in term.items])
