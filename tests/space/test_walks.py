"""Saved walks: tables that say what the walks did, the same from every engine."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel import UsageError, space
from specmodel.behaviour.steps import Interpreter
from specmodel.engines import registry
from specmodel.engines.base.engine import Engine
from specmodel.errors import DamagedRun
from specmodel.results import WalkProgress
from specmodel.space import arrow
from specmodel.space.files import read_json, write_json
from specmodel.space.queries import query
from specmodel.space.walk_manifest import TABLES
from specmodel.space.walk_tables import Walks
from specmodel.space.writing import Part
from specmodel.walks.plan import Strategy, WalkPlan
from tests.conftest import Golden, Specmodel
from tests.space.runs import text

ROOT = Path(__file__).parents[2]
IMPATIENT = "two-phase-commit-impatient"

COUNTER = """
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, constraint, init

class State(Struct):
    n: Annotated[int, Range(0, 12)]

@init
def some(n: Annotated[int, Range(0, 2)]) -> State:
    return State(n)

@action
def step(s: State, by: Annotated[int, Range(1, 3)]) -> None:
    s.n += by

@action
def back(s: State) -> None:
    s.n = max(0, s.n - 2)

@constraint
def near(s: State) -> bool:
    return s.n < 9

free = Spec(state=State, init=some, actions=[step, back])
near = Spec(state=State, init=some, actions=[step, back], constraints=[near])
"""


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with the counter, in the current directory."""
    (tmp_path / "counter.py").write_text(COUNTER)
    monkeypatch.chdir(tmp_path)


def walked(folder: Path, target: str, **plan: Any) -> dict[str, Any]:
    """The tables that a simulation leaves."""
    found = specmodel.simulate(target, save_walks=folder, **plan)
    assert found.saved == folder
    held = space.open(folder)
    assert isinstance(held, Walks)
    return {name: held.table(name) for name in held.tables}


@pytest.mark.parametrize("strategy", list(Strategy))
def test_tables_are_what_the_walks_did(tmp_path: Path, strategy: Strategy) -> None:
    """Each walk gone again by CPython, one after the other, and all counted anew."""
    design = specmodel.load("two-phase-commit", participants=2)
    plan = WalkPlan(150, 7, 5, strategy)
    tables = walked(tmp_path / "w", "two-phase-commit", participants=2, walks=150, depth=7,
                    seed=5, strategy=strategy.value)  # fmt: skip
    interpreter = Interpreter(design.spec)
    walker = registry.engine("interpret").walker(design, (), plan, frozenset())
    initial = list(interpreter.initial())
    fired, spread = Counter[int](), Counter[int]()
    visits: dict[str, set[int]] = {}
    rows: list[Any] = []
    known: dict[int, tuple[int, ...]] = {}
    for first, end in plan.rounds():
        walker.go(first, end)
        for number in range(first, end):
            path = walker.path(number)
            states = [initial[path.initial]]
            for binding in path.bindings:
                states.append(interpreter.successor(states[-1], binding))
            for state in states:
                visits.setdefault(text(state), set()).add(number)
            fired.update(path.bindings)
            spread.update(set(path.bindings))
            stuck = next(interpreter.successors(states[-1]), None) is None
            how = "depth" if len(states) == 7 else "no successor"
            assert stuck or how == "depth"
            rows.append({"walk": number, "states": len(states), "end": how})
        met = Counter(len(walks) for walks in visits.values())
        known[end] = (sum(fired.values()), len(visits), met[1], met[2])
        walker.learn()
    assert tables["walks"].to_pylist() == rows
    lengths = Counter(row["states"] for row in rows)
    depths = {row["states"]: row["walks"] for row in tables["depths"].to_pylist()}
    assert depths == lengths
    steps = sum(fired.values())
    for row in tables["coverage"].to_pylist():
        step = interpreter.step(row["binding"])
        assert row["action"] == step.action
        assert dict(row["arguments"]) == {k: repr(v) for k, v in step.arguments.items()}
        assert (row["fired"], row["walks"]) == (fired[row["binding"]], spread[row["binding"]])
        assert row["share"] == pytest.approx(row["fired"] / steps)
    told = {
        row["walks"]: (row["steps"], row["states"], row["once"], row["twice"])
        for row in tables["novelty"].to_pylist()
    }
    assert told == known
    assert sum(tables["novelty"].column("new_states").to_pylist()) == len(visits)
    assert tables["violations"].num_rows == 0


