"""Kernels of random specs, and of one that has everything in the language, against CPython."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from specmodel.kernel.kernel import Kernel
from specmodel.lang.loading import load_module
from specmodel.lang.spec import Spec
from specmodel.machine import objects
from tests.kernel.reference import Reference, mixed_states, reachable_states
from tests.random_specs import few, refusals_allowed, spec_sources

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"

FAST = objects.host(level=0)
"""Compiled with hardly any optimisation: what is tested is what the kernel says."""


def compare(spec: Spec, count: int, seed: int) -> None:
    """Compares a kernel with CPython in reachable, mixed and random states."""
    reference = Reference(Kernel(spec, spec.properties, FAST))
    draw = random.Random(seed)
    near = reachable_states(spec, count)
    domain = spec.domain
    anywhere = [domain.at(draw.randrange(domain.size)) for _ in range(count)]
    reference.compare([*near, *mixed_states(spec, near, count, draw), *anywhere])


def compare_random_spec(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        with refusals_allowed():
            compare(load_module(file).spec("spec"), 10, 5)


@few(12)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """A few random specs: compiling is what takes time here."""
    compare_random_spec(text)


@pytest.mark.long
@few(500)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, at leisure."""
    compare_random_spec(text)


def test_every_construct() -> None:
    """Six words a state, sets of structs, lists of structs, references, failures, constraints."""
    compare(load_module(TOUR).spec("tour"), 60, 6)
