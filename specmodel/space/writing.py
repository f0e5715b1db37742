"""Writing the Parquet files of a run, each whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from numpy.typing import NDArray

from specmodel.files import replacing
from specmodel.space.arrow import arrow, parquet
from specmodel.stores import in_store, upload

Columns = Mapping[str, NDArray[Any]]

ROWS_A_GROUP = 1 << 20

_SORTED = ("id", "source", "state", "walk")
"""Columns with growing values: their differences take a few bits."""

_FEW = ("binding", "property", "states", "end")
"""Columns with few values."""


class Part:
    """A Parquet file while it is being written. It gets its name when it is closed: it is sent to
    a store then.

    Several processes may write the same file: each has its own until it is closed. Of a file of the
    `log` the first one counts, not the last; it is not compressed, because it is read again at
    once. `named` are columns of numbers that stand for names, from 0 on.
    """

    def __init__(
        self, path: Path, named: Mapping[str, Sequence[str]] | None = None, log: bool = False
    ) -> None:
        self.path = path
        self._named = named or {}
        self._log = log
        self.rows = 0
        being = f".{path.name}.{uuid.uuid4().hex}.part"
        sent = in_store(path)
        self._being = Path(tempfile.gettempdir(), being) if sent else path.with_name(being)
        self._writer: Any = None
        self._held: list[Columns] = []
        self._holding = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def close(self) -> None:
        """Writes the remaining rows, and gives the file its name. Raises OSError."""
        try:
            with _telling():
                self._flush()
                if self._writer is not None:
                    self._writer.close()
                    self._put_in_place()
        except BaseException:
            self.abandon()
            raise

    def _put_in_place(self) -> None:
        if in_store(self.path):
            with contextlib.suppress(FileExistsError):
                upload(self._being, self.path, first=self._log)
            self._being.unlink()
            return
        if not self._log:
            self._being.replace(self.path)
            return
        with contextlib.suppress(FileExistsError):
            os.link(self._being, self.path)
        self._being.unlink()

    def abandon(self) -> None:
        """Removes what was written."""
        if self._writer is not None:
            with contextlib.suppress(OSError):  # a full disk takes no footer, either
                self._writer.close()
            self._being.unlink(missing_ok=True)

    def add(self, columns: Columns) -> None:
        """Adds rows; all calls pass the same columns, of the same types. Raises OSError."""
        count = len(next(iter(columns.values())))
        self.rows += count
        self._held.append(columns)
        self._holding += count
        if self._holding >= ROWS_A_GROUP:
            with _telling():
                self._flush()

    def _flush(self) -> None:
        if not self._held:
            return
        names = list(self._held[0])
        whole: dict[str, Any] = {
            name: arrow().chunked_array([held[name] for held in self._held]) for name in names
        }
        self._held, self._holding = [], 0
        for name, meant in self._named.items():
            whole[name] = arrow().array(list(meant), arrow().string()).take(whole[name])
        table = arrow().table(whole)
        if self._writer is None:
            self._being.parent.mkdir(parents=True, exist_ok=True)
            self._writer = parquet().ParquetWriter(
                self._being,
                table.schema,
                compression="none" if self._log else "zstd",
                compression_level=None if self._log else 1,
                write_statistics=not self._log,
                use_dictionary=[name for name in names if name in _FEW],
                column_encoding={n: "DELTA_BINARY_PACKED" for n in names if n in _SORTED},
            )
        self._writer.write_table(table)


@contextmanager
def _telling() -> Generator[None]:
    """Turns Arrow's errors, which quote the system's message, into the system's errors."""
    try:
        yield
    except OSError as wrong:
        if wrong.strerror is None and (said := re.search(r"\[errno (\d+)\] (.+)$", str(wrong))):
            raise OSError(int(said[1]), said[2]) from None
        raise


def write_table(path: Path, table: Any) -> None:
    """Writes a whole `pyarrow.Table` as a Parquet file, or nothing. Raises OSError."""
    with replacing(path) as part, part.open("wb") as file, _telling():
        # If Arrow fails, it removes what is at the path, even a device.
        parquet().write_table(table, file, compression="zstd")
