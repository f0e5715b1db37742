"""A TLA+ module with types: its domain, and its possible steps on the leaves of graphs.

A step of the model is a possible step of an action (`steps`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any

from specmodel.domains import StructDomain
from specmodel.errors import Disabled, Span, SpecError
from specmodel.ir.layout import Layout, codes_of, value_of
from specmodel.ir.symbolic.effects import Effect, Failure, GuardConjunct, Judgement
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.order import least_leaves
from specmodel.ir.symbolic.replacing import LeafReplacement
from specmodel.tla.nodes import TlaTerm
from specmodel.tla.recursion import too_deep
from specmodel.tla.scopes import TlaScope
from specmodel.tla.specification import Specification
from specmodel.tla.symbolic.call_depths import NO_DEPTHS, Depths, RecursionDepths
from specmodel.tla.symbolic.concrete import Codes
from specmodel.tla.symbolic.evaluate import TlaEvaluator
from specmodel.tla.symbolic.orbits import permutations_of, renamed
from specmodel.tla.symbolic.path import EvaluationPath, NotCompiled, PathFailure
from specmodel.tla.symbolic.possible_steps import PossibleStep, refuse_cut
from specmodel.tla.symbolic.sampling import TypeExceeded
from specmodel.tla.symbolic.steps import StepFinder
from specmodel.tla.symbolic.storage import stored
from specmodel.tla.symbolic.stored import OutsideType, StoredType, bounded
from specmodel.tla.symbolic.stored_functions import struct_of
from specmodel.tla.symbolic.types import TlaType
from specmodel.tla.symbolic.values import KnownValue, StateValue
from specmodel.tla.symbolic.viewing import viewed_variables
from specmodel.tla.symbolic.visits import Visits
from specmodel.tla.symmetry import PermutedStates
from specmodel.tla.values import EvaluationError, Value

TlaTuple = tuple[Value, ...]

MOST_STEPS = 20_000
"""The most possible steps of a module that are compiled."""


Before = tuple[Sequence[StateValue], Sequence[Node]]
"""The values of the variables before a step, and the leaves of their state."""


class ModuleGraphs:
    """The possible steps of a module on the leaves of one graph."""

    def __init__(self, module: CompiledModule, graph: Graph, leaves: Sequence[Node]) -> None:
        self.module = module
        self.graph = graph
        self.leaves = tuple(leaves)
        self._reader: TlaEvaluator | None = None
        self._reader = self._evaluator([])
        self.now = module.read(self._reader, leaves)
        self.judged: dict[int, tuple[Any, Judgement, LeafReplacement | None]] = {}
        """The formulas that were judged, by their identity."""
        self.steps = self._steps()

    def _evaluator(self, now: Sequence[StateValue]) -> TlaEvaluator:
        made = TlaEvaluator(self.module.spec.builder, EvaluationPath(self.graph), now)
        made.definitions = self.module.definitions
        made.recursions = RecursionDepths(self.module.depths)
        made.functions_made = {}
        if now and (level := self.module.spec.level) is not None:
            one = self.graph.int(1)
            count = self.graph.add(made.number(now[level.index], level.span), one)
            made.after[level.index] = made.fitting(count, level.span)
        if self._reader is not None:
            made.share(self._reader)
        return made

    def _steps(self) -> dict[str, list[PossibleStep]]:
        evaluator = self._evaluator(self.now)
        finder, g = StepFinder(evaluator, loops=True), self.graph
        found: list[PossibleStep] = []
        term, scope = self.module.next
        for step in finder.steps(term, scope, self.module.parameters):
            if len(found) >= MOST_STEPS:
                raise NotCompiled(f"more than {MOST_STEPS:,} possible steps", term.span)
            missing = [
                name
                for name, value in zip(self.module.spec.variables, step.after, strict=True)
                if value is None
            ]
            if missing:
                evaluator.path.fail(
                    g.true, f"{step.action} gives {', '.join(missing)} no value", step.span
                )
                continue
            before = self.now, self.leaves
            fits, leaves = self.module.written(evaluator, step.after, before)
            guards = tuple(GuardConjunct(node, step.span) for node in step.conditions)
            failures: tuple[Failure, ...] = ()
            if fits is not g.true:
                what = "a value is outside of the types that were found"
                node = g.both(*step.conditions, g.negate(fits))
                failures = (Failure(node, what, step.span, len(guards)),)
            effect = Effect(guards, failures, leaves)
            made = PossibleStep(step.action, step.span, step.arguments, effect, fits, step.sizes)
            found.append(made)
        finder.failing.setdefault((), []).extend(evaluator.path.failures)
        return self._by_action(found, finder.failing)

    def _by_action(
        self,
        found: list[PossibleStep],
        failing: Mapping[tuple[int, ...], Sequence[PathFailure]],
    ) -> dict[str, list[PossibleStep]]:
        g = self.graph
        first = found[0].action if found else self.module.first_action
        span = self.module.next[0].span
        for sizes, failures in failing.items():
            if failures:
                # They count in every state, so they are those of a step that is never made.
                wrong = tuple(Failure(n, what, place, 0) for n, what, place in failures)
                never = Effect((GuardConjunct(g.false, None),), wrong, self.leaves)
                found.insert(0, PossibleStep(first, span, (), never, g.true, sizes))
        groups: dict[str, list[PossibleStep]] = {}
        for step in found:
            groups.setdefault(step.action, []).append(step)
        return groups

    def numbered(self, action: str) -> Iterator[tuple[PossibleStep, tuple[int, ...]]]:
        """The steps of an action in the order of their numbers, with the parameters of loops."""
        for step in self.steps.get(action, ()):
            for parameters in product(*map(range, step.sizes)):
                yield step, parameters

    def fails(self, codes: Codes) -> bool:
        """Whether the evaluation of some step fails in a state."""
        return any(
            step.fails(codes.within(parameters))
            for action in self.steps
            for step, parameters in self.numbered(action)
        )

    @cached_property
    def cuts(self) -> list[tuple[PossibleStep, tuple[int, ...]]]:
        """The steps, with the parameters of loops, that may call an operator too often."""
        steps = (one for action in self.steps for one in self.numbered(action))
        return [one for one in steps if one[0].cut]

    def orbit(self) -> list[list[Node]]:
        """The leaves of what the permutations make of the state after a step."""
        evaluator = self._evaluator([])
        after = self.module.read(evaluator, self.module.leaves_of(self.graph, 1))
        return self.module.orbit(evaluator, after)

    @cached_property
    def visits(self) -> dict[str, Visits]:
        """The coverage points of the actions, by a second execution on the same nodes."""
        evaluator = self._evaluator(self.now)
        finder, definitions, found = StepFinder(evaluator), dict[Span, str](), dict[str, Visits]()
        spans = {action.name: action.definition for action in self.module.spec.actions}

        def of(action: str) -> Visits:
            if action not in found:
                span = spans.get(action, self.module.next[0].span)
                found[action] = Visits(evaluator.path, span, definitions)
            return found[action]

        finder.visits = of
        for _ in finder.steps(*self.module.next, self.module.parameters):
            pass
        return found

    def formula(
        self,
        term: TlaTerm,
        scope: TlaScope,
        bound: Sequence[Value],
        form: str,
        after: Sequence[Node] | None,
    ) -> tuple[Node, list[tuple[Node, str, Span | None]]]:
        """A formula with bound values as a node of the state, or of a step to other leaves.

        `form` is as in `PlacedRun`. The conditions under which it has no value come with it.
        """
        evaluator = self._evaluator(self.now)
        evaluator.slots = tuple(map(KnownValue, bound))
        finder = StepFinder(evaluator)
        if after is not None:
            evaluator.after = [*self.module.read(evaluator, after)]
        if form == "enabled":
            return finder.enabled(term, scope), evaluator.path.failures
        node = evaluator.holds(term, scope)
        if form == "not":
            node = self.graph.negate(node)
        return node, evaluator.path.failures

    def judgement(
        self,
        parts: Sequence[tuple[TlaTerm, TlaScope]],
        after: Sequence[Node] | None,
        visits: Visits | None = None,
    ) -> Judgement:
        """Whether some formulas are true in the state, or in a step to other leaves.

        They are evaluated once, those of steps on unknown leaves. `visits` notes the coverage
        points.
        """
        if visits is not None:
            return self._judged(parts, after, visits)
        if id(parts) not in self.judged:
            unknown = None if after is None else self.module.leaves_of(self.graph, 1)
            judged = self._judged(parts, unknown, None)
            nodes = [judged.node, *(failure.node for failure in judged.failures)]
            replaced = None if after is None else LeafReplacement(self.graph, nodes, self.leaves)
            self.judged[id(parts)] = parts, judged, replaced
        _, judged, replaced = self.judged[id(parts)]
        if after is None or replaced is None:
            return judged
        node, *failing = replaced.by(after)
        failures = [
            replace(failure, node=other)
            for failure, other in zip(judged.failures, failing, strict=True)
            if other is not self.graph.false
        ]
        return Judgement(node, tuple(failures))

    def _judged(
        self,
        parts: Sequence[tuple[TlaTerm, TlaScope]],
        after: Sequence[Node] | None,
        visits: Visits | None,
    ) -> Judgement:
        evaluator = self._evaluator(self.now)
        StepFinder(evaluator)
        if visits is not None:
            visits.path, evaluator.visits = evaluator.path, visits
        if after is not None:
            evaluator.after = [*self.module.read(evaluator, after)]
        found: list[Node] = []
        for term, scope in parts:
            with evaluator.path.assuming(*found):
                found.append(evaluator.holds(term, scope))
        failures = tuple(Failure(n, what, span, 0) for n, what, span in evaluator.path.failures)
        return Judgement(self.graph.both(*found), failures)


class CompiledModule:
    """A module with the types of its variables."""

    def __init__(
        self, spec: Specification, types: Sequence[TlaType | None], depths: Depths = NO_DEPTHS
    ) -> None:
        self.spec = spec
        self.types = tuple(types)
        self.depths = depths
        self.definitions: dict[Any, StateValue | None] = {}
        self.stored: list[StoredType] = []
        for name, held in zip(spec.variables, types, strict=True):
            if held is None:
                raise NotCompiled(f"no value of {name} was met")
            self.stored.append(stored(held, name))
        fields = {n: s.domain for n, s in zip(spec.variables, self.stored, strict=True)}
        viewed = viewed_variables(spec)
        if viewed is None:
            raise NotCompiled("a VIEW that is more than some variables is not compiled")
        key = tuple(name for place, name in enumerate(spec.variables) if place in viewed)
        self.domain: StructDomain = replace(struct_of(spec.name, fields), key=key)
        self.layout = Layout(self.domain)
        self.sizes = [leaf.size for leaf in self.layout.leaves]
        self.widths = [
            sum(1 for _ in Layout(struct_of("one", {"it": d})).leaves) for d in fields.values()
        ]
        if spec.following is None:
            raise NotCompiled("there is no next-state action")
        self.next = spec.following
        self.first_action = spec.actions[0].name if spec.actions else "Next"
        self.parameters = {a.name: [name for name, _ in a.parameters] for a in spec.actions}
        self.permutations = permutations_of(spec.symmetry)
        self._compared = sorted(range(len(self.stored)), key=lambda place: place not in viewed)
        self._graphs: ModuleGraphs | None = None
        self._found: tuple[Any, Any] | None = None
        self._ends: dict[int, tuple[Any, TlaTuple]] = {}

    def read(self, evaluator: TlaEvaluator, leaves: Sequence[Node]) -> list[StateValue]:
        """The values of the variables on leaves."""
        found: list[StateValue] = []
        rest = iter(leaves)
        for kind in self.stored:
            found.append(kind.read(evaluator, evaluator.domains.unpacked(kind.domain, rest)))
        return found

    def written(
        self,
        evaluator: TlaEvaluator,
        after: Sequence[StateValue | None],
        before: Before | None = None,
    ) -> tuple[Node, tuple[Node, ...]]:
        """Whether values of the variables fit, and the leaves of their state.

        A value that stays from `before` has the same leaves.
        """
        fits, leaves, first = list[Node](), list[Node](), 0
        for place, value in enumerate(after):
            kind, count = self.stored[place], self.widths[place]
            if before is not None and value is before[0][place]:
                leaves += before[1][first : first + count]
            else:
                assert value is not None
                inside, written = kind.written(evaluator, value)
                fits.append(inside)
                made: list[Node] = []
                evaluator.domains.packed(kind.domain, written, made)
                assert len(made) == count, (made, place)
                sizes = self.sizes[first : first + count]
                leaves += [
                    bounded(evaluator.graph, node, size)
                    for node, size in zip(made, sizes, strict=True)
                ]
            first += count
        return evaluator.graph.both(*fits), tuple(leaves)

    def orbit(self, evaluator: TlaEvaluator, values: Sequence[StateValue]) -> list[list[Node]]:
        """The leaves of the states that the permutations make of a state."""
        return [
            [*self.written(evaluator, [renamed(evaluator, v, one) for v in values])[1]]
            for one in self.permutations
        ]

    def least(
        self, evaluator: TlaEvaluator, values: Sequence[StateValue], leaves: Sequence[Node]
    ) -> Sequence[Node]:
        """The leaves of the least state of the orbit of a state, which has these leaves."""
        return least_leaves(evaluator.graph, [leaves, *self.orbit(evaluator, values)], self.layout)

    def graphs(self, graph: Graph, leaves: Sequence[Node]) -> ModuleGraphs:
        """The possible steps on the leaves of a graph."""
        known = self._graphs
        if known is None or known.graph is not graph or known.leaves != tuple(leaves):
            known = self._graphs = ModuleGraphs(self, graph, leaves)
        return known

    @cached_property
    def own(self) -> ModuleGraphs:
        """The possible steps on a graph of its own, whose nodes are computed on known states."""
        graph = Graph()
        return self.graphs(graph, self.leaves_of(graph, 0))

    def leaves_of(self, graph: Graph, place: int) -> list[Node]:
        """The leaves of the first or second state of a step on a graph."""
        sizes, first = self.sizes, place * len(self.sizes)
        return [graph.leaf(first + i, size - 1) for i, size in enumerate(sizes)]

    # States

    def held(self, state: TlaTuple) -> Any:
        """A state as the domain has it. Raises TypeExceeded."""
        try:
            return self.domain.build(
                [kind.held(value) for kind, value in zip(self.stored, state, strict=True)]
            )
        except OutsideType:
            raise TypeExceeded([state]) from None

    def canonical(self, state: TlaTuple) -> TlaTuple:
        """The state that stands for the orbit of a state. Raises TypeExceeded."""
        if not self.permutations:
            return state
        try:
            return self._orbits.least(state, self._compared)
        except OutsideType:
            raise TypeExceeded(self._orbits.orbit(state)) from None

    @cached_property
    def _orbits(self) -> PermutedStates:
        return PermutedStates(self.permutations, self._codes)

    def _codes(self, place: int, value: Value) -> list[int]:
        """The codes of a variable's leaves. Raises OutsideType."""
        return [*codes_of(self.domain.places[place], self.stored[place].held(value))]

    def stepped(self, after: TlaTuple) -> Any:
        """A next state as the domain has it. Raises TypeExceeded."""
        return self.ending(self.held(self.canonical(after)), after)

    def ending(self, state: Any, after: TlaTuple) -> Any:
        """A next state, which stands for the orbit of the state that a step leads to.

        Properties of the step are about the latter: `end_of` has it until other steps are made.
        """
        if self.permutations:
            self._ends[id(state)] = state, after
        return state

    def end_of(self, state: Any) -> TlaTuple:
        """The values of the variables in the state that a step leads to."""
        known = self._ends.get(id(state))
        return self.values(state) if known is None else known[1]

    def values(self, state: Any) -> TlaTuple:
        """The values of the variables in a state of the domain."""
        both = zip(self.stored, self.domain.split(state), strict=True)
        return tuple(kind.value(held) for kind, held in both)

    # The reference

    def outcomes(self, state: Any) -> Any:
        """The next states by action and number of a possible step; an error where one fails.

        They stand for themselves, not for their orbits.
        """
        codes = tuple(codes_of(self.domain, state))
        if self._found is None or self._found[0] != codes:
            self._ends.clear()
            self._found = (codes, self._outcomes(state, Codes(codes)))
        return self._found[1]

    def outcome(self, state: Any, action: str, number: int) -> TlaTuple:
        """The next state under the number of a possible step. Raises Disabled, SpecError."""
        found = self.outcomes(state)
        if isinstance(found, SpecError):
            return self._failing(found, action, number, Codes(tuple(codes_of(self.domain, state))))
        after = found.get((action, number))
        if after is None:
            raise Disabled
        return after

    def _failing(self, wrong: SpecError, action: str, number: int, codes: Codes) -> TlaTuple:
        """The outcome in a state where the evaluation of the actions fails.

        The failure is that of the first step; what the graphs give for others is never used.
        """
        numbered = [*self.own.numbered(action)][number : number + 1]
        first = next(iter(self.own.steps), self.first_action)
        for step, parameters in numbered:
            inside = codes.within(parameters)
            if step.fails(inside):
                raise wrong
            if (action, number) == (first, 0) and not self.own.fails(codes):
                raise wrong
            if step.enabled(inside):
                return self._guess(step, inside)
        raise Disabled

    def _outcomes(self, state: Any, codes: Codes) -> Any:
        """The next states by the numbers of steps, as the evaluator finds them; or its error."""
        before = self.values(state)
        blank: TlaTuple = (None,) * len(before)
        found: dict[tuple[str, int], TlaTuple] = {}
        names = dict.fromkeys([*self.own.steps, *(action.name for action in self.spec.actions)])
        for name in names:
            left: list[TlaTuple] = []
            try:
                for action in self.spec.actions:
                    if action.name == name:
                        left += [after for _, after in action.successors(before, blank)]
            except EvaluationError as wrong:
                return wrong
            except RecursionError:
                return too_deep()
            if any(None in after for after in left):
                return SpecError(f"{name} gives a variable no value")
            outside = [after for after in left if not self._fits(after)]
            if outside:
                raise TypeExceeded(outside)
            unmatched: list[int] = []
            free: list[int] = []
            for number, (step, parameters) in enumerate(self.own.numbered(name)):
                if not left:
                    break
                inside = codes.within(parameters)
                after = self._guess(step, inside) if step.enabled(inside) else None
                if after is None:
                    free.append(number)
                elif after in left:
                    left.remove(after)
                    found[name, number] = after
                else:
                    unmatched.append(number)
            for number, after in zip([*unmatched, *free], left, strict=False):
                found[name, number] = after
        for step, parameters in self.own.cuts:
            refuse_cut(step.effect.failures, codes.within(parameters))
        return found

    def _fits(self, state: TlaTuple) -> bool:
        try:
            self.held(state)
        except TypeExceeded:
            return False
        return True

    def _guess(self, step: PossibleStep, codes: Codes) -> TlaTuple:
        numbers = [codes.number(leaf) for leaf in step.effect.leaves]
        return self.values(value_of(self.domain, iter(numbers)))
