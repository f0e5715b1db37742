"""The Spark engine: the native kernel and tables on the executors of a cluster, level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specmodel.engines.base.engine import Engine, options_but
from specmodel.options import Options

if TYPE_CHECKING:
    from specmodel.design import Design
    from specmodel.results import Result

_NOT_FOR_SPARK = "{option} is not for the spark engine"

REFUSALS = {
    **{name: _NOT_FOR_SPARK for name in ("spill", "compress", "fingerprint", "max_memory")},
    "coverage": _NOT_FOR_SPARK,
    "checkpoint": f"{_NOT_FOR_SPARK}: --run DIR keeps all of a run",
    "resume": f"{_NOT_FOR_SPARK}: --run DIR goes on",
    "query_timeout": "the spark engine asks no solver: query_timeout is for smt",
}

SPARK = Engine(
    name="spark",
    package=__name__,
    options=options_but(*REFUSALS),
    refusals=REFUSALS,
    no_temporal="{names} is temporal, which the spark engine does not decide: "
    "use --engine native, or name the properties to check with --invariant",
    cluster=True,
    packages=("pyspark", "pyarrow"),
    use="Spark",
)


def check(design: Design, options: Options = Options()) -> Result:
    """Explores a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails.

    Raises UsageError if Spark is not installed.
    """
    from specmodel.engines.spark.search import search  # Java is started only when it is needed

    return search(design, options)


__all__ = ["SPARK", "check"]
