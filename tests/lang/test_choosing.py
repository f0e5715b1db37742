"""Choosing among elements: next, min, max and sorted by a key, while, subsets, constant tuples."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.engines import interpret, native, smt
from specmodel.errors import SpecError
from specmodel.lang.values import subsets, values
from specmodel.results import Options
from tests.engines.outcomes import Failed, agreed
from tests.ir.test_evaluate import compare
from tests.kernel.reference import reachable_states
from tests.written import design_of, spec_of

SPEC = """
from specmodel.lang import pick, subsets, values

class Node(ScalarSet, size=3, prefix="n"):
    "A node."

class Kind(Enum):
    ask = 1
    tell = 2

class Message(Struct):
    term: Annotated[int, Range(0, 3)]
    kind: Kind
    sender: Node

class Ping(Struct):
    sender: Node

class Pong(Struct):
    on: bool

Wire = Ping | Pong
QUORUMS = {q for q in subsets(Node) if 2 * len(q) > len(Node)}
PAIRS = subsets(Node, size=2)
ORDER = (Node.nth(2), Node.nth(0))
TERMS = range(1, 5, 2)
WIRE = values(Wire)

class State(Struct):
    messages: Annotated[Set[Message], Capacity(4)]
    log: Annotated[list[Message], Capacity(3)]
    terms: Annotated[list[Annotated[int, Range(0, 3)]], Capacity(3)]
    wire: Set[Wire]
    votes: Set[Node]
    last: Message | None
    n: Annotated[int, Range(0, 9)]

@init
def started() -> State:
    return State(set(), [], [], set(), set(), None, 0)

@action
def put(s: State, n: Node, t: Annotated[int, Range(0, 2)]) -> None:
    k = Kind.ask if t == 1 else Kind.tell
    require(len(s.messages) < 3 and len(s.log) < 3)
    s.messages |= {Message(t, k, n)}
    if k == Kind.tell:
        s.log.append(Message(t, k, n))
        s.terms.append(t)

def term_of(m: Message) -> int:
    return m.term

@action
def act(s: State, n: Node) -> None:
{body}

@reachable
def three(s: State) -> bool:
    return len(s.log) == 3

