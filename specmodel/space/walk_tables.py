"""Saved walks: their manifest, report and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from specmodel.errors import DamagedRun, UsageError, suggestion
from specmodel.space.arrow import opened, reading
from specmodel.space.files import RunFiles, read_json, refuse_changed, sealed
from specmodel.space.near_files import NearFiles
from specmodel.space.walk_manifest import TABLES, WalkManifest, report_file, table_file
from specmodel.stores import place


class Walks:
    """Saved walks. `report` is the result, as in docs/reference/walks-folder.md."""

    tables = TABLES

    def __init__(self, folder: str | Path, *, verify: bool = True) -> None:
        """Reads manifest and report. Raises UsageError for a folder without walks, DamagedRun.

        All files are read once and compared with their checksums; without `verify`, only their
        lengths are compared.
        """
        self.folder = place(folder)
        self._near = NearFiles(self.folder)
        self.manifest = WalkManifest.read(self.folder)
        files = sealed(RunFiles(self.folder).manifest)
        if files is None:
            raise UsageError(
                f"{folder} has no walks yet: the simulation goes on, or was ended before it had "
                "written them"
            )
        refuse_changed(self.folder, files, verify)
        self.report: dict[str, Any] = read_json(report_file(self.folder)) or {}

    def table(self, name: str = "walks") -> Any:
        """A table as a `pyarrow.Table`. Raises UsageError for an unknown name, DamagedRun."""
        path = self._file(name)
        with reading(path), opened(path) as file:
            return file.read()

    def dataframe(self, spark: Any, name: str = "walks") -> Any:
        """The same as a DataFrame of a `SparkSession`."""
        return spark.read.parquet(self._near.files(spark, [self._file(name)])[0])

    def _file(self, name: str) -> Path:
        if name not in TABLES:
            raise UsageError(f'no table of walks is called "{name}"{suggestion(name, TABLES)}')
        path = table_file(self.folder, name)
        if not path.is_file():
            raise DamagedRun(f"{path} is not there")
        return path
