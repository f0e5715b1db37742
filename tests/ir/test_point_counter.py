"""The points of a spec's code and their counts, against CPython running that code itself."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from specmodel.analysis.rules import conditions
from specmodel.behaviour.steps import Interpreter
from specmodel.constants import Value
from specmodel.errors import Disabled
from specmodel.ir.point_counter import PointCounter
from specmodel.ir.points import Points
from specmodel.lang.loading import load_module
from specmodel.lang.lowering import lower
from specmodel.lang.spec import Spec
from specmodel.results.coverage import Point
from tests.kernel.reference import reachable_states
from tests.written import spec_of

ROOT = Path(__file__).parents[2]
STATES = 80

DESIGNS: list[tuple[str, str, dict[str, Value]]] = [
    ("models/kafka/replication/designs.py", "kip320", {"replicas": 2, "max_leader_epoch": 1}),
    ("models/kafka/consumer/designs.py", "consumer_history", {}),
    ("models/examples/two_phase_commit.py", "two_phase_commit_impatient", {}),
]


def counted(spec: Spec, states: Sequence[Any]) -> PointCounter:
    """The counts of all rules in some states."""
    model = lower(spec)
    counter = PointCounter(Points(model, model.actions, [r.name for r in spec.properties]))
    interpreter = Interpreter(spec)
    for state in states:
        for rule, arguments in interpreter.bindings:
            counter.action(rule.name, state, arguments)
        for rule in spec.properties:
            if rule.role != "transition":
                counter.property(rule.name, state)
    return counter


class Lines:
    """The lines that a call runs, by the function that they stand in."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str, int]] = set()

    def of(self, function: Callable[..., Any], arguments: Sequence[Any]) -> bool:
        """Calls; whether a guard ended it."""
        self.seen = set()
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            function(*arguments)
        except Disabled:
            return True
        finally:
            sys.settrace(before)
        return False

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            code = frame.f_code
            self.seen.add((code.co_filename, code.co_name, frame.f_lineno))
        return self._trace


@pytest.mark.parametrize(("file", "name", "constants"), DESIGNS, ids=lambda v: str(v)[-20:])
def test_lines(file: str, name: str, constants: dict[str, Value]) -> None:
    """A point of statements is reached as often as CPython runs its first line."""
    spec = load_module(ROOT / file, constants).spec(name)
    states = reachable_states(spec, STATES)
    counter, interpreter, lines = counted(spec, states), Interpreter(spec), Lines()
    ran: Counter[tuple[str, str, str, int]] = Counter()

    def note(rule: str) -> None:
        ran.update((rule, *line) for line in lines.seen)

    functions = {rule.name: rule.function for rule in (*spec.rules, *spec.properties)}
    for state in states:
        for rule, arguments in interpreter.bindings:
            lines.of(functions[rule.name], (spec.domain.copy(state), *arguments))
            note(rule.name)
        for rule in spec.properties:
            if rule.role != "transition":
                lines.of(functions[rule.name], (state,))
                note(rule.name)
    points = [p for p in counter.points.found if p.lines and p.role != "transition"]
    assert len(points) > 20
    for point in points:
        place = (point.rule, point.span.file, point.function, point.span.line)
        assert counter.counts.reached[point.number] == ran[place], point


@pytest.mark.parametrize(("file", "name", "constants"), DESIGNS, ids=lambda v: str(v)[-20:])
def test_alone(file: str, name: str, constants: dict[str, Value]) -> None:
    """A guard is alone where its action happens, or fails, once the guard is edited away."""
    spec = load_module(ROOT / file, constants).spec(name)
    states = reachable_states(spec, STATES)
    counter = counted(spec, states)
    guards = {(p.rule, p.span): p for p in counter.points.found if p.kind == "guard"}
    compared = 0
    for condition in conditions(spec):
        if condition.depth:
            continue
        edited = load_module(ROOT / file, constants, condition.edits).spec(name)
        for action in condition.actions:
            point = guards.get((action, condition.span))
            if point is not None:
                wanted = _newly(spec, edited, action, states)
                assert counter.counts.alone[point.number] == wanted, point
                compared += 1
    assert compared > 5


