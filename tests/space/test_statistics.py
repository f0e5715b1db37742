"""Statistics of a saved space agree with counts made by the interpreter."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.behaviour.steps import Interpreter
from specmodel.ir.layout import codes_of
from specmodel.ir.variables import variables_of
from specmodel.space.space import Space
from specmodel.space.statistics import Statistics, statistics
from tests.conftest import Specmodel
from tests.space.runs import actions, known, saved, text

DESIGNS: list[tuple[str, dict[str, Any]]] = [
    ("two-phase-commit", {}),
    ("truncate-to-hw", {"replicas": 2, "max_leader_epoch": 1}),
]


def of(folder: Path, target: str, constants: dict[str, Any]) -> Statistics:
    saved(folder, target, **constants)
    return statistics(Space(folder))


VALUES = f"{Path(__file__).parents[1] / 'specs/values.py'}:values"
"""A state of several words."""


@pytest.mark.parametrize(("target", "constants"), [*DESIGNS, (VALUES, {})])
def test_they_are_the_interpreters(target: str, constants: dict[str, Any], tmp_path: Path) -> None:
    """Levels, degrees, actions; values of each variable alone, and of all else without it."""
    found = of(tmp_path / "r", target, constants)
    design = specmodel.load(target, **constants)
    expected = known(design)
    assert [level.states for level in found.levels] == [len(level) for level in expected.levels]
    assert found.transitions == len(expected.steps)
    out = Counter(source for source, _, _ in expected.steps)
    assert found.degrees == Counter(out[state] for state in expected.states)
    fired = actions(expected.steps)
    assert {action.name: action.fired for action in found.actions if action.fired} == fired
    codes = [list(codes_of(design.spec.domain, s)) for level in expected.levels for s in level]
    for variable, told in zip(variables_of(design.spec.domain), found.variables, strict=True):
        rest = [n for n in range(len(codes[0])) if n not in variable.leaves]
        assert told.name == variable.name
        assert told.values == len({tuple(row[n] for n in variable.leaves) for row in codes})
        assert told.without == len({tuple(row[n] for n in rest) for row in codes})


def test_the_ways_to_violations_are_the_shortest(tmp_path: Path) -> None:
    """Shares of actions on them, by following the least predecessors back, state by state."""
    target, constants = DESIGNS[1]
    found = of(tmp_path / "r", target, constants)
    design = specmodel.load(target, **constants)
    interpreter, expected = Interpreter(design.spec), known(design)
    index = design.spec.domain.index
    order = {text(s): index(s) for level in expected.levels for s in level}
    depth = expected.states
    parent: dict[str, tuple[str, str]] = {}
    for level, following in pairwise(expected.levels):
        for source in sorted(level, key=index):
            for number, target_state in interpreter.successors(source):
                name = text(target_state)
                if depth[name] == depth[text(source)] + 1 and name not in parent:
                    parent[name] = (text(source), interpreter.bindings[number][0].name)
        assert all(text(s) in parent for s in following)

    def way(state: str) -> list[str]:
        taken: list[str] = []
        while state in parent:
            state, action = parent[state]
            taken.append(action)
        return taken[::-1]

    rules = {rule.name: rule for rule in design.chosen(None)}
    states = {text(s): s for level in expected.levels for s in level}
    assert found.broken
    for broken in found.broken:
        mine = {n for n, s in states.items() if not interpreter.holds(rules[broken.name], s)}
        entries = [n for n in mine if parent[n][0] not in mine]
        assert (broken.states, broken.entries) == (len(mine), len(entries))
        assert broken.depth == min(depth[n] for n in mine)
        for told in broken.before:
            ways = [way(n) for n in entries]
            assert told.last == pytest.approx(
                sum(w[-1] == told.action for w in ways) / len(entries)
            )
            assert told.on == pytest.approx(sum(told.action in w for w in ways) / len(entries))
            everywhere = sum(told.action in way(n) for n in states) / len(states)
            assert told.elsewhere == pytest.approx(everywhere)
    assert len(order) == found.states


def test_the_command_says_it(
    tmp_path: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text for people, an object for programs; an incomplete space is called so."""
    run = tmp_path / "r"
    assert specmodel("check", "two-phase-commit", "--save-space", run).code == 0
    ran = specmodel("stats", run)
    assert ran.code == 0
    assert ran.out.endswith(
        "two-phase-commit at participants=3: 288 states, 761 transitions, depth 11, complete\n"
    )
    told = json.loads(specmodel("stats", run, "--format", "json").out)
    assert (told["states"], told["depth"], told["complete"]) == (288, 11, True)
    monkeypatch.setenv("COLUMNS", "80")
    for line in specmodel("stats", run).out.splitlines():
        assert len(line) <= 80
    assert specmodel("check", "two-phase-commit", "--save-space", run, "--max-depth", 3).code == 3
    assert "depth 3, incomplete" in " ".join(specmodel("stats", run).out.split())
    none, file, empty = (tmp_path / name for name in ("none", "file", "empty"))
    file.touch()
    empty.mkdir()
    for path, said in {
        none: f"there is no folder {none}",
        file: f"{file} is a file: give the folder that --save-space, --run or --save-walks has",
        empty: f"{empty} holds no saved space: there is no manifest.json",
    }.items():
        ran = specmodel("stats", path)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"error: {said}")
