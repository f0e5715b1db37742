"""A helper that changes the state, called within a term: it does so only where Python calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.kernel.kernel import Kernel
from tests.kernel.reference import Reference
from tests.written import spec_of

SPEC = """
class Node(ScalarSet, size=2):
    pass


class State(Struct):
    flag: bool
    n: Annotated[int, Range(0, 3)]
    seen: Set[Node]
    of: dict[Node, Annotated[list[Node], Capacity(1)]]


@init
def start() -> State:
    return State(flag=False, n=0, seen=set(), of={{q: [q] for q in Node}})


def visit(s: State, m: Node) -> bool:
    require(s.n != 3)
    s.seen |= {{m}}
    s.n = (s.n + 1) % 4
    return s.n == 2


@action
def act(s: State, m: Node, k: Node) -> None:
    s.flag = {term}


def pick(s: State, m: Node) -> Node:
    s.n = (s.n + 1) % 4
    return m


@action
def each(s: State, m: Node) -> None:
    for q in s.of[pick(s, m)]:
        s.seen |= {{q}}


@action
def forget(s: State, m: Node) -> None:
    s.seen -= {{m}}
    s.n = 0


spec = Spec(state=State, init=start, actions=[act, each, forget])
"""

TERMS = [
    "s.flag or visit(s, m)",
    "s.flag and visit(s, m)",
    "s.n == 1 or visit(s, m) or visit(s, k)",
    "visit(s, m) if s.flag else s.n == 0",
    "visit(s, m) if s.n == 1 else visit(s, k)",
    "any(visit(s, q) for q in Node)",
    "all(visit(s, q) for q in Node)",
    "any(q in s.seen and visit(s, q) for q in Node)",
    "not (s.flag or (s.n == 1 and visit(s, m)))",
]


@pytest.mark.parametrize("term", TERMS)
def test_only_where_it_is_called(tmp_path: Path, term: str) -> None:
    """In every state each binding does what it does under CPython."""
    spec = spec_of(tmp_path, SPEC.format(term=term))
    states = [spec.domain.at(number) for number in range(spec.domain.size)]
    Reference(Kernel(spec, ())).compare(states)
