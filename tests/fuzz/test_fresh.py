"""A few specs that nobody has seen, at each run of the tests: their seeds are printed."""

from __future__ import annotations

import secrets

import pytest

from tests.fuzz.specs import spec_text
from tests.fuzz.trial import attempt
from tests.fuzz.verdict import Verdict


def fresh(count: int, searched: int) -> dict[int, Verdict]:
    """What differs or ends in an internal error among fresh specs, some of them searched whole."""
    first = secrets.randbelow(10**9)
    print(f"seeds from {first}")
    found = {
        seed: attempt(spec_text(seed), seed, full=seed < first + searched)
        for seed in range(first, first + count)
    }
    return {seed: verdict for seed, verdict in found.items() if verdict.bad}


@pytest.mark.long
def test_fresh_specs() -> None:
    """No silent difference and no internal error; `python -m tests.fuzz --seed` makes it small."""
    assert fresh(60, searched=6) == {}


@pytest.mark.long
def test_many_fresh_specs() -> None:
    """As above, at leisure."""
    assert fresh(4000, searched=200) == {}
