"""A line on a terminal's stderr that says how far long work is."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.status import Status

FIRST_AFTER = 1.0
"""Seconds before anything is shown: what ends sooner needs no line."""

BETWEEN = 0.2
"""Seconds from one text to the next."""


class StatusLine:
    """Shown from its first second on, for as long as the `with` that it is used in.

    Wholly quiet unless stderr is a terminal.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.wanted = not quiet and sys.stderr.isatty()
        self.started = self.shown = time.monotonic()
        self.status: Status | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.status is not None:
            self.status.stop()

    def due(self) -> bool:
        """Whether it is time for another text."""
        now = time.monotonic()
        return self.wanted and now - self.started >= FIRST_AFTER and now - self.shown >= BETWEEN

    def show(self, text: str) -> None:
        """Show a text in place of the last."""
        self.shown = time.monotonic()
        if self.status is None:
            from rich.console import Console

            self.status = Console(stderr=True, highlight=False).status("", refresh_per_second=5)
            self.status.start()
        self.status.update(text)
