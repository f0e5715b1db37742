"""Progress of a long search, or of many, on a terminal's stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from specmodel.analysis.forecast import forecast
from specmodel.dataclass import dataclass
from specmodel.results import Progress, WalkProgress

if TYPE_CHECKING:
    from rich.status import Status

FIRST_AFTER = 1.0
BETWEEN = 0.2


class StatusLine:
    """A line on a terminal's stderr that is shown from the first second on.

    Use it as a context manager around long work. It prints nothing unless stderr is a terminal.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.wanted = not quiet and sys.stderr.isatty()
        self.started = time.monotonic()
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

    def _show(self, text: str | _Going) -> None:
        if self.status is None:
            from rich.console import Console

            self.status = Console(stderr=True, highlight=False).status("", refresh_per_second=5)
            self.status.start()
        self.status.update(text)


@dataclass
class _Going:
    """The line of a progress that was reported `at` a time. Its seconds go on."""

    progress: Progress | WalkProgress
    at: float

    def __rich__(self) -> str:
        progress = self.progress
        if progress.asking:
            since = time.monotonic() - self.at
            progress = replace(progress, seconds=progress.seconds + since)
        return describe(progress)


class ProgressLine(StatusLine):
    """The progress line of a search.

    Its `progress` is for the search, and None without a terminal.
    """

    shown = 0.0

    @property
    def progress(self) -> Callable[[Progress | WalkProgress], None] | None:
        """Shows the progress of the search, at most a few times a second."""
        return self._update if self.wanted else None

    def _update(self, progress: Progress | WalkProgress) -> None:
        now = time.monotonic()
        if now - self.started >= FIRST_AFTER and now - self.shown >= BETWEEN:
            self.shown = now
            self._show(_Going(progress, now))


class SeriesProgress(StatusLine):
    """The number of finished searches, or other things: `12 of 60 searches`.

    `update` is for the loop that counts. `done` and `total` keep the last numbers.
    """

    def __init__(self, quiet: bool = False, what: str = "searches") -> None:
        super().__init__(quiet)
        self.what = what
        self.done = self.total = 0

    def update(self, done: int, total: int) -> None:
        """Notes the progress."""
        self.done, self.total = done, total
        if self.wanted and time.monotonic() - self.started >= FIRST_AFTER:
            self._show(f"{done} of {total} {self.what}")


class StatesProgress(StatusLine):
    """The number of visited states: `41,216 states`."""

    def update(self, visited: int) -> None:
        """Notes the progress."""
        if self.wanted and time.monotonic() - self.started >= FIRST_AFTER:
            self._show(f"{visited:,} states")


def _rough(number: int) -> str:
    """A number to two digits: `740,000`, `1.5 million`."""
    rounded = round(number, 2 - len(str(number)))
    return f"{rounded:,}" if rounded < 10**6 else f"{rounded / 10**6:,.2g} million"


def describe(progress: Progress | WalkProgress) -> str:
    """`1,234,567 states, 4,100,000 states/s, depth 12, frontier 80,000, 120 MB`.

    Once there are enough levels, also how many states there are likely to be in the end.
    Of one that is over, `1,234,567 states, saving the space: 400,000 (32%)`.
    Of one that counts no states, or none yet, what it does: `strong_isr at depth 9, 12 s`.
    Of walks `400,000 walks, 6,100,000 steps, 10,200,000 steps/s`.
    """
    if isinstance(progress, WalkProgress):
        if progress.asking:
            return f"{progress.asking}, {progress.seconds:,.0f} s"
        rate = progress.steps / progress.seconds if progress.seconds > 0 else 0.0
        return f"{progress.walks:,} walks, {progress.steps:,} steps, {rate:,.0f} steps/s"
    if progress.distinct is None:
        return f"{progress.asking}, {progress.seconds:,.0f} s"
    if progress.saved is not None:
        share = progress.saved / max(1, progress.distinct)
        return f"{progress.distinct:,} states, saving the space: {progress.saved:,} ({share:.0%})"
    rate = progress.distinct / progress.seconds if progress.seconds > 0 else 0.0
    parts = [
        f"{progress.distinct:,} states",
        f"{rate:,.0f} states/s",
        f"depth {progress.depth}",
        f"frontier {progress.frontier:,}",
    ]
    expected = forecast(progress.levels)
    if expected is not None:
        low, likely, high = map(_rough, (expected.low, expected.likely, expected.high))
        parts.append(f"about {likely} in all ({low} to {high})")
    if progress.memory:
        parts.append(f"{progress.memory / (1 << 20):,.0f} MB")
    if progress.disk:
        parts.append(f"{progress.disk / (1 << 20):,.0f} MB on disk")
    return ", ".join(parts)
