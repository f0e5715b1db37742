"""Saved spaces and walks of which a file was changed, cut short or removed are not believed."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import specmodel as api
from specmodel import space
from specmodel.errors import DamagedRun, UsageError
from specmodel.space.files import RunFiles, read_json
from specmodel.space.space import Space
from tests.conftest import Specmodel
from tests.space.runs import saved

SPACE = ("manifest.json", "properties.json", "levels", "states", "transitions", "violations")

WALKS = ("manifest.json", "report.json", "*.parquet")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small space and one with walks, with files of every kind."""
    folder = tmp_path_factory.mktemp("damage")
    saved(folder / "space", "truncate-to-hw", replicas=2, max_leader_epoch=1)
    api.simulate("truncate-to-hw", walks=200, seed=1, save_walks=folder / "walks")
    return folder


@pytest.fixture
def both(whole: Path, tmp_path: Path) -> Path:
    """Copies of them, to be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "both"))


@pytest.fixture
def run(both: Path) -> Path:
    """A copy of the space."""
    return both / "space"


def files_of(folder: Path, kind: str) -> list[Path]:
    """All files of a kind, of which there are some."""
    found = [p for place in folder.glob(kind) for p in (place, *place.rglob("*")) if p.is_file()]
    assert found
    return sorted(found)


def flipped(held: bytes, rng: random.Random) -> bytes:
    """With another bit somewhere, unless that is in space between values of JSON."""
    content = bytearray(held)
    content[rng.choice([n for n, byte in enumerate(held) if byte not in b" \n"])] ^= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("what", "kind"), [("space", kind) for kind in SPACE] + [("walks", kind) for kind in WALKS]
)
def test_damage_is_noticed(both: Path, what: str, kind: str) -> None:
    """A bit flipped, half of it gone, all of it gone: of each file, which the message names."""
    folder, rng = both / what, random.Random(kind)
    for path in files_of(folder, kind):
        held = path.read_bytes()
        for damaged in (flipped(held, rng), flipped(held, rng), held[: len(held) // 2]):
            path.write_bytes(damaged)
            with pytest.raises(DamagedRun, match=f"{path.name} .*; bring the folder back from a c"):
                space.open(folder)
        path.unlink()
        # Without a manifest there is no saying what it was.
        with pytest.raises((DamagedRun, UsageError), match=f"{path.name}( is not there|$)"):
            space.open(folder)
        path.write_bytes(held)
    space.open(folder)


@pytest.mark.parametrize("unfinished", [False, True])
def test_commands_end_with_the_message(run: Path, specmodel: Specmodel, unfinished: bool) -> None:
    """All that read it: without a level, with a digit changed, with a table cut short or changed.

    So they do where who saved it was cut short. Only what has the same length passes unread.
    """
    files = RunFiles(run)
    if unfinished:
        files.unseal()
    last = len(files.committed()) - 1
    record, table = files.level(2), files.part("states", last, 0)
    told = record.read_text(encoding="utf-8")
    changed = flipped(table.read_bytes(), random.Random(1))
    digit = str(Space(run).levels[2]["states"])
    damages: list[tuple[Path, bytes | None, bool]] = [
        (record, None, False),
        (record, told.replace(f'"states": {digit}', f'"states": 1{digit}').encode(), False),
        (files.part("transitions", 1, 0), None, False),
        (table, table.read_bytes()[:-1], False),
        (table, changed, True),
    ]
    commands = (["stats", run], ["diff", run, run], ["query", run, "select 1"])
    for path, content, passes in damages:
        held = path.read_bytes()
        path.unlink() if content is None else path.write_bytes(content)
        for command in commands:
            for options in ([], ["--no-verify"]):
                if options and passes:
                    assert Space(run, verify=False).complete is not unfinished
                    continue
                ran = specmodel(*command, *options)
                assert (ran.code, ran.out) == (2, ""), (path, command)
                assert str(path) in ran.err
                assert "remove it and write it again" in ran.err
        path.write_bytes(held)
    assert specmodel("stats", run).code == 0


def test_files_that_were_not_written_are_noticed(run: Path) -> None:
    """Another shard of a level, or another level, would be read with the rest."""
    files = RunFiles(run)
    for held, added in (
        (files.part("states", 1, 0), files.part("states", 1, 1)),
        (files.level(1), files.level(len(files.committed()))),
    ):
        shutil.copy(held, added)
        with pytest.raises(DamagedRun, match=f"{added.name} is none of the files"):
            Space(run)
        added.unlink()
    assert Space(run).complete


def test_a_space_is_finished_by_its_manifest(run: Path) -> None:
    """It is written last; what is changed is not taken for the whole before it is written again."""
    files = RunFiles(run)
    named = read_json(files.manifest)
    assert named is not None
    every = {str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()}
    assert set(named["files"]) == every - {"manifest.json"}
    opened = Space(run)
    tables = [name for name in named["files"] if name.startswith("states")]
    assert sum(named["files"][name]["rows"] for name in tables) == opened.size
    files.drop(len(opened.levels) - 1)
    assert not Space(run).complete
    assert Space(run).size == opened.size - opened.levels[-1]["states"]
