"""`specmodel check Module.tla`: reports, exit codes, and what it says of wrong use."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import Golden, Specmodel
from tests.tla.oracle import MODULES

PARSER = "tree_sitter_tlaplus"


def in_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Goes to the folder of the modules, so that messages have short paths."""
    pytest.importorskip(PARSER, reason="pip install 'specmodel[tla]'")
    monkeypatch.chdir(MODULES)


@pytest.mark.parametrize(
    ("configuration", "code"), [("Jugs", 0), ("Jugs-solved", 1), ("Locks-both", 1), ("Clock", 0)]
)
def test_reports(
    monkeypatch: pytest.MonkeyPatch,
    specmodel: Specmodel,
    golden: Golden,
    configuration: str,
    code: int,
) -> None:
    """The trace names actions with their arguments, and shows values in TLA+'s notation."""
    in_modules(monkeypatch)
    name = configuration.partition("-")[0]
    ran = specmodel("check", f"{name}.tla", "--config", f"{configuration}.cfg")
    assert (ran.code, ran.err) == (code, "")
    golden(f"check-{configuration}.txt", ran.out)


def test_a_value_of_what_is_not_there(tmp_path: Path, specmodel: Specmodel) -> None:
    """TLC passes over it, as etcd's configuration has it; a note names it and the place."""
    pytest.importorskip(PARSER, reason="pip install 'specmodel[tla]'")
    text = (MODULES / "Jugs.cfg").read_text()
    (tmp_path / "Jugs.tla").write_text((MODULES / "Jugs.tla").read_text())
    (tmp_path / "Jugs.cfg").write_text(f"CONSTANTS\nsmal = 1\n{text}")
    ran = specmodel("check", tmp_path / "Jugs.tla")
    assert ran.code == 0
    assert "Jugs has no smal: as in TLC, its value has no effect (Jugs.cfg:2)" in ran.err
    assert specmodel("check", tmp_path / "Jugs.tla", "--set", "big=2").code == 2


def test_json(monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel) -> None:
    """The same object as for any design; the configuration beside the module is the default."""
    in_modules(monkeypatch)
    found = json.loads(specmodel("check", "Locks.tla", "--format", "json").out)
    assert (found["verdict"], found["distinct"], found["engine"]) == ("holds", 231, "interpret")
    assert found["constants"] == {"Client": "{c1, c2}", "Lock": "{l1, l2}"}
    assert set(found["coverage"]) == {"Ask", "Release", "Give", "Take"}


def test_a_failure_shows_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel
) -> None:
    """An expression without a value ends the search with exit code 2, and shows the trace."""
    in_modules(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("Down.tla").write_text(
        "---- MODULE Down ----\nEXTENDS Integers\nVARIABLE n\nInit == n = 2\n"
        "Next == n' = 4 \\div n - 1\n====\n"
    )
    Path("Down.cfg").write_text("INIT Init\nNEXT Next\n")
    ran = specmodel("check", "Down.tla")
    assert ran.code == 2
    assert "Next fails after these 4 states" in ran.out
    assert "Down.tla:5:14: 4 is divided by 0" in ran.err and "^" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Jugs.tla", "--config", "None.cfg"), "there is no file None.cfg"),
        (("None.tla",), "there is no file None.tla"),
        (("Counter.tla",), "there is no Counter.cfg"),
        (("Jugs.tla", "--set", "N=1"), "Jugs.cfg gives no constant N a value"),
        (("Locks.tla", "--set", "Client=1"), "Client is {c1, c2} in Locks.cfg, and 1 is none"),
        (("Jugs.tla:None.cfg",), "there is no file None.cfg"),
        (("Jugs.tla", "--engine", "smt"), "searched by native or interpret, not smt"),
        (("Jugs.tla", "--run", "x"), "--run is not supported for a TLA+ module"),
        (
            ("Locks.tla", "--config", "Locks-symmetry.cfg", "--no-symmetry"),
            "leave SYMMETRY out of the configuration",
        ),
        (("Jugs.tla", "--only", "bg"), '"bg": no field bg; did you mean "big"'),
        (("Jugs.tla", "--coverage", "--engine", "interpret"), "--coverage needs compiled code"),
        (("Jugs.tla", "--save-space", "x", "--engine", "interpret"), "--save-space needs compiled"),
        (("Jugs.tla", "--symmetry"), "write SYMMETRY in the configuration"),
        (("Jugs.tla", "--watch", "bigg"), '--watch: bigg has no meaning here; did you mean "big"'),
        (("Jugs.tla", "--invariant", "TypOK"), 'did you mean "TypeOK"'),
    ],
)
def test_wrong_use(
    monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel, arguments: tuple[str, ...], said: str
) -> None:
    """What is not followed is refused, never passed over."""
    in_modules(monkeypatch)
    ran = specmodel("check", *arguments)
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "there is no module in this file"),
        (b"(* a comment *)\n", "write ---- MODULE M ----"),
        (b"---- MODULE Other ----\n====\n", "the module in M.tla is called Other, not M"),
        (b"---- MODULE M ----\nEXTENDS Missing\n====\n", "M.tla:2:9: there is no module Missing"),
        (b"---- MODULE M ----\nVARIABLE x\nInit == x = (1 +\n====\n", "this is not TLA+"),
        (b"\xff\xfe", "not UTF-8"),
        (None, "Is a directory"),
    ],
)
def test_wrong_files(tmp_path: Path, specmodel: Specmodel, text: bytes | None, said: str) -> None:
    """A file without a module, one that cannot be read, a folder: a message, and exit code 2."""
    pytest.importorskip(PARSER, reason="pip install 'specmodel[tla]'")
    path = tmp_path / "M.tla"
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    path.mkdir() if text is None else path.write_bytes(text)
    ran = specmodel("check", str(path))
    assert ran.code == 2
    assert said in ran.err


