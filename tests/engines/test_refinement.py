"""Refinement: every step is a step of an abstract design, the same in every engine."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from specmodel.analysis.simulation import simulate
from specmodel.behaviour.refinement import why_false
from specmodel.behaviour.replay import Replay
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.engines import interpret, native, smt
from specmodel.errors import SpecError
from specmodel.lang.loading import load_module
from specmodel.results import Options, SpecFailure
from specmodel.walks.plan import WalkPlan
from tests.engines.outcomes import Failed, outcome, steps_of
from tests.random_specs import few, refusals_allowed, spec_sources
from tests.written import design_of

QUEUE = """
from specmodel.lang import pick, refines

class Node(ScalarSet, size=2, prefix="n", symmetric=True):
    "A customer."

class Queue(Struct):
    waiting: Annotated[list[Node], Capacity(2)]
    served: Set[Node]

@init
def empty() -> Queue:
    return Queue(waiting=[], served=set())

@action
def join(s: Queue, n: Node) -> None:
    require(n not in s.waiting and n not in s.served)
    s.waiting.append(n)

def leaves(s: Queue, n: Node) -> None:
    require(n not in s.served)
    s.waiting = [other for other in s.waiting if other != n]

@action
def serve(s: Queue) -> None:
    n = pick(s.waiting)
    leaves(s, n)
    s.served |= {n}

queue = Spec(state=Queue, init=empty, actions=[join, serve])

class Office(Struct):
    waiting: Annotated[list[Node], Capacity(2)]
    called: Node | None
    served: Set[Node]

@init
def opened() -> Office:
    return Office(waiting=[], called=None, served=set())

@action
def enter(s: Office, n: Node) -> None:
    require(n not in s.waiting and n not in s.served)
    s.waiting.append(n)

@action
def call(s: Office) -> None:
    require(s.called is None and len(s.waiting) > 0)
    s.called = s.waiting[0]

@action
def finish(s: Office) -> None:
    n = require_some(s.called)
    s.waiting = [other for other in s.waiting if other != n]
    s.served |= {n}
    s.called = None

@refines(queue)
def line(s: Office) -> Queue:
    return Queue(waiting=s.waiting, served=s.served)

office = Spec(state=Office, init=opened, actions=[enter, call, finish], transitions=[line])

@action
def forget(s: Office) -> None:
    s.served |= {require_some(s.called)}
    s.called = None

forgetful = office.replacing(finish=forget)

@action
def barge(s: Office, n: Node) -> None:
    require(n in s.served and n not in s.waiting and len(s.waiting) < 2)
    s.waiting.append(n)

barging = office.adding(actions=[barge])

@init
def crowded(n: Node, more: bool) -> Office:
    return Office(waiting=[], called=None, served={n} if more else set())

crowd = office.replacing(opened=crowded)

@refines(queue)
def first(s: Office) -> Queue:
    if len(s.served) == 2 and s.waiting[0] == s.called:
        return Queue(waiting=[], served=set())
    return Queue(waiting=s.waiting, served=s.served)

failing = office.replacing(line=first)

@refines(queue)
def at_once(s: Office) -> Queue:
    return Queue(waiting=[s.waiting[0]] if len(s.served) == 0 else s.waiting, served=s.served)

failing_at_once = office.replacing(line=at_once)

@action
def burst(s: Queue) -> None:
    s.waiting.append(s.waiting[0])

@refines(queue.replacing(join=burst))
def bursting(s: Office) -> Queue:
    return line(s)

