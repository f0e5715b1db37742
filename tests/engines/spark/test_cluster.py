"""The same on a real cluster: a master and two workers, as the package from pip brings them."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel import compare, load, simulate, sweep
from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.spark import saving, session
from specmodel.errors import UsageError
from specmodel.lang.loading import load_module
from specmodel.results import Options
from specmodel.space.diff import difference
from specmodel.space.files import STATES, RunFiles
from specmodel.space.walk_tables import Walks
from tests.engines.outcomes import said
from tests.engines.spark.cluster import Cluster, cluster
from tests.engines.spark.conftest import Check
from tests.engines.spark.faults import inject
from tests.engines.spark.test_saved_spaces import timeless
from tests.space.graphs import told

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with two workers, for the tests that leave it as it was."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session.stop()
    with cluster(tmp_path_factory.mktemp("cluster"), 2) as made:
        yield made
        session.stop()


def test_whole_checks_and_walks_as_tasks(two: Cluster, tmp_path: Path) -> None:
    """Checks of rivals, a grid, and walks that learn: as here, and the same tables of the walks."""
    names = ("kip320", "kip320-first-try")
    small: dict[str, Any] = {"replicas": 2, "log_size": 1}
    there = compare(*names, engine="spark", master=two.url, **small)
    here = compare(*names, **small)
    assert [said(result) for result in there.results] == [said(result) for result in here.results]
    vary = {"participants": (1, 2, 3)}
    grid = sweep("two-phase-commit", vary=vary, engine="spark", master=two.url).table()
    timeless = sweep("two-phase-commit", vary=vary).table().drop_columns(["seconds"])
    assert grid.drop_columns(["seconds"]).equals(timeless)
    plan: dict[str, Any] = {"seed": 3, "strategy": "coverage"}
    target = "two-phase-commit-impatient"
    simulate(target, engine="spark", master=two.url, save_walks=tmp_path / "s", **plan)
    simulate(target, save_walks=tmp_path / "n", **plan)
    walks = Walks(tmp_path / "n")
    for name in walks.tables:
        assert Walks(tmp_path / "s").table(name).equals(walks.table(name)), name


@pytest.mark.parametrize(
    ("name", "constants"),
    [
        ("two-phase-commit", {}),
        ("two-phase-commit-impatient", {}),
        ("kip320-first-try", {"replicas": 2}),
        ("kip320", {"max_leader_epoch": 1}),
    ],
)
def test_designs(
    two: Cluster, check: Check, tmp_path: Path, name: str, constants: dict[str, Any]
) -> None:
    """Counts, verdicts and traces are those of the native engine."""
    design = load(name, **constants)
    result = check(design, master=two.url, run=tmp_path / "run", keep_going=True)
    assert said(result) == said(native.check(design, Options(keep_going=True)))
    assert result.workers == 2


def test_a_spec_of_ones_own(two: Cluster, check: Check, tmp_path: Path) -> None:
    """A spec outside the package, with a module beside it, gone by the time that it is checked:
    what is sent are the texts that were run."""
    (tmp_path / "bounds.py").write_text("MOST = 30\n")
    (tmp_path / "own.py").write_text(
        "from typing import Annotated\n"
        "from specmodel.lang import Range, Spec, Struct, action, init, invariant, require\n"
        "from .bounds import MOST\n"
        "class State(Struct):\n    at: Annotated[int, Range(0, MOST)]\n"
        "@init\ndef zero() -> State:\n    return State(0)\n"
        "@action\ndef step(s: State) -> None:\n    require(s.at < MOST)\n    s.at += 1\n"
        "@invariant\ndef low(s: State) -> bool:\n    return s.at < 20\n"
        "own = Spec(state=State, init=zero, actions=[step], invariants=[low])\n"
    )
    loaded = load_module(tmp_path / "own.py")
    design = Design("own", loaded.spec("own"), loaded.constants)
    for file in tmp_path.glob("*.py"):
        file.unlink()
    result = check(design, master=two.url, run=tmp_path / "run")
    assert result["low"].trace_length == 21


def test_a_killed_python_worker(
    two: Cluster, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task whose process dies in the middle is done again, perhaps elsewhere."""
    design = load("kip320", replicas=2, max_leader_epoch=1)
    inject(monkeypatch, "between", 5, tmp_path / "happened")
    result = check(design, master=two.url, run=tmp_path / "run")
    assert said(result) == said(native.check(design, Options()))
    assert (tmp_path / "happened").exists()


def test_a_space(two: Cluster, check: Check, tmp_path: Path) -> None:
    """It is that of the native engine, step by step, with files from both machines."""
    design = load("kip320-first-try", replicas=2, log_size=1, max_leader_epoch=1)
    space = tmp_path / "space"
    check(design, master=two.url, run=tmp_path / "run", keep_going=True, save_space=space)
    native.check(design, Options(keep_going=True, save_space=tmp_path / "native"))
    assert told(space) == told(tmp_path / "native")
    assert len(RunFiles(space).parts(STATES, 5)) == 2


def test_run_is_needed(two: Cluster, check: Check) -> None:
    """Without a folder that all machines have there is nowhere to keep states."""
    with pytest.raises(UsageError, match="on a cluster a search needs --run, a folder or URL"):
        check(load("two-phase-commit"), master=two.url)


def _kill_executor_of(worker: subprocess.Popen[bytes]) -> None:
    """Kills the Java machine in which a worker runs tasks."""
    found = subprocess.run(["pgrep", "-P", str(worker.pid)], capture_output=True, text=True)
    for number in found.stdout.split():
        os.kill(int(number), signal.SIGKILL)


@pytest.mark.parametrize("what", ["executor", "worker"])
def test_a_lost_machine(check: Check, tmp_path: Path, what: str) -> None:
    """An executor, or a worker with its executor, is killed in the middle of a search; another
    takes over its shards from the log."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session.stop()
    design, run = load("kip320"), tmp_path / "run"
    with cluster(tmp_path, 2) as made:

        def strike() -> None:
            while not RunFiles(run).level(9).exists():
                time.sleep(0.02)
            _kill_executor_of(made.workers[0])
            if what == "worker":
                made.workers[0].kill()

        striking = threading.Thread(target=strike, daemon=True)
        striking.start()
        result = check(design, master=made.url, run=run)
        striking.join(1)
        assert not striking.is_alive()
        session.stop()
    assert said(result) == said(native.check(design, Options()))


def test_a_lost_machine_while_a_space_is_saved(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An executor is killed, with what it has and has not sent yet: another does it again."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    monkeypatch.setattr(saving, "LEVELS_AT_ONCE", 1)
    session.stop()
    design, space = load("kip320"), tmp_path / "space"
    with cluster(tmp_path, 2) as made:

        def strike() -> None:
            while not RunFiles(space).level(9).exists():
                time.sleep(0.02)
            _kill_executor_of(made.workers[0])

        striking = threading.Thread(target=strike, daemon=True)
        striking.start()
        result = check(design, master=made.url, run=tmp_path / "run", save_space=space)
        striking.join(1)
        assert not striking.is_alive()
        session.stop()
    assert result.saved == space
    native.check(design, Options(save_space=tmp_path / "native"))
    assert timeless(space) == timeless(tmp_path / "native")
    found = difference(space, tmp_path / "native")
    assert [(side.states, side.steps) for side in found.sides] == [(0, 0), (0, 0)]
    assert not list(space.rglob("*.part"))
