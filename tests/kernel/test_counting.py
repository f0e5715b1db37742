"""The native counts of a spec's points are those of its code run case by case."""

from __future__ import annotations

import ctypes
import random
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from specmodel.behaviour.steps import Interpreter
from specmodel.ir.point_counter import PointCounter
from specmodel.ir.points import Points
from specmodel.kernel.counter import load_counter
from specmodel.kernel.program import Program
from specmodel.lang.loading import load_module
from specmodel.lang.spec import Spec
from specmodel.results import SpecFailure
from tests.kernel.reference import columns_of, mixed_states, reachable_states
from tests.random_specs import few, many, refusals_allowed, spec_sources

ROOT = Path(__file__).parents[2]

_COUNT = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 2])
"""Machine code that counts states of a batch: where they lie, their stride and number."""


def assert_counts(spec: Spec, states: Sequence[Any]) -> None:
    """Asserts that states count alike natively and one by one.

    States in which the spec fails are left out: a search ends there.
    """
    interpreter = Interpreter(spec)
    fine = [state for state in states if _fine(interpreter, state)]
    if not fine:
        return
    program = Program(spec, spec.properties)
    points = Points(program.model, program.model.actions, [r.name for r in spec.properties])
    interpreted, counter = PointCounter(points), load_counter(program, points)
    for state in fine:
        for rule, arguments in interpreter.bindings:
            interpreted.action(rule.name, state, arguments)
        for _, after in interpreter.successors(state):
            for rule in spec.properties:
                if rule.role == "transition":
                    interpreted.property(rule.name, state, after)
        for rule in spec.properties:
            if rule.role != "transition":
                interpreted.property(rule.name, state)
    columns, width = columns_of([program.layout.pack(state) for state in fine])
    totals = [counter.totals(), counter.totals()]
    half = len(fine) // 2 // 8 * 8  # a batch starts at a multiple of LANES
    address = ctypes.addressof(columns)
    count_steps = _COUNT(counter.steps_address)
    for total, start, number in ((totals[0], 0, half), (totals[1], half, len(fine) - half)):
        count_steps(address + start * 8, width, number, *total.at)
        total.states(address + start * 8, width, number)
    counts = counter.counts(totals)
    for name in ("reached", "false", "alone"):
        assert getattr(counts, name) == getattr(interpreted.counts, name), name


def _fine(interpreter: Interpreter, state: Any) -> bool:
    try:
        after = [found for _, found in interpreter.successors(state)]
        for rule in interpreter.spec.properties:
            for states in product([state], after) if rule.role == "transition" else [(state,)]:
                interpreter.holds(rule, *states)
    except SpecFailure:
        return False
    return True


FILES = {
    "models/kafka/replication/designs.py": {"replicas": 2, "max_leader_epoch": 1},
    "models/kafka/async_isr/designs.py": {"replicas": 2},
    "models/kafka/metadata/designs.py": {},
    "models/kafka/consumer/designs.py": {"max_records": 1, "max_leader_epoch": 1},
    "models/examples/two_phase_commit.py": {"participants": 2},
    "tests/specs/tour.py": {"most": 1},
}


@pytest.mark.parametrize("file", FILES)
def test_designs(file: str) -> None:
    """Some designs of each family, on states they reach and on others."""
    loaded = load_module(ROOT / file, FILES[file])
    for name in sorted(loaded.specs)[:: -(-len(loaded.specs) // 2)]:
        spec = loaded.spec(name)
        near = reachable_states(spec, 60)
        assert_counts(spec, near + mixed_states(spec, near, 60, random.Random(name)))


DEFAULT = """
from __future__ import annotations
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, init


class State(Struct):
    n: Annotated[int, Range(0, 3)]


@init
def start() -> State:
    return State(0)


@action
def act(s: State) -> None:
    s.n = max((x for x in range(s.n)), default=1 if s.n > 1 else 0)


spec = Spec(state=State, init=start, actions=[act])
"""


def test_a_default_runs_before_the_elements() -> None:
    """Both arms of the default count, though the first is met only where there are elements."""
    assert_random_spec(DEFAULT)


WITHOUT_A_GUARD = """
from __future__ import annotations
from typing import Annotated
from specmodel.lang import Capacity, Range, Spec, Struct, action, init, require


class Ask(Struct):
    x: Annotated[int, Range(0, 3)]


class Grant(Struct):
    y: Annotated[int, Range(0, 3)]


Message = Ask | Grant
Key = Annotated[int, Range(0, 3)]


class State(Struct):
    m: Message
    n: Key | None
    k: Key
    held: Annotated[dict[Key, bool], Capacity(1)]


@init
def start() -> State:
    return State(Ask(1), None, 0, {})


@action
def act(s: State) -> None:
    BODY


spec = Spec(state=State, init=start, actions=[act])
"""


@pytest.mark.parametrize(
    "body",
    {
        "a member of another class": "require(isinstance(s.m, Ask)); require(s.m.x > 2)",
        "None": "require(s.n is not None); require(s.n > 2)",
        "a full map": "require(False); s.held[2] = True; require(s.k > 2)",
        "a key the map lacks": "require(3 in s.held); require(s.held[3])",
    }.items(),
    ids=lambda held: held[0],
)
def test_what_a_guard_prevents(body: tuple[str, str]) -> None:
    """Where a guard alone prevents the spec from failing, the later guards are not asked."""
    assert_random_spec(WITHOUT_A_GUARD.replace("BODY", body[1]))


@few(8)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """Random small specs."""
    assert_random_spec(text)


@pytest.mark.long
@many(300)
@given(spec_sources())
def test_many_random_specs(text: str) -> None:
    """As above, at leisure."""
    assert_random_spec(text)


def assert_random_spec(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        spec = load_module(file).spec("spec")
        near = reachable_states(spec, 40)
        with refusals_allowed():
            assert_counts(spec, near + mixed_states(spec, near, 60, random.Random(0)))
