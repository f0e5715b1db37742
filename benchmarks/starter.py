"""Starts one program, waits for it, and reports when it ran, how it ended and its peak memory.

Run as a file in a Python that has loaded next to nothing. Linux counts the memory of a process that
starts another to the peak of that one, also what it gave back long ago. So if a large process, such
as one that has loaded LLVM, started a program with less, nobody could tell how much less.

    python -I -S starter.py DESCRIPTOR COMMAND...

To the descriptor goes one line: the seconds of the monotonic clock before and after, the status as
of `wait`, and the peak in bytes; or "cannot" and the number of the error.
"""

import os
import sys
import time


def main() -> None:
    """Start what the arguments say."""
    report, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        try:
            os.execvp(command[0], command)
        except OSError as wrong:
            os.write(report, f"cannot {wrong.errno}\n".encode())
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    ended = time.perf_counter()
    os.write(report, f"{started} {ended} {status} {usage.ru_maxrss << 10}\n".encode())


if __name__ == "__main__":
    main()
