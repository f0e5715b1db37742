"""Clients that are built: into the cache, once; what fails is told, and skipped by name."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from specmodel.conformance import Stage, SubjectGone
from specmodel.conformance.kafka import building, subjects
from specmodel.conformance.kafka.building import (
    CLIENTS,
    CONSUMERS,
    PRODUCERS,
    BuiltClient,
    ClientRecipe,
)
from specmodel.conformance.kafka.given import given_records
from specmodel.conformance.kafka.stage import BrokersStage
from specmodel.conformance.plays import chosen_traces
from specmodel.conformance.running import play_all
from specmodel.errors import UsageError
from tests.conformance.tank import tank_design


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources of a client that is a shell script."""
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "CLIENTS", tmp_path)
    folder = tmp_path / "shell"
    folder.mkdir()
    script = 'read line\necho \'{"ready": 1, "version": "shell 1"}\'\ncat > /dev/null\n'
    (folder / "client.sh").write_text(script)
    return folder


def recipe(*build: Sequence[str]) -> ClientRecipe:
    """How the shell script is built and run."""
    return ClientRecipe("shell", ["sh"], build, ["sh", "{}/client.sh"])


async def started(client: BuiltClient) -> str:
    await client.prepare()
    await client.start(Stage())
    await client.stop()
    return client.version()


def test_a_client_is_built_once(sources: Path) -> None:
    """The second play finds it in the cache; other sources are built anew."""
    made = recipe(["sh", "-c", "echo built >> ../../../count"])
    for _ in range(2):
        assert asyncio.run(started(BuiltClient(made, given_records, {}))) == "shell 1"
    count = sources.parent / "cache" / "count"
    assert count.read_text() == "built\n"
    (sources / "more").touch()
    asyncio.run(started(BuiltClient(made, given_records, {})))
    assert count.read_text() == "built\nbuilt\n"
    left = [folder.name for folder in (sources.parent / "cache" / "clients").iterdir()]
    assert all(name.startswith("shell-") for name in left)


def test_a_build_that_fails(sources: Path, tmp_path: Path) -> None:
    """The last lines are told, nothing is kept, and the subject is skipped with them."""
    failing = recipe(["sh", "-c", "echo no such module; exit 1"])
    message = "`sh -c echo no such module; exit 1` failed: no such module"
    with pytest.raises(SubjectGone, match=message):
        asyncio.run(BuiltClient(failing, given_records, {}).prepare())
    assert list((tmp_path / "cache" / "clients").iterdir()) == []
    report = play_all(
        tank_design(tmp_path),
        _binding_file(tmp_path),
        lambda binding: chosen_traces(tank_design(tmp_path), binding, ["full"]),
    )
    assert report.skipped == {"broken": message}


def _binding_file(folder: Path) -> Path:
    """A binding with a subject that cannot be built."""
    file = folder / "broken.py"
    file.write_text(
        "from dataclasses import replace\n"
        "from specmodel.conformance.kafka.building import BuiltClient\n"
        "from tests.conformance.kafka.test_building import recipe\n"
        "from tests.conformance.tank import BINDING\n"
        "made = recipe(['sh', '-c', 'echo no such module; exit 1'])\n"
        "binding = replace(BINDING, subjects={'broken': lambda: BuiltClient(made, dict, {})})\n"
    )
    return file


def test_a_cache_that_cannot_be_written(sources: Path, tmp_path: Path) -> None:
    """It is told, too."""
    (tmp_path / "cache").touch()
    with pytest.raises(SubjectGone, match="cannot build a client in "):
        asyncio.run(BuiltClient(recipe(), given_records, {}).prepare())


def test_missing_programs() -> None:
    """They are named."""
    lacking = replace(recipe(), programs=["sh", "no-such-program", "nor-this"])
    assert (
        BuiltClient(lacking, given_records, {}).missing()
        == "there is no no-such-program and no nor-this"
    )


def test_the_brokers_cannot_do_that() -> None:
    """A scenario asks the stage for something it knows, or is refused."""
    stage = BrokersStage(lambda s: s, lambda s: s, lambda s, a: ())
    with pytest.raises(UsageError, match='the brokers cannot do "dance"'):
        asyncio.run(stage.nudge("dance"))


def test_versions_are_those_of_the_lock_files() -> None:
    """One file lists them all; the lock files and the installed packages agree with it."""
    listed = tomllib.loads((CLIENTS / "versions.toml").read_text())
    built = listed["built"]
    assert f"<version>{built['kafka-clients']}</version>" in (CLIENTS / "java/pom.xml").read_text()
    modules = (CLIENTS / "go/go.mod").read_text()
    assert f"franz-go v{built['franz-go']}\n" in modules
    assert f"sarama v{built['sarama']}\n" in modules
    assert f'"kafkajs": "{built["kafkajs"]}"' in (CLIENTS / "node/package.json").read_text()
    assert set(listed["python"]) == {package for package, _ in subjects.PYTHON.values()}
    assert {*CONSUMERS} == {*PRODUCERS} == {"java", "franz-go", "sarama", "kafkajs"}
    for package in listed["python"]:
        assert version(package)


def test_adapters_are_short() -> None:
    """Anyone can write one: fewer than 80 lines each."""
    programs = [*CLIENTS.glob("*.py"), *CLIENTS.glob("*/*.js"), *CLIENTS.rglob("*.go")]
    programs += CLIENTS.rglob("*.java")
    shared = {"subject_lines.py", "subject.go"}
    assert len(programs) == 14 + len(shared)
    assert shared < {p.name for p in programs}
    assert [p.name for p in programs if len(p.read_text().splitlines()) >= 80] == []
