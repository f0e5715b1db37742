"""Runs a command, and kills it with all that it started when the parent process ends.

    python keeper.py FD FOLDER COMMAND...

FOLDER is removed at the end, unless its name is empty. FD is the reading end of a pipe whose
writing end the parent holds. The system closes the pipe however the parent ends, kill -9 included.
Uses no module of the package: it has to start fast.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time

EVERY = 0.05
"""Seconds between two looks at whether the command has ended."""


LATER = 0.5
"""Seconds after which a folder is removed again: others, killed now, may still write to it."""


def main(lifeline: int, folder: str, command: list[str]) -> int:
    """Returns the exit code of the command; 127 if it cannot be started."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent decides, by closing the pipe
    try:
        child = subprocess.Popen(command, start_new_session=True)
    except OSError as wrong:
        sys.stderr.write(f"cannot start {command[0]}: {wrong.strerror}\n")
        return 127
    while child.poll() is None:
        readable, _, _ = select.select([lifeline], [], [], EVERY)
        if readable:
            break
    with contextlib.suppress(ProcessLookupError):  # it may have ended, and its children not
        os.killpg(child.pid, signal.SIGKILL)
    code = child.wait()
    for _ in range(2 if folder else 0):
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(folder):  # noqa: PTH110 - pathlib takes as long to import as all the rest
            time.sleep(LATER)
    return code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]) & 0xFF)
