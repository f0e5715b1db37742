"""Specs that tell symmetric actors apart are refused where they do so; others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel import check
from specmodel.errors import SpecError, UsageError

HEADER = """\
from typing import Annotated
from specmodel.lang import (
    Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, init, invariant, pick, require,
)

class Node(ScalarSet, size=3, symmetric=True):
    "An actor."

class Plain(ScalarSet, size=2):
    "An actor, not symmetric."

class Point(Struct):
    x: Annotated[int, Range(0, 3)]
    near: Node | None

class Mail(Struct):
    to: Node
    number: Annotated[int, Range(0, 3)]

class State(Struct):
    who: Node | None
    count: Annotated[int, Range(0, 9)]
    flag: bool
    seen: Set[Node]
    of: dict[Node, Annotated[int, Range(0, 9)]]
    point: dict[Node, Point]
    log: Annotated[list[Node], Capacity(3)]
    plain: Plain
    sent: Annotated[Set[Mail], Capacity(3)]
    got: Annotated[Bag[Node], Capacity(3)]
    votes: Annotated[dict[Node, Annotated[int, Range(0, 9)]], Capacity(3)]
    first: Annotated[dict[Annotated[int, Range(0, 9)], Node], Capacity(3)]

EVERYONE = frozenset(Node)
PAIR = frozenset({Node.nth(0), Node.nth(1)})

@init
def start() -> State:
    return State(
        who=None, count=0, flag=False, seen=set(), of={n: 0 for n in Node},
        point={n: Point(0, None) for n in Node}, log=[], plain=Plain.nth(0),
        sent=set(), got=Bag(), votes={}, first={},
    )

def visit(s: State, n: Node) -> bool:
    s.seen |= {n}
    return s.flag

def forget(s: State, n: Node) -> None:
    s.who = n
"""

FOOTER = """
spec = Spec(state=State, init=start, actions=[act], invariants=[fine])
"""

FINE = """
@invariant
def fine(s: State) -> bool:
    return s.count >= 0
