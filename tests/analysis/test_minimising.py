"""Minimising: the shortest trace, and of those the plainest, by comparison with all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel.analysis.minimising import Unfinished, found_by, measures, minimise
from specmodel.analysis.searches import SearchLimits
from specmodel.api import check, load
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.results import Trace
from specmodel.traces.itf_read import read_itf
from specmodel.traces.itf_write import itf_text
from tests.written import written

TEXT = '''
class Actor(ScalarSet, size=3, symmetric=True):
    """Whoever adds."""

class State(Struct):
    sum: Annotated[int, Range(0, 9)]
    mine: dict[Actor, Annotated[int, Range(0, 9)]]
    noise: bool

@init
def zero() -> State:
    return State(0, {a: 0 for a in Actor}, False)

@action
def add(s: State, by: Actor) -> None:
    require(s.sum < 9)
    s.sum += 1
    s.mine[by] += 1

@action
def skip(s: State, by: Actor) -> None:
    require(s.sum < 9 and s.mine[by] > 0)
    s.sum += 1
    s.mine[by] += 1

@action
def hum(s: State) -> None:
    s.noise = not s.noise

@invariant
def small(s: State) -> bool:
    return s.sum < 4

@transition
def quiet(before: State, after: State) -> bool:
    return before.sum < 3 or after.sum == before.sum

@reachable
def begun(s: State) -> bool:
    return s.sum == 1

@reachable
def far(s: State) -> bool:
    return s.sum == 3 and s.noise

@constraint
def near(s: State) -> bool:
    return s.sum < 4

spec = Spec(
    state=State, init=zero, actions=[add, skip, hum], invariants=[small], transitions=[quiet],
    reachable=[begun, far], constraints=[near],
)
ends = spec.without("ends", "hum", "quiet", "small")
'''


@pytest.fixture
def design(tmp_path: Path) -> Design:
    return load(f"{written(tmp_path, TEXT)}:spec")


def trace_of(design: Design, *steps: str) -> Trace:
    """The trace of steps written `add a1`."""
    interpreter = Interpreter(design.spec)
    states: list[Any] = [next(interpreter.initial())]
    taken = []
    for text in steps:
        name, *names = text.split()
        for number, (rule, arguments) in enumerate(interpreter.bindings):
            if rule.name == name and [str(a) for a in arguments] == names:
                states.append(interpreter.successor(states[-1], number))
                taken.append(interpreter.step(number))
    return Trace(tuple(states), tuple(taken))


def all_traces(design: Design, length: int) -> Iterator[Trace]:
    """Every trace of a length, the slow way."""
    interpreter = Interpreter(design.spec)

    def grow(states: list[Any], steps: list[Any]) -> Iterator[Trace]:
        if len(states) == length:
            yield Trace(tuple(states), tuple(steps))
            return
        for number, after in interpreter.successors(states[-1]):
            kept = design.spec.domain.copy(after)
            yield from grow([*states, kept], [*steps, interpreter.step(number)])

    for state in interpreter.initial():
        yield from grow([state], [])


def switches(trace: Trace) -> int:
    named = [set(step.arguments.values()) for step in trace.steps]
    return sum(not a & b for a, b in zip([set(), *named], named, strict=False))


LONG = ("hum", "add a1", "hum", "add a2", "add a3", "hum", "add a1")


def test_the_plainest_of_the_shortest(design: Design) -> None:
    """As short, and with as few actors, odd steps and actions, as any trace that there is."""
    found = minimise(design, trace_of(design, *LONG), "small")
    shows = [t for t in all_traces(design, 5) if t.states[-1].sum == 4]
    assert found.main == ("add", "hum")
    assert found.shortest == len(shows)

    def rank(trace: Trace) -> tuple[int, int, int, int]:
        held = measures(trace, found.main)
        return (len(held.actors), held.outside, len(held.actions), switches(trace))

    assert rank(found.trace) == min(map(rank, shows)) == (1, 0, 1, 1)
    assert (found.given.length, found.given.actors) == (8, ("a1", "a2", "a3"))
    assert found.found.length == 5
    assert [str(step) for step in found.trace.steps] == ["add(by=a1)"] * 4


def test_the_main_path_can_be_named(design: Design) -> None:
    """With `skip` for the main path, what is not `skip` is avoided as far as it can be."""
    found = minimise(design, trace_of(design, *LONG), "small", main=["skip"])
    assert [step.action for step in found.trace.steps] == ["add", "skip", "skip", "skip"]
    with pytest.raises(UsageError, match='no action "skp"; did you mean "skip"'):
        minimise(design, trace_of(design, *LONG), "small", main=["skp"])


@pytest.mark.parametrize(("name", "length"), [("small", 5), ("quiet", 5), ("far", 5)])
def test_kinds_of_findings(design: Design, name: str, length: int) -> None:
    """An invariant, a property of a step and a reachable one: all shortest traces are counted."""
    result = check(design, engine="interpret", properties=[name], keep_going=True)
    given = result[name].trace
    assert given is not None
    found = minimise(design, given, name)
    interpreter = Interpreter(design.spec)
    rule = next(r for r in design.spec.properties if r.name == name)
    shows = [
        t
        for t in all_traces(design, length)
        if interpreter.holds(rule, *t.states[-rule.states :]) == (rule.role == "reachable")
        and all(s.sum < 4 for s in t.states[:-1])
    ]
    assert (found.trace.length, found.shortest) == (length, len(shows))


def test_a_deadlock(tmp_path: Path) -> None:
    """The shortest way to a state without a successor."""
    text = TEXT.replace("s.sum < 9", "s.sum < 3")
    design = load(f"{written(tmp_path, text)}:ends")
    found = minimise(design, trace_of(design, "add a1", "add a2", "add a3"), "deadlock")
    assert [str(step) for step in found.trace.steps] == ["add(by=a1)"] * 3
    assert found.shortest == len(list(all_traces(design, 4)))


def test_too_many_states_to_compare(design: Design) -> None:
    """The trace is still the shortest; that it is the plainest is not claimed."""
    found = minimise(design, trace_of(design, *LONG), "small", most=3)
    assert (found.trace.length, found.shortest) == (5, None)


def test_a_limit(design: Design) -> None:
    """No answer rather than a wrong one."""
    with pytest.raises(Unfinished, match="small was found before max-states"):
        minimise(design, trace_of(design, *LONG), "small", limits=SearchLimits(max_states=2))


def test_what_a_file_shows(design: Design, tmp_path: Path) -> None:
    """The property that the file names, or the first that is violated at the end, or none."""
    file = tmp_path / "t.itf.json"

    def recorded(*steps: str, name: str = "") -> Any:
        file.write_text(itf_text(design, trace_of(design, *steps), property_name=name))
        return read_itf(file)

    assert found_by(recorded(*LONG), design)[1] == "small"
    assert found_by(recorded(*LONG, name="quiet"), design)[1] == "quiet"
    assert found_by(recorded(*LONG, name="quiet"), design, "small")[1] == "small"
    assert found_by(recorded("add a1"), design, "begun")[1] == "begun"
    with pytest.raises(UsageError, match="violates nothing at its end: small, quiet hold"):
        found_by(recorded("add a1"), design)
    with pytest.raises(UsageError, match='no property "smal"'):
        found_by(recorded(*LONG), design, "smal")


@pytest.mark.parametrize("name", ["weak_isr", "strong_isr"])
def test_kafka(name: str) -> None:
    """On a real design: never longer, never more outside, and a trace that the design allows."""
    design = load("kip101", replicas=2)
    given = check(design, properties=[name])[name].trace
    assert given is not None
    found = minimise(design, given, name)
    assert found.trace.length == given.length == 12
    assert found.found.outside <= found.given.outside
    assert found.shortest is not None and found.shortest > 1
    interpreter = Interpreter(design.spec)
    assert interpreter.behaviour(found.trace.states).length == 12
