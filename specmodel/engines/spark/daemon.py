"""The process from which Spark forks Python workers: it has loaded the modules that all need.

Spark's own process collects garbage after every task. This one freezes the loaded modules, so that
a collection ignores them. And Spark gives its workers a pyspark in a zip, which Python compiles
again in each process: 1.4 s. If the zip is a part of an installed pyspark, that one is used.
"""

from __future__ import annotations

import gc
import importlib
import sys
from pathlib import Path

MODULES = (
    *("pyarrow.parquet", "llvmlite.binding", "specmodel.engines.spark.shard_tasks"),
    "pyspark.worker",
)


def installed(path: str) -> str:
    """The folder of the installed pyspark that has a zip of itself, or else the path."""
    package = Path(path).parents[2] if path.endswith("/python/lib/pyspark.zip") else None
    whole = package is not None and (package / "__init__.py").exists()
    return str(package.parent) if package is not None and whole else path


def main() -> None:
    """Serves Spark until Spark ends it."""
    sys.path[:] = [installed(path) for path in sys.path]
    for name in MODULES:
        importlib.import_module(name)
    gc.freeze()
    importlib.import_module("pyspark.daemon").manager()


if __name__ == "__main__":
    main()
