"""The process that Spark forks Python workers from: it has loaded what all of them need.

Spark's own collects garbage after every task; what is loaded here is frozen, so that this has
nothing to look at.
"""

from __future__ import annotations

import gc
import importlib


def main() -> None:
    """Serves Spark until it says stop."""
    for name in ("pyarrow.parquet", "llvmlite.binding", "specmodel.engines.spark.shard_tasks"):
        importlib.import_module(name)
    gc.freeze()
    importlib.import_module("pyspark.daemon").manager()


if __name__ == "__main__":
    main()
