"""Commands in processes of their own, and Ctrl-C to them once they are at work."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.conftest import Ran

ROOT = Path(__file__).parents[1]

PATIENCE = 300.0
"""Seconds after which something is taken to hang, however slow or busy the machine."""

ENDLESS = """
from pathlib import Path
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, constant, init, invariant

most = constant("most", 12)

class State(Struct):
    at: Annotated[int, Range(0, 10**most)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    s.at = min(s.at + 1, 10**most)

@invariant
def begun(s: State) -> bool:
    if s.at == 1000:
        Path("begun").touch()
    return True

endless = Spec(state=State, init=zero, actions=[step], invariants=[begun])
"""
"""A spec for the interpreter that says by a file that it has begun, and does not end."""

_TELLING = """
import pathlib, sys
from specmodel import interrupts

attend = interrupts.attend

def telling(work, watch, stop, every):
    def look():
        watch()
        if getattr(getattr(watch, "__self__", None), "levels", True):
            pathlib.Path({mark!r}).touch()
    return attend(work, look, stop, every)

interrupts.attend = telling
sys.argv = ["specmodel", *{words!r}]
from specmodel.cli import main
sys.exit(main())
"""


def free_port() -> int:
    """A port of loopback that nobody uses at present."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def answers(port: int, within: float = 60.0) -> None:
    """Waits until a server answers on a port of loopback."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"nothing answers on port {port}")


def started(
    *words: object,
    folder: Path | None = None,
    mark: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: int = subprocess.PIPE,
) -> subprocess.Popen[str]:
    """A command that runs in a folder. `mark` is a file that is made as soon as there is a search
    with a whole level, a simulation or a proof under way in threads."""
    arguments = [str(word) for word in words]
    code = ["-m", "specmodel", *arguments]
    if mark is not None:
        code = ["-c", _TELLING.format(mark=str(mark), words=arguments)]
    return subprocess.Popen(
        [sys.executable, *code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits until something is so, while a process runs."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None or condition(), process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


def interrupted(
    process: subprocess.Popen[str], when: Callable[[], bool], number: int = signal.SIGINT
) -> Ran:
    """How a process ends that gets Ctrl-C, or another signal, as soon as something is so."""
    try:
        wait_for(when, process)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return Ran(process.returncode, out, err)


def running_processes() -> dict[int, tuple[int, str]]:
    """The processes of the machine: the parent and the command of each."""
    listed = subprocess.run(
        ["ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = (line.split(None, 2) for line in listed.stdout.splitlines())
    return {int(row[0]): (int(row[1]), row[2]) for row in rows if len(row) == 3}


def kill_naming(*texts: str) -> None:
    """Kills the processes whose commands have all of these texts, until there are none."""

    def named() -> list[int]:
        every = running_processes().items()
        return [pid for pid, (_, command) in every if all(text in command for text in texts)]

    while found := named():
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
