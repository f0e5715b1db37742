"""A search by the evaluator in a process of its own, beside the compilation of the module.

Of some thousands of states, the evaluator has often found all before the module is compiled.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from specmodel.engines.base.driver import Driver
from specmodel.liveness import Stopped
from specmodel.options import Options
from specmodel.results import Result
from specmodel.tla.actions import COUNTED_ONCE
from specmodel.tla.binders import AMBIGUOUS
from specmodel.tla.forks import end, forked
from specmodel.tla.pausing import HALT, PAUSED
from specmodel.tla.pickling import pickled, unpickled
from specmodel.tla.recursion import deeply
from specmodel.tla.search import TlaSearch

EVALUATED = "evaluated"
"""Why compiling stops when the other process has found all states."""

MOST_WAIT = 10.0
"""The longest time, in seconds, until a search that is to end tells what it has found."""

WAIT, GO_ON, TELL = ASKED = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM)
"""Signals that ask the search to wait, to go on, and to end and tell what it has found."""

FOUND = (
    "seen", "outside", "hits", "taken", "following",
    "initial", "levels", "depth", "reached", "whole", "stopped",
    "level", "position", "fresh",
)  # fmt: skip
"""What a search has found: attributes of it."""


class SearchBeside:
    """A search in another process. `done` says whether it has ended by itself, without an error."""

    def __init__(self, search: TlaSearch, options: Options) -> None:
        """Starts a process in which a search goes on with these options. Raises OSError."""
        self.search = search
        self.done = False
        self._held = b""
        self._wanted = False
        # The process never has them unblocked: it waits for them, and none is lost.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ASKED)
        try:
            self._process, ours = forked(lambda end: _search_and_end(search.going_on(options), end))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        self._reader = threading.Thread(target=self._read, args=(ours,), daemon=True)
        self._reader.start()

    def _read(self, end: int) -> None:
        with open(end, "rb") as file:
            held = file.read()
        if held.endswith(EVALUATED.encode()):
            self._held = held
            self.done = True
            if self._wanted:
                HALT.append(EVALUATED)

    @contextmanager
    def ending(self) -> Generator[None]:
        """Ends an evaluation within, by Stopped, when the search is done."""
        self._wanted = True
        self.look()
        try:
            yield
        finally:
            self._wanted = False
            with contextlib.suppress(ValueError):
                HALT.remove(EVALUATED)

    def look(self) -> None:
        """Raises Stopped if the search is done."""
        if self.done:
            raise Stopped(EVALUATED)

    def pause(self) -> None:
        """Lets the search wait: compiled code needs the processor."""
        self._send(WAIT)

    def go_on(self) -> None:
        """Lets a search that waits go on."""
        self._send(GO_ON)

    def _send(self, signalled: int) -> None:
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process, signalled)

    def so_far(self, why: str) -> Result | None:
        """What the search has found until now, where it ends; `why` is the reason.

        None if it does not tell soon. Raises SpecFailure.
        """
        self._send(TELL)
        self._reader.join(MOST_WAIT)
        if not self.done:
            return None
        found = self.result()
        return replace(found, stopped=why) if found.stopped == "interrupted" else found

    def result(self) -> Result:
        """The result of a search that is done. Raises SpecFailure."""
        search = self.search
        found, *noted = unpickled(search.spec, self._held.removesuffix(EVALUATED.encode()))
        for known, more in zip((AMBIGUOUS, COUNTED_ONCE), noted, strict=True):
            known.update(more)
        for name, value in found.items():
            setattr(search, name, value)
        if search.live and not search.stopped:
            deeply(search.judge_claims)
        search.ended = time.perf_counter()
        return search.result()

    def end(self) -> None:
        """Ends the process, if it is still there."""
        process, self._process = self._process, 0
        if process:
            end(process)


def search_beside(search: TlaSearch, options: Options) -> SearchBeside | None:
    """A search that goes on in another process, by fork; None if there can be none."""
    try:
        return SearchBeside(search, options)
    except OSError:
        return None


def _search_and_end(search: TlaSearch, end: int) -> None:
    """Searches, and writes what it has found."""

    def search_and_write() -> None:
        try:
            with contextlib.suppress(Stopped):
                deeply(lambda: Driver.search_levels(search))
            found = {name: getattr(search, name) for name in FOUND}
            held = pickled((found, AMBIGUOUS, COUNTED_ONCE))
            with open(end, "wb") as file:
                file.write(held + EVALUATED.encode())
        finally:
            os._exit(0)

    searching = threading.Thread(target=search_and_write)
    searching.start()
    while (asked := signal.sigwait(ASKED)) != TELL:
        if asked == WAIT and PAUSED not in HALT:
            HALT.append(PAUSED)
        elif asked == GO_ON:
            _no_pause()
    search.interrupt()
    _no_pause()
    searching.join()


def _no_pause() -> None:
    with contextlib.suppress(ValueError):
        HALT.remove(PAUSED)
