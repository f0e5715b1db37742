"""Arrow and Parquet, imported when first needed. They have no types: what they give is Any."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from specmodel.errors import UsageError


@functools.cache
def arrow() -> Any:
    """The module `pyarrow`. Raises UsageError, with what to do, if it is not installed."""
    return _imported("pyarrow")


@functools.cache
def parquet() -> Any:
    """The module `pyarrow.parquet`. Raises UsageError as `arrow` does."""
    return _imported("pyarrow.parquet")


@functools.cache
def compute() -> Any:
    """The module `pyarrow.compute`. Raises UsageError as `arrow` does."""
    return _imported("pyarrow.compute")


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(
            "a state space as data needs pyarrow: run `pip install 'specmodel[data]'`"
        ) from None
