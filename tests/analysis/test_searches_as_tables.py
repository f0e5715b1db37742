"""Tables of sweeps, ablations and comparisons: the rows of the reports, with types."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.analysis.ablation import CHANGE
from specmodel.analysis.tables import FOUND
from specmodel.space import arrow, writing
from specmodel.views.sweep import sweep_csv
from tests.conftest import Specmodel
from tests.written import written

DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "json-series.md"
SMALL: dict[str, Any] = {"log_size": 1, "max_records": 1, "max_leader_epoch": 1}

BOUNDED = """
top = constant("top", 2, low=0, high=9)
wrap = constant("wrap", False)

class State(Struct):
    n: Annotated[int, Range(0, 3)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    require(s.n < top or wrap)
    s.n = 0 if wrap and s.n == top else s.n + 1

@invariant
def low(s: State) -> bool:
    return s.n < 3

counter = Spec(state=State, init=zero, actions=[step], invariants=[low])
"""


def test_a_sweep_is_its_csv_with_types(tmp_path: Path) -> None:
    """Every cell of the CSV, as a number, truth value, text or null; a failing spec has one row."""
    file = written(tmp_path, BOUNDED, "counter.py")
    vary = {"top": (1, 3, 5), "wrap": (False, True)}
    found = specmodel.sweep(file, vary=vary, engine="interpret")
    table = found.table()
    rows = list(csv.DictReader(sweep_csv(found)))
    assert table.column_names == list(rows[0])

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None else str(round(value, 6) if type(value) is float else value)

    told = [{name: text(value) for name, value in row.items()} for row in table.to_pylist()]
    assert told == rows
    kinds = {
        name: str(kind) for name, kind in zip(table.column_names, table.schema.types, strict=True)
    }
    assert (kinds["top"], kinds["wrap"], kinds["seconds"]) == ("int64", "bool", "double")
    assert (kinds["complete"], kinds["trace_length"]) == ("bool", "int64")
    by = {(row["top"], row["wrap"]): row for row in table.to_pylist()}
    assert (by[1, False]["verdict"], by[1, False]["trace_length"]) == ("holds", None)
    assert (by[3, False]["verdict"], by[3, False]["trace_length"]) == ("violated", 4)
    assert "3" in by[5, False]["failure"]
    assert by[5, False]["distinct"] is by[5, False]["complete"] is None


def test_designs_with_other_constants(tmp_path: Path) -> None:
    """A constant that only one design has is null for the other."""
    grid = specmodel.sweep("kip101", "truncate-to-hw", vary={"replicas": (2,)}, **SMALL).table()
    assert set(grid.column("design").to_pylist()) == {"kip101", "truncate-to-hw"}
    pair = specmodel.compare("kip320", "kip320-first-try", replicas=2, **SMALL)
    table = pair.table()
    assert table.column_names[0] == "design"
    assert list(table.column_names)[-len(FOUND) :] == list(FOUND)
    for result in pair.results:
        mine = [row for row in table.to_pylist() if row["design"] == result.design]
        assert [row["property"] for row in mine] == [p.name for p in result.properties]
        assert [row["trace_length"] for row in mine] == [p.trace_length for p in result.properties]
        assert {row["distinct"] for row in mine} == {result.distinct}
        assert all(row[name] == value for row in mine for name, value in result.constants.items())


def test_an_ablation_begins_with_the_design_as_it_is() -> None:
    """Change 0, and then every change with what it does, a row for each property."""
    found = specmodel.ablate("two-phase-commit", participants=2, engine="interpret")
    table = found.table()
    rows = table.to_pylist()
    properties = len(found.intact.properties)
    assert [row["change"] for row in rows[:properties]] == [0] * properties
    assert {rows[0][name] for name in CHANGE if name != "change"} == {None}
    for ablation in found.ablations:
        mine = [row for row in rows if row["change"] == ablation.number]
        assert {row["effect"] for row in mine} == {ablation.effect}
        assert [tuple(row["actions"]) for row in mine][:1] == [ablation.rule.actions]
        assert [row["verdict"] for row in mine] == (
            [p.verdict for p in ablation.outcome.properties] or [None]
        )
    assert table.num_rows > properties


@pytest.mark.parametrize(
    "words",
    [
        ("sweep", "two-phase-commit", "--vary", "participants=1"),
        ("compare", "two-phase-commit", "two-phase-commit-impatient", "--set", "participants=1"),
        ("ablate", "two-phase-commit", "--set", "participants=1", "--action", "obey"),
    ],
    ids=lambda words: words[0],
)
def test_commands_leave_a_file(specmodel: Specmodel, tmp_path: Path, words: tuple[str]) -> None:
    """The report as ever, and the table beside it, with the columns that are documented."""
    file = tmp_path / "found.parquet"
    ran = specmodel(*words, "--engine", "interpret", "--save-table", file)
    assert (ran.code, ran.err) == (0, "")
    assert "two-phase-commit" in ran.out
    table = arrow.parquet().read_table(file)
    assert table.num_rows > 0
    section = DOCUMENTED.read_text(encoding="utf-8").partition("## Tables")[2]
    columns = re.findall(r"`(\w+)`", section.partition("## minimise")[0])
    assert [c for c in table.column_names if c not in (*columns, "participants")] == []
    assert [c for c in (*FOUND, *CHANGE) if c not in columns] == []


def test_a_table_takes_the_place_of_another(tmp_path: Path) -> None:
    """Whole, behind a link, with the rights that were there; or not at all, with nothing beside."""
    file, link = tmp_path / "x.parquet", tmp_path / "link.parquet"
    file.touch(0o600)
    link.symlink_to(file)
    writing.write_table(link, arrow.arrow().table({"a": [1, 2]}))
    assert (link.is_symlink(), file.stat().st_mode & 0o777) == (True, 0o600)
    with pytest.raises(AttributeError):
        writing.write_table(link, "no table")
    assert arrow.parquet().read_table(file).num_rows == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.parquet", "x.parquet"]


def test_wrong_use(specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is none for a table, a full disk, no pyarrow: each is said."""
    words = ("sweep", "two-phase-commit", "--vary", "participants=1", "--engine", "interpret")
    ran = specmodel(*words, "--save-table", tmp_path / "x.csv")
    assert (ran.code, ran.out) == (2, "")
    assert "give a name that ends in .parquet" in ran.err
    ran = specmodel(*words, "--save-table", tmp_path / "no" / "x.parquet")
    assert "there is no folder" in ran.err
    shown = ("ablate", "two-phase-commit", "--show", "1", "--save-table", tmp_path / "x.parquet")
    assert "--show is the report of one change" in specmodel(*shown).err

    def full(*_: Any) -> None:
        # as Arrow says it
        raise OSError("Error writing bytes to file. Detail: [errno 28] No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(writing, "parquet", full)
        ran = specmodel(*words, "--save-table", tmp_path / "x.parquet")
    assert ran.code == 2
    assert "two-phase-commit" in ran.out
    assert "x.parquet: No space left on device\n" in ran.err
    monkeypatch.setattr(arrow, "find_spec", lambda _: None)
    ran = specmodel(*words, "--save-table", tmp_path / "x.parquet")
    assert (ran.code, ran.out) == (2, "")
    assert "pip install 'specmodel[data]'" in ran.err