def test_actions_count_walks_once(tmp_path: Path) -> None:
    """A walk that takes two bindings of an action has taken the action, once."""
    tables = walked(tmp_path / "w", "two-phase-commit", walks=500)
    actions = {row["action"]: row for row in tables["actions"].to_pylist()}
    coverage = tables["coverage"].to_pylist()
    for name, row in actions.items():
        mine = [held for held in coverage if held["action"] == name]
        assert row["fired"] == sum(held["fired"] for held in mine)
        most, all_of_them = max(h["walks"] for h in mine), sum(h["walks"] for h in mine)
        assert most <= row["walks"] <= min(500, all_of_them)
    assert actions["obey"]["walks"] < sum(h["walks"] for h in coverage if h["action"] == "obey")


@pytest.mark.parametrize(
    ("target", "plan"),
    [
        (IMPATIENT, {"seed": 1, "strategy": "coverage"}),
        ("two-phase-commit", {"walks": 150, "depth": 5, "deadlock": True}),
        ("counter.py:near", {"walks": 200, "depth": 9}),
        ("kip320-first-try", {"walks": 40, "strategy": "weighted", "weights": {"write": 0}}),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_engines_and_workers_leave_the_same(
    tmp_path: Path, counter: None, target: str, plan: dict[str, Any]
) -> None:
    """CPython and machine code, one worker and two: all tables, row by row."""
    wanted = walked(tmp_path / "i", target, engine="interpret", **plan)
    for workers in (1, 2):
        found = walked(tmp_path / f"n{workers}", target, workers=workers, **plan)
        # Whether a trace is known to be as short as any is a matter of how far an engine looks.
        found["violations"], violations = (
            held["violations"].select(["property", "kind", "walk", "states", "trace_length"])
            for held in (found, wanted)
        )
        for name in TABLES:
            assert found[name].equals(violations if name == "violations" else wanted[name]), name


def test_a_thinned_sample_leaves_the_same(tmp_path: Path) -> None:
    """More states than are kept: estimates at every milestone are those of any other worker."""
    one, two = (
        walked(tmp_path / f"{n}", "kip320", walks=20_000, workers=n)["novelty"] for n in (1, 2)
    )
    assert one.equals(two)
    last = one.to_pylist()[-1]
    assert last["share"] < 1
    assert last["states"] == specmodel.simulate("kip320", walks=20_000).touched.states


def test_spark_leaves_and_reads_the_same(tmp_path: Path, spark: Any) -> None:
    """Walks made as tasks: the same tables; the same rows through Spark SQL."""
    plan = {"seed": 3, "strategy": "pct", "depth": 30}
    wanted = walked(tmp_path / "n", IMPATIENT, workers=1, **plan)
    found = walked(tmp_path / "s", IMPATIENT, engine="spark", workers=2, **plan)
    assert [name for name in TABLES if not found[name].equals(wanted[name])] == []
    held = space.open(tmp_path / "s")
    for name in ("walks", "coverage", "novelty"):  # texts, a map, nulls
        told = held.dataframe(spark, name).toArrow().to_pylist()
        assert told == wanted[name].to_pylist()
    asked = "select end, count(*) as n from walks group by end order by n"
    ends = Counter(wanted["walks"].column("end").to_pylist())
    assert dict(query(held, spark, asked).rows) == ends
    assert ends["violation"] == 1


def test_how_walks_end(tmp_path: Path, counter: None) -> None:
    """The depth, a state that allows nothing, weights that do, constraints, a violation."""
    ends: set[str] = set()
    for number, (target, plan) in enumerate(
        [
            (IMPATIENT, {"seed": 1}),
            ("two-phase-commit", {"walks": 50, "depth": 3}),
            ("kip320", {"walks": 50, "strategy": "weighted", "weights": {"write": 0}}),
            ("counter.py:near", {"walks": 60}),
        ]
    ):
        table = walked(tmp_path / str(number), target, **plan)["walks"]
        ends |= set(table.column("end").to_pylist())
    assert ends == {"depth", "no successor", "no weight", "constraint", "violation"}


def test_a_violation_is_the_last_row(tmp_path: Path) -> None:
    """Walks after it were made, maybe, but are not there."""
    tables = walked(tmp_path / "w", IMPATIENT)
    (row,) = tables["violations"].to_pylist()
    assert (row["property"], row["walk"], row["trace_length"]) == ("agreement", 667, 10)
    assert tables["walks"].num_rows == 668
    last = tables["walks"].to_pylist()[-1]
    assert last == {"walk": 667, "states": row["states"], "end": "violation"}


def test_what_is_in_a_folder_is_not_lost(tmp_path: Path, specmodel: Specmodel) -> None:
    """The same walks take the place of earlier ones; other files and other walks stay."""
    words = ("simulate", "two-phase-commit", "--walks", "100", "--save-walks")
    run = tmp_path / "w"
    for _ in range(2):
        assert specmodel(*words, run).code == 0
        assert not (run / ".walks.parquet.0.part").exists()
        (run / ".walks.parquet.0.part").touch()  # as a process that is killed leaves it
    ran = specmodel(*words, run, "--seed", "2")
    assert ran.code == 2
    assert "holds other walks: seed 0, not 2; give another folder" in ran.err
    assert specmodel("stats", run).code == 0
    (tmp_path / "notes.txt").write_text("mine")
    ran = specmodel(*words, tmp_path)
    assert ran.code == 2
    assert "holds other files: give a new folder" in ran.err
    ran = specmodel(*words, tmp_path / "notes.txt")
    assert (ran.code, ran.out) == (2, "")
    assert f"cannot save walks in {tmp_path / 'notes.txt'}: it is a file" in ran.err


def test_a_space_and_walks_are_told_apart(tmp_path: Path, specmodel: Specmodel) -> None:
    """What is for one says so of the other."""
    specmodel("simulate", "two-phase-commit", "--walks", "9", "--save-walks", tmp_path / "w")
    specmodel("check", "two-phase-commit", "--save-space", tmp_path / "s")
    for words in (
        ("diff", tmp_path / "s", tmp_path / "w"),
        ("check", "two-phase-commit", "--save-space", tmp_path / "w"),
    ):
        ran = specmodel(*words)
        assert (ran.code, ran.out) == (2, "")
        assert "holds random walks (of simulate --save-walks), which are no state" in ran.err
    ran = specmodel("simulate", "two-phase-commit", "--save-walks", tmp_path / "s")
    assert ran.code == 2
    assert "holds a state space, and no walks" in ran.err


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    """An unknown table, one that is gone, and walks that were never finished."""
    walked(tmp_path / "w", "two-phase-commit", walks=9)
    held = space.open(tmp_path / "w")
    with pytest.raises(UsageError, match='no table of walks is called "walk"; did you mean "wal'):
        held.table("walk")
    (tmp_path / "w" / "depths.parquet").unlink()
    with pytest.raises(DamagedRun, match=r"depths\.parquet is not there"):
        held.table("depths")
    (tmp_path / "w" / "walks.parquet").write_bytes(b"PAR1")
    with pytest.raises(DamagedRun, match=r"walks\.parquet cannot be read"):
        held.table("walks")
    manifest = tmp_path / "w" / "manifest.json"
    held = read_json(manifest)
    assert held is not None
    del held["files"]
    write_json(manifest, held)
    with pytest.raises(UsageError, match="has no walks yet"):
        space.open(tmp_path / "w")
    write_json(manifest, {**held, "format": 9, "specmodel": "9.9"})
    with pytest.raises(UsageError, match=r"another version of specmodel \(9\.9\)"):
        space.open(tmp_path / "w")
    del held["bindings"]
    write_json(manifest, held)
    with pytest.raises(DamagedRun, match="is not what was written: KeyError"):
        space.open(tmp_path / "w")


@pytest.mark.parametrize("method", ["add", "close"])
@pytest.mark.parametrize(("target", "code"), [("two-phase-commit", 3), (IMPATIENT, 1)])
def test_a_full_disk_costs_the_tables_alone(
    tmp_path: Path,
    specmodel: Specmodel,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    target: str,
    code: int,
) -> None:
    """The walks go on and are told of; a note and the exit code say that they are not saved."""

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Part, method, full)
    run = tmp_path / "w"
    ran = specmodel("simulate", target, "--walks", "2000", "--save-walks", run, "--format", "json")
    assert ran.code == code
    assert json.loads(ran.out)["saved"] is None
    assert ran.err == f"note: the walks are not saved in {run}: No space left on device\n"
    assert "has no walks yet" in specmodel("stats", run).err


@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_an_interrupted_simulation_saves_what_it_has(tmp_path: Path, engine: str) -> None:
    """Walks that had ended are there, those that were under way are not."""

    def interrupt(progress: WalkProgress) -> None:
        if progress.walks > 300:
            raise KeyboardInterrupt

    run = tmp_path / "w"
    found = specmodel.simulate("two-phase-commit", timeout=60, engine=engine, save_walks=run,
                               progress=interrupt)  # fmt: skip
    assert (found.stopped, found.saved) == ("interrupted", run)
    held = space.open(run)
    assert isinstance(held, Walks)
    assert held.report["stopped"] == "interrupted"
    assert held.table("walks").num_rows == held.report["walks"] == found.walks
    assert sum(held.table("depths").column("walks").to_pylist()) == found.walks
    assert held.table("novelty").to_pylist()[-1]["states"] == found.touched.states


def test_a_failing_spec_saves_nothing(tmp_path: Path, counter: None) -> None:
    """There is no report, and a remark says that there are no tables."""
    remarks: list[str] = []
    with pytest.raises(specmodel.SpecFailure):
        specmodel.simulate("counter.py:free", save_walks=tmp_path / "w", remark=remarks.append)
    assert remarks == [f"the walks are not saved in {tmp_path / 'w'}: the simulation has failed"]
    with pytest.raises(UsageError, match="has no walks yet"):
        space.open(tmp_path / "w")


def test_statistics_of_walks(tmp_path: Path, specmodel: Specmodel, golden: Golden) -> None:
    """The report, and the object with its keys as documented."""
    specmodel("simulate", IMPATIENT, "--save-walks", tmp_path / "w")
    ran = specmodel("stats", tmp_path / "w")
    assert (ran.code, ran.err) == (0, "")
    golden("stats-walks.txt", ran.out)
    told = json.loads(specmodel("stats", tmp_path / "w", "--format", "json").out)
    page = (ROOT / "docs" / "reference" / "json-space.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    assert set(told) <= named
    assert sum(told["ends"].values()) == told["walks"] == 668


def test_the_folder_is_documented(tmp_path: Path) -> None:
    """docs/reference/walks-folder.md has each table with its columns, and all keys."""
    tables = walked(tmp_path / "w", IMPATIENT)
    page = (ROOT / "docs" / "reference" / "walks-folder.md").read_text(encoding="utf-8")
    for name, table in tables.items():
        section = page.split(f"## {name.capitalize()}\n")[1].split("\n## ")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, re.M) == table.column_names
    named = set(re.findall(r"`(\w+)`", page))
    for file in ("manifest.json", "report.json"):
        held = json.loads((tmp_path / "w" / file).read_text(encoding="utf-8"))
        assert set(held) <= named
    assert set(json.loads((tmp_path / "w/manifest.json").read_text())["identity"]) <= named


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is walked."""
    monkeypatch.setattr(arrow, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'specmodel\[data\]'"):
        specmodel.simulate("two-phase-commit", save_walks=tmp_path / "w")


def test_milestones_do_not_depend_on_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine whose rounds are larger, as those of Spark are, tells of the same milestones."""
    wanted = walked(tmp_path / "n", "two-phase-commit", walks=3000)
    make = Engine.walker

    def larger(*plan: Any) -> Any:
        walker = make(*plan)
        walker.scale = 16
        return walker

    monkeypatch.setattr(Engine, "walker", larger)
    found = walked(tmp_path / "s", "two-phase-commit", walks=3000)
    assert found["novelty"].num_rows == 6
    for name in TABLES:
        assert found[name].equals(wanted[name]), name
