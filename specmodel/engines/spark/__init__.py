"""The Spark engine: the native kernel and tables on the executors of a cluster, level by level."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.results import Options, Result


def check(design: Design, options: Options = Options()) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails.

    UsageError if there is no Spark.
    """
    from specmodel.engines.spark.search import search  # a Java machine is not started for nothing

    return search(design, options)


__all__ = ["check"]
