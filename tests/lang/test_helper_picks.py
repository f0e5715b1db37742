"""Picks in functions that actions call: one step for each value, the same in every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specmodel.behaviour.replay import Replay
from specmodel.engines import interpret, native, smt
from specmodel.errors import SpecError, SpecmodelError
from specmodel.lang.picking import picking
from specmodel.results import Options
from specmodel.traces.notation import Notation
from tests.engines.outcomes import agreed, agreed_by_smt, outcome
from tests.written import design_of, spec_of

SPEC = """
from specmodel.lang import pick

class Node(ScalarSet, size=2, prefix="n", symmetric=True):
    "A node."

class Ask(Struct):
    by: Node
    round: Annotated[int, Range(0, 2)]

class Grant(Struct):
    to: Node

class State(Struct):
    network: Annotated[Set[Ask | Grant], Capacity(3)]
    queue: Annotated[list[Node], Capacity(2)]
    asked: Set[Node]
    holder: Node | None
    last: Ask | None

@init
def started() -> State:
    return State(network=set(), queue=[], asked=set(), holder=None, last=None)

def take(s: State, round: int) -> Ask:
    "Some request arrives."
    m = pick(s.network, Ask)
    require(m.round >= round)
    s.network -= {m}
    return m

def waiting(s: State, old: Node) -> Node:
    "Someone who has asked, and someone in the queue."
    n = pick(s.asked)
    other = pick(s.queue)
    require(n != old)
    s.queue = s.queue[1:] if other == old else [other]
    return n

def newer(s: State) -> Ask:
    if s.holder is None:
        s.last = None
    return take(s, round=1)

@action
def ask(s: State, n: Node) -> None:
    require(n not in s.asked and len(s.network) < 3)
    s.asked |= {n}
    s.network |= {Ask(n, min(len(s.queue), 2))}

@action
def receive(s: State) -> None:
    require(len(s.queue) < 2)
    m = take(s, 0)
    s.queue.append(m.by)
    s.last = m
    s.network |= {Grant(m.by)}

@action
def hand_over(s: State, n: Node) -> None:
    m = pick(s.network, Grant)
    k: Node = waiting(s, n)
    s.holder = k if m.to == n else m.to

@action
def swap(s: State) -> None:
    newer(s)
    first = pick(Node)
    waiting(s, old=first)
    n = waiting(s, first)
    m = pick(s.network)
    s.network = {m}
    s.holder = n

@invariant
def alone(s: State) -> bool:
    return s.holder is None or s.last is None or {held}

spec = Spec(state=State, init=started, actions=[ask, receive, hand_over, swap],
            invariants=[alone])
"""


def test_engines_agree(tmp_path: Path) -> None:
    """Counts, coverage and traces are those of CPython, with symmetry as well."""
    for held in ("True", "s.last.by != s.holder"):
        design = design_of(tmp_path, SPEC.replace("{held}", held))
        wanted = agreed(design, 9)
        assert isinstance(wanted, dict) and wanted["distinct"] > 50
        assert all(wanted["coverage"].values())
        options = Options(symmetry=True, max_depth=9, keep_going=True)
        assert outcome(interpret.check, design, options) == outcome(native.check, design, options)
    agreed_by_smt(design, 6)


def test_bindings(tmp_path: Path) -> None:
    """Each pick is a parameter of its action, with the name of what it is bound to, or of the pick;
    a name that is taken gets that of the function before it."""
    spec = spec_of(tmp_path, SPEC.replace("{held}", "True"))
    assert {rule.name: [*rule.parameters] for rule in spec.rules} == {
        "ask": ["n"],
        "receive": ["m"],
        "hand_over": ["n", "m", "waiting_n", "other"],
        "swap": ["newer_m", "first", "waiting_n", "other", "waiting_n_2", "waiting_other", "m"],
    }


def test_the_trace_names_the_values(tmp_path: Path) -> None:
    """A counterexample says what was taken in a function, and can be replayed."""
    design = design_of(tmp_path, SPEC.replace("{held}", "s.last.by != s.holder"))
    for check in (interpret.check, native.check, smt.check):
        trace = check(design, Options()).properties[0].trace
        assert trace is not None
        told = [Notation().step(step) for step in trace.steps]
        assert check is smt.check or told == [
            "ask(n=n1)",
            "receive(m=#1: Ask(by=n1, round=0))",
            "hand_over(n=n2, m=#1: Grant(to=n1), waiting_n=n1, other=#1: n1)",
        ]
        assert Replay(design, trace.states, ["", *told]).trace().steps == trace.steps


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for n in Node:\n        m = take(s, 0)", "outside of loops"),
        ("s.holder = take(s, 0).by", "on a line of its own"),
        ("m = take(s, 0) if s.holder is None else None", "on a line of its own"),
        ("require(take(s, 0).round > 1)", "on a line of its own"),
        ("s.asked = {take(s, 0).by for n in Node}", "on a line of its own"),
        ("s.asked |= asked_by(s)", "on a line of its own"),
        ("s.holder = waiting(s, waiting(s, Node.nth(0)))", "on a line of its own"),
        ("m = looking(s)", "outside of loops"),
    ],
)
def test_refusals(tmp_path: Path, body: str, message: str) -> None:
    """A call that picks stands where a pick may stand, alone."""
    text = f"""{SPEC.replace("{held}", "True")}
