"""A spec that takes long to compile: how far it is, where it is, and how it ends."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from specmodel.analysis import profile
from specmodel.cli import guard
from specmodel.cli import progress as lines
from specmodel.engines import native
from specmodel.engines.base.driver import Driver
from specmodel.errors import Span
from specmodel.ir import compile_progress
from specmodel.kernel.graphs import GraphKernel
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
    with compile_progress.watched(lambda what, span: told.append((what, span))):
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
    monkeypatch.setattr(Driver, "progress_every", 0.0)
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


@pytest.mark.parametrize(
    ("command", "out", "undone"),
    [
        (("check", "--timeout"), "stopped at the time limit", "no state was searched"),
        (("profile", "--timeout"), "", "no state was searched"),
        (("simulate", "--time"), "", "no walk was made"),
    ],
    ids=lambda given: given[0] if isinstance(given, tuple) else None,
)
def test_the_command_says_so_too(
    tmp_path: Path,
    specmodel: Specmodel,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, str],
    out: str,
    undone: str,
) -> None:
    """As a note, with a verdict on stdout if there is one; the exit code says incomplete."""
    (tmp_path / "slow.py").write_text(HEADER + TEXT)
    monkeypatch.chdir(tmp_path)
    ran = specmodel(command[0], "slow.py", command[1], "0.000001")
    assert ran.code == 3
    assert out in ran.out and bool(out) == bool(ran.out)
    assert ran.err.startswith(f"note: {undone} within 1e-06 s, as compiling takes longer; it was")
    assert "turn(a=0), binding 1 of 4" in ran.err


@pytest.mark.parametrize(("asking", "said"), [("compiling get", "5 s"), ("", "2 states/s")])
def test_the_seconds_of_the_line_go_on(
    monkeypatch: pytest.MonkeyPatch, asking: str, said: str
) -> None:
    """What is waited for takes longer though nothing is reported; a rate is that of the report."""
    monkeypatch.setattr(lines.time, "monotonic", lambda: 13.2)
    distinct = None if asking else 4
    reported = Progress(distinct, distinct, 0, 0, 2.0, 0, asking=asking)
    shown = lines._Going(reported, 10.0)  # pyright: ignore[reportPrivateUsage]
    assert said in str(shown.__rich__())


def test_a_command_without_a_line_of_progress_notes_what_it_compiles(
    tmp_path: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal, after a second: the bindings of a design whose states are drawn."""
    (tmp_path / "slow.py").write_text(HEADER + TEXT)
    monkeypatch.chdir(tmp_path)
    assert "compiling" not in specmodel("graph", "slow.py", "--max-states", "3").err
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "other"))
    monkeypatch.setattr(guard.sys.stderr, "isatty", lambda: True)
    # The time of this module alone: servers of other tests run by the clock, too.
    monkeypatch.setattr(guard, "time", SimpleNamespace(monotonic=count(step=0.7).__next__))
    assert (
        "note: compiling turn(a=1), binding 2 of 4"
        in specmodel("graph", "slow.py", "--max-states", "3").err
    )


LIVE = TEXT.replace(
    "spec = Spec(",
    """
from specmodel.lang import eventually


@eventually
def turned(s: State) -> bool:
    return s.held[Pair(0, 1)]


spec = Spec(liveness=[turned], """,
)


def late_once(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
    """Lets the time be up as soon as a function is called."""
    called = getattr(owner, name)

    def slow(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(compile_progress.Clock, "late", True)
        return called(*given, **named)

    monkeypatch.setattr(owner, name, slow)


def test_the_code_for_temporal_properties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is compiled after the search, which counts, in another thread."""
    late_once(monkeypatch, GraphKernel, "__init__")
    remarks: list[str] = []
    options = Options(timeout=60.0, remark=remarks.append)
    result = native.check(design_of(tmp_path, LIVE), options)
    assert (result.stopped, result["turned"].verdict) == ("timeout", "incomplete")
    assert result.distinct == 441
    (remark,) = remarks
    assert (
        "turned: no verdict within 60 s, as compiling takes longer; it was at turn(a=0)" in remark
    )


def test_the_code_for_saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is compiled before the search, of which there is none then."""
    late_once(monkeypatch, GraphKernel, "__init__")
    remarks: list[str] = []
    options = Options(timeout=60.0, remark=remarks.append, save_space=tmp_path / "space")
    result = native.check(design_of(tmp_path, TEXT), options)
    assert (result.stopped, result.distinct, result.saved) == ("timeout", 0, None)
    assert "it was at turn(a=0), binding 1 of 4" in remarks[0]


def test_a_profile_without_its_later_parts(
    tmp_path: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is incomplete: an action whose search had no time has no number of states."""
    late_once(monkeypatch, profile, "search")
    (tmp_path / "slow.py").write_text(HEADER + TEXT)
    monkeypatch.chdir(tmp_path)
    ran = specmodel("profile", "slow.py", "--timeout", "60s", "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["actions"], told["advice"]) == (3, [], [])
    assert told["distinct"] == 441
    assert "note: no advice was found within 60 s" in ran.err


def test_compiling_can_be_interrupted(tmp_path: Path) -> None:
    """At any statement; the next compilation is none the worse for it."""
    design = design_of(tmp_path, TEXT)

    def interrupt(what: str, span: Span | None) -> None:
        if "binding 3" in what and span:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), compile_progress.watched(interrupt):
        list(Program(design.spec, ()).moves())
    assert native.check(design, Options()).complete
