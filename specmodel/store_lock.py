"""A lock in a store: one process at a time uses a folder.

It is an object that only one process can make, and that its owner writes anew every few seconds. If
it has not changed for a while, its owner has ended without removing it, and another process may
take it over. An owner that cannot write it any more, or finds another owner's, has lost it.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from specmodel.errors import UsageError
from specmodel.files import cannot
from specmodel.stores import read_text, upload

RENEWED = 4.0
"""Seconds between two writings."""

ABANDONED = 20.0
"""Seconds without a change after which a lock may be taken over."""

LOOKS = 0.5
"""Seconds between two looks at the lock of another process."""


class StoreLock:
    """The lock of this process on a folder; `lost` says why it is lost, empty while it is held."""

    def __init__(self, path: Path, busy: str, remark: Callable[[str], None] | None = None) -> None:
        """Takes the lock. If there is one, it looks for a while whether its owner has ended, which
        `remark` is told.

        Raises UsageError, which says `busy`, if another process has it, and if the store fails.
        """
        self.path, self.busy = path, busy
        self.lost = ""
        self._key = uuid.uuid4().hex
        self._ended = threading.Event()
        with cannot(f"lock {path.parent}"):
            while not self._made():
                if remark is not None:
                    remark(f"{path.parent} is locked: looking for {ABANDONED:.0f} s who has it")
                self._take_over()
            if self._made():
                self.path.unlink()
                raise UsageError(
                    f"no run can be kept in {path.parent}: this store has no put that fails if the"
                    " object is there"
                )
        self._renewing = threading.Thread(target=self._renew, daemon=True)
        self._renewing.start()

    def close(self) -> None:
        """Removes the lock, if it is still this process's."""
        self._ended.set()
        self._renewing.join()
        with contextlib.suppress(OSError):
            if self._own():
                self.path.unlink()

    def refuse_lost(self) -> None:
        """Raises UsageError if the lock is lost."""
        if self.lost:
            raise UsageError(f"the lock on {self.path.parent} is lost: {self.lost}")

    def _made(self) -> bool:
        """Writes the lock, if there is none; returns whether it did."""
        try:
            self._write(first=True)
        except FileExistsError:
            return False
        return True

    def _write(self, *, first: bool) -> None:
        said = {"key": self._key, "host": platform.node(), "pid": os.getpid(), "time": time.time()}
        with tempfile.TemporaryDirectory(prefix="specmodel-") as folder:
            part = Path(folder) / "lock"
            part.write_text(json.dumps(said), encoding="utf-8")
            upload(part, self.path, first=first)

    def _take_over(self) -> None:
        """Removes a lock that does not change. Raises UsageError if it does."""
        before = self._text()
        end = time.monotonic() + ABANDONED
        while time.monotonic() < end:
            time.sleep(LOOKS)
            now = self._text()
            if now is None:
                return
            if now != before:
                raise UsageError(self.busy)
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    def _text(self) -> str | None:
        """What the lock says; None if there is none."""
        try:
            return read_text(self.path)
        except FileNotFoundError:
            return None

    def _own(self) -> bool:
        text = self._text()
        return text is not None and f'"{self._key}"' in text

    def _renew(self) -> None:
        held = time.monotonic()
        while not self._ended.wait(RENEWED):
            try:
                if not self._own():
                    self.lost = "another process has taken it over"
                    return
                self._write(first=False)
                held = time.monotonic()
            except OSError as wrong:
                if time.monotonic() - held > ABANDONED:
                    self.lost = f"it cannot be written: {wrong}"
                    return
