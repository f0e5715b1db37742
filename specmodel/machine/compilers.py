"""Compiles the modules of some code side by side: in a thread, and of much code in processes too.

LLVM compiles one module at a time in a process. So processes of their own, one for each further
processor, take modules that wait for the thread once all of them are written.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from specmodel.interrupts import held_back
from specmodel.ir import compile_progress
from specmodel.resources import processors

if TYPE_CHECKING:
    from specmodel.machine.objects import Target

LOOK_EVERY = 0.1
"""Seconds of waiting for LLVM between two progress reports."""

TURN = 0.0003
"""Seconds for which Python runs before it passes its lock to LLVM's thread, if that waits."""

MUCH = 3_000_000
"""The letters of waiting modules for which another process is worth its start: LLVM takes about two
seconds for them."""

Module = str | Callable[[], bytes]
"""A module as IR text, or a function that gives its object file."""

Compile = Callable[["Target", str], bytes]


def compile_all(target: Target, modules: Iterable[Module], compile_one: Compile) -> list[bytes]:
    """The object files of modules; `compile_one` makes that of a text. Raises its errors.

    Modules are compiled while others are written, without Python's lock.
    """
    compiler, letters = _Compiler(target, compile_one), list[int]()
    try:
        for module in modules:
            compiler.todo.put((len(letters), module))
            letters.append(len(module) if isinstance(module, str) else 0)
        codes = compiler.codes(letters)
    except Exception:
        compiler.end()
        raise
    compiler.end()
    return codes


class _Compiler:
    """A thread that compiles the numbered modules in `todo`, until no code needs them.

    KeyboardInterrupt may come at any instruction. So its queues have no locks in Python, and if
    `end` is not reached, an item in the queue ends the thread as soon as this object is freed.
    """

    def __init__(self, target: Target, compile_one: Compile) -> None:
        self.target = target
        self.todo: SimpleQueue[Any] = SimpleQueue()
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._ended: list[bool] = []
        gone = weakref.ref(self, self.todo.put)
        work = (target, compile_one, self.todo, self._done, self._ended, gone)
        thread = threading.Thread(target=_compile_each, args=work, name="specmodel_compiler")
        with held_back():
            thread.start()
        self._done.get()

    def codes(self, letters: Sequence[int]) -> list[bytes]:
        """The object files of all modules, which have so many letters each. Raises RuntimeError.

        While it waits, it reports how many there are.
        """
        found: dict[int, Any] = {}
        waiting = sum(letters[len(letters) - self.todo.qsize() :])
        with _Processes(self.target, min(processors() - 1, waiting // MUCH)) as others:
            while len(found) < len(letters):
                others.take_from(self.todo)
                found.update([*others.done(self.todo), *self._some(not others.busy)])
                for number in [n for n, code in found.items() if not isinstance(code, bytes)]:
                    raise found.pop(number)  # its traceback has this frame
                compile_progress.at(f"machine code, module {len(found)} of {len(letters)}")
        return [found[number] for number in range(len(letters))]

    def _some(self, wait: bool) -> Iterator[tuple[int, Any]]:
        """What the thread has done, with its numbers; `wait` for it a little."""
        with suppress(Empty):
            done = self._done.get(wait, LOOK_EVERY)
            while True:
                yield done or (0, RuntimeError("the compiler has ended"))
                done = self._done.get_nowait()

    def end(self) -> None:
        """Ends the thread, after its present module."""
        self._ended.append(True)
        self.todo.put(None)
        while self._done.get() is not None:
            pass


def _compile_each(
    target: Target,
    compile_one: Compile,
    todo: SimpleQueue[Any],
    done: SimpleQueue[Any],
    ended: list[bool],
    gone: weakref.ref[_Compiler],
) -> None:
    """Compiles each of the modules in the queue, until the compiler is freed.

    Reports its beginning, and its end with None.
    """
    with _turns:
        done.put(b"")
        while (job := todo.get()) is not None and not ended and gone() is not None:
            number, module = job
            try:
                text = isinstance(module, str)
                done.put((number, compile_one(target, module) if text else module()))
            except BaseException as wrong:
                done.put((number, wrong))
    done.put(None)


class _Processes:
    """Processes that compile a module each at a time. Use it as a context manager.

    A process ends when its pipe is closed, which is so too when no code knows this object.
    """

    def __init__(self, target: Target, count: int) -> None:
        self.target = target
        self.count = 0 if sys.platform == "win32" else count  # whose pipes are not waited for
        self._idle: list[subprocess.Popen[bytes]] = []
        self._jobs: dict[subprocess.Popen[bytes], tuple[int, str]] = {}

    def __enter__(self) -> Self:
        path = os.pathsep.join(sys.path)
        with suppress(OSError):
            for _ in range(self.count):
                started = subprocess.Popen(
                    [sys.executable, "-P", "-c", _SERVE],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": path},
                )
                self._idle.append(started)
        return self

    def __exit__(self, *error: object) -> None:
        for process in [*self._idle, *self._jobs]:
            process.kill()
            process.communicate()

    @property
    def busy(self) -> bool:
        """Whether a process compiles a module."""
        return bool(self._jobs)

    def take_from(self, todo: SimpleQueue[Any]) -> None:
        """Gives idle processes modules that wait."""
        with suppress(Empty):
            while self._idle:
                job = todo.get_nowait()
                if not isinstance(job[1], str):
                    todo.put(job)
                    return
                process = self._idle.pop()
                self._jobs[process] = job
                with suppress(OSError):  # of a process that has ended `done` tells
                    assert process.stdin is not None
                    pickle.dump((self.target, job[1]), process.stdin)
                    process.stdin.flush()

    def done(self, todo: SimpleQueue[Any]) -> Iterator[tuple[int, Any]]:
        """What the processes have done, with its numbers. The module of one that has ended waits
        again."""
        if not self._jobs:
            return
        ends = {process.stdout: process for process in self._jobs if process.stdout}
        for end in select.select(list(ends), [], [], LOOK_EVERY)[0]:
            process = ends[end]
            job = self._jobs.pop(process)
            try:
                done = pickle.load(end)
            except (OSError, EOFError, pickle.UnpicklingError):
                todo.put(job)
                process.communicate()
                continue
            self._idle.append(process)
            yield job[0], done


_SERVE = "from specmodel.machine import compilers, objects; compilers.serve(objects.compile_object)"


def serve(compile_one: Compile) -> None:
    """Compiles the modules that come as pickles, one after the other, in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that started it ends it
    with suppress(EOFError, BrokenPipeError):
        while True:
            target, text = pickle.load(sys.stdin.buffer)
            made: bytes | Exception
            try:
                made = compile_one(target, text)
            except Exception as wrong:
                made = wrong
            pickle.dump(made, sys.stdout.buffer)
            sys.stdout.buffer.flush()


class _Turns:
    """While any compiler is in here, threads pass Python's lock to each other quickly.

    A compiler needs the lock briefly, but often; Python keeps the lock for 5 ms by default.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(TURN)
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._usual)


_turns = _Turns()
