"""Many initial states of a TLA+ module are found by compiled conditions: the evaluator's ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.analysis.checking import check
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.search import initial_states
from specmodel.tla.symbolic.compiled import CompiledModule
from specmodel.tla.symbolic.initial import InitialStates
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.sampling import TypeFinder
from tests.tla.oracle import MODULES, RESULTS

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")


def both(module: Path) -> tuple[list[Any], list[Any]]:
    """The initial states of a module by the evaluator, and by compiled conditions."""
    model: Any = load_module(module).spec
    spec, finder = model.specification, TypeFinder(model.specification)
    evaluated = list(initial_states(spec))
    finder.take(evaluated)
    made = CompiledModule(spec, finder.types)
    return evaluated, list(InitialStates(spec, evaluated[:5]).packed(made))


def written(folder: Path, text: str) -> Path:
    """A module with one or more variables, and an action that changes nothing."""
    path = folder / "Up.tla"
    path.write_text(f"---- MODULE Up ----\nEXTENDS Integers, Sequences\n{text}\n====\n")
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    return path


def test_sets_of_every_kind() -> None:
    """Functions, subsets, records, tuples, sequences, filters; equations; ways that repeat."""
    evaluated, found = both(MODULES / "Starts.tla")
    assert sorted(map(repr, found)) == sorted(map(repr, evaluated))
    assert len(found) > len(set(found)), "one pair is generated twice"


def test_names_that_are_bound(tmp_path: Path) -> None:
    """Sets that depend on bound names, definitions and variables are gone through."""
    path = written(
        tmp_path,
        "VARIABLES x, y, z\nUpTo(k) == 0..k\n"
        "Init == /\\ \\E n \\in 1..3 : x \\in UpTo(n) /\\ y \\in {n, n + 1}\n"
        "        /\\ LET m == 2 IN z \\in UpTo(m) \\ {x}\n        /\\ x # y\n"
        "Next == UNCHANGED <<x, y, z>>",
    )
    evaluated, found = both(path)
    assert sorted(map(repr, found)) == sorted(map(repr, evaluated))


@pytest.mark.parametrize("name", ["Starts", "Starts-symmetry"])
def test_a_check_counts_as_tlc(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that the evaluator has not even begun has TLC's numbers."""
    used: list[int] = []
    packed = InitialStates.packed

    def noted(self: InitialStates, module: CompiledModule) -> Any:
        used.append(1)
        return packed(self, module)

    monkeypatch.setattr(InitialStates, "packed", noted)
    monkeypatch.setattr(checking, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    found = check(load_module(MODULES / "Starts.tla", MODULES / f"{name}.cfg"))
    wanted = json.loads(RESULTS.read_text())[name]
    assert used and found.engine == "native"
    assert [found.distinct, found.generated, found.depth] == [
        wanted["distinct"],
        wanted["generated"],
        wanted["depth"],
    ]


def test_a_million_candidates(tmp_path: Path) -> None:
    """An inductive invariant can be the initial predicate: its states are all candidates that it
    allows. The evaluator would take minutes."""
    path = written(
        tmp_path,
        "VARIABLES x, y\nInit == /\\ x \\in [1..5 -> 0..9]\n"
        "        /\\ \\A i \\in 1..4 : x[i] <= x[i + 1]\n        /\\ y \\in 0..9\n"
        "        /\\ y > x[5]\nNext == UNCHANGED <<x, y>>",
    )
    found = check(load_module(path))
    # Multisets of 5 of y numbers, for each y.
    assert found.distinct == sum([1, 6, 21, 56, 126, 252, 462, 792, 1287]), (
        "y = 1 to 9: (y + 4) over 5"
    )


def test_an_expression_without_value_is_the_evaluators(tmp_path: Path) -> None:
    """What fails for a candidate that a later condition would exclude is an error all the same."""
    path = written(
        tmp_path,
        "VARIABLE x\nInit == x \\in 0..9 /\\ 5 \\div x > 0 /\\ x > 0\nNext == UNCHANGED x",
    )
    model: Any = load_module(path).spec
    with pytest.raises(NotCompiled, match="divided by 0"):
        InitialStates(model.specification, ())


def test_an_expression_that_never_has_a_value(tmp_path: Path) -> None:
    """Such an error depends on no candidate."""
    path = written(
        tmp_path, "VARIABLE x\nInit == 5 \\div 0 > 0 /\\ x \\in 0..9\nNext == UNCHANGED x"
    )
    model: Any = load_module(path).spec
    with pytest.raises(NotCompiled, match="divided by 0"):
        InitialStates(model.specification, ())


@pytest.mark.parametrize("keep_going", [True, False])
def test_an_abstract_initial_predicate(
    tmp_path: Path, keep_going: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a refined module says of initial states is checked of those that the evaluator did not
    come to."""
    (tmp_path / "Abs.tla").write_text(
        "---- MODULE Abs ----\nEXTENDS Integers\nVARIABLE z\nInit == z < 9\n"
        "Spec == Init /\\ [][z' = z]_z\n====\n"
    )
    path = written(
        tmp_path,
        "VARIABLES x, y, z\nInit == /\\ x \\in 0..99\n        /\\ y \\in 0..99\n"
        "        /\\ z = IF x + y = 198 THEN 9 ELSE 3\n"
        "Next == UNCHANGED <<x, y, z>>\nSpec == Init /\\ [][Next]_<<x, y, z>>\n"
        "A == INSTANCE Abs\nRefines == A!Spec",
    )
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTY Refines\n")
    monkeypatch.setattr(checking, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    found = check(load_module(path), keep_going=keep_going)
    assert found["Refines"].verdict == "violated" and found["Refines"].trace_length == 1
    assert found.distinct == 10_000 if keep_going else found.stopped == "violation"


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        (lambda ways: [replace(way, conditions=()) for way in ways], "this is no initial state"),
        (lambda ways: ways[1:], "this is an initial state"),
    ],
    ids=["conditions are lost", "a way is lost"],
)
def test_other_states_than_the_evaluators_are_noticed(ways: Any, said: str) -> None:
    """A sample of the states is evaluated, and the states that the evaluator found are there."""
    model: Any = load_module(MODULES / "Starts.tla").spec
    spec, finder = model.specification, TypeFinder(model.specification)
    evaluated = list(initial_states(spec))
    found = InitialStates(spec, evaluated)
    for place, held in found.finder.types.items():
        finder.widen(place, held)
    finder.take(evaluated)
    found.ways = ways(found.ways)
    with pytest.raises(AssertionError, match=said):
        found.packed(CompiledModule(spec, finder.types))
