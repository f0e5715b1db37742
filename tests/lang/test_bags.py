"""Bags: any domain, members with the number of their copies, the same in every engine."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.domains import Bag, BagDomain, IntDomain
from specmodel.domains.records import Record
from specmodel.engines import interpret, native
from specmodel.errors import DomainError, SpecError
from specmodel.ir.layout import Layout
from specmodel.lang.picking import picking
from specmodel.results import Options
from specmodel.space.types import described, domain_of
from specmodel.traces.itf_values import decode, encode
from specmodel.traces.notation import Notation
from tests.engines.outcomes import agreed, agreed_by_smt, outcome
from tests.written import design_of, spec_of

SPEC = """
from specmodel.lang import Bag, pick

Number = Annotated[int, Range(0, 2**20)]

class Node(ScalarSet, size=2, prefix="n"):
    "A node."

class Message(Struct):
    sender: Node
    number: Number
    to: Node | None = None

class Holder(Struct):
    held: Annotated[Bag[Node | None], Capacity(2)]

class State(Struct):
    network: Annotated[Bag[Message], Capacity(3)]
    seen: Annotated[Bag[Message], Capacity(2)]
    numbers: Annotated[Bag[Number], Capacity(4)]
    flags: Annotated[Bag[bool], Capacity(3)]
    pairs: dict[Node, Annotated[Bag[Message], Capacity(1)]]
    holders: Annotated[list[Holder], Capacity(1)]
    last: Annotated[Bag[Node], Capacity(2)] | None

EMPTY: Bag[Message] = Bag()

@init
def started() -> State:
    return State(
        network=Bag(), seen=EMPTY, numbers=Bag([7, 5, 7]), flags=Bag(),
        pairs={n: Bag() for n in Node}, holders=[], last=None)

@action
def send(s: State, n: Node, far: bool) -> None:
    require(len(s.network) < 3)
    m = Message(n, 1048576 if far else 3)
    s.network += Bag([m]) if s.network else Bag([m, m])
    s.network += {m} - {m}
    s.flags = Bag(x.number > 3 for x in s.network)

@action
def take(s: State) -> None:
    m = pick(s.network)
    require(s.seen[m] < 2 and len(s.seen) < 2)
    s.network -= {m}
    s.seen = s.seen + Bag([m])
    s.pairs[m.sender] = Bag({x for x in s.network if x != m and x == first_of(s)})
    s.numbers = s.numbers - Bag([5, m.number]) + {m.number} - {8}
    if s.holders:
        s.holders[0].held += {m.to}
        s.holders[0].held -= {m.sender}
    else:
        s.holders.append(Holder(Bag([m.sender])))
    s.last = Bag([m.sender, Node.nth(0)])

def first_of(s: State) -> Message:
    found: Message = Message(Node.nth(0), 0)
    for x in s.network:
        found = x
        break
    return found

@action
def mix(s: State, swap: bool) -> None:
    both = s.network - s.seen
    other = s.seen - s.network
    require(both != other and s.last is not None)
    if swap:
        s.network, s.seen = s.seen, Bag(s.seen)
    elif not s.seen or s.network == s.seen:
        s.seen -= s.network
    many: Annotated[list[Message], Capacity(3)] = []
    for x in s.network:
        if s.network[x] > 1:
            many.append(x)
    s.numbers = Bag([len(many), len(s.last), len(list(s.network))])
    s.pairs = {n: Bag() for n in Node}
    s.holders = []

@invariant
def few(s: State) -> bool:
    copies = sum(x.number * s.network[x] for x in s.network)
    return copies < {limit} and all(x in s.network for x in s.network)

@reachable
def full(s: State) -> bool:
    return len(s.network) == 3 and max(s.numbers) > 7 and any(s.network[m] == 2 for m in s.network)

spec = Spec(state=State, init=started, actions=[send, take, mix], invariants=[few],
            reachable=[full])
