"""Searches whose outcome can be worked out by hand, on each engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.design import Design
from specmodel.engines import native
from specmodel.errors import SpecmodelError
from specmodel.ir import layout
from specmodel.ir.layout import Layout
from specmodel.results import DEADLOCK, Options, Result
from tests.engines.outcomes import ENGINES, Failed, outcome
from tests.written import design_of


@pytest.fixture(params=[*ENGINES, "native-3"])
def engine(request: pytest.FixtureRequest) -> str:
    """An engine, or the native one with more threads than there is work for."""
    return request.param


def check(engine: str, design: Design, **options: object) -> Result:
    name, _, workers = engine.partition("-")
    chosen = Options(**options, workers=int(workers or 1))  # type: ignore[arg-type]  # by name
    return ENGINES[name](design, chosen)


LINE = """
class State(Struct):
    at: Annotated[int, Range(0, 9)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State, by: Annotated[int, Range(1, 2)]) -> None:
    require(s.at + by <= 9)
    s.at += by

@invariant
def below(s: State) -> bool:
    return s.at < 7

@transition
def rising(before: State, after: State) -> bool:
    return after.at - before.at < 2 or before.at < 4

@reachable
def five(s: State) -> bool:
    return s.at == 5

@reachable
def eleven(s: State) -> bool:
    return s.at == 11

spec = Spec(
    state=State, init=zero, actions=[step],
    invariants=[below], transitions=[rising], reachable=[five, eleven],
)
"""


def numbers(result: Result, name: str) -> list[int] | None:
    """The values of `at` along a property's trace."""
    trace = result[name].trace
    return [s.at for s in trace.states] if trace else None


def test_whole_space(tmp_path: Path, engine: str) -> None:
    """Ten states; 0 to 7 have two successors, 8 one, 9 none; 9 is five steps from 0."""
    result = check(engine, design_of(tmp_path, LINE), keep_going=True, deadlock=True)
    assert (result.distinct, result.generated, result.depth) == (10, 18, 6)
    assert result.levels == (1, 2, 2, 2, 2, 1)
    assert result.complete
    assert result.coverage == {"step": 17}
    assert result.verdict == "violated"
    assert numbers(result, DEADLOCK) == [0, 1, 3, 5, 7, 9]


def test_shortest_traces(tmp_path: Path, engine: str) -> None:
    """The least last state, reached through least predecessors and by first bindings."""
    result = check(engine, design_of(tmp_path, LINE), keep_going=True)
    assert numbers(result, "below") == [0, 1, 3, 5, 7]
    assert numbers(result, "rising") == [0, 2, 4, 6]
    assert result["rising"].verdict == "violated"
    assert numbers(result, "five") == [0, 1, 3, 5]
    assert (result["five"].verdict, result["eleven"].verdict) == ("holds", "violated")
    trace = result["below"].trace
    assert trace is not None
    assert [str(step) for step in trace.steps] == [f"step(by={by})" for by in (1, 2, 2, 2)]


def test_stops_at_the_first_violation(tmp_path: Path, engine: str) -> None:
    """The level is finished, and no more: of what lies deeper nothing is known."""
    result = check(engine, design_of(tmp_path, LINE))
    assert (result.verdict, result.stopped, result.complete) == ("violated", "violation", False)
    assert result["rising"].trace_length == 4
    assert result["below"].verdict == "incomplete"
    assert result["eleven"].verdict == "incomplete"
    assert result["five"].verdict == "holds"


def test_chosen_properties(tmp_path: Path, engine: str) -> None:
    """Only what is asked for is looked at; names may be written in any style."""
    result = check(engine, design_of(tmp_path, LINE), properties=("Five",))
    assert [p.name for p in result.properties] == ["five"]
    assert (result.verdict, result.complete, result.distinct) == ("holds", True, 10)