abstract_failing = office.replacing(line=bursting)
"""

WAYS: tuple[dict[str, Any], ...] = (
    {"workers": 1},
    {"workers": 2},
    {"workers": 2, "compress": True},
    {"keep_going": True, "deadlock": True},
    {"symmetry": True},
    {"symmetry": True, "keep_going": True, "workers": 2},
)
"""Options under which the engines have to agree."""


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(
    "name",
    [
        *("office", "forgetful", "barging", "crowd"),
        *("failing", "failing_at_once", "abstract_failing"),
    ],
)
def test_engines_agree(name: str, way: dict[str, Any], tmp_path: Path) -> None:
    """A refinement that holds, that a step or an initial state breaks, that fails: in each engine
    the same verdict, counts, trace, and place."""
    design = design_of(tmp_path, QUEUE, name)
    common = {k: v for k, v in way.items() if k not in ("workers", "compress")}
    wanted = outcome(interpret.check, design, Options(**common))
    assert outcome(native.check, design, Options(self_check="all", **way)) == wanted
    spilled = Options(**common, spill=tmp_path / "spill")
    assert outcome(native.check, design, spilled) == wanted


@pytest.mark.parametrize("name", ["office", "forgetful", "crowd"])
def test_solver_agrees(name: str, tmp_path: Path) -> None:
    """The solver finds a counterexample of the same length."""
    design = design_of(tmp_path, QUEUE, name)
    wanted = interpret.check(design)["line"]
    found = smt.check(design, Options(self_check="all", max_depth=12))["line"]
    assert found.trace_length == wanted.trace_length
    assert (found.verdict == "violated") == (wanted.verdict == "violated")


@pytest.mark.parametrize("engine", ["interpret", "native"])
@pytest.mark.parametrize("name", ["office", "forgetful", "crowd"])
def test_walks_agree(name: str, engine: str, tmp_path: Path) -> None:
    """Walks find steps and initial states that break a refinement, in both engines the same."""
    design = design_of(tmp_path, QUEUE, name)
    plan = WalkPlan(walks=64, depth=20, seed=7)
    found, wanted = simulate(design, plan, engine), simulate(design, plan, "interpret")
    assert found.walk == wanted.walk
    assert [steps_of(p.trace) for p in found.properties] == [
        steps_of(p.trace) for p in wanted.properties
    ]
    exact = interpret.check(design)["line"]
    assert found["line"].trace_length == exact.trace_length if name != "office" else not found.walk


def test_holds(tmp_path: Path) -> None:
    """Calling somebody leaves the queue as it is, and picks of the abstract design are tried."""
    result = native.check(design_of(tmp_path, QUEUE, "office"))
    assert result["line"].verdict == "holds" and result.coverage["call"] > 0


def test_no_abstract_step(tmp_path: Path) -> None:
    """A step without an abstract one, and of each candidate why it is not the step."""
    design = design_of(tmp_path, QUEUE, "forgetful")
    found = native.check(design)["line"]
    assert found.trace is not None and found.trace_length == 4
    interpreter = Interpreter(design.spec)
    (rule,) = design.spec.properties
    why = why_false(interpreter, rule, found.trace.states[-2:])
    assert why.text == "no step of queue: served changes from {} to {n1}"
    assert [part.text for part in why.parts] == [
        "join(n=n2) leads to waiting = [n1, n2], not [n1]; served = {}, not {n1}",
        "join(n=n1) cannot happen: n1 is in waiting = [n1]",
        "serve(n=#1: n1) leads to waiting = [], not [n1]",
    ]
    assert Replay(design, found.trace.states).violates("line")


def test_false_guard(tmp_path: Path) -> None:
    """A step that an abstract action would make if its guard held is none."""
    design = design_of(tmp_path, QUEUE, "barging")
    found = native.check(design)["line"]
    assert found.trace is not None
    (rule,) = design.spec.properties
    why = why_false(Interpreter(design.spec), rule, found.trace.states[-2:])
    assert why.text == "no step of queue: waiting changes from [] to [n1]"
    assert "join(n=n1) cannot happen: n1 is in served = {n1}" in [part.text for part in why.parts]
    assert "serve cannot happen: it has nothing to pick" in [part.text for part in why.parts]


def test_initial_state(tmp_path: Path) -> None:
    """The least initial state that stands for none of the abstract design's is a counterexample."""
    design = design_of(tmp_path, QUEUE, "crowd")
    found = native.check(design)["line"]
    assert found.trace is not None and found.trace_length == 1
    (rule,) = design.spec.properties
    why = why_false(Interpreter(design.spec), rule, found.trace.states)
    assert why.text == "queue does not start with waiting = [], served = {n1}"
    assert [part.text for part in why.parts] == ["it may start with served = {}, not {n1}"]
    assert Replay(design, found.trace.states).violates("line")
    assert not Replay(design_of(tmp_path, QUEUE, "office"), found.trace.states[:0]).states


