"""Arrow and Parquet, imported when first needed. They have no types: their results are Any."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from specmodel.errors import DamagedRun, UsageError
from specmodel.stores import in_store, store_errors


def need_data(*more: str) -> None:
    """Raises UsageError, with a remedy, if a package for reading and writing spaces, or one of some
    more, is missing."""
    missing = [name for name in ("numpy", "pyarrow", *more) if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"Parquet files need {' and '.join(missing)}: run `pip install 'specmodel[data]'`"
        )


@functools.cache
def arrow() -> Any:
    """The module `pyarrow`."""
    return importlib.import_module("pyarrow")


@functools.cache
def parquet() -> Any:
    """The module `pyarrow.parquet`."""
    return importlib.import_module("pyarrow.parquet")


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Turns the errors of reading a file into DamagedRun."""
    try:
        with store_errors():
            yield
    except (arrow().ArrowException, OSError, KeyError) as wrong:
        raise DamagedRun(f"{path} cannot be read: {wrong}") from None


def row_count(path: Path) -> int:
    """The number of rows of a Parquet file. Raises DamagedRun."""
    with reading(path), opened(path) as file:
        return file.metadata.num_rows


def opened(path: Path) -> Any:
    """A `pyarrow.parquet.ParquetFile`. A store gives a file that is read piece by piece."""
    return parquet().ParquetFile(path.open("rb") if in_store(path) else path)


def batches(
    path: Path, rows: int, columns: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """The columns of a Parquet file as numpy arrays, `rows` rows at a time. Raises DamagedRun."""
    with reading(path):
        for batch in opened(path).iter_batches(rows, columns=columns):
            yield {name: batch.column(i).to_numpy() for i, name in enumerate(batch.schema.names)}
