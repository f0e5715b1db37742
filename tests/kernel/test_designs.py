"""Every action and property of every shipped design: the kernel finds what CPython finds.

Designs of a file share most of their functions, so one kernel is made of all that they list.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from specmodel.constants import Value
from specmodel.kernel.kernel import Kernel
from specmodel.lang.loading import load_module
from specmodel.lang.spec import Spec
from specmodel.machine import objects
from tests.kernel.reference import Reference, mixed_states, reachable_states

MODELS = Path(__file__).parents[2] / "models"
CONSTANTS: dict[str, list[dict[str, Value]]] = {
    "kafka/replication/designs.py": [
        {"replicas": 2, "max_leader_epoch": 1},
        {"observe_none": True, "unclean": True},
    ],
    "kafka/replication/history.py": [{"replicas": 2, "max_leader_epoch": 1}],
}
"""Constants other than a file's own: smaller, where kernels would compile slowly, and switches."""

Function = Callable[..., Any]
Setting = tuple[str, int, str]
"""A file, one of its settings of constants, and a state of its designs by name."""


def load(file: str, number: int) -> list[Spec]:
    constants = CONSTANTS.get(file, [{}])[number]
    return list(load_module(MODELS / file, constants).specs.values())


@cache
def found() -> list[Setting]:
    """Every kind of state of every file of designs."""
    settings: list[Setting] = []
    for path in sorted(MODELS.rglob("*.py")):
        if "binding" in path.stem:
            continue  # a file for plays, not of designs
        file = path.relative_to(MODELS).as_posix()
        for number in range(len(CONSTANTS.get(file, [{}]))):
            states = dict.fromkeys(spec.state.__name__ for spec in load(file, number))
            settings += [(file, number, state) for state in states]
    return settings


def together(specs: Iterable[Spec]) -> Spec:
    """One spec with all that some specs over the same state list."""
    first, *_ = specs = list(specs)

    def listed(name: str) -> list[Function]:
        functions = chain.from_iterable(getattr(spec, name) for spec in specs)
        return list({function.__name__: function for function in functions}.values())

    return Spec(
        state=first.state,
        init=first.init,
        actions=listed("actions"),
        invariants=listed("invariants"),
        reachable=listed("reachable"),
        transitions=listed("transitions"),
        constraints=listed("constraints"),
    )


@cache
def prepared(setting: Setting) -> tuple[Reference, list[Any]]:
    """The kernel beside the reference, and some reachable states."""
    file, number, state = setting
    spec = together(s for s in load(file, number) if s.state.__name__ == state)
    kernel = Kernel(spec, spec.properties, objects.host(level=0))
    return Reference(kernel), reachable_states(spec, 100)


@pytest.mark.parametrize("setting", found(), ids=lambda s: f"{Path(s[0]).stem}-{s[2]}-{s[1]}")
@settings(max_examples=2, deadline=None, phases=(Phase.reuse, Phase.generate))
@given(data=st.data())
def test_kernel_equals_cpython(setting: Setting, data: st.DataObject) -> None:
    """In states that a search comes to, where guards hold; anywhere in the domain, where domains
    are left and indices run out; and in between."""
    reference, near = prepared(setting)
    domain = reference.spec.domain
    places = data.draw(st.lists(st.integers(0, domain.size - 1), min_size=1, max_size=8))
    draw = random.Random(data.draw(st.integers(0, 1 << 32)))
    anywhere = [domain.at(place) for place in places]
    some = draw.sample(near, min(20, len(near)))
    reference.compare([*some, *mixed_states(reference.spec, near, 12, draw), *anywhere])
