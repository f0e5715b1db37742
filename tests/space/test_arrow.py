"""The tables of a space say what the interpreter finds, value by value."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from specmodel import space
from specmodel.domains import Map, ValueSet
from specmodel.domains.shapes import is_sequence
from specmodel.errors import DamagedRun, UsageError
from specmodel.lang.struct import Struct
from specmodel.space.files import RunFiles
from specmodel.space.manifest import Manifest
from specmodel.space.space import Space
from specmodel.space.statistics import statistics
from specmodel.space.tables import TABLES, field_columns
from specmodel.space.types import plain
from tests.space.runs import known, saved, text

SMALL: dict[str, Any] = {"replicas": 2, "max_leader_epoch": 1}


def shown(value: Any) -> Any:
    """A value as a table gives it back."""
    if isinstance(value, Struct):
        return {name: shown(held) for name, held in vars(value).items()}
    if isinstance(value, Map):
        return [(plain(key), shown(held)) for key, held in value.items()]
    if is_sequence(value) or isinstance(value, ValueSet):
        return [shown(held) for held in value]
    return None if value is None else plain(value)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space") / "run"
    saved(folder, "truncate-to-hw", **SMALL)
    return folder


def test_states_have_their_fields_and_depth(run: Path) -> None:
    """A row for each state, decoded without the spec's source."""
    import specmodel

    expected = known(specmodel.load("truncate-to-hw", **SMALL))
    rows = space.open(run).table("states").to_pylist()
    own = ("id", "depth", "parent", "action", "binding")
    found = Counter(
        (row["depth"], repr({k: v for k, v in row.items() if k not in own})) for row in rows
    )
    assert found == Counter(
        (depth, repr(shown(state)))
        for depth, level in enumerate(expected.levels, 1)
        for state in level
    )
    assert [row["parent"] for row in rows if row["depth"] == 1] == [None] * len(expected.levels[0])


def test_transitions_and_actions_are_counted(run: Path) -> None:
    """Each step is a row, by binding; what a binding finds first adds up to all states but some."""
    import specmodel

    expected = known(specmodel.load("truncate-to-hw", **SMALL))
    opened = Space(run)
    taken = Counter(step for _, step, _ in expected.steps)
    rows = opened.table("actions").to_pylist()
    told = {
        f"{row['action']}({', '.join(f'{k}={v}' for k, v in row['arguments'])})": row["fired"]
        for row in rows
    }
    assert {step: count for step, count in told.items() if count} == taken
    assert opened.table("transitions").num_rows == len(expected.steps)
    assert sum(row["found"] for row in rows) == opened.size - len(expected.levels[0])


def test_violations_name_their_property(run: Path) -> None:
    """Every state in which it is false."""
    import specmodel
    from specmodel.behaviour.steps import Interpreter

    design = specmodel.load("truncate-to-hw", **SMALL)
    interpreter, expected = Interpreter(design.spec), known(design)
    broken = Counter(
        (rule.name, depth)
        for depth, level in enumerate(expected.levels, 1)
        for state in level
        for rule in design.chosen(None)
        if rule.role == "invariant" and not interpreter.holds(rule, state)
    )
    rows = space.open(run).table("violations").to_pylist()
    assert Counter((row["property"], row["depth"]) for row in rows) == broken
    assert broken


def test_tables_without_rows_have_their_columns(tmp_path: Path) -> None:
    """A space without violations has an empty table of them, not an error."""
    saved(tmp_path / "r", "two-phase-commit", participants=1)
    table = space.open(tmp_path / "r").table("violations")
    assert (table.num_rows, table.column_names) == (
        0,
        ["property", "state", "depth", "action", "binding"],
    )


