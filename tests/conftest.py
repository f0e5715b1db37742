"""What all tests share: golden files, and the command line run in this process."""

from __future__ import annotations

import gc
import os
import re
import signal
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from specmodel.analysis import checking
from specmodel.api import check, load
from specmodel.cli.app import application
from specmodel.design import Design
from specmodel.results import Trace


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden files anew from what is produced"
    )
    parser.addoption(
        "--update-slow", action="store_true", help="write anew which tests take more than a second"
    )


def pytest_configure() -> None:
    # A shell starts what it puts in the background with Ctrl-C ignored, and children inherit that:
    # the tests that interrupt a process would wait for good.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Tests side by side have all cores already: threads and processes would only wait for each
    # other. Those that are about several ask for them.
    if "PYTEST_XDIST_WORKER" in os.environ:
        checking.MOST_DEFAULT_WORKERS = 1
    # No test takes away the machine's power, so what is written need not be waited for: 6 ms each
    # time, thousands of times.
    os.fsync = lambda fd: None
    # What is tested of the Spark engine is its tasks, however small the design.
    os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).with_name("spark")))
    # An example that takes long says something of the machine.
    settings.register_profile("patient", settings(), deadline=None)
    settings.load_profile("patient")


def pytest_collection_finish() -> None:
    # What is imported by now stays: the collector need not go through it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


FEW_FILES = 3
"""As many files of tests one process runs as quickly as several, which take 2 s to start."""

ONE_PROCESS = ("collectonly", "usepdb", "keyword", "lf", "stepwise")
"""Options with which there is little to run, or somebody at the keyboard."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    # Hooks of this file come before those of xdist, which looks at -n in this one.
    if worth_several_processes(config):
        config.option.numprocesses = "auto"


def worth_several_processes(config: pytest.Config) -> bool:
    """Whether more than FEW_FILES files are asked for, and nobody has said how to run them."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return False  # this is one of the processes, or a test of one has started it
    if getattr(config.option, "numprocesses", 0) is not None:
        return False  # -n was given, or there is no xdist
    if any(getattr(config.option, name, False) for name in ONE_PROCESS):
        return False
    if config.option.capture == "no":
        return False  # the output is to be seen at once
    return many_files(config)


def many_files(config: pytest.Config) -> bool:
    """Whether the arguments name more than FEW_FILES files, or a folder that has more."""
    paths = [Path(config.invocation_params.dir, given.partition("::")[0]) for given in config.args]
    files = {file for path in paths for file in (path, *path.rglob("test_*.py")) if file.is_file()}
    return len(files) > FEW_FILES


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    from tests.scheduling import Scheduling

    return Scheduling(config, log)


SLOW = Path(__file__).with_name("slow.txt")
"""The tests that took more than SLOW_SECONDS, measured by `--update-slow` on a machine that did
nothing else."""

SLOW_SECONDS = 1.0

_seconds: defaultdict[str, float] = defaultdict(float)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the slow tests, and leaves them out where nobody asks for them or for their file."""
    slow = set(SLOW.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)
    asked = "slow" in config.option.markexpr or config.option.keyword
    updating = config.option.update_golden or config.option.update_slow
    if many_files(config) and not asked and not updating:
        left_out = [item for item in items if item.nodeid in slow]
        items[:] = [item for item in items if item.nodeid not in slow]
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.option.update_slow and "PYTEST_XDIST_WORKER" not in os.environ:
        before = set(SLOW.read_text(encoding="utf-8").splitlines()) - set(_seconds)
        slow = {name for name, seconds in _seconds.items() if seconds > SLOW_SECONDS}
        SLOW.write_text("".join(f"{name}\n" for name in sorted(before | slow)), encoding="utf-8")


Golden = Callable[[str, str], None]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with `golden/NAME` beside the test; `--update-golden` writes that file."""

    def compare(name: str, text: str) -> None:
        file = request.path.parent / "golden" / name
        text = _without_measurements(text)
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.is_file(), f"no golden file {file}: run pytest --update-golden"
        assert text == file.read_text(encoding="utf-8")

    return compare


def _without_measurements(text: str) -> str:
    """Times, rates and memory differ from run to run."""
    text = re.sub(r"\d+\.\d+ s \([\d,]+ states/s\)", "TIME (RATE)", text)
    text = re.sub(r"(, compiled in [\d.]+ s)?(, [\d,]+ MB)?$", "", text, flags=re.MULTILINE)
    return re.sub(r'("(?:compile_)?seconds"|"memory"): [\d.]+', r"\1: 0", text)


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str


Specmodel = Callable[..., Ran]


@pytest.fixture
def specmodel(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Specmodel:
    """Run the command line: `specmodel("check", "kip320")`."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("SPECMODEL_DEBUG", raising=False)
    monkeypatch.delenv("SPECMODEL_PATH", raising=False)

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            given = [str(a) for a in arguments]
            application(*given[:1])(given, prog_name="specmodel")
        written = capsys.readouterr()
        return Ran(int(ended.value.code or 0), written.out, written.err)

    return run


@pytest.fixture(scope="session")
def truncation() -> tuple[Design, Trace]:
    """A counterexample with logs, optional structs, sets and maps in its states."""
    design = load("truncate-to-hw", replicas=2, max_leader_epoch=1)
    trace = check(design, engine="interpret", properties=["strong_isr"])["strong_isr"].trace
    assert trace is not None
    return design, trace


COUNTER = '''\
"""A counter that two actors step."""

from typing import Annotated

from specmodel.lang import (
    Range, ScalarSet, Spec, Struct, action, constant, init, invariant, reachable, require,
)

most = constant("most", 2, low=1, high=9, doc="where the counter ends")
wild = constant("wild", False, doc="whether it may pass its end")


class Actor(ScalarSet, size=2, symmetric=True):
    """Whoever steps."""


class State(Struct):
    at: Annotated[int, Range(0, most)]
    last: Actor | None


@init
def zero() -> State:
    return State(0, None)


@action
def step(s: State, by: Actor) -> None:
    """One further."""
    require(s.at < most or wild)
    s.at += 1
    s.last = by


@action
def never(s: State) -> None:
    """Cannot happen."""
    require(s.at > most)


@invariant
def small(s: State) -> bool:
    """Below two."""
    return s.at < 2


@invariant
def bounded(s: State) -> bool:
    return s.at <= most


@reachable
def stepped(s: State) -> bool:
    return s.at > 0


counter = Spec(
    state=State, init=zero, actions=[step, never], invariants=[bounded, small], reachable=[stepped]
)
fine = counter.without("fine", "small")
'''


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with a small spec, `counter.py`, and its design in `models/`."""
    (tmp_path / "counter.py").write_text(COUNTER)
    models = tmp_path / "models"
    models.mkdir()
    (models / "counter.py").write_text(COUNTER)
    (models / "counter.yaml").write_text(
        "design: my-counter\n"
        "spec: counter.py:counter\n"
        "question: Does it stay small?\n"
        "constants: {most: 2}\n"
        "check: [small, bounded]\n"
        "expect: {verdict: violated, properties: {small: {verdict: violated, trace_length: 3}}}\n"
        "profiles: {deep: {most: 5}}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path
