"""The steps of an action on an unknown state: each way through its choices, as TLC finds them.

An action is read from left to right (see `specmodel.tla.actions`). A true disjunct and a member
that `\\E` or `x' \\in S` may choose give a step each. So the number of possible steps in a state is
the number of next states that TLC generates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from specmodel.errors import Span
from specmodel.ir import compile_progress
from specmodel.ir.symbolic.graph import Node
from specmodel.results.coverage import Kind
from specmodel.tla import nodes as syntax
from specmodel.tla.calling import refuse_arguments
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import OperatorSymbol, TermSymbol, TlaScope, VariableSymbol
from specmodel.tla.symbolic.action_forms import ActionForms
from specmodel.tla.symbolic.definitions import definition_of, divided, placeable
from specmodel.tla.symbolic.evaluate import TlaEvaluator
from specmodel.tla.symbolic.evaluation import BoundSymbol, LazySymbol
from specmodel.tla.symbolic.path import PathFailure
from specmodel.tla.symbolic.possible_steps import FoundStep, Parameters
from specmodel.tla.symbolic.values import MembersOf, StateValue
from specmodel.tla.symbolic.visits import VisitedPlace, Visits, known_values, set_place

FEW_WAYS = 8
"""The most ways through an action of which each is a step of its own. Where arms are one step, each
state takes the time of all of them."""

_Way = tuple[tuple[Node, ...], tuple[StateValue | None, ...]]
"""The conditions of a way through an action, and the next values that it gives."""


class StepFinder(ActionForms):
    """Finds the steps of actions. While a step is given, the path and `after` are its own."""

    def __init__(self, evaluator: TlaEvaluator, loops: bool = False) -> None:
        """With `loops`, a member that `\\E` may choose of the state's slots gives no step each, but
        one with a parameter, the number of the slot."""
        super().__init__(evaluator)
        self.loops = loops
        self.loop_sizes: list[int] = []
        """The sizes of the loops around what is read."""
        self.failing: dict[tuple[int, ...], list[PathFailure]] = {}
        """The failures within loops, by the sizes of these."""
        self.path = evaluator.path
        self.graph = evaluator.graph
        evaluator.enabled = self.enabled
        self.visits: Callable[[str], Visits] | None = None
        """The record of an action's coverage points, if there is one."""
        self._noting: Visits | None = None
        self._joins = False
        """Whether ways of which a state takes one at most become one."""
        self._parameters: Mapping[str, Collection[str]] = {}

    # Actions with names

    def steps(
        self, term: TlaTerm, scope: TlaScope, parameters: Mapping[str, Collection[str]]
    ) -> Iterator[FoundStep]:
        """The steps of a next-state action, whose actions have these parameters."""
        self._parameters = parameters
        yield from self._named(term, scope, "Next", ())

    def _named(
        self, term: TlaTerm, scope: TlaScope, name: str, given: Parameters
    ) -> Iterator[FoundStep]:
        if isinstance(term, syntax.Junction) and term.operator == "\\/":
            for item in term.items:
                yield from self._named(item, scope, name, given)
            return
        if isinstance(term, syntax.Quantification) and term.quantifier == "\\E":
            for there, symbols in self._choices(term.bounds, scope):
                for _ in self._member(there, term):
                    more = tuple((s.name, s.value) for s in symbols)
                    yield from self._named(term.body, scope.over(*symbols), name, (*given, *more))
            return
        if isinstance(term, Applied):
            symbol = self.evaluator.builder.resolved(term, scope, 0)
            if symbol is None and term.name == "\\/":
                both = syntax.Junction(term.span, "\\/", term.arguments)
                yield from self._named(both, scope, name, given)
                return
            if isinstance(symbol, LazySymbol) or (
                isinstance(symbol, TermSymbol) and not symbol.arity
            ):
                yield from self._named(symbol.term, symbol.scope, name, given)
                return
            if isinstance(symbol, OperatorSymbol) and placeable(symbol):
                yield from self._operator_named(symbol, term, scope)
                return
        yield from self._leaf(term, scope, name, term.span, given)

    def _operator_named(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope
    ) -> Iterator[FoundStep]:
        inner = self.evaluator.inside(symbol, term, scope)
        name = "!".join([*(part.name for part in term.path), symbol.name])
        failures = len(self.path.failures)
        given = tuple(
            (p.name, self.evaluator.value(a, scope))
            for p, a in zip(symbol.parameters, term.arguments, strict=True)
            if p.name in self._parameters.get(name, ())
        )
        del self.path.failures[failures:]  # an argument that is not used need have no value
        assert symbol.body is not None
        self._entered(symbol)
        if divided(symbol.body):
            yield from self._named(symbol.body, inner, name, given)
        else:
            yield from self._leaf(symbol.body, inner, name, term.span, given)

    def _leaf(
        self, term: TlaTerm, scope: TlaScope, name: str, span: Span, given: Parameters
    ) -> Iterator[FoundStep]:
        compile_progress.at(name)
        self._joins = self.form(term, scope).ways > FEW_WAYS
        if self.visits is not None:
            self._noting = self.visits(name)
            self._noting.case = known_values(given)
        for _ in self.ways(term, scope):
            conditions, after = tuple(self.path.conditions), tuple(self.evaluator.after)
            yield FoundStep(name, span, given, conditions, after, tuple(self.loop_sizes))
        self._noting = None

    # Ways through an action

    def ways(self, term: TlaTerm, scope: TlaScope) -> Iterator[None]:
        """Gives control for each way through an action, with its conditions on the path."""
        if self._decided() or not isinstance(term, _WALKED):
            yield from self._condition(term, scope)
        elif isinstance(term, syntax.Junction):
            if term.operator == "/\\":
                yield from self.through([(item, scope) for item in term.items])
            else:
                for item in term.items:
                    yield from self.ways(item, scope)
        elif isinstance(term, syntax.Quantification):
            yield from self._quantified(term, scope)
        elif isinstance(term, syntax.IfTerm):
            yield from self._in_one(term, scope, self._if(term, scope))
        elif isinstance(term, syntax.CaseTerm):
            yield from self._in_one(term, scope, self._case(term, scope))
        elif isinstance(term, syntax.LetTerm):
            yield from self.ways(term.body, self.evaluator.let_scope(term, scope))
        elif isinstance(term, syntax.ActionBox):
            yield from self._box(term, scope)
        else:
            assert isinstance(term, Applied)
            yield from self._applied(term, scope)

    def _decided(self) -> bool:
        """Whether every variable has its next value, so that what follows is a condition."""
        return None not in self.evaluator.after

    def _required(self, node: Node) -> Iterator[None]:
        """Gives control with a condition on the path, if it may be true."""
        if self.path.possible(node):
            with self.path.holding(node):
                yield

    def _condition(self, term: TlaTerm, scope: TlaScope) -> Iterator[None]:
        yield from self._guarded(self.evaluator.holds(term, scope), term.span)

    # Coverage points

    def _entered(self, symbol: OperatorSymbol) -> None:
        """Notes the place of a definition."""
        if self._noting is not None:
            self._noting.enter(symbol)

    def _guarded(self, node: Node, span: Span) -> Iterator[None]:
        """Requires a condition, which is a guard."""
        if self._noting is None:
            yield from self._required(node)
            return
        place = VisitedPlace("guard", span, span.text())
        with self._noting.within(place, node):
            yield from self._noted(node, place)

    def _arm(self, node: Node, kind: Kind, arm: TlaTerm, test: TlaTerm) -> Iterator[None]:
        """Requires the condition of an arm."""
        yield from self._hanging(node, VisitedPlace(kind, arm.span, test.span.text()))

    def _member(self, there: Node, term: syntax.Quantification) -> Iterator[None]:
        """Requires that a value is in a set."""
        if there.constant:
            yield from self._required(there)
        else:
            yield from self._hanging(there, set_place("body", term))

    def _hanging(self, node: Node, place: VisitedPlace) -> Iterator[None]:
        """Requires a condition under which a place is reached."""
        if self._noting is None:
            yield from self._required(node)
            return
        for _ in self._noted(node, place):
            with self._noting.within(place):
                yield

    def _noted(self, node: Node, place: VisitedPlace) -> Iterator[None]:
        """Requires a condition; gives control once also where it cannot be true."""
        assert self._noting is not None
        if not self._noting.passes(place, node):
            yield from self._required(node)
            return
        with self.path.holding(self.graph.false):
            yield

    def through(self, items: Sequence[tuple[TlaTerm, TlaScope]]) -> Iterator[None]:
        """The ways through several actions, one after the other."""
        if not items:
            yield
            return
        (term, scope), *rest = items
        for _ in self.ways(term, scope):
            yield from self.through(rest)

    def _quantified(self, term: syntax.Quantification, scope: TlaScope) -> Iterator[None]:
        if term.quantifier == "\\E":
            for there, symbols in self._choices(term.bounds, scope):
                for _ in self._member(there, term):
                    yield from self.ways(term.body, scope.over(*symbols))
            return
        bound = self.evaluator.bindings(term.bounds, scope, False)
        if term.quantifier == "\\A" and not all(
            form.single and not form.assigns
            for form in (self.form(term.body, inner) for _, inner in bound[:1])
        ):
            yield from self._every(term, bound)
        else:
            yield from self._condition(term, scope)

    def _choices(
        self, bounds: Sequence[syntax.BoundNames], scope: TlaScope
    ) -> Iterator[tuple[Node, tuple[BoundSymbol, ...]]]:
        """The bound names with each combination of members, or with one that is a loop."""
        around, failures = len(self.loop_sizes), self.path.failures
        first = len(failures)
        yield from self.evaluator.bound(bounds, scope, False, self._members)
        if len(self.loop_sizes) > around:
            if failures[first:]:
                self.failing.setdefault(tuple(self.loop_sizes), []).extend(failures[first:])
            del self.loop_sizes[around:], failures[first:]

    def _members(self, value: StateValue) -> list[tuple[Node, StateValue]]:
        held = self.evaluator.open(value)
        if not self.loops or not isinstance(held, MembersOf) or held.by_slot is None:
            return self.evaluator.members(value)
        count = len(held.by_slot.members)
        self.loop_sizes.append(count)
        slot = self.graph.parameter(len(self.loop_sizes) - 1, count - 1)
        return [self.evaluator.member_at(held.by_slot, slot)]

    def _every(
        self, term: syntax.Quantification, bound: Sequence[tuple[Node, TlaScope]]
    ) -> Iterator[None]:
        """The ways through an action for each member of a set."""
        if not bound:
            yield
            return
        (there, inner), *rest = bound
        for _ in self._required(there):
            for _ in self.ways(term.body, inner):
                yield from self._every(term, rest)
        for _ in self._required(self.graph.negate(there)):
            yield from self._every(term, rest)

    def _in_one(self, term: TlaTerm, scope: TlaScope, ways: Iterator[None]) -> Iterator[None]:
        """Gives control for the ways through a term.

        Of an action with many, it does so once for all, if a state takes one at most and they give
        the same variables their next values, which depend on the conditions of the ways then.
        """
        if not self._joins or self._noting is not None or not self.form(term, scope).single:
            yield from ways
            return
        evaluator, first = self.evaluator, len(self.path.conditions)
        groups: dict[tuple[bool, ...], list[_Way]] = {}
        for _ in ways:
            way = tuple(self.path.conditions[first:]), tuple(evaluator.after)
            groups.setdefault(tuple(value is None for value in way[1]), []).append(way)
        before = tuple(evaluator.after)
        for found in groups.values():
            conditions, after = found[0] if len(found) == 1 else self._joined(found, before)
            with self.path.assuming(*conditions):
                evaluator.after[:] = after
                try:
                    yield
                finally:
                    evaluator.after[:] = before

    def _joined(self, ways: Sequence[_Way], before: Sequence[StateValue | None]) -> _Way:
        """The condition of any of some ways, and the next values; others are those of before."""
        arms = [(self.graph.both(*conditions), after) for conditions, after in ways]
        after = tuple(
            known
            if arms[0][1][i] is known
            else self.evaluator.merged([(c, v) for c, a in arms if (v := a[i]) is not None])
            for i, known in enumerate(before)
        )
        return (self.graph.either(*(condition for condition, _ in arms)),), after

    def _if(self, term: syntax.IfTerm, scope: TlaScope) -> Iterator[None]:
        test = self.path.simplified(self.evaluator.holds(term.test, scope))
        for _ in self._arm(test, "then", term.then, term.test):
            yield from self.ways(term.then, scope)
        for _ in self._arm(self.graph.negate(test), "else", term.other, term.test):
            yield from self.ways(term.other, scope)

    def _case(self, term: syntax.CaseTerm, scope: TlaScope) -> Iterator[None]:
        arms: list[tuple[TlaTerm | None, TlaTerm]] = [*term.arms]
        if term.other is not None:
            arms.append((None, term.other))
        yield from self._arms(term, arms, scope)

    def _arms(
        self, term: syntax.CaseTerm, arms: Sequence[tuple[TlaTerm | None, TlaTerm]], scope: TlaScope
    ) -> Iterator[None]:
        if not arms:
            self.path.fail(self.graph.true, "no arm of the CASE is true", term.span)
            return
        (test, value), *rest = arms
        if test is None:
            yield from self.ways(value, scope)
            return
        node = self.path.simplified(self.evaluator.holds(test, scope))
        for _ in self._required(node):
            yield from self.ways(value, scope)
        for _ in self._required(self.graph.negate(node)):
            yield from self._arms(term, rest, scope)

    def _box(self, term: syntax.ActionBox, scope: TlaScope) -> Iterator[None]:
        if term.angle:
            for _ in self.ways(term.action, scope):
                same = self.evaluator.unchanged(term.subscript, scope)
                yield from self._required(self.graph.negate(same))
            return
        yield from self.ways(term.action, scope)
        yield from self._unchanged(term.subscript, scope)

    def _applied(self, term: Applied, scope: TlaScope) -> Iterator[None]:
        evaluator = self.evaluator
        symbol = evaluator.builder.resolved(term, scope, 0)
        if symbol is None:
            yield from self._built_in(term, scope)
        elif isinstance(symbol, TermSymbol):
            if not symbol.arity:
                yield from self.ways(symbol.term, symbol.scope)
            else:
                yield from evaluator.builder.call_term(
                    symbol.term, symbol.scope, term, scope, 0, False,
                    lambda t, s, depth, primed: self.ways(t, s),
                )  # fmt: skip
        elif isinstance(symbol, LazySymbol):
            yield from self.ways(symbol.term, symbol.scope)
        elif isinstance(symbol, OperatorSymbol) and not symbol.bounds and symbol.body is not None:
            refuse_arguments(term, symbol.arity)
            self._entered(symbol)
            evaluator.depth += 1
            try:
                yield from self.ways(symbol.body, evaluator.inside(symbol, term, scope))
            finally:
                evaluator.depth -= 1
        else:
            yield from self._condition(term, scope)

    def _built_in(self, term: Applied, scope: TlaScope) -> Iterator[None]:
        name, arguments = term.name, term.arguments
        if name in ("/\\", "\\/"):
            yield from self.ways(syntax.Junction(term.span, name, arguments), scope)
            return
        if name in ("=", "\\in") and len(arguments) == 2:
            index = self.variable(arguments[0], scope)
            if index is not None:
                yield from self._assigned(index, term, scope)
                return
        if name == "UNCHANGED" and not self.primed:
            yield from self._unchanged(arguments[0], scope)
            return
        if name == "=>" and len(arguments) == 2:
            yield from self._in_one(term, scope, self._implied(*arguments, scope))
            return
        yield from self._condition(term, scope)

    def _implied(self, test: TlaTerm, term: TlaTerm, scope: TlaScope) -> Iterator[None]:
        node = self.path.simplified(self.evaluator.holds(test, scope))
        for _ in self._required(node):
            yield from self.ways(term, scope)
        yield from self._required(self.graph.negate(node))

    def _assigned(self, index: int, term: Applied, scope: TlaScope) -> Iterator[None]:
        evaluator, known = self.evaluator, self.evaluator.after[index]
        if term.name == "\\in" and known is None:
            for there, member in self._any_of(index, term.arguments[1], scope):
                for _ in self._required(there):
                    yield from self._takes(index, member, term.span)
            return
        held = evaluator.value(term.arguments[1], scope)
        if term.name == "=" or known is None:
            yield from self._takes(index, held, term.span)
        else:
            yield from self._guarded(evaluator.member(known, held, term.span), term.span)

    def _any_of(
        self, index: int, term: TlaTerm, scope: TlaScope
    ) -> Iterable[tuple[Node, StateValue]]:
        """The values that a set gives a variable, each with the condition that it is a member."""
        return self.evaluator.members(self.evaluator.value(term, scope))

    def _takes(self, index: int, value: StateValue, span: Span) -> Iterator[None]:
        """Gives a variable its next value, or compares the value that it has."""
        after = self.evaluator.after
        if after[index] is not None:
            known = after[index]
            assert known is not None
            yield from self._guarded(self.evaluator.equal(known, value, span), span)
            return
        if self._noting is not None:
            self._noting.assigned(span)
        after[index] = value
        try:
            yield
        finally:
            after[index] = None

    def _unchanged(self, term: TlaTerm, scope: TlaScope) -> Iterator[None]:
        if isinstance(term, syntax.TupleLiteral):
            yield from self._all_unchanged([(item, scope) for item in term.items])
            return
        if isinstance(term, Applied) and not term.arguments and term.name != "'":
            symbol = self.evaluator.builder.resolved(term, scope, 0)
            if isinstance(symbol, VariableSymbol):
                now = self.evaluator.now[symbol.index]
                assert now is not None
                yield from self._takes(symbol.index, now, term.span)
                return
            inner = definition_of(symbol)
            if inner is not None:
                yield from self._unchanged(*inner)
                return
        yield from self._required(self.evaluator.unchanged(term, scope))

    def _all_unchanged(self, items: Sequence[tuple[TlaTerm, TlaScope]]) -> Iterator[None]:
        if not items:
            yield
            return
        (term, scope), *rest = items
        for _ in self._unchanged(term, scope):
            yield from self._all_unchanged(rest)

    def enabled(self, term: TlaTerm, scope: TlaScope) -> Node:
        """Whether an action has a next state."""
        evaluator, first = self.evaluator, len(self.path.conditions)
        now, before, noting = evaluator.now, evaluator.after, self._noting
        loops, self.loops = self.loops, False
        own = evaluator.builder.own_variables(scope)
        if own is not None:
            scope = own.scope
            evaluator.now = (*now, *[evaluator.value(held, own.seen) for held in own.terms])
        evaluator.after, self._noting = [None] * len(evaluator.now), None
        found: list[tuple[Node, int]] = []
        try:
            for _ in self.ways(term, scope):
                way = self.graph.both(*self.path.conditions[first:])
                found.append((way, len(self.path.failures)))
                if way is self.graph.true:
                    break
        finally:
            evaluator.now, evaluator.after, self._noting = now, before, noting
            self.loops = loops
        for way, failures in found:
            self.path.spare(failures, way)  # the first next state is enough
        return self.graph.either(*(way for way, _ in found))


_WALKED = (
    syntax.Junction,
    syntax.Quantification,
    syntax.IfTerm,
    syntax.CaseTerm,
    syntax.LetTerm,
    syntax.ActionBox,
    Applied,
)
