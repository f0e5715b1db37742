"""Checks of TLA+ modules give TLC's verdicts, numbers of states and lengths of traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specmodel.analysis.checking import check
from specmodel.results import DEADLOCK, Result, SpecFailure
from specmodel.tla import search
from specmodel.tla.loading import load_module
from tests.tla.oracle import RESULTS, behaviours, configurations, module_of

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

TLC: dict[str, Any] = json.loads(RESULTS.read_text())


def checked(configuration: Path, **given: Any) -> Result:
    """The result of a check of one of the modules beside this."""
    return check(load_module(module_of(configuration), configuration), **given)


@pytest.mark.parametrize("configuration", configurations(), ids=lambda path: path.stem)
def test_as_tlc(configuration: Path) -> None:
    """Verdict, generated and distinct states and depth; of a violation the trace's length."""
    wanted = TLC[configuration.stem]
    found = checked(configuration)
    assert found.verdict == wanted["verdict"]
    if found.verdict == "violated":
        lengths = [p.trace_length for p in found.properties if p.verdict == "violated"]
        # TLC's behaviours without end are not the shortest, and differ from run to run.
        assert lengths == [wanted["states"]] or wanted["error"].startswith("Temporal")
    elif wanted["distinct"]:
        assert [found.distinct, found.generated, found.depth] == [
            wanted["distinct"],
            wanted["generated"],
            wanted["depth"],
        ]


def test_every_configuration_was_given_to_tlc() -> None:
    """No count is made up: those of all configurations are TLC's."""
    assert sorted({*TLC} - {"behaviours"}) == sorted(path.stem for path in configurations())
    assert sorted(TLC["behaviours"]) == sorted(behaviours())


def test_a_file_comes_before_a_community_module(tmp_path: Path) -> None:
    """Community modules are part of no language: an author's module of such a name is meant."""
    (tmp_path / "Functions.tla").write_text("---- MODULE Functions ----\nRange(f) == 7\n====\n")
    (tmp_path / "Up.tla").write_text(
        "---- MODULE Up ----\nEXTENDS Functions\nVARIABLE n\nInit == n = Range(<<1>>)\n"
        "Next == n' = 7\n====\n"
    )
    (tmp_path / "Up.cfg").write_text("INIT Init\nNEXT Next\n")
    design = load_module(tmp_path / "Up.tla")
    assert check(design).distinct == 1
    assert tmp_path / "Functions.tla" in design.files


