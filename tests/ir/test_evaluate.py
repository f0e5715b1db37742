"""The IR run on ordinary values does what the spec's own functions do."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from specmodel.behaviour.steps import Interpreter
from specmodel.errors import Disabled
from specmodel.ir.evaluate import Evaluator
from specmodel.lang.loading import load_module
from specmodel.lang.spec import Spec
from specmodel.results import SpecFailure
from tests.kernel.reference import mixed_states, reachable_states
from tests.random_specs import many, spec_sources

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"


def compare(spec: Spec, states: list[Any]) -> None:
    """Asserts that actions and properties do the same as IR as under CPython, failures included."""
    model, interpreter = spec.code, Interpreter(spec)
    evaluator = Evaluator(model)
    for state in states:
        for number, (rule, arguments) in enumerate(interpreter.bindings):
            scratch = spec.domain.copy(state)
            try:
                wanted = interpreter.successor(state, number)
            except SpecFailure:
                continue  # an explanation is only ever asked for where the spec works
            try:
                evaluator.run(model.actions[rule.name], [scratch, *arguments])
            except Disabled:
                scratch = None
            assert scratch == wanted, (interpreter.step(number), state)
        for rule in spec.properties:
            if rule.role == "transition":
                continue
            try:
                truth = interpreter.holds(rule, state)
            except SpecFailure:
                continue
            found = evaluator.run(model.properties[rule.name][1], [state])
            assert bool(found) == truth, (rule.name, state)


@many(20)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """Random small specs over every kind of domain, in random states."""
    compare_random_spec(text)


@pytest.mark.long
@many(1500)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, at leisure."""
    compare_random_spec(text)


def compare_random_spec(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        spec = load_module(file).spec("spec")
        draw = random.Random(3)
        compare(spec, [spec.domain.at(draw.randrange(spec.domain.size)) for _ in range(10)])


def test_every_construct() -> None:
    """A spec that has everything in the language, in reachable states and in mixtures of them."""
    spec = load_module(TOUR).spec("tour")
    near = reachable_states(spec, 40)
    compare(spec, [*near, *mixed_states(spec, near, 40, random.Random(4))])
