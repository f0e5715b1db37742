"""Simulations: what they find, how they shrink it, when they stop, and what they refuse."""

from __future__ import annotations

import _thread
import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel import Simulation, UsageError
from specmodel.analysis.shrinking import Budget, Finding, shrink
from specmodel.behaviour.replay import Replay
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import SpecmodelError
from specmodel.kernel.walking import FIRST
from specmodel.results import SpecFailure, WalkProgress
from specmodel.walks.plan import Strategy, WalkPlan
from tests.written import design_of

FIRST_TRY = "kip320-first-try"
HERE = ("native", "interpret")
"""The engines that walk in this process."""

SHORTEST = {"weak_isr": 12, "strong_isr": 13}

LINE = """
class State(Struct):
    at: Annotated[int, Range(0, 30)]
    turns: Annotated[int, Range(0, 2)]

@init
def start(at: Annotated[int, Range(0, 1)]) -> State:
    return State(at, 0)

@action
def step(s: State, by: Annotated[int, Range(1, 2)]) -> None:
    require(s.at + by <= 30)
    s.at += by

@action
def turn(s: State) -> None:
    s.turns = (s.turns + 1) % 3

@action
def back(s: State) -> None:
    require(s.at > 0)
    s.at -= 1

@invariant
def low(s: State) -> bool:
    return s.at < 9

@invariant
def fails(s: State) -> bool:
    return s.at != 7 or [1, 2][s.turns] > 0

@transition
def forward(before: State, after: State) -> bool:
    return after.at >= before.at

@reachable
def turned(s: State) -> bool:
    return s.turns == 2

@constraint
def near(s: State) -> bool:
    return s.at < 6

free = Spec(state=State, init=start, actions=[step, turn], reachable=[turned])
held = Spec(state=State, init=start, actions=[step, back], invariants=[low], transitions=[forward])
broken = Spec(state=State, init=start, actions=[step, turn, back], invariants=[fails])
bound = Spec(
    state=State, init=start, actions=[step, turn], invariants=[low], reachable=[turned],
    constraints=[near],
)
ending = Spec(state=State, init=start, actions=[step], deadlock=True)
"""


def shown(found: Simulation) -> dict[str, object]:
    """What a simulation reports, without what was measured."""
    same = replace(found, seconds=0.0, compile_seconds=0.0, workers=0, engine="")
    return {k: repr(v) for k, v in vars(same).items()}


@pytest.mark.parametrize("strategy", [s.value for s in Strategy])
@pytest.mark.parametrize("seed", [1, 2])
def test_finds_the_violation_of_the_first_try(strategy: str, seed: int) -> None:
    """By seed, within a few hundred thousand walks; the trace is one of the design's."""
    design = specmodel.load(FIRST_TRY)
    found = specmodel.simulate(design, walks=400_000, seed=seed, strategy=strategy)
    assert found.verdict == "violated"
    assert found.walk is not None
    for judged in found.properties:
        if judged.verdict == "violated":
            assert judged.trace is not None
            assert judged.trace_length == SHORTEST[judged.name]
            assert judged.name in found.shortest
            replay = Replay(design, judged.trace.states)
            assert replay.trace().states == judged.trace.states
            assert replay.violates(judged.name)


