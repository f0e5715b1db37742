"""The files of a folder as SQL reads them: by path, by URL, or copied from a store."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from specmodel.files import cannot
from specmodel.stores import download, hadoop_url, in_store


class NearFiles:
    """The files of one folder.

    DuckDB, and Spark on this machine alone, have no connectors for stores: they get copies, which
    are made once, and removed with this object. A cluster reads the store itself.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._copies: tempfile.TemporaryDirectory[str] | None = None

    def files(self, spark: Any, paths: Sequence[Path]) -> list[str]:
        """The names of files, for a `SparkSession`, or, for None, for programs of this machine.

        Raises UsageError.
        """
        base = self.base(spark)
        named = [str(path.relative_to(self.folder)) for path in paths]
        if self._copies is not None:
            for path, name in zip(paths, named, strict=True):
                copy = Path(self._copies.name, name)
                if not copy.exists():
                    with cannot(f"read {path}"):
                        download(path, copy)
        return [f"{base}/{name}" for name in named]

    def base(self, spark: Any) -> str:
        """The name of the folder. For Spark it says that it is on this machine: Spark may have
        another default."""
        here = "" if spark is None else "file://"
        if not in_store(self.folder):
            return f"{here}{self.folder.resolve()}"
        if spark is not None and not spark.sparkContext.master.startswith("local"):
            return hadoop_url(self.folder)
        if self._copies is None:
            self._copies = tempfile.TemporaryDirectory(prefix="specmodel-")
        return f"{here}{self._copies.name}"
