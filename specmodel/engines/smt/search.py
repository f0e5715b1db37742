"""Searches behaviours by their length, with one solver that learns from depth to depth.

At each depth the solver first decides whether anything at all is violated there. Only if it is (or
if that is not known), it decides what. A path need not visit a state twice. Of behaviours that
symmetry makes equal, one is enough: see `smt/breaking.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from specmodel.behaviour.orbits import interchangeable
from specmodel.design import Design
from specmodel.domains import ScalarDomain
from specmodel.engines.base.driver import Driver
from specmodel.engines.smt.queries import Queries, Query, failure_of
from specmodel.engines.smt.self_check import CompiledFormulas, states_of
from specmodel.errors import SpecError, SpecmodelError, UsageError
from specmodel.model.model import Rule
from specmodel.results import DEADLOCK, Options, Progress, PropertyResult, Result, Trace
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import Compiled
from specmodel.smt.breaking import NamesBroken, OrdersBroken
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Answer, Formula, Logic, SolverModel
from specmodel.smt.relation import Relation

DEFAULT_DEPTH = 10
"""The default for the greatest length of a behaviour, in states: seconds for most designs."""


def check(design: Design, options: Options = Options()) -> Result:
    """Looks for violations in behaviours of up to `max_depth` states, shortest first.

    Raises SpecFailure, with a trace, if the spec itself fails, and UsageError for options of a
    search that this engine does not have, and if z3 is not installed.
    """
    return _BoundedSearch(design, options).run()


def check_through(design: Design, options: Options, through: Rule) -> Result:
    """As `check`, for paths on which some property is true in some state, the last included.

    Such a path may visit a state twice, so no length shows that there is none.
    """
    return _BoundedSearch(design, options, through).run()


class _BoundedSearch(Driver):
    """The search.

    Its levels are the depths of behaviours: a level is reached if it has been decided.
    """

    engine = "smt"
    poll_every = 0.05
    progress_every = 0.0

    def __init__(self, design: Design, options: Options, through: Rule | None = None) -> None:
        super().__init__(design, options)
        self.through = through
        self.most_depth = self.most = options.max_depth or DEFAULT_DEPTH
        self.found: dict[str, Trace] = {}
        self.doubted: list[Trace] = []
        self.undecided: list[str] = []
        self.asked = 0
        self.asking = ""
        started = time.perf_counter()
        self.logic = Logic()
        self.encoding = Encoding(Relation(design.spec), self.logic)
        self.queries = Queries(self.encoding, through)
        self.solver = self.logic.solver("QF_FD")
        self.names = NamesBroken(self.encoding, self._symmetric())
        by_the_way = through is not None or bool(design.spec.bounds)
        self.orders = None if by_the_way else OrdersBroken(self.encoding)
        self.compiling = time.perf_counter() - started
        self.restart_clock()

    def interchangeable(self) -> Sequence[ScalarDomain]:
        return ()  # the formulas break symmetry; no orbits are searched

    def _symmetric(self) -> tuple[ScalarDomain, ...]:
        try:
            passed = [] if self.through is None else [self.through]
            return interchangeable(self.design, [*self.rules, *passed])
        except (SpecError, UsageError):  # nothing is symmetric: only a symmetric search needs it
            return ()

    def compiled(self) -> tuple[Reference, Sequence[Compiled]]:
        reference = Reference(self.design.spec, self.rules)
        return reference, [CompiledFormulas(self.encoding, reference, self.rules)]

    def sample(self, wanted: int) -> Iterator[Words]:
        """The states that z3 has found first."""
        found = [*self.doubted, *self.found.values()]
        reference = Reference(self.design.spec, self.rules)
        return states_of(reference, found, max(1, self.depth), wanted)

    def watch(self) -> None:
        if self.stopped and self.ended is None:
            self.logic.interrupt()  # at each look: an interrupt between two checks has no effect
        super().watch()

    def progress(self) -> Progress:
        return replace(super().progress(), frontier=0, asking=self.asking)

    def search_levels(self) -> None:
        try:
            super().search_levels()
        except BaseException as wrong:
            if not (self.stopped and self.logic.cut_short(wrong)):
                raise

    # Depth by depth

    def seed(self) -> int:
        initial = [self.interpreter.domain.copy(state) for state in self.interpreter.initial()]
        if not initial:
            raise self.no_initial_state()
        self.solver.add(self.encoding.initial(1, initial))
        return self._decided(1)

    def advance(self) -> Sequence[int]:
        there = self._lengthened(self.depth)
        return [self._decided(self.depth + 1) if there else 0]

    def _decided(self, depth: int) -> int:
        """Decides a depth. 0: some question about it has no answer."""
        self._look(depth)
        if self._over() or not self.undecided:
            return 1
        self.stopped = "unknown"
        return 0

    def _look(self, depth: int) -> None:
        """Whether anything is violated at a depth or, if the search continues, at the next."""
        still = [rule for rule in self.rules if rule.name not in self.found]
        groups = [self.queries.failures(depth, still), self.queries.findings(depth, still)]
        if depth < self.most:
            groups.append(self.queries.step_failures(depth))
            if self.deadlock and DEADLOCK not in self.found:
                groups.append(self.queries.deadlock(depth))
        everything = [query for group in groups for query in group]
        together = self.logic.either([self.logic.false, *(query.formula for query in everything)])
        if self._ask(together, f"whether anything is wrong at depth {depth}") is Answer.UNSAT:
            self.solver.add(self.logic.negate(together))
            return
        for group in groups:
            if group and group[0].rule is None and self._over():
                return  # the search does not go beyond this depth
            self._settle(group)

    def _settle(self, queries: Sequence[Query]) -> None:
        """Finds out which queries of one kind have the answer yes, and records the findings."""
        left: list[Query] = list(queries)
        while left:
            asking = " or ".join(map(str, left))
            together = self.logic.either(query.formula for query in left)
            answer = self._ask(together, asking)
            if answer is Answer.UNSAT:
                self.solver.add(self.logic.negate(together))
                return
            if answer is Answer.UNKNOWN:
                if len(left) == 1:
                    self.undecided.append(f"{asking} ({self.solver.why})")
                    return
                for query in left:
                    self._settle([query])
                return
            model = self.solver.model()
            met = [query for query in left if model.truth(query.formula)]
            for query in met:
                self._take(query, model)
            left = [query for query in left if query not in met]

    def _take(self, query: Query, model: SolverModel) -> None:
        """Records the finding in the model of a query. Raises SpecFailure if it is a failure."""
        if query.failing:
            raise failure_of(self.interpreter, query, self._trace(model, query.states))
        trace = self._trace(model, query.states)
        if not self._shown(query, trace):
            raise self._wrong(f"the last state does not show {query}")
        self.doubted = []
        self.found[query.name] = trace

    def violated(self) -> bool:
        kinds = {rule.name: rule.role for rule in self.rules}
        return any(kinds.get(name) != "reachable" for name in self.found)

    def _over(self) -> bool:
        """Whether the findings end the search."""
        return self.violated() and not self.options.keep_going

    def _ask(self, formula: Formula, asking: str, assumed: Sequence[Formula] = ()) -> Answer:
        """Asks the solver. Raises Stopped if the search is to end."""
        self.asking = asking
        self.poll()
        self.asked += 1
        sought = self.logic.bool_variable(f"question {self.asked}")
        self.solver.add(self.logic.implies(sought, formula))
        answer = self.solver.check([sought, *assumed], self.options.query_timeout)
        if answer is Answer.UNKNOWN:
            self.poll()
            self.solver.renew()
        return answer

    def _lengthened(self, depth: int) -> bool:
        """Lengthens the paths by one state; False if no such path has only distinct states."""
        encoding, solver = self.encoding, self.solver
        solver.add(encoding.inside(depth), encoding.step(depth), *self.names.step(depth))
        if self.through is not None:
            return True
        solver.add(self._fresh(depth))
        # A transition property may be false of a last step in only one of two orders, or of a step
        # that leads to a state visited before.
        by_step = any(rule.role == "transition" for rule in self.rules)
        if self.orders is not None and depth - by_step > 1:
            solver.add(*self.orders.steps(depth - by_step))
        assumed = [] if by_step else [self._fresh(depth + 1)]
        while True:
            asking = f"whether there is a path of {depth + 1} states"
            answer = self._ask(self.logic.true, asking, assumed)
            if answer is not Answer.SAT:
                return answer is Answer.UNKNOWN
            model = solver.model()
            states = [encoding.state(model, at) for at in range(1, depth + 2)]
            last = depth if by_step else depth + 1
            pairs = [(i, j) for j in range(2, last + 1) for i in range(1, j)]
            alike = [(i, j) for i, j in pairs if states[i - 1] == states[j - 1]]
            if not alike:
                return True
            for i, j in alike:
                solver.add(self.logic.implies(self._fresh(j), encoding.differ(i, j)))

    def _fresh(self, depth: int) -> Formula:
        """The formula that the state at a depth differs from all states before it."""
        return self.logic.bool_variable(f"fresh @{depth}")

    # The result

    def _trace(self, model: SolverModel, length: int) -> Trace:
        """The first states of a model, after CPython has made the same steps."""
        states = [self.encoding.state(model, depth) for depth in range(1, length + 1)]
        if states[0] not in list(self.interpreter.initial()):
            raise self._wrong("it starts in a state that is not initial")
        self.doubted = [Trace(tuple(states[:n]), ()) for n in range(1, length + 1)]
        for depth, (before, after) in enumerate(pairwise(states), 1):
            step = self.encoding.step_taken(model, depth)
            if self.interpreter.successor(before, self.interpreter.numbers[str(step)]) != after:
                raise self._wrong(f"{step} does not lead from state {depth} to the next")
        return self.interpreter.behaviour(states)

    def _shown(self, query: Query, trace: Trace) -> bool:
        """Whether the end of a trace is the finding of a query, under CPython."""
        if query.rule is None:
            return next(self.interpreter.successors(trace.states[-1]), None) is None
        holds = self.interpreter.holds(query.rule, *trace.states[-query.rule.states :])
        return holds == (query.rule.role == "reachable")

    def _wrong(self, what: str) -> SpecmodelError:
        """The error if CPython does not follow a model. Raises Disagreement first."""
        self.compare()
        return SpecmodelError(
            f"z3 found a behaviour of {self.design.name} that its spec does not have: {what}; "
            "this is a mistake in specmodel, please report it with the design"
        )

    def distinct(self) -> None:
        return None

    def verdict(self, name: str, kind: str, complete: bool) -> PropertyResult:
        return PropertyResult.judged(name, kind, self.found.get(name), complete)

    def result(self) -> Result:
        return replace(super().result(), undecided=tuple(self.undecided))
