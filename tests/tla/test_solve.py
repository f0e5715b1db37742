"""`solve` finds states of a module that an expression of TLA+ describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Specmodel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

LOCK = """---- MODULE Lock ----
EXTENDS FiniteSets, TLC
CONSTANTS Client, None
VARIABLES holder, asked
Init == holder = None /\\ asked = {}
Ask(c) == c \\notin asked /\\ holder # c /\\ asked' = asked \\cup {c} /\\ UNCHANGED holder
Get(c) == c \\in asked /\\ holder' = c /\\ asked' = asked \\ {c}
Next == \\E c \\in Client : Ask(c) \\/ Get(c)
Sym == Permutations(Client)
Busy == holder # None
====
"""

GRID = """---- MODULE Grid ----
EXTENDS Integers
CONSTANT N
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x < 99 /\\ x' = x + 1 /\\ y' = y
        \\/ y < 99 /\\ y' = y + 1 /\\ x' = x
Inv == x + y # N
====
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    (tmp_path / "Lock.tla").write_text(LOCK)
    (tmp_path / "Lock.cfg").write_text(
        "CONSTANTS Client = {c1, c2} None = None\nINIT Init\nNEXT Next\nSYMMETRY Sym\n"
    )
    return tmp_path / "Lock.tla"


@pytest.mark.parametrize(
    ("reach", "code", "said"),
    [
        ("Busy /\\ asked = {}", 0, "in 3 states"),
        ("c2 \\in asked", 0, "in 2 states"),  # the symmetry would hide it behind c1
        ("Cardinality(asked) = 2\n/\\ holder = None", 0, "in 3 states"),
        ("holder \\in asked", 1, "8 states, depth 4, complete"),
    ],
)
def test_found(lock: Path, specmodel: Specmodel, reach: str, code: int, said: str) -> None:
    """Names of the module and model values of the configuration may stand in the expression."""
    ran = specmodel("solve", lock, "--reach", reach)
    assert ran.code == code, ran.err
    assert said in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["holdr = None"], 'holdr has no meaning here; did you mean "holder"?\n    holdr = None\n'),
        (["/\\ Busy\n/\\ asked == {}"], "this is not TLA+\n"),
        (["TRUE\nF == FALSE"], "this is more than one expression"),
        (["holder' = None"], "this is not an expression of one state"),
        (["asked"], "has no value in some state on the way ({} is neither TRUE nor FALSE)"),
        (["Busy", "--from", "TRUE"], "--from is for formulas"),
        (["Busy", "--engine", "smt"], "searched by native or interpret, not smt"),
    ],
)
def test_refused(lock: Path, specmodel: Specmodel, words: list[str], said: str) -> None:
    """With the place in the expression."""
    ran = specmodel("solve", lock, "--reach", *words)
    assert ran.code == 2
    assert said in ran.err


def test_a_view_is_refused(lock: Path, specmodel: Specmodel) -> None:
    """It may hide the only state in which the expression is true."""
    with lock.with_suffix(".cfg").open("a") as config:
        config.write("VIEW Busy\n")
    ran = specmodel("solve", lock, "--reach", "Cardinality(asked) = 2")
    assert ran.code == 2
    assert "Lock.cfg:5:6: this VIEW may hide the states that are sought" in ran.err


def test_compiled_code_is_of_one_question(tmp_path: Path, specmodel: Specmodel) -> None:
    """It is kept for the next run, and not taken for another expression or constant."""
    path = tmp_path / "Grid.tla"
    path.write_text(GRID)
    path.with_suffix(".cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANT N = 170\nCHECK_DEADLOCK FALSE\n"
    )
    for total in (170, 171):
        ran = specmodel("solve", path, "--reach", f"x + y = {total} /\\ x = 99", "--quiet")
        assert (ran.code, f"in {total + 1} states" in ran.out) == (0, True), ran.err
        ran = specmodel("check", path, "--set", f"N={total}", "--quiet", "--self-check", 0)
        assert (ran.code, f"counterexample of {total + 1} states" in ran.out) == (1, True), ran.err
    ran = specmodel("check", path, "--set", "N=300", "--quiet", "--self-check", 0)
    assert (ran.code, "10,000 states" in ran.out) == (0, True), ran.err


INSTANCES = """---- MODULE Main ----
EXTENDS Grid
Far(n) == INSTANCE Other WITH K <- n
Inv2 == ~Far(50)!Is(x, y)
====
"""


def test_compiled_code_is_of_the_files_as_they_are(tmp_path: Path, specmodel: Specmodel) -> None:
    """Also of a module that is read late: when an INSTANCE with parameters is first used."""
    (tmp_path / "Grid.tla").write_text(GRID)
    (tmp_path / "Main.tla").write_text(INSTANCES)
    (tmp_path / "Main.cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANT Inv2\nCONSTANT N = 1\nCHECK_DEADLOCK FALSE\n"
    )
    for more in (100, 110):
        (tmp_path / "Other.tla").write_text(
            "---- MODULE Other ----\nEXTENDS Integers\nCONSTANT K\n"
            f"Is(x, y) == x + y = K + {more}\n====\n"
        )
        ran = specmodel("check", tmp_path / "Main.tla", "--quiet", "--self-check", 0)
        assert (ran.code, f"counterexample of {more + 51} states" in ran.out) == (1, True), ran.out
