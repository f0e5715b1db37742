"""Marked functions are plain functions, guards end them, scalar sets are names without order."""

from __future__ import annotations

import copy

import pytest

from specmodel.errors import Disabled
from specmodel.lang import ScalarSet, action, require, require_some


class Node(ScalarSet, size=3, prefix="n"):
    """An actor."""


def test_mark_changes_nothing() -> None:
    """A marked function can be called as it stands, as a unit test of a rule does."""

    def plain(s: list[int]) -> None:
        s.append(1)

    assert action(plain) is plain
    held: list[int] = []
    plain(held)
    assert held == [1]


def test_require() -> None:
    """A false guard ends the function by Disabled, a true one does nothing."""
    require(True)
    with pytest.raises(Disabled):
        require(False)


def test_require_some() -> None:
    """Gives the value, even one that is false; None ends the function."""
    assert require_some(0) == 0
    assert require_some(Node.nth(1)) is Node.nth(1)
    with pytest.raises(Disabled):
        require_some(None)


def test_members_of_a_scalar_set() -> None:
    """Named by prefix and number, iterated in order, each itself only."""
    assert [repr(n) for n in Node] == ["n1", "n2", "n3"]
    assert len(Node) == 3
    assert Node.nth(0) == next(iter(Node)) != Node.nth(1)
    assert len({*Node, *Node}) == 3


def test_prefix_comes_from_the_name() -> None:
    """Without a prefix, the first letter; an empty set is still a set to loop over."""

    class Broker(ScalarSet, size=1):
        """A broker."""

    class Nobody(ScalarSet, size=0):
        """No one."""

    assert [repr(b) for b in Broker] == ["b1"]
    assert list(Nobody) == []
    assert bool(Nobody)


def test_members_are_names() -> None:
    """They hold nothing, and copying one gives the same one."""
    first = Node.nth(0)
    with pytest.raises(AttributeError, match="n1 is a name: it has no field load to set"):
        first.load = 3  # type: ignore[attr-defined]  # a store that must be refused
    assert copy.copy(first) is copy.deepcopy([first])[0] is first
