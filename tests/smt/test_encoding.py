"""The formulas of a spec say what CPython does, for every kind of domain."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from specmodel import load
from specmodel.behaviour.formulas import is_temporal
from specmodel.behaviour.steps import Interpreter
from specmodel.domains import Domain
from specmodel.ir.expression import Expression, NoValueError
from specmodel.ir.layout import codes_of, value_of
from specmodel.lang.loading import load_module
from specmodel.model.model import Model, Rule
from specmodel.results import SpecFailure
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Answer, Formula, Logic
from specmodel.smt.relation import Relation
from specmodel.suite.catalog import catalog, shipped
from tests.kernel.reference import mixed_states, reachable_states
from tests.random_specs import DRAWN_AT_LENGTH, refusals_allowed, spec_sources

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"


class Formulas:
    """A spec's formulas beside its interpreter."""

    def __init__(self, spec: Model) -> None:
        self.spec = spec
        self.interpreter = Interpreter(spec)
        self.logic = Logic()
        self.encoding = Encoding(Relation(spec), self.logic)
        self.solver = self.logic.solver("QF_FD")
        self.properties = [r for r in spec.properties if not is_temporal(r)]

    def possible(self, *assumed: Formula) -> bool:
        answer = self.solver.check(assumed)
        assert answer is not Answer.UNKNOWN, self.solver.why
        return answer is Answer.SAT

    def compare(self, state: Any) -> None:
        """Asserts that the formulas agree with CPython in a state."""
        encoding, logic = self.encoding, self.logic
        self.solver.push()
        self.solver.add(encoding.is_state(encoding.frame(1), state))
        assert self.possible(encoding.any_state(1))
        assert encoding.state(self.solver.model(), 1) == state
        outcomes = [self.outcome(state, n) for n in range(len(self.interpreter.bindings))]
        assert self.possible(encoding.step_fails(1)) == ("failed" in outcomes), state
        if "failed" not in outcomes:
            stuck = all(after is None for after in outcomes)
            assert self.possible(encoding.stuck(1)) == stuck, state
            assert self.possible(encoding.step(1)) == (not stuck), state
        self.solver.push()
        self.solver.add(encoding.step(1))
        for number, after in enumerate(outcomes):
            if after != "failed":
                self.compare_step(number, state, after)
        self.solver.pop()
        for rule in [*self.properties, *self.spec.bounds]:
            if rule.role != "transition":
                self.compare_property(rule, state)
        if all(self.judgement(rule, state) != "failed" for rule in self.spec.bounds):
            within = all(self.interpreter.holds(rule, state) for rule in self.spec.bounds)
            assert self.possible(encoding.inside(1)) == within
            assert self.possible(logic.negate(encoding.inside(1))) != within
        self.solver.pop()

    def outcome(self, state: Any, number: int) -> Any:
        try:
            return self.interpreter.successor(state, number)
        except SpecFailure:
            return "failed"

    def compare_step(self, number: int, state: Any, after: Any) -> None:
        """That a binding can be taken or not, and leads to one state alone."""
        encoding = self.encoding
        taken = self.taken(number)
        if taken is None:
            assert after is None, (state, self.interpreter.step(number))
            return
        self.solver.push()
        self.solver.add(*taken)
        assert self.possible() == (after is not None), (state, self.interpreter.step(number))
        if after is not None:
            model = self.solver.model()
            assert encoding.state(model, 2) == after
            assert encoding.step_taken(model, 1) == self.interpreter.step(number)
            other = self.logic.negate(encoding.is_state(encoding.frame(2), after))
            assert not self.possible(other)
            self.solver.add(encoding.is_state(encoding.frame(2), after))
            for rule in self.properties:
                if rule.role == "transition":
                    self.compare_property(rule, state, after)
        self.solver.pop()

    def taken(self, number: int) -> list[Formula] | None:
        """That the step from depth 1 is by a binding; None: no move is."""
        encoding = self.encoding
        rule, arguments = self.interpreter.bindings[number]
        choice = encoding.choice(1)
        named = dict(zip(rule.parameters, arguments, strict=True))
        for move, chosen in zip(encoding.moves, choice.moves, strict=True):
            if move.rule.name == rule.name and move.bound == named:
                return [chosen]
        return None

    def judgement(self, rule: Rule, *states: Any) -> Any:
        try:
            return self.interpreter.holds(rule, *states)
        except SpecFailure:
            return "failed"

    def compare_property(self, rule: Rule, *states: Any) -> None:
        holds, encoding = self.judgement(rule, *states), self.encoding
        assert self.possible(encoding.fails(rule, 1)) == (holds == "failed"), (rule.name, states)
        if holds != "failed":
            told = encoding.holds(rule, 1)
            assert self.possible(told) == holds, (rule.name, states)
            assert self.possible(self.logic.negate(told)) != holds, (rule.name, states)


