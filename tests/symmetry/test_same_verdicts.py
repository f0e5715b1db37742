"""A symmetric search of the shipped designs: the same verdicts, real traces, known orbit counts."""

from __future__ import annotations

from typing import Any

import pytest

from specmodel import check, load
from specmodel.behaviour.formulas import is_temporal
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.engines import interpret, native
from specmodel.errors import UsageError
from specmodel.results import Options, Trace
from tests.engines.outcomes import outcome
from tests.engines.test_equal import MEDIUM, WORKERS, designs
from tests.engines.test_equal import load as load_small


def symmetric_designs() -> list[tuple[str, str]]:
    """Files and specs; the tour of the language tells its actors apart on purpose."""
    return [(file, name) for file, name in designs() if name != "tour"]


@pytest.mark.parametrize(("file", "name"), symmetric_designs())
def test_designs(file: str, name: str) -> None:
    """Every shipped design in the small: what a search without symmetry finds."""
    assert_same_verdicts(load_small(file, name))


@pytest.mark.parametrize(
    ("file", "name"), [d for d in symmetric_designs() if "replication/designs" not in d[0]]
)
def test_engines(file: str, name: str) -> None:
    """Both engines, with states outside of constraints and dead ends."""
    compare_engines(file, name)


@pytest.mark.long
@pytest.mark.parametrize(("file", "name"), symmetric_designs())
def test_engines_at_length(file: str, name: str) -> None:
    """Both engines on every design."""
    compare_engines(file, name)


def compare_engines(file: str, name: str) -> None:
    """The same outcome from both engines, whatever the number of workers."""
    design = load_small(file, name)
    wanted = outcome(interpret.check, design, everything(design, symmetry=True))
    for workers in WORKERS[:2]:
        options = everything(design, symmetry=True, workers=workers)
        assert outcome(native.check, design, options) == wanted, workers


def everything(design: Design, **more: Any) -> Options:
    """Every property but temporal ones, which a symmetric search refuses, and dead ends."""
    names = tuple(rule.name for rule in design.spec.properties if not is_temporal(rule))
    return Options(properties=names, keep_going=True, deadlock=True, **more)


def assert_same_verdicts(design: Design) -> None:
    """With and without symmetry: verdicts, depth, trace lengths; and the traces are real."""
    plain = native.check(design, everything(design))
    found = native.check(design, everything(design, symmetry=True))
    assert (found.verdict, found.depth, found.complete) == (plain.verdict, plain.depth, True)
    assert found.counts[0] <= plain.counts[0]
    assert {a for a, n in found.coverage.items() if n} == {
        a for a, n in plain.coverage.items() if n
    }
    for ours, theirs in zip(found.properties, plain.properties, strict=True):
        assert (ours.name, ours.verdict) == (theirs.name, theirs.verdict)
        assert ours.trace_length == theirs.trace_length
        if ours.trace:
            assert_real(design, ours.trace)
            assert_shows(design, ours.name, ours.trace)


def assert_real(design: Design, trace: Trace) -> None:
    """A trace starts in an initial state, and each step leads from a state to the next."""
    interpreter = Interpreter(design.spec)
    assert trace.states[0] in list(interpreter.initial())
    for before, step, after in zip(trace.states, trace.steps, trace.states[1:], strict=False):
        assert any(
            interpreter.step(number) == step and state == after
            for number, state in interpreter.successors(before)
        )


def assert_shows(design: Design, name: str, trace: Trace) -> None:
    """A trace ends with what it is a trace to."""
    interpreter = Interpreter(design.spec)
    rules = {rule.name: rule for rule in design.spec.properties}
    if name not in rules:
        assert not list(interpreter.successors(trace.states[-1]))
        return
    shown = trace.states[-2:] if rules[name].role == "transition" else trace.states[-1:]
    assert interpreter.holds(rules[name], *shown) == (rules[name].role == "reachable")


MEDIUM_OPTIONS: list[dict[str, Any]] = [
    {},
    {"deadlock": True},
    {"properties": ("strong_isr", "weak_isr"), "keep_going": True},
    {"keep_going": True, "max_depth": 9},
    {"keep_going": True, "max_states": 500},
]


@pytest.mark.parametrize("given", MEDIUM_OPTIONS, ids=str)
def test_options(given: dict[str, Any]) -> None:
    """Where a symmetric search stops, and the trace it gives, do not depend on who searches."""
    design = load_small(*MEDIUM)
    wanted = outcome(interpret.check, design, Options(**given, symmetry=True))
    for workers in WORKERS:
        options = Options(**given, symmetry=True, workers=workers)
        assert outcome(native.check, design, options) == wanted, workers


@pytest.mark.parametrize("name", ["two-phase-commit", "two-phase-commit-impatient"])
def test_three_actors(name: str) -> None:
    """Both engines with six renamings."""
    design = load(name)
    options = Options(keep_going=True, deadlock=True, symmetry=True)
    wanted = outcome(interpret.check, design, options)
    assert outcome(native.check, design, options) == wanted


ORBITS = [
    ("kip320", {"max_leader_epoch": 1}, 6_713, 22),
    ("kip320", {}, 123_311, 26),
    ("two-phase-commit", {"participants": 3}, 80, 11),
]


@pytest.mark.parametrize(("name", "constants", "orbits", "depth"), ORBITS)
def test_known_counts(name: str, constants: dict[str, Any], orbits: int, depth: int) -> None:
    """Orbit counts, those of kip320 found by other programs as well."""
    result = check(name, symmetry=True, **constants)
    assert (result.distinct, result.depth) == (orbits, depth)
    assert result.complete and result.verdict == "holds" and len(result.symmetry) == 1


def test_three_replicas_violated() -> None:
    """A counterexample among three replicas is as short as without symmetry, and real."""
    design = load("kip101")
    plain, found = check(design), check(design, symmetry=True)
    for ours, theirs in zip(found.properties, plain.properties, strict=True):
        assert (ours.verdict, ours.trace_length) == (theirs.verdict, theirs.trace_length)
        if ours.trace:
            assert_real(design, ours.trace)
            assert_shows(design, ours.name, ours.trace)


def test_no_symmetric_set() -> None:
    """What is not declared symmetric is not searched so."""
    with pytest.raises(UsageError, match="has no symmetry"):
        check("metadata-kip320", symmetry=True)


def test_many_renamings() -> None:
    """Six participants, 720 renamings."""
    plain = check("two-phase-commit", participants=6)
    found = check("two-phase-commit", participants=6, symmetry=True)
    assert (found.verdict, found.depth) == (plain.verdict, plain.depth)
    assert found.counts[0] < plain.counts[0] / 50
