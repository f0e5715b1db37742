"""One Spark on this machine for all tests of a process."""

from __future__ import annotations

from typing import Any

import pytest

from specmodel.engines.spark.session import session
from specmodel.space.queries import sql_session
from tests.engines.spark.conftest import running

__all__ = ["running"]


@pytest.fixture
def spark(running: None) -> Any:
    """Spark SQL on the connection that searches have, too."""
    return sql_session(session(None, 2).context)
