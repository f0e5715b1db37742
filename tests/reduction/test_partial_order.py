"""A search that leaves out orders of steps finds what one of all orders does."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import event, given

from specmodel import check, load
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.base.partial_order import STATE_ROLES
from specmodel.errors import UsageError
from specmodel.lang.loading import load_module
from specmodel.results import Options, SpecFailure, Trace
from tests.engines.outcomes import said
from tests.engines.test_equal import designs
from tests.engines.test_equal import load as load_small
from tests.random_specs import few, many, refusals_allowed, spec_sources
from tests.reduction.systems import system_sources

WORKSHOP = """
from typing import Annotated
from specmodel.lang import Range, ScalarSet, Set, Spec, Struct, action, init, invariant, require


class Worker(ScalarSet, size=5, prefix="w"):
    "Works alone, then hands in."


class State(Struct):
    at: dict[Worker, Annotated[int, Range(0, 4)]]
    done: Set[Worker]


@init
def start() -> State:
    return State(at={w: 0 for w in Worker}, done=set())


@action
def work(s: State, w: Worker) -> None:
    require(s.at[w] < 4)
    s.at[w] += 1


@action
def hand_in(s: State, w: Worker) -> None:
    require(s.at[w] == 4 and w not in s.done)
    s.done |= {w}


@action
def again(s: State, w: Worker) -> None:
    require(s.at[w] == 3)
    s.at[w] = 0


@invariant
def not_all(s: State) -> bool:
    return len(s.done) < 5


@invariant
def in_time(s: State) -> bool:
    return sum(s.at[w] for w in Worker) < 20


once = Spec(state=State, init=start, actions=[work, hand_in], invariants=[not_all])
round_and_round = once.adding("round_and_round", actions=[again])
watched = Spec(state=State, init=start, actions=[work], invariants=[in_time])
"""


def assert_same(design: Design) -> int:
    """Verdicts with and without, for any number of workers; traces are real.

    Gives how many states could do with fewer steps.
    """
    names = tuple(rule.name for rule in design.spec.properties if rule.role in STATE_ROLES)
    limits = Options(properties=names, keep_going=True, deadlock=True, max_states=20_000)
    plain = native.check(design, limits)
    if not plain.complete:
        return 0
    options = Options(properties=names, keep_going=True, deadlock=True, partial_order=True)
    found = native.check(design, options)
    assert found.complete and found.counts[0] <= plain.counts[0]
    assert {a for a, n in found.coverage.items() if n} == {
        a for a, n in plain.coverage.items() if n
    }
    for ours, theirs in zip(found.properties, plain.properties, strict=True):
        assert (ours.name, ours.verdict) == (theirs.name, theirs.verdict)
        assert (ours.trace is None) == (theirs.trace is None)
        if ours.trace:
            assert_shows(design, ours.name, ours.trace)
    assert said(native.check(design, Options(**{**vars(options), "workers": 2}))) == said(found)
    assert found.reduced is not None
    return found.reduced


def assert_shows(design: Design, name: str, trace: Trace) -> None:
    """A trace is one of the spec's behaviours, and ends with what it is a trace to."""
    interpreter = Interpreter(design.spec)
    assert trace.states[0] in list(interpreter.initial())
    for before, after in zip(trace.states, trace.states[1:], strict=False):
        assert after in [state for _, state in interpreter.successors(before)]
    rules = {rule.name: rule for rule in design.spec.properties}
    if name in rules:
        wanted = rules[name].role == "reachable"
        assert interpreter.holds(rules[name], trace.states[-1]) == wanted
    else:
        assert not list(interpreter.successors(trace.states[-1]))


def compare(text: str) -> None:
    """A random spec with and without; where it fails, both fail."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        design = Design("random", load_module(file).spec("spec"), {})
        with refusals_allowed():
            try:
                # Past violations, or it might end before the spec fails.
                native.check(design, Options(max_states=20_000, keep_going=True))
            except SpecFailure:
                with pytest.raises(SpecFailure):
                    native.check(design, Options(partial_order=True, keep_going=True))
                return
            event("some steps left out" if assert_same(design) else "all steps needed")


@few(25)
@given(system_sources())
def test_systems(text: str) -> None:
    """Small systems made for it: a third of them can do with fewer steps."""
    compare(text)


@pytest.mark.long
@many(2000)
@given(system_sources())
def test_many_systems(text: str) -> None:
    """As above, at leisure."""
    compare(text)


@pytest.mark.long
@many(200)
@given(spec_sources())
def test_random_specs(text: str) -> None:
    """Specs that use the whole language; many of them fail."""
    compare(text)


@pytest.mark.parametrize(("file", "name"), [d for d in designs() if d[1] not in ("tour",)])
def test_designs(file: str, name: str) -> None:
    """Every shipped design in the small. Those with state constraints are refused."""
    design = load_small(file, name)
    if design.spec.bounds:
        with pytest.raises(UsageError, match="state constraints"):
            assert_same(design)
    else:
        assert_same(design)


def workshop(folder: Path, name: str) -> Design:
    """A design of the workshop."""
    file = folder / "workshop.py"
    file.write_text(WORKSHOP, encoding="utf-8")
    return Design(name, load_module(file).spec(name), {})


def test_independent_steps(tmp_path: Path) -> None:
    """Workers that do not meet need be looked at one after the other: 26 states, not 7,776."""
    design = workshop(tmp_path, "once")
    plain = check(design, keep_going=True)
    found = check(design, keep_going=True, partial_order=True)
    assert (plain.distinct, plain.verdict, plain.reduced) == (7_776, "violated", None)
    assert found.verdict == "violated" and found.counts[0] < 100 and found.reduced


def test_nobody_is_put_off_for_ever(tmp_path: Path) -> None:
    """One who goes round in circles does not keep the others from ever being looked at."""
    assert_same(workshop(tmp_path, "round_and_round"))


def test_what_is_looked_at_is_not_left_out(tmp_path: Path) -> None:
    """Where each step changes what a property looks at, all orders count."""
    design = workshop(tmp_path, "watched")
    plain = check(design, keep_going=True)
    found = check(design, keep_going=True, partial_order=True)
    assert (found.distinct, found.reduced) == (plain.distinct, 0)


def test_what_it_cannot_be_used_with() -> None:
    """Each is refused with the reason."""
    design = load("two-phase-commit")
    with pytest.raises(UsageError, match=r"cannot help with final.*--invariant"):
        check(design, partial_order=True)
    with pytest.raises(UsageError, match="choose one"):
        check(design, partial_order=True, symmetry=True, properties=["agreement"])
    with pytest.raises(UsageError, match="native engine only"):
        check(design, partial_order=True, engine="interpret", properties=["agreement"])
