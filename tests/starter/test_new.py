"""`specmodel new`: what it makes passes at once."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from specmodel.files import cache_folder
from tests.conftest import Specmodel
from tests.docs.pages import ROOT, blocks
from tests.regression.test_plugin import pytest_in


@pytest.mark.parametrize("name", ["lease-store", "b2"])
def test_what_it_makes_passes(
    specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The suites by themselves and with pytest, and no placeholder is left."""
    monkeypatch.chdir(tmp_path)
    ran = specmodel("new", name)
    assert (ran.code, ran.err) == (0, "")
    files = [file for file in Path(name).rglob("*") if file.is_file()]
    assert sorted(ran.out.splitlines()[:-2]) == sorted(map(str, files))
    for file in files:
        assert "NAME" not in file.read_text().replace("NAME=", "")
        assert "DESIGN" not in file.read_text()
    monkeypatch.chdir(tmp_path / name)
    ran = specmodel("test", "--jobs", "1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("5 passed")
    assert specmodel("check", f"{name}-unfenced").code == 1
    if "-" in name:
        done = pytest_in(tmp_path / name, "-q")
        assert "8 passed" in done.stdout, done.stdout + done.stderr


def test_the_workflow_runs_and_keeps_compiled_code(
    specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands pass, and the cache is restored before them from where specmodel keeps it."""
    monkeypatch.chdir(tmp_path)
    specmodel("new", "mine", "--folder", ".")
    workflow = yaml.safe_load(Path(".github/workflows/models.yml").read_text())
    steps = workflow["jobs"]["check"]["steps"]
    (cache,) = (step["with"] for step in steps if "actions/cache" in step.get("uses", ""))
    assert cache["key"].startswith(cache["restore-keys"])
    (shown,) = (b.text for b in blocks(ROOT / "docs/how-to/ci.md") if "actions/cache" in b.text)
    assert yaml.safe_load(shown)[0]["with"] == cache
    commands = [shlex.split(step["run"]) for step in steps if "run" in step]
    assert [words[0] for words in commands] == ["pip", "specmodel", "pytest"]
    assert specmodel(*commands[1][1:], "--jobs", "1").code == 0
    monkeypatch.delenv("SPECMODEL_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert Path(cache["path"]).expanduser() == cache_folder()


def test_the_hooks_run_for_changes_of_designs(
    specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a new repository, that on the page, and that which this repository offers."""
    monkeypatch.chdir(tmp_path)
    written = specmodel("new", "mine", "--folder", ".").out.split()
    configured = yaml.safe_load(Path(".pre-commit-config.yaml").read_text())
    shown = [b.text for b in blocks(ROOT / "docs/how-to/ci.md") if "repo: local" in b.text]
    assert [yaml.safe_load(text) for text in shown] == [configured]
    (own,) = configured["repos"][0]["hooks"]
    (offered,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert offered["id"] == own["id"] and offered["language"] == "python"
    for hook in (own, offered):
        assert {"id", "name", "entry", "language"} <= hook.keys()
        assert not hook["pass_filenames"]
        program, *words = shlex.split(hook["entry"])
        assert program == "specmodel"
        assert specmodel(*words, "--jobs", "1").code == 0
        models = {file for file in written if file.startswith("models/")}
        assert models <= {file for file in written if re.search(hook["files"], file)}
        assert not re.search(hook["files"], "README.md")


@pytest.mark.parametrize("name", ["Lease", "1st", "a b", "../up", "class", "specmodel", "write"])
def test_names_that_are_none(
    specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Refused before anything is written."""
    monkeypatch.chdir(tmp_path)
    assert specmodel("new", name).code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(
    specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody's files are overwritten; an empty folder will do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("keep")
    assert specmodel("new", "mine").code == 2
    assert [f.name for f in (tmp_path / "mine").iterdir()] == ["notes"]
    (tmp_path / "empty").mkdir()
    assert specmodel("new", "mine", "--folder", "empty").code == 0
    assert (tmp_path / "empty" / "models" / "mine.yaml").is_file()
