"""How many of many searches, or other things, are done, on a terminal's stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from specmodel.cli.progress import FIRST_AFTER

if TYPE_CHECKING:
    from rich.status import Status


class Tally:
    """A line such as `12 of 60 searches`, from the first second on.

    Use as a context manager, and give `update` to whoever counts. Wholly quiet unless stderr is a
    terminal. `done` and `total` stay known.
    """

    def __init__(self, quiet: bool = False, what: str = "searches") -> None:
        self.what = what
        self.wanted = not quiet and sys.stderr.isatty()
        self.started = time.monotonic()
        self.status: Status | None = None
        self.done = self.total = 0

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

    def update(self, done: int, total: int) -> None:
        """Take note of how far things are."""
        self.done, self.total = done, total
        if not self.wanted or time.monotonic() - self.started < FIRST_AFTER:
            return
        if self.status is None:
            from rich.console import Console

            self.status = Console(stderr=True, highlight=False).status("", refresh_per_second=5)
            self.status.start()
        self.status.update(f"{done} of {total} {self.what}")
