"""SQL over the stored columns of saved spaces, in bounded memory: by DuckDB, or by Spark.

Both run the same text, so it keeps to what both understand. DuckDB runs it on this machine, without
Java, and writes to a temporary folder what does not fit in MEMORY. Spark runs it on a cluster.

The columns are those of the files (docs/reference/run-folder.md), and `level`.
"""

from __future__ import annotations

import glob
import importlib
import tempfile
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, Protocol

from specmodel.errors import DamagedRun, SpecmodelError
from specmodel.results import Progress
from specmodel.space.arrow import need_data
from specmodel.space.files import SHARD_SHIFT, STATES
from specmodel.space.run import SavedSpace
from specmodel.space.spark import NO_PARENTS, no_rows, spark_errors, stored

MEMORY = "2GB"
"""What DuckDB keeps in memory at most."""

Rows = list[tuple[Any, ...]]


class Sql(Protocol):
    """A database. Its methods raise DamagedRun and SpecmodelError."""

    tell: Callable[[str], None]
    """Tells the `progress` what is asked next."""

    def view(self, name: str, space: SavedSpace, kind: str, level: int | None = None) -> None:
        """Names the rows of states, transitions or violations; only those of a level, if given.

        Raises UsageError for a store that cannot be read.
        """
        ...

    def keep(self, name: str, text: str) -> None:
        """Names the rows of a query, which runs once."""
        ...

    def drop(self, name: str) -> None:
        """Removes the rows that `keep` named."""
        ...

    def rows(self, text: str) -> Rows:
        """The rows of a query."""
        ...


@contextmanager
def sql(spark: Any = None, progress: Callable[[Progress], None] | None = None) -> Generator[Sql]:
    """A database: of a `SparkSession`, or else on this machine."""
    started = time.perf_counter()

    def tell(asking: str) -> None:
        if progress is not None:
            spent = time.perf_counter() - started
            progress(Progress(None, None, 0, 0, spent, 0, asking=asking))

    if spark is not None:
        yield SparkSql(spark, tell)
        return
    need_data("duckdb")
    duckdb: Any = importlib.import_module("duckdb")
    with (
        tempfile.TemporaryDirectory(prefix="specmodel-") as folder,
        ThreadPoolExecutor(1) as thread,
        duckdb.connect(
            config={
                "memory_limit": MEMORY,
                "temp_directory": folder,
                "preserve_insertion_order": False,
                "autoinstall_known_extensions": False,
            }
        ) as connection,
    ):
        yield DuckDB(connection, thread, tell)


class DuckDB:
    """SQL on this machine."""

    def __init__(
        self, connection: Any, thread: ThreadPoolExecutor, tell: Callable[[str], None]
    ) -> None:
        self.tell = tell
        self._connection = connection
        self._thread = thread
        self._errors: Any = importlib.import_module("duckdb")

    def view(self, name: str, space: SavedSpace, kind: str, level: int | None = None) -> None:
        paths = space.near.files(None, space.files_of(kind, level))
        if paths:
            named = ", ".join(_quoted(glob.escape(path)) for path in paths)
            parents = NO_PARENTS if kind == STATES and not space.manifest.parents else []
            columns = ", ".join(["* exclude (filename)", *parents, _LEVEL])
            options = "filename = true, hive_partitioning = false"
            text = f"select {columns} from read_parquet([{named}], {options})"
        else:
            text = no_rows(space.manifest, kind)
        self.rows(f"create or replace temp view {name} as {text}")

    def keep(self, name: str, text: str) -> None:
        self.rows(f"create or replace temp table {name} as {text}")

    def drop(self, name: str) -> None:
        self.rows(f"drop table {name}")

    def rows(self, text: str) -> Rows:
        def run() -> Rows:
            return self._connection.execute(text).fetchall()

        running = self._thread.submit(run)  # Ctrl-C ends no query that the main thread runs
        try:
            return running.result()
        except KeyboardInterrupt:
            self._connection.interrupt()
            wait([running])
            raise
        except self._errors.OutOfMemoryException as wrong:
            raise SpecmodelError(
                f"{tempfile.gettempdir()} has no room for what does not fit in {MEMORY} of memory: "
                f"set TMPDIR to a folder with more room ({_first_line(wrong)})"
            ) from None
        except self._errors.Error as wrong:
            raise DamagedRun(f"the space cannot be read: {_first_line(wrong)}") from None


_LEVEL = "cast(regexp_extract(filename, '.*[/\\\\]level=([0-9]+)', 1) as int) as level"
"""DuckDB's own columns from the names of folders are those of all folders on the way, too."""


def _first_line(wrong: Exception) -> str:
    """What DuckDB says is wrong; its advice, or the query, is below it."""
    return str(wrong).partition("\n")[0]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class SparkSql:
    """SQL by a `SparkSession`."""

    def __init__(self, spark: Any, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self._spark = spark

    def view(self, name: str, space: SavedSpace, kind: str, level: int | None = None) -> None:
        with spark_errors(_unread):
            stored(space, self._spark, kind, level).createOrReplaceTempView(name)

    def keep(self, name: str, text: str) -> None:
        # Persisted rows would carry the plans of all rows that they were made of.
        two_copies = importlib.import_module("pyspark").StorageLevel.DISK_ONLY_2
        with spark_errors(_unread):
            found = self._spark.sql(text).localCheckpoint(storageLevel=two_copies)
            found.createOrReplaceTempView(name)

    def drop(self, name: str) -> None:
        self._spark.catalog.dropTempView(name)

    def rows(self, text: str) -> Rows:
        with spark_errors(_unread):
            return [tuple(row) for row in self._spark.sql(text).collect()]


def _unread(_: Any, said: str) -> SpecmodelError:
    return SpecmodelError(f"Spark cannot read the space: {said}")


def whole(database: Sql, space: SavedSpace, name: str) -> None:
    """Names the states of a space.

    Raises DamagedRun if they are not those that its levels count.
    """
    database.view(name, space, STATES)
    number = f"(id & {(1 << SHARD_SHIFT) - 1})"
    shards = database.rows(
        f"select count(*), min{number}, max{number}, sum(cast({number} as decimal(38))) "
        f"from {name} group by id >> {SHARD_SHIFT}"
    )
    size = sum(count for count, *_ in shards)
    each_once = all([*held] == [0, count - 1, count * (count - 1) // 2] for count, *held in shards)
    if size != space.size or not each_once:
        raise DamagedRun(
            f"{space.folder} has {size:,} states: not each of the {space.size:,} that its "
            "levels count, once"
        )
