"""Ctrl-C at every line that starts and closes a search: a program of its own, as one may hang.

    python -m tests.faults.interrupting FOLDER EVERY

In FOLDER a small design is searched again and again with a checkpoint, and some code is compiled.
Each time SIGINT comes at another line of the main thread in what opens, runs and
closes these, EVERY lines further on. Afterwards no thread may be left, Ctrl-C is as it was before,
and a search that goes on from the checkpoint has the result of one that was not interrupted.
"""

from __future__ import annotations

import faulthandler
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from specmodel.engines import native
from specmodel.machine import objects
from specmodel.machine.compilers import compile_all
from specmodel.results import Options
from tests.engines.outcomes import said
from tests.engines.test_checkpoint import GRID
from tests.written import design_of

PLACES = (
    "specmodel/engines/base/driver.py",
    "specmodel/engines/native/__init__.py",
    "specmodel/engines/native/kernel_search.py",
    "specmodel/engines/native/search.py",
    "specmodel/engines/native/worker_pool.py",
    "specmodel/engines/native/reserve.py",
    "specmodel/engines/native/threads.py",
    "specmodel/engines/native/stores/",
    "specmodel/interrupts.py",
    "specmodel/machine/compilers.py",
    "specmodel/machine/objects.py",
    "/contextlib.py",
    "/threading.py",
)
"""Parts of the names of files in which SIGINT comes."""

PATIENCE = 120
"""Seconds after which a search is taken to hang."""

T = TypeVar("T")
Tracer = Callable[[FrameType, str, Any], Any]


class Interrupting:
    """Raises SIGINT at a line of a number, counted from when this is entered.

    Lines of handlers of exceptions do not count: CPython 3.11 would take the exception for being
    handled ever after.
    """

    def __init__(self, number: int) -> None:
        self.left = number
        self.where = ""

    def __enter__(self) -> Interrupting:
        sys.settrace(self._called)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Tracer | None:
        if not any(place in frame.f_code.co_filename for place in PLACES):
            return None
        return self._reached

    def _reached(self, frame: FrameType, event: str, argument: Any) -> Tracer | None:
        if event == "line" and sys.exc_info()[0] is None:
            self.left -= 1
            if self.left == 0:
                self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                signal.raise_signal(signal.SIGINT)
        return self._reached


def everywhere(work: Callable[[], T], every: int) -> Iterator[tuple[str, T | None]]:
    """Where SIGINT came and what work gave for all that, again and again until it ends before."""
    for number in count(1, every):
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        interrupting, given = Interrupting(number), None
        try:
            with interrupting:
                given = work()
        except KeyboardInterrupt:
            pass
        if not interrupting.where:
            break
        left = wait_for_threads()
        assert not left, f"{interrupting.where}: {left}"
        handler = signal.getsignal(signal.SIGINT)
        assert handler is signal.default_int_handler, interrupting.where
        yield interrupting.where, given
    faulthandler.cancel_dump_traceback_later()


def wait_for_threads() -> list[str]:
    """The names of threads, beside the main one, that do not end."""
    until = time.monotonic() + 10
    while len(threading.enumerate()) > 1 and time.monotonic() < until:
        gc.collect()
        time.sleep(0.001)
    return [t.name for t in threading.enumerate() if t is not threading.main_thread()]


def search(folder: Path, every: int) -> None:
    """A search with two workers and a checkpoint."""
    design = design_of(folder, GRID)
    expected = said(native.check(design, Options(keep_going=True)))
    options = Options(keep_going=True, workers=2, checkpoint=folder / "kept", resume=True)
    tried = told = 0
    for where, found in everywhere(lambda: native.check(design, options), every):
        after = said(native.check(design, options))
        assert after == expected, f"{where}: {after}"
        tried += 1
        told += found is not None
    sys.stdout.write(f"search: {tried} interrupted, {told} of them told what they had found\n")


def compile_(every: int) -> None:
    """Code of several modules, of which the cache has none."""
    texts = [f"define i64 @f{i}(i64 %x) {{\n ret i64 %x\n}}\n" for i in range(3)]
    target = objects.host()

    def work() -> list[bytes]:
        return compile_all(target, iter(texts), objects.compile_object)

    expected, tried = work(), 0
    for where, found in everywhere(work, every):
        assert found in (None, expected), where
        assert work() == expected, where
        tried += 1
    sys.stdout.write(f"compile: {tried} interrupted\n")


if __name__ == "__main__":
    search(Path(sys.argv[1]), int(sys.argv[2]))
    compile_(max(1, int(sys.argv[2]) // 4))
