"""Every mistake in a spec's functions is a SpecError with its place and a way out."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from specmodel.errors import SpecError
from specmodel.ir.points import Points
from specmodel.kernel.module import modules_of
from specmodel.kernel.program import Program
from specmodel.lang.spec import Spec
from tests.ir.mistaken_choices import CHOICES
from tests.ir.mistaken_specs import ACTION, PRELUDE, PROPERTY
from tests.ir.mistakes import ACTIONS, PROPERTIES, Mistake
from tests.written import HEADER_LINES, spec_of

CASES = [(ACTION, m) for m in [*ACTIONS, *CHOICES]] + [(PROPERTY, m) for m in PROPERTIES]


def text_of(spec: Spec) -> str:
    """What a spec is compiled to."""
    program = Program(spec, spec.properties)
    return "\n".join(modules_of(program, Points(program.model, (), ())))


def error_of(folder: Path, template: str, body: str) -> SpecError:
    """The error of compiling a spec with a function of this body."""
    spec = spec_of(folder, PRELUDE + template.format(body=indent(body, "    ")))
    with pytest.raises(SpecError) as error:
        text_of(spec)
    return error.value


@pytest.mark.parametrize(("template", "mistake"), CASES, ids=[m.body for _, m in CASES])
def test_mistake(tmp_path: Path, template: str, mistake: Mistake) -> None:
    """Message, hint, and carets under exactly the part that is wrong (its first line)."""
    error = error_of(tmp_path, template, mistake.body)
    assert error.message.startswith(mistake.message)
    assert error.hint == mistake.hint
    assert error.span is not None
    place, line, carets, *rest = str(error).splitlines()
    assert place == f"{error.span}: {error.message}"
    underlined = line[carets.index("^") :][: carets.count("^")]
    assert underlined == mistake.caret
    if mistake.cause:
        line, carets, *rest = rest
        assert line[carets.index("^") :][: carets.count("^")] == mistake.cause
    assert rest == ([f"  {mistake.hint}"] if mistake.hint else [])


def test_place_is_that_of_the_file(tmp_path: Path) -> None:
    """Line and column as an editor counts them."""
    error = error_of(tmp_path, ACTION, "s.n = 1\ns.n = s.lit")
    before = (PRELUDE + ACTION).partition("{body}")[0].count("\n")
    assert str(error).startswith(f"{tmp_path}/written.py:{HEADER_LINES + before + 2}:11: ")


@pytest.mark.parametrize(
    "body",
    [
        "x = 1\ns.n = x",
        "if s.on:\n    x = 1\nelse:\n    x = 2\ns.n = x",
        "x: Node | None = None\nx = n\ns.who = x",
        "p = s.near\np.x = 1\nq = s.near\ns.near = Point(1)\nq = s.near\nq.x = 2",
        "require(s.who and s.log and s.n)",
        "s.n, s.at = s.at, s.n",
        "s.of = {k: p for k, p in s.of.items()}",
        "s.who = require_some(s.who)",
        "s.maybes = {None} | {None}",
        "require_some(s.far)\ns.near = s.far",
        "helper(s, 1)",
        "effect(s)",
        '"""Prose."""',
        "x = LIMIT - 1\nfor i in range(x):\n    s.n = i",
    ],
)
def test_what_looks_alike_but_is_fine(tmp_path: Path, body: str) -> None:
    """The refusals above do not reach further than they should."""
    spec = spec_of(tmp_path, PRELUDE + ACTION.format(body=indent(body, "    ")))
    assert "define i64 @expand" in text_of(spec)


def test_function_without_source() -> None:
    """A function that was made at run time has no text to read."""
    names: dict[str, object] = {}
    exec(  # the point: code without a file
        "from specmodel.lang import *\n"
        "class State(Struct):\n    on: bool\n"
        "@init\ndef start() -> State: return State(False)\n"
        "@action\ndef act(s: State) -> None: s.on = True\n"
        "spec = Spec(state=State, init=start, actions=[act])\n",
        names,
    )
    with pytest.raises(SpecError, match="the source of act cannot be read") as error:
        Program(names["spec"], ())  # type: ignore[arg-type]  # from a dict
    assert error.value.hint == "define the functions of a spec with `def`, in a file"
