"""What walks have shown so far: counts, first findings, and a sample of the states."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from specmodel.selfcheck.run import CompiledPaths

MOST_SAMPLED = 1 << 14
"""States sampled at most; when there are more, the slice of all states they are from is halved."""

MARKED = 3
"""How many walks are remembered of each sampled state: enough to tell one, two and more."""

ENDING_BITS = 3
"""A walk that has ended is told by its number of states, above these bits, and by how it ended."""

CUT_OFF = 1
NO_SUCCESSOR = 2
NO_WEIGHT = 3
OUT_OF_CONSTRAINTS = 4
VIOLATING = 5


@dataclass
class Sample:
    """The states of a slice of all states, with the least walks to each (MARKED of them at most).

    States are known by their fingerprint; those are in the slice whose bits in `slice` are all 0.
    What is in it depends on which walks were made alone, not on their order. Walks are in order, so
    it also says what was known after any number of them.
    """

    slice: int = 0
    walks: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])

    @property
    def share(self) -> float:
        """How much of all states the slice has, above 0 to 1."""
        return 0.5 ** self.slice.bit_count()

    def add(self, fingerprint: int, walk: int) -> None:
        """A walk has come to a state."""
        if fingerprint & self.slice:
            return
        known = self.walks.get(fingerprint, ())
        if walk not in known and (len(known) < MARKED or walk < known[-1]):
            self.walks[fingerprint] = tuple(sorted((*known, walk))[:MARKED])
            self._thin()

    def merge(self, other: Sample) -> None:
        """Takes in what another has sampled, of other walks."""
        self.slice |= other.slice
        self._keep()
        for fingerprint, walks in other.walks.items():
            for walk in walks:
                self.add(fingerprint, walk)

    def _thin(self) -> None:
        while len(self.walks) > MOST_SAMPLED:
            self.slice = self.slice >> 1 | 1 << 63
            self._keep()

    def _keep(self) -> None:
        self.walks = {f: walks for f, walks in self.walks.items() if not f & self.slice}


Records = dict[int, tuple[int, int]]
"""By finding, the least walk that has made it, and after how many steps."""


@dataclass
class WalkTotals:
    """Counts over walks: those ended, steps made, walks cut off at the depth limit, most steps.

    `taken` is by binding. `spread` is in how many of the walks ended each binding was taken, then
    each action; empty unless the plan lists walks.
    """

    taken: list[int]
    spread: list[int] = field(default_factory=list[int])
    ended: int = 0
    steps: int = 0
    cut: int = 0
    longest: int = 0
    records: Records = field(default_factory=Records)
    sample: Sample = field(default_factory=Sample)

    def copy(self) -> WalkTotals:
        """The same, to add to."""
        sample = Sample(self.sample.slice, dict(self.sample.walks))
        return replace(self, records=dict(self.records), sample=sample)

    def merge(self, other: WalkTotals) -> None:
        """Adds what other walks have shown."""
        self.taken = [a + b for a, b in zip(self.taken, other.taken, strict=True)]
        self.spread = [a + b for a, b in zip(self.spread, other.spread, strict=True)]
        self.ended += other.ended
        self.steps += other.steps
        self.cut += other.cut
        self.longest = max(self.longest, other.longest)
        note_least(self.records, other.records)
        self.sample.merge(other.sample)


def note_least(records: Records, more: Records) -> None:
    """Takes in findings, of each the one of the least walk."""
    for finding, at in more.items():
        records[finding] = min(records.get(finding, at), at)


@dataclass(frozen=True)
class WalkPath:
    """The way of a walk: which initial state, by its place among them, and the bindings taken."""

    initial: int
    bindings: Sequence[int]


class Walker(Protocol):
    """Makes walks. Findings are numbered as in `specmodel.kernel.walking`.

    `seconds` is what it took to make itself ready; `scale` how many times the usual rounds suit it.
    """

    scale: int
    workers: int
    seconds: float

    def go(self, first: int, end: int) -> None:
        """Makes the walks of a round; fewer if it is told to stop."""

    def take_back(self, end: int) -> None:
        """Forgets what walks of the round that has been made last have shown, from `end` on."""

    def endings(self) -> array[int]:
        """How each walk of the round that has been made last ended, by number, if walks are listed.

        Its states and how it ended (see ENDING_BITS); 0 for one that has not ended.
        """
        ...

    def learn(self) -> None:
        """Ends a round: what walks have learnt is used from now on."""

    def path(self, walk: int) -> WalkPath:
        """The way of a walk of the round that has been made last."""
        ...

    def compiled(self) -> CompiledPaths | None:
        """The compiled code that makes the walks; None if CPython makes them."""
        ...

    def progress(self) -> tuple[int, int]:
        """Walks ended and steps made so far; may be asked while it walks."""
        ...

    def records(self) -> Records:
        """The findings so far."""
        ...

    def totals(self) -> WalkTotals:
        """What all walks have shown."""
        ...

    def forget(self, finding: int) -> None:
        """Looks for something no longer, as it has been found."""

    def stop(self) -> None:
        """Ends the walks that are under way as soon as may be; for another thread to call."""

    def close(self) -> None:
        """Ends its threads."""
