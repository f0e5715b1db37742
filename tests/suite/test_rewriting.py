"""Single values are written into a YAML text; comments and layout stay."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from specmodel.errors import UsageError
from specmodel.suite.rewriting import with_value

TEXT = """\
design: a  # its name
expect:
  verdict: holds  # so far
  properties:
    weak: {verdict: holds}
    strong:
      verdict: violated
      trace_length: 3
  # elsewhere
  at:
    - constants: {n: 2}
      distinct: 7

    - {constants: {n: 3}, verdict: holds}
"""

VIOLATED = {"verdict": "violated", "trace_length": 4}


@pytest.mark.parametrize(
    ("where", "value", "line"),
    [
        (("expect", "verdict"), "violated", "  verdict: violated  # so far"),
        (("expect", "depth"), 9, "  depth: 9"),
        (
            ("expect", "properties", "weak"),
            VIOLATED,
            "    weak: {verdict: violated, trace_length: 4}",
        ),
        (("expect", "properties", "strong"), {"verdict": "holds"}, "    strong: {verdict: holds}"),
        (("expect", "properties", "new"), {"verdict": "holds"}, "    new: {verdict: holds}"),
        (("expect", "at", "0", "distinct"), 8, "      distinct: 8"),
        (
            ("expect", "at", "0", "properties", "weak"),
            {"verdict": "holds"},
            "      properties: {weak: {verdict: holds}}",
        ),
        (
            ("expect", "at", "1", "distinct"),
            5,
            "    - {constants: {n: 3}, verdict: holds, distinct: 5}",
        ),
        (("profiles", "large"), {"n": 9}, "profiles: {large: {n: 9}}"),
    ],
)
def test_only_that_value_changes(where: tuple[str, ...], value: Any, line: str) -> None:
    """The value is there when the text is read again, one line differs, comments are kept."""
    written = with_value(TEXT, where, value)
    held: Any = yaml.safe_load(written)
    for key in where:
        held = held[int(key)] if isinstance(held, list) else held[key]
    assert held == value
    assert [new for new in written.splitlines() if new not in TEXT.splitlines()] == [line]
    assert written.count("#") == TEXT.count("#")


def test_the_text_of_a_last_line_without_an_end() -> None:
    """A file that does not end in a line end gets its new key on a line of its own."""
    assert with_value("design: a", ("expect", "depth"), 2) == "design: a\nexpect: {depth: 2}"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a: &n {b: 1}\nc: *n\n", ("c",)),
        ("a: 1\n", ("a", "b")),
    ],
)
def test_what_cannot_be_written_is_refused(text: str, where: tuple[str, ...]) -> None:
    """An alias would change what it stands for elsewhere; a number has no keys."""
    with pytest.raises(UsageError):
        with_value(text, where, 2)
