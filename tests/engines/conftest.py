"""Searches of tests are small, and so are the tables that they begin with: none has a reserve."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from specmodel.engines.native import reserve
from specmodel.engines.native.loop import sizes


@pytest.fixture(autouse=True, scope="module")
def small_first_tables() -> Iterator[None]:
    """Tables have to grow in a search of a few thousand states, as they do in large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "FIRST_TABLES", 0)
        patch.setattr(reserve, "reserve_for", lambda design, options: None)
        yield
