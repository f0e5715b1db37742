"""Queries through Spark give what Arrow and the interpreter give."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from specmodel import space
from specmodel.space.queries import QueryError, query
from specmodel.space.space import Space
from specmodel.space.tables import TABLES
from tests.conftest import Specmodel
from tests.space.runs import saved

VALUES = Path(__file__).parents[1] / "specs/values.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space") / "run"
    saved(folder, "truncate-to-hw", replicas=2, max_leader_epoch=1)
    return folder


KEYS = {
    "states": ("id",),
    "transitions": ("source", "binding"),
    "actions": ("binding",),
    "violations": ("property", "state"),
}


def same(opened: Space, spark: Any, name: str) -> None:
    """A table of Spark's has the rows of Arrow's, and its columns."""
    arrow, told = opened.table(name), opened.dataframe(spark, name).toArrow()
    assert told.column_names == arrow.column_names

    def rows(table: Any) -> list[Any]:
        return sorted(table.to_pylist(), key=lambda row: [row[key] for key in KEYS[name]])

    assert rows(told) == rows(arrow)


@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
def test_spark_makes_the_tables_that_arrow_makes(run: Path, spark: Any, name: str) -> None:
    """All four, value by value."""
    same(Space(run), spark, name)


def test_every_type_of_value(tmp_path: Path, spark: Any) -> None:
    """A spec with all that a state may consist of is decoded in SQL as it is by Arrow."""
    saved(tmp_path / "r", f"{VALUES}:values")
    same(Space(tmp_path / "r"), spark, "states")


def test_a_query_names_fields_as_the_spec_does(run: Path, spark: Any) -> None:
    """Nested fields of maps, lists and sets, without back-ticks; the same counts as Arrow."""
    opened = space.open(run)
    asked = (
        "select count(*) from states where replica['r1'].hw > size(log['r1'])"
        " or array_contains(quorum.isr, 'r2')"
    )
    rows = opened.table().to_pylist()
    expected = 0
    for row in rows:
        replica, log = dict(row["replica"]), dict(row["log"])
        beyond = replica["r1"]["hw"] > len(log["r1"])
        expected += beyond or "r2" in row["quorum"]["isr"]
    assert query(opened, spark, asked).rows == [[expected]]
    asked = "select action, count(*) as n from transitions group by action order by action"
    counts = {row["action"]: 0 for row in opened.table("actions").to_pylist()}
    for row in opened.table("transitions").to_pylist():
        counts[row["action"]] += 1
    assert dict(query(opened, spark, asked).rows) == {k: n for k, n in counts.items() if n}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("select nope from states", "name `nope` cannot be resolved"),
        ("selec 1", "Syntax error"),
        ("select * from walks", "there are states, transitions, actions, violations"),
        ("select 1 / (depth - depth) from states", "Division by zero"),
    ],
)
def test_a_wrong_query_says_what_is_wrong(run: Path, spark: Any, asked: str, said: str) -> None:
    """What Spark says, and none of Java's stack."""
    with pytest.raises(QueryError) as wrong:
        query(space.open(run), spark, asked)
    assert said.lower() in str(wrong.value).lower()
    assert "\tat " not in str(wrong.value)
    assert "Project" not in str(wrong.value)


@pytest.mark.long
def test_the_command_writes_tables_csv_and_json(
    run: Path, specmodel: Specmodel, spark: Any
) -> None:
    """The same rows three ways; nested values stay whole."""
    asked = "select id, quorum, log from states where id < 2 order by id"
    rows = json.loads(specmodel("query", run, asked, "--format", "json").out)
    assert [row["id"] for row in rows] == [0, 1]
    assert set(rows[0]["log"]) == {"r1", "r2"}
    held = list(csv.DictReader(io.StringIO(specmodel("query", run, asked, "--format", "csv").out)))
    assert [json.loads(row["quorum"]) for row in held] == [row["quorum"] for row in rows]
    ran = specmodel("query", run, asked, "--limit", 1)
    assert ran.out.splitlines()[0].split() == ["id", "quorum", "log"]
    assert len(ran.out.splitlines()) == 2
    assert "there are more than 1 rows" in ran.err
    ran = specmodel("query", run, "select nope from states")
    assert (ran.code, ran.err.startswith("error: [UNRESOLVED_COLUMN")) == (2, True)
    assert specmodel("query", run, "select 1 where false", "--format", "json").out == "[]\n"
