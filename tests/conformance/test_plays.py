"""The traces that are played: scenarios, files, counterexamples, walks, a covering set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.conformance import Scenario
from specmodel.conformance.plays import chosen_traces
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.results import Trace
from specmodel.traces.itf_write import itf_text
from tests.conformance.tank import BINDING, tank_design


def is_behaviour(design: Design, trace: Trace) -> bool:
    """Whether each step leads from its state to the next."""
    interpreter = Interpreter(design.spec)
    states = trace.states
    starts = [design.spec.domain.copy(state) for state in interpreter.initial()]
    return states[0] in starts and all(
        states[i + 1] == interpreter.successor(states[i], interpreter.numbers[str(step)])
        for i, step in enumerate(trace.steps)
    )


def test_scenarios_are_the_default(tmp_path: Path) -> None:
    """Without a choice, the scenarios of the binding, with what they ask of the stage."""
    found = chosen_traces(tank_design(tmp_path), BINDING, []).traces
    assert [trace.name for trace in found] == list(BINDING.scenarios)
    assert found[2].nudges == {1: ("shake",), 2: ("spill",)}


def test_a_covering_set_takes_each_action(tmp_path: Path) -> None:
    """Together the walks take each action that can happen; the others are named."""
    design = tank_design(tmp_path)
    found = chosen_traces(design, replace(BINDING, scenarios={}), [])
    assert all(is_behaviour(design, trace.trace) for trace in found.traces)
    taken = {step.action for trace in found.traces for step in trace.trace.steps}
    assert (taken, found.uncovered) == ({"fill", "drain", "warn"}, ("leak",))


def test_walks_are_those_of_their_seed(tmp_path: Path) -> None:
    """The same walks for the same seed; all are behaviours of the asked length."""
    design = tank_design(tmp_path)
    twice = [chosen_traces(design, BINDING, [], walks=3, depth=6, seed=4) for _ in range(2)]
    steps = [[trace.trace.steps for trace in held.traces] for held in twice]
    assert steps[0] == steps[1] and len(steps[0]) == 3
    assert all(is_behaviour(design, trace.trace) for trace in twice[0].traces)
    assert {trace.trace.length for trace in twice[0].traces} == {6}
    other = chosen_traces(design, BINDING, [], walks=3, depth=6, seed=5).traces
    assert [trace.trace.steps for trace in other] != steps[0]


def test_a_file(tmp_path: Path) -> None:
    """A trace in ITF is replayed on the design first."""
    design = tank_design(tmp_path)
    (full,) = chosen_traces(design, BINDING, ["full"]).traces
    file = tmp_path / "mine.itf.json"
    file.write_text(itf_text(design, full.trace, property_name="nothing_lost"))
    (found,) = chosen_traces(design, BINDING, [str(file)]).traces
    assert (found.name, found.title) == ("mine", "counterexample to nothing_lost")
    assert found.trace.states == full.trace.states


def test_counterexamples() -> None:
    """Of a property, or of all that a design checks."""
    from specmodel import load

    design = load("two-phase-commit", participants=1)
    with pytest.raises(UsageError, match="has no counterexample: it holds"):
        chosen_traces(design, BINDING, ["counterexamples"])
    design = load("consumer-no-epochs", max_records=2, max_leader_epoch=2)
    (found,) = chosen_traces(design, BINDING, ["no-silent-loss"]).traces
    assert (found.name, found.trace.length) == ("no_silent_loss", 7)
    every = chosen_traces(design, BINDING, ["counterexamples"]).traces
    assert [trace.name for trace in every] == ["no_silent_loss"]
    with pytest.raises(UsageError, match="has no counterexample to no_skip: it holds"):
        chosen_traces(design, BINDING, ["no_skip"])
    with pytest.raises(UsageError, match="caught_up_in_last_epoch is no invariant"):
        chosen_traces(design, BINDING, ["caught_up_in_last_epoch"])


@pytest.mark.parametrize(
    ("wanted", "scenarios", "message"),
    [
        ("fulll", {}, '"fulll" is no trace to play'),
        ("x", {"x": Scenario("", ["fil()"])}, 'scenario x: spec has no step "fil()"'),
        ("x", {"x": Scenario("", ["drain()"])}, "step 1, drain(), cannot happen in spec"),
        ("x", {"x": Scenario("", [], {"most": 2})}, "scenario x needs --set most=2"),
    ],
)
def test_wrong_traces(
    tmp_path: Path, wanted: str, scenarios: Mapping[str, Any], message: str
) -> None:
    """A message names what is wrong."""
    binding = replace(BINDING, scenarios=scenarios)
    message = message.replace("spec", "tank")
    with pytest.raises(UsageError, match=re.escape(message)):
        chosen_traces(tank_design(tmp_path), binding, [wanted])
