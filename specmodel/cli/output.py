"""The destination of a command's report: stdout, with colours if it is a terminal, or a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from specmodel.errors import UsageError, printable
from specmodel.files import cannot
from specmodel.files import write_bytes as write_bytes
from specmodel.views.page import Page
from specmodel.views.symbols import ASCII, UNICODE

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.views.selection import TraceView

WIDTH_WHEN_PIPED = 100


def page(file: Path | None = None, view: TraceView | None = None) -> Page:
    """The page for a report: a file, or stdout; `view` selects the shown part of traces.

    It is as wide as the terminal (or COLUMNS), or has a fixed number of columns without a terminal.
    A file is UTF-8.
    """
    columns = shutil.get_terminal_size((WIDTH_WHEN_PIPED, 24)).columns
    encoding = "utf-8" if file else (sys.stdout.encoding or "ascii")
    utf8 = encoding.lower().replace("-", "") == "utf8"
    return Page(columns, UNICODE if utf8 else ASCII, view)


def refuse_unwritable(*files: Path | None) -> None:
    """Raises UsageError for a file that cannot be written, before time is spent on it."""
    for file in files:
        if file is None:
            continue
        folder = file.parent
        if not folder.is_dir():
            raise UsageError(f"cannot write {file}: there is no folder {folder}")
        if file.is_dir():
            raise UsageError(f"cannot write {file}: it is a folder")
        if not os.access(file if file.exists() else folder, os.W_OK):
            raise UsageError(f"cannot write {file}: permission denied")


def write_file(file: Path, text: str) -> None:
    """Writes a text file. Raises UsageError if it cannot be written."""
    write_bytes(file, text.encode("utf-8", errors="replace"))


def refuse_no_table(file: Path | None) -> None:
    """Raises UsageError for a file that cannot hold a table, or if pyarrow is not installed."""
    if file is None:
        return
    if file.suffix != ".parquet":
        raise UsageError(f"cannot write a table to {file}: give a name that ends in .parquet")
    refuse_unwritable(file)
    from specmodel.space.arrow import need_data

    need_data()


def write_table(file: Path, table: Any) -> None:
    """Writes a `pyarrow.Table` as a Parquet file. Raises UsageError if it cannot be written."""
    from specmodel.space import writing

    with cannot(f"write {file}"):
        writing.write_table(file, table)


def emit(lines: Iterable[Text | str], file: Path | None = None) -> None:
    """Writes lines to a file, or to stdout; it is no error if the reader of stdout has gone.

    Raises UsageError if they cannot be written, as on a full disk.
    """
    if file is not None:
        write_file(file, "".join(f"{_plain(line)}\n" for line in lines))
        return
    try:
        if sys.stdout.isatty():
            _print_styled(lines)
        else:
            sys.stdout.write("".join(f"{_plain(line)}\n" for line in lines))
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    except OSError as wrong:
        silence(sys.stdout)
        raise UsageError(f"cannot write to standard output: {wrong.strerror}") from None


def _plain(line: Text | str) -> str:
    return printable(line if isinstance(line, str) else line.plain)


def _print_styled(lines: Iterable[Text | str]) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        plain = _plain(line)
        console.print(line if str(line) == plain else plain)


def silence(stream: TextIO) -> None:
    """Keeps the interpreter from failing again when it flushes a stream at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
