"""A saved space has the states and steps that the interpreter finds, each once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel import space
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.errors import MemoryLimit, UsageError
from specmodel.space import arrow
from specmodel.space.files import STATES, VIOLATIONS, RunFiles
from specmodel.space.manifest import Manifest
from specmodel.space.space import Space
from specmodel.space.statistics import statistics
from specmodel.space.writing import Part
from tests.conftest import Specmodel
from tests.space.graphs import real_graph, rows, saved_graph

DESIGNS = [
    ("two-phase-commit", {}, False),
    ("two-phase-commit", {}, True),
    ("kip320-first-try", {"replicas": 2, "log_size": 1, "max_leader_epoch": 1}, False),
    ("kip320", {"log_size": 1, "max_records": 1, "max_leader_epoch": 0}, True),
]


@pytest.mark.parametrize(("target", "constants", "symmetric"), DESIGNS)
def test_it_has_what_the_interpreter_finds(
    target: str, constants: dict[str, Any], symmetric: bool, tmp_path: Path
) -> None:
    """Levels, steps with their bindings, and the counts of each record; orbits too."""
    design = specmodel.load(target, **constants)
    result = specmodel.check(design, symmetry=symmetric, keep_going=True, save_space=tmp_path / "r")
    assert result.saved == tmp_path / "r"
    assert result.complete
    levels, steps = saved_graph(tmp_path / "r")
    assert (levels, steps) == real_graph(design, symmetric)
    records = RunFiles(tmp_path / "r").committed()
    assert [record["states"] for record in records] == list(result.levels)
    fired = {name: sum(r["actions"][name] for r in records) for name in result.coverage}
    assert fired == result.coverage
    assert sum(steps.values()) == sum(record["generated"] for record in records)


def test_steps_out_of_the_constraints_lead_nowhere(counter: Path, tmp_path: Path) -> None:
    """They happen and count, but there is no state that they lead to."""
    text = counter.joinpath("counter.py").read_text()
    text = text.replace("init, invariant,", "constraint, init, invariant,")
    bound = "@constraint\ndef low(s: State) -> bool:\n    return s.at < 2\n\n\n"
    text = text.replace("counter = Spec(", f"{bound}counter = Spec(constraints=[low], ")
    (tmp_path / "bounded.py").write_text(text)
    design = specmodel.load(tmp_path / "bounded.py:fine")
    specmodel.check(design, save_space=tmp_path / "r")
    assert saved_graph(tmp_path / "r") == real_graph(design, False)
    assert any(target == -1 for _, target, _ in saved_graph(tmp_path / "r")[1])


def test_parents_are_those_of_shortest_counterexamples(tmp_path: Path) -> None:
    """Back from the first violating state, parents are the states of the trace that is reported."""
    design = specmodel.load("truncate-to-hw", replicas=2, max_leader_epoch=1)
    result = specmodel.check(design, save_space=tmp_path / "r")
    broken = next(found for found in result.properties if found.verdict == "violated")
    assert broken.trace is not None
    files, manifest = RunFiles(tmp_path / "r"), Manifest.read(tmp_path / "r")
    last = len(files.committed()) - 1
    states = {row["id"]: row for n in range(last + 1) for row in rows(tmp_path / "r", STATES, n)}
    number = [p.name for p in manifest.properties].index(broken.name)
    at = next(r["state"] for r in rows(tmp_path / "r", VIOLATIONS, last) if r["property"] == number)
    steps: list[str] = []
    path: list[Any] = []
    while at >= 0:
        row = states[at]
        words = [row[f"w{word}"] & ((1 << 64) - 1) for word in range(manifest.words)]
        path.append(design.spec.domain.index(Layout(design).unpack(words)))
        if row["binding"] >= 0:
            steps.append(str(manifest.bindings[row["binding"]]))
        at = row["parent"]
    assert path[::-1] == [design.spec.domain.index(state) for state in broken.trace.states]
    assert steps[::-1] == [str(step) for step in broken.trace.steps]


def Layout(design: Design) -> Any:  # noqa: N802 - the class, of a design
    from specmodel.ir import layout

    return layout.Layout(design.spec.domain)


@pytest.mark.parametrize("target", ["two-phase-commit", "truncate-to-hw"])
def test_violations_are_all_states_where_it_is_false(target: str, tmp_path: Path) -> None:
    """Not only the first that a search reports; with the deadlocks, where those are looked for."""
    small: dict[str, Any] = {}
    if target == "truncate-to-hw":
        small = {"replicas": 2, "max_leader_epoch": 1}
    design = specmodel.load(target, **small)
    specmodel.check(design, keep_going=True, deadlock=True, save_space=tmp_path / "r")
    manifest, interpreter = Manifest.read(tmp_path / "r"), Interpreter(design.spec)
    names = [p.name for p in manifest.properties]
    levels, steps = real_graph(design, False)
    sources = {source for source, _, _ in steps}
    expected: Counter[tuple[int, str]] = Counter()
    for level, states in enumerate(levels):
        for place in states:
            state = design.spec.domain.at(place)
            for rule in design.chosen(None):
                if rule.role == "invariant" and not interpreter.holds(rule, state):
                    expected[level, rule.name] += 1
            if place not in sources:
                expected[level, "deadlock"] += 1
    found = Counter(
        (level, names[row["property"]])
        for level in range(len(levels))
        for row in rows(tmp_path / "r", VIOLATIONS, level)
    )
    assert found == expected
    assert found
    records = RunFiles(tmp_path / "r").committed()
    told = {(n, k): v for n, record in enumerate(records) for k, v in record["violations"].items()}
    assert told == expected


def test_a_search_that_ends_early_leaves_whole_levels(tmp_path: Path) -> None:
    """The last level is there without steps; what came of a level that was cut short is not."""
    design = specmodel.load("two-phase-commit")
    specmodel.check(design, max_depth=4, save_space=tmp_path / "r")
    levels, steps = saved_graph(tmp_path / "r")
    real_levels, real_steps = real_graph(design, False)
    assert levels == real_levels[:4]
    inner = set[int]().union(*levels[:3])
    assert steps == Counter({k: n for k, n in real_steps.items() if k[0] in inner})
    records = RunFiles(tmp_path / "r").committed()
    assert [record["expanded"] for record in records] == [True, True, True, False]


def test_what_is_there_is_replaced_or_refused(tmp_path: Path, specmodel: Specmodel) -> None:
    """The space of the same design makes room; of another, or other files, nothing is touched."""
    run = tmp_path / "r"
    assert specmodel("check", "two-phase-commit", "--save-space", run).code == 0
    stale = RunFiles(run).part(STATES, 99, 0)
    stale.parent.mkdir()
    stale.touch()
    ran = specmodel("check", "two-phase-commit", "--save-space", run, "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["saved"] == str(run)
    assert not stale.exists()
    ran = specmodel("check", "two-phase-commit", "--save-space", run, "--set", "participants=2")
    assert ran.code == 2
    assert "holds another space: constants participants=3, not participants=2" in ran.err
    ran = specmodel("check", "kip320", "--save-space", run)
    assert "holds another space: design two-phase-commit, not kip320" in ran.err
    (tmp_path / "notes.txt").write_text("mine")
    ran = specmodel("check", "kip320", "--save-space", tmp_path)
    assert ran.code == 2
    assert "holds other files: give a new folder" in ran.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--partial-order", "--invariant", "agreement"], "--partial-order leaves out steps"),
        (["--fingerprint"], "--fingerprint keeps no whole states"),
        (["--engine", "interpret"], "the interpreter saves no space"),
    ],
)
def test_what_has_no_whole_space_is_refused(
    options: list[str], said: str, tmp_path: Path, specmodel: Specmodel
) -> None:
    """Before the search, not after it."""
    ran = specmodel("check", "two-phase-commit", "--save-space", tmp_path / "r", *options)
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), MemoryLimit(1, 1)])
def test_a_space_that_cannot_be_saved_leaves_the_verdict(
    failure: Exception, tmp_path: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is told of, with exit code 3; what had been written counts, and no more."""
    whole = Part.__exit__

    def full(part: Part, *error: Any) -> None:
        if "level=0003" in str(part.path):
            raise failure
        whole(part, *error)

    monkeypatch.setattr(Part, "__exit__", full)
    run = tmp_path / "r"
    ran = specmodel("check", "two-phase-commit", "--save-space", run)
    assert ran.code == 3
    assert "two-phase-commit holds" in ran.out
    assert f"note: the space is not saved in {run}: " in ran.err
    assert "(3 of 11 levels are there)" in ran.err
    assert len(RunFiles(run).committed()) == 3
    found = statistics(Space(run))
    assert [(level.states, level.generated) for level in found.levels] == [(1, 7), (7, 42), (21, 0)]
    assert specmodel("diff", run, run).out.count("nothing that the other has not") == 2


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package is an extra, asked for before the search."""
    monkeypatch.setattr(arrow, "find_spec", lambda name: None)  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]
    for ask in (lambda: specmodel.check("two-phase-commit", save_space=tmp_path / "r"),
                lambda: space.open(tmp_path)):  # fmt: skip
        with pytest.raises(
            UsageError, match=r"numpy and pyarrow: run `pip install 'specmodel\[data"
        ):
            ask()
