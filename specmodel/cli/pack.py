"""`specmodel pack`: an archive with all that executors of a cluster need."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli import output as out
from specmodel.cli.groups import argument
from specmodel.cli.guard import HOLDS, guarded, remark


@guarded
def pack(
    archive: Path = argument("FILE.tar.gz", "Where to write it."),
) -> int:
    """Pack specmodel for the machines of a cluster, which then need only Python.

    Prints the line for spark-defaults.conf.
    Exit codes: 0 done; 2 it cannot be written, or Spark for Python is not installed.
    """
    from specmodel.engines.spark.packing import UNPACKED, pack

    remark(f"packing {archive}: this takes some 20 s")
    packages = pack(archive)
    remark(f"{archive}: {packages} packages, {archive.stat().st_size / 1e6:.0f} MB")
    out.emit([f"spark.archives  {archive.resolve()}#{UNPACKED}"])
    return HOLDS
