"""All the shortest counterexamples as one graph, and several of different shapes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.analysis.counterexamples import counterexamples
from specmodel.analysis.minimising import Unfinished
from specmodel.analysis.searches import SearchLimits
from specmodel.analysis.shortest import shape_of, shortest_graph
from specmodel.behaviour.replay import Replay
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.results import DEADLOCK
from tests.written import design_of

DOOR = """
class State(Struct):
    key: bool
    glass: bool
    alarm: Annotated[int, Range(0, 3)]
    inside: bool

@init
def outside(alarm: Annotated[int, Range(0, 1)]) -> State:
    return State(False, False, alarm, False)

@action
def find_key(s: State) -> None:
    require(not s.key)
    s.key = True

@action
def turn_key(s: State) -> None:
    require(s.key and not s.inside)
    s.inside = True

@action
def break_glass(s: State, with_: Annotated[int, Range(0, 1)]) -> None:
    require(not s.glass)
    s.glass = True

@action
def silence(s: State) -> None:
    require(s.alarm < 3)
    s.alarm += 1

@action
def climb(s: State) -> None:
    require(s.glass and s.alarm == 3 and not s.inside)
    s.inside = True

@invariant
def locked(s: State) -> bool:
    return not s.inside

@transition
def steady(before: State, after: State) -> bool:
    return before.inside or not after.inside

@reachable
def open(s: State) -> bool:
    return s.glass and s.key

