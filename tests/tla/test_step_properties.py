"""Step properties of TLA+ modules: evaluated once, and their code shared by all steps."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from specmodel.analysis.checking import check
from specmodel.errors import SpecError
from specmodel.kernel import program
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.search import initial_states
from specmodel.tla.symbolic.concrete import Codes
from specmodel.tla.symbolic.model import compiled_model
from specmodel.tla.symbolic.sampling import TypeFinder
from specmodel.tla.values import pairs_of
from tests.tla.oracle import RESULTS, configurations, module_of

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

TLC: dict[str, Any] = json.loads(RESULTS.read_text())

STEPPED = [path for path in configurations() if "PROPERT" in path.read_text()]
"""Configurations with properties."""


def compiled(configuration: Path) -> Any:
    """The compiled model of a configuration."""
    model: Any = load_module(module_of(configuration), configuration).spec
    finder, initial = TypeFinder(model.specification), list(initial_states(model.specification))
    finder.take(initial)
    finder.walk(initial)
    return compiled_model(finder, initial)


@pytest.mark.parametrize("configuration", STEPPED, ids=lambda path: path.stem)
def test_replaced_leaves(configuration: Path) -> None:
    """Of each step, a property that was evaluated on unknown leaves is what it is on the step's."""
    model, draw = compiled(configuration), random.Random(7)
    graphs = model.module.own
    rules = [rule for rule in model.properties if rule.role == "transition"]
    for rule in rules:
        for step in (step for steps in graphs.steps.values() for step in steps):
            after = step.effect.leaves
            once = graphs.judgement(rule.parts, after)
            again = graphs._judged(rule.parts, after, None)  # pyright: ignore[reportPrivateUsage]
            for _ in range(20):
                codes = Codes(
                    [draw.randrange(size) for size in model.module.sizes],
                    [draw.randrange(size) for size in step.sizes],
                )
                fails = [
                    max([0, *(codes.number(f.node) for f in found.failures)])
                    for found in (once, again)
                ]
                assert fails[0] == fails[1]
                assert fails[0] or codes.number(once.node) == codes.number(again.node)
    assert rules or configuration.stem not in {"Clock", "Jugs-step"}


@pytest.mark.parametrize("name", ["Clock", "Clock-minutes", "Clock-skipping", "Jugs-step"])
def test_code_for_all_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that all bindings share finds the violations, and the traces, that each one's finds."""
    path = next(path for path in configurations() if path.stem == name)
    given: dict[str, Any] = {"keep_going": True, "coverage": True}  # only compiled code counts
    own = check(load_module(module_of(path), path), **given)
    monkeypatch.setattr(program, "MOST_REPEATED", 0)
    shared = check(load_module(module_of(path), path), **given)
    assert own.engine == shared.engine == "native"
    for found in own.properties:
        assert shared[found.name].verdict == found.verdict
        assert shared[found.name].trace_length == found.trace_length
    assert (own.distinct, own.generated) == (shared.distinct, shared.generated)


@pytest.mark.parametrize("name", ["Locks-steps", "Locks-kept"])
def test_with_symmetry(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step is judged as it is, and not as one to the least state of an orbit."""
    path = next(path for path in configurations() if path.stem == name)
    evaluated = check(load_module(module_of(path), path), engine="interpret")
    monkeypatch.setattr(checking, "FIRST_STATES", 2)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    found = check(load_module(module_of(path), path), self_check="all")
    assert found.engine == "native" and found.self_check is not None and found.self_check.steps
    assert found.verdict == evaluated.verdict == TLC[name]["verdict"]
    if found.verdict == "holds":
        assert found.counts == evaluated.counts
        assert found.counts == (TLC[name]["distinct"], TLC[name]["generated"])
        return
    trace = found["Kept"].trace
    assert trace is not None and trace.length == TLC[name]["states"]
    before, after = ([*pairs_of(state.holder.value).values()] for state in trace.states[-2:])
    assert before[0] == before[1] and before != after, "one had both, and then not"


MUTUAL = """---- MODULE Mutual ----
EXTENDS Integers
VARIABLES x
RECURSIVE A(_, _)
RECURSIVE B(_, _)
A(p, n) == B(p, n - 1)
B(q, n) == IF n > 0 THEN A(q, n) ELSE q'
Init == x = 0
Next == x < 4 /\\ x' = x + 1
First == [][\\A z \\in {1} : B(z, 0) = 1]_x
Second == [][A(x, 2) = x + 1]_x
====
"""


def test_recursive_operators_that_prime_a_parameter_through_one_another(tmp_path: Path) -> None:
    """They are refused, whichever is made first: the value would be that before the step."""
    path = tmp_path / "Mutual.tla"
    path.write_text(MUTUAL)
    for asked in ("First Second", "Second First", "Second"):
        path.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\nPROPERTIES {asked}\n")
        with pytest.raises(SpecError, match="A is recursive, and primes a parameter"):
            check(load_module(path))
