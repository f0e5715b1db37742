"""What all workers of a search share, beside states: words that each of them reads and writes."""

from __future__ import annotations

from specmodel.machine.language import Structure, Words, address, i64

LINE = 16
"""Words that are fetched together."""

AT_ONCE = 64
"""Levels that workers search, at most, between one look by Python and the next."""

MANY = 1 << 18
"""States of a level after which Python looks in any case."""

SOME = 1 << 14
"""The same while there is something to look for that may be found at any level."""


class SharedWords(Structure):
    """These words, in groups of LINE: who waits for one is not held up by who writes another."""

    # Words that are written seldom.
    stop: i64
    failed: i64
    noted: i64
    most_levels: i64
    most_states: i64
    enough: i64
    halted: i64
    levels: i64
    rest_of_seldom: Words = Words(LINE - 8)
    # Words that workers add to.
    left: i64
    total: i64
    rest_of_added: Words = Words(LINE - 2)
    # How many times workers have come to the end of a level: they wait for these.
    expanded: i64
    settled: i64
    rest_of_ends: Words = Words(LINE - 2)
    decided: i64
    rest_of_decided: Words = Words(LINE - 1)
    sizes: Words = Words(AT_ONCE)
    """The number of states of each level."""


class SharedMemory:
    """These words."""

    def __init__(self) -> None:
        self._words = SharedWords.new()
        self.address = address(self._words)

    def stop(self, failed: bool = False) -> None:
        """Tells all workers to end soon. `failed`: one of them will not be at the level's end."""
        self._words.stop = 1
        if failed:
            self._words.failed = 1

    @property
    def left(self) -> int:
        """States in the frontiers of all workers that have not been expanded."""
        return self._words.left

    def begin(self, levels: int, states: int, found: int, looking: bool) -> None:
        """Before workers set off: for so many levels, up to so many states, having found some.

        `looking`: Python wants to look more often, as it awaits something at any level.
        """
        w = self._words
        w.enough = SOME if looking else MANY
        w.most_levels, w.most_states = min(levels, AT_ONCE), states
        w.total, w.noted, w.levels = found, 0, 0

    @property
    def sizes(self) -> list[int]:
        """The states of each level that was reached since."""
        return self._words.sizes[: self._words.levels]
