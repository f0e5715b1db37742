"""Edits of a spec's source: the edited text is what runs, and what is shown as the source."""

from __future__ import annotations

import inspect
import linecache
from pathlib import Path

import pytest

from specmodel.errors import Span, SpecError
from specmodel.lang.loading import edited_text, load_module
from specmodel.lang.packages import Edit
from tests.written import HEADER_LINES, written

PARTS = """
class State(Struct):
    at: Annotated[int, Range(0, 3)]

def most() -> int:
    return 1
"""

WHOLE = """
from .parts import State, most

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    require(s.at < most())
    s.at += 1

spec = Spec(state=State, init=zero, actions=[step])
"""


def edit(file: Path, line: int, old: str, new: str) -> Edit:
    """Replaces a word in a line of a written file's own text."""
    column = linecache.getlines(str(file))[HEADER_LINES + line - 1].index(old)
    place = HEADER_LINES + line
    return Edit(Span(str(file), place, column, place, column + len(old)), new)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    linecache.clearcache()
    return written(tmp_path, WHOLE, "whole.py"), written(tmp_path, PARTS, "parts.py")


def test_edits_reach_imports(files: tuple[Path, Path]) -> None:
    """The file that is loaded and one that it imports are run as edited, and nothing is written."""
    whole, parts = files
    before = whole.read_text(), parts.read_text()
    edits = [edit(parts, 6, "1", "2"), edit(whole, 11, "+=", "-=")]
    loaded = load_module(whole, edits=edits)
    state = loaded.spec("spec").init()
    with pytest.raises(SpecError, match="leaves its domain"):
        loaded.spec("spec").actions[0](state)
    assert (whole.read_text(), parts.read_text()) == before
    plain = load_module(whole)
    plain_state = plain.spec("spec").init()
    plain.spec("spec").actions[0](plain_state)
    assert plain_state.at == 1


def test_source_is_the_edited_one(files: tuple[Path, Path]) -> None:
    """Who asks for the source of a function gets what runs; the spec's files keep their names."""
    whole, parts = files
    loaded = load_module(whole, edits=[edit(whole, 10, "<", "<=")])
    function = loaded.spec("spec").actions[0]
    assert "s.at <= most()" in inspect.getsource(function)
    assert function.__code__.co_filename.startswith(f"{whole} (edited ")
    assert loaded.files == (parts, whole)


def test_mistake_in_edited_source_is_pointed_at(files: tuple[Path, Path]) -> None:
    """The caret stands under the edited text, in the line that it has in the file."""
    whole, _ = files
    with pytest.raises(SpecError) as error:
        load_module(whole, edits=[edit(whole, 2, "most", "nothing")])
    span = error.value.span
    assert span is not None and span.line == HEADER_LINES + 2
    assert "import State, nothing" in str(error.value)


def test_edits_are_made_from_the_end() -> None:
    """Several edits in a line, an insertion and one over lines leave each other's places alone."""
    text = "ab cd\nef\ngh"
    made = [
        Edit(Span("f", 1, 0, 1, 2), "xyz"),
        Edit(Span("f", 1, 3, 2, 1), "(\n)"),
        Edit(Span("f", 3, 2, 3, 2), "\nend"),
    ]
    assert edited_text(text, made) == "xyz (\n)f\ngh\nend"