def _newly(spec: Spec, edited: Spec, action: str, states: Sequence[Any]) -> int:
    """In how many states and bindings an action happens, or fails, in an edited spec alone."""
    before, after = (next(r for r in s.rules if r.name == action) for s in (spec, edited))
    found = 0
    for state in states:
        for arguments, others in zip(before.bindings(), after.bindings(), strict=True):
            there = edited.domain.at(spec.domain.index(state))
            blocked = _blocked(before.function, (spec.domain.copy(state), *arguments))
            found += blocked and not _blocked(after.function, (there, *others))
    return found


def _blocked(function: Callable[..., Any], arguments: Sequence[Any]) -> bool:
    try:
        function(*arguments)
    except Disabled:
        return True
    except Exception:
        return False
    return False


SMALL = """
most = constant("most", 2, low=1, high=5)


class State(Struct):
    n: Annotated[int, Range(0, 3)]
    at: Annotated[int, Range(0, 3)] | None


@init
def start() -> State:
    return State(n=0, at=None)


def within(s: State, low: int) -> bool:
    if s.n < low:
        return True
    return s.n <= most


@action
def up(s: State, by: Annotated[int, Range(0, 2)]) -> None:
    require(by > 0 and 0 <= s.n < 3)
    for i in range(by):
        if s.n == 3:
            break
        s.n += 1
    s.at = s.n if by == 2 else None


@action
def back(s: State) -> None:
    s.n = require_some(s.at)


@invariant
def fine(s: State) -> bool:
    return within(s, 0) and (s.at is None or s.at > 5 or s.n < 4)


@invariant
def few(s: State) -> bool:
    return all(i < 9 for i in range(s.n) if i == 7) and (most > 4 or s.n < 4)


spec = Spec(state=State, init=start, actions=[up, back], invariants=[fine, few])
"""


def test_points(tmp_path: Path) -> None:
    """All kinds of points, with their counts in all states of a small spec."""
    spec = spec_of(tmp_path, SMALL)
    states = reachable_states(spec, 100)
    counter = counted(spec, states)
    counts = counter.counts

    def told(point: Point) -> str:
        number = point.number
        known = (counts.reached[number], counts.false.get(number), counts.alone.get(number))
        shown = " ".join(str(n) for n in known if n is not None)
        marks = [name for name in ("fixed", "trivial", "final") if getattr(point, name)]
        return " | ".join([point.rule, f"{point.kind} {point.text}", shown, *marks])

    assert [told(point) for point in counter.points.found] == POINTS


POINTS = [
    "up | start up | 18",
    "up | guard by > 0 | 18 6 4",
    "up | guard 0 <= s.n < 3 | 12 4 4",
    "up | after by > 0 and 0 <= s.n < 3 | 8",
    "up | body i in range(by) | 8",
    "up | then s.n == 3 | 2 | trivial",
    "up | else s.n == 3 | 8 | trivial",
    "up | after s.n == 3 | 8",
    "up | then by == 2 | 4",
    "up | else by == 2 | 4",
    "back | start back | 6",
    "back | guard s.at is not None | 6 4 | final",
    "fine | start fine | 6",
    "fine | start within | 6",
    "fine | then s.n < low | 0 | trivial",
    "fine | else s.n < low | 6 | trivial",
    "fine | after s.n < low | 6",
    "fine | operand within(s, 0) | 4",
    "fine | operand s.at is None | 1",
    "fine | operand s.at is None or s.at > 5 | 1",
    "few | start few | 6",
    "few | each i == 7 | 0",
    "few | operand all(i < 9 for i in range(s.n) if i == 7) | 6",
    "few | operand most > 4 | 6 | fixed",
]
