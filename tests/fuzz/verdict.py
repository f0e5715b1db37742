"""How the comparison of one spec ended, as a small value with a class that reduction keeps."""

from __future__ import annotations

import linecache
import re
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from specmodel.errors import Defect, SpecError, SpecmodelError

NAMED = "refers|lies in|changes its type|is not defined|may be a part|holds parts"
"""What messages say of a name, or of an expression that is as good as one."""

PACKAGE = str(Path(__file__).parents[2] / "specmodel")


@dataclass(frozen=True)
class Verdict:
    """`kind` is one of agree, refused, difference, internal, invalid, endless.

    `what` says which refusal, difference or error it is, without names and numbers of the spec, so
    that equal ones count as one; `detail` says the rest. `line` is the line of the spec, if known.
    """

    kind: str
    what: str = ""
    detail: str = ""
    line: int = 0

    @property
    def bad(self) -> bool:
        return self.kind in ("difference", "internal")

    @property
    def group(self) -> tuple[str, str]:
        return (self.kind, self.what)


class Endless(BaseException):
    """A spec runs too long."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raises Endless in the main thread if the block takes longer, then every second.

    What runs in the block may take that for a failure of the spec; it is raised all the same. One
    that is raised where Python ignores exceptions, as in a weak reference's callback, is lost.
    """
    late: list[bool] = []

    def over(_signal: int, _frame: FrameType | None) -> None:
        late.append(True)
        raise Endless

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if late:
            raise Endless


def refused(error: SpecmodelError) -> Verdict:
    """A refusal, by its message without names.

    One that names no place is an error of its own, and so is a defect that says that it is one.
    """
    if isinstance(error, Defect):
        return internal(error.__cause__ or error, str(error))
    message = error.message if isinstance(error, SpecError) else str(error)
    kind = re.sub(r"\d[\d,]*", "N", message)
    kind = re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'", "_", kind)
    kind = re.sub(rf"^.*?(?= ({NAMED}))", "_", kind)
    span = error.span if isinstance(error, SpecError) else None
    shown = span and (span.text() or linecache.getline(span.file, span.line).strip())
    if span is None or not shown:
        return Verdict("internal", f"no place: {kind}", message)
    return Verdict("refused", kind, shown, span.line)


def internal(error: BaseException, told: str = "") -> Verdict:
    """An error that nobody meant, by its type and the innermost place in the package.

    `told` is what the user is told of it.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith(PACKAGE)]
    place = f"{Path(own[-1].filename).relative_to(PACKAGE)}:{own[-1].name}" if own else "?"
    text = told or f"{type(error).__name__}: {error}"
    line = own[-1].lineno if own else 0
    return Verdict("internal", f"{type(error).__name__} in {place}", f"{text[:300]} (line {line})")
