"""Specs, design files, traces and command lines with something wrong in them, by a seed."""

from __future__ import annotations

import pytest

from tests.faults.mutants import KINDS, Ended, tried, workplace


@pytest.mark.parametrize("kind", KINDS)
def test_some_mutants(kind: str) -> None:
    """Each ends in a result or a message; `python -m tests.faults.mutants` tries many more."""
    with workplace():
        for which, ended in tried(kind, 20, seed=7):
            assert not ended.wrong, f"{kind} {which}: {ended.wrong}: {ended}"


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutants(kind: str) -> None:
    """The same for the number of each that docs/internals/faults.md gives."""
    with workplace():
        for which, ended in tried(kind, 300, seed=1):
            assert not ended.wrong, f"{kind} {which}: {ended.wrong}: {ended}"


@pytest.mark.parametrize(
    "ended",
    [
        Ended((), None, "", "ValueError: x"),
        Ended((), 120, "", ""),
        Ended((), 2, "", " "),
        Ended((), 1, "", "Traceback (most recent call last):"),
        Ended((), 2, "", "error: internal error: x"),
        Ended((), 2, "", "error: \x1b[31m"),
        Ended((), 2, "", "error: " + "x" * 30_000),
    ],
)
def test_what_is_wrong_is_seen(ended: Ended) -> None:
    """The judge of a mutant is not blind."""
    assert ended.wrong
    assert not Ended((), 2, "", "error: no such file").wrong
