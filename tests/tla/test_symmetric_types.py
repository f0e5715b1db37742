"""The least state of an orbit is found among renamed states, which must fit the types as well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.symbolic.sampling import TypeFinder

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Sent ----
EXTENDS Integers, TLC
CONSTANT Node
VARIABLES sent, leader, round
Init == sent = {} /\\ leader = {} /\\ round = 0
Elect(n) == leader = {} /\\ leader' = {n} /\\ UNCHANGED <<sent, round>>
Wait == leader # {} /\\ round < 3 /\\ round' = round + 1 /\\ UNCHANGED <<sent, leader>>
Send == \\E n \\in leader : /\\ round = 3 /\\ round' = 4 /\\ UNCHANGED leader
                         /\\ sent' = sent \\cup {[from |-> n, at |-> round]}
Next == (\\E n \\in Node : Elect(n)) \\/ Wait \\/ Send
Silent == sent = {}
Renamed == Permutations(Node)
====
"""
CONFIG = """CONSTANT Node = {a, b, c}
INIT Init
NEXT Next
INVARIANT Silent
SYMMETRY Renamed
CHECK_DEADLOCK FALSE
"""


def one_walk(finder: TypeFinder, starts: Sequence[Any], seconds: float = 0.0) -> None:
    """In place of random walks: one in which the first node is elected, and sends."""
    state = starts[0]
    while following := finder._following(state, (None,) * 3):  # pyright: ignore[reportPrivateUsage]
        state = following[0]
        finder.take([state])


def test_what_one_member_does_another_may_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that only one node was seen to send has a place in the type for every node.

    Otherwise the state with the message, renamed, has lost it, and may pass for the least one: an
    invariant about messages would hold.
    """
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(TypeFinder, "walk", one_walk)
    (tmp_path / "Sent.tla").write_text(MODULE)
    (tmp_path / "Sent.cfg").write_text(CONFIG)
    found = check(load_module(tmp_path / "Sent.tla"), workers=1, self_check=0)
    assert (found.engine, found.verdict, found.distinct) == ("native", "violated", 6)
    assert [p.trace_length for p in found.properties if p.trace] == [6]


@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_values_with_the_same_hash(tmp_path: Path, engine: str) -> None:
    """Python's hashes of -1 and -2 are equal; three nodes with one of both are four multisets."""
    (tmp_path / "Below.tla").write_text(
        "---- MODULE Below ----\nEXTENDS Integers, TLC\nCONSTANT Node\nVARIABLE at\n"
        "Init == at = [n \\in Node |-> -1]\n"
        "Next == \\E n \\in Node : at[n] = -1 /\\ at' = [at EXCEPT ![n] = -2]\n"
        "Renamed == Permutations(Node)\n====\n"
    )
    (tmp_path / "Below.cfg").write_text(
        "CONSTANT Node = {a, b, c}\nINIT Init\nNEXT Next\nSYMMETRY Renamed\nCHECK_DEADLOCK FALSE\n"
    )
    found = check(load_module(tmp_path / "Below.tla"), engine=engine, workers=1)
    assert (found.distinct, found.depth) == (4, 4)
