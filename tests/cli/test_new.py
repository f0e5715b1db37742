"""`specmodel new`: what it makes passes at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Specmodel
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
        assert "7 passed" in done.stdout, done.stdout + done.stderr


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
