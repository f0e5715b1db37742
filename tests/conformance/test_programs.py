"""Programs under test: what they say, how they end, and that none is left behind."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from specmodel.conformance import Stage, SubjectGone, SubjectProgram, program
from tests.outside import PATIENCE, started, wait_for

READY = (
    "import sys, json; sys.stdin.readline(); print(json.dumps({'ready': 1, 'version': 'v 2'}))\n"
)
FLUSH = "sys.stdout.flush()\n"


def subject_of(folder: Path, text: str) -> SubjectProgram:
    """A program with a text."""
    file = folder / "subject.py"
    file.write_text(text)
    return SubjectProgram.python(file, lambda events: {"events": len(events)})


async def _run(subject: SubjectProgram, events: int = 0) -> None:
    try:
        await subject.start(Stage())
        while (await subject.observe())["events"] < events:
            await asyncio.sleep(0.01)
    finally:
        await subject.stop()


def test_what_a_program_says(tmp_path: Path) -> None:
    """The line with `ready`, events, and lines that are no JSON objects."""
    lines = "print('noise'); print('[1]'); print('{\"told\": \"gone\"}'); print('{\"a\": 1}')\n"
    subject = subject_of(tmp_path, READY + lines + FLUSH + "sys.stdin.read()")
    asyncio.run(_run(subject, 2))
    assert subject.version() == "v 2"
    assert [event.get("a") for event in subject.events] == [None, 1]
    assert subject.told() == ["gone"]


def test_what_a_program_is_told(tmp_path: Path) -> None:
    """The first line has what the stage offers and what the binding adds."""

    class Offering(Stage):
        def offers(self) -> dict[str, int]:
            return {"port": 12}

    text = "import sys, json; given = json.loads(sys.stdin.readline())\n"
    text += (
        "print(json.dumps({'ready': 1, 'version': given})); sys.stdout.flush(); sys.stdin.read()"
    )
    file = tmp_path / "subject.py"
    file.write_text(text)
    subject = SubjectProgram.python(file, lambda events: {}, start_with={"reset": "none"})

    async def run() -> None:
        await subject.start(Offering())
        await subject.stop()

    asyncio.run(run())
    assert subject.version() == "{'port': 12, 'reset': 'none'}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys; sys.exit('no such topic')", "ended with exit code 1: no such topic"),
        (READY + FLUSH, "ended with exit code 0: it wrote nothing"),
        ("import time; time.sleep(60)", "did not say within 1 s that it is ready"),
        (READY + FLUSH + "print('x' * 2000000); sys.stdin.read()", "a line of more than 1,048,576"),
    ],
    ids=["exits", "ends", "hangs", "long-line"],
)
def test_a_program_that_is_gone(
    tmp_path: Path, text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message has its last words."""
    monkeypatch.setattr(program, "READY_SECONDS", 1.0 if "sleep" in text else 60.0)
    with pytest.raises(SubjectGone, match=message):
        asyncio.run(_run(subject_of(tmp_path, text), 1))


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    """It is reported as a program that has ended."""
    subject = SubjectProgram(["no-such-program"], lambda events: {})
    with pytest.raises(SubjectGone, match="cannot start no-such-program"):
        asyncio.run(_run(subject))


def commands() -> Iterator[tuple[int, Sequence[str]]]:
    """The processes of this system, with their commands."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            yield int(folder.name), words


def folder_of(pid: int) -> Path | None:
    """The working folder of a process; None if it has ended."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None


SPEC = """
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, init

class State(Struct):
    at: Annotated[int, Range(0, 1)]

@init
def start() -> State:
    return State(0)

@action
def flip(s: State) -> None:
    s.at = 1 - s.at

flips = Spec(state=State, init=start, actions=[flip])
"""

BINDING = """
from pathlib import Path
from specmodel.conformance import PlayBinding, Stage, SubjectProgram

class Nothing(Stage):
    async def perform(self, step, before, after): pass

binding = PlayBinding(
    stages={"nothing": Nothing},
    subjects={"it": lambda: SubjectProgram.python(Path("subject.py"), lambda events: {})},
    observed=lambda s: {"at": s.at}, performs=["flip"], still_seconds=60, quiet_seconds=60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_behind(tmp_path: Path, number: int) -> None:
    """After kill -9 of the player and after Ctrl-C: neither the program nor what it started, even
    if they ignore signals and the end of their input."""
    mark, child = tmp_path / "begun", f"{tmp_path}-child"
    (tmp_path / "flips.py").write_text(SPEC)
    (tmp_path / "binding.py").write_text(BINDING)
    sleeping = f"import time; {child!r}; time.sleep(600)"
    (tmp_path / "subject.py").write_text(
        f"import pathlib, signal, subprocess, sys, time\n{READY}{FLUSH}"
        "for number in (signal.SIGINT, signal.SIGTERM):\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        f"subprocess.Popen([sys.executable, '-c', {sleeping!r}])\n"
        f"pathlib.Path({str(mark)!r}).touch(); time.sleep(600)\n"
    )

    def ours() -> list[Sequence[str]]:
        """The keeper, the program, and what the program started."""
        return [
            words
            for pid, words in commands()
            if any(child in word for word in words)
            or ("subject.py" in words and folder_of(pid) == tmp_path)
        ]

    player = started(
        *("conform", "flips.py", "--binding", "binding.py", "--covering"), folder=tmp_path
    )
    wait_for(lambda: mark.exists() and len(ours()) >= 3, player)
    player.send_signal(number)
    _, err = player.communicate()
    assert player.returncode == (-9 if number == signal.SIGKILL else 3), err
    until = time.monotonic() + PATIENCE
    while ours() and time.monotonic() < until:
        time.sleep(0.02)
    assert ours() == []
