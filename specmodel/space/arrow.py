"""Arrow and Parquet, imported when first needed. They have no types: what they give is Any."""

from __future__ import annotations

import functools
import importlib
from importlib.util import find_spec
from typing import Any

from specmodel.errors import UsageError


def need_data() -> None:
    """Raises UsageError, with what to do, if what reads and writes spaces is not installed."""
    missing = [name for name in ("numpy", "pyarrow") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"Parquet files need {' and '.join(missing)}: run `pip install 'specmodel[data]'`"
        )


@functools.cache
def arrow() -> Any:
    """The module `pyarrow`."""
    return importlib.import_module("pyarrow")


@functools.cache
def parquet() -> Any:
    """The module `pyarrow.parquet`."""
    return importlib.import_module("pyarrow.parquet")