"""


class BagHolder(Record):
    """A state with one bag."""


@pytest.mark.parametrize("limit", ["1073741824", "3145728"])
def test_engines_agree(tmp_path: Path, limit: str) -> None:
    """Counts, coverage and traces are those of the interpreter, with one worker and with two."""
    text = SPEC.replace("{limit}", limit)
    design = design_of(tmp_path, text)
    wanted = agreed(design, 4)
    assert isinstance(wanted, dict) and wanted["distinct"] > 50
    agreed_by_smt(design, 4)


def test_packed_order_is_the_domains() -> None:
    """Equal bags are equal words, and words compare as the domain orders bags."""
    domain = BagDomain(IntDomain(0, 3), 2)
    pairs = product([None, 0, 1, 2, 3], repeat=2)
    bags = {Bag(x for x in pair if x is not None) for pair in pairs}
    stored = sorted((domain.store(held, "x") for held in bags), key=domain.index)
    assert len({domain.index(held) for held in stored}) == len(stored) == 15
    layout = Layout(BagHolder.declare({"held": domain}))
    words = [layout.pack(BagHolder(held=held)) for held in stored]
    assert words == sorted(words) and len({*words}) == 15
    assert [layout.unpack(word).held for word in words] == stored
    for held in stored:
        assert decode(domain, encode(domain, held), "x") == held
    with pytest.raises(DomainError, match="3 members exceed the capacity 2"):
        domain.store(Bag([1, 1, 2]), "x")
    assert domain_of(described(domain)) == domain


def test_values() -> None:
    """A bag counts copies, goes through each member once in order, and never goes below none."""
    held = Bag([3, 1, 3])
    assert list(held) == [1, 3] and len(held) == 3 and held[3] == 2 and held[2] == 0
    assert held == Bag([3, 3, 1]) and hash(held) == hash(Bag([3, 3, 1])) and held != {1, 3}
    assert held + {3} == Bag([3, 3, 3, 1]) and held + Bag([2, 2]) == Bag([1, 2, 2, 3, 3])
    assert held - {3, 4} == Bag([1, 3]) and held - Bag([3, 3, 3]) == Bag([1])
    assert Notation().value(held) == repr(held) == "{1: 1, 3: 2}"
    assert Bag(held) == held and not Bag[int]()


def test_beyond_the_capacity(tmp_path: Path) -> None:
    """A bag that gets too many copies ends the search with the place and the trace."""
    text = SPEC.replace("{limit}", "1073741824")
    text = text.replace("require(len(s.network) < 3)", "pass")
    design = design_of(tmp_path, text)
    wanted = outcome(interpret.check, design, Options())
    assert "4 members exceed the capacity 3" in str(wanted)
    assert outcome(native.check, design, Options()) == wanted


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("Bag", r"a bag needs a capacity"),
        ("Set[Annotated[Bag[Message], Capacity(2)]]", "a bag lies within a set, in a bag"),
        ("Annotated[Bag[Annotated[Bag[Node], Capacity(1)]], Capacity(2)]", "lies within a set"),
        ("dict[Annotated[Bag[Node], Capacity(1)], bool]", "a bag lies within a set"),
    ],
)
def test_refused_types(tmp_path: Path, annotation: str, message: str) -> None:
    """What has no order is refused where it is declared, as is a bag of nothing known."""
    text = SPEC.replace("{limit}", "1").replace("pairs:", f"odd: {annotation}\n    pairs:")
    with pytest.raises(SpecError, match=message):
        spec_of(tmp_path, text)


def test_no_parameter(tmp_path: Path) -> None:
    """There is no step for each bag: the message names `pick`."""
    text = SPEC.replace("{limit}", "1").replace(
        "def mix(s: State, ", "def mix(s: State, bags: Annotated[Bag[Node], Capacity(1)], "
    )
    with pytest.raises(SpecError, match="too many bags to make a step of each"):
        Interpreter(spec_of(tmp_path, text))


def test_picking_in_a_unit_test(tmp_path: Path) -> None:
    """A test that calls the action says which member it takes, however many copies there are."""
    spec = spec_of(tmp_path, SPEC.replace("{limit}", "1"))
    send, take = spec.actions[:2]
    state = next(iter(Interpreter(spec).initial()))
    node = next(iter(state.pairs))
    send(state, node, False)
    (message,) = state.network
    with picking(message):
        take(state)
    assert state.network[message] == state.seen[message] == 1