def test_deadlock_is_off_unless_asked_for(tmp_path: Path, engine: str) -> None:
    """By the design or by the user, who has the last word."""
    quiet = design_of(tmp_path, LINE)
    assert DEADLOCK not in [p.name for p in check(engine, quiet, properties=("five",)).properties]
    strict = design_of(tmp_path, LINE.replace("state=State,", "state=State, deadlock=True,"))
    assert check(engine, strict, properties=("five",))[DEADLOCK].trace_length == 6
    off = check(engine, strict, properties=("five",), deadlock=False)
    assert DEADLOCK not in [p.name for p in off.properties]


STARTS = """
class Node(ScalarSet, size=2):
    pass

class State(Struct):
    who: Node
    at: Annotated[int, Range(0, 3)]

@init
def anywhere(who: Node, at: Annotated[int, Range(0, 3)]) -> State:
    require(at < 3)
    return State(who, at // 2)

@action
def stay(s: State) -> None:
    s.at = s.at

@invariant
def low(s: State) -> bool:
    return s.at == 0

spec = Spec(state=State, init=anywhere, actions=[stay], invariants=[low])
"""


def test_many_initial_states(tmp_path: Path, engine: str) -> None:
    """One for each binding of init whose guards hold; alike ones count once, but are generated."""
    result = check(engine, design_of(tmp_path, STARTS), keep_going=True)
    assert (result.distinct, result.generated, result.depth) == (4, 6 + 4, 1)
    assert result["low"].trace_length == 1
    trace = result["low"].trace
    assert trace is not None
    assert (repr(trace.states[0].who), trace.states[0].at) == ("n1", 1)


def test_no_initial_state(tmp_path: Path, engine: str) -> None:
    """A design that cannot start is a mistake, not a success."""
    design = design_of(tmp_path, STARTS.replace("at < 3", "at > 3"))
    with pytest.raises(SpecmodelError, match="spec has no initial state"):
        check(engine, design)


BOUNDED = """
class State(Struct):
    x: Annotated[int, Range(0, 20)]
    y: Annotated[int, Range(0, 20)]

@init
def origin() -> State:
    return State(0, 0)

@action
def right(s: State) -> None:
    s.x += 1

@action
def up(s: State) -> None:
    s.y += 1

@constraint
def small(s: State) -> bool:
    return s.x <= 3

@constraint
def flat(s: State) -> bool:
    return s.y <= 2

@invariant
def narrow(s: State) -> bool:
    return s.x < 4

@invariant
def near(s: State) -> bool:
    return s.x + s.y < 6

@reachable
def outside(s: State) -> bool:
    return s.x == 4

spec = Spec(
    state=State, init=origin, actions=[right, up], constraints=[small, flat],
    invariants=[narrow, near], reachable=[outside],
)
"""


def test_constraints(tmp_path: Path, engine: str) -> None:
    """States outside are checked, but neither counted, nor explored from, nor witnesses."""
    result = check(engine, design_of(tmp_path, BOUNDED), keep_going=True)
    assert (result.distinct, result.generated) == (4 * 3, 1 + 2 * 4 * 3)
    assert (result.depth, result.complete) == (6, True)
    assert result["narrow"].trace_length == 5
    assert result["near"].trace_length == 7
    assert result["outside"].verdict == "violated"
    trace = result["narrow"].trace
    assert trace is not None
    assert (trace.states[-1].x, trace.states[-1].y) == (4, 0)


FANNED = """
class State(Struct):
    x: Annotated[int, Range(0, 1999)]

@init
def origin() -> State:
    return State(0)

@action
def jump(s: State, to: Annotated[int, Range(0, 1999)]) -> None:
    require(s.x == 0)
    s.x = to

@constraint
def even(s: State) -> bool:
    return s.x % 2 == 0

@invariant
def unbroken(s: State) -> bool:
    return s.x != BROKEN

spec = Spec(state=State, init=origin, actions=[jump], constraints=[even], invariants=[unbroken])
"""


@pytest.mark.parametrize("broken", [1, 513, 1025, 1999])
def test_many_states_outside_the_constraints(tmp_path: Path, engine: str, broken: int) -> None:
    """Each of them is checked, whichever of the thousand from one state it is."""
    design = design_of(tmp_path, FANNED.replace("BROKEN", str(broken)))
    result = check(engine, design, deadlock=False)
    assert result["unbroken"].trace_length == 2
    trace = result["unbroken"].trace
    assert trace is not None and trace.states[-1].x == broken


