"""The guards of a module, each left out alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specmodel.analysis.rules import conditions
from specmodel.errors import SpecError
from specmodel.tla.loading import load_module, load_target
from tests.conftest import Specmodel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

LEASE = r"""---- MODULE Lease ----
EXTENDS FiniteSets, Naturals
CONSTANT Client, Most
VARIABLES free, holding

Init == free = TRUE /\ holding = {}

Idle == holding = {}
Free(p) == /\ \/ p
              \/ FALSE
           /\ free' = ~p
Take(c) == /\ (c \notin holding) /\ Free(free)
           /\ holding' = holding \cup {c}
Try == Free(free) /\ UNCHANGED holding
Expire == Idle /\ ~free /\ free' = TRUE /\ UNCHANGED holding
Release(c) == /\ c \in holding
              /\ holding' = holding \ {c} /\ free' = (holding' = {})

Next == Expire \/ Try \/ \E c \in Client : Take(c) \/ Release(c)
Spec == Init /\ [][Next]_<<free, holding>>

Exclusive == Cardinality(holding) <= Most
Stays == [][Idle \/ TRUE]_free
====
"""


@pytest.fixture
def lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Lease.tla").write_text(LEASE)
    (tmp_path / "Lease.cfg").write_text(
        "CONSTANT Client = {c1, c2}\n Most = 1\nSPECIFICATION Spec\nINVARIANT Exclusive\n"
        "PROPERTY Stays\nCHECK_DEADLOCK FALSE\n"
    )
    return tmp_path / "Lease.tla"


def test_guards(lease: Path) -> None:
    """Each conjunct without primes once, with the actions that come to it, in any layout."""
    found = [(c.function, c.actions, c.text) for c in conditions(load_module(lease).spec)]
    assert found == [
        ("Expire", ("Expire",), "Idle"),
        ("Expire", ("Expire",), "~free"),
        ("Free", ("Try", "Take"), "\\/ p \\/ FALSE"),
        ("Take", ("Take",), "c \\notin holding"),
        ("Release", ("Release",), "c \\in holding"),
    ]


def test_a_place_of_no_guard(lease: Path) -> None:
    """A change without effect is refused: it would look like a guard that is not needed."""
    (edit,) = conditions(load_module(lease).spec)[0].edits
    for span, said in (
        (edit.span._replace(end_column=edit.span.end_column - 1), "no expression is read"),
        (edit.span._replace(file="Other.tla"), "in no file of the module"),
    ):
        with pytest.raises(SpecError, match=said):
            load_target("Lease.tla", {}, [span])


def test_the_table(lease: Path, specmodel: Specmodel) -> None:
    """What breaks without a guard, fails, or changes nothing; one change alone, with its trace."""
    ran = specmodel("ablate", "Lease.tla", "--format", "json")
    assert ran.code == 0
    rows = json.loads(ran.out)["changes"]
    assert [(row["text"], row["effect"], row["distinct"]) for row in rows] == [
        ("Idle", "breaks", 8),
        ("~free", "harmless", 4),
        ("\\/ p \\/ FALSE", "breaks", 8),
        ("c \\notin holding", "redundant", 4),
        ("c \\in holding", "harmless", 4),
    ]
    ran = specmodel("ablate", "Lease.tla", "--show", "1")
    assert ran.code == 0 and "Lease without the condition Idle in Expire   Lease.tla:15" in ran.out
    assert "violates Exclusive at Client={c1, c2}, Most=1: counterexample of 4 states" in ran.out
    ran = specmodel("ablate", "Lease.tla", "--set", "Most=2", "--action", "Expire")
    assert ran.code == 0 and "0 of 2 changes break a property" in ran.out