def test_a_violation_is_reported_after_a_timeout(tmp_path: Path) -> None:
    """A search that goes on past a violation and is stopped has its counterexample.

    Also where the types of its values are known from the search before.
    """
    (tmp_path / "Up.tla").write_text(
        "---- MODULE Up ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = [i \\in 1..9 |-> 0]\n"
        "Next == \\E i \\in 1..9 : n' = [n EXCEPT ![i] = @ + 1]\nLow == n[1] < 2\n====\n"
    )
    (tmp_path / "Up.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    given = {"keep_going": True, "timeout": 2.0}
    for _ in range(3):
        found = check(load_module(tmp_path / "Up.tla"), **given)
        assert found.stopped == "timeout"
        assert found.verdict == "violated" and found["Low"].trace_length == 3


def test_limits_and_options() -> None:
    """A search can be limited, go on past violations, and do without the check of deadlock."""
    jugs = next(p for p in configurations() if p.stem == "Jugs-solved")
    assert checked(jugs, max_depth=3).stopped == "max-depth"
    assert checked(jugs, max_states=5).stopped == "max-states"
    whole = checked(jugs, keep_going=True)
    assert whole.complete and whole.distinct == TLC["Jugs"]["distinct"]
    dead = next(p for p in configurations() if p.stem == "Recursion-deadlock")
    assert checked(dead, deadlock=False).distinct == TLC["Recursion"]["distinct"]
    assert DEADLOCK not in {p.name for p in checked(dead, deadlock=False).properties}
    alone = checked(jugs, properties=["TypeOK"])
    assert [p.name for p in alone.properties] == ["TypeOK", DEADLOCK]


def test_a_choice_that_is_not_tlcs_is_noted(tmp_path: Path) -> None:
    """TLC's order of model values is its own: where a CHOOSE depends on it, a note says so."""
    (tmp_path / "Pick.tla").write_text(
        "---- MODULE Pick ----\nEXTENDS Naturals\nCONSTANT Node\nVARIABLES leader, least\n"
        "Init == /\\ leader = CHOOSE n \\in Node : TRUE\n"
        "        /\\ least = CHOOSE n \\in 3..5 : n > 3\n"
        "Next == /\\ UNCHANGED <<leader, least>>\n"
        "        /\\ leader = CHOOSE n \\in Node : n = leader\n"
        "====\n"
    )
    (tmp_path / "Pick.cfg").write_text("CONSTANT Node = {n1, n2}\nINIT Init\nNEXT Next\n")
    said: list[str] = []
    check(load_module(tmp_path / "Pick.tla"), remark=said.append)
    assert len(said) == 1 and "several candidates" in said[0] and "Pick.tla:5" in said[0]


def wide(folder: Path, changes: str) -> Path:
    """A module with 4,001 states, too many to be evaluated, and a function in each of them."""
    (folder / "Wide.tla").write_text(
        "---- MODULE Wide ----\nEXTENDS Naturals, FiniteSets, TLC\nVARIABLES f, n\n"
        "Init == f = <<>> /\\ n = 0\n"
        'Key == IF n % 2 = 0 THEN <<n % 40, n + 1>> ELSE <<"a", n % 40>>\n'
        f"Next == n < 4000 /\\ n' = n + 1 /\\ {changes}\n"
        "One == Cardinality(DOMAIN f) <= 1\n====\n"
    )
    (folder / "Wide.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT One\nCHECK_DEADLOCK FALSE\n")
    return folder / "Wide.tla"


def test_arguments_of_two_kinds(tmp_path: Path) -> None:
    """TLC compares arguments of one function alone, and finds 4,001 states."""
    found = check(load_module(wide(tmp_path, "f' = Key :> n % 3")))
    assert [found.verdict, found.distinct, found.generated] == ["holds", 4001, 4001]


def test_where_compiled_code_fails(tmp_path: Path) -> None:
    """The place is the one that the evaluator finds, not that of what was evaluated before."""
    changes = "f' = (IF n = 3900 THEN <<1, f[n]>> ELSE <<n>>)"
    design = load_module(wide(tmp_path, changes))
    told: list[tuple[str, Any]] = []
    for engine in ("native", "interpret"):
        with pytest.raises(SpecFailure) as failed:
            check(design, engine=engine)
        told.append((failed.value.message, failed.value.span))
    assert told[0] == told[1]
    assert told[0][0].startswith("3900 is not in the function's domain")


COUNTED = """---- MODULE Counted ----
EXTENDS Integers
VARIABLES n, m
Init == n = 0 /\\ m = 0
Fixed[i \\in 0..3] == i >= 0 \\/ i > -1
Near[i \\in 0..3] == i = n \\/ \\E d \\in {0, 1} : i + d >= n
Plain[i \\in 0..3] == i >= n
Inline[i \\in 0..3] == i >= n /\\ (i = n \\/ n < 3)
Next == GUARD /\\ n' = (n + 1) % 3 /\\ m' = m
====
"""


@pytest.mark.parametrize(
    ("guard", "noted"),
    [
        ("Near[n]", True),
        ("(LET f == [i \\in 0..3 |-> i = n \\/ n < 3] IN f[n])", True),
        ("Inline[n]", True),
        ("Fixed[1]", False),
        ("Plain[n]", False),
        ("(~Near[n] => FALSE)", False),
        ("n < 3", False),
    ],
)
def test_a_function_that_tlc_goes_through(tmp_path: Path, guard: str, noted: bool) -> None:
    """Where TLC counts the ways through a definition as generated states, a note says so."""
    path = tmp_path / "Counted.tla"
    path.write_text(COUNTED.replace("GUARD", guard))
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    told: list[str] = []
    found = check(load_module(path), remark=told.append)
    assert (found.distinct, found.generated) == (3, 4)
    assert bool([text for text in told if "as several generated states" in text]) == noted


@pytest.mark.parametrize(("seconds", "states"), [(60.0, 100), (-1.0, 51)])
def test_the_level_of_a_violation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, states: int
) -> None:
    """The evaluator finishes it, unless that takes long."""
    monkeypatch.setattr(search, "AFTER_VIOLATION", seconds)
    (tmp_path / "Up.tla").write_text(
        "---- MODULE Up ----\nEXTENDS Integers\nVARIABLE n\nInit == n \\in 1..50\n"
        "Next == n' = n + 100\nLow == n # 101\n====\n"
    )
    (tmp_path / "Up.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    found = check(load_module(tmp_path / "Up.tla"), engine="interpret")
    assert (found.distinct, found.stopped) == (states, "violation")
    assert [p.trace_length for p in found.properties if p.trace] == [2]
