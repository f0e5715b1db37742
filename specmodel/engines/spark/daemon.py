"""The process from which Spark forks Python workers: it has loaded the modules that all need.

Spark's own process collects garbage after every task. This one freezes the loaded modules, so that
a collection ignores them.
"""

from __future__ import annotations

import gc
import importlib


def main() -> None:
    """Serves Spark until Spark ends it."""
    for name in ("pyarrow.parquet", "llvmlite.binding", "specmodel.engines.spark.shard_tasks"):
        importlib.import_module(name)
    gc.freeze()
    importlib.import_module("pyspark.daemon").manager()


if __name__ == "__main__":
    main()
