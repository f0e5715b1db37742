"""The hops of docs/internals/one-check.md, and which of them a real run makes.

A hop is an entry of a numbered list of the page: a file of `specmodel`, linked, and functions of
it, in the order in which they are called.

    7. [`lang/loading.py`](../../specmodel/lang/loading.py): `load_module`. It takes ...

An entry that says "Only with a counterexample" is for runs that find one.

`python -m tests.docs.hops OUT check kip101` runs that command, and writes to a file which functions
of the page were called, one after the other, in whatever thread.
"""

from __future__ import annotations

import functools
import json
import re
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "internals" / "one-check.md"
PACKAGE = ROOT / "specmodel"

_ENTRY = re.compile(r"^(\d+)\. ((?:.|\n(?!\n|\d+\. ))*)", flags=re.M)
_HOP = re.compile(r"\[`(\S+?)`\]\((\S+?)\): (`[\w.]+`(?:, `[\w.]+`)*)\. ")
_COUNTEREXAMPLE = "Only with a counterexample"


@dataclass(frozen=True)
class Call:
    """A function of a hop, by its qualified name, in a file below the package."""

    hop: int
    file: str
    function: str
    counterexample: bool
    """Whether it is for runs that find one alone."""

    @property
    def place(self) -> str:
        """Its file and function."""
        return f"{self.file}: {self.function}"

    def __str__(self) -> str:
        return f"hop {self.hop}, {self.place}"


@functools.cache
def hops() -> tuple[Call, ...]:
    """The calls of the page's hops, in order. Raises AssertionError for a hop of another form."""
    found: list[Call] = []
    for number, (told, lines) in enumerate(_ENTRY.findall(PAGE.read_text(encoding="utf-8")), 1):
        entry = " ".join(lines.split())
        hop = _HOP.match(entry)
        assert hop, f"hop {number} does not begin as [`file`](link): `function`. It ..."
        assert int(told) == number, f"hop {number} has the number {told}"
        file, link, functions = hop.groups()
        right = (PAGE.parent / link).resolve() == PACKAGE / file
        assert right, f"hop {number}: the link to {file} leads to {link}"
        alone = _COUNTEREXAMPLE in entry
        found += [Call(number, file, name, alone) for name in re.findall(r"`(.+?)`", functions)]
    return tuple(found)


def main(out: str, *command: str) -> None:
    """Run a command, and write the hops that it makes, as places, to a file."""
    wanted = {(str(PACKAGE / call.file), call.function): call.place for call in hops()}
    known: dict[CodeType, str | None] = {}
    made: list[str] = []

    def called(frame: FrameType, event: str, argument: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code not in known:
            known[code] = wanted.get((code.co_filename, code.co_qualname))
        if place := known[code]:
            made.append(place)

    sys.argv = ["specmodel", *command]
    from specmodel.cli import main as run

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        run()
    finally:
        sys.setprofile(None)
        Path(out).write_text(json.dumps(made), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