def test_a_configuration_without_a_module(specmodel: Specmodel) -> None:
    """--config is for TLA+ alone."""
    ran = specmodel("check", "kip320", "--config", "x.cfg")
    assert ran.code == 2
    assert "--config goes with a TLA+ module" in ran.err


@pytest.mark.parametrize("command", ["prove", "ir"])
def test_other_commands_refuse_a_module(
    monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel, command: str
) -> None:
    """They say so at once."""
    in_modules(monkeypatch)
    ran = specmodel(command, "Jugs.tla")
    assert ran.code == 2
    assert "Jugs is a TLA+ module, which this does not take yet" in ran.err


def test_without_the_parser(monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel) -> None:
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, PARSER, None)
    ran = specmodel("check", str(MODULES / "Jugs.tla"))
    assert ran.code == 2
    assert "pip install 'specmodel[tla]'" in ran.err


@pytest.mark.parametrize("module", ["Locks", "Typed"])
def test_show(
    monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel, golden: Golden, module: str
) -> None:
    """Constants, the types of the variables as sets, bits, and what each action may do."""
    in_modules(monkeypatch)
    ran = specmodel("show", f"{module}.tla")
    assert (ran.code, ran.err) == (0, "")
    golden(f"show-{module}.txt", ran.out)


def test_show_of_a_module_that_is_evaluated(
    monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel, tmp_path: Path
) -> None:
    """The reason stands below, with its place; types are those of a sample."""
    in_modules(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("Odd.tla").write_text(
        "---- MODULE Odd ----\nEXTENDS Integers\nVARIABLES n, seen\n"
        "Init == n = 0 /\\ seen = {}\n"
        "Next == n' = (n + 1) % 500000 /\\ seen' = {CHOOSE x \\in {n, n + 1} : x > n}\n"
        "View == n + 0\n====\n"
    )
    Path("Odd.cfg").write_text("INIT Init\nNEXT Next\nVIEW View\n")
    ran = specmodel("show", "Odd.tla")
    assert (ran.code, ran.err) == (0, "")
    assert "  n     0.." in ran.out
    assert "a search widens them" in ran.out
    assert "states are evaluated one by one: a VIEW that is more than some variables" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Locks.tla", "--set", "Client=2"), "Client is {c1, c2} in Locks.cfg, and 2 is none"),
        (("kip320", "--config", "Locks.cfg"), "--config goes with a TLA+ module"),
        (("Nowhere.tla",), "there is no file Nowhere.tla"),
    ],
)
def test_wrong_use_of_show(
    monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel, arguments: tuple[str, ...], message: str
) -> None:
    """As for `check`."""
    in_modules(monkeypatch)
    ran = specmodel("show", *arguments)
    assert ran.code == 2
    assert message in ran.err
