"""What memory a search may take: the least that the machine, control groups and limits leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel import resources as available


@pytest.fixture(autouse=True)
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system of 1,000 KB free, whose files are in a folder, without control groups."""
    (tmp_path / "meminfo").write_text("MemTotal: 4000 kB\nMemAvailable: 1000 kB\n")
    monkeypatch.setattr(available, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(available, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(available, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(available, "_of_process", lambda: None)
    return tmp_path


def group(system: Path, folder: str, version: int, limit: str, used: int) -> None:
    """A control group with a limit."""
    names = {1: ("memory.limit_in_bytes", "memory.usage_in_bytes")}
    limits, uses = names.get(version, ("memory.max", "memory.current"))
    place = system / "groups" / folder
    place.mkdir(parents=True, exist_ok=True)
    (place / limits).write_text(f"{limit}\n")
    (place / uses).write_text(f"{used}\n")


def test_the_machine() -> None:
    """Where nothing else limits a process."""
    assert available.most_free() == (1000 << 10, "the machine")
    assert available.available() == int((1000 << 10) * available.SHARE)


@pytest.mark.parametrize("own", ["/a/b", "/a", "/"])
def test_groups(system: Path, own: str) -> None:
    """A group has what its own limit leaves, and those that it is in; "max" is no limit."""
    (system / "own").write_text(f"0::{own}\n")
    group(system, "a/b", 2, "5000", 3000)
    group(system, "a", 2, "max", 3000)
    group(system, "", 2, "90000", 10_000)
    expected = {"/a/b": (2000, "/a/b")}.get(own, (80_000, "/"))
    assert available.most_free() == (expected[0], f"the control group {expected[1]}")


def test_groups_of_the_first_version(system: Path) -> None:
    """The memory of these is a tree of its own."""
    (system / "own").write_text("3:cpu,cpuacct:/x\n5:memory:/jobs/7\n0::/y\n")
    group(system, "memory/jobs/7", 1, "9000", 8000)
    assert available.most_free() == (1000, "the control group /jobs/7")
    group(system, "memory/jobs/7", 1, "9000", 9500)
    assert available.available() == 0


def test_seen_from_a_container(system: Path) -> None:
    """Its own group may be the root of all that it sees."""
    (system / "own").write_text("0::/../outside\n")
    group(system, "", 2, "7000", 1000)
    assert available.available() == int(6000 * available.SHARE)


def test_address_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of the process counts as well."""
    monkeypatch.setattr(available, "_of_process", lambda: 500)
    found = available.most_free()
    assert found is not None
    assert found[0] == 500
    assert "ulimit -v" in found[1]
