"""Actions with many bindings run as loops: what they do is what each binding does."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import pytest

from specmodel.analysis.simulation import simulate
from specmodel.engines import native, smt
from specmodel.errors import SpecError
from specmodel.ir.layout import codes_of
from specmodel.ir.symbolic.graph import Graph
from specmodel.kernel import program
from specmodel.kernel.loops import decided_first
from specmodel.kernel.program import Program
from specmodel.lang.spec import Spec
from specmodel.options import Options
from specmodel.suite.targets import load_target, spec_of
from specmodel.walks.plan import WalkPlan
from tests.engines.outcomes import agreed
from tests.kernel.reference import reachable_states
from tests.kernel.test_counting import assert_counts
from tests.written import design_of

PARAMETERS = """
class Node(ScalarSet, size=2, prefix="n"):
    "A node."

class Color(Enum):
    red = 1
    green = 2
    blue = 3

class Pair(Struct):
    low: Annotated[int, Range(-2, 1)]
    of: Node | None

class State(Struct):
    total: Annotated[int, Range(-40, 40)]
    seen: Set[Node]
    color: Color
    held: dict[Node, Pair]
    list: Annotated[list[Pair], Capacity(2)]

@init
def started() -> State:
    return State(
        total=0, seen=set(), color=Color.red, held={n: Pair(0, None) for n in Node}, list=[])

@action
def add(s: State, by: Annotated[int, Range(-3, 4)], c: Color, again: bool) -> None:
    require(c != s.color and by % 3 == s.total % 2)
    s.color = c
    s.total += by * (2 if again else 1) // (s.total + 1)

@action
def mark(s: State, nodes: Set[Node], n: Node | None) -> None:
    require(len(nodes) > len(s.seen) or n in nodes)
    s.seen = nodes - s.seen if n is None else nodes | {n}

@action
def hold(s: State, n: Node, p: Pair) -> None:
    require(p.low != s.held[n].low and s.total > -3)
    s.held[n] = p
    if p.of == n and len(s.list) < 2:
        s.list.append(p)

@action
def take(s: State, i: Annotated[int, Range(0, 3)]) -> None:
    require(i <= len(s.list))
    s.held[Node.nth(0)] = s.list[i]
    del s.list[i:]

@action
def count(s: State, to: Annotated[int, Range(0, 9)]) -> None:
    require(s.color == Color.blue)
    for i in range(to * 1000, to * 1000 + 2):
        s.total += i % 3

@invariant
def small(s: State) -> bool:
    return s.total < 9

@transition
def slow(before: State, after: State) -> bool:
    return len(before.seen) < 2 or len(after.seen) > 0

spec = Spec(state=State, init=started, actions=[add, mark, hold, take, count], invariants=[small],
            transitions=[slow])
"""

MANY = """
class State(Struct):
    at: Annotated[int, Range(0, {top})]
    steps: Annotated[int, Range(0, 9)]

@init
def started() -> State:
    return State(at=0, steps=0)

@action
def wait(s: State) -> None:
    require(s.at == 0 and s.steps < 3)
    s.steps += 1

@action
def jump(s: State, to: Annotated[int, Range(0, {top})], twice: bool) -> None:
    "Goes on to a multiple of 40,000."
    require(to % 40_000 == 7 and to > s.at)
    s.at = to
    s.steps += 2 if twice else 1

@invariant
def near(s: State) -> bool:
    return s.at < 60_000 or s.steps == 3

spec = Spec(state=State, init=started, actions=[wait, jump], invariants=[near])
"""


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every action is a loop."""
    monkeypatch.setattr(program, "MOST_UNROLLED", 0)


def unrolled(spec: Spec) -> list[str]:
    """The actions whose bindings are written one by one."""
    moves = Program(spec, ()).moves(loops=True)
    return sorted({spec.rules[move.action].name for move in moves if not move.sizes})


