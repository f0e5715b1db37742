"""The results of walks so far: counts, first findings, and a sample of the states."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Protocol

from specmodel.dataclass import dataclass

if TYPE_CHECKING:
    from specmodel.selfcheck.run import CompiledPaths

MOST_SAMPLED = 1 << 14
"""The greatest number of sampled states; with more, the slice of all states that they come from is
halved.
"""

MARKED = 3
"""The number of walks kept for each sampled state: enough to distinguish one, two and more."""

ENDING_BITS = 3
"""An ended walk is a number: its states above these bits, and how it ended in them."""

CUT_OFF = 1
NO_SUCCESSOR = 2
NO_WEIGHT = 3
OUT_OF_CONSTRAINTS = 4
VIOLATING = 5


@dataclass
class Sample:
    """The states of a slice of all states, with the least walks to each (MARKED of them at most).

    States are known by their fingerprint. The slice has those whose bits in `slice` are all 0. The
    sample depends only on the walks, not on their order. Walks are in order, so the sample also
    gives the figures after any number of them.
    """

    slice: int = 0
    walks: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])

    @property
    def share(self) -> float:
        """The part of all states that the slice has, above 0 to 1."""
        return 0.5 ** self.slice.bit_count()

    def add(self, fingerprint: int, walk: int) -> None:
        """Notes that a walk has visited a state."""
        if fingerprint & self.slice:
            return
        known = self.walks.get(fingerprint, ())
        if walk not in known and (len(known) < MARKED or walk < known[-1]):
            self.walks[fingerprint] = tuple(sorted((*known, walk))[:MARKED])
            self._thin()

    def merge(self, other: Sample) -> None:
        """Adds the sample of other walks."""
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
    """Counts over walks: walks ended, steps, walks cut off at the depth limit, the most steps.

    `taken` is by binding. `spread` is the number of ended walks in which each binding was taken,
    then each action; empty unless the plan lists walks.
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
        """A copy, to add to."""
        sample = Sample(self.sample.slice, dict(self.sample.walks))
        return replace(self, records=dict(self.records), sample=sample)

    def merge(self, other: WalkTotals) -> None:
        """Adds the counts and findings of other walks."""
        self.taken = [a + b for a, b in zip(self.taken, other.taken, strict=True)]
        self.spread = [a + b for a, b in zip(self.spread, other.spread, strict=True)]
        self.ended += other.ended
        self.steps += other.steps
        self.cut += other.cut
        self.longest = max(self.longest, other.longest)
        note_least(self.records, other.records)
        self.sample.merge(other.sample)


def note_least(records: Records, more: Records) -> None:
    """Adds findings; for each finding, the least walk is kept."""
    for finding, at in more.items():
        records[finding] = min(records.get(finding, at), at)


@dataclass(frozen=True)
class WalkPath:
    """The way of a walk: the place of its initial state among all, and the bindings taken."""

    initial: int
    bindings: Sequence[int]


class Walker(Protocol):
    """Makes walks. Findings are numbered as in `specmodel.kernel.walking`.

    `seconds` is the time of its preparation; `scale` the factor by which its rounds are larger than
    usual.
    """

    scale: int
    workers: int
    seconds: float

    def go(self, first: int, end: int) -> None:
        """Makes the walks of a round; fewer if the search is stopped."""

    def take_back(self, end: int) -> None:
        """Forgets the results of walks of the last round, from `end` on."""

    def endings(self) -> array[int]:
        """How each walk of the last round ended, by number, if walks are listed.

        The number of states and the way in which it ended (see ENDING_BITS); 0 for a walk that has
        not ended.
        """
        ...

    def learn(self) -> None:
        """Ends a round: the counts that walks have learnt are used from now on."""

    def path(self, walk: int) -> WalkPath:
        """The way of a walk of the last round."""
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
        """The results of all walks."""
        ...

    def forget(self, finding: int) -> None:
        """Stops looking for a finding, because it was found."""

    def stop(self) -> None:
        """Ends the running walks as soon as possible; another thread calls this."""

    def close(self) -> None:
        """Ends its threads."""
