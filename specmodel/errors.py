"""Errors that a user can meet: each names the place and the remedy.

Everything raised on purpose derives from `SpecmodelError`; the command line turns it into a message
and exit code 2, never a traceback. `SpecError` points at a place in a spec and shows it with a
caret.
"""

from __future__ import annotations

import difflib
import linecache
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import field
from types import TracebackType
from typing import Any, NamedTuple

from specmodel.dataclass import dataclass

MOST_SHOWN = 1000
"""The greatest number of characters of a line of a message; the middle of a longer line is cut."""

LINE = 200
"""The greatest number of characters shown of a line of source."""

_UNPRINTABLE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)
"""The control characters of a terminal, and those that change the direction of text."""


def printable(text: str) -> str:
    """A text with control characters as escapes (\u001b), except line ends and tabs.

    Names and values may come from files of other people: a terminal must not interpret them.
    """
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown(text: str) -> str:
    """A message as it is shown: printable, with lines of bounded length."""
    return "\n".join(map(_short, printable(text).split("\n")))


def _short(line: str) -> str:
    if len(line) <= MOST_SHOWN:
        return line
    left_out = len(line) - MOST_SHOWN * 3 // 4
    head, tail = line[: MOST_SHOWN // 2], line[-(MOST_SHOWN // 4) :]
    return f"{head} ... ({left_out:,} characters) ... {tail}"


def described(wrong: BaseException) -> str:
    """The kind and text of an exception that someone else's code raised."""
    try:
        text = str(wrong)
    except Exception:
        text = ""
    return f"{type(wrong).__name__}: {text}" if text else type(wrong).__name__


class Span(NamedTuple):
    """A place in a source file. Lines count from 1, columns from 0 (characters)."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def text(self) -> str:
        """The source text of the span, on one line."""
        lines = [linecache.getline(self.file, n) for n in range(self.line, self.end_line + 1)]
        if not lines or not lines[0]:
            return ""
        if len(lines) == 1:
            return lines[0][self.column : self.end_column].strip()
        lines[0], lines[-1] = lines[0][self.column :], lines[-1][: self.end_column]
        text = ""
        for part in map(str.strip, lines):
            if part[:1] in (")", "]", "}"):
                text = text.removesuffix(",")
            elif text[-1:] not in ("", "(", "[", "{"):
                text += " "
            text += part
        return text

    def pointer(self) -> str:
        """The first source line of the span with a caret line under it; empty if unreadable."""
        line = linecache.getline(self.file, self.line).rstrip("\n")
        if not line:
            return ""
        end = self.end_column if self.end_line == self.line else len(line)
        start = max(0, self.column - LINE // 2) if len(line) > LINE else 0
        line = "".join(c if c.isprintable() else " " for c in line[start : start + LINE])
        before = self.column - start
        width = max(1, min(end - start, len(line)) - before)
        gutter = f"{self.line:>5} | "
        return f"{gutter}{line}\n{' ' * (len(gutter) + before)}{'^' * width}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"


class SpecmodelError(Exception):
    """A problem to tell the user in a sentence; `exit_code` is what the command line returns."""

    exit_code = 2

    def __str__(self) -> str:
        return shown(super().__str__())


class SpecmodelWarning(UserWarning):
    """A remark that is not an error; the command line prints it as a note."""


class UsageError(SpecmodelError):
    """A wrong name, flag, constant or file given by the user."""


class SpecError(SpecmodelError):
    """A mistake in a spec, with the place and, where there is one, the way to write it instead.

    `cause` is the place of an earlier statement without which there would be no mistake.
    """

    def __init__(
        self, message: str, span: Span | None = None, hint: str = "", cause: Span | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.cause = cause

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.message, self.span, self.hint, self.cause))

    def __str__(self) -> str:
        parts = [f"{self.span}: {self.message}" if self.span else self.message]
        if self.span and (pointer := self.span.pointer()):
            parts.append(pointer)
        if self.cause and self.cause != self.span and (pointer := self.cause.pointer()):
            elsewhere = self.span is None or self.cause.file != self.span.file
            parts += [f"{self.cause}:", pointer] if elsewhere else [pointer]
        if self.hint:
            parts.append(f"  {self.hint}")
        return shown("\n".join(parts))


class Disagreement(SpecmodelError):  # noqa: N818 - says what was found
    """Compiled code and CPython differ about a state: no verdict of the run can be relied on."""

    exit_code = 4


class Unsupported(SpecError):  # noqa: N818 - says what the Python is
    """Python that the spec language does not support; the hint says how to write it."""


class Defect(SpecError):  # noqa: N818 - says whose mistake it is
    """The compiler failed on a construct of a spec, which is a defect of specmodel."""

    @classmethod
    def of(cls, wrong: Exception, span: Span | None) -> Defect:
        """The message about an unexpected error while a statement was compiled."""
        what = f"specmodel cannot compile this statement: {type(wrong).__name__}: {wrong}"
        hint = "this is a defect of specmodel, not of the spec: write the statement otherwise, or "
        return cls(what, span, f"{hint}use --engine interpret, and report these lines")


class TooSlow(SpecError):  # noqa: N818 - says what the spec is
    """The time limit was reached before a spec was compiled: nothing is known about its states."""

    exit_code = 3


class DomainError(SpecError):
    """A value left the domain declared for the place it was stored in."""


@dataclass(frozen=True)
class FoundPlace:
    """A place whose bounds are found by searching: an int without a Range, or a collection without
    a Capacity.

    `name` is as in "State.term". `counted` says that the bounds are of a number of elements.
    `origin` is the load that the place is of.
    """

    name: str
    counted: bool
    origin: Hashable = field(repr=False)


class BoundExceeded(SpecmodelError):  # noqa: N818 - the search begins again with wider bounds
    """A value left the bounds found so far of a place that declares none.

    `low` and `high` are the bounds that it needs.
    """

    def __init__(self, place: FoundPlace, low: int, high: int) -> None:
        needs = f"{high} elements" if place.counted else f"{low}..{high}"
        super().__init__(f"{place.name} needs {needs}, more than the search has found so far")
        self.place = place
        self.low = low
        self.high = high

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.place, self.low, self.high))


class ExpressionError(UsageError):
    """A mistake in an expression that the user gave, with its place in the text.

    `what` names the origin of the text, such as "--watch"; `start` and `end` are the wrong
    characters of `text`.
    """

    def __init__(
        self, what: str, text: str, message: str, start: int, end: int, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.what = what
        self.text = text
        self.message = message
        self.start = start
        self.end = max(end, start + 1)
        self.hint = hint

    def __reduce__(self) -> tuple[type[ExpressionError], tuple[str, str, str, int, int, str]]:
        return (type(self), (self.what, self.text, self.message, self.start, self.end, self.hint))

    def __str__(self) -> str:
        caret = " " * self.start + "^" * (self.end - self.start)
        parts = [f"{self.what}: {self.message}", f"    {self.text}", f"    {caret}"]
        return "\n".join([*parts, f"  {self.hint}"] if self.hint else parts)


class Disabled(Exception):  # noqa: N818 - not an error: it is how a false guard ends an action
    """Raised by `require` under CPython: the action cannot happen with this binding here."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean "x"?` for the known names nearest to a wrong one, or the whole list."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return "; did you mean " + " or ".join(f'"{n}"' for n in near) + "?"
    return f"; known: {', '.join(names)}" if names else ""


def span_of_traceback(
    traceback: TracebackType | None, wanted: Callable[[str], bool]
) -> Span | None:
    """The innermost place of a traceback in a file whose name is wanted."""
    found: Span | None = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if wanted(code.co_filename):
            positions = list(code.co_positions())[traceback.tb_lasti // 2]
            line, end_line, column, end_column = positions
            if line is None:
                line = end_line = traceback.tb_lineno
            found = Span(code.co_filename, line, column or 0, end_line or line, end_column or 0)
        traceback = traceback.tb_next
    return found


class MemoryLimit(SpecmodelError):  # noqa: N818 - a limit met, not a mistake made
    """The search needs more memory than its limit, or than the machine has (no `limit`). Bytes.

    The refused step was not done; all else is whole.
    """

    def __init__(self, wanted: int, limit: int | None) -> None:
        has = "the system has no more" if limit is None else f"may have {_size_text(limit)}"
        super().__init__(
            f"out of memory: the search needs {_size_text(wanted)} and {has}; "
            + ("lower the bounds" if limit is None else "raise the limit or lower the bounds")
        )
        self.wanted = wanted
        self.limit = limit


def _size_text(size: int) -> str:
    return f"{size / (1 << 20):,.1f} MB" if size >> 20 else f"{size:,} bytes"


class DamagedRun(SpecmodelError):  # noqa: N818 - says what is wrong with a folder
    """A file of a run cannot be read, or differs from what was written."""
