"""Shares of a level that processes of their own expand, for a search by the evaluator.

Each process is a fork: it has all that the search has found so far, and tells what it finds beyond.
What the shares find is put together in their order, so the result is that of one process.
"""

from __future__ import annotations

import gc
import os
import select
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import islice, pairwise
from pickle import UnpicklingError
from typing import Any, NamedTuple

from specmodel.design import Design
from specmodel.options import Options
from specmodel.tla.actions import COUNTED_ONCE
from specmodel.tla.binders import AMBIGUOUS
from specmodel.tla.forks import end, forked
from specmodel.tla.pausing import LOOK_EVERY, poll
from specmodel.tla.pickling import pickled, unpickled
from specmodel.tla.search import TlaSearch

BATCH_SECONDS = 1.0
"""How long processes are at work at a time: their results show in the progress after it."""

LEAST_SECONDS = 0.2
"""The work of one process for which others are worth their start."""

NEWEST = 0.05
"""The weight of the last state in the time that a state is expected to take."""

PATIENCE = 60.0
"""Seconds for which a share may take longer than expected. Its process may wait for ever."""


class Share(NamedTuple):
    """What the expansion of some states of a level adds to a search.

    `counts` has the number of new states in `seen` after each of the states.
    """

    seen: Sequence[tuple[Any, Any]]
    counts: Sequence[int]
    outside: dict[Any, Any]
    hits: dict[str, Any]
    taken: dict[str, int]
    following: Sequence[Any]
    notes: tuple[set[Any], set[Any]]


class SharedSearch(TlaSearch):
    """A search whose levels are expanded by several processes, where these are worth their start.

    `workers` is the number of those that it has had.
    """

    def __init__(self, design: Design, options: Options) -> None:
        super().__init__(design, options)
        self._pace = 0.0
        """Seconds that the expansion of a state takes."""
        self._alone = (0, 0)
        """The level and the state before which this process is alone, as a share has failed: it is
        to meet the error itself."""

    def expand_next(self) -> None:
        if (self.depth, self.position) >= self._alone and self._expand_shares():
            return
        started = time.perf_counter()
        super().expand_next()
        self._pace += NEWEST * (time.perf_counter() - started - self._pace)

    def _expand_shares(self) -> bool:
        """Expands states of the level in as many processes as there may be; False if none is."""
        left, workers = len(self.level) - self.position, self.options.workers
        if workers < 2 or self._pace * left <= LEAST_SECONDS or not hasattr(os, "fork"):
            return False
        size = min(left, max(workers, int(BATCH_SECONDS * workers / self._pace)))
        bounds = [self.position + size * i // workers for i in range(workers + 1)]
        started, first = time.perf_counter(), self.position
        until = started + self._pace * size / workers + PATIENCE
        with ExitStack() as ending:
            pipes = [_started(self, *ends, ending) for ends in pairwise(bounds)]
            for pipe, last in zip(pipes, bounds[1:], strict=True):
                share = _received(self, pipe, until)
                if share is None:
                    self._alone = (self.depth, last)
                    break
                _add(self, share)
                self.position = last
        if self.position == first:
            return False
        self.workers = workers
        self._pace = (time.perf_counter() - started) * workers / (self.position - first)
        return True


def _started(search: SharedSearch, first: int, last: int, ending: ExitStack) -> int:
    """The end of a pipe from a process that expands some states; -1 if there can be none."""
    try:
        process, pipe = forked(partial(_expand_and_tell, search, first, last))
    except OSError:
        return -1
    ending.callback(os.close, pipe)
    ending.callback(end, process)
    return pipe


def _received(search: SharedSearch, pipe: int, until: float) -> Share | None:
    """What a process tells; None if it fails. Raises Stopped."""
    held: list[bytes] = []
    while pipe >= 0 and time.perf_counter() < until:
        poll()
        if select.select([pipe], [], [], LOOK_EVERY)[0]:
            held.append(os.read(pipe, 1 << 20))
            if not held[-1]:
                with suppress(EOFError, UnpicklingError):  # of a process that was killed
                    return unpickled(search.spec, b"".join(held))
                return None
    return None


def _expand_and_tell(search: SharedSearch, first: int, last: int, pipe: int) -> None:
    """Expands some states, and writes what is found: nothing where an expansion fails."""
    gc.disable()
    with suppress(Exception):
        held = pickled(_share(search, first, last))
        with open(pipe, "wb") as file:
            file.write(held)


def _share(search: SharedSearch, first: int, last: int) -> Share:
    known = len(search.seen), len(search.outside), len(search.following)
    hits, taken, counts = set(search.hits), dict(search.taken), list[int]()
    for key in search.level[first:last]:
        search.expand(key)
        counts.append(len(search.seen) - known[0])
    return Share(
        [(key, state) for key, (state, _) in islice(search.seen.items(), known[0], None)],
        counts,
        dict(islice(search.outside.items(), known[1], None)),
        {name: hit for name, hit in search.hits.items() if name not in hits},
        {name: count - taken[name] for name, count in search.taken.items()},
        search.following[known[2] :],
        (set(AMBIGUOUS), set(COUNTED_ONCE)),
    )


def _add(search: SharedSearch, share: Share) -> None:
    """Adds what a share has found, from the state of the level that is next."""
    for (key, state), parent in zip(share.seen, _parents(search, share.counts), strict=True):
        if key not in search.seen:
            search.seen[key] = (state, parent)
            search.fresh.append(key)
    for key, found in share.outside.items():
        search.outside.setdefault(key, found)
    for name, hit in share.hits.items():
        search.hits.setdefault(name, hit)
    for name, count in share.taken.items():
        search.taken[name] += count
    search.following += share.following
    for known, more in zip((AMBIGUOUS, COUNTED_ONCE), share.notes, strict=True):
        known.update(more)


def _parents(search: SharedSearch, counts: Sequence[int]) -> Iterator[Any]:
    before = 0
    for key, count in zip(search.level[search.position :], counts, strict=False):
        for _ in range(count - before):
            yield key
        before = count
