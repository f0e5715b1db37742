"""While a module is compiled, the evaluator goes on in another process: the first to end wins."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.engines import registry
from specmodel.engines.native import search as native
from specmodel.errors import SpecError, TooSlow
from specmodel.liveness import Stopped
from specmodel.options import Options
from specmodel.results import Progress, SpecFailure
from specmodel.tla import beside, checking, pausing
from specmodel.tla.beside import SearchBeside
from specmodel.tla.loading import load_module
from specmodel.tla.pausing import poll
from specmodel.tla.search import TlaSearch
from specmodel.tla.symbolic import running
from specmodel.tla.symbolic.path import NotCompiled
from tests.tla.walk import asking, counts, forks_noted, walk

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

WAIT = 20.0
"""The longest time, in seconds, that a test waits for the other process."""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that is too large for the beginning of a search."""
    monkeypatch.setattr(checking, "FIRST_STATES", 5)
    return walk(tmp_path)


def slow_types(*arguments: Any) -> Any:
    """In place of finding the steps of a module: it takes long, and looks whether it may go on."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        poll()
        time.sleep(0.01)
    raise AssertionError("nothing has ended the compilation")


def slow_code(engine: Any, made: Any, options: Any) -> Any:
    """In place of making machine code: it takes long, and reports that it goes on."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        options.progress(Progress(None, None, 0, 0, 0, 0, asking="compiling"))
        time.sleep(0.01)
    raise AssertionError("nothing has ended the compilation")


def slow_steps(patch: pytest.MonkeyPatch, seconds: float) -> list[int]:
    """Has the evaluator take so long for each state: a list of their depths in this process."""
    expanded, expand = list[int](), TlaSearch.expand

    def slowly(self: TlaSearch, *given: Any) -> None:
        expanded.append(self.depth)
        time.sleep(seconds)
        expand(self, *given)

    patch.setattr(TlaSearch, "expand", slowly)
    return expanded


