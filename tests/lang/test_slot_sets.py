"""Sets with a capacity: any domain, the operators of all sets, the same in every engine."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.domains import IntDomain, SlotSetDomain
from specmodel.domains.records import Record
from specmodel.engines import interpret, native
from specmodel.errors import DomainError, SpecError
from specmodel.ir.layout import Layout
from specmodel.results import Options
from specmodel.traces.itf_values import decode, encode
from tests.engines.outcomes import agreed, agreed_by_smt, outcome
from tests.written import design_of, spec_of

SPEC = """
from specmodel.lang import pick

Number = Annotated[int, Range(0, 2**20)]

class Node(ScalarSet, size=2, prefix="n"):
    "A node."

class Message(Struct):
    sender: Node
    number: Number
    to: Node | None = None

class State(Struct):
    network: Annotated[Set[Message], Capacity(3)]
    seen: Annotated[Set[Message], Capacity(2)]
    numbers: Annotated[Set[Number], Capacity(3)]
    pairs: dict[Node, Annotated[Set[Message], Capacity(1)]]

@init
def started() -> State:
    return State(network=set(), seen=set(), numbers={7, 5}, pairs={n: set() for n in Node})

@action
def send(s: State, n: Node, far: bool) -> None:
    require(len(s.network) < 3)
    s.network |= {Message(n, 1048576 if far else 3), Message(n, 1, n)} if not s.network else {
        Message(n, 4)}

@action
def take(s: State) -> None:
    m = pick(s.network)
    require(m not in s.seen)
    s.network -= {m}
    if len(s.seen) < 2:
        s.seen |= {m}
    s.pairs[m.sender] = {x for x in s.network if x.number < m.number and x == min_of(s)}
    s.numbers = s.numbers & {5, m.number} | {m.number}

def min_of(s: State) -> Message:
    found: Message = Message(Node.nth(0), 0)
    for x in s.network:
        found = x
        break
    return found

@action
def mix(s: State) -> None:
    both = s.network & s.seen
    either = s.network ^ s.seen
    require(len(s.network | s.seen) <= 3 and not both == either)
    s.network, s.seen = either, both
    if s.seen <= s.network or s.seen < s.network or s.network.isdisjoint(s.seen):
        s.numbers ^= {7}

@invariant
def few(s: State) -> bool:
    return sum(x.number for x in s.network) < {limit} and all(x in s.network for x in s.network)

@reachable
def full(s: State) -> bool:
    return len(s.network) == 3 and max(s.numbers) > 7

spec = Spec(state=State, init=started, actions=[send, take, mix], invariants=[few],
            reachable=[full])
"""


class Holder(Record):
    """A state with one set."""


@pytest.mark.parametrize("limit", ["1073741824", "2097152"])
def test_engines_agree(tmp_path: Path, limit: str) -> None:
    """Counts, coverage and traces are those of the interpreter, with one worker and with two."""
    text = SPEC.replace("{limit}", limit)
    design = design_of(tmp_path, text)
    wanted = agreed(design, 4)
    assert isinstance(wanted, dict) and wanted["distinct"] > 50
    agreed_by_smt(design, 4)


def test_packed_order_is_the_domains() -> None:
    """Equal sets are equal words, and words compare as the domain orders sets."""
    domain = SlotSetDomain(IntDomain(0, 3), 2)
    pairs = product([None, 0, 1, 2, 3], repeat=2)
    sets = {frozenset(x for x in pair if x is not None) for pair in pairs}
    stored = sorted((domain.store(held, "x") for held in sets), key=domain.index)
    assert len({domain.index(held) for held in stored}) == len(stored) == 11
    layout = Layout(Holder.declare({"held": domain}))
    words = [layout.pack(Holder(held=held)) for held in stored]
    assert words == sorted(words) and len({*words}) == 11
    assert [layout.unpack(word).held for word in words] == stored
    for held in stored:
        assert decode(domain, encode(domain, held), "x") == held
    with pytest.raises(DomainError, match="3 members exceed the capacity 2"):
        domain.store({1, 2, 3}, "x")


def test_beyond_the_capacity(tmp_path: Path) -> None:
    """A set that gets too large ends the search with the place and the trace, in both engines."""
    text = SPEC.replace("{limit}", "1073741824")
    text = text.replace("require(len(s.network) < 3)", "pass")
    design = design_of(tmp_path, text)
    wanted = outcome(interpret.check, design, Options())
    assert "exceed the capacity 3" in str(wanted)
    assert outcome(native.check, design, Options()) == wanted


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("Set[Annotated[Set[Message], Capacity(2)]]", "lies within a set, in a bag"),
        ("Annotated[Set[Annotated[Set[Node], Capacity(1)]], Capacity(2)]", "lies within a set"),
        ("dict[Annotated[Set[Node], Capacity(1)], bool]", "or in a map"),
    ],
)
def test_refused_types(tmp_path: Path, annotation: str, message: str) -> None:
    """What has no order is refused where it is declared."""
    text = SPEC.replace("{limit}", "1").replace("pairs:", f"odd: {annotation}\n    pairs:")
    with pytest.raises(SpecError, match=message):
        spec_of(tmp_path, text)


def test_no_parameter(tmp_path: Path) -> None:
    """There is no step for each set of so many: the message names `pick`."""
    text = SPEC.replace("{limit}", "1").replace(
        "def mix(s: State)", "def mix(s: State, sets: Annotated[Set[Node], Capacity(1)])"
    )
    with pytest.raises(SpecError, match="too many sets to make a step of each"):
        Interpreter(spec_of(tmp_path, text))


WIDE = """
class Given(Struct):
    places: Set[Annotated[int, Range(0, 39)]]

class Nothing(Struct):
    on: bool

class State(Struct):
    held: Annotated[Set[Given | Nothing], Capacity(2)]
    last: Given | Nothing | None

@init
def start() -> State:
    return State(held=set(), last=None)

@action
def put(s: State, place: Annotated[int, Range(30, 34)]) -> None:
    require(len(s.held) < 2)
    s.held |= {Given({place, 36 - place})}

@action
def look(s: State) -> None:
    for member in s.held:
        s.last = member

@invariant
def fine(s: State) -> bool:
    return s.last != Given({3, 33})

spec = Spec(state=State, init=start, actions=[put, look], invariants=[fine])
"""


def test_wide_sets_in_members(tmp_path: Path) -> None:
    """Members of a union that hold sets of several masks are in the same order in all engines."""
    design = design_of(tmp_path, WIDE)
    agreed(design, 4)
    agreed_by_smt(design, 4)
