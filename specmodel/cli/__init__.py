"""The command line: `specmodel check kip320`. One thin module a command."""

from __future__ import annotations

import os

try:
    import gc
    import io
    import sys

    from specmodel.cli import interrupts
except KeyboardInterrupt:  # nothing of ours hears of Ctrl-C yet
    os.write(2, b"error: interrupted\n")
    os._exit(3)

COLLECTED_AFTER = 20_000
"""Objects that are made before the collector looks for garbage. Starting makes some 50,000, which
all stay: to go through them after every 700, as CPython does, takes 3% of a small check."""

MOST_ARGUMENT = 4096
"""The characters of an argument: as long as a path may be. Messages quote what is wrong."""


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
    except OSError as wrong:  # of --help and --version; commands deal with theirs
        from specmodel.cli.output import silence

        silence(sys.stdout)
        return _complain(f"cannot write to standard output: {wrong.strerror}")
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # nobody reads the help any more
            return 0
        raise
    finally:
        interrupts.ignore()
    return 0


def _open_streams() -> None:
    """Opens streams that the caller has closed, or a file of ours would take their number.

    What is written to stdout then fails, as it would have.
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
