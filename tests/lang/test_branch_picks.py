"""Picks that some paths of an action do not reach: one step where they are not reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.behaviour.replay import Replay
from specmodel.domains import Position
from specmodel.engines import interpret, native, smt
from specmodel.errors import SpecError
from specmodel.ir.guards import Guards
from specmodel.lang.picking import picking
from specmodel.results import Options, SpecFailure
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences
from tests.engines.outcomes import Failed, agreed, agreed_by_smt, outcome
from tests.written import design_of, spec_of

SPEC = """
from specmodel.lang import pick

class Node(ScalarSet, size=2, prefix="n", symmetric=True):
    "A node."

class Ask(Struct):
    by: Node

class Vote(Struct):
    to: Node
    voters: Set[Node]

class Hint(Struct):
    of: Node

class State(Struct):
    network: Annotated[Set[Ask | Vote | Hint], Capacity(2)]
    queue: Annotated[list[Node], Capacity(2)]
    rest: Annotated[list[Node], Capacity(2)]
    asked: Set[Node]
    holder: Node | None
    count: Annotated[int, Range(0, 3)]

@init
def started() -> State:
    return State(network=set(), queue=[], rest=[], asked=set(), holder=None, count=0)

def send(s: State, m: Ask | Vote | Hint) -> None:
    require(len(s.network) < 2)
    s.network |= {m}

@action
def ask(s: State, n: Node) -> None:
    require(n not in s.asked)
    s.asked |= {n}
    send(s, Ask(n))

@action
def receive(s: State) -> None:
    m = pick(s.network)
    s.network -= {m}
    match m:
        case Ask(by):
            other = pick(Node)
            send(s, Vote(by, {by, other}))
        case Vote(to, voters) if s.holder is None:
            v = pick(voters)
            s.holder = v
            if v != to:
                send(s, Hint(to))
        case Vote():
            if len(s.queue) < 2:
                s.queue = s.queue + [m.to]
        case Hint(of):
            one = pick(s.asked)
            s.asked -= {one}
            if one == of:
                return
            late = pick(s.asked, Node)
            s.holder = late

def drawn(s: State, wanted: int) -> Node:
    if wanted == 0:
        n = pick(s.asked)
        return n
    n = pick(s.queue)
    if n not in s.asked:
        extra = pick(s.rest)
        s.rest = [k for k in s.rest if k != extra]
        return extra
    return n

@action
def move(s: State) -> None:
    require(s.queue)
    if s.holder in s.asked:
        n = drawn(s, s.count % 2)
        s.holder = None
    else:
        n = pick(s.queue)
        if len(s.rest) < 2:
            s.rest = s.rest + [n]
    {stored}
    s.queue = [k for k in s.queue if k != n]

@invariant
def alone(s: State) -> bool:
    return {held}

spec = Spec(state=State, init=started, actions=[ask, receive, move], invariants=[alone])
"""


def written(held: str = "True", stored: str = "s.count = min(s.count + 1, 3)") -> str:
    return SPEC.replace("{held}", held).replace("{stored}", stored)


@pytest.mark.parametrize("held", ["True", "s.holder is None or not s.rest"])
def test_engines_agree(tmp_path: Path, held: str) -> None:
    """Counts, coverage and traces are those of CPython, with symmetry as well."""
    design = design_of(tmp_path, written(held))
    wanted = agreed(design, 12)
    assert isinstance(wanted, dict) and wanted["distinct"] > 100
    assert all(wanted["coverage"].values())
    options = Options(symmetry=True, max_depth=12, keep_going=True)
    assert outcome(interpret.check, design, options) == outcome(native.check, design, options)
    agreed_by_smt(design, 5)


def test_a_failure_is_the_same(tmp_path: Path) -> None:
    """The first binding that fails is the one without values for what is not reached."""
    design = design_of(tmp_path, written(stored="s.count = s.count + 2"))
    for options in (Options(), Options(workers=1)):
        failed = outcome(interpret.check, design, options)
        assert isinstance(failed, Failed)
        assert outcome(native.check, design, options) == failed
    with pytest.raises(SpecFailure, match="count"):
        smt.check(design, Options(max_depth=12))


def test_bindings(tmp_path: Path) -> None:
    """Branches share a parameter if they pick from the same values, and need not reach it."""
    spec = spec_of(tmp_path, written())
    shown = {r.name: {n: str(d) for n, d in r.parameters.items()} for r in spec.rules}
    assert shown == {
        "ask": {"n": "Node"},
        "receive": {"m": "#1..#2", "other": "Node | None", "late": "Node | None"},
        "move": {"drawn_n": "Node | None", "n_2": "#1..#2 | None", "extra": "#1..#2 | None"},
    }


def test_one_step_where_nothing_is_picked(tmp_path: Path) -> None:
    """A branch without picks is one step, so that states and steps are as many as in CPython."""
    design = design_of(tmp_path, written("s.holder is None"))
    for check in (interpret.check, native.check):
        trace = check(design, Options()).properties[0].trace
        assert trace is not None
        told = [Notation().step(step) for step in trace.steps]
        assert told == [
            "ask(n=n1)",
            "receive(m=#1: Ask(by=n1), other=n1, late=None)",
            "receive(m=#1: Vote(to=n1, voters={n1}), other=n1, late=None)",
        ]
        assert Replay(design, trace.states, ["", *told]).trace().steps == trace.steps


def test_in_a_test_of_ones_own(tmp_path: Path) -> None:
    """`picking` gives the values of the picks that are reached, in their order."""
    spec = spec_of(tmp_path, written())
    cls = spec.domain.cls
    node = spec.domain.fields["asked"].parts[0].at(0)
    state = cls(network=set(), queue=[node], rest=[], asked={node}, holder=node, count=0)
    with picking(node):
        spec.function("move")(state)
    assert state.holder is None and state.queue == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if s.rest:\n        n = pick(MAYBE)", "may be None stands outside of conditions"),
        ("if s.rest:\n        n = some(s)", "may be None stands outside of conditions"),
        ("if s.rest:\n        n = pick(Node)\n    s.holder = n", "local variable 'n'"),
        ("if s.rest:\n        a = pick(Node) if s.queue else None", "on a line of its own"),
    ],
)
def test_refusals(tmp_path: Path, body: str, message: str) -> None:
    """None among the values would be no other than None for no pick; a path may give no value."""
    text = f"""{written()}
MAYBE = {{None, Node.nth(0)}}

def some(s: State) -> Node | None:
    n = pick(MAYBE)
    return n

@action
def odd(s: State) -> None:
    {body}

odder = spec.adding(actions=[odd])
"""
    with pytest.raises(SpecError, match=message):
        native.check(design_of(tmp_path, text, "odder"), Options())


def test_why_a_binding_is_no_step(tmp_path: Path) -> None:
    """A value for a pick that is not reached, and None for one that is, are said in words."""
    spec = spec_of(tmp_path, written())
    cls = spec.domain.cls
    node = spec.domain.fields["asked"].parts[0].at(0)
    state = cls(network=set(), queue=[node], rest=[], asked={node}, holder=None, count=0)
    stored = spec.domain.store(state, "state")
    said = {
        arguments: [Sentences(Notation()).why(g.why) for g in read.false]
        for arguments in ((None, None, None), (node, Position(0), None), (None, Position(0), None))
        for read in [Guards(spec.code).read("move", stored, arguments)]
    }
    assert list(said.values()) == [
        ["the action picks a value here, and n_2 is None"],
        ["the action does not pick here, and drawn_n is n1"],
        [],
    ]
