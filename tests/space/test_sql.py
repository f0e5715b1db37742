"""DuckDB and Spark count the same; DuckDB reads any path, and ends cleanly."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from specmodel.errors import DamagedRun, SpecmodelError
from specmodel.space import arrow
from specmodel.space import sql as database
from specmodel.space.diff import difference
from specmodel.space.files import STATES
from specmodel.space.space import Space
from specmodel.space.sql import DuckDB, sql
from specmodel.space.statistics import statistics
from tests.conftest import Specmodel
from tests.space.runs import saved

SMALL = {"replicas": 2, "max_leader_epoch": 1}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two spaces, in a folder whose name has what SQL and patterns of files have."""
    folder = tmp_path_factory.mktemp("spaces") / "level=7" / "it's [1]*?"
    for name in ("truncate-to-hw", "kip279"):
        saved(folder / name, name, **SMALL)
    return [folder / name for name in ("truncate-to-hw", "kip279")]


def test_spark_counts_what_duckdb_counts(folders: list[Path], spark: Any) -> None:
    """Statistics, ways to violations, and differences with their examples."""
    space = Space(folders[0])
    assert statistics(space, spark=spark) == statistics(space)
    assert statistics(space).broken
    one, other = difference(*folders), difference(*folders, spark=spark)
    assert (one.common, one.common_steps, one.moved) == (1163, 2332, 76)
    assert (other.common, other.common_steps, other.moved) == (1163, 2332, 76)
    for mine, theirs in zip(one.sides, other.sides, strict=True):
        assert mine.actions == theirs.actions
        assert mine.example == theirs.example
        assert (mine.states, mine.steps) == (theirs.states, theirs.steps)


def test_levels_are_those_of_the_space(folders: list[Path]) -> None:
    """Not those of folders around it; of a level, only its own."""
    space = Space(folders[0])
    with sql() as duckdb:
        duckdb.view("states", space, STATES)
        duckdb.view("third", space, STATES, 2)
        counts = duckdb.rows("select level, count(*) from states group by level order by level")
        assert [count for _, count in counts] == [held["states"] for held in space.levels]
        assert duckdb.rows("select level, count(*) from third group by level") == [(2, 14)]


def test_rows_that_do_not_fit_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """And removed at the end."""
    monkeypatch.setattr(database, "MEMORY", "40MB")
    asked = "select count(*) from (select distinct range * 7 from range(3000000))"
    with sql() as duckdb:
        assert isinstance(duckdb, DuckDB)
        assert duckdb.rows(asked) == [(3_000_000,)]
        [(folder,)] = duckdb.rows("select current_setting('temp_directory')")
        assert Path(folder).exists()
    assert not Path(folder).exists()


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows for which there is no room are an error with a message, not a wrong count."""
    monkeypatch.setattr(database, "MEMORY", "40MB")
    with sql() as duckdb:
        duckdb.rows("set max_temp_directory_size = '1MB'")
        with pytest.raises(
            SpecmodelError,
            match=r"has no room .* set TMPDIR to a folder with more room \(Out of Memory[^\n]*\)$",
        ):
            duckdb.keep("kept", "select range * 7 as a, hash(range) as b from range(9000000)")


def test_what_is_no_table_is_said() -> None:
    """A file that another program has damaged since it was opened."""
    with sql() as duckdb, pytest.raises(DamagedRun, match="cannot be read"):
        duckdb.rows(f"select * from read_parquet('{sys.executable}')")


def test_ctrl_c_ends_a_query() -> None:
    """At once, however long it would have run."""
    started = time.monotonic()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt), sql() as duckdb:
        duckdb.rows(
            "select count(*) from range(10000000) a, range(100000) b "
            "where a.range * b.range % 7 = 3"
        )
    assert time.monotonic() - started < 20


def test_progress_says_what_is_counted(folders: list[Path]) -> None:
    """For a line on the terminal."""
    told: list[str] = []
    statistics(Space(folders[0]), progress=lambda progress: told.append(progress.asking))
    assert told[:2] == ["the states", "the steps of each state"]
    assert "values of replica[].epoch" in told
    assert told[-1] == "ways to states of depth 16"


def test_a_missing_package_is_named(
    folders: list[Path], specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that installs it."""
    monkeypatch.setattr(arrow, "find_spec", lambda name: None if name == "duckdb" else name)  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]
    ran = specmodel("stats", folders[0])
    assert ran.code == 2
    assert "Parquet files need duckdb: run `pip install 'specmodel[data]'`" in ran.err
