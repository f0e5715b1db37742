"""The end of the commands `python -m specmodel.conformance.kafka...`: mistakes are messages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from specmodel.errors import SpecmodelError

WRONG, INTERRUPTED = 2, 130


def exit_code(command: Callable[[Sequence[str]], int], words: Sequence[str]) -> int:
    """The exit code of a command; 2, with the message on stderr, for an error of the project."""
    try:
        return command(words)
    except SpecmodelError as wrong:
        sys.stderr.write(f"error: {wrong}\n")
        return WRONG
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
