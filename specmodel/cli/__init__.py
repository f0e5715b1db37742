"""The command line: `specmodel check kip320`. One thin module for each command."""

from __future__ import annotations

import os

try:
    import gc
    import io
    import sys

    from specmodel.cli import interrupts
except KeyboardInterrupt:  # our handler of Ctrl-C is not installed yet
    os.write(2, b"error: interrupted\n")
    os._exit(3)

COLLECTED_AFTER = 20_000
"""Objects made before the garbage collector runs.

Starting makes some 50,000 objects, which all stay: searching them after every 700, as CPython does,
takes 3% of a small check.
"""

MOST_ARGUMENT = 4096
"""The greatest number of characters of an argument: that of a path.

Messages quote wrong arguments.
"""


def main() -> int:
    """Run the command line; gives the exit code (usage errors and --help leave by SystemExit).

    Exit codes: 0 holds, 1 violated, 2 wrong usage or a mistake in a spec, 3 incomplete, 4 an
    engine and CPython disagree.
    """
    interrupts.listen()
    gc.set_threshold(COLLECTED_AFTER)
    try:
        _open_streams()
        from specmodel.cli.app import application

        if (wrong := next((a for a in sys.argv if len(a) > MOST_ARGUMENT), None)) is not None:
            return _complain(f"an argument of {len(wrong):,} characters: {wrong[:20]}...")
        application(*sys.argv[1:2])(prog_name="specmodel")
    except OSError as wrong:  # of --help and --version; commands handle their own
        from specmodel.cli.output import silence

        silence(sys.stdout)
        return _complain(f"cannot write to standard output: {wrong.strerror}")
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # the reader of the help has gone
            return 0
        raise
    finally:
        interrupts.ignore()
    return 0


def _open_streams() -> None:
    """Opens streams that the caller has closed; otherwise one of our files would get their number.

    Writing to stdout then fails, as it would have failed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY), number)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _complain(message: str) -> int:
    from specmodel.cli.guard import WRONG, complain

    complain(message)
    return WRONG
