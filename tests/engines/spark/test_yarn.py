"""Searches on YARN: as on one machine, also when processes of the cluster are killed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from subprocess import Popen

import pytest

from specmodel import stores
from specmodel.engines.spark.packing import pack
from tests.hadoop import hadoop, node_manager
from tests.outside import kill_naming, running_processes, started, wait_for

pytest.importorskip("pyspark", reason="pip install 'specmodel[spark]'")
pytest.importorskip("hdfs_native", reason="pip install 'specmodel[stores]'")

MANAGERS = 3

MASTER, EXECUTOR = "ExecutorLauncher", "CoarseGrainedExecutorBackend"
"""What Spark calls an application master, and an executor, in their commands."""

SETTINGS = {
    "spark.specmodel.spread": "0",
    # Spark's pages are changed by two of its threads while they start on YARN, which may fail.
    "spark.ui.enabled": "false",
    "spark.yarn.jars": f"local:{Path(str(find_spec('pyspark').origin)).parent}/jars/*",  # type: ignore[union-attr]  # not to be sent
}

OF_THIS_MACHINE = {
    "spark.pyspark.python": sys.executable,
    "spark.executorEnv.PYTHONPATH": Path(__file__).parents[3],
}
"""Executors have this Python and these sources."""


@dataclass(frozen=True)
class Yarn:
    """A cluster of YARN: the URL of its HDFS, and the folder of each of its node managers."""

    url: str
    managers: tuple[Path, ...]

    def check(self, run: str, settings: Mapping[str, object], *words: str) -> Popen[str]:
        """A search that is started on it, with all of its levels in tasks."""
        folder = self.managers[0].parent / run
        folder.mkdir()
        lines = [f"{name} {value}\n" for name, value in {**SETTINGS, **settings}.items()]
        (folder / "spark-defaults.conf").write_text("".join(lines))
        own = ("--engine", "spark", "--master", "yarn", "--run", f"{self.url}/{run}")
        return started("check", *words, *own, environment={"SPARK_CONF_DIR": str(folder)})

    def level(self, run: str, level: int) -> bool:
        """Whether a level is on record."""
        return stores.place(f"{self.url}/{run}/levels/level={level:04}.json").exists()

    def with_master(self) -> Path:
        """The folder of the node manager of the application master."""
        (folder,) = (folder for folder in self.managers if _runs(folder, MASTER))
        return folder


@pytest.fixture(scope="module")
def yarn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    """The cluster."""
    folder = tmp_path_factory.mktemp("yarn")
    with ExitStack() as running, pytest.MonkeyPatch.context() as patch:
        cluster = running.enter_context(hadoop(folder))
        patch.setenv("HADOOP_CONF_DIR", str(cluster.conf))
        managers = tuple(folder / f"manager-{number}" for number in range(MANAGERS))
        for manager in managers:
            running.enter_context(node_manager(cluster.conf, manager))
        yield Yarn(cluster.url, managers)
        cluster.process.kill()  # it would start what is killed now again


def test_yarn(yarn: Yarn, tmp_path: Path) -> None:
    """A search on YARN finds what the native engine finds: its trace, and all that is counted. The
    executors have specmodel from an archive."""
    words = ("truncate-to-hw", "--set", "replicas=2")
    pack(tmp_path / "packed.tar.gz")
    archives = {"spark.archives": f"{tmp_path}/packed.tar.gz#specmodel"}
    found, native = yarn.check("violated", archives, *words), started("check", *words)
    said, told = found.communicate()
    assert found.returncode == 1, told
    assert _without_times(said) == _without_times(native.communicate()[0])
    assert _without_times(said).count("\n") > 10


def test_the_application_master_is_killed(yarn: Yarn) -> None:
    """YARN starts another, which asks for executors again: the search goes on."""
    search = yarn.check("master", OF_THIS_MACHINE, "kip320")
    wait_for(lambda: yarn.level("master", 2), search)
    kill_naming(str(yarn.with_master()), MASTER)
    said, told = search.communicate()
    assert search.returncode == 0, told
    assert "737,794 states, depth 26, complete" in said


def test_a_node_manager_is_lost(yarn: Yarn) -> None:
    """With all that it has started, as if its machine had ended: the search goes on elsewhere, and
    does what was there again. This is the last test here."""
    search = yarn.check("manager", OF_THIS_MACHINE, "kip320")
    wait_for(lambda: yarn.level("manager", 2), search)
    others = {*yarn.managers} - {yarn.with_master()}
    lost = next(folder for folder in others if _runs(folder, EXECUTOR))
    kill_naming(str(lost))
    said, told = search.communicate()
    assert search.returncode == 0, told
    assert "737,794 states, depth 26, complete" in said


def _runs(folder: Path, kind: str) -> bool:
    """Whether a node manager runs a process of a kind."""
    commands = (command for _, command in running_processes().values())
    return any(str(folder) in command and kind in command for command in commands)


def _without_times(said: str) -> str:
    varying = (" generated, ", "self-check", "to go on: ")
    lines = said.splitlines()
    return "\n".join(line for line in lines if not any(words in line for words in varying))
