"""The memory that a kernel and its caller share: counters, and the least states with findings.

A context is an array of 64-bit words: the number of successors written, a status that kernels do
not change, how often each action fired, then one record for each kind of finding. A record is
`wanted` (looked for at all), `found`, `binding` (the number of the binding or property), and the
words of the least state found so far. Then comes the number of states that were expanded by fewer
steps than are enabled there (`specmodel.kernel.ample`). Last are the level of the states that are
expanded, which the caller sets, and a record for each action: the least state of the first level at
which it was taken. Instead of `wanted` this record has the level, MANY while there is none, and
NO_LEVEL if nothing is to be noted. After all that comes the kernel's scratch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence

from specmodel.dataclass import dataclass
from specmodel.machine.language import Structure, i64
from specmodel.machine.words import WORD

LINE = 8
"""Words of a cache line."""


class ContextHead(Structure):
    """The head of a context: the number of successors, and the status."""

    count: i64
    status: i64


COVERAGE = ContextHead.words


class NoteWords(Structure):
    """The head of a record."""

    wanted: i64
    found: i64
    binding: i64


STEP_FAILURE = 0
PROPERTY_FAILURE = 1
DEADLOCK = 2
FIRST_PROPERTY = 3

NO_LEVEL = -1
MANY = (1 << 63) - 1


@dataclass(frozen=True)
class NotedState:
    """A noted state, as words, and its binding or property. Compares in the order of states."""

    words: tuple[int, ...]
    binding: int

    def rank(self) -> tuple[tuple[int, ...], int]:
        return (self.words, self.binding)


@dataclass(frozen=True)
class ContextLayout:
    """The places in a context, for a number of actions, properties and words of a state."""

    actions: int
    properties: int
    words: int

    @property
    def record_size(self) -> int:
        return NoteWords.words + self.words

    @property
    def records(self) -> int:
        return FIRST_PROPERTY + self.properties

    @property
    def size(self) -> int:
        return self.first_step(self.actions)

    @property
    def level(self) -> int:
        """The index of the level of the states that are expanded."""
        return self.fewer + 1

    def first_step(self, action: int) -> int:
        """The index of the record of an action's first level."""
        return self.level + 1 + action * self.record_size

    @property
    def fewer(self) -> int:
        """The index of the counter of states that were expanded by fewer steps than are enabled."""
        return self.record(self.records)

    def coverage(self, action: int) -> int:
        """The index of an action's counter."""
        return COVERAGE + action

    def record(self, number: int) -> int:
        """The index of a record."""
        return COVERAGE + self.actions + number * self.record_size


class Context:
    """A context, one for each thread that runs a kernel."""

    def __init__(self, layout: ContextLayout, scratch: int = 0) -> None:
        """With a scratch of this number of words, which starts at a cache line."""
        self.layout = layout
        self.array = (ctypes.c_int64 * (layout.size + LINE + scratch))()
        self.address = ctypes.addressof(self.array)
        self._head = ContextHead(self.address)
        self._note_first_steps(NO_LEVEL)

    def note_first_steps(self) -> None:
        """Notes, from now on, the first level at which each action is taken."""
        self._note_first_steps(MANY)

    def _note_first_steps(self, level: int) -> None:
        for action in range(self.layout.actions):
            self.array[self.layout.first_step(action)] = level

    def first_steps(self) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Each action taken, its first level, and the least state that enabled it there."""
        for action in range(self.layout.actions):
            at = self.layout.first_step(action)
            record = self._record(at)
            if record.found:
                yield action, record.wanted, self._state(at)

    def _record(self, at: int) -> NoteWords:
        """The record at an index."""
        return NoteWords(self.address + at * WORD)

    def _state(self, at: int) -> tuple[int, ...]:
        """The words of the state in a record at an index."""
        words = self.array[at + NoteWords.words : at + self.layout.record_size]
        return tuple(w & ((1 << 64) - 1) for w in words)

    def clear(self) -> None:
        """Resets it: nothing is counted, found or wanted."""
        ctypes.memset(self.address, 0, ctypes.sizeof(self.array))
        self._note_first_steps(NO_LEVEL)

    @property
    def count(self) -> int:
        """The number of successors written so far."""
        return self._head.count

    @count.setter
    def count(self, value: int) -> None:
        self._head.count = value

    def fired(self) -> list[int]:
        """How often each action fired."""
        return self.array[COVERAGE : COVERAGE + self.layout.actions]

    def restore_fired(self, fired: Sequence[int]) -> None:
        """Sets the counts of actions to these numbers."""
        self.array[COVERAGE : COVERAGE + self.layout.actions] = list(fired)

    def want(self, record: int, wanted: bool = True) -> None:
        """Looks for a finding, or stops looking for it."""
        self._record(self.layout.record(record)).wanted = int(wanted)

    def finding(self, record: int) -> NotedState | None:
        """The least state noted, if there is one."""
        at = self.layout.record(record)
        noted = self._record(at)
        return NotedState(self._state(at), noted.binding) if noted.found else None

    def findings(self) -> dict[int, NotedState]:
        """The least state noted of each record that has one."""
        each = ((record, self.finding(record)) for record in range(self.layout.records))
        return {record: found for record, found in each if found is not None}

    def forget(self, record: int) -> None:
        """Makes room for a new finding."""
        self._record(self.layout.record(record)).found = 0


def keep_least(best: dict[int, NotedState], record: int, finding: NotedState) -> None:
    """Keeps a finding if it is the first of its record, or less than the kept one."""
    if record not in best or finding.rank() < best[record].rank():
        best[record] = finding


def least(founds: Iterable[Mapping[int, NotedState]]) -> dict[int, NotedState]:
    """The least of several findings of each record."""
    best: dict[int, NotedState] = {}
    for found in founds:
        for record, finding in found.items():
            keep_least(best, record, finding)
    return best