def test_initial_state_outside_the_constraints(tmp_path: Path, engine: str) -> None:
    """It is checked like any other."""
    design = design_of(tmp_path, BOUNDED.replace("State(0, 0)", "State(5, 0)"))
    result = check(engine, design)
    assert (result.distinct, result.verdict) == (0, "violated")
    assert result["narrow"].trace_length == 1


WIDE = """
class State(Struct):
    log: Annotated[list[Annotated[int, Range(0, 200)]], Capacity(40)]
    last: Annotated[int, Range(0, 2)]

@init
def empty() -> State:
    return State([200] * 36, 0)

@action
def append(s: State, n: Annotated[int, Range(0, 2)]) -> None:
    s.log.append(s.last * 100)
    s.last = n

@action
def drop(s: State) -> None:
    require(len(s.log) > 36)
    s.log = s.log[1:]

@constraint
def room(s: State) -> bool:
    return len(s.log) < 40

@invariant
def some_end(s: State) -> bool:
    return not (s.log[-2] == 100 and s.log[-1] == 200 and s.log[0] == 200 and len(s.log) == 39)

spec = Spec(
    state=State, init=empty, actions=[append, drop], constraints=[room], invariants=[some_end],
)
"""


def test_wide_states(tmp_path: Path) -> None:
    """States of many words; both engines, and any number of threads, find the same."""
    design = design_of(tmp_path, WIDE)
    assert Layout(design.spec.domain).words > 5
    wanted = outcome(ENGINES["interpret"], design, Options(keep_going=True, max_depth=6))
    assert not isinstance(wanted, Failed)
    assert wanted["distinct"] > 150
    assert wanted["verdict"] == "violated"
    for workers in (1, 2, 5):
        options = Options(keep_going=True, max_depth=6, workers=workers)
        assert outcome(native.check, design, options) == wanted


@pytest.mark.parametrize("bits", [16, 48, 63, 64, 65, 112, 113])
def test_states_of_every_width(tmp_path: Path, bits: int) -> None:
    """At the widths where tags and words change places, all bits of a state take part in its
    identity."""
    text = f"""
class State(Struct):
    on: dict[Annotated[int, Range(0, {bits - 1})], bool]

@init
def off() -> State:
    return State({{i: False for i in range({bits})}})

@action
def flip(s: State, i: Annotated[int, Range(0, {bits - 1})]) -> None:
    s.on[i] = not s.on[i]

@invariant
def fine(s: State) -> bool:
    return not (s.on[0] and s.on[{bits - 1}])

spec = Spec(state=State, init=off, actions=[flip], invariants=[fine])
"""
    design = design_of(tmp_path, text)
    result = native.check(design, Options(keep_going=True, max_depth=3, workers=2))
    assert result.distinct == 1 + bits + bits * (bits - 1) // 2
    assert result.generated == 1 + bits + bits * bits
    assert result["fine"].trace_length == 3


def test_deep_and_narrow(tmp_path: Path, engine: str) -> None:
    """A level may hold a single state, and there may be thousands."""
    text = LINE.replace("Range(0, 9)", "Range(0, 3000)").replace("<= 9", "<= 3000")
    result = check(engine, design_of(tmp_path, text), properties=("eleven",))
    assert (result.complete, result.distinct, result.depth) == (True, 3001, 1501)


def test_deeper_than_tags_can_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The level stands in the bits that a state leaves free: what is deeper is not explored."""
    monkeypatch.setattr(layout, "MOST_TAG_BITS", 11)
    text = LINE.replace("Range(0, 9)", "Range(0, 9999)").replace("<= 9", "<= 9999")
    design = design_of(tmp_path, text)
    assert Layout(design.spec.domain).tag_bits == 11
    result = native.check(design, Options(properties=("eleven",)))
    assert (result.verdict, result.complete, result.stopped) == ("incomplete", False, "max-depth")
    assert result.depth == (1 << 11) - 1
    assert result.distinct == 2 * result.depth - 1
