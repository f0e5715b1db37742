"""Many pieces of work side by side, each in a process of its own; this process handles Ctrl-C."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from specmodel.errors import SpecmodelError
from specmodel.resources import available

_Piece = TypeVar("_Piece")
_Made = TypeVar("_Made")


def spread(
    work: Callable[..., _Made], pieces: Sequence[Any], jobs: int
) -> Iterator[tuple[int, _Made]]:
    """The results of `work` for each piece, `jobs` at a time, with the piece's number, as they
    arrive.

    `work` takes a piece, and as keywords the number of `workers` (threads) and the bytes of
    `memory` that it may use. One job works in this process, without these limits (None); with
    several, each has a process, one worker and a share of the memory. Raises the errors of
    `completed`.
    """
    jobs = min(jobs, len(pieces))
    if jobs <= 1:
        for number, piece in enumerate(pieces):
            yield number, work(piece, workers=None, memory=None)
        return
    free = available()
    share = None if free is None else free // jobs
    yield from completed(partial(work, workers=1, memory=share), pieces, jobs)


def completed(
    work: Callable[[_Piece], _Made], pieces: Sequence[_Piece], jobs: int
) -> Iterator[tuple[int, _Made]]:
    """The results of `work` for each piece, `jobs` at a time, with the piece's number, as they
    arrive.

    The calling program must be importable, as for all of Python's process pools. When the caller
    stops iterating, running pieces are ended. Raises SpecmodelError if a process was ended from
    outside, and the errors of `work`.
    """
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=_leave_signals)
    try:
        with _deaf():
            left: dict[Future[_Made], int] = {pool.submit(work, p): n for n, p in enumerate(pieces)}
        while left:
            finished, _ = wait(left, return_when=FIRST_COMPLETED)
            for future in sorted(finished, key=left.__getitem__):
                yield left.pop(future), future.result()
    except BrokenProcessPool:
        raise SpecmodelError(
            "a search was ended from outside, most likely for want of memory:"
            " run fewer side by side, or set a limit"
        ) from None
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()  # the result of running pieces is not wanted any more
        raise
    finally:
        # Not left to the interpreter's end: the pool's own thread then closes pipes that are still
        # used.
        pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf() -> Generator[None]:
    """Delays Ctrl-C; processes that are started meanwhile ignore it during their imports."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave_signals() -> None:
    """Ignores signals: Ctrl-C reaches every process of a terminal; the reporting one handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