def test_every_construct() -> None:
    """A spec that has everything in the language, in reachable states and in mixtures of them."""
    spec = load_module(TOUR, {"most": 2}).spec("tour")
    formulas = Formulas(spec)
    near = reachable_states(spec, 30)
    for state in [near[-1], *mixed_states(spec, near, 2, random.Random(2))]:
        formulas.compare(state)


@pytest.mark.parametrize(
    ("name", "constants"),
    [
        ("kip320", {}),
        ("zombie-unfenced", {}),
        ("two-phase-commit", {"participants": 2}),
    ],
)
def test_designs(name: str, constants: dict[str, Any]) -> None:
    """Designs of the library, in some of their states and in mixtures of these."""
    compare_design(load(name, **constants).spec, states=3)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(catalog((shipped(),)).designs))
def test_every_design(name: str) -> None:
    """All of the library."""
    compare_design(load(name).spec, states=2)


def compare_design(spec: Model, states: int) -> None:
    formulas = Formulas(spec)
    near = reachable_states(spec, 200)
    some = near[:: len(near) // states + 1]
    for state in [*some, *mixed_states(spec, near, 2, random.Random(3))]:
        formulas.compare(state)


def compare_random_spec(text: str, states: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        with refusals_allowed():
            formulas = Formulas(load_module(file).spec("spec"))
    draw = random.Random(1)
    domain = formulas.spec.domain
    for _ in range(states):
        formulas.compare(domain.at(draw.randrange(domain.size)))


@settings(max_examples=15, deadline=None, suppress_health_check=DRAWN_AT_LENGTH)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """Random small specs over every kind of domain, in random states."""
    compare_random_spec(text, states=4)


@pytest.mark.long
@settings(max_examples=600, deadline=None, suppress_health_check=DRAWN_AT_LENGTH)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, at leisure."""
    compare_random_spec(text, states=12)


def test_what_is_a_state() -> None:
    """Codes that are no state's, or not in the one form that it has, are kept out."""
    spec = load_module(TOUR, {"most": 2}).spec("tour")
    logic = Logic()
    encoding = Encoding(Relation(spec), logic)
    solver = logic.solver("QF_FD")
    solver.add(encoding.any_state(1))
    draw, leaves = random.Random(4), encoding.relation.layout.leaves
    wrong = 0
    for state in mixed_states(spec, reachable_states(spec, 20), 60, draw):
        codes = encoding.relation.codes(state)
        place = draw.randrange(len(codes))
        codes[place] = draw.randrange(1 << leaves[place].bits)
        pairs = zip(encoding.frame(1).variables, codes, leaves, strict=True)
        terms = [encoding.is_code(variable, code, leaf) for variable, code, leaf in pairs]
        right = _is_canonical(spec.domain, codes, [leaf.size for leaf in leaves])
        assert (solver.check(terms) is Answer.SAT) == right, (state, leaves[place].path)
        wrong += not right
    assert 5 < wrong < 55


def _is_canonical(domain: Domain, codes: Sequence[int], sizes: Sequence[int]) -> bool:
    if any(code >= size for code, size in zip(codes, sizes, strict=True)):
        return False
    return list(codes_of(domain, value_of(domain, iter(codes)))) == list(codes)


def test_expressions() -> None:
    """What a user types is true of those states that CPython says it is, or fails in."""
    spec = load("kip320").spec
    logic = Logic()
    encoding = Encoding(Relation(spec), logic)
    solver = logic.solver("QF_FD")
    reader = spec.expressions()
    for text in ("len(log[r1]) > 1 and log[r1][1].epoch == 1", "weak_isr", "log[r2][0].id == 0"):
        expression = reader.condition(text)
        assert isinstance(expression, Expression)
        judgement = encoding.relation.condition(expression)
        for state in reachable_states(spec, 300)[::30]:
            here = encoding.is_state(encoding.frame(1), state)
            try:
                value = expression.value(state)
            except NoValueError:
                assert solver.check([here, encoding.failing(judgement, 1)]) is Answer.SAT
                continue
            assert solver.check([here, encoding.failing(judgement, 1)]) is Answer.UNSAT
            true = solver.check([here, encoding.true(judgement, 1)]) is Answer.SAT
            assert true == value, (text, state)


def test_variables_have_names_that_tell() -> None:
    """Whoever reads a formula or a model sees which leaf, move and depth a variable is of."""
    encoding = Encoding(Relation(load("kip320").spec), Logic())
    names = {str(variable) for variable in encoding.frame(3).variables}
    assert {"replica[r2].epoch @3", "len(log[r1]) @3", "log[r1][0].id @3"} <= names
    moves = {str(move) for move in encoding.choice(2).moves}
    assert "fetch_fenced(follower=r2, leader=r1) @2" in moves
