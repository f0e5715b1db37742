"""`assert_holds` and `assert_violated`: what they accept, and what their failures show."""

from __future__ import annotations

from pathlib import Path

import pytest

import specmodel
from specmodel import assert_holds, assert_violated


def test_what_holds(counter: Path) -> None:
    """The result comes back; constants are taken as `check` takes them."""
    assert assert_holds("counter.py:fine", "bounded", most=3).distinct == 7
    assert_holds(specmodel.load("counter.py:fine"), "bounded", "stepped")


def test_what_does_not_hold(counter: Path) -> None:
    """The failure is the report: the verdict first, then the counterexample."""
    with pytest.raises(AssertionError) as failed:
        assert_holds("counter.py:counter")
    text = str(failed.value)
    assert text.startswith("counter violates small at most=2: counterexample of 3 states")
    assert "step(by=" in text
    with pytest.raises(AssertionError, match="incomplete"):
        assert_holds("counter.py:fine", "bounded", max_states=1)


def test_what_holds_for_want_of_events(counter: Path) -> None:
    """A spec that can do nothing keeps every invariant: that is a failure, unless it is meant."""
    text = Path("counter.py").read_text()
    Path("still.py").write_text(text.replace("s.at < most or wild", "s.at > most"))
    with pytest.raises(AssertionError, match="no action ever fired"):
        assert_holds("still.py:fine", "bounded")
    assert_holds("still.py:fine", "bounded", vacuous=True)


def test_what_is_violated(counter: Path) -> None:
    """The shortest counterexample comes back."""
    trace = assert_violated("counter.py:counter", length=3)
    assert trace is not None
    assert trace.states[-1].at == 2
    assert_violated("counter.py:counter", "small", most=3)


def test_what_is_not_violated(counter: Path) -> None:
    """The failure says what holds; of another length, what the trace is."""
    with pytest.raises(AssertionError, match=r"^bounded is not violated:\ncounter holds bounded"):
        assert_violated("counter.py:counter", "bounded")
    with pytest.raises(AssertionError, match=r"^bounded is not violated"):
        assert_violated("counter.py:counter", "small", "bounded")
    with pytest.raises(AssertionError, match="trace of 3 states, not 2:\n") as failed:
        assert_violated("counter.py:counter", "small", length=2)
    assert "step(by=" in str(failed.value)
