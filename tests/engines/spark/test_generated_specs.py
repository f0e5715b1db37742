"""Specs as a Python programmer might write them, on Spark: what it says is what CPython says."""

from __future__ import annotations

import secrets
from itertools import islice
from typing import Any

import pytest

from specmodel.behaviour.formulas import is_temporal
from specmodel.engines import interpret
from specmodel.results import Options
from tests.engines.outcomes import outcome
from tests.engines.spark.conftest import Check
from tests.fuzz.loaded import forget, load_text
from tests.fuzz.specs import spec_text
from tests.fuzz.trial import attempt


def compared(check: Check, seed: int) -> bool:
    """Compares a search of a spec, if all engines can make it; says whether they can."""
    text = spec_text(seed)
    if attempt(text, seed, full=True).kind != "agree":
        return False
    design = load_text(text)
    names = tuple(r.name for r in design.spec.properties if not is_temporal(r))
    limits: dict[str, Any] = {"keep_going": True, "max_states": 300, "properties": names}
    try:
        wanted = outcome(interpret.check, design, Options(**limits))
        found = outcome(lambda d, o: check(d, **limits), design, Options())
    finally:
        forget()
    assert found == wanted, seed
    return True


def test_a_few(check: Check) -> None:
    """The first three specs that are not refused."""
    done = filter(None, (compared(check, seed) for seed in range(1000, 1100)))
    assert len(list(islice(done, 3))) == 3


@pytest.mark.long
def test_fresh_specs(check: Check) -> None:
    """Thirty that nobody has seen."""
    first = secrets.randbelow(10**9)
    print(f"seeds from {first}")
    assert sum(compared(check, seed) for seed in range(first, first + 30)) > 5