door = Spec(
    state=State, init=outside, actions=[find_key, turn_key, break_glass, silence, climb],
    invariants=[locked], transitions=[steady], reachable=[open],
)
stuck = Spec(state=State, init=outside, actions=[find_key, break_glass, silence])
"""


def by_hand(design: Design, ends: Any, length: int) -> Counter[tuple[str, ...]]:
    """Every way of so many states whose last state, or step, ends it: by its steps."""
    interpreter = Interpreter(design.spec)
    domain = design.spec.domain
    ways: list[tuple[Any, tuple[str, ...]]] = [
        (domain.copy(s), (repr(s),)) for s in interpreter.initial()
    ]
    found: Counter[tuple[str, ...]] = Counter()
    for number in range(1, length):
        further: list[tuple[Any, tuple[str, ...]]] = []
        for state, steps in ways:
            for binding, after in interpreter.successors(state):
                way = (domain.copy(after), (*steps, str(interpreter.step(binding))))
                if number == length - 1 and ends(state, after):
                    found[way[1]] += 1
                further.append(way)
        ways = further
    return found


def walked(graph: Any) -> Counter[tuple[str, ...]]:
    """Every way of a graph, by its steps."""
    ways = [(i, (repr(s),)) for i, s in enumerate(graph.levels[0])]
    for level in range(graph.length - 1):
        ways = [
            (edge.target, (*steps, str(edge.step)))
            for place, steps in ways
            for edge in graph.after(level)
            if edge.source == place
        ]
    return Counter(steps for _, steps in ways)


@pytest.mark.parametrize("name", ["locked", "steady", "open", DEADLOCK])
def test_the_graph_has_every_shortest_way(tmp_path: Path, name: str) -> None:
    """And no others: compared with all sequences of steps of that length."""
    design = design_of(tmp_path, DOOR, "stuck" if name == DEADLOCK else "door")
    interpreter = Interpreter(design.spec)
    ends = {
        "locked": lambda before, after: after.inside,
        "steady": lambda before, after: after.inside and not before.inside,
        "open": lambda before, after: after.glass and after.key,
        DEADLOCK: lambda before, after: next(interpreter.successors(after), None) is None,
    }[name]
    length = 5 if name == DEADLOCK else 3
    graph = shortest_graph(design, name, length, 1000)
    ways = by_hand(design, ends, length)
    assert walked(graph) == ways
    assert graph.ways == sum(ways.values())
    assert graph.length == length
    assert graph.states == sum(len(level) for level in graph.levels)


def test_routes_are_by_states(tmp_path: Path) -> None:
    """Two bindings with the same effect are two ways by one route."""
    graph = shortest_graph(design_of(tmp_path, DOOR, "door"), "open", 3, 1000)
    assert (graph.ways, graph.routes) == (8, 4)


def test_other_actions_first(tmp_path: Path) -> None:
    """The way that needs no key is longer, and the one that differs most."""
    found = counterexamples(design_of(tmp_path, DOOR, "door"), "locked")
    assert [shaped.trace.length for shaped in found.found[:2]] == [3, 5]
    assert found.found[0].shape == (("find_key", 1), ("turn_key", 1))
    assert found.found[1].origin == "without"
    assert found.found[1].without in (("find_key",), ("turn_key",))
    assert dict(found.found[1].shape) == {"silence": 2, "break_glass": 1, "climb": 1}
    assert found.found[1].distance == 6
    assert found.needed == ()
    near = counterexamples(design_of(tmp_path, DOOR, "door"), "locked", longer=1)
    assert near.needed == ("find_key", "turn_key")


def test_shapes_of_the_shortest(tmp_path: Path) -> None:
    """Where the shortest have several shapes, each is shown once, the farthest first."""
    text = DOOR.replace("return s.glass and s.key", "return s.alarm + s.glass + s.key >= 3")
    found = counterexamples(design_of(tmp_path, text, "door"), "open", most=9)
    short = [shaped for shaped in found.found if shaped.trace.length == 3]
    assert found.shapes == 4
    assert {shaped.shape for shaped in short} == {
        (("silence", 2),),
        (("break_glass", 1), ("silence", 1)),
        (("find_key", 1), ("silence", 1)),
        (("break_glass", 1), ("find_key", 1)),
    }
    distances = [shaped.distance for shaped in found.found if shaped.origin == "shortest"]
    assert distances[0] is None


def test_walks_find_more() -> None:
    """All the shortest of the first draft of KIP-320 have one shape; walks bring others.

    Each replays, ends in the violation and not before, is of a shape of its own, and no step of it
    can be left out.
    """
    design = specmodel.load("kip320-first-try")
    found = counterexamples(design, "weak_isr", most=3)
    assert found.graph is not None
    assert (found.graph.ways, found.graph.length, found.shapes) == (210, 12, 1)
    assert len(found.found) == 3
    assert len({shaped.shape for shaped in found.found}) == 3
    interpreter = Interpreter(design.spec)
    rule = design.chosen(["weak_isr"])[0]
    for shaped in found.found:
        assert shaped.shape == shape_of(shaped.trace.steps)
        assert Replay(design, shaped.trace.states).trace().length <= found.longest
        truths = [interpreter.holds(rule, state) for state in shaped.trace.states]
        assert truths == [True] * (shaped.trace.length - 1) + [False]
    assert [shaped.origin for shaped in found.found] == ["shortest", "walk", "walk"]
    numbers = {str(interpreter.step(n)): n for n in range(len(interpreter.bindings))}
    taken = [numbers[str(step)] for step in found.found[1].trace.steps]
    for gone in range(len(taken)):
        state = found.found[1].trace.states[0]
        for number in [*taken[:gone], *taken[gone + 1 :]]:
            state = interpreter.successor(state, number) or state
            assert interpreter.holds(rule, state)


def test_the_same_each_time() -> None:
    """Nothing in it depends on chance."""
    design = specmodel.load("two-phase-commit-impatient", participants=2)
    assert specmodel.counterexamples(design) == specmodel.counterexamples(design)


def test_witnesses() -> None:
    """A reachable property has witnesses, in the same way."""
    found = specmodel.counterexamples("two-phase-commit", "all-committed", participants=2)
    assert found.kind == "reachable"
    assert found.found[0].trace.length == 8
    assert "decide_commit" in found.needed


def test_the_first_violated_is_taken() -> None:
    """Without a name it is to what a check would report."""
    assert specmodel.counterexamples("kip101", replicas=2, most=1).property == "weak_isr"


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("", {}, "violates nothing"),
        ("agreement", {}, "there is no trace to agreement"),
        ("agreed", {}, 'no property "agreed"'),
        ("agreement", {"most": 0}, "most is 1 or more"),
        ("agreement", {"longer": -1}, "longer is 0 or more"),
    ],
)
def test_refuses(name: str, words: dict[str, Any], message: str) -> None:
    """There is nothing to show, or it makes no sense."""
    with pytest.raises(UsageError, match=message):
        specmodel.counterexamples("two-phase-commit", name, participants=2, **words)


def test_a_limit_reached_first() -> None:
    """Not found is not the same as not there."""
    with pytest.raises(Unfinished, match="before max-states"):
        counterexamples(
            specmodel.load("kip320-first-try"), "weak_isr", limits=SearchLimits(max_states=100)
        )


def test_too_many_states_for_the_graph(tmp_path: Path) -> None:
    """The rest is found without it."""
    found = counterexamples(design_of(tmp_path, DOOR, "door"), "locked", states=2, most=2)
    assert found.graph is None
    assert found.shapes is None
    assert len(found.found) == 2
