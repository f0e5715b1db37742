"""Memory that is fetched before something is measured."""

from __future__ import annotations

import resource
import subprocess
from typing import Any

import pytest

from benchmarks import memory
from benchmarks.memory import BASE, PER_STATE, have_at_hand


def test_it_is_written_to_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that fetches it holds it all at once, for the states that are expected too."""
    monkeypatch.setattr(memory, "BASE", 64 << 20)
    monkeypatch.setattr(memory, "PER_STATE", 1 << 20)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    have_at_hand(16)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10 >= 80 << 20
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt > before


def test_no_more_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that may need more than the machine has does not bring it down."""
    asked: list[int] = []

    def note(command: list[str], **_: Any) -> None:
        asked.append(int(command[-1]))

    monkeypatch.setattr(subprocess, "run", note)
    have_at_hand(0)
    have_at_hand(1 << 50)
    assert asked[0] == BASE < asked[1] < PER_STATE << 50
