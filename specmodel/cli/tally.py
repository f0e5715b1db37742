"""How many of many searches are done, on a terminal's stderr."""

from __future__ import annotations

from specmodel.cli.status import StatusLine


class Tally(StatusLine):
    """A line such as `12 of 60 searches`.

    Use as a context manager, and give `update` to whoever counts. `done` and `total` stay known.
    """

    def __init__(self, quiet: bool = False) -> None:
        super().__init__(quiet)
        self.done = self.total = 0

    def update(self, done: int, total: int) -> None:
        """Take note of how far things are."""
        self.done, self.total = done, total
        if self.due():
            self.show(f"{done} of {total} searches")