def asked_by(s: State) -> Set[Node]:
    n = pick(s.asked)
    return {{n}}

def looking(s: State) -> bool:
    while s.holder is not None:
        n = pick(s.asked)
    return True

@action
def odd(s: State) -> None:
    {body}

odder = spec.adding(actions=[odd])
"""
    spec = spec_of(tmp_path, text, "odder")
    with pytest.raises(SpecError, match=message) as caught:
        assert spec.code
    assert caught.value.span is not None


def test_bounds_of_an_annotation(tmp_path: Path) -> None:
    """A set that is passed may have ints beyond the bounds that a parameter declares: a pick from
    it would have no step for them."""
    text = f"""{SPEC.replace("{held}", "True")}
def among(s: State, rounds: Set[Annotated[int, Range(0, 1)]]) -> int:
    n = pick(rounds)
    return n

@action
def odd(s: State) -> None:
    among(s, {{m.round for m in s.network if isinstance(m, Ask)}})

odder = spec.adding(actions=[odd])
"""
    with pytest.raises(SpecError, match="a set of an int made here"):
        assert spec_of(tmp_path, text, "odder").code


def test_no_property_picks(tmp_path: Path) -> None:
    """A property has a value in each state: neither it nor what it calls chooses anything."""
    for called in ("pick(s.asked)", "waiting(s, Node.nth(0))"):
        text = f"""{SPEC.replace("{held}", "True")}
@invariant
def odd(s: State) -> bool:
    n = {called}
    return n in s.asked

odder = spec.adding(invariants=[odd])
"""
        with pytest.raises(SpecError, match="only actions pick"):
            assert spec_of(tmp_path, text, "odder").code


def test_an_expression_picks_nothing(tmp_path: Path) -> None:
    """An expression of a command line, such as one to watch, is refused a function that picks."""
    reader = spec_of(tmp_path, SPEC.replace("{held}", "True")).expressions()
    with pytest.raises(SpecmodelError, match="only actions pick"):
        reader.read("waiting(state, Node.nth(0))")


def test_a_picked_value_stays_as_it_is(tmp_path: Path) -> None:
    """What a function gives back of a pick cannot be changed either, in no engine."""
    text = SPEC.replace("{held}", "True").replace("    s.last = m\n", "    m.round = 0\n")
    design = design_of(tmp_path, text)
    with pytest.raises(SpecError, match="cannot change"):
        interpret.check(design, Options())
    with pytest.raises(SpecError, match="part of something else"):
        native.check(design, Options())


def test_in_a_test_of_ones_own(tmp_path: Path) -> None:
    """`picking` says what the functions take that an action calls, in order."""
    spec = spec_of(tmp_path, SPEC.replace("{held}", "True"))
    ask, receive, *_ = spec.actions
    state: Any = spec.init()
    (node, _) = spec.domain.fields["asked"].parts[0].values()
    ask(state, node)
    (message,) = state.network
    with picking(message):
        receive(state)
    assert state.queue == [node] and state.last == message