@pytest.mark.parametrize("strategy", ["weighted", "pct"])
def test_shrinks_without_a_search(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where searching from the initial states is hopeless, at most twice the shortest is left."""
    few = replace(registry.engine("native"), shortens=1)
    monkeypatch.setitem(registry.ENGINES, "native", few)
    for seed in range(4):
        found = specmodel.simulate(FIRST_TRY, seed=seed, strategy=strategy)
        assert found.verdict == "violated"
        for judged in found.properties:
            if judged.trace is not None:
                assert judged.trace.length <= 2 * SHORTEST[judged.name]
                assert judged.trace.length <= (found.walk_length or 0)
        assert found.shortest == ()


def test_workers_do_not_matter() -> None:
    """Every field of the report but the times is the same for any number of them."""
    for strategy in Strategy:
        reports = [
            shown(specmodel.simulate(FIRST_TRY, walks=1000, strategy=strategy, workers=workers))
            for workers in (1, 2, 5)
        ]
        assert reports[0] == reports[1] == reports[2]


def test_seeds_matter() -> None:
    """Another seed, other walks; the same again, the same."""
    runs = [specmodel.simulate("two-phase-commit", walks=50, seed=s).bindings for s in (1, 2, 1)]
    assert runs[0] == runs[2] != runs[1]


@pytest.mark.parametrize("engine", HERE)
def test_a_violation_ends_it(tmp_path: Path, engine: str) -> None:
    """The step that breaks a transition property, with nothing before it that it can do without."""
    found = specmodel.simulate(design_of(tmp_path, LINE, "held"), engine=engine)
    assert found.stopped == "violation"
    assert found["forward"].trace_length == 2
    assert found["forward"].trace is not None
    assert found["forward"].trace.steps[0].action == "back"
    assert found["low"].verdict == "incomplete"


@pytest.mark.parametrize("engine", HERE)
def test_deadlock(tmp_path: Path, engine: str) -> None:
    """A state without successor is one when the spec says so, and not when told otherwise."""
    design = design_of(tmp_path, LINE, "ending")
    found = specmodel.simulate(design, engine=engine)
    assert found["deadlock"].verdict == "violated"
    assert found["deadlock"].trace_length == 16
    calm = specmodel.simulate(design, engine=engine, walks=20, deadlock=False)
    assert calm.verdict == "incomplete"
    assert calm.stopped == ""


@pytest.mark.parametrize("engine", HERE)
def test_constraints_bound_walks(tmp_path: Path, engine: str) -> None:
    """A walk ends outside them; what it finds there counts, what is beyond does not."""
    design = design_of(tmp_path, LINE, "bound")
    found = specmodel.simulate(design, engine=engine, walks=300)
    assert found["low"].verdict == "incomplete"
    assert found["turned"].verdict == "holds"
    assert found["turned"].trace_length == 3
    assert found.touched.states == 18  # at 0 to 5, at any turn


@pytest.mark.parametrize("engine", HERE)
def test_a_failing_spec(tmp_path: Path, engine: str) -> None:
    """The spec's own mistake is raised with a short way to it."""
    with pytest.raises(SpecFailure) as caught:
        specmodel.simulate(design_of(tmp_path, LINE, "broken"), engine=engine)
    assert caught.value.where == "fails"
    assert caught.value.trace is not None
    assert caught.value.trace.length == 6  # from 1 by 2 to 7, and two turns
    assert caught.value.trace.states[-1].at == 7


def test_shrinks_a_failure_without_a_search(tmp_path: Path) -> None:
    """Leaving out steps works for failures as for properties."""
    design = design_of(tmp_path, LINE, "broken")
    failure = None
    try:
        specmodel.check(design)
    except SpecFailure as wrong:
        failure = wrong
    finding = Finding(design, "", failure)
    interpreter = finding.interpreter
    states, taken = [next(interpreter.initial())], []
    number = {str(interpreter.step(n)): n for n in range(len(interpreter.bindings))}
    up, turn, back = number["step(by=1)"], number["turn()"], number["back()"]
    for binding in [*[up, up, back, turn, turn, turn] * 6, up, turn, turn]:
        states.append(interpreter.successor(states[-1], binding))
        taken.append(binding)
    assert states[-1].at == 7
    short = shrink(finding, states, taken, "native", Budget(1, 10_000)).trace
    assert short.length < len(states) / 2
    assert finding.at(None, short.states[-1])


def test_reachable_properties_are_met_not_ended(tmp_path: Path) -> None:
    """One that is met has a witness and the walks go on; one that is not stays open."""
    found = specmodel.simulate(design_of(tmp_path, LINE, "free"), walks=500)
    assert found.walks == 500
    assert found["turned"].verdict == "holds"
    assert found["turned"].trace_length == 3
    short = specmodel.simulate(design_of(tmp_path, LINE, "free"), walks=500, depth=2)
    assert short["turned"].verdict == "incomplete"
    assert short.cut == short.walks


def test_time(tmp_path: Path) -> None:
    """Walks go on until the time is up, and what they found until then is reported."""
    design = design_of(tmp_path, LINE, "free")
    specmodel.simulate(design, walks=1)  # compiling takes some of the time
    found = specmodel.simulate(design, timeout=0.2)
    assert found.stopped == "timeout"
    assert found.walks > 0


@pytest.mark.parametrize("engine", HERE)
def test_interrupt(tmp_path: Path, engine: str) -> None:
    """Ctrl-C gives what there is."""

    def interrupt(progress: WalkProgress) -> None:
        if progress.steps > 0:
            _thread.interrupt_main()

    design = design_of(tmp_path, LINE, "free")
    found = specmodel.simulate(design, timeout=60, engine=engine, progress=interrupt)
    assert found.stopped == "interrupted"
    assert found.steps > 0
    assert sum(found.coverage.values()) == found.steps


def test_no_initial_state(tmp_path: Path) -> None:
    """There is nothing to walk from."""
    text = LINE.replace("    return State(at, 0)", "    require(at > 5)\n    return State(at, 0)")
    with pytest.raises(SpecmodelError, match="no initial state"):
        specmodel.simulate(design_of(tmp_path, text, "free"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"walks": 0}, "walks is above 0"),
        ({"depth": -1}, "depth is above 0"),
        ({"seed": -1}, "the seed is a number from 0"),
        ({"strategy": "pc"}, 'no strategy is called "pc"; did you mean "pct"'),
        ({"weights": {"step": 2}}, "weights are for the strategy weighted"),
        ({"strategy": "weighted", "weights": {"stp": 2}}, 'no action "stp"; did you mean "step"'),
        ({"strategy": "weighted", "weights": {"step": -2}}, "the weight of step is 0 to"),
        ({"strategy": "weighted", "weights": {"step": 0, "turn": 0}}, "every action has weight 0"),
        ({"order": 4}, "an order is for the strategy pct"),
        ({"strategy": "pct", "order": 99}, "the order of PCT is 1 to"),
        ({"properties": ["tuned"]}, 'no property "tuned"'),
        ({"engine": "nativ"}, "no engine is called"),
    ],
    ids=str,
)
def test_refuses(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    """A plan that makes no sense is refused before anything is compiled."""
    with pytest.raises(UsageError, match=message):
        specmodel.simulate(design_of(tmp_path, LINE, "free"), **wrong)


# Strategies


def taken_by(design: Design, **plan: Any) -> dict[str, int]:
    return dict(specmodel.simulate(design, walks=2000, depth=10, **plan).coverage)


def test_uniform_takes_all_alike(tmp_path: Path) -> None:
    """Three bindings that can always happen: a third of the steps each, within five deviations."""
    found = specmodel.simulate(design_of(tmp_path, LINE, "free"), walks=2000, depth=10)
    assert set(found.bindings) == {"step(by=1)", "step(by=2)", "turn()"}
    for taken in found.bindings.values():
        assert abs(taken - 6000) < 5 * (18_000 * 2 / 9) ** 0.5


def test_weights(tmp_path: Path) -> None:
    """By default actions weigh alike, whatever their bindings; a weight of 0 is never taken."""
    design = design_of(tmp_path, LINE, "free")
    even = taken_by(design, strategy="weighted")
    assert abs(even["step"] - 9000) < 5 * (18_000 / 4) ** 0.5
    third = taken_by(design, strategy="weighted", weights={"turn": 3})
    assert abs(third["step"] - 4500) < 5 * (18_000 * 3 / 16) ** 0.5
    assert taken_by(design, strategy="weighted", weights={"step": 0})["step"] == 0
    own = replace(design, weights={"turn": 0})
    assert taken_by(own, strategy="weighted")["turn"] == 0
    assert taken_by(own, strategy="weighted", weights={"turn": 1})["turn"] > 0


def test_coverage_prefers_what_was_seen_least(tmp_path: Path) -> None:
    """A binding that can seldom happen is taken, when it can, far more often than by chance."""
    text = """
class State(Struct):
    at: Annotated[int, Range(0, 12)]

@init
def start() -> State:
    return State(0)

@action
def fall(s: State, by: Annotated[int, Range(1, 12)]) -> None:
    require(s.at >= 1)
    s.at = 0

@action
def climb(s: State) -> None:
    require(s.at < 12)
    s.at += 1

@action
def arrive(s: State) -> None:
    require(s.at >= 2)
    s.at = 0

spec = Spec(state=State, init=start, actions=[fall, climb, arrive])
"""
    design = design_of(tmp_path, text)
    arrived = {
        strategy: specmodel.simulate(design, walks=20_000, depth=20, strategy=strategy).coverage
        for strategy in ("uniform", "coverage")
    }
    assert arrived["coverage"]["arrive"] > 2 * max(1, arrived["uniform"]["arrive"])


def test_pct_without_a_change_keeps_its_priorities(tmp_path: Path) -> None:
    """Of order 1, a walk takes one binding as long as it can happen."""
    design = design_of(tmp_path, LINE, "free")
    plan = WalkPlan(walks=50, depth=10, strategy=Strategy.pct, order=1)
    walker = registry.engine("native").walker(design, (), plan, frozenset())
    walker.go(0, 50)
    firsts: Counter[int] = Counter()
    for walk in range(50):
        bindings = walker.path(walk).bindings
        assert len(set(bindings)) == 1
        firsts[bindings[0]] += 1
    walker.close()
    assert len(firsts) == 3  # any of them may be first


def test_pct_changes_at_most_order_less_one_times(tmp_path: Path) -> None:
    """Where every binding can always happen, each change of binding is a change point."""
    design = design_of(tmp_path, LINE, "free")
    plan = WalkPlan(walks=60, depth=10, strategy=Strategy.pct, order=3)
    walker = registry.engine("native").walker(design, (), plan, frozenset())
    walker.go(0, 60)
    changes = [
        sum(a != b for a, b in itertools.pairwise(walker.path(walk).bindings)) for walk in range(60)
    ]
    walker.close()
    assert max(changes) == 2
    assert changes.count(0) < 30


def test_pct_keeps_its_promise() -> None:
    """A bug of depth 1 among n bindings: at least a walk in n meets it."""
    found = specmodel.simulate("two-phase-commit", walks=1000, strategy="pct", order=1)
    promise = found.guarantee
    assert promise is not None
    assert promise.a_walk == pytest.approx(1 / promise.bindings)
    assert promise.at_all == pytest.approx(1.0)
    design = specmodel.load("two-phase-commit-impatient")
    plan = WalkPlan(walks=3000, depth=12, strategy=Strategy.pct, order=2)
    walker = registry.engine("native").walker(design, design.chosen(None), plan, frozenset({FIRST}))
    walker.go(0, 3000)
    assert FIRST in walker.records()
    walker.close()


def test_temporal_properties_are_left_out(tmp_path: Path) -> None:
    """Walks end, so they say nothing of what has to happen: neither by default nor when asked."""
    text = LINE.replace("free = Spec(state=State, ", "free = Spec(state=State, liveness=[far], ")
    text = text.replace(
        "@reachable\n",
        "@eventually\ndef far(s: State) -> bool:\n    return s.at > 20\n\n@reachable\n",
    )
    design = design_of(tmp_path, f"from specmodel.lang import eventually\n{text}", "free")
    found = specmodel.simulate(design, walks=10)
    assert [judged.name for judged in found.properties] == ["turned"]
    with pytest.raises(UsageError, match="far is about behaviours"):
        specmodel.simulate(design, properties=["far"])
    with pytest.raises(UsageError, match="far is about behaviours"):
        specmodel.counterexamples(design, "far")
