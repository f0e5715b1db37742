"""The model of a compiled TLA+ module: its rules, whose graphs the module makes.

The reference, which CPython runs, is the evaluator: `CompiledRule.run` gives the next states that
it finds, under the numbers of the possible steps that lead there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.domains import Domain, StructDomain, Writes
from specmodel.errors import Span, SpecError
from specmodel.ir.layout import codes_of
from specmodel.ir.nodes import BOOL, Function, Graphed, Lowered
from specmodel.ir.symbolic.effects import Effect, Failure, GuardConjunct, Judgement
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.point_conditions import PointConditions
from specmodel.ir.symbolic.reading import leaves_read
from specmodel.results.coverage import Point
from specmodel.tla.calling import no_truth
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.recursion import too_deep
from specmodel.tla.scopes import Run, TlaScope
from specmodel.tla.specification import TlaProperty
from specmodel.tla.symbolic.call_depths import CUT
from specmodel.tla.symbolic.compiled import CompiledModule, ModuleGraphs
from specmodel.tla.symbolic.concrete import Codes
from specmodel.tla.symbolic.kept_types import module_digest
from specmodel.tla.symbolic.packed import PackedStates
from specmodel.tla.symbolic.path import EvaluationPath, NotCompiled
from specmodel.tla.symbolic.possible_steps import StepLoop, refuse_cut, step_parameter
from specmodel.tla.symbolic.sampling import TypeFinder
from specmodel.tla.symbolic.types import roomy
from specmodel.tla.symbolic.visits import Visits
from specmodel.tla.tlc_get import LEVEL
from specmodel.tla.values import FALSE, TRUE, Value

if TYPE_CHECKING:
    from specmodel.tla.symbolic.initial import InitialStates

TlaTuple = tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class CompiledRule:
    """A rule of a compiled module."""

    name: str
    role: str
    module: CompiledModule
    span: Span | None = None
    runs: tuple[Run, ...] = ()
    parts: tuple[tuple[TlaTerm, TlaScope], ...] = ()
    states: int = 1
    parameters: Mapping[str, Domain] = field(default_factory=dict[str, Domain])
    claim: str = ""
    """The property that it is a part of."""
    summary: str = ""
    antecedent: None = None
    refined: None = None

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        """The numbers of the possible steps of an action; none of another rule."""
        if not self.parameters:
            yield ()
            return
        (domain,) = self.parameters.values()
        for member in domain.values():
            yield (member,)

    def label(self, arguments: Sequence[Any]) -> str:
        """The name, with the number of the step."""
        return f"{self.name}#{arguments[0]}" if arguments else self.name

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments."""
        return tuple(arguments)

    def run(self, *arguments: Any) -> Any:
        """Runs the rule by the evaluator: the reference for the engines."""
        if self.role == "action":
            state: Any
            state, *given = arguments
            number = given[0].number if given else 0
            end = self.module.outcome(state, self.name, number)
            after: Any = self.module.held(self.module.canonical(end))
            state.__dict__.update(after.__dict__)
            self.module.ending(state, end)
            Writes.count = Writes.next()
            return None
        before = self.module.values(arguments[0])
        after = self.module.end_of(arguments[1]) if len(arguments) > 1 else None
        holds = all(self._holds(run, before, after) for run in self.runs)
        if self.module.spec.resolver.recursive and self._cuts:
            states = [self.module.held(one) for one in (before, after) if one is not None]
            codes = [code for one in states for code in codes_of(self.module.domain, one)]
            refuse_cut(self._cuts, Codes(codes))
        return holds

    def _holds(self, run: Run, before: TlaTuple, after: TlaTuple | None) -> bool:
        try:
            value = run((), before, after)
        except RecursionError:
            raise too_deep(self.span) from None
        if value is not TRUE and value is not FALSE:
            raise no_truth(value, self.span or Span("", 0, 0, 0, 0))
        return value is TRUE

    @property
    def steps(self) -> tuple[Run, ...]:
        """How it is evaluated, if it is a property of steps."""
        return self.runs if self.role == "transition" else ()

    @cached_property
    def _cuts(self) -> list[Failure]:
        """The failures of a property that only compiled code has."""
        own = self.module.own
        states = [self.module.leaves_of(own.graph, place) for place in range(self.states)]
        judged = self.judgement(own.graph, states)
        return [failure for failure in judged.failures if failure.message == CUT]

    # The graphs

    def effect(self, graph: Graph, leaves: Sequence[Node], args: Sequence[Any]) -> Effect:
        """The effect of a possible step."""
        steps = self.module.graphs(graph, leaves).steps.get(self.name, [])
        argument = args[0] if args else StepLoop(0)
        if argument.step >= len(steps):
            return Effect((GuardConjunct(graph.false, None),), (), tuple(leaves))
        return steps[argument.step].effect.given(graph, argument.parameters)

    def loops(self) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]:
        """The possible steps, with the sizes of their parameters; those of a loop are one."""
        if not self.parameters:
            yield (), ()
            return
        for number, step in enumerate(self.module.own.steps.get(self.name, ())):
            yield step.sizes, (StepLoop(number),)

    def judgement(self, graph: Graph, states: Sequence[Sequence[Node]]) -> Judgement:
        """Whether a property is true."""
        graphs = self.module.graphs(graph, states[0])
        return graphs.judgement(self.parts, states[1] if len(states) > 1 else None)

    # The coverage points

    @cached_property
    def _places(self) -> Visits:
        """The coverage points on states of which nothing is known."""
        own = self.module.own
        return self._visits(own, [self.module.leaves_of(own.graph, i) for i in range(self.states)])

    def points(self, first: int) -> Sequence[Point]:
        """The coverage points."""
        return tuple(self._places.points(first, self.name, self.role))

    @property
    def case_count(self) -> int:
        """The number of values of the parameters that the action is tried with in a state."""
        return len(self._places.cases)

    def cases(
        self, first: int, graph: Graph, states: Sequence[Sequence[Node]]
    ) -> Sequence[PointConditions]:
        """The conditions of the coverage points in each case."""
        visits = self._visits(self.module.graphs(graph, states[0]), states)
        numbers = {place: first + number for place, number in self._places.places.items()}
        return tuple(visits.conditions(numbers))

    def _visits(self, graphs: ModuleGraphs, states: Sequence[Sequence[Node]]) -> Visits:
        if self.role == "action" and self.name in graphs.visits:
            return graphs.visits[self.name]
        visits = Visits(EvaluationPath(graphs.graph), self.span or Span("", 0, 0, 0, 0), {})
        if self.role != "action":
            graphs.judgement(self.parts, states[1] if len(states) > 1 else None, visits)
        return visits


