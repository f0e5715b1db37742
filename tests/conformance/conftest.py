"""What tests of plays share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_loop_of_others() -> Iterator[None]:
    """Tests of the browser in the same process leave an event loop that counts as running."""
    running = asyncio._get_running_loop()  # pyright: ignore[reportPrivateUsage]
    asyncio._set_running_loop(None)  # pyright: ignore[reportPrivateUsage]
    yield
    asyncio._set_running_loop(running)  # pyright: ignore[reportPrivateUsage]
