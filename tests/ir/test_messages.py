"""Every message about a spec, as its author reads it: golden texts, and a list of those without.

The specs that provoke them are those of `mistakes.py` and `newcomers.py`. `SILENT` lists the
messages that none of them provokes, and why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest

import specmodel
from specmodel.behaviour.steps import Interpreter
from specmodel.errors import SpecmodelError
from tests.conftest import Golden
from tests.ir.mistaken_choices import CHOICES
from tests.ir.mistaken_specs import ACTION, PRELUDE, PROPERTY
from tests.ir.mistakes import ACTIONS, PROPERTIES
from tests.ir.newcomers import FILES, SILENT
from tests.ir.test_mistakes import text_of
from tests.written import spec_of, written

PACKAGE = Path(specmodel.__file__).parent
FILES_OF_MESSAGES = (
    "lang/*.py",
    "lang/lowering/*.py",
    "constants.py",
    "domains/records.py",
    "domains/scalars.py",
)
TYPED = "user_expression.py"
"""What is said of an expression that a user types is provoked in `test_expression.py`."""

Place = tuple[str, int]


def provoked(folder: Path, text: str, name: str = "spec") -> tuple[str, set[Place]]:
    """The message of a spec, and the lines of the package that had a part in it."""
    try:
        spec = spec_of(folder, text, name)
        list(Interpreter(spec).initial())
        text_of(spec)
    except SpecmodelError as wrong:
        return str(wrong).replace(f"{folder}/", ""), set(_places(wrong))
    return "(no message)", set()


def _places(wrong: BaseException | None) -> Iterator[Place]:
    """Where an exception and those that led to it were raised."""
    while wrong is not None:
        trace = wrong.__traceback__
        while trace is not None:
            file = Path(trace.tb_frame.f_code.co_filename)
            if file.is_relative_to(PACKAGE):
                yield file.relative_to(PACKAGE).as_posix(), trace.tb_lineno
            trace = trace.tb_next
        wrong = wrong.__context__


def messages() -> Iterator[tuple[str, range, str]]:
    """Each statement of the files that raises an error of a spec: file, lines, its text."""
    for pattern in FILES_OF_MESSAGES:
        for file in sorted(PACKAGE.glob(pattern)):
            for node in ast.walk(ast.parse(file.read_text())) if file.name != TYPED else ():
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    text = ast.unparse(node.exc)
                    if "wrong.message" in text or "NotImplementedError" in text:
                        continue  # told by another
                    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                    yield file.relative_to(PACKAGE).as_posix(), lines, text


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, set[Place]]]:
    """The message of each spec, by what is wrong in it."""
    found: dict[str, tuple[str, set[Place]]] = {}
    for template, cases in ((ACTION, [*ACTIONS, *CHOICES]), (PROPERTY, PROPERTIES)):
        for mistake in cases:
            text = PRELUDE + template.format(body=indent(mistake.body, "    "))
            found[mistake.body] = provoked(tmp_path_factory.mktemp("spec"), text)
    for number, (what, text) in enumerate(FILES.items()):
        folder = tmp_path_factory.mktemp(f"file{number}")
        assert written(folder, text).parent == folder
        found[what] = provoked(folder, text)
    return found


def test_texts(told: dict[str, tuple[str, set[Place]]], golden: Golden) -> None:
    """Each message in full: what is wrong, where, and what to write instead."""
    parts = [f"## {what}\n\n{message}\n" for what, (message, _) in told.items()]
    golden("messages.txt", "\n".join(parts))


def test_each_message_is_provoked(told: dict[str, tuple[str, set[Place]]]) -> None:
    """A new message needs a spec that provokes it, or a reason in the list of those without."""
    reached = {place for _, places in told.values() for place in places}
    without = [
        f"{file}: {text}"
        for file, lines, text in messages()
        if not any((file, line) in reached for line in lines)
    ]
    unlisted = [one for one in without if not any(part in one for part in SILENT)]
    assert not unlisted, "\n".join(unlisted)
    idle = [part for part in SILENT if not any(part in one for one in without)]
    assert not idle, f"provoked by now, or gone: {idle}"