def test_failures(tmp_path: Path) -> None:
    """What fails is the function, or an action of the abstract design, at its place."""
    wanted = {
        "failing": ("first", "IndexError: list index out of range", "s.waiting[0] == s.called"),
        "failing_at_once": ("at_once", "IndexError: list index out of range", "s.waiting[0]]"),
        "abstract_failing": ("burst() of queue", "IndexError: list index out of range", "append"),
    }
    for name, (where, message, text) in wanted.items():
        failed = outcome(native.check, design_of(tmp_path, QUEUE, name), Options())
        assert isinstance(failed, Failed), name
        assert (failed.where, failed.message) == (where, message)
        line = int(failed.span.split(":")[-2])
        assert text in (tmp_path / "written.py").read_text().split("\n")[line - 1]
        assert failed.trace is not None


def test_asymmetric_refinement(tmp_path: Path) -> None:
    """A symmetric search is refused where the abstract state or a step tells members apart."""
    given = "waiting=s.waiting, served=s.served)"
    named = QUEUE.replace(given, "waiting=[], served={Node.nth(0)})")
    stepping = QUEUE.replace("require(n not in s.served)", "require(n == Node.nth(0))")
    for text, part in ((named, "Node.nth(0)"), (stepping, "Node.nth(0)")):
        design = design_of(tmp_path, text, "office")
        with pytest.raises(SpecError, match="not symmetric in Node") as caught:
            native.check(design, Options(symmetry=True))
        assert caught.value.span is not None and part in caught.value.span.text()


REFINING = """

from specmodel.lang import refines

@refines(spec)
def same(s: State) -> State:
    return s

itself = Spec(state=State, init=start, actions=[first, second], transitions=[same])
"""

ALTERED = (
    REFINING
    + """

@action
def altered(s: State, n: Node) -> None:
    s.f0 = start().f0

@refines(spec.replacing(first=altered))
def other(s: State) -> State:
    return s

parted = Spec(state=State, init=start, actions=[first, second], transitions=[other])
"""
)


@few(12)
@given(source=spec_sources())
def test_random_specs(source: str) -> None:
    """A spec refines itself; one action altered, it does where no step that is taken differs."""
    with tempfile.TemporaryDirectory() as folder, refusals_allowed():
        file = Path(folder) / "drawn.py"
        file.write_text(source + ALTERED)
        loaded = load_module(file)
        for name in ("itself", "parted"):
            design = Design(name, loaded.spec(name), loaded.constants)
            options = Options(max_depth=4, keep_going=True)
            try:
                wanted = outcome(interpret.check, design, options)
                found = outcome(native.check, design, replace(options, workers=2))
            except RecursionError:
                return
            assert found == wanted
            if isinstance(wanted, Failed):
                return
            ((_, _, verdict, _),) = wanted["properties"]
            assert (verdict == "violated") == (name == "parted" and _parts(design))


def _parts(design: Design) -> bool:
    """Whether a step of a search of 3 steps is none of the abstract design: by CPython alone."""
    interpreter, (rule,) = Interpreter(design.spec), design.spec.properties
    assert rule.refined is not None
    abstract, copy = Interpreter(rule.refined), design.spec.domain.copy
    level, seen = [copy(s) for s in interpreter.initial()], list[Any]()
    for _ in range(3):
        fresh: list[Any] = []
        for state in level:
            for _, after in interpreter.successors(state):
                if after != state and all(s != after for _, s in abstract.successors(state)):
                    return True
                if after not in seen:
                    seen.append(copy(after))
                    fresh.append(seen[-1])
        level = fresh
    return False


def test_failure_is_raised(tmp_path: Path) -> None:
    """Walks raise the failure of a refinement in an initial state."""
    with pytest.raises(SpecFailure):
        simulate(design_of(tmp_path, QUEUE, "failing_at_once"), WalkPlan(walks=4, depth=9, seed=1))
