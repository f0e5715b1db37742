"""The graphs of symbolic execution say what CPython does: guards, effects, failures, truth."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from specmodel.behaviour.steps import Interpreter
from specmodel.ir.layout import codes_of
from specmodel.ir.symbolic.execute import run_action, run_property
from specmodel.ir.symbolic.reading import NodeValues
from specmodel.kernel.program import Program
from specmodel.lang.loading import load_module
from specmodel.model.model import Model
from specmodel.results import SpecFailure
from tests.kernel.reference import mixed_states, reachable_states
from tests.random_specs import many, refusals_allowed, spec_sources

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"


class Graphs:
    """A spec's graphs beside its interpreter."""

    def __init__(self, spec: Model) -> None:
        program = Program(spec, spec.properties)
        model, graph, leaves = program.model, program.graph, program.leaves
        self.spec = spec
        self.interpreter = Interpreter(spec)
        self.effects = [
            run_action(model, graph, model.actions[rule.name], leaves, arguments)
            for rule, arguments in program.bindings
        ]
        self.judgements = {
            rule.name: run_property(model, graph, model.properties[rule.name][1], [leaves])
            for rule in spec.properties
            if rule.role != "transition"
        }

    def compare(self, state: Any) -> None:
        """Asserts that the graphs agree with CPython in a state."""
        read = NodeValues(list(codes_of(self.spec.domain, state)))
        for number, effect in enumerate(self.effects):
            enabled = all(read(guard.node) for guard in effect.guards)
            failing = any(read(failure.node) for failure in effect.failures)
            step = str(self.interpreter.step(number))
            try:
                after = self.interpreter.successor(state, number)
            except SpecFailure as failure:
                assert failing, (step, state, failure.message)
                continue
            assert not failing, (step, state)
            assert enabled == (after is not None), (step, state)
            if after is not None:
                codes = [read(leaf) for leaf in effect.leaves]
                assert codes == list(codes_of(self.spec.domain, after)), (step, state)
        for rule in self.spec.properties:
            if rule.role != "transition":
                self.compare_property(rule.name, state, read)

    def compare_property(self, name: str, state: Any, read: NodeValues) -> None:
        rule = next(r for r in self.spec.properties if r.name == name)
        judgement = self.judgements[name]
        failing = any(read(failure.node) for failure in judgement.failures)
        try:
            holds = self.interpreter.holds(rule, state)
        except SpecFailure as failure:
            assert failing, (name, state, failure.message)
            return
        assert not failing, (name, state)
        assert bool(read(judgement.node)) == holds, (name, state)


def compare_random_spec(text: str, states: int) -> None:
    """Compares a spec's graphs in some random states."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        with refusals_allowed():
            graphs = Graphs(load_module(file).spec("spec"))
    draw = random.Random(1)
    domain = graphs.spec.domain
    for _ in range(states):
        graphs.compare(domain.at(draw.randrange(domain.size)))


@many(25)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """Random small specs over every kind of domain, in random states."""
    compare_random_spec(text, states=20)


@pytest.mark.long
@many(1500)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, for hours when nobody waits."""
    compare_random_spec(text, states=40)


def test_every_construct() -> None:
    """A spec that has everything in the language, in reachable states and in mixtures of them."""
    graphs = Graphs(load_module(TOUR).spec("tour"))
    near = reachable_states(graphs.spec, 60)
    for state in [*near, *mixed_states(graphs.spec, near, 60, random.Random(2))]:
        graphs.compare(state)


BRANCHES = """
class State(Struct):
    on: bool
    n: Annotated[int, Range(0, 3)]


@init
def start() -> State:
    return State(False, 0)


@action
def act(s: State, i: Annotated[int, Range(0, 2)]) -> None:
{body}


spec = Spec(state=State, init=start, actions=[act])
"""


@pytest.mark.parametrize(
    "body",
    [
        "if s.on:\n        x = 1\n    s.n = x",
        "for k in range(s.n):\n        x = k\n    s.n = x",
        "if s.on:\n        x = i\n    elif s.n == 1:\n        require(False)\n"
        "    else:\n        return\n    s.n = x",
        "for k in range(3):\n        if k == s.n:\n            x = k\n        elif k > i:\n"
        "            s.n = x",
        "if s.on:\n        x = 1\n    s.n = sum(x for x in range(i)) + (x if s.on else 0)",
        "if s.n > 1:\n        x = s.n\n    if s.n > i:\n        x = i\n"
        "    require(s.n > 0)\n    s.n = x",
    ],
)
def test_name_without_a_value_on_some_way(tmp_path: Path, body: str) -> None:
    """Fails in exactly the states in which CPython finds the name unbound."""
    file = tmp_path / "branches.py"
    imports = "from typing import Annotated\nfrom specmodel.lang import *\n"
    file.write_text(imports + BRANCHES.format(body="    " + body), encoding="utf-8")
    graphs = Graphs(load_module(file).spec("spec"))
    for state in graphs.spec.domain.values():
        graphs.compare(state)
