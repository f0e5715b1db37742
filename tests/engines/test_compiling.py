"""A spec that takes long to compile: how far it is, where it is, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.engines import native
from specmodel.engines.native import search
from specmodel.errors import Span
from specmodel.ir import pace
from specmodel.kernel.program import Program
from specmodel.results import Options, Progress
from tests.conftest import Specmodel
from tests.written import HEADER, design_of

TEXT = """
class Pair(Struct):
    a: Annotated[int, Range(0, 3)]
    b: Annotated[int, Range(0, 3)]


class State(Struct):
    held: dict[Pair, bool]


@init
def none() -> State:
    return State({Pair(a, b): False for a in range(4) for b in range(4)})


@action
def turn(s: State, a: Annotated[int, Range(0, 3)]) -> None:
    for b in range(4):
        s.held[Pair(a, b)] = not s.held[Pair(b, a)]


@invariant
def fine(s: State) -> bool:
    return True


spec = Spec(state=State, init=none, actions=[turn], invariants=[fine])
"""


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is compiled anew."""
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "cache"))


def test_bindings_are_told_of_as_they_come(tmp_path: Path) -> None:
    """Each with its number of how many; and within one, the statements."""
    told: list[tuple[str, Span | None]] = []
    program = Program(design_of(tmp_path, TEXT).spec, ())
    with pace.watched(lambda what, span: told.append((what, span))):
        list(program.moves())
    assert list(dict.fromkeys(what for what, _ in told)) == [
        f"turn(a={a}), binding {a + 1} of 4" for a in range(4)
    ]
    assert {span.text() for _, span in told if span} >= {
        "s.held[Pair(a, b)] = not s.held[Pair(b, a)]"
    }
    count = len(told)
    list(program.moves())
    assert len(told) == count


def test_the_line_of_progress_says_what_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before there are any states to speak of."""
    monkeypatch.setattr(search, "PROGRESS_EVERY", 0.0)
    seen: list[Progress] = []
    native.check(design_of(tmp_path, TEXT), Options(progress=seen.append))
    asked = [progress.asking for progress in seen if progress.distinct is None]
    assert "compiling turn(a=3), binding 4 of 4" in asked


def test_a_limit_of_time_ends_compiling(tmp_path: Path) -> None:
    """The result is that nothing was seen, and a remark names the binding and the statement."""
    remarks: list[str] = []
    options = Options(timeout=1e-9, remark=remarks.append)
    result = native.check(design_of(tmp_path, TEXT), options)
    assert (result.stopped, result.complete, result.distinct) == ("timeout", False, 0)
    assert result.verdict == "incomplete"
    (remark,) = remarks
    assert "compiling takes longer; it was at turn(a=0), binding 1 of 4" in remark
    assert "take smaller ranges, or more time" in remark


def test_the_command_says_so_too(
    tmp_path: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a note, with the verdict on stdout and the exit code of what is incomplete."""
    (tmp_path / "slow.py").write_text(HEADER + TEXT)
    monkeypatch.chdir(tmp_path)
    ran = specmodel("check", "slow.py", "--timeout", "0.000001")
    assert ran.code == 3
    assert "stopped at the time limit" in ran.out
    assert "note: " in ran.err and "binding 1 of 4" in ran.err


def test_compiling_can_be_interrupted(tmp_path: Path) -> None:
    """At any statement; the next compilation is none the worse for it."""
    design = design_of(tmp_path, TEXT)

    def interrupt(what: str, span: Span | None) -> None:
        if "binding 3" in what and span:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), pace.watched(interrupt):
        list(Program(design.spec, ()).moves())
    assert native.check(design, Options()).complete
