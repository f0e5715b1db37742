"""The words that all workers of a search share: each worker reads and writes them."""

from __future__ import annotations

from specmodel.machine.language import Structure, Words, address, i64

LINE = 16
"""Words of a cache line pair, which the processor fetches together."""

AT_ONCE = 64
"""The greatest number of levels that workers search before Python looks again."""

MANY = 1 << 18
"""Python looks after a level with this number of states in any case."""

SOME = 1 << 14
"""The same limit while Python looks for a finding that may come at any level."""


class SharedWords(Structure):
    """The shared words, in groups of LINE: writers of one group do not delay readers of another."""

    # Words that are rarely written.
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
    # How many times workers have reached the end of a level: they wait for these counts.
    expanded: i64
    settled: i64
    rest_of_ends: Words = Words(LINE - 2)
    decided: i64
    rest_of_decided: Words = Words(LINE - 1)
    sizes: Words = Words(AT_ONCE)
    """The number of states of each level."""


class SharedMemory:
    """The memory of the shared words."""

    def __init__(self) -> None:
        self._words = SharedWords.new()
        self.address = address(self._words)

    def stop(self, failed: bool = False) -> None:
        """Tells all workers to end soon.

        `failed`: one of them will not reach the end of the level.
        """
        self._words.stop = 1
        if failed:
            self._words.failed = 1

    @property
    def left(self) -> int:
        """The number of states in the frontiers of all workers that have not been expanded."""
        return self._words.left

    def begin(self, levels: int, states: int, found: int, looking: bool) -> None:
        """Prepares a search of at most `levels` levels and `states` states, with `found` states
        found.

        `looking`: Python wants to look more often, because it waits for a finding at any level.
        """
        w = self._words
        w.enough = SOME if looking else MANY
        w.most_levels, w.most_states = min(levels, AT_ONCE), states
        w.total, w.noted, w.levels = found, 0, 0

    @property
    def sizes(self) -> list[int]:
        """The number of states of each level reached since `begin`."""
        return self._words.sizes[: self._words.levels]
