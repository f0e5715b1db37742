"""The same kernel on machines with narrower vectors gives the same bits."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from specmodel.constants import Value
from specmodel.kernel.context import Context
from specmodel.kernel.kernel import Kernel
from specmodel.lang.loading import load_module
from specmodel.lang.spec import Spec
from specmodel.machine import objects
from tests.kernel.reference import Words, columns_of, mixed_states, reachable_states

ROOT = Path(__file__).parents[2]
SPECS: list[tuple[Path, str, dict[str, Value]]] = [
    (ROOT / "models" / "kafka" / "replication" / "designs.py", "truncate_to_hw", {"replicas": 2}),
    (ROOT / "tests" / "specs" / "tour.py", "tour", {"most": 1}),
]
TARGETS = [
    objects.Target("x86-64", "", level=0),
    objects.Target("x86-64-v3", ""),
]


def runs_here(target: objects.Target) -> bool:
    """Whether this machine has what a target's code uses."""
    features = objects.host().features
    return "+sse2" in features and (target.cpu != "x86-64-v3" or "+avx2" in features)


def found(kernel: Kernel, packed: list[Words]) -> tuple[list[Words], list[int], list[object]]:
    """Everything a kernel says of some states."""
    context = kernel.context()
    successors = kernel.successors(packed, context)
    columns, width = columns_of(packed)
    kernel.check(columns, width, 0, len(packed), context.address)
    return successors, context.fired(), findings(context)


def findings(context: Context) -> list[object]:
    return [context.finding(record) for record in range(context.layout.records)]


def states_of(spec: Spec, kernel: Kernel) -> list[Words]:
    draw = random.Random(7)
    near = reachable_states(spec, 150)
    domain = spec.domain
    anywhere = [domain.at(draw.randrange(domain.size)) for _ in range(150)]
    mixed = mixed_states(spec, near, 300, draw)
    return [kernel.program.layout.pack(s) for s in [*near, *mixed, *anywhere]]


@pytest.mark.parametrize(("file", "name", "constants"), SPECS, ids=[spec[1] for spec in SPECS])
def test_targets_agree(file: Path, name: str, constants: dict[str, Value]) -> None:
    """Successors, counters and findings, bit by bit."""
    spec = load_module(file, constants).spec(name)
    own = Kernel(spec, spec.properties)
    packed = states_of(spec, own)
    wanted = found(own, packed)
    assert len(wanted[0]) > 500
    for target in filter(runs_here, TARGETS):
        assert found(Kernel(spec, spec.properties, target), packed) == wanted, target
