"""`pick`: one step for each value of a list or set of the state, the same in every engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.behaviour.replay import Replay
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.engines import interpret, native, smt
from specmodel.errors import Disabled, SpecError
from specmodel.lang.picking import pick, picking
from specmodel.results import Options
from specmodel.testing import assert_behaviour
from specmodel.traces.notation import Notation
from tests.engines.outcomes import agreed, outcome
from tests.written import design_of, spec_of

NETWORK = """
from specmodel.lang import pick

class Node(ScalarSet, size=3, prefix="n", symmetric=True):
    "A node."

class Kind(Enum):
    ask = 1
    grant = 2

class Message(Struct):
    kind: Kind
    to: Node

class State(Struct):
    network: Annotated[list[Message], Capacity(3)]
    asked: Set[Node]
    holder: Node | None

@init
def started() -> State:
    return State(network=[], asked=set(), holder=None)

@action
def ask(s: State, n: Node) -> None:
    require(n not in s.asked and len(s.network) < 3)
    s.asked |= {n}
    s.network.append(Message(Kind.ask, n))

@action
def receive(s: State) -> None:
    m = pick(s.network)
    s.network = [other for other in s.network if other != m]
    if m.kind == Kind.ask:
        s.network.append(Message(Kind.grant, m.to))
    else:
        s.holder = m.to

@action
def give_up(s: State) -> None:
    n = pick(s.asked)
    require(s.holder == n)
    s.asked -= {n}

@invariant
def free(s: State) -> bool:
    return s.holder is None

@invariant
def few(s: State) -> bool:
    return len(s.network) <= 3

@reachable
def held(s: State) -> bool:
    return s.holder is not None

spec = Spec(state=State, init=started, actions=[ask, receive, give_up], invariants=[{invariants}],
            reachable=[held])
"""


def network(folder: Path, invariants: str = "few") -> Design:
    return design_of(folder, NETWORK.replace("{invariants}", invariants))


@pytest.mark.parametrize(
    "options", [Options(), Options(symmetry=True), Options(workers=1)], ids=str
)
def test_engines_agree(tmp_path: Path, options: Options) -> None:
    """Counts, coverage and traces are the interpreter's, also up to the names of nodes."""
    options = replace(options, keep_going=True)
    for invariants in ("few", "free"):
        design = network(tmp_path, invariants)
        wanted = outcome(interpret.check, design, options)
        assert outcome(native.check, design, options) == wanted


def test_one_step_for_each_element(tmp_path: Path) -> None:
    """In a state with two messages `receive` leads to two states; in one with none, to none."""
    interpreter = Interpreter(network(tmp_path).spec)

    def taken(state: Any) -> list[str]:
        return [str(interpreter.step(number)) for number, _ in interpreter.successors(state)]

    (state,) = interpreter.initial()
    assert taken(state) == [f"ask(n=n{i})" for i in (1, 2, 3)]
    for step in ("ask(n=n2)", "ask(n=n1)"):
        state = interpreter.successor(state, interpreter.numbers[step])
    assert taken(state) == ["ask(n=n3)", "receive(m=#1)", "receive(m=#2)"]


def test_the_trace_names_the_value(tmp_path: Path) -> None:
    """A counterexample says which message was taken, in every engine, and can be replayed."""
    design = network(tmp_path, "free")
    told: list[list[str]] = []
    for check in (interpret.check, native.check, smt.check):
        trace = check(design, Options()).properties[0].trace
        assert trace is not None
        told.append([Notation().step(step) for step in trace.steps])
        again = Replay(design, trace.states, ["", *told[-1]]).trace()
        assert again.steps == trace.steps
    assert (
        told[0]
        == told[1]
        == told[2]
        == [
            "ask(n=n1)",
            "receive(m=#1: Message(kind=ask, to=n1))",
            "receive(m=#1: Message(kind=grant, to=n1))",
        ]
    )
    assert_behaviour(design, *told[0], violates="free")
    assert_behaviour(design, "ask(n=n1)", "receive(m=#1)", "receive(m=#1)", violates="free")


