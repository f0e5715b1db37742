"""What a report is written on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specmodel.views.symbols import Symbols

if TYPE_CHECKING:
    from specmodel.views.selection import TraceView


@dataclass(frozen=True)
class Page:
    """Its columns, the symbols that can be shown there, and what is shown of traces.

    Without a `view`, what a trace's view shows by default.
    """

    width: int
    symbols: Symbols
    view: TraceView | None = None

    def mark(self, verdict: str) -> str:
        """The symbol of a verdict."""
        marks = {"blue": self.symbols.true, "red": self.symbols.false}
        return marks.get(colour(verdict), self.symbols.unknown)


_GOOD = ("holds", "proved", "equal", "passed")
_OPEN = ("incomplete", "unknown", "open")


def colour(verdict: str) -> str:
    """The colour of a verdict of any sort: red unless it is good, or open."""
    if verdict in _GOOD:
        return "blue"
    return "yellow" if verdict in _OPEN else "red"