@pytest.fixture(params=["types", "code", "quiet code"])
def slowly(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A part of the compilation that takes longer than the search of the other process."""
    if request.param == "types":
        monkeypatch.setattr(running, "compiled_model", slow_types)
    else:
        slow = slow_code if request.param == "code" else slow_types
        monkeypatch.setattr(type(registry.engine("native")), "searched", slow)
    return request.param


@pytest.fixture(autouse=True)
def ended(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """No process is left. Other tests may have left Spark's in this one."""
    yield from forks_noted(monkeypatch)


def test_the_evaluator_is_first(module: Path, slowly: str) -> None:
    """The counts are those of a search by the evaluator alone."""
    alone = check(load_module(module), engine="interpret")
    found = check(load_module(module), workers=2)
    assert (found.engine, found.verdict, found.complete) == ("interpret", "holds", True)
    assert counts(found) == counts(alone)


def test_a_violation(module: Path, slowly: str) -> None:
    """The trace is that of the evaluator, with the values of the configuration in it."""
    asking(module, "INVARIANT Low")
    alone = check(load_module(module), engine="interpret")
    found = check(load_module(module), workers=2)
    (mine,), (other,) = ([p for p in r.properties if p.trace] for r in (found, alone))
    assert mine.name == "Low" and mine.trace and other.trace
    assert list(map(str, mine.trace.steps)) == list(map(str, other.trace.steps))
    assert list(map(str, mine.trace.states)) == list(map(str, other.trace.states))
    assert found.verdict == "violated" and mine.trace_length == 17


def test_temporal_properties(module: Path, slowly: str) -> None:
    """They are decided on the states that the other process has found."""
    found = check(load_module(asking(module, "PROPERTIES Arrives Blinks")), workers=2)
    assert {p.name: p.verdict for p in found.properties} == {
        "Arrives": "holds",
        "Blinks": "violated",
    }
    assert found.engine == "interpret"


def interrupted(*arguments: Any, **options: Any) -> Any:
    """In place of a part of the compilation: Ctrl-C comes after some time."""
    time.sleep(0.5)
    raise KeyboardInterrupt


def too_slow(*arguments: Any, **options: Any) -> Any:
    """In place of a search with machine code: there is no time to make it."""
    time.sleep(0.5)
    raise TooSlow("no state was searched")


@pytest.mark.parametrize(
    ("part", "fails", "why"),
    [
        ("types", slow_types, "timeout"),
        ("code", too_slow, "timeout"),
        ("types", interrupted, "interrupted"),
        ("code", interrupted, "interrupted"),
    ],
)
def test_what_was_found_until_then(
    module: Path, monkeypatch: pytest.MonkeyPatch, part: str, fails: Any, why: str
) -> None:
    """A check that ends while it compiles tells what the other process has found."""
    config = module.with_suffix(".cfg")
    config.write_text(config.read_text().replace("Most = 20", "Most = 100000000"))
    if part == "types":
        monkeypatch.setattr(running, "compiled_model", fails)
    else:
        monkeypatch.setattr(native, "NativeSearch", fails)
    found = check(load_module(module), workers=2, timeout=1.5 if fails is slow_types else 60)
    assert (found.engine, found.verdict, found.stopped) == ("interpret", "incomplete", why)
    assert found.distinct is not None and found.distinct > 500


def test_what_is_found_is_not_found_again(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the module cannot be compiled, the search goes on where the other process was."""
    design = load_module(asking(module, "PROPERTIES Arrives Blinks"))
    whole = check(design, engine="interpret")

    def fails(*given: Any) -> Any:
        time.sleep(0.5)
        raise NotCompiled("this is not compiled")

    expanded = slow_steps(monkeypatch, 0.05)
    monkeypatch.setattr(running, "compiled_model", fails)
    found = check(design, workers=2)
    assert found.verdict == whole.verdict and counts(found) == counts(whole)
    assert whole.distinct is not None and 5 < len(expanded) < whole.distinct - 10


def test_a_process_that_does_not_tell(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known from the beginning is the result."""
    monkeypatch.setattr(running, "compiled_model", slow_types)
    monkeypatch.setattr(beside, "MOST_WAIT", 0.01)
    monkeypatch.setattr(TlaSearch, "interrupt", lambda self: None)
    config = module.with_suffix(".cfg")
    config.write_text(config.read_text().replace("Most = 20", "Most = 100000000"))
    found = check(load_module(module), workers=2, timeout=1.5)
    assert (found.stopped, found.distinct) == ("timeout", 5)


def test_choices_are_told(module: Path, slowly: str) -> None:
    """The note about a CHOOSE whose candidates TLC may order otherwise comes from there, too."""
    text = module.read_text().replace("at' = at + 1", "at' = (IF at < 9 THEN at + 1 ELSE Pick)")
    choice = "Pick == IF (CHOOSE n \\in {Red, Green} : TRUE) = Red THEN at + 1 ELSE at + 1\n"
    module.write_text(text.replace("Step ==", f"{choice}Step =="))
    told: list[str] = []
    check(load_module(module), workers=2, remark=told.append)
    assert [text for text in told if "CHOOSE" in text]


def test_the_next_check_compiles(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The types so far are kept: the next check begins with them."""
    with monkeypatch.context() as patch:
        patch.setattr(running, "compiled_model", slow_types)
        patch.setattr(running.TypeFinder, "walk", lambda *given: None)
        slow_steps(patch, 0.01)  # else it ends before the compilation has begun
        assert check(load_module(module), workers=2).engine == "interpret"
        alone = check(load_module(module), workers=2)
        assert alone.engine == "interpret" and alone.distinct == 42
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)  # it might be the first
    monkeypatch.setattr(TlaSearch, "run", lambda self: pytest.fail("a sample"))
    found = check(load_module(module), workers=2)
    assert (found.engine, found.distinct) == ("native", 42)


def test_it_waits_while_compiled_code_is_at_work(module: Path) -> None:
    """Its time of the processor stands still; then it goes on, and tells all that it has found."""
    config = module.with_suffix(".cfg")
    config.write_text(config.read_text().replace("Most = 20", "Most = 100000000"))
    first = checking.beginning(load_module(module))
    other = SearchBeside(first, Options(engine="interpret", self_check=0))
    process = other._process  # pyright: ignore[reportPrivateUsage]
    typed = running.TypedSearch(load_module(module), Options(), first, None, other)
    try:
        until_spent(process, 0.3)
        reports = iter([Progress(1, 1, 1, 1, 1, 1, asking="compiling"), Progress(1, 1, 1, 1, 1, 1)])
        typed._progress(next(reports))  # pyright: ignore[reportPrivateUsage]
        until_spent(process, 0.2)
        typed._progress(next(reports))  # pyright: ignore[reportPrivateUsage]
        until_it_stands(process)
        other.go_on()
        until_spent(process, 0.5)
        typed._progress(Progress(1, 1, 1, 1, 1, 1))  # pyright: ignore[reportPrivateUsage]
        found = other.so_far("timeout")
    finally:
        other.end()
    assert found is not None and found.stopped == "timeout" and (found.distinct or 0) > 500


def test_a_pause_is_no_reason_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation that waits goes on when the pause is over, and ends for the other reason."""
    monkeypatch.setattr(pausing.time, "sleep", lambda seconds: pausing.HALT.remove(pausing.PAUSED))
    try:
        pausing.HALT.append(pausing.PAUSED)
        poll()
        pausing.HALT[:] = [pausing.PAUSED, "timeout"]
        with pytest.raises(Stopped, match="timeout"):
            poll()
    finally:
        pausing.HALT.clear()


def spent(process: int) -> float:
    """The seconds of a processor that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until_it_stands(process: int) -> None:
    """Waits until a process uses no more of a processor than to look whether it may go on."""
    until, last = time.monotonic() + WAIT, 0.0
    while (now := spent(process)) - last > 0.05:
        assert time.monotonic() < until, "the process goes on"
        last = now
        time.sleep(0.5)


def until_spent(process: int, more: float) -> None:
    """Waits until a process has used more seconds of a processor."""
    until, wanted = time.monotonic() + WAIT, spent(process) + more
    while spent(process) < wanted:
        assert time.monotonic() < until, "the process stands still"
        time.sleep(0.01)


def test_compiled_code_that_comes_late(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it has few states at the time limit, what the other process has found is the result."""
    config = module.with_suffix(".cfg")
    config.write_text(config.read_text().replace("Most = 20", "Most = 100000000"))
    few = check(load_module(module), max_states=7)

    def late(search: running.TypedSearch) -> Any:
        time.sleep(1)
        return replace(few, stopped="timeout", distinct=4)

    monkeypatch.setattr(running.TypedSearch, "run", late)
    found = check(load_module(module), workers=2, timeout=60)
    assert (found.engine, found.verdict, found.stopped) == ("interpret", "incomplete", "timeout")
    assert (found.distinct or 0) > 500


def test_limited_time_with_known_types(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluator searches beside; only without another process, it comes first."""
    assert check(load_module(module), workers=1).engine == "native"
    ran: list[str] = []
    run = TlaSearch.run
    monkeypatch.setattr(TlaSearch, "run", lambda self: ran.append("first") or run(self))
    with monkeypatch.context() as patch:
        patch.setattr(checking, "search_beside", lambda *given: None)
        assert check(load_module(module), workers=2, timeout=60).engine == "native"
    assert not ran
    assert check(load_module(module), workers=1, timeout=60).engine == "native"
    assert ran == ["first"]


def test_what_is_compiled_is_told(module: Path) -> None:
    """The line of progress names the action whose steps are sought."""
    told: list[Progress] = []
    check(load_module(module), workers=1, progress=told.append)
    assert {"compiling Walk", "compiling Step", "compiling Turn"} <= {p.asking for p in told}


def test_what_fails_is_told_by_compiled_code(module: Path) -> None:
    """The other process says nothing of an expression without a value."""
    with pytest.raises(SpecFailure, match="div") as wrong:
        check(load_module(asking(module, "INVARIANT Divides")), workers=2)
    assert wrong.value.trace is not None and len(wrong.value.trace.states) == 20


def test_compiled_code_is_first(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process is ended, also one that never would."""
    made: list[Any] = []
    search_beside = checking.search_beside

    def started(search: Any, options: Any) -> Any:
        enter = search._enter
        search._enter = lambda *given, **named: time.sleep(1000)
        made.append(search_beside(search, options))
        search._enter = enter
        return made[0]

    monkeypatch.setattr(checking, "search_beside", started)
    found = check(load_module(module), workers=2)
    assert found.engine == "native" and made and not made[0].done


@pytest.mark.parametrize("options", [{"workers": 1}, {"workers": 2, "coverage": True}])
def test_one_process(module: Path, monkeypatch: pytest.MonkeyPatch, options: Any) -> None:
    """With one worker, and where compiled code is asked for, there is no other process."""
    monkeypatch.setattr(checking, "search_beside", lambda *given: pytest.fail("a process"))
    assert check(load_module(module), **options).engine == "native"


def test_a_system_without_fork(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be forked, the module is compiled."""

    def fork() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(os, "fork", fork)
    assert check(load_module(module), workers=2).engine == "native"
    monkeypatch.delattr(os, "fork")
    module.write_text(module.read_text() + "\n")
    assert check(load_module(module), workers=2).engine == "native"


def test_bad_types_are_told(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the compilation ends the other process too."""

    def fails(*arguments: Any) -> Any:
        raise SpecError("nothing works")

    monkeypatch.setattr(running, "compiled_model", fails)
    monkeypatch.setattr(SearchBeside, "look", lambda self: None)
    with pytest.raises(SpecError, match="nothing works"):
        check(load_module(module), workers=2)


SCRIPT = """
import sys, time
from specmodel.api import check
from specmodel.tla import beside, checking
from specmodel.tla.beside import SearchBeside
from specmodel.tla.loading import load_module
from specmodel.tla.search import TlaSearch
from specmodel.tla.symbolic import running
from specmodel.tla.symbolic.path import NotCompiled
from tests.tla.walk import CONFIG, asking, counts, forks_noted, walk
from pathlib import Path

class Told(SearchBeside):
    def __init__(self, search, options):
        search._enter = lambda *given, **named: time.sleep(1000)
        super().__init__(search, options)
        print(self._process, flush=True)
        time.sleep(1000)

checking.FIRST_STATES = 5
checking.search_beside = Told
check(load_module(Path(sys.argv[1])), workers=2)
"""


def test_the_starter_is_killed(module: Path) -> None:
    """The other process ends with it."""
    words = [sys.executable, "-c", SCRIPT, str(module)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        other = int(started.stdout.readline())
        started.send_signal(signal.SIGKILL)
    until = time.monotonic() + WAIT
    while time.monotonic() < until and Path(f"/proc/{other}").exists():
        time.sleep(0.05)
    assert not Path(f"/proc/{other}").exists()


@pytest.mark.parametrize("limit", [None, 0.5])
def test_claims_about_behaviours_are_decided_once_all_states_are_found(
    module: Path, monkeypatch: pytest.MonkeyPatch, limit: float | None
) -> None:
    """The limit of the beginning is for states: nothing is compiled, or decided again. The user's
    limit holds."""
    monkeypatch.setattr(checking, "FIRST_STATES", 10_000)
    monkeypatch.setattr(checking, "FIRST_SECONDS", 0.3)
    decided: list[str] = []
    lassos_of = TlaSearch.lassos_of

    def slow(search: TlaSearch, graph: Any) -> Any:
        decided.append("once")
        until = time.monotonic() + 0.8
        while time.monotonic() < until:
            search.watch()
            poll()
            time.sleep(0.01)
        return lassos_of(search, graph)

    monkeypatch.setattr(TlaSearch, "lassos_of", slow)
    found = check(load_module(asking(module, "PROPERTY Arrives Blinks")), timeout=limit)
    assert found.engine == "interpret"
    assert found.distinct == 42
    if limit is None:
        assert decided == ["once"]
        assert found.verdict == "violated"
    else:
        assert found.stopped == "timeout"
