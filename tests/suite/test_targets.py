"""From what a user types to a design: names, YAML files, Python files."""

from __future__ import annotations

from pathlib import Path

import pytest

import specmodel
from specmodel.errors import SpecError, UsageError
from specmodel.suite.catalog import catalog, find, shipped


@pytest.mark.parametrize(
    "target", ["my-counter", "my_counter", "models/counter.yaml", "counter.py:counter"]
)
def test_the_same_spec_by_every_kind_of_target(counter: Path, target: str) -> None:
    """Name (either style), YAML path and Python path all load the spec."""
    design = specmodel.load(target)
    assert design.values == {"most": 2, "wild": False}
    assert [rule.name for rule in design.spec.rules] == ["step", "never"]


def test_constants_override_profile_overrides_file(counter: Path) -> None:
    """What the user gives wins over the profile, the profile over the file."""
    assert specmodel.load("my-counter").values["most"] == 2
    assert specmodel.load("my-counter", profile="deep").values["most"] == 5
    assert specmodel.load("my-counter", profile="deep", most=7).values["most"] == 7
    with pytest.raises(UsageError, match='no profile "dep"; did you mean "deep"'):
        specmodel.load("my-counter", profile="dep")


def test_a_file_alone_needs_a_single_spec(counter: Path) -> None:
    """`file.py` works for one spec; with several, the message lists them."""
    with pytest.raises(UsageError, match=r"several specs: write counter.py:NAME \(counter, fine\)"):
        specmodel.load("counter.py")
    one = counter / "one.py"
    one.write_text((counter / "counter.py").read_text().rpartition("fine =")[0])
    assert specmodel.load(one).name == "counter"
    (counter / "none.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="has no spec"):
        specmodel.load("none.py")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("my-countr", 'no design is called "my-countr"; did you mean "my-counter"'),
        ("zzz", "specmodel list"),
        ("counter.py:countr", 'no spec "countr"; did you mean "counter"'),
        ("nope.py:x", "no such file"),
        ("models/nope.yaml", "cannot read"),
        ("models", "is a folder"),
        ("some/where", "is not a design"),
    ],
)
def test_wrong_targets(counter: Path, target: str, message: str) -> None:
    """A wrong target is a usage error that says what could be meant."""
    with pytest.raises(UsageError, match=message):
        specmodel.load(target)


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("most: 2", "most: 20", "4:19", "most = 20 is outside 1..9"),
        ("most: 2", "mst: 2", "4:18", 'no constant is called "mst"'),
        ("most: 5", "most: true", "7:25", "most is an integer"),
        ("[small,", "[smal,", "5:9", 'no property "smal"; did you mean "small"'),
        ("{small: {verdict", "{tiny: {verdict", "6:42", 'no property "tiny"'),
        ("counter.py:counter", "counter.py:conter", "2:7", 'no spec "conter"'),
        ("counter.py:counter", "countr.py:counter", "2:7", "no such file"),
    ],
)
def test_a_file_that_does_not_fit_its_spec(
    counter: Path, old: str, new: str, place: str, message: str
) -> None:
    """What the YAML file says wrongly of its spec is reported at its place in the file."""
    file = counter / "models" / "counter.yaml"
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(SpecError, match=message) as wrong:
        specmodel.load(file, profile="deep" if old == "most: 5" else "")
    assert f"counter.yaml:{place}: " in str(wrong.value)


def test_own_designs_hide_shipped_ones_and_others_are_found(
    counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """./models comes first, then SPECMODEL_PATH, then what is shipped."""
    text = (counter / "models" / "counter.yaml").read_text()
    (counter / "models" / "mine.yaml").write_text(text.replace("my-counter", "two-phase-commit"))
    more = counter / "more"
    more.mkdir()
    (more / "counter.py").write_text((counter / "counter.py").read_text())
    (more / "other.yaml").write_text(text.replace("my-counter", "other"))
    monkeypatch.setenv("SPECMODEL_PATH", str(more))
    found = catalog().designs
    assert found["two-phase-commit"].path == counter / "models" / "mine.yaml"
    assert found["other"].path == more / "other.yaml"
    assert found["kip320"].path.is_relative_to(shipped())
    monkeypatch.setenv("SPECMODEL_PATH", str(counter / "gone"))
    with pytest.raises(UsageError, match="not a folder"):
        catalog()


def test_a_name_is_found_however_it_is_written(counter: Path) -> None:
    """With - or _, by the reader or in the file, where not even a search of the text finds it."""
    file = counter / "models" / "counter.yaml"
    text = file.read_text()
    for written in ("my-counter", "my_counter", '"my-c\\x6funter"'):
        file.write_text(text.replace("my-counter", written))
        for asked in ("my-counter", "my_counter"):
            assert find(asked).path == file
    (counter / "models" / "again.yaml").write_text(text)
    file.write_text(text)
    assert find("my-counter").path.name == "again.yaml"
    with pytest.raises(UsageError, match="did you mean"):
        find("my-countr")


def test_duplicate_names_and_broken_files_are_reported(counter: Path) -> None:
    """One bad file does not hide the other designs, but is named."""
    models = counter / "models"
    (models / "again.yaml").write_text((models / "counter.yaml").read_text())
    (models / "broken.yaml").write_text("design: [\n")
    (models / "unrelated.yaml").write_text("services: {}\n")
    found = catalog()
    assert "my-counter" in found.designs
    messages = [str(wrong) for wrong in found.broken]
    assert len(messages) == 2
    assert 'two designs are called "my-counter"' in messages[1]
    assert "broken.yaml:2:1: not YAML" in messages[0]


def test_the_shipped_designs_can_all_be_read() -> None:
    """No YAML file that comes along is broken, and each has a question."""
    found = catalog((shipped(),))
    assert not found.broken
    assert "kip320" in found.designs
    assert all(document.question for document in found.designs.values())


def test_check_takes_a_name_or_a_loaded_design(counter: Path) -> None:
    """The Python API checks both, restricts properties, refuses constants that come too late."""
    design = specmodel.load("my-counter", most=1)
    result = specmodel.check(design, engine="interpret")
    assert (result.verdict, result.distinct, result.depth) == ("holds", 3, 2)
    result = specmodel.check("my-counter", engine="interpret", properties=["Small"], most=3)
    assert [(p.name, p.trace_length) for p in result.properties] == [("small", 3)]
    with pytest.raises(UsageError, match=r"give most to specmodel\.load"):
        specmodel.check(design, most=2)
    with pytest.raises(UsageError, match='no engine is called "nativ"; did you mean "native"'):
        specmodel.check(design, engine="nativ")
    with pytest.raises(UsageError, match="max_states is above 0"):
        specmodel.check(design, max_states=0)
