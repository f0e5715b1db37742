"""Constants: limits and types are kept, wrong names get suggestions, others their defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.constants import Value, binding
from specmodel.errors import SpecError, UsageError
from specmodel.lang import constant
from specmodel.lang.loading import load_module
from tests.written import written

TEXT = """
replicas = constant("replicas", 3, low=1, high=6, doc="brokers")
retries = constant("retries", 0, low=0)
unclean = constant("unclean", False, doc="unclean elections")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path, TEXT)


def test_declared_constants(file: Path) -> None:
    """What a module declares is known with its limits, default and value."""
    found = load_module(file, {"replicas": 5, "unclean": True}).constants
    assert list(found) == ["replicas", "retries", "unclean"]
    replicas = found["replicas"]
    assert (replicas.default, replicas.low, replicas.high) == (3, 1, 6)
    assert (replicas.value, replicas.doc) == (5, "brokers")
    assert found["retries"].value == 0
    assert found["unclean"].value is True


@pytest.mark.parametrize(("replicas"), [1, 6])
def test_limits_are_included(file: Path, replicas: int) -> None:
    """Both limits are values."""
    assert load_module(file, {"replicas": replicas}).constants["replicas"].value == replicas


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("replicas", 7, "constant replicas = 7 is outside 1..6"),
        ("replicas", 0, "constant replicas = 0 is outside 1..6"),
        ("retries", -1, "constant retries = -1 is outside 0.."),
        ("replicas", True, "constant replicas is an integer, not True"),
        ("replicas", "3", "constant replicas is an integer, not '3'"),
        ("replicas", 3.0, "constant replicas is an integer, not 3.0"),
        ("unclean", 1, "constant unclean is true or false, not 1"),
        ("replica", 3, 'no constant is called "replica"; did you mean "replicas"?'),
        ("zookeepers", 3, "; known: replicas, retries, unclean"),
    ],
)
def test_wrong_binding(file: Path, name: str, value: Value, said: str) -> None:
    """A wrong constant is the user's mistake, said in a line that names it."""
    with pytest.raises(UsageError) as error:
        load_module(file, {name: value})
    assert said in str(error.value)


def test_without_a_binding_defaults_hold() -> None:
    """A spec module imported plainly, as by a unit test, has its defaults."""
    assert constant("anything", 4, low=0, high=9) == 4
    assert constant("flag", True) is True


def test_default_outside_its_limits() -> None:
    """A declaration that contradicts itself is refused at once."""
    with pytest.raises(SpecError, match=r"constant size: its default 9 is outside 0\.\.3"):
        constant("size", 9, low=0, high=3)


def test_one_name_declared_twice() -> None:
    """Two modules may declare the same constant alike, not differently."""
    with binding({"size": 2}) as bindings:
        assert constant("size", 1, low=0) == constant("size", 1, low=0) == 2
        with pytest.raises(SpecError, match="size is declared twice, differently"):
            constant("size", 1, low=1)
    assert bindings.unknown() is None
    assert constant("size", 1) == 1