def test_a_picked_value_stays_as_it_is(tmp_path: Path) -> None:
    """It cannot be changed, in no engine: it is a copy."""
    text = NETWORK.replace("{invariants}", "few")
    changing = text.replace("    if m.kind == Kind.ask:", "    m.kind = Kind.ask\n    if True:")
    design = design_of(tmp_path, changing)
    with pytest.raises(SpecError, match="cannot change"):
        interpret.check(design, Options())
    with pytest.raises(SpecError, match="what was picked"):
        native.check(design, Options())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for n in Node:\n        m = pick(s.network)", "outside of loops"),
        ("s.holder = pick(s.network).to", "on a line of its own"),
        ("require(pick(s.network).to == s.holder)", "on a line of its own"),
        ("s.holder = pick(s.asked)", "gives a name its first value"),
        ("m = None\n    m = pick(s.network)", "the type of m is unknown"),
        ("n = Kind.ask\n    n = pick(s.asked)", "gives a name its first value"),
        ("m = pick([x for x in s.network])", "made here"),
        ("m = pick(s.network[1:])", "made here"),
        ("m = pick({1, 2})", "made here"),
        ("m = pick(s.holder)", "made here"),
    ],
)
def test_refusals(tmp_path: Path, body: str, message: str) -> None:
    """What is not one step for each value is refused, with its place."""
    text = (
        NETWORK.replace("{invariants}", "few")
        + f"""
@action
def odd(s: State) -> None:
    {body}

odder = spec.adding(actions=[odd])
"""
    )
    spec = spec_of(tmp_path, text, "odder")
    with pytest.raises(SpecError, match=message) as caught:
        assert spec.code
    assert caught.value.span is not None and caught.value.span.line > text.count("def odd")


def test_in_a_test_of_ones_own(tmp_path: Path) -> None:
    """`picking` says what the action takes; without it, or with another value, there is no step."""
    spec = spec_of(tmp_path, NETWORK.replace("{invariants}", "few"))
    (ask, receive, _), state = spec.actions, spec.init()
    ask(state, next(iter(spec.domain.fields["asked"].parts[0].values())))
    message = state.network[0]
    with pytest.raises(SpecError, match="with picking"):
        receive(state)
    with picking(message):
        receive(state)
    assert [str(m.kind) for m in state.network] == ["Kind.grant"]
    with picking(message), pytest.raises(Disabled):
        receive(state)

    def picks_twice() -> None:
        pick([1])
        pick([1])

    with picking(1), pytest.raises(SpecError, match="picks once more"):
        picks_twice()


def test_fairness_is_not_per_place(tmp_path: Path) -> None:
    """Places of a list are no parameters: a message moves from one to the next."""
    text = (
        NETWORK.replace("{invariants}", "few")
        + """
from specmodel.lang import weak
fair = spec.under(weak(receive, per="m"))
"""
    )
    with pytest.raises(SpecError, match='no parameter "m"'):
        spec_of(tmp_path, text, "fair")


CLASSES = """
from specmodel.lang import Bag, pick

class Node(ScalarSet, size=2, prefix="n"):
    "A node."

class Ask(Struct):
    sender: Node

class Grant(Struct):
    to: Node
    number: Annotated[int, Range(0, 1)]

class Done(Struct):
    pass

Message = Ask | Grant | Done

class State(Struct):
    network: {network}
    holder: Node | None
    told: bool

@init
def started() -> State:
    return State(network={start}, holder=None, told=False)

@action
def send(s: State, n: Node, far: bool) -> None:
    require(len(s.network) < 3)
    s.network {add}
    s.network {add_done}

@action
def receive(s: State) -> None:
    m = pick(s.network, Grant)
    s.holder = m.to if m.number == 1 else None

@action
def note(s: State) -> None:
    m = pick(s.network, Ask, Done)
    s.told = not isinstance(m, Done) and m.sender == s.holder

@reachable
def held(s: State) -> bool:
    return s.told

spec = Spec(state=State, init=started, actions=[send, receive, note], reachable=[held])
"""

KINDS = {
    "list": ("Annotated[list[Message], Capacity(5)]", "[]", "+= [{}]"),
    "slots": ("Annotated[Set[Message], Capacity(5)]", "set()", "|= {{{}}}"),
    "bits": ("Set[Message]", "set()", "|= {{{}}}"),
    "bag": ("Annotated[Bag[Message], Capacity(5)]", "Bag()", "+= {{{}}}"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_classes(tmp_path: Path, kind: str) -> None:
    """With classes there is no step for values of others, in any engine and collection."""
    network, start, add = KINDS[kind]
    text = CLASSES.replace("{network}", network).replace("{start}", start)
    text = text.replace("{add}", add.format("Ask(n) if far else Grant(n, 1)"))
    text = text.replace("{add_done}", add.format("Done()"))
    design = design_of(tmp_path, text)
    wanted = agreed(design, 4)
    assert isinstance(wanted, dict) and wanted["distinct"] > 15
    if kind == "bits":  # a step for each value of the class alone
        names = [rule.name for rule, _ in Interpreter(design.spec).bindings]
        assert names.count("receive") == 4 and names.count("note") == 3
