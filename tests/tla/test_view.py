"""Compiled searches under a VIEW: states with the same values of its variables count as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.results import Result
from specmodel.tla import checking
from specmodel.tla.loading import load_module

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Seen ----
EXTENDS Integers
CONSTANTS Places, Others, Most
VARIABLES past, row, last
vars == <<past, row, last>>
Init == past = [i \\in 0..Others |-> 0] /\\ row = [i \\in 0..Places |-> 0] /\\ last = 0
Up(i) == /\\ row[i] < Most
         /\\ row' = [row EXCEPT ![i] = @ + 1]
         /\\ past' = [past EXCEPT ![(i + row[i]) % (Others + 1)] = (@ + i + 1) % 5]
         /\\ last' = i
Zero == /\\ row # [i \\in 0..Places |-> 0] /\\ row' = [i \\in 0..Places |-> 0]
        /\\ UNCHANGED <<past, last>>
Next == Zero \\/ \\E i \\in 0..Places : i \\in {0, Places} /\\ Up(i)
Spec == Init /\\ [][Next]_vars
View == <<row, <<last>>>>
Ends == row[0] + row[Places] < 2 * Most
====
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module whose states without the VIEW are many more."""
    monkeypatch.setattr(checking, "FIRST_STATES", 5)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    path = tmp_path / "Seen.tla"
    path.write_text(MODULE)
    return path


def found(
    module: Path, places: int, others: int, most: int, more: str = "", **options: Any
) -> Result:
    """The result of a check with some constants."""
    module.with_suffix(".cfg").write_text(
        f"CONSTANTS Places = {places} Others = {others} Most = {most}\nSPECIFICATION Spec\n"
        f"VIEW View\nCHECK_DEADLOCK FALSE\n{more}"
    )
    return check(load_module(module), **options)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("places", "others"),
    [(1, 0), (20, 3), (20, 30), (62, 3), (70, 3), (70, 60), (150, 20)],
)
def test_widths(module: Path, places: int, others: int, workers: int) -> None:
    """The variables of the VIEW and the others may take one word or several."""
    shown = found(module, places, others, 3, workers=workers, self_check="all")
    other = found(module, places, others, 3, engine="interpret")
    assert shown.engine == "native" and shown.complete
    assert (shown.distinct, shown.generated) == (other.distinct, other.generated)
    assert shown.depth == other.depth


@pytest.mark.parametrize("workers", [1, 2])
def test_a_table_grows(module: Path, workers: int) -> None:
    """The rows that are moved to a larger table are found there by their view."""
    shown = found(module, 1, 20, 300, workers=workers)
    # Every pair of numbers but the first has one of them as the last that went up, or both.
    assert shown.engine == "native" and shown.complete
    assert shown.distinct == 2 * 300 * 300 + 2 * 300 + 2


def test_a_violation(module: Path) -> None:
    """Its trace is a behaviour of the module, as short as that of the evaluator."""
    shown = found(module, 20, 30, 3, "INVARIANT Ends\n")
    other = found(module, 20, 30, 3, "INVARIANT Ends\n", engine="interpret")
    assert shown.engine == "native" and shown.verdict == other.verdict == "violated"
    lengths = [[p.trace_length for p in each.properties] for each in (shown, other)]
    assert lengths[0] == lengths[1] == [7]


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("last' = i", "last' = i", ""),
        ("/\\ last' = i", "/\\ last' = i /\\ past[0] < 5", "past"),
        ("![i] = @ + 1", "![i] = @ + 1 + (past[0] \\div 9)", "past"),
        ("2 * Most", "2 * Most + past[Others]", "past"),
    ],
)
def test_what_a_view_leaves_out(module: Path, old: str, new: str, names: str) -> None:
    """A note names the variables that matter later: the numbers may depend on the order."""
    module.write_text(MODULE.replace(old, new))
    told: list[str] = []
    found(module, 1, 1, 3, "INVARIANT Ends\n", keep_going=True, remark=told.append)
    said = [text for text in told if "VIEW" in text]
    assert said == ([] if not names else said)
    assert not names or f"the VIEW leaves out {names}, on which later steps" in said[0]


@pytest.mark.parametrize("name", ["compress", "fingerprint"])
def test_options_that_know_nothing_of_a_view(module: Path, name: str) -> None:
    """The module is evaluated, and a note says why."""
    told: list[str] = []
    options: dict[str, Any] = {name: True}
    shown = found(module, 1, 1, 3, **options, remark=told.append)
    assert shown.engine == "interpret"
    assert any(f"VIEW is not compiled with --{name}" in text for text in told)


@pytest.mark.parametrize(
    ("view", "why"),
    [
        ("<<row, last + 0>>", "more than some variables"),
        ("[at |-> row]", "more than some variables"),
    ],
)
def test_other_views_are_evaluated(module: Path, view: str, why: str) -> None:
    """An expression that is no tuple of variables is no part of a state."""
    text = MODULE.replace("View == <<row, <<last>>>>", f"View == {view}")
    module.write_text(text)
    told: list[str] = []
    shown = found(module, 1, 1, 3, remark=told.append)
    assert shown.engine == "interpret" and why in told[0]


HIDDEN = r"""---- MODULE Hidden ----
EXTENDS Integers, TLC
CONSTANT Node
VARIABLES last, at
Init == last = {} /\ at = [n \in Node |-> 0]
Move(n) == at[n] < 2 /\ at' = [at EXCEPT ![n] = @ + 1] /\ last' = {n}
Next == \E n \in Node : Move(n)
View == <<at>>
Renamed == Permutations(Node)
====
"""


@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_the_least_view_with_symmetry(module: Path, engine: str) -> None:
    """A variable outside of the VIEW does not decide which state stands for an orbit.

    Three nodes at one of three places each are ten multisets.
    """
    path = module.with_name("Hidden.tla")
    path.write_text(HIDDEN)
    path.with_suffix(".cfg").write_text(
        "CONSTANT Node = {a, b, c}\nINIT Init\nNEXT Next\nVIEW View\nSYMMETRY Renamed\n"
        "CHECK_DEADLOCK FALSE\n"
    )
    options: dict[str, Any] = {} if engine == "interpret" else {"self_check": "all"}
    shown = check(load_module(path), engine=engine, workers=1, **options)
    assert (shown.engine, shown.distinct, shown.depth) == (engine, 10, 7)
