"""YAML files of designs: what is read, and where a mistake is said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.constants import DeclaredConstant
from specmodel.errors import SpecError, UsageError
from specmodel.suite.documents import read_document


def write(folder: Path, text: str) -> Path:
    file = folder / "d.yaml"
    file.write_text(text)
    return file


STATES = """
design: d
spec: designs.py:d
constants: {n: 3}
expect:
  verdict: holds
  distinct: 30
  at:
    - constants: {n: 2}
      verdict: holds
      distinct: 20
    - constants: {n: 4}
      verdict: violated
      distinct: 40
    - constants: {on: true}
      verdict: holds
"""


@pytest.mark.parametrize(
    ("n", "on", "states"),
    [(3, False, 30), (2, False, 20), (4, False, None), (3, True, None), (5, False, None)],
)
def test_how_many_states(tmp_path: Path, n: int, on: bool, states: int | None) -> None:
    """It is said of some constants, and counts only where the search goes to its end."""
    constants = {
        "n": DeclaredConstant("n", 7, 0, 9, "", n),
        "on": DeclaredConstant("on", False, None, None, "", on),
    }
    assert read_document(write(tmp_path, STATES)).states_at(constants) == states


def test_reads_every_key(tmp_path: Path) -> None:
    """A file with all keys: names in one style, constants with their types, nested expectations."""
    found = read_document(
        write(
            tmp_path,
            """
design: my_design
spec: designs.py:my-spec
question: >
  Is it
  right?
source: KIP-1
constants: {n: 3, on: true, neg: -1}
check: [weak-isr, strong_isr]
expect:
  verdict: violated
  distinct: 10
  properties:
    weak-isr: {verdict: violated, trace_length: 4}
  at:
    - constants: {n: 2}
      verdict: holds
profiles:
  deep: {n: 5}
""",
        )
    )
    assert found.name == "my-design"
    assert found.spec_file == tmp_path / "designs.py"
    assert found.spec_name == "my_spec"
    assert found.question == "Is it right?"
    assert found.constants == {"n": 3, "on": True, "neg": -1}
    assert found.check == ("weak_isr", "strong_isr")
    assert found.expect == {
        "verdict": "violated",
        "distinct": 10,
        "properties": {"weak_isr": {"verdict": "violated", "trace_length": 4}},
        "at": [{"constants": {"n": 2}, "verdict": "holds"}],
    }
    assert found.profiles == {"deep": {"n": 5}}
    assert not found.symmetry


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "design: a\nspec: b.py:c\nchek: [x]\n",
            "3:1",
            'unknown key "chek"; did you mean "check"?',
        ),
        ("design: a\n", "1:1", 'the key "spec" is missing'),
        ("design: a\ndesign: b\nspec: b.py:c\n", "2:1", "given twice"),
        ("design: a\nspec: b.txt\n", "2:7", "is not a spec"),
        ("design: a\nspec: b.py:c\nconstants: {n: x}\n", "3:16", "constant n is an integer"),
        ("design: a\nspec: b.py:c\nconstants: {n: 1.5}\n", "3:16", "constant n is an integer"),
        ("design: a\nspec: b.py:c\nconstants: [n]\n", "3:12", "mapping"),
        ("design: a\nspec: b.py:c\nsymmetry: Node\n", "3:11", '"symmetry" is true or false'),
        ("design: a\nspec: b.py:c\ncheck: weak\n", "3:8", "list of property names"),
        ("design: a\nspec: b.py:c\nexpect: {verdict: ok}\n", "3:19", '"ok" is not a verdict'),
        ("design: a\nspec: b.py:c\nexpect: {distinct: -1}\n", "3:20", "is a count"),
        ("design: a\nspec: b.py:c\nexpect: {at: [{verdict: holds}]}\n", "3:15", "constants"),
        ("design: [a\nspec: b\n", "2:5", "not YAML"),
        ("design: a\n\tspec: b\n", "2:1", "not YAML"),
        ("- a\n", "1:1", "mapping"),
        ("", "1:1", "empty"),
    ],
)
def test_mistakes_have_a_place(tmp_path: Path, text: str, place: str, message: str) -> None:
    """Each mistake is reported with file, line and column."""
    file = write(tmp_path, text)
    with pytest.raises(SpecError) as wrong:
        read_document(file)
    assert str(wrong.value).startswith(f"{file}:{place}: ")
    assert message in str(wrong.value)


def test_unreadable_files(tmp_path: Path) -> None:
    """A file that is missing or no text is a usage error, not a crash."""
    with pytest.raises(UsageError, match="cannot read"):
        read_document(tmp_path / "none.yaml")
    (tmp_path / "d.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_document(tmp_path / "d.yaml")
