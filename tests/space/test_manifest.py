"""The manifest of a saved space: read back it is what was written, and it is enough to decode."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import specmodel
from specmodel.domains import Domain
from specmodel.errors import DamagedRun, UsageError
from specmodel.ir.layout import Layout
from specmodel.space.files import RunFiles, read_json, write_json
from specmodel.space.manifest import Manifest, manifest_of
from specmodel.space.types import described, domain_of
from specmodel.traces.notation import Notation
from tests.random_specs import few
from tests.strategies import domains_with_values, struct_of

TOUR = Path(__file__).parents[1] / "specs/tour.py"


def manifest(target: str | Path = "two-phase-commit") -> Manifest:
    design = specmodel.load(target)
    identity = {"design": design.name, "constants": design.values, "symmetry": []}
    return manifest_of(design, identity, design.chosen(None), "native", 1, steps=True)


@few(60)
@given(domains_with_values(3))
def test_a_described_type_reads_values_as_the_type_itself(found: tuple[Domain, list[Any]]) -> None:
    """The JSON form of a type loses nothing: the words of a state mean the same values again."""
    domain, values = found
    state = struct_of({"held": domain})
    again = domain_of(json.loads(json.dumps(described(state))))
    assert described(again) == described(state)
    here, there = Layout(state), Layout(again)  # pyright: ignore[reportArgumentType]
    for value in values:
        words = here.pack(state.build([domain.store(value, "")]))
        read, expected = there.unpack(words), here.unpack(words)
        assert Notation().value(read) == Notation().value(expected)
        assert there.pack(read) == words


@pytest.mark.parametrize("target", ["two-phase-commit", "kip320", TOUR])
def test_a_manifest_is_read_as_it_was_written(target: str | Path, tmp_path: Path) -> None:
    """Nothing is lost on the way through JSON, and the layout of its type is that of the words."""
    written = manifest(target)
    written.write(tmp_path / "run")
    read = Manifest.read(tmp_path / "run")
    assert read == written
    assert read.layout.slots == Layout(specmodel.load(target).spec.domain).slots
    assert read.bindings[0].action in read.actions


def test_other_folders_are_refused(tmp_path: Path) -> None:
    """A folder without a manifest, of another format, or with a damaged one: each is said so."""
    with pytest.raises(UsageError, match=r"holds no saved space: there is no manifest\.json"):
        Manifest.read(tmp_path)
    path = RunFiles(tmp_path).manifest
    manifest().write(tmp_path)
    held = read_json(path)
    assert held is not None
    write_json(path, {**held, "format": 0})
    with pytest.raises(UsageError, match="written by another version"):
        Manifest.read(tmp_path)
    del held["bindings"]
    write_json(path, held)
    with pytest.raises(DamagedRun, match="is not what was written: KeyError"):
        Manifest.read(tmp_path)
    path.write_text("{")
    with pytest.raises(DamagedRun, match="cannot be read"):
        Manifest.read(tmp_path)


def test_fields_that_do_not_fit_the_type_are_found_out(tmp_path: Path) -> None:
    """Words are not decoded by a layout other than the one that they were written in."""
    manifest().write(tmp_path)
    path = RunFiles(tmp_path).manifest
    held = read_json(path)
    assert held is not None
    held["fields"][0]["shift"] += 1
    write_json(path, held)
    with pytest.raises(DamagedRun, match="fields are not those of its type"):
        _ = Manifest.read(tmp_path).layout


def test_a_level_counts_once_its_record_is_there(tmp_path: Path) -> None:
    """A gap ends what counts: levels behind it are left from a process that was ended."""
    files = RunFiles(tmp_path)
    for level in (0, 1, 3):
        files.commit(level, {"states": level + 1, "generated": 2})
    assert [record["states"] for record in files.committed()] == [1, 2]
    files.commit(2, {"states": 3, "generated": 2})
    assert [record["level"] for record in files.committed()] == [0, 1, 2, 3]
    files.drop(1)
    assert [record["level"] for record in files.committed()] == [0]
