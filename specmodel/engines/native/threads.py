"""Threads that do the same task side by side, and wait for each other."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from specmodel.engines.native.loop.waiting import wait_for
from specmodel.errors import MemoryLimit, SpecmodelError
from specmodel.machine.build import Code, build
from specmodel.resources import places, processors

T = TypeVar("T")

LOOKS = 2_000
"""Reads of a shared word before a thread sleeps: they take about as long as waking a thread."""


class NoThreads(MemoryLimit):
    """The system cannot start further threads, each of which needs a stack. No task has begun."""

    def __init__(self, workers: int) -> None:
        SpecmodelError.__init__(
            self, f"out of memory: the system has no room for {workers} threads; give fewer workers"
        )


class Threads:
    """A number of workers. The first is the thread that calls `run`, one at a time.

    The other threads are started when they are first needed. A thread that runs others ignores
    Ctrl-C, because an interrupted step could not be continued.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        looks = LOOKS if 1 < workers <= processors() else 0
        self._places = places() if 1 < workers == len(places()) else []
        self._begun, self._ended = Count(looks), Count(looks)
        self._turn = 0
        self._task: Callable[[int], Any] | None = None
        self._results: list[Any] = [None] * workers
        self._wrong: list[BaseException | None] = [None] * workers
        self._threads: list[threading.Thread] = []

    def _start(self) -> None:
        """Starts the others. Raises NoThreads."""
        while len(self._threads) < self.workers - 1:
            number = len(self._threads) + 1
            name = f"specmodel_{number}"
            thread = threading.Thread(
                target=self._work, args=(number, self._turn), name=name, daemon=True
            )
            try:
                thread.start()
            except RuntimeError:
                raise NoThreads(self.workers) from None
            self._threads.append(thread)

    def run(self, task: Callable[[int], T]) -> list[T]:
        """The results of a task for the number of each worker, when all have ended.

        Raises NoThreads, and the error of any of them.
        """
        self._start()
        self._task = task
        self._turn += 1
        self._begun.add()
        try:
            with self._kept_at(0):
                self._do(0)
        finally:
            self._ended.wait(self._turn * len(self._threads))
            self._task = None
        for wrong in self._wrong:
            if wrong is not None:
                raise wrong
        return list(self._results)

    def run_apart(self, task: Callable[[int], T]) -> list[T]:
        """As `run`, for workers that do not wait for each other: in turn without threads."""
        try:
            return self.run(task)
        except NoThreads:
            return [task(number) for number in range(self.workers)]

    def close(self) -> None:
        """Ends the threads, each after its present task."""
        self._begun.add()
        for thread in self._threads:
            thread.join()

    def _work(self, number: int, turn: int) -> None:
        with self._kept_at(number):
            while True:
                turn += 1
                self._begun.wait(turn)
                if self._task is None:
                    return
                self._do(number)
                self._ended.add()

    @contextmanager
    def _kept_at(self, number: int) -> Generator[None]:
        """While open, the calling thread runs on the processor of its worker.

        Only if there is a processor for each worker. Otherwise the system may let two threads share
        a processor for many milliseconds while another processor is idle.
        """
        if not self._places:
            yield
            return
        with suppress(OSError):  # the process may have lost a processor
            os.sched_setaffinity(0, {self._places[number]})
        try:
            yield
        finally:
            with suppress(OSError):
                os.sched_setaffinity(0, self._places)

    def _do(self, number: int) -> None:
        assert self._task is not None
        self._wrong[number] = None
        try:
            self._results[number] = self._task(number)
        except BaseException as wrong:
            self._wrong[number] = wrong


class Count:
    """A number that grows, and that threads wait for: first by reading it, then asleep.

    Waking a thread takes as long as expanding a thousand states, and most waits are shorter. A
    thread that reads does not hold Python's lock.
    """

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._look = _code()[wait_for] if looks else None
        self._value = ctypes.c_int64(0)
        self._grown = threading.Condition()

    def add(self) -> int:
        """Adds 1; returns the new number."""
        with self._grown:
            self._value.value += 1
            self._grown.notify_all()
            return self._value.value

    @property
    def value(self) -> int:
        """The present number."""
        return self._value.value

    def wait(self, value: int) -> None:
        """Returns when the number is at least a value."""
        if self._value.value >= value:
            return
        if self._look and self._look(ctypes.addressof(self._value), value, self._looks):
            return
        with self._grown:
            self._grown.wait_for(lambda: self._value.value >= value)


@functools.cache
def _code() -> Code:
    return build((wait_for,), {})
