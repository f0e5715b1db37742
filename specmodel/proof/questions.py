"""Questions to a solver, one at a time, which a person and a clock can interrupt."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from specmodel.interrupts import attend
from specmodel.smt.logic import Answer, Formula, Logic, Solver

POLL = 0.05
"""Seconds between looks at the clock."""


class StoppedError(Exception):
    """No more questions are to be asked."""


class Questions:
    """Asks questions, with a limit for each and one for all, both in seconds."""

    def __init__(self, logic: Logic, each: float | None, all_: float | None) -> None:
        self.logic = logic
        self.each = each
        self.limit = all_
        self.started = time.perf_counter()
        self.stopped = ""

    @property
    def seconds(self) -> float:
        """The time since the first question could be asked."""
        return time.perf_counter() - self.started

    def ask(
        self, solver: Solver, assumed: Sequence[Formula] = (), limit: float | None = None
    ) -> Answer:
        """Whether the assertions can be satisfied. Raises StoppedError if it is to end."""
        self._refuse_if_stopped()
        answer = solver.check(assumed, self.each if limit is None else limit)
        self._refuse_if_stopped()  # an interrupted answer of z3 means nothing
        return answer

    def _late(self) -> bool:
        return self.limit is not None and self.seconds > self.limit

    def _refuse_if_stopped(self) -> None:
        if self._late():
            self.stopped = self.stopped or "timeout"
        if self.stopped:
            raise StoppedError

    def run(self, work: Callable[[], None], progress: Callable[[], None]) -> None:
        """Runs the work that asks questions in a thread of its own; this thread waits for Ctrl-C.

        Raises the errors of the work, except StoppedError.
        """

        def worked() -> None:
            try:
                work()
            except StoppedError:
                pass
            except BaseException as wrong:
                if not (self.stopped and self.logic.cut_short(wrong)):
                    raise

        def watch() -> None:
            if self._late():
                self.stopped = self.stopped or "timeout"
            if self.stopped:
                self.logic.interrupt()  # at each look: one between two checks goes unheard
            else:
                progress()

        def stop() -> None:
            self.stopped = "interrupted"

        attend(worked, watch, stop, POLL)
