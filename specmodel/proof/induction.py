"""The obligations of a proof by induction, as questions to a solver.

Claims are proved together: a step from states that meet all claims keeps each of them. With a
`path` of k states this is k-induction: the claims are assumed in k successive states, no two of
them equal, and proved for the first k states of behaviours.

A solver that was interrupted is not asked again: z3's solver for finite domains has been seen to
give wrong answers afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from specmodel.behaviour.failures import step_failure
from specmodel.behaviour.steps import Interpreter
from specmodel.errors import SpecmodelError
from specmodel.proof.claims import Claim
from specmodel.proof.questions import Questions
from specmodel.proof.result import Obligation, ObligationOutcome
from specmodel.results import Trace
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Answer, Formula, Solver

KIND = "QF_FD"

MOST_SHRINKING = 2.0
"""Seconds for one question in the search for a simpler counterexample."""


class Induction:
    """Asks the obligations of some claims, besides those that are assumed."""

    def __init__(
        self,
        encoding: Encoding,
        questions: Questions,
        claims: Sequence[Claim],
        assumed: Sequence[Claim],
        path: int = 1,
        cores: bool = False,
    ) -> None:
        self.encoding = encoding
        self.logic = encoding.logic
        self.questions = questions
        self.claims = [claim for claim in claims if claim.states == 1]
        self.steps = [claim for claim in claims if claim.states == 2]
        self.assumed = list(assumed)
        self.path = path
        self.cores = cores
        self.interpreter = Interpreter(encoding.relation.spec)
        self.initial = list(map(self.interpreter.domain.copy, self.interpreter.initial()))
        if not self.initial:
            raise SpecmodelError("there is no initial state")
        self._literals: dict[str, Formula] = {}

    def obligations(self) -> list[Obligation]:
        """All obligations, in the order in which they are asked."""
        found = [Obligation("initiation", claim.name) for claim in self.claims]
        if any(move.failure is not self._false for move in self.encoding.moves):
            found.append(Obligation("no failure"))
        for action in self.actions:
            found += [
                Obligation("consecution", claim.name, action)
                for claim in (*self.claims, *self.steps)
            ]
        return found

    @property
    def _false(self) -> Any:
        return self.encoding.relation.graph.false

    @property
    def actions(self) -> list[str]:
        """The actions that can happen at all."""
        return list(dict.fromkeys(move.rule.name for move in self.encoding.moves))

    def outcomes(self) -> Iterator[ObligationOutcome]:
        """The outcomes of the obligations, one by one. Raises StoppedError if it is to end."""
        yield from self._initiation()
        solver = self._stepping(self.cores)
        for obligation in self.obligations():
            if obligation.kind == "initiation":
                continue
            solver.push()
            if obligation.kind == "no failure":
                solver.add(self.encoding.step_fails(self.path))
                shown = self.path
            else:
                shown = self.path + 1
                solver.add(*self._not_failing(), *self._last_step(obligation))
            assumed = list(self._literals.values()) if self.cores else []
            outcome = self._asked(solver, obligation, assumed, shown)
            if outcome.status == "proved":
                solver.pop()
            else:
                solver = self._stepping(self.cores)
            yield outcome

    # From the start

    def _initiation(self) -> Iterator[ObligationOutcome]:
        """The claims in the first states of behaviours, as many as a path has."""
        for claim in self.claims:
            obligation = Obligation("initiation", claim.name)
            outcome, seconds = ObligationOutcome(obligation, "proved"), 0.0
            for depth in range(1, self.path + 1):
                solver = self._from_start(depth)
                solver.add(self.logic.negate(claim.holds(self.encoding, depth)))
                outcome = self._asked(solver, obligation, [], depth)
                seconds += outcome.seconds
                if outcome.status != "proved":
                    break
            yield replace(outcome, seconds=seconds)

    def _from_start(self, depth: int) -> Solver:
        """A solver for the first states of behaviours."""
        encoding, solver = self.encoding, self.logic.solver(KIND)
        solver.add(encoding.initial(1, self.initial))
        for before in range(1, depth):
            solver.add(encoding.step(before), encoding.inside(before))
        for claim in self.assumed:
            solver.add(*(claim.holds(encoding, at) for at in range(1, depth + 1)))
        return solver

    # Without a step

    def implied(self, claim: Claim) -> ObligationOutcome:
        """Whether a state that meets the claims here meets another one."""
        encoding, obligation = self.encoding, Obligation("implication", claim.name)
        solver = self.logic.solver(KIND)
        solver.add(encoding.any_state(1), self.logic.negate(claim.holds(encoding, 1)))
        for other in (*self.claims, *self.assumed):
            literal = self._literal(other)
            solver.add(self.logic.implies(literal, other.holds(encoding, 1)))
        return self._asked(solver, obligation, list(self._literals.values()), 1)

    def _literal(self, claim: Claim) -> Formula:
        if claim.name not in self._literals:
            self._literals[claim.name] = self.logic.bool_variable(f"assume {claim.name}")
        return self._literals[claim.name]

    # From any state that meets the claims

    def _stepping(self, literals: bool) -> Solver:
        """A solver for paths of states that meet all claims, or those of literals assumed."""
        encoding, logic, path = self.encoding, self.logic, self.path
        solver = logic.solver(KIND)
        solver.add(encoding.any_state(1))
        for claim in (*self.claims, *self.assumed):
            literal = self._literal(claim)
            if not literals:
                solver.add(literal)
            for depth in range(1, path + 1):
                solver.add(logic.implies(literal, claim.holds(encoding, depth)))
        solver.add(*(encoding.inside(depth) for depth in range(1, path + 1)))
        for depth in range(1, path):
            solver.add(encoding.step(depth), logic.negate(encoding.step_fails(depth)))
        solver.add(*(encoding.differ(a, b) for a, b in combinations(range(1, path + 1), 2)))
        return solver

    def strongest(self, wanted: Callable[[int], None]) -> list[Claim]:
        """Removes claims that a step can break, until a step keeps all that are left. The claims
        hold in the initial states. `wanted` gets the number of claims that are left. Claims
        about steps are not included."""
        encoding, logic = self.encoding, self.logic
        assert self.path == 1
        starts = [
            all(self._true_in(claim, state) for state in self.initial) for claim in self.claims
        ]
        left = [claim for claim, true in zip(self.claims, starts, strict=True) if true]
        solver = self._stepping(literals=True)
        solver.add(encoding.step(1), *self._not_failing())
        solver.add(*(c.holds(encoding, 2) for c in self.assumed))
        broken = {c.name: logic.negate(c.holds(encoding, 2)) for c in left}
        while left:
            wanted(len(left))
            solver.push()
            solver.add(logic.either([logic.false, *(broken[c.name] for c in left)]))
            literals = [self._literals[c.name] for c in (*left, *self.assumed)]
            answer = self.questions.ask(solver, literals)
            if answer is Answer.UNSAT:
                return left
            if answer is Answer.UNKNOWN:
                return []
            model = solver.model()
            gone = {c.name for c in left if model.truth(broken[c.name])}
            solver.pop()
            left = [c for c in left if c.name not in gone]
        return left

    def _true_in(self, claim: Claim, state: Any) -> bool:
        solver = self.logic.solver(KIND)
        solver.add(self.encoding.is_state(self.encoding.frame(1), state))
        solver.add(self.logic.negate(claim.holds(self.encoding, 1)))
        return self.questions.ask(solver) is Answer.UNSAT

    def _not_failing(self) -> list[Formula]:
        return [self.logic.negate(self.encoding.step_fails(self.path))]

    def _last_step(self, obligation: Obligation) -> list[Formula]:
        """The formula that the last step of a path is by the action, and violates a claim."""
        encoding, logic, path = self.encoding, self.logic, self.path
        choice = encoding.choice(path)
        ways = [
            variable
            for move, variable in zip(encoding.moves, choice.moves, strict=True)
            if move.rule.name == obligation.action
        ]
        claim = next(c for c in (*self.claims, *self.steps) if c.name == obligation.claim)
        at = path if claim.states == 2 else path + 1
        kept = [c.holds(encoding, path + 1) for c in self.assumed]
        different = [encoding.differ(depth, path + 1) for depth in range(1, path + 1)]
        return [
            encoding.step(path),
            logic.either([logic.false, *ways]),
            *kept,
            *(different if path > 1 and claim.states == 1 else []),
            logic.negate(claim.holds(encoding, at)),
        ]

    # Answers

    def _asked(
        self,
        solver: Solver,
        obligation: Obligation,
        assumed: list[Formula],
        shown: int,
    ) -> ObligationOutcome:
        """The outcome of an obligation: whether it has a counterexample of `shown` states."""
        before = time.perf_counter()
        answer = self.questions.ask(solver, assumed)
        if answer is Answer.UNSAT:
            uses = self._used(solver) if assumed else ()
            return ObligationOutcome(obligation, "proved", time.perf_counter() - before, uses=uses)
        if answer is Answer.UNKNOWN:
            return ObligationOutcome(
                obligation, "unknown", time.perf_counter() - before, why=solver.why
            )
        trace = self._simplest(solver, assumed, shown, obligation)
        seconds = time.perf_counter() - before
        self._confirm(trace, obligation)
        why = ""
        if obligation.kind == "no failure":
            failure = step_failure(self.interpreter, trace)
            why = f"{failure.where}: {failure}"
        return ObligationOutcome(obligation, "failed", seconds, trace, (), why)

    def _used(self, solver: Solver) -> tuple[str, ...]:
        core = {str(literal) for literal in solver.core()}
        return tuple(name for name, literal in self._literals.items() if str(literal) in core)

    def _simplest(
        self, solver: Solver, assumed: list[Formula], shown: int, obligation: Obligation
    ) -> Trace:
        """A path of the model in which as many leaves as possible have their initial values.

        The solver cannot be used for anything else afterwards.
        """
        encoding = self.encoding
        model = solver.model()
        if obligation.kind != "initiation":
            frame, leaves = encoding.frame(1), encoding.relation.layout.leaves
            codes = encoding.relation.codes(self.initial[0])
            for variable, code, leaf in zip(frame.variables, codes, leaves, strict=True):
                solver.push()
                solver.add(encoding.is_code(variable, code, leaf))
                answer = self.questions.ask(solver, assumed, MOST_SHRINKING)
                if answer is Answer.UNKNOWN:
                    break
                if answer is Answer.SAT:
                    model = solver.model()
                else:
                    solver.pop()
        states = tuple(encoding.state(model, depth) for depth in range(1, shown + 1))
        steps = tuple(encoding.step_taken(model, depth) for depth in range(1, shown))
        return Trace(states, steps)

    def _confirm(self, trace: Trace, obligation: Obligation) -> None:
        """Raises SpecmodelError if CPython does not follow the path of the formulas."""
        for place, step in enumerate(trace.steps):
            number = self.interpreter.numbers[str(step)]
            after = self.interpreter.successor(trace.states[place], number)
            if after != trace.states[place + 1]:
                raise SpecmodelError(
                    f"the formulas and CPython differ over {step}, when asked whether {obligation}"
                )
