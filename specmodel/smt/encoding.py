"""A spec's relation as z3 formulas over frames: the states of a behaviour at numbered depths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.ir.layout import Leaf
from specmodel.ir.symbolic.effects import Judgement
from specmodel.ir.symbolic.graph import Node
from specmodel.model.model import Rule
from specmodel.results import Step
from specmodel.smt.logic import Formula, Logic, SolverModel, Substitution
from specmodel.smt.relation import Relation
from specmodel.smt.translate import Translation


@dataclass(frozen=True)
class StateFrame:
    """The variables of the state at a depth, one for each leaf: `replica[r2].epoch @3`."""

    depth: int
    variables: tuple[Formula, ...]


@dataclass(frozen=True)
class Choice:
    """The variables of a step, one for each move: `fetch(follower=r2, leader=r1) @3`.

    One of them is true. Z3 decides at least twice as fast with them as with the move's number.
    """

    depth: int
    moves: tuple[Formula, ...]


class Encoding:
    """Formulas of a relation over the frames at numbered depths.

    Each formula is made once, over variables of its own (`template`, `chosen`). To use it at a
    depth, `at` replaces these variables with the variables of the depth.
    """

    def __init__(self, relation: Relation, logic: Logic) -> None:
        self.relation = relation
        self.logic = logic
        self.moves = relation.moves
        self.template = [
            logic.bits_variable(f"leaf {place}", leaf.bits)
            for place, leaf in enumerate(relation.leaves)
        ]
        self.chosen = [logic.bool_variable(str(move)) for move in self.moves]
        self.term = Translation(logic, dict(enumerate(self.template)))
        self.frames: dict[int, StateFrame] = {}
        self.choices: dict[int, Choice] = {}
        self._at: dict[int, Substitution] = {}

    # Variables

    def frame(self, depth: int) -> StateFrame:
        """The frame at a depth; the initial state has depth 1."""
        if depth not in self.frames:
            variables = [
                self.logic.bits_variable(f"{leaf.path} @{depth}", leaf.bits)
                for leaf in self.relation.layout.leaves
            ]
            self.frames[depth] = StateFrame(depth, tuple(variables))
        return self.frames[depth]

    def choice(self, depth: int) -> Choice:
        """The variables of the step from a depth."""
        if depth not in self.choices:
            moves = [self.logic.bool_variable(f"{move} @{depth}") for move in self.moves]
            self.choices[depth] = Choice(depth, tuple(moves))
        return self.choices[depth]

    def at(self, formula: Formula, depth: int) -> Formula:
        """A formula over `template` and `chosen`, at a depth, its step, and the depth after it."""
        if depth not in self._at:
            now, after, choice = self.frame(depth), self.frame(depth + 1), self.choice(depth)
            old = [*self.template, *self.chosen]
            new = [*now.variables, *after.variables, *choice.moves]
            self._at[depth] = self.logic.replacement(list(zip(old, new, strict=True)))
        return self._at[depth](formula)

    # States

    def is_state(self, frame: StateFrame, state: Any) -> Formula:
        """The formula: a frame is a given state."""
        codes = self.relation.codes(state)
        leaves = self.relation.layout.leaves
        return self.logic.both(
            self.is_code(variable, code, leaf)
            for variable, code, leaf in zip(frame.variables, codes, leaves, strict=True)
        )

    def is_code(self, variable: Formula, code: int, leaf: Leaf) -> Formula:
        """The formula: the variable of a leaf has a given code."""
        return variable == self.logic.bits(code, leaf.bits)

    def initial(self, depth: int, states: Iterable[Any]) -> Formula:
        """The formula: the state at a depth is one of several states."""
        frame = self.frame(depth)
        return self.logic.either(self.is_state(frame, state) for state in states)

    def any_state(self, depth: int) -> Formula:
        """The formula: the frame at a depth is a value of the state's domain, in canonical form."""
        return self.at(self._any_state, depth)

    @cached_property
    def _any_state(self) -> Formula:
        relation, logic = self.relation, self.logic
        ranges = [
            logic.below(term, logic.bits(leaf.size, leaf.bits))
            for term, leaf in zip(self.template, relation.layout.leaves, strict=False)
            if leaf.size != 1 << leaf.bits
        ]
        return logic.both([*ranges, self.term(relation.canonical())])

    def differ(self, one: int, other: int) -> Formula:
        """The formula: the states at two depths are different."""
        pairs = zip(self.frame(one).variables, self.frame(other).variables, strict=True)
        return self.logic.negate(self.logic.both(x == y for x, y in pairs))

    def state(self, model: SolverModel, depth: int) -> Any:
        """The state that a model of Z3 has at a depth."""
        return self.relation.state([model.number(v) for v in self.frame(depth).variables])

    # Steps

    def step(self, depth: int) -> Formula:
        """The formula: a step leads from the state at a depth to the next.

        It does not cover a step over which the spec fails (`step_fails`).
        """
        return self.at(self._step, depth)

    @cached_property
    def _step(self) -> Formula:
        logic, term = self.logic, self.term
        parts = [logic.exactly_one(self.chosen)]
        for chosen, move in zip(self.chosen, self.moves, strict=True):
            parts.append(logic.implies(chosen, term(move.guard)))
        for place, target in enumerate(self.relation.next):
            parts.append(term(target) == self._after(place))
        return logic.both(parts)

    def step_between(
        self, chosen: int, now: Sequence[Formula], after: Sequence[Formula]
    ) -> Formula:
        """The formula of `step` with values for its variables; `chosen` is the number of a move."""
        moves = [
            self.logic.true if n == chosen else self.logic.false for n in range(len(self.moves))
        ]
        old, new = [*self.template, *self.chosen], [*now, *after, *moves]
        return self.logic.replacement(list(zip(old, new, strict=True)))(self._step)

    def _after(self, place: int) -> Formula:
        """The term of the leaf at a place after the chosen step."""
        old = self.relation.now[place]
        by_value: dict[int, tuple[Node, list[Formula]]] = {}
        for chosen, move in zip(self.chosen, self.moves, strict=True):
            new = move.after[place]
            if new is not old:
                by_value.setdefault(new.id, (new, []))[1].append(chosen)
        leaf, value = self.relation.leaves[place], self.term(old)
        for new, ways in by_value.values():
            fitted = self.term.fitted(new, leaf)
            value = self.logic.choose(self.logic.either(ways), fitted, value)
        return value

    def step_fails(self, depth: int) -> Formula:
        """The formula: the spec fails over a step from the state at a depth."""
        return self.at(self._step_fails, depth)

    @cached_property
    def _step_fails(self) -> Formula:
        logic = self.logic
        failing = [
            self.term(move.failure)
            for move in self.moves
            if move.failure is not self.relation.graph.false
        ]
        return logic.either([logic.false, *failing])

    def stuck(self, depth: int) -> Formula:
        """The formula: no step can happen in the state at a depth."""
        return self.at(self._stuck, depth)

    @cached_property
    def _stuck(self) -> Formula:
        graph = self.relation.graph
        can = graph.either(*(move.guard for move in self.moves))
        return self.term(graph.negate(can))

    def step_taken(self, model: SolverModel, depth: int) -> Step:
        """The step that a model of Z3 has from a depth."""
        choice = self.choice(depth)
        taken = [move for move, v in zip(self.moves, choice.moves, strict=True) if model.truth(v)]
        (move,) = taken
        return Step(move.rule.name, dict(move.bound))

    # Properties

    def true(self, judgement: Judgement, depth: int) -> Formula:
        """The formula: a judgement of the relation is true at a depth."""
        return self.at(self.term(judgement.node), depth)

    def failing(self, judgement: Judgement, depth: int) -> Formula:
        """The formula: the evaluation of a judgement of the relation fails at a depth."""
        graph = self.relation.graph
        return self.at(self.term(graph.either(*(f.node for f in judgement.failures))), depth)

    def holds(self, rule: Rule, depth: int) -> Formula:
        """The formula: a property holds at a depth (if it is about steps, for the step there)."""
        return self.true(self.relation.judged(rule), depth)

    def fails(self, rule: Rule, depth: int) -> Formula:
        """The formula: the spec fails over a property at a depth, or over the step from there."""
        return self.failing(self.relation.judged(rule), depth)

    def inside(self, depth: int) -> Formula:
        """The formula: the state at a depth satisfies the constraints of the spec."""
        bounds = [self.holds(rule, depth) for rule in self.relation.spec.bounds]
        return self.logic.both([self.logic.true, *bounds])
