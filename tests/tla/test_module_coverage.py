"""The coverage of a module: each figure as a program in Python counts it, case by case."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Specmodel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

COVER = r"""---- MODULE Cover ----
EXTENDS Naturals
VARIABLES n, held
Init == n = 0 /\ held = {}
Fits(k) == n + k <= 4
Add(k) == /\ Fits(k)
          /\ n' = n + k
          /\ IF n > 2 THEN held' = held ELSE held' = held \cup {k}
Take == \E k \in held :
          /\ \/ n >= k + 1
             \/ n = k
          /\ n # 7
          /\ n' = n - k
          /\ held' = held \ {k}

\* A comment is no part of the action before it.
Never == /\ n > 9
         /\ held = {}
         /\ UNCHANGED <<n, held>>
Next == Take \/ Never \/ \E k \in {1, 2} : Add(k)
Small == n <= 4
Kept == \A k \in held : k = 3 => n = 0
Either == n < 4 \/ held # {}
Falls == [][n' < n => held' # held]_<<n, held>>
====
"""

CONFIGURATION = """INIT Init
NEXT Next
INVARIANTS Small Kept Either
PROPERTY Falls
CHECK_DEADLOCK FALSE
"""

CoverState = tuple[int, frozenset[int]]


def steps(state: CoverState) -> Iterator[CoverState]:
    """The next states of the module."""
    n, held = state
    for k in (1, 2):
        if n + k <= 4:
            yield n + k, held if n > 2 else held | {k}
    for k in held:
        if n >= k:
            yield n - k, held - {k}


def expected() -> dict[tuple[str, str], tuple[int, int | None]]:
    """How often each part is reached, and false, in the cases of the reachable states."""
    level: list[CoverState] = [(0, frozenset())]
    states = set(level)
    while level:
        level = [after for state in level for after in steps(state)]
        level = list(set(level) - states)
        states |= set(level)
    reached: Counter[tuple[str, str]] = Counter()
    false: Counter[tuple[str, str]] = Counter()

    def guard(name: str, text: str, holds: list[bool]) -> None:
        reached[name, text] += bool(holds)
        false[name, text] += not all(holds)

    for n, held in states:
        for k in (1, 2):
            guard("Add", "n + k <= 4", [n + k <= 4])
            fits = n + k <= 4
            reached["Add", "n > 2"] += fits and n > 2
        # The members of a set of the state are cases of their own.
        for k in (1, 2):
            if k in held:
                guard("Take", r"n >= k + 1", [n >= k + 1])
                guard("Take", r"n = k", [n == k])
                if n >= k:
                    guard("Take", "n # 7", [n != 7])
        guard("Never", "n > 9", [n > 9])
        reached["Kept", r"k \in held"] += bool(held)
        reached["Either", "n < 4"] += n >= 4
        for after, _ in steps((n, held)):
            reached["Falls", "n' < n"] += after < n
    counted = dict(reached)
    return {
        key: (
            count,
            false[key] if key[0] in ("Add", "Take", "Never") and key[1] != "n > 2" else None,
        )
        for key, count in counted.items()
    }


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Cover.tla").write_text(COVER)
    (tmp_path / "Cover.cfg").write_text(CONFIGURATION)
    return tmp_path


def test_counts(specmodel: Specmodel) -> None:
    """Each guard, arm, disjunct and implication is counted in the cases that reach it."""
    told = json.loads(specmodel("coverage", "Cover.tla", "--format", "json").out)
    found = {
        (point["rule"], point["text"]): (point["reached"], point["false"])
        for point in told["points"]
        if point["kind"] in ("guard", "operand", "each", "then")
    }
    never = {("Never", "held = {}"): (0, 0), ("Kept", "k = 3"): (0, None)}
    assert found == {**never, **expected()}
    assert told["actions"]["Never"] == 0


def test_report(specmodel: Specmodel) -> None:
    """What is never reached is named with its line, and the source has the counts."""
    ran = specmodel("coverage", "Cover.tla", "--source")
    assert ran.code == 0
    assert "Cover.tla:18  held = {} is never looked at   Never" in ran.out
    assert "Cover.tla:22  k = 3 is never true   Kept" in ran.out
    assert "comment" not in ran.out
    assert "alone" not in ran.out


def test_engine(specmodel: Specmodel) -> None:
    """What the evaluator does not count, it refuses."""
    ran = specmodel("check", "Cover.tla", "--coverage", "--engine", "interpret")
    assert (ran.code, "--coverage needs compiled code" in ran.err) == (2, True)
