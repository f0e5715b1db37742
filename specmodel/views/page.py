"""The page of a report: its width, symbols and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specmodel.dataclass import dataclass
from specmodel.views.symbols import Symbols

if TYPE_CHECKING:
    from specmodel.views.selection import TraceView


@dataclass(frozen=True)
class Page:
    """The width, the symbols that can be shown, and the shown part of traces.

    Without a `view`, the default of a trace's view.
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
    """The colour of a verdict: red unless it is good or open."""
    if verdict in _GOOD:
        return "blue"
    return "yellow" if verdict in _OPEN else "red"
