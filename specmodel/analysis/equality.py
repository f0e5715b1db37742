"""Decides whether two designs are the same: each action in all states of the domain, with Z3.

A search compares the reachable states of two designs at some constants by running both. This
compares their functions, in every state of the domain, reachable or not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError, suggestion
from specmodel.ir.symbolic.graph import Node
from specmodel.model.model import Rule
from specmodel.results import SpecFailure, Step
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Answer, Logic, SolverModel
from specmodel.smt.relation import ActionRelation, Relation

Verdict = Literal["equal", "different", "added", "removed", "unknown"]

_VERDICTS: dict[Answer, Verdict] = {
    Answer.UNSAT: "equal",
    Answer.SAT: "different",
    Answer.UNKNOWN: "unknown",
}
"""The meaning of the answer to: is there a state that shows a difference?"""


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of a step in a state: a state after it, a failure of the spec, or neither.

    Neither: the step cannot happen.
    """

    after: Any = None
    failure: str = ""


@dataclass(frozen=True)
class DifferentStep:
    """A state, and a step with its outcome in each of two designs."""

    state: Any
    step: Step
    outcomes: tuple[StepOutcome, StepOutcome]


@dataclass(frozen=True)
class ActionPair:
    """An action of one design and the corresponding action of the other.

    One is "" if an action was added or removed. `difference` is given if the verdict is "different"
    and both take the same arguments.
    """

    one: str
    other: str
    verdict: Verdict
    difference: DifferentStep | None = None


@dataclass(frozen=True)
class Equality:
    """The comparison of two designs.

    `assumed` are the assumed invariants: states that violate them did not count. `starts` says
    whether the initial states are the same, `bounds` whether the state constraints are.
    """

    designs: tuple[Design, Design]
    assumed: tuple[str, ...]
    starts: bool
    bounds: Verdict
    pairs: tuple[ActionPair, ...]
    seconds: float

    @property
    def verdict(self) -> Literal["equal", "different", "unknown"]:
        """Different if any part is different, else unknown if any part is unknown."""
        verdicts = {self.bounds, *(pair.verdict for pair in self.pairs)}
        if not self.starts or verdicts - {"equal", "unknown"}:
            return "different"
        return "unknown" if "unknown" in verdicts else "equal"


def equality(
    one: Design,
    other: Design,
    assume: Sequence[str] = (),
    timeout: float | None = None,
) -> Equality:
    """Compares two designs over all states in which the invariants `assume`, of `one`, hold.

    `timeout`, in seconds, is for each action. Raises UsageError for designs whose states differ,
    for an unknown invariant, and if z3 is not installed.
    """
    return _EqualityCheck(one, other, assume, timeout).run()