spec = Spec(state=State, init=started, actions=[put, act], reachable=[three])
"""


def text_of(body: str) -> str:
    return SPEC.replace("{body}", "\n".join(f"    {line}" for line in body.split("\n")))


BODIES = {
    "next": "s.last = next((m for m in s.messages if m.kind == Kind.ask), None)",
    "next of a list": "s.last = next((m for m in s.log if m.sender == n), s.last)",
    "next without a default": "s.n = next(m.term for m in s.log if m.term > 1)",
    "least of a set": "s.last = min(s.messages, key=lambda m: m.term, default=None)",
    "ties go to the first": "s.last = max(s.log, key=lambda m: (m.term > 0), default=s.last)",
    "a key of two": (
        "s.last = max((m for m in s.messages if m.term < 2), key=lambda m: (m.kind == Kind.tell, "
        "-m.term), default=None)"
    ),
    "a function as the key": "s.last = max(s.log, key=term_of, default=None)",
    "no element at all": "s.last = min(s.messages, key=term_of)",
    "a set's size as the key": "s.votes = max(PAIRS, key=len) if n in s.votes else {n}",
    "a key with an outer name": (
        "m = len(s.log)\ns.n = max((x for x in s.terms), key=lambda m: -m, default=m) + m"
    ),
    "a key outside of the generators": (
        "r = Message(1, Kind.ask, n)\n"
        "s.n = max((r for r in s.terms), key=lambda k: (k > r.term), default=7)"
    ),
    "the element itself": (
        "x = max(s.log, key=term_of, default=None)\nif x is not None:\n    x.term = 0"
    ),
    "of actors": ("s.votes |= {max(Node, key=lambda v: len([m for m in s.log if m.sender == v]))}"),
    "sorted": "s.terms = sorted(s.terms)",
    "sorted downwards": "s.terms = sorted(s.terms, reverse=True)",
    "sorted by a key": "s.log = sorted(s.log, key=lambda m: (m.term, m.kind == Kind.ask))",
    "sorted downwards, ties as they came": (
        "s.log = sorted(s.log, key=lambda m: m.term > 0, reverse=True)"
    ),
    "sorted set": "s.log = [m for m in sorted(s.messages, key=lambda m: -m.term)][:3]",
    "sorted refers": "for m in sorted(s.log, key=term_of)[:2]:\n    s.n = min(9, s.n + m.term)",
    "while": "i = 0\nwhile i < len(s.log) and s.log[i].term < 2:\n    i += 1\ns.n = i",
    "while downwards": (
        "i = len(s.terms)\nwhile i > 0:\n    i -= 1\n    s.terms[i] = min(3, i + s.n)"
    ),
    "while with continue": (
        "i = 0\nwhile i < len(s.log):\n    m = s.log[i]\n    i += 1\n    if m.term == 0:\n"
        "        continue\n    m.term -= 1"
    ),
    "while with break": (
        "i = 0\nwhile True:\n    if i == len(s.log) or s.log[i].sender == n:\n        break\n"
        "    i += 1\n    if i > 3:\n        return\ns.n = i"
    ),
    "while within for": (
        "for m in s.log:\n    i = 0\n    while i < m.term:\n        i += 1\n"
        "        s.n = min(9, s.n + 1)"
    ),
    "while a list gets shorter": (
        "while s.log:\n    s.n = min(s.n + s.log[0].term, 6)\n    del s.log[:1]"
    ),
    "while a list is sliced": "while len(s.terms) > 1:\n    s.terms = s.terms[1:]",
    "while a list loses its last": (
        "while s.terms and s.terms[-1] > 0:\n    del s.terms[-1:]\ns.n = len(s.terms)"
    ),
    "while on the state": "while s.n < 5:\n    s.n += 2",
    "quorums": "s.votes |= {n}\nrequire(any(q <= s.votes for q in QUORUMS))\ns.n = 1",
    "a picked quorum": "q = pick(QUORUMS)\nrequire(n in q)\ns.votes = q",
    "a set among sets": "s.votes |= {n}\ns.n = 1 if s.votes in PAIRS else 2",
    "subsets in a function": "s.n = len([q for q in subsets(Node) if q <= s.votes and n in q])",
    "all values": "m = pick(WIRE)\nrequire(m not in s.wire)\ns.wire |= {m}",
    "values of a union": (
        "s.wire = {m for m in values(Wire) if isinstance(m, Pong) or m.sender == n}"
    ),
    "a tuple": (
        "for i, o in enumerate(ORDER):\n    if o not in s.votes:\n        s.n = i + len(ORDER)\n"
        "s.votes = {ORDER[0]} if n in ORDER else s.votes | {n}"
    ),
    "a range": (
        "s.votes = {v for v in s.votes if any(t == s.n + 1 for t in TERMS)} | {n}\n"
        "for t in TERMS:\n    s.n = min(s.n + t * TERMS[0], 9)\n"
        "require(s.n not in TERMS or len(TERMS) + min(TERMS) == 3)"
    ),
    "a picked one of a range": "t = pick(TERMS)\nrequire(t != s.n)\ns.n = t",
    "a picked one of a tuple": "o = pick(ORDER)\nrequire(o != n)\ns.votes ^= {o}",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_engines_agree(tmp_path: Path, body: str) -> None:
    """Counts, coverage, failures and traces are those of CPython."""
    design = design_of(tmp_path, text_of(body))
    wanted = agreed(design, 3)
    assert isinstance(wanted, Failed) or wanted["distinct"] > 30


def test_smt(tmp_path: Path) -> None:
    """Z3 finds the state that a choice leads to."""
    body = "x = max(s.log, key=term_of, default=None)\nrequire(x is not None)\ns.n = x.term + 7"
    text = text_of(body).replace("return len(s.log) == 3", "return s.n == 9")
    found = smt.check(design_of(tmp_path, text), Options(max_depth=3))
    assert [p.verdict for p in found.properties] == ["holds"]


@pytest.mark.parametrize("name", [n for n in BODIES if "pick" not in BODIES[n]])
def test_evaluated(tmp_path: Path, name: str) -> None:
    """The IR on values, by which guards and properties are explained, does what CPython does."""
    spec = spec_of(tmp_path, text_of(BODIES[name]))
    compare(spec, reachable_states(spec, 60))


ASYMMETRIC = {
    "next": "s.n = next((m.term for m in s.log if m.sender in s.votes), 0)",
    "of members": "s.votes = {next(v for v in Node)}",
    "sorted": "s.votes = {sorted(Node, key=lambda v: 1)[0]}",
    "greatest": "s.votes = {max(Node, key=lambda v: 1 if v in s.votes else 0)}",
    "tuple": "s.votes = {ORDER[0]}",
}


@pytest.mark.parametrize("name", ASYMMETRIC)
def test_symmetry(tmp_path: Path, name: str) -> None:
    """A choice by the order of members breaks symmetry; one by a list's order does not."""
    text = text_of(ASYMMETRIC[name]).replace('prefix="n"', 'prefix="n", symmetric=True')
    text = text.replace("Annotated[Set[Message], Capacity(4)]", "Set[Message]")
    text = text.replace("ORDER = (Node.nth(2), Node.nth(0))", "ORDER = tuple(Node)")
    design = design_of(tmp_path, text)
    options = Options(symmetry=True, max_depth=3)
    if name == "next":
        assert native.check(design, options).distinct == interpret.check(design, options).distinct
        return
    with pytest.raises(SpecError, match="not symmetric in Node"):
        native.check(design, options)