@pytest.mark.usefixtures("loops")
def test_parameters_of_all_kinds(tmp_path: Path) -> None:
    """Failures, coverage, traces and counts are those of the interpreter."""
    design = design_of(tmp_path, PARAMETERS)
    assert unrolled(spec_of(design.spec)) == ["count"]  # a range of 9,002 is too long
    agreed(design, 3)
    sound = PARAMETERS.replace("i <= len(", "i < len(").replace("s.total + 1)", "s.total * 2 + 1)")
    assert isinstance(agreed(design_of(tmp_path, sound), 4), dict)


@pytest.mark.usefixtures("loops")
def test_counts_of_points(tmp_path: Path) -> None:
    """Each point of the code counts once for each binding that comes to it."""
    for text in (PARAMETERS, MANY.replace("{top}", "9").replace("40_000", "4")):
        spec = spec_of(design_of(tmp_path, text).spec)
        assert_counts(spec, reachable_states(spec, 60))


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("name", ["raft", "paxos", "ewd998", "two-phase-messages"])
def test_shipped_designs(name: str) -> None:
    """Picks too are parameters."""
    assert isinstance(agreed(load_target(name, {}), 6), dict)


def test_codes_are_in_the_order_of_bindings(tmp_path: Path) -> None:
    """The parameters of a binding are the digits of its number."""
    spec = spec_of(design_of(tmp_path, PARAMETERS).spec)
    for rule in spec.rules:
        made = [
            [
                c
                for d, v in zip(rule.parameters.values(), values, strict=True)
                for c in codes_of(d, v)
            ]
            for values in rule.bindings()
        ]
        assert made == sorted(made)


def test_what_is_decided_first() -> None:
    """Short conditions without which none of several others can hold, and only those."""
    g = Graph()
    a, b, c, d = (g.eq(g.leaf(i, 5), g.int(i)) for i in range(4))
    long = g.lt(g.int(9), reduce(g.add, (g.leaf(i, 5) for i in range(60))))
    assert decided_first([g.both(a, b), g.false, g.either(g.both(a, c), g.both(d, a))]) == [a]
    assert decided_first([g.both(a, long)]) == [a]
    assert decided_first([g.either(a, g.both(b, a), c)]) == []
    assert decided_first([g.false]) == []


def test_more_than_can_be_written(tmp_path: Path) -> None:
    """200,000 bindings: the first of the least is reported, and all are counted."""
    design = design_of(tmp_path, MANY.replace("{top}", "99_999"))
    found = native.check(design, Options(keep_going=True))
    (near,) = found.properties
    assert near.trace is not None
    assert [str(step) for step in near.trace.steps] == ["jump(to=80007, twice=False)"]
    stops = (7, 40_007, 80_007)
    states, todo = {(0, 0)}, [(0, 0)]
    for at, steps in todo:
        waited = [(0, steps + 1)] if at == 0 and steps < 3 else []
        jumped = [(to, steps + n) for to in stops if to > at for n in (1, 2)]
        new = [state for state in (*waited, *jumped) if state not in states]
        states.update(new)
        todo += dict.fromkeys(new)
    assert found.distinct == len(states)
    many = "jump has 200,000 bindings: more than 65,536"
    with pytest.raises(SpecError, match=many):
        smt.check(design, Options())
    with pytest.raises(SpecError, match=many):
        simulate(design, WalkPlan(walks=4, depth=9, seed=1))
    with pytest.raises(SpecError, match="without --partial-order"):
        native.check(design, Options(partial_order=True))


def test_what_a_loop_cannot_do(tmp_path: Path) -> None:
    """A parameter that has to be known is refused where the bindings are too many."""
    text = MANY.replace("{top}", "99_999").replace(
        "    s.at = to\n", "    s.at = sum(i for i in range(to))\n"
    )
    with pytest.raises(SpecError, match="this loop has no small bound"):
        native.check(design_of(tmp_path, text), Options())
