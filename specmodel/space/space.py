"""A saved space with its tables, for pyarrow and for Spark."""

from __future__ import annotations

from typing import Any

from specmodel.space.files import TRANSITIONS
from specmodel.space.run import SavedSpace
from specmodel.space.spark import dataframe
from specmodel.space.tables import TABLES, table


class Space(SavedSpace):
    """A saved space that gives its tables."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables."""
        return tuple(t for t in TABLES if t != TRANSITIONS or self.manifest.transitions)

    def table(self, name: str = "states") -> Any:
        """States, transitions, actions or violations as a `pyarrow.Table`, states decoded.

        `specmodel.space.tables` lists the columns. Raises UsageError for an unknown name and for
        transitions that have not been saved, DamagedRun.
        """
        return table(self, name)

    def dataframe(self, spark: Any, name: str = "states") -> Any:
        """The same as a DataFrame of a `SparkSession`. Nothing is read before it is used."""
        return dataframe(self, spark, name)