class _EqualityCheck:
    def __init__(
        self, one: Design, other: Design, assume: Sequence[str], timeout: float | None
    ) -> None:
        _refuse_other_states(one, other)
        self.designs = (one, other)
        self.assumed = [_invariant(one, name) for name in assume]
        self.timeout = timeout
        self.started = time.perf_counter()
        self.logic = Logic()
        first = Relation(one.spec)
        # One graph for both designs: equal expressions become one node, and need no solver.
        self.relations = (first, Relation(other.spec, graph=first.graph))
        self.graph = first.graph
        self.interpreters = (Interpreter(one.spec), Interpreter(other.spec))
        self.encoding = Encoding(first, self.logic)
        self.solver = self.logic.solver("QF_FD")
        self.solver.add(self.encoding.any_state(1))
        self.solver.add(*(self.encoding.holds(rule, 1) for rule in self.assumed))

    def run(self) -> Equality:
        """The comparison of initial states, constraints and actions."""
        pairs = [self._pair(a, b) for a, b in _pairs(*self.designs)]
        return Equality(
            designs=self.designs,
            assumed=tuple(rule.name for rule in self.assumed),
            starts=self._starts(),
            bounds=self._bounds(),
            pairs=tuple(pairs),
            seconds=time.perf_counter() - self.started,
        )

    def _starts(self) -> bool:
        one, other = (
            {tuple(relation.codes(state)) for state in interpreter.initial()}
            for relation, interpreter in zip(self.relations, self.interpreters, strict=True)
        )
        return one == other

    def _bounds(self) -> Verdict:
        graph = self.graph
        inside, failing = (
            [
                combine(*(part(relation, rule) for rule in relation.spec.bounds))
                for relation in self.relations
            ]
            for combine, part in ((graph.both, _truth), (graph.either, _failure))
        )
        answer, _ = self._ask([graph.either(graph.differs(*inside), graph.differs(*failing))])
        return _VERDICTS[answer]

    def _pair(self, one: Rule | None, other: Rule | None) -> ActionPair:
        if one is None or other is None:
            gone = "added" if one is None else "removed"
            return ActionPair(one.name if one else "", other.name if other else "", gone)
        if _parameters(one) != _parameters(other):
            return ActionPair(one.name, other.name, "different")
        first, second = self.relations
        moves = list(zip(first.bindings_of(one), second.bindings_of(other), strict=True))
        unlike = [self._unlike(a, b) for a, b in moves]
        answer, model = self._ask(unlike)
        if model is None:
            return ActionPair(one.name, other.name, _VERDICTS[answer])
        found = next(
            place
            for place, node in enumerate(unlike)
            if model.truth(self.encoding.at(self.encoding.term(node), 1))
        )
        return ActionPair(one.name, other.name, "different", self._difference(moves[found], model))

    def _unlike(self, one: ActionRelation, other: ActionRelation) -> Node:
        """The formula that a step by one move differs from the step by another."""
        graph = self.graph
        same = [graph.eq(a, b) for a, b in zip(one.after, other.after, strict=True)]
        elsewhere = graph.both(one.guard, other.guard, graph.negate(graph.both(*same)))
        sound = graph.negate(graph.either(one.failure, other.failure))
        differs = graph.either(graph.differs(one.guard, other.guard), elsewhere)
        return graph.either(graph.differs(one.failure, other.failure), graph.both(sound, differs))

    def _ask(self, nodes: Sequence[Node]) -> tuple[Answer, SolverModel | None]:
        """Whether there is a state in which one of some nodes is true, and one such state."""
        node = self.graph.either(*nodes)
        if node is self.graph.false:
            return Answer.UNSAT, None
        self.solver.push()
        self.solver.add(self.encoding.at(self.encoding.term(node), 1))
        answer = self.solver.check(timeout=self.timeout)
        model = self.solver.model() if answer is Answer.SAT else None
        self.solver.pop()
        if answer is Answer.UNKNOWN:
            self.solver.renew()
        return answer, model

    def _difference(
        self, moves: tuple[ActionRelation, ActionRelation], model: SolverModel
    ) -> DifferentStep:
        """The state of a model, and both outcomes in it under CPython."""
        codes = [model.number(variable) for variable in self.encoding.frame(1).variables]
        outcomes = tuple(
            _outcome(interpreter, relation.state(codes), move)
            for interpreter, relation, move in zip(
                self.interpreters, self.relations, moves, strict=True
            )
        )
        one, other = outcomes
        coded = [
            None if found.after is None else relation.codes(found.after)
            for relation, found in zip(self.relations, outcomes, strict=True)
        ]
        if coded[0] == coded[1] and bool(one.failure) == bool(other.failure):
            raise SpecmodelError(
                f"z3 found a difference in {moves[0]} that is none under CPython; this is a "
                "mistake in specmodel, please report it with both designs"
            )
        step = Step(moves[0].rule.name, moves[0].bound)
        return DifferentStep(self.relations[0].state(codes), step, (one, other))


def _outcome(interpreter: Interpreter, state: Any, move: ActionRelation) -> StepOutcome:
    wanted = (move.rule.name, tuple(move.bound.values()))
    number = next(
        n for n, (rule, values) in enumerate(interpreter.bindings) if (rule.name, values) == wanted
    )
    try:
        return StepOutcome(after=interpreter.successor(state, number))
    except SpecFailure as failure:
        return StepOutcome(failure=failure.message)


def _truth(relation: Relation, rule: Rule) -> Node:
    return relation.judged(rule).node


def _failure(relation: Relation, rule: Rule) -> Node:
    return relation.graph.either(*(f.node for f in relation.judged(rule).failures))


def _pairs(one: Design, other: Design) -> Iterator[tuple[Rule | None, Rule | None]]:
    """The pairs of actions: those with the same name, then the others with the same kind."""
    mine = {rule.name: rule for rule in one.spec.rules}
    theirs = {rule.name: rule for rule in other.spec.rules}
    left = [rule for rule in other.spec.rules if rule.name not in mine]
    for rule in one.spec.rules:
        match = theirs.get(rule.name)
        if match is None:
            kind = one.spec.kind_of(rule)
            match = next((r for r in left if other.spec.kind_of(r) == kind), None)
            if match is not None:
                left.remove(match)
        yield rule, match
    for rule in left:
        yield None, rule


def _parameters(rule: Rule) -> list[tuple[str, str, int]]:
    """The parameters of an action, by shape: designs loaded apart have domains of their own."""
    return [(name, str(domain), domain.size) for name, domain in rule.parameters.items()]


def _refuse_other_states(one: Design, other: Design) -> None:
    """Raises UsageError unless two designs have states of the same shape."""
    mine, theirs = (
        {(leaf.path, leaf.size, str(leaf.domain)) for leaf in Relation(design.spec).layout.leaves}
        for design in (one, other)
    )
    if mine != theirs:
        paths = sorted({path for path, _, _ in mine ^ theirs})
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        raise UsageError(
            f"the states of {one.name} and {other.name} differ ({', '.join(paths[:3])}{more}): "
            "only designs over the same state can be equal"
        )


def _invariant(design: Design, name: str) -> Rule:
    """The invariant with a name. Raises UsageError if there is none."""
    found = {rule.name: rule for rule in design.spec.properties if rule.role == "invariant"}
    (rule,) = design.chosen([name])
    if rule.name not in found:
        raise UsageError(f'"{name}" is no invariant of {design.name}{suggestion(name, found)}')
    return rule
