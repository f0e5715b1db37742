"""A behaviour of one design on another: how steps are matched, and where and why they stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specmodel.analysis.recording import call_of, recording_of
from specmodel.analysis.rival import Replayed, replay
from specmodel.behaviour.steps import Interpreter
from specmodel.errors import UsageError
from specmodel.results import Trace
from tests.written import design_of

TEXT = """
class Node(ScalarSet, size=2):
    pass

class S(Struct):
    length: Annotated[int, Range(0, 3)]
    follows: Node | None
    spoken: bool

@init
def start() -> S:
    return S(1, None, False)

@action(kind="follow")
def follow_and_cut(s: S, leader: Node) -> None:
    require(s.follows is None)
    s.follows = leader
    s.length = 0

@action(kind="follow")
def follow_first(s: S, leader: Node) -> None:
    require(s.follows is None)
    s.follows = leader

@action(kind="follow")
def follow_if_heard(s: S, leader: Node) -> None:
    require(s.follows is None)
    require(s.spoken)
    s.follows = leader
    s.length = 0

@action
def cut(s: S) -> None:
    require(s.follows is not None and s.length > 0)
    s.length = 0

@action
def speak(s: S) -> None:
    s.spoken = True

@action(kind="grow")
def grow_from_nothing(s: S, leader: Node) -> None:
    require(s.follows == leader and s.length == 0)
    s.length += 1

@invariant
def alone(s: S) -> bool:
    return s.follows is None or s.length == 0

at_once = Spec(
    name="at_once", state=S, init=start, actions=[follow_and_cut, grow_from_nothing, speak],
    invariants=[alone],
)
later = at_once.replacing("later", follow_and_cut=follow_first).adding("later", actions=[cut])
waiting = at_once.replacing("waiting", follow_and_cut=follow_if_heard)
silent = later.without("silent", "cut", "alone")
"""


@pytest.fixture
def on(tmp_path: Path) -> Callable[..., Replayed]:
    """Replay steps of one of the specs above on another."""

    def run(mine: str, steps: str, rival: str) -> Replayed:
        design = design_of(tmp_path, TEXT, mine)
        interpreter = Interpreter(design.spec)
        states, taken = [next(interpreter.initial())], []
        for text in steps.split("; "):
            number = next(
                n for n, _ in enumerate(interpreter.bindings) if str(interpreter.step(n)) == text
            )
            taken.append(interpreter.step(number))
            states.append(interpreter.successor(states[-1], number))
        recording = recording_of(design, Trace(tuple(states), tuple(taken)), "alone")
        return replay(recording, design_of(tmp_path, TEXT, rival))

    return run


def steps(found: Replayed) -> list[str]:
    """The steps that the rival took."""
    return [str(step) for step in found.trace.steps]


def test_one_step_there_is_two_here(on: Callable[..., Replayed]) -> None:
    """The rival makes up for what its own step leaves undone by a step of a kind only it has."""
    found = on("at_once", "follow_and_cut(leader=n2); grow_from_nothing(leader=n2)", "later")
    assert found.blocked is None
    assert found.parting is None
    assert steps(found) == ["follow_first(leader=n2)", "cut()", "grow_from_nothing(leader=n2)"]
    assert [moment.move is None for moment in found.moments] == [False, True, False]


def test_two_steps_there_are_one_here(on: Callable[..., Replayed]) -> None:
    """A step of a kind that the rival lacks is passed over where its effect is there already."""
    found = on("later", "follow_first(leader=n1); cut(); grow_from_nothing(leader=n1)", "at_once")
    assert found.blocked is None
    assert steps(found) == ["follow_and_cut(leader=n1)", "grow_from_nothing(leader=n1)"]
    assert [moment.step is None for moment in found.moments] == [False, True, False]
    assert found.parting is not None
    assert found.parting.number == 2
    assert [change.path for change in found.parting.differences] == ["length"]


def test_a_kind_that_is_missing_stops_it(on: Callable[..., Replayed]) -> None:
    """If its effect is not there, nothing stands for it."""
    found = on("later", "follow_first(leader=n1); cut()", "silent")
    assert found.blocked is not None
    assert (found.blocked.number, found.blocked.move.kind) == (3, "cut")
    assert found.blocked.attempts == ()


def test_a_false_guard_stops_it(on: Callable[..., Replayed]) -> None:
    """What is false is told with its value, what could be done instead, and what would help."""
    found = on("at_once", "follow_and_cut(leader=n2)", "waiting")
    assert found.blocked is not None
    (attempt,) = found.blocked.attempts
    assert str(attempt.step) == "follow_if_heard(leader=n2)"
    assert [guard.why.ground for guard in attempt.guarded.false] == ["spoken"]
    assert [str(step) for step in found.blocked.instead] == ["speak()"]
    assert [str(step) for step in found.blocked.first] == ["speak()"]
    assert found.violates is None


def test_the_property_is_judged_at_the_end(on: Callable[..., Replayed]) -> None:
    """True, false, or None where the rival does not have it."""
    walk = "follow_and_cut(leader=n1); grow_from_nothing(leader=n1)"
    assert on("at_once", walk, "later").violates is True
    assert on("at_once", "follow_and_cut(leader=n1)", "later").violates is False
    assert on("later", "follow_first(leader=n1)", "silent").violates is None


def test_states_without_anything_in_common(tmp_path: Path) -> None:
    """Designs of different things cannot be held against each other."""
    design = design_of(tmp_path, TEXT, "later")
    other = TEXT.replace("length", "size").replace("follows", "leads").replace("spoken", "told")
    state = next(Interpreter(design.spec).initial())
    recording = recording_of(design, Trace((state,), ()))
    with pytest.raises(UsageError, match="none of them is here"):
        replay(recording, design_of(tmp_path, other, "later"))


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("fetch", "fetch", ()),
        ("stop()", "stop", ()),
        ("fetch(r2, leader=r1)", "fetch", (("", "r2"), ("leader", "r1"))),
        ("ask(isr={r1, r2}, to=[1, 2])", "ask", (("isr", "{r1, r2}"), ("to", "[1, 2]"))),
    ],
)
def test_calls_are_read(text: str, name: str, arguments: tuple[tuple[str, str], ...]) -> None:
    """As a person types them and as files have them; commas within brackets part nothing."""
    assert call_of(text) == (name, arguments)


def test_what_is_no_call_is_refused() -> None:
    """With the way to write it."""
    with pytest.raises(UsageError, match="write fetch"):
        call_of("fetch r2")