def test_values_of_python(tmp_path: Path) -> None:
    """`subsets` and `values` are sets in the order of their domain, and refuse too many."""
    spec = spec_of(tmp_path, text_of("pass"))
    names = spec.init.__globals__
    node, message, state = names["Node"], names["Message"], names["State"]
    assert [len(q) for q in subsets(node)] == [0, 1, 1, 2, 1, 2, 2, 3]
    assert {*subsets({1, 2}, size=1)} == {frozenset({1}), frozenset({2})}
    assert len(values(message)) == 24 and values(node) == {*node}
    with pytest.raises(SpecError, match="values of State"):
        values(state)
    with pytest.raises(SpecError, match="8,192 subsets"):
        subsets(range(13))


def test_many_members(tmp_path: Path) -> None:
    """The greatest of a set with hundreds of possible members takes no deep recursion."""
    text = """
class Vote(Struct):
    ballot: Annotated[int, Range(0, 30)]
    value: Annotated[int, Range(0, 15)]

class State(Struct):
    votes: Set[Vote]
    best: Vote

@init
def start() -> State:
    return State(votes={Vote(1, 1)}, best=Vote(0, 0))

@action
def add(s: State, ballot: Annotated[int, Range(2, 4)]) -> None:
    s.votes |= {Vote(ballot, 7 - ballot)}

@action
def choose(s: State) -> None:
    s.best = max(s.votes, key=lambda v: (v.value, v.ballot))

spec = Spec(state=State, init=start, actions=[add, choose])
"""
    wanted = agreed(design_of(tmp_path, text), 4)
    assert not isinstance(wanted, Failed)
    assert wanted["distinct"] > 8


def test_a_name_gets_a_map_of_other_bounds(tmp_path: Path) -> None:
    """A name for a map of the state may be given a map that is made of it, whose ints have none."""
    text = """
class Node(ScalarSet, size=2):
    "A node."

class State(Struct):
    held: dict[Node, Annotated[int, Range(0, 3)]]

@init
def start() -> State:
    return State(held={n: 0 for n in Node})

@action
def up(s: State, n: Node) -> None:
    m = s.held
    m = {k: m[k] + 1 if k == n else m[k] for k in Node}
    m[n] += 5
    require(m[n] < 9)
    m[n] -= 5
    s.held = m

@invariant
def low(s: State) -> bool:
    return all(s.held[n] < 3 for n in Node)

spec = Spec(state=State, init=start, actions=[up], invariants=[low])
"""
    found = agreed(design_of(tmp_path, text), 20)
    assert isinstance(found, dict) and found["distinct"] == 16
