"""Results as JSON: names of keys, and what is written of values of each kind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specmodel.results.plain import json_text, members, plain


@dataclass(frozen=True)
class Inner:
    """A part of a result."""

    file: Path
    stopped: str = ""


@dataclass(frozen=True)
class Outer:
    """A result with a part, or without one."""

    name: str
    inner: Inner | None
    seconds: float = 0.12345678
    levels: tuple[int, ...] = (1, 2)


def test_keys_have_the_order_of_the_names_and_may_be_renamed() -> None:
    """A format's keys are those named, in that order, whatever the order of the fields."""
    told = members(Outer("a", Inner(Path("x"))), "levels place=inner.file name")
    assert list(told.items()) == [("levels", [1, 2]), ("place", "x"), ("name", "a")]


def test_what_is_not_there_is_null() -> None:
    """An attribute of a part that is missing, and an empty text where the format says so."""
    assert members(Outer("", None), "place=inner.file name?") == {"place": None, "name": None}
    assert members(Outer("", None), "name") == {"name": ""}


def test_seconds_are_rounded_and_other_numbers_are_not() -> None:
    """Times are given to the microsecond; a probability keeps all of its digits."""
    told = members(Outer("a", None), "seconds share=seconds")
    assert told == {"seconds": 0.123457, "share": 0.12345678}


def test_parts_are_written_as_the_keys_say_and_by_their_fields_otherwise() -> None:
    """A dataclass inside of another, of a tuple or of a mapping."""
    inner = Inner(Path("x"))
    assert plain({"a": (inner,)}) == {"a": [{"file": "x", "stopped": ""}]}
    assert plain([inner], {Inner: "stopped?"}) == [{"stopped": None}]
    keys: dict[type, Any] = {Inner: lambda held: held.file.name}
    assert members(Outer("a", inner), "inner", keys) == {"inner": "x"}


def test_the_version_comes_first() -> None:
    """Whoever reads an object sees first whether it is of a version that he knows."""
    assert list(json.loads(json_text({"name": "é"}))) == ["version", "name"]
    assert "é" in json_text({"name": "é"}, ascii_only=False)
