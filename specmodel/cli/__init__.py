"""The command line: `specmodel check kip320`. One thin module a command."""

from __future__ import annotations

import io
import sys

from specmodel.cli import interrupts


def main() -> int:
    """Run the command line; gives the exit code (usage errors and --help leave by SystemExit).

    Exit codes: 0 holds, 1 violated, 2 wrong usage or a mistake in a spec, 3 incomplete.
    """
    interrupts.listen()
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        from specmodel.cli.app import application

        application(*sys.argv[1:2])(prog_name="specmodel")
    finally:
        interrupts.ignore()
    return 0
