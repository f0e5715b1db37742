"""A trace that comes from elsewhere runs no code that the user has not named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specmodel.explorer.opening import open_target
from specmodel.explorer.plain import PlainReading
from specmodel.explorer.reading import DesignReading
from tests.conftest import Specmodel

SPEC = """
from pathlib import Path
from specmodel.lang import Spec, Struct, action, init

Path({ran!r}).touch()

class State(Struct):
    on: bool

@init
def off() -> State:
    return State(False)

@action
def switch(s: State) -> None:
    s.on = not s.on

light = Spec(state=State, init=off, actions=[switch])
"""

COMMANDS = {
    "trace": "--design",
    "replay": "--on",
    "why": "--on",
    "minimise": "--on",
    "graph": "--on",
    "test": "naming",
}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec that leaves a mark when it is run; the current folder is beside it."""
    for name in ("here", "elsewhere"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    folder = tmp_path / "elsewhere"
    (folder / "light.py").write_text(SPEC.format(ran=str(folder / "ran")))
    (folder / "light.yaml").write_text("design: light\nspec: light.py:light\n")
    (tmp_path / "here" / "link.py").symlink_to(folder / "light.py")
    return folder


def trace_of(folder: Path, **meta: str) -> Path:
    """A trace file of the light that says so of itself."""
    states = [{"on": False}, {"on": True, "#meta": {"index": 1, "action": "switch()"}}]
    file = folder / "light.itf.json"
    file.write_text(json.dumps({"#meta": meta, "vars": ["on"], "states": states}))
    return file


def named(elsewhere: Path) -> list[dict[str, str]]:
    """The ways in which a trace may name the spec."""
    spec = f"{elsewhere / 'light.py'}:light"
    return [
        {"source": spec},
        {"source": f"{elsewhere / 'light.py'}"},
        {"source": f"{elsewhere / 'light.yaml'}"},
        {"source": "../elsewhere/light.py:light"},
        {"source": "link.py:light"},
        {"design": spec},
        {"design": str(elsewhere / "light.yaml"), "source": "gone"},
    ]


@pytest.mark.parametrize("way", range(7))
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_run(specmodel: Specmodel, elsewhere: Path, command: str, way: int) -> None:
    """Each command says what would be run, and by which option it is."""
    meta = named(elsewhere)[way]
    ran = specmodel(command, trace_of(elsewhere, **meta))
    assert ran.code == 2
    said = " ".join((ran.out + ran.err).split())
    target = meta["design"] if "design" in meta else meta["source"]
    assert "its code is not run" in said
    assert f"{COMMANDS[command]} {target}" in said
    assert not (elsewhere / "ran").exists()


@pytest.mark.parametrize("way", range(7))
def test_the_page_is_without_it(elsewhere: Path, way: int) -> None:
    """The explorer shows such a trace by what is in the file, with a note that says why."""
    file = trace_of(elsewhere, **named(elsewhere)[way])
    reading = open_target(str(file), {})
    assert isinstance(reading, PlainReading)
    assert "its code is not run. If you trust it, run it by --on " in reading.about()["notice"]
    assert not (elsewhere / "ran").exists()


def test_what_the_user_names_is_run(specmodel: Specmodel, elsewhere: Path) -> None:
    """By the option that the message says."""
    spec = f"{elsewhere / 'light.py'}:light"
    file = trace_of(elsewhere, source=spec)
    assert isinstance(open_target(str(file), {}, on=spec), DesignReading)
    for command in ("trace", "replay", "graph"):
        assert specmodel(command, file, COMMANDS[command], spec).code == 0
    assert (
        specmodel("test", trace_of(elsewhere, design="light"), elsewhere / "light.yaml").code == 1
    )
    assert (elsewhere / "ran").exists()


def test_below_the_current_folder(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What lies there is the user's own, and so are the folders where designs are found."""
    file = trace_of(tmp_path, source=f"{elsewhere / 'light.py'}:light")
    monkeypatch.setenv("SPECMODEL_PATH", str(elsewhere))
    assert isinstance(open_target(str(file), {}), DesignReading)
    monkeypatch.delenv("SPECMODEL_PATH")
    assert isinstance(open_target(str(file), {}), PlainReading)
    monkeypatch.chdir(tmp_path)
    assert isinstance(open_target(str(file), {}), DesignReading)
