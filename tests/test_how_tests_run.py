"""Which tests a run of pytest has, and in how many processes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest
from tests.conftest import ONE_PROCESS, worth_several_processes
from tests.docs.pages import ROOT


def asked(*given: str, **options: Any) -> Any:
    """The configuration of `pytest` with some arguments, and options that differ from defaults."""
    usual: dict[str, Any] = {"numprocesses": None, "capture": "fd", **dict.fromkeys(ONE_PROCESS)}
    usual |= {"markexpr": "not long", "update_golden": False, "update_slow": False}
    return SimpleNamespace(
        option=SimpleNamespace(**usual | options),
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
        invocation_params=SimpleNamespace(dir=ROOT),
        args=given,
    )


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """This may itself be one of several processes."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


def test_folders_are_run_in_several() -> None:
    """Few files are not: processes take longer to start."""
    assert worth_several_processes(asked("tests"))
    assert worth_several_processes(asked("tests/cli", "tests/lang"))
    assert not worth_several_processes(asked("tests/coverage"))
    assert not worth_several_processes(
        asked("tests/starter/test_new.py", "tests/lang/test_rules.py")
    )
    assert not worth_several_processes(
        asked(*[f"tests/starter/test_new.py::{i}" for i in range(9)])
    )


@pytest.mark.parametrize(
    "options",
    [{"numprocesses": 0}, {"numprocesses": 3}, {"capture": "no"}, *({o: "x"} for o in ONE_PROCESS)],
    ids=str,
)
def test_whoever_says_how_is_heard(options: dict[str, Any]) -> None:
    """`-n` has its way, a debugger its terminal, and the few tests of `-k` one process."""
    assert not worth_several_processes(asked("tests", **options))


def test_without_xdist() -> None:
    """`-p no:xdist` leaves no option to set."""
    config = asked("tests")
    del config.option.numprocesses
    assert not worth_several_processes(config)


def test_one_of_several_processes_starts_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """xdist tells them nothing of `-n`: each would start as many again, without end."""
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert not worth_several_processes(asked("tests"))


class Item:
    """A test, as far as its selection needs it."""

    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid
        self.marks: list[str] = []

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.append(mark.name)


@pytest.mark.parametrize(
    ("config", "kept"),
    [
        (asked("tests"), ["fast"]),
        (asked("tests/starter/test_new.py"), ["slow", "fast"]),
        (asked("tests", markexpr="slow"), ["slow", "fast"]),  # pytest itself selects by marks
        (asked("tests", keyword="a name"), ["slow", "fast"]),
        (asked("tests", update_golden=True), ["slow", "fast"]),
    ],
    ids=["all", "a file", "-m slow", "-k", "--update-golden"],
)
def test_slow_tests_are_left_out_of_a_run_of_all(
    config: Any, kept: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of no other: a change that a named file's slow test would find is not missed."""
    monkeypatch.setattr(conftest, "SLOW", tmp_path / "slow.txt")
    conftest.SLOW.write_text("slow\n")
    items: list[Any] = [Item("slow"), Item("fast")]
    marked = items[0].marks
    conftest.pytest_collection_modifyitems(config, items)
    assert [item.nodeid for item in items] == kept
    assert marked == ["slow"]
