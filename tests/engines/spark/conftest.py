"""One Spark on this machine for all tests of a process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from specmodel.design import Design
from specmodel.engines import spark
from specmodel.engines.spark import session
from specmodel.results import Options, Result

Check = Callable[..., Result]


@pytest.fixture(scope="session")
def running() -> Iterator[None]:
    """Spark with two slots, started by the first search and ended after the last test."""
    yield
    session.stop()


@pytest.fixture
def check(running: None) -> Check:
    """A check by the Spark engine; options by name."""
    return partial(_check, workers=2)


def _check(design: Design, **options: object) -> Result:
    return spark.check(design, Options(**options))  # type: ignore[arg-type]  # by name