@dataclass(frozen=True, eq=False)
class InitialRule:
    """The initial states."""

    module: CompiledModule
    initial: Sequence[Any]
    name: str = "Init"
    role: str = "init"
    span: Span | None = None
    states: int = 0
    parameters: Mapping[str, Domain] = field(default_factory=dict[str, Domain])
    summary: str = ""
    antecedent: None = None
    refined: None = None

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        """The number of each initial state."""
        return ((number,) for number in range(len(self.initial)))

    def label(self, arguments: Sequence[Any]) -> str:
        """The name."""
        return self.name

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments."""
        return tuple(arguments)

    def run(self, *arguments: Any) -> Any:
        """An initial state."""
        return self.module.held(self.module.canonical(self.initial[arguments[0]]))


def _unavailable(what: str) -> SpecError:
    return SpecError(f"{what}: this is not supported for a TLA+ module yet")


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """The model of a module that engines compile."""

    module: CompiledModule
    start: InitialRule
    rules: tuple[CompiledRule, ...]
    properties: tuple[CompiledRule, ...]
    bounds: tuple[CompiledRule, ...]
    deadlock: bool
    parent: None = None
    begins: bool = True
    fairness: tuple[Any, ...] = ()
    lanes: None = None

    @property
    def name(self) -> str:
        """The name of the module."""
        return self.module.spec.name

    @property
    def domain(self) -> StructDomain:
        """The domain of the states."""
        return self.module.domain

    @property
    def code(self) -> Lowered:
        """The functions, whose graphs the rules make."""
        return self._code

    @cached_property
    def _code(self) -> Lowered:
        text = f"{module_digest(self.module.spec)} {sorted(self.module.depths.items())}"

        def function(rule: CompiledRule) -> Function:
            states = {f"s{i}": self.domain for i in range(rule.states)}
            result = None if rule.role == "action" else BOOL
            body = (Graphed(rule.span, f"{text} {rule.name}", rule),)
            return Function(rule.name, {**states, **rule.parameters}, result, body, rule.span)

        return Lowered(
            self.domain,
            {rule.name: function(rule) for rule in self.rules},
            {rule.name: (rule.role, function(rule)) for rule in self.properties},
            {},
            {rule.name: function(rule) for rule in self.bounds},
            {},
            graph=self.module.own.graph,
            orbit=self.module.own.orbit if self.module.permutations else None,
        )

    @property
    def binding_counts(self) -> Mapping[str, int]:
        """The number of possible steps of each action."""
        steps = self.module.own.steps
        return {
            rule.name: sum(prod(s.sizes) for s in steps.get(rule.name, ()) if not s.never)
            for rule in self.rules
        }

    def interpreter(self) -> CompiledInterpreter:
        """Its steps by the evaluator."""
        return CompiledInterpreter(self)

    def kind_of(self, rule: Any) -> str:
        """The name of a rule."""
        return rule.name

    def type_of(self, place: Callable[..., Any], what: str) -> None:
        """None: no function names a place."""
        return

    def expressions(self) -> NoReturn:
        """Raises SpecError: expressions over the state are not parsed."""
        raise _unavailable("an expression over the state")

    def asking(self, role: str, name: str, text: str, what: str, holds: bool = True) -> NoReturn:
        """Raises SpecError."""
        raise _unavailable("a further property")

    def hidden_and_read(self) -> list[str]:
        """The variables outside of a VIEW on which it depends which views are reached, or a
        property: if there is none, states with the same view have the same future.

        A search by levels finds each state at its level, whatever the order of states."""
        module, names = self.module, list[str]()
        for name, count in zip(module.spec.variables, module.widths, strict=True):
            names += [name] * count
        key, own, read = module.domain.key, module.own, set[int]()
        for step in (step for steps in own.steps.values() for step in steps):
            nodes = [guard.node for guard in step.effect.guards]
            nodes += [n for name, n in zip(names, step.effect.leaves, strict=True) if name in key]
            if step.fits is own.graph.true:  # a value that does not fit is no failure of the module
                nodes += [failure.node for failure in step.effect.failures]
            read |= leaves_read(nodes)
        for rule in (*self.properties, *self.bounds):
            states = [module.leaves_of(own.graph, place) for place in range(rule.states)]
            judged = rule.judgement(own.graph, states)
            read |= leaves_read([judged.node, *(failure.node for failure in judged.failures)])
        found = {names[leaf % len(names)] for leaf in read}
        found -= {*key, LEVEL}
        return [name for name in module.spec.variables if name in found]

    def starting_in(self, state: Any) -> CompiledModel:
        """The same model with one initial state."""
        start = replace(self.start, initial=[self.module.values(state)])
        return replace(self, start=start)

    def without(self, *names: str) -> CompiledModel:
        """The same model without some actions or properties."""
        return replace(
            self,
            rules=tuple(rule for rule in self.rules if rule.name not in names),
            properties=tuple(rule for rule in self.properties if rule.name not in names),
        )


class CompiledInterpreter(Interpreter):
    """The steps of a compiled module: the evaluator finds all of a state at once.

    A module has hundreds of possible steps, of which a few can happen in a state.
    """

    def __init__(self, model: CompiledModel) -> None:
        super().__init__(model)
        self.module = model.module
        self.starts = model.start.initial
        self.places = {
            (rule.name, values[0].number if values else 0): number
            for number, (rule, values) in enumerate(self.bindings)
        }

    def packed_initial(self, pack: Callable[[Any], tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        if isinstance(self.starts, PackedStates):
            return self.starts.words()
        return super().packed_initial(pack)

    def outcomes(self, state: Any) -> Iterator[tuple[int, Any]]:
        found = self.module.outcomes(state)
        if isinstance(found, SpecError):
            yield from super().outcomes(state)
            return
        taken = {self.places[key]: after for key, after in found.items() if key in self.places}
        for number in sorted(taken):
            yield number, self.module.stepped(taken[number])


def compiled_model(finder: TypeFinder, initial: list[TlaTuple] | InitialStates) -> CompiledModel:
    """The model of a module with the types that were found, which have some room.

    Raises NotCompiled, TypeExceeded.
    """
    spec, types = finder.spec, [None if held is None else roomy(held) for held in finder.types]
    module = CompiledModule(spec, types, finder.depths)
    states: Sequence[TlaTuple] = initial if isinstance(initial, list) else initial.packed(module)
    if states is initial:
        for state in states:
            module.held(state)
    steps = module.own.steps
    spans = {action.name: action.span for action in spec.actions}
    rules: list[CompiledRule] = []
    for name in dict.fromkeys([*steps, *spans]):
        parameters = step_parameter(steps.get(name, ()))
        rules.append(CompiledRule(name, "action", module, spans.get(name), parameters=parameters))
    properties = [rule for claim in spec.claims for rule in _rules_of(claim, module)]
    bounds = [
        CompiledRule(name, "constraint", module, span, (run,), ((Applied(span, name), spec.root),))
        for name, run, span in spec.constraints
    ]
    return CompiledModel(
        module, InitialRule(module, states), tuple(rules), tuple(properties), tuple(bounds),
        spec.configuration.deadlock,
    )  # fmt: skip


def _rules_of(claim: TlaProperty, module: CompiledModule) -> Iterator[CompiledRule]:
    """A property as a condition on states and a condition on steps. Raises NotCompiled."""
    if len(claim.formulas) != len(claim.states) + len(claim.steps):
        raise NotCompiled(f"{claim.name} has a form that is not compiled")
    kinds = (("invariant", "always", claim.states, 1), ("transition", "step", claim.steps, 2))
    for role, kind, runs, states in kinds:
        if runs:
            name = (
                claim.name if role == "transition" or not claim.steps else f"{claim.name} (states)"
            )
            parts = tuple((p.term, p.scope) for p in claim.formulas if p.kind == kind)
            yield CompiledRule(
                name, role, module, claim.span, tuple(runs), parts, states, claim=claim.name
            )
