"""What all workers of a search share, beside states: words that each of them reads and writes."""

from __future__ import annotations

import ctypes

from specmodel.machine.words import aligned_words

LINE = 16
"""Words that are fetched together."""

# Words that are written seldom.
STOP = 0
FAILED = 1
NOTED = 2
MOST_LEVELS = 3
MOST_STATES = 4
ENOUGH = 5
HALTED = 6
LEVELS = 7
# Words that workers add to.
LEFT = LINE
TOTAL = LINE + 1
# How many times workers have come to the end of a level: they wait for these.
EXPANDED = 2 * LINE
SETTLED = 2 * LINE + 1
DECIDED = 3 * LINE
# The number of states of each level, from here on.
SIZES = 4 * LINE

AT_ONCE = 64
"""Levels that workers search, at most, between one look by Python and the next."""

MANY = 1 << 18
"""States of a level after which Python looks in any case."""

SOME = 1 << 14
"""The same while there is something to look for that may be found at any level."""


class Shared:
    """These words."""

    def __init__(self) -> None:
        self._words = aligned_words(SIZES + AT_ONCE)
        self.address = ctypes.addressof(self._words)

    def stop(self, failed: bool = False) -> None:
        """Tells all workers to end soon. `failed`: one of them will not be at the level's end."""
        self._words[STOP] = 1
        if failed:
            self._words[FAILED] = 1

    @property
    def left(self) -> int:
        """States in the frontiers of all workers that have not been expanded."""
        return self._words[LEFT]

    def begin(self, levels: int, states: int, found: int, looking: bool) -> None:
        """Before workers set off: for so many levels, up to so many states, having found some.

        `looking`: Python wants to look more often, as it awaits something at any level.
        """
        w = self._words
        w[ENOUGH] = SOME if looking else MANY
        w[MOST_LEVELS], w[MOST_STATES] = min(levels, AT_ONCE), states
        w[TOTAL], w[NOTED], w[LEVELS] = found, 0, 0

    @property
    def sizes(self) -> list[int]:
        """The states of each level that was reached since."""
        return self._words[SIZES : SIZES + self._words[LEVELS]]
