"""Temporal properties on both engines, from the spec's Python to the trace that is reported."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from specmodel import api
from specmodel.results import SpecFailure
from tests.docs.pages import ROOT
from tests.liveness.reference import fails
from tests.liveness.systems import System, systems

HEADER = """
from typing import Annotated
from specmodel.lang import *

class S(Struct):
    at: Annotated[int, Range(0, 7)]
    pad: Annotated[int, Range(0, 3)]
    more: dict[Annotated[int, Range(0, 5)], Annotated[int, Range(0, (1 << 15) - 1)]]

@init
def start(n: Annotated[int, Range(0, 7)]) -> S:
    require(n in {initial})
    return S(at=n, pad=3, more={{k: k for k in range(6)}})

@constraint
def inside(s: S) -> bool:
    return s.pad == 3
"""

ACTION = """
@action
def act{n}(s: S, to: Annotated[int, Range(0, 7)]) -> None:
    require({steps} or s.at in {outside} and to == 7)
    s.pad = 1 if s.at in {outside} and to == 7 else 3
    s.at = to
"""

ENDING = """
def caused(s: S) -> bool:
    return s.at in {cause}

@{mark}
def goal(s: S) -> bool:
    return s.at in {goal}

spec = Spec(name="drawn", state=S, init=start, actions=[act0, act1], constraints=[inside],
            liveness=[goal], fairness=[{fairness}])
"""


def written(system: System, ending: str = ENDING) -> str:
    """A system with two bindings as a spec: a state goes to 7 only on leaving the constraint."""
    parts = [HEADER.format(initial=_tuple(system.initial))]
    for number in range(2):
        steps = [(a, b) for a, n, b in sorted(system.steps) if n == number]
        outside = _tuple(a for a, n in system.outside if n == number)
        told = " or ".join(f"(s.at == {a} and to == {b})" for a, b in steps) or "False"
        parts.append(ACTION.format(n=number, steps=told, outside=outside))
    mark = f"{system.role}(when=caused)" if system.role == "leads_to" else system.role
    fair = ", ".join(
        f"{c.strength}({', '.join(f'act{n}' for n in sorted(c.bindings))})" for c in system.fairness
    )
    parts.append(
        ending.format(
            mark=mark, goal=_tuple(system.goal), cause=_tuple(system.cause), fairness=fair
        )
    )
    return "".join(parts)


def _tuple(states: Iterable[int]) -> str:
    return f"({', '.join(map(str, [*sorted(states), 9, 9]))})"  # 9 is no state: never empty


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(system=systems(bindings=2), workers=st.sampled_from([1, 2]))
def test_engines_agree_with_the_definition(system: System, workers: int, tmp_path: Path) -> None:
    """The same verdict, and the same behaviour to the state, from packed words and from CPython."""
    file = tmp_path / "drawn.py"
    file.write_text(written(system), encoding="utf-8")
    native = api.check(f"{file}:spec", workers=workers)
    slow = api.check(f"{file}:spec", engine="interpret")
    event(f"{system.role}: {native.verdict}")
    assert native.verdict == ("violated" if fails(system) else "holds")
    ours, theirs = native["goal"], slow["goal"]
    assert (ours.verdict, repr(ours.trace), repr(ours.lasso)) == (
        theirs.verdict,
        repr(theirs.trace),
        repr(theirs.lasso),
    )


FAILING = """
from typing import Annotated
from specmodel.lang import *

class S(Struct):
    held: Annotated[list[Annotated[int, Range(0, 3)]], Capacity(2)]

@init
def start() -> S:
    return S(held=[1])

@action
def add(s: S) -> None:
    require(len(s.held) < 2)
    s.held.append(0)

@action
def clear(s: S) -> None:
    s.held.clear()

@eventually
def first_is_three(s: S) -> bool:
    return s.held[0] == 3

spec = Spec(name="failing", state=S, init=start, actions=[add, clear], liveness=[first_is_three])
"""


@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_a_property_that_fails_is_reported_with_the_way_there(engine: str, tmp_path: Path) -> None:
    """The spec's own mistake, at its place, in the least state of the first level that has one."""
    file = tmp_path / "failing.py"
    file.write_text(FAILING, encoding="utf-8")
    with pytest.raises(SpecFailure, match="list index out of range") as failed:
        api.check(f"{file}:spec", engine=engine)
    assert failed.value.where == "first_is_three"
    assert failed.value.span is not None
    assert failed.value.span.text() == "s.held[0]"
    assert failed.value.trace is not None
    assert [str(step) for step in failed.value.trace.steps] == ["clear()"]


@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_a_limit_in_time_decides_nothing(engine: str) -> None:
    """Neither a verdict nor a complaint, if there was no time to look at the graph."""
    result = api.check(
        str(ROOT / "tests/specs/shared_lock.py:patient"), engine=engine, timeout=1e-9
    )
    assert (result.complete, result.stopped) == (False, "timeout")
    assert {p.verdict for p in result.properties} == {"incomplete"}


def test_no_initial_state_within_the_constraints(tmp_path: Path) -> None:
    """Nothing happens, so nothing fails."""
    file = tmp_path / "nowhere.py"
    system = """
from typing import Annotated
from specmodel.lang import *

class S(Struct):
    at: Annotated[int, Range(0, 3)]

@init
def start() -> S:
    return S(0)

@action
def go(s: S) -> None:
    s.at = (s.at + 1) % 4

@constraint
def inside(s: S) -> bool:
    return s.at > 0

@{role}
def goal(s: S) -> bool:
    return s.at == 1

spec = Spec(state=S, init=start, actions=[go], constraints=[inside], liveness=[goal],
            fairness=[weak(go)])
"""
    for role in ("eventually", "always_eventually", "eventually_always"):
        file.write_text(system.format(role=role), encoding="utf-8")
        for engine in ("interpret", "native"):
            result = api.check(file, engine=engine)
            assert (result.verdict, result.distinct) == ("holds", 0), (role, engine)
