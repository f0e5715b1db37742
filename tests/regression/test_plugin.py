"""The pytest plugin in a repository of a user's own, and the example of one in examples/."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import COUNTER, Specmodel
from tests.docs.pages import ROOT
from tests.outside import PATIENCE

EXAMPLE = ROOT / "examples" / "transfer"


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest where specmodel is installed as its entry points say."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    [(name, module)] = project["entry-points"]["pytest11"].items()
    about = folder.parent / "installed" / "specmodel-0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: specmodel\nVersion: 0\n")
    (about / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    paths = [str(about.parent), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    environment.pop("PYTEST_ADDOPTS", None)
    environment.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a design that is not as expected, and YAML that is no design."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "counter.py").write_text(COUNTER)
    (folder / "counter.yaml").write_text(
        "design: counter\nspec: counter.py:counter\ncheck: [small]\n"
        "expect:\n  verdict: holds\n  at:\n    - constants: {most: 1}\n      verdict: holds\n"
    )
    (folder / "settings.yaml").write_text("designs: [a]\n")
    (folder / "broken.yaml").write_text("design: broken\nspec: nothing\n")
    return folder


def test_yaml_files_are_tests(repository: Path) -> None:
    """A row each, and what never fires; a failure shows the steps, and no Python of specmodel."""
    ran = pytest_in(repository, "-q", "counter.yaml")
    assert ran.returncode == 1
    assert "1 passed" in ran.stdout
    assert "2 failed" in ran.stdout
    assert "small: violated, in 3 states; expected: holds\n    2. step(by=" in ran.stdout
    assert "never fired in any run: never" in ran.stdout
    assert "Traceback" not in ran.stdout


def test_a_broken_file_is_an_error_of_its_own(repository: Path) -> None:
    """It says where; the other files are collected all the same."""
    ran = pytest_in(repository, "-q", "--collect-only")
    assert "broken.yaml:2:" in ran.stdout
    assert "counter.yaml::counter:most=1" in ran.stdout
    assert "settings.yaml" not in ran.stdout


def test_large_designs_can_be_skipped(repository: Path) -> None:
    """By what their files expect, before anything is searched."""
    text = (repository / "counter.yaml").read_text()
    (repository / "counter.yaml").write_text(
        text.replace("holds\n  at", "holds\n  distinct: 99\n  at")
    )
    ran = pytest_in(repository, "-q", "counter.yaml", "--specmodel-up-to", "50")
    assert "1 passed, 2 skipped" in ran.stdout


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example repository."""
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder)
    return folder


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_example_passes(example: Path, options: tuple[str, ...]) -> None:
    """Its YAML files and its tests, one after the other and side by side."""
    ran = pytest_in(example, "-q", *options)
    assert "11 passed" in ran.stdout, ran.stdout + ran.stderr
    assert ran.returncode == 0


def test_the_example_as_a_suite(
    example: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its baseline and its recorded trace are still right; without its guard they are not."""
    monkeypatch.chdir(example)
    options = ("test", "--baseline", "baseline.json", "--max-growth", "20", "--jobs", "1")
    ran = specmodel(*options)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("8 passed in ")
    source = Path("models/transfer.py")
    source.write_text(source.read_text().replace("    require(s.paid[r] == 0)\n", ""))
    ran = specmodel(*options, "--against", EXAMPLE / "models")
    assert ran.code == 1
    assert "paid_once: violated, in 5 states; expected: holds" in ran.out
    assert "stops before state 5 of 5: pay_once(r=" in ran.out
    assert "s.paid[r] == 0" in ran.out
    assert "expected to stop at step 4" in ran.out