"""

REFUSED = {
    "a member by name": ("s.who = Node.nth(0)", "s.who", "not the same when members"),
    "a set of some": ("s.seen = PAIR", "s.seen", "PAIR is not the same"),
    "the last": ("for q in Node:\n        s.who = q", "s.who", "who comes last in the loop at"),
    "the last of a map": ("for q in s.of:\n        s.who = q", "s.who", "who comes last"),
    "the last of a set": ("for q in s.seen:\n        s.who = q", "s.who", "who comes last"),
    "a list in order": ("for q in Node:\n        s.log.append(q)", "s.log", "who comes last"),
    "a list by comprehension": ("s.log = [q for q in Node]", "s.log", "the order of this list"),
    "leaving early": (
        "for q in Node:\n        if s.of[q] > 0:\n            break\n        s.seen |= {q}",
        "s.seen",
        "who comes first",
    ),
    "returning early": (
        "for q in Node:\n        s.of[q] = 1\n        if q == s.who:\n            return",
        "s.of",
        "who comes first",
    ),
    "after the loop": ("for q in Node:\n        pass\n    s.who = q", "s.who = q", "came last"),
    "from round to round": (
        "x: Node = n\n    for q in Node:\n        s.of[q] = s.of[x]\n        x = q",
        "s.of[q] = s.of[x]",
        "who comes last",
    ),
    "through a neighbour": (
        "for q in Node:\n        s.of[q] = s.of[n] + 1",
        "s.of[q]",
        "who comes last",
    ),
    "in a call": ("for q in Node:\n        forget(s, q)", "    s.who = n", "who comes last"),
    "by reference": (
        "for q in Node:\n        p = s.point[n]\n        p.near = q",
        "p.near",
        "who comes last",
    ),
    "effects that may be skipped": (
        "s.flag = any(visit(s, q) for q in Node)",
        "s.seen |=",
        "who comes first",
    ),
    "effects behind an or": (
        "a = False\n    for q in Node:\n        a = a or visit(s, q)\n    s.flag = a",
        "a = a or",
        "who comes last",
    ),
    "plus and minus": (
        "for q in Node:\n        s.count += s.of[q]\n        s.count -= 1",
        "s.count += ",
        "who comes last",
    ),
    "the last of the slots": (
        "for m in s.sent:\n        s.who = m.to",
        "s.who",
        "who comes last in the loop at",
    ),
    "the first of the slots": (
        "s.sent |= {Mail(n, 1)}\n    m = next(m for m in s.sent if m.number > 0)\n    s.who = m.to",
        "next(",
        "which of the members this is",
    ),
    "slots in a list": ("s.log = [m.to for m in s.sent]", "s.log", "the order of this list"),
    "slots in order of a number": (
        "s.log = [m.to for m in sorted(s.sent, key=lambda m: m.number)]",
        "s.log",
        "the order of this list",
    ),
    "the members of a bag": ("for q in s.got:\n        s.who = q", "s.who", "who comes last"),
    "the keys of a map": ("for q in s.votes:\n        s.who = q", "s.who", "who comes last"),
    "the items of a map": (
        "for q, v in s.votes.items():\n        s.count = v",
        "s.count",
        "who comes last",
    ),
    "another key of the map": (
        "for q in s.votes:\n        if n in s.votes:\n            s.votes[q] = s.votes[n]",
        "s.votes[q]",
        "who comes last",
    ),
    "adding to slots and taking away": (
        "for q in s.seen:\n        s.sent |= {Mail(q, 1)}\n        s.sent -= {Mail(n, 1)}",
        "s.sent |=",
        "who comes last",
    ),
    "one key for two members": (
        "s.first = {s.of[q]: q for q in s.seen}",
        "s.first",
        "which value a key gets",
    ),
    "one key for two slots": (
        "s.first = {m.number: m.to for m in s.sent}",
        "s.first",
        "which value a key gets",
    ),
}

ACCEPTED = {
    "the set as a whole": "s.seen = EVERYONE",
    "a parameter": "s.who = n\n    s.log = [n]",
    "each its own": "for q in Node:\n        s.of[q] = (s.of[q] + s.count) % 9",
    "values of a map": "for p in s.point.values():\n        p.x = s.count % 3",
    "items of a map": "for q, p in s.point.items():\n        p.near = q\n        s.of[q] = p.x",
    "gathering": "for q in Node:\n        if s.of[q] == 0:\n            s.seen |= {q}",
    "counting": "a = 0\n    for q in s.seen:\n        a += s.of[q]\n    s.count = a % 9",
    "the least": "low = 9\n    for q in Node:\n        low = min(low, s.of[q])\n    s.count = low",
    "one constant": "for q in s.seen:\n        if s.of[q] == 0:\n            s.flag = True",
    "calls": "for q in Node:\n        visit(s, q)",
    "guards": "for q in Node:\n        require(s.of[q] < 9)\n    s.flag = True",
    "shrinking what is looped over": "for q in s.seen:\n        s.seen -= {q}",
    "lists in their own order": "for q in s.log:\n        s.who = q",
    "slots are added to": "for q in s.seen:\n        s.sent |= {Mail(q, 1)}\n        s.got += {q}",
    "slots are taken away": "for m in s.sent:\n        s.sent -= {m}\n        s.got -= {m.to}",
    "membership and counts": "s.flag = Mail(n, 1) in s.sent and s.got[n] == len(s.got)",
    "quantifiers over slots": (
        "s.flag = any(m.to == n for m in s.sent) or all(q == n for q in s.got)\n"
        "    s.count = max((m.number for m in s.sent), default=0) + sum(m.number for m in s.sent)"
    ),
    "slots made of slots": (
        "s.sent = {Mail(m.to, 1) for m in s.sent}\n    s.got = Bag(m.to for m in s.sent)"
    ),
    "each its own key": "for q in s.votes:\n        s.votes[q] = (s.votes[q] + s.of[q]) % 9",
    "a key for each": "for q in s.seen:\n        s.votes[q] = s.of[q]",
    "a map of its own keys": "s.votes = {q: s.of[q] for q in s.seen}",
    "a key that is removed": "require(n in s.votes)\n    del s.votes[n]",
    "a pick from slots": (
        "s.sent |= {Mail(n, 1)}\n    m = pick(s.sent)\n    s.who = m.to\n    s.sent -= {m}"
    ),
    "a picked key": "q = pick(s.votes)\n    s.votes[q] = 1\n    s.who = q",
    "keys without members": (
        "for k, q in s.first.items():\n        s.who = q\n        s.count = k"
    ),
    "other sets": "for q in Plain:\n        s.plain = q",
    "another plain one": "s.plain = Plain.nth(1)",
    "loops in loops": (
        "for q in Node:\n        for k in range(2):\n            s.of[q] = (s.of[q] + k) % 9"
    ),
}


def spec_file(folder: Path, body: str) -> Path:
    """A spec with one action of this body."""
    file = folder / "spec.py"
    text = f"{HEADER}\n@action\ndef act(s: State, n: Node) -> None:\n    {body}\n{FINE}{FOOTER}"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    """The place is the line that matters, and the message says why; without symmetry it is fine."""
    body, line, message = REFUSED[case]
    file = spec_file(tmp_path, body)
    for engine in ("native", "interpret"):
        with pytest.raises(SpecError, match="not symmetric in Node") as raised:
            check(file, symmetry=True, engine=engine)
        assert message in raised.value.message
        assert raised.value.span is not None
        text = file.read_text(encoding="utf-8").split("\n")[raised.value.span.line - 1]
        assert line in text


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case: str, tmp_path: Path) -> None:
    """What does not depend on the order of members, and gives the verdict it gives without."""
    file = spec_file(tmp_path, ACCEPTED[case])
    plain, found = check(file, max_states=2000), check(file, symmetry=True, max_states=2000)
    assert found.symmetry == ("Node",)
    if plain.complete:
        assert (found.verdict, found.depth) == (plain.verdict, plain.depth)


def test_start(tmp_path: Path) -> None:
    """Initial states that favour an actor are refused at `init`; one for each actor is fine."""
    for given, allowed in (("Node.nth(1)", False), ("first", True)):
        text = f"{HEADER}\n@action\ndef act(s: State, n: Node) -> None:\n    s.who = n\n"
        text = text.replace("who=None", f"who={given}").replace(
            "def start()", "def start(first: Node)"
        )
        file = tmp_path / "spec.py"
        file.write_text(text + FINE + FOOTER, encoding="utf-8")
        if allowed:
            assert check(file, symmetry=True).verdict == "holds"
            continue
        with pytest.raises(SpecError, match="start is not symmetric in Node") as raised:
            check(file, symmetry=True)
        assert "exchanged" in raised.value.message and raised.value.span is not None


def test_only_what_is_checked_counts(tmp_path: Path) -> None:
    """A property that names an actor stands in the way only if it is checked."""
    file = spec_file(tmp_path, "s.who = n")
    text = file.read_text(encoding="utf-8").replace(
        "spec = ",
        "@invariant\ndef odd(s: State) -> bool:\n    return s.who != Node.nth(2)\n\nspec = ",
    )
    file.write_text(text.replace("[fine]", "[fine, odd]"), encoding="utf-8")
    assert check(file, symmetry=True, properties=["fine"]).verdict == "holds"
    with pytest.raises(SpecError, match="not symmetric"):
        check(file, symmetry=True)


def test_too_many_renamings(tmp_path: Path) -> None:
    """9! ways to rename are refused, with the sizes that make them."""
    file = spec_file(tmp_path, "s.who = n")
    text = file.read_text(encoding="utf-8").replace("size=3", "size=9")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="362,880 ways to rename"):
        check(file, symmetry=True)
