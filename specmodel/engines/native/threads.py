"""Threads that do the same task side by side, and how they wait for each other."""

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
"""How often a thread looks before it sleeps: for about as long as waking it would take."""


class NoThreads(MemoryLimit):
    """The system starts no more threads, each of which has a stack. None has begun with a task."""

    def __init__(self, workers: int) -> None:
        SpecmodelError.__init__(
            self, f"out of memory: the system has no room for {workers} threads; give fewer workers"
        )


class Threads:
    """A number of workers, of which the first is the thread that calls `run`, one at a time.

    The others are started when they are first needed. Ctrl-C is not for a thread that runs others:
    what it interrupts could not be gone on with.
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
        """What a task gives for the number of each worker, when all have ended.

        Raises NoThreads, and what it raised for any of them.
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
        """The same of a task whose workers do not meet: in turn where there are no threads."""
        try:
            return self.run(task)
        except NoThreads:
            return [task(number) for number in range(self.workers)]

    def close(self) -> None:
        """Ends the threads, each when it has done what it is doing."""
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
        """While the system runs the calling thread on the processor of a worker.

        Only where there is a worker for each. A system may let two of them share one for many
        milliseconds, before it sees that another has nothing to do.
        """
        if not self._places:
            yield
            return
        with suppress(OSError):  # a processor may have been taken away
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
    """A number that grows, and that threads wait for: awake for so many looks, then asleep.

    Waking a thread takes as long as expanding a thousand states, and most waits are shorter. While
    a thread looks, it has not got Python's lock.
    """

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._look = _code()[wait_for] if looks else None
        self._value = ctypes.c_int64(0)
        self._grown = threading.Condition()

    def add(self) -> int:
        """Makes it one more; gives what it is then."""
        with self._grown:
            self._value.value += 1
            self._grown.notify_all()
            return self._value.value

    @property
    def value(self) -> int:
        """What it is."""
        return self._value.value

    def wait(self, value: int) -> None:
        """Ends when it is at least a value."""
        if self._value.value >= value:
            return
        if self._look and self._look(ctypes.addressof(self._value), value, self._looks):
            return
        with self._grown:
            self._grown.wait_for(lambda: self._value.value >= value)


@functools.cache
def _code() -> Code:
    return build((wait_for,), {})
