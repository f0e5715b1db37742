"""A subject that is a program: it speaks JSON lines on its standard input and output.

The first line that the program reads says what the stage offers, such as an address. The program
answers with a line that has the key `ready`; the value of `version`, if there is one, goes into the
report. Each further line is an event. An event with the key `told` reports a loss to the user.
The program ends when its standard input ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from specmodel.conformance.protocol import PlayedSubject, Stage, SubjectGone

READY_SECONDS = 60.0
"""The longest time from the start of a program until it is ready: a Java client needs seconds."""

MOST_LINE = 1 << 20
"""The longest line that is read of a program, in bytes."""

KEPT_LINES = 20
"""The last lines of standard error that are kept for messages."""

KEEPER = Path(__file__).with_name("keeper.py")

Seen = Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]


class KeptProcess:
    """A process that ends, with all that it started, no later than this one."""

    def __init__(self, process: asyncio.subprocess.Process, lifeline: int) -> None:
        self.process = process
        self._lifeline: int | None = lifeline

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: int = asyncio.subprocess.PIPE,
        stdout: int = asyncio.subprocess.PIPE,
        stderr: int = asyncio.subprocess.PIPE,
        remove: Path | None = None,
    ) -> KeptProcess:
        """Starts a command under the keeper. A folder to `remove` goes with the command."""
        reading, writing = os.pipe()
        keeper = (sys.executable, "-I", "-S", str(KEEPER), str(reading), str(remove or ""))
        try:
            process = await asyncio.create_subprocess_exec(
                *keeper,
                *command,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=folder,
                env=None if environment is None else {**os.environ, **environment},
                pass_fds=(reading,),
                limit=MOST_LINE,
                start_new_session=True,  # Ctrl-C in the terminal is for the player alone
            )
        except BaseException:
            os.close(writing)
            raise
        finally:
            os.close(reading)
        return cls(process, writing)

    async def end(self) -> None:
        """Kills the command and all that it started, and waits until they are gone."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        await self.process.wait()


class SubjectProgram(PlayedSubject):
    """A program under test.

    `seen` gives what can be observed, from the events so far. `start_with` is merged into the first
    line that the program reads. `ready` is the line by which the program said that it is ready.
    """

    def __init__(
        self,
        command: Sequence[str],
        seen: Seen,
        start_with: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.command = list(command)
        self.seen = seen
        self.start_with = dict(start_with or {})
        self.environment = environment
        self.ready: Mapping[str, Any] = {}
        self._kept: KeptProcess | None = None
        self._readers: list[asyncio.Task[None]] = []
        self._last: deque[str] = deque(maxlen=KEPT_LINES)
        self._changed = asyncio.Event()

    @classmethod
    def python(cls, file: Path, seen: Seen, **more: Any) -> SubjectProgram:
        """A program that is a Python file, run by this Python."""
        return cls([sys.executable, str(file)], seen, **more)

    def version(self) -> str:
        """The version that the program reported."""
        return str(self.ready.get("version", ""))

    async def start(self, stage: Stage) -> None:
        """Starts the program, and waits until it is ready. Raises SubjectGone if it is not."""
        self.ready = {}
        self._kept = await KeptProcess.start(self.command, environment=self.environment)
        self._readers = [
            asyncio.create_task(self._read_events()),
            asyncio.create_task(self._read_errors()),
        ]
        await self.tell({**stage.offers(), **self.start_with})
        try:
            async with asyncio.timeout(READY_SECONDS):
                while not self.ready:
                    self._changed.clear()
                    await self._refuse_gone()
                    await self._changed.wait()
        except TimeoutError:
            raise SubjectGone(
                f"{self.command[-1]} did not say within {READY_SECONDS:.0f} s that it is ready"
            ) from None

    async def tell(self, message: Mapping[str, Any]) -> None:
        """Writes a line to the program."""
        assert self._kept is not None and self._kept.process.stdin is not None
        with contextlib.suppress(ConnectionError):  # the next observation says that it has ended
            self._kept.process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._kept.process.stdin.drain()

    async def observe(self) -> Mapping[str, Any]:
        """The observations in the events. Raises SubjectGone if the program has ended."""
        await self._refuse_gone()
        return self.seen(self.events)

    def told(self) -> Sequence[str]:
        """The events with the key `told`."""
        return [str(event["told"]) for event in self.events if event.get("told")]

    async def stop(self) -> None:
        """Kills the program."""
        if self._kept is not None:
            await self._kept.end()
            for reader in self._readers:
                await reader

    async def _refuse_gone(self) -> None:
        assert self._kept is not None
        if self._readers[0].done():
            await asyncio.wait(self._readers, timeout=1)  # for its last words
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._kept.process.wait(), 1)
            code = self._kept.process.returncode
            last = self._last[-1] if self._last else "it wrote nothing on standard error"
            how = "" if code is None else f" with exit code {code}"
            raise SubjectGone(f"{self.command[-1]} ended{how}: {last}")

    async def _read_events(self) -> None:
        assert self._kept is not None and self._kept.process.stdout is not None
        try:
            async for line in self._kept.process.stdout:
                self._note(line.decode(errors="replace").strip())
        except ValueError:
            self._last.append(f"a line of more than {MOST_LINE:,} bytes")
        finally:
            self._changed.set()

    def _note(self, line: str) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict):
            self._last.append(line)
            return
        said = cast(dict[str, Any], event)
        if not self.ready and "ready" in said:
            self.ready = said
        else:
            self.note(said)
        self._changed.set()

    async def _read_errors(self) -> None:
        assert self._kept is not None and self._kept.process.stderr is not None
        with contextlib.suppress(ValueError):  # a line that is too long: nothing is read any more
            async for line in self._kept.process.stderr:
                self._last.append(line.decode(errors="replace").rstrip())