def test_a_field_with_a_name_of_ours_is_told_apart(tmp_path: Path) -> None:
    """A state with fields `depth` and `ID` keeps them: SQL does not tell ID from id."""
    source = tmp_path / "own.py"
    source.write_text(
        "from specmodel.lang import Spec, Struct, action, init, require\n\n\n"
        "class State(Struct):\n    depth: bool\n    ID: bool\n    other: bool\n\n\n"
        "@init\ndef start() -> State:\n    return State(False, True, False)\n\n\n"
        "@action\ndef go(s: State) -> None:\n    require(not s.depth)\n    s.depth = True\n\n\n"
        "own = Spec(state=State, init=start, actions=[go])\n"
    )
    saved(tmp_path / "r", f"{source}:own")
    columns = field_columns(Manifest.read(tmp_path / "r"))
    assert columns == {"depth": "depth_", "ID": "ID_", "other": "other"}
    rows = space.open(tmp_path / "r").table().to_pylist()
    assert [(row["depth"], row["depth_"], row["ID_"]) for row in rows] == [
        (1, False, True),
        (2, True, True),
    ]


def test_what_cannot_be_read_is_said(run: Path, tmp_path: Path) -> None:
    """Unknown tables, no level that is whole, a damaged file, a state that is missing."""
    with pytest.raises(UsageError, match='no table is called "state"; did you mean "states"'):
        space.open(run).table("state")
    assert set(TABLES) == {"states", "transitions", "actions", "violations"}
    saved(tmp_path / "r", "two-phase-commit", participants=1)
    files = RunFiles(tmp_path / "r")
    path = files.part("states", 1, 0)
    opened = Space(tmp_path / "r")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DamagedRun, match=r"shard=0000\.parquet cannot be read"):
        opened.table()
    path.write_bytes(files.part("states", 2, 0).read_bytes())
    with pytest.raises(DamagedRun, match="not each of the"):
        statistics(opened)
    path.write_bytes(b"no table")
    with pytest.raises(DamagedRun, match="the space cannot be read: "):
        statistics(opened)
    path.unlink()
    with pytest.raises(DamagedRun, match=r"shard=0000\.parquet cannot be read: .*No such file"):
        opened.table()
    with pytest.raises(DamagedRun, match=r"the space cannot be read: .*shard=0000\.parquet"):
        statistics(opened)
    files.drop()
    with pytest.raises(UsageError, match="no level that is whole"):
        space.open(tmp_path / "r")


def test_the_design_comes_along_if_it_is_the_same(tmp_path: Path, counter: Path) -> None:
    """Ways through a space are shown by the design's source, unless that has changed since."""
    saved(tmp_path / "r", str(counter / "counter.py:counter"))
    assert Space(tmp_path / "r").design is not None
    source = counter / "counter.py"
    source.write_text(source.read_text().replace("s.at += 1", "s.at += 2"))
    assert Space(tmp_path / "r").design is None
    source.unlink()
    assert Space(tmp_path / "r").design is None
    assert text(None) == "None"


@pytest.mark.long
def test_a_run_on_spark_is_read_like_any_other(tmp_path: Path, spark: Any) -> None:
    """Without parents and transitions there are states and verdicts; the rest is said to lack."""
    import specmodel
    from specmodel.space.statistics import statistics

    result = specmodel.check("two-phase-commit", engine="spark", workers=2, run=tmp_path / "r")
    opened = Space(tmp_path / "r")
    found = statistics(opened)
    assert (found.complete, found.states, found.transitions) == (True, result.distinct, None)
    assert [level.states for level in found.levels] == list(result.levels)
    assert {action.name: action.fired for action in found.actions} == result.coverage
    assert Counter(row["depth"] for row in opened.table().to_pylist()) == Counter(
        {depth: states for depth, states in enumerate(result.levels, 1)}
    )
    with pytest.raises(UsageError, match=r"no transitions.*spark --run \S+r --save-space DIR"):
        opened.table("transitions")
    told = opened.dataframe(spark, "actions").toArrow().to_pylist()
    assert told == opened.table("actions").to_pylist()
    assert {(row["fired"], row["found"]) for row in told} == {(None, None)}
