"""What can be weakened in a design, and that weakening drops one condition and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.analysis.rules import Condition, conditions, replaced, replacements
from specmodel.api import check, load
from specmodel.design import Design
from specmodel.errors import Disabled
from specmodel.ir.digest import digest
from specmodel.suite.targets import load_target, spec_of, target_of
from tests.written import written

PARTS = '''
class Actor(ScalarSet, size=2, symmetric=True):
    """Whoever acts."""

class State(Struct):
    at: dict[Actor, Annotated[int, Range(0, 3)]]
    free: bool

def low(s: State, a: Actor) -> bool:
    """Not far yet."""
    return s.at[a] < 2 and (
        s.at[a] >= 0
        and s.free
    )

def ready(s: State, a: Actor) -> bool:
    return low(s, a) and s.at[a] != 3

def guarded(s: State, a: Actor) -> None:
    require(s.free and s.at[a] < 3)
'''

WHOLE = """
from ..shared.parts import Actor, State, guarded, low, ready

@init
def zero() -> State:
    return State(at={a: 0 for a in Actor}, free=True)

@action
def step(s: State, a: Actor) -> None:
    require(
        ready(s, a)
    )
    guarded(s, a)
    s.at[a] += 1

@action
def leap(s: State, a: Actor) -> None:
    guarded(s, a)
    require(all(s.at[b] < 2 and low(s, b) for b in Actor) and not s.at[a] > 1)
    s.at[a] += 1

@action
def limp(s: State, a: Actor) -> None:
    require(s.at[a] < 1)
    s.at[a] += 1

@action
def rest(s: State, a: Actor) -> None:
    s.at[a] = 0

@invariant
def all_low(s: State) -> bool:
    return all(low(s, a) or s.at[a] == 2 for a in Actor)

spec = Spec(state=State, init=zero, actions=[step, leap], invariants=[all_low])
slow = spec.replacing("slow", leap=limp)
slower = slow.replacing("slower", step=leap)
restful = spec.replacing("restful", leap=limp).adding("restful", actions=[rest])
"""


@pytest.fixture
def design(tmp_path: Path) -> Design:
    """A spec with predicates in a file of another folder."""
    for folder in ("shared", "own"):
        (tmp_path / folder).mkdir()
    written(tmp_path / "shared", PARTS, "parts.py")
    file = written(tmp_path / "own", WHOLE, "whole.py")
    return load(f"{file}:spec")


def without(design: Design, condition: Condition) -> Design:
    return load_target(target_of(design), design.values, edits=condition.edits)


def test_conditions_are_the_conjuncts(design: Design) -> None:
    """Conjuncts of guards, in predicates and quantifiers, and of helpers: each once, in order."""
    found = [(c.function, c.actions, c.depth, c.text, c.within) for c in conditions(design.spec)]
    assert found == [
        ("step", ("step",), 0, "ready(s, a)", ""),
        ("step", ("step",), 1, "low(s, a)", "ready"),
        ("step", ("step",), 2, "s.at[a] < 2", "low"),
        ("step", ("step",), 2, "s.at[a] >= 0", "low"),
        ("step", ("step",), 2, "s.free", "low"),
        ("step", ("step",), 1, "s.at[a] != 3", "ready"),
        ("guarded", ("step", "leap"), 0, "s.free", ""),
        ("guarded", ("step", "leap"), 0, "s.at[a] < 3", ""),
        ("leap", ("leap",), 0, "all(s.at[b] < 2 and low(s, b) for b in Actor)", ""),
        ("leap", ("leap",), 1, "s.at[b] < 2", ""),
        ("leap", ("leap",), 1, "low(s, b)", ""),
        ("leap", ("leap",), 2, "s.at[a] < 2", "low"),
        ("leap", ("leap",), 2, "s.at[a] >= 0", "low"),
        ("leap", ("leap",), 2, "s.free", "low"),
        ("leap", ("leap",), 0, "not s.at[a] > 1", ""),
    ]


def test_each_condition_is_dropped_from_its_own_guard(design: Design) -> None:
    """The changed source means the guard without the condition, to both engines alike."""
    intact = check(design, engine="interpret", keep_going=True).coverage
    idle: list[tuple[str, str, int]] = []
    for condition in conditions(design.spec):
        changed = without(design, condition)
        interpreted, native = (
            check(changed, engine=engine, keep_going=True) for engine in ("interpret", "native")
        )
        assert (interpreted.distinct, interpreted.coverage) == (native.distinct, native.coverage)
        if interpreted.coverage == intact:
            idle.append((condition.function, condition.text, condition.depth))
        elif condition.text == "s.at[a] < 2" and condition.function == "step":
            assert interpreted.coverage["step"] > intact["step"]
    assert idle == [
        ("step", "s.at[a] >= 0", 2),
        ("step", "s.free", 2),
        ("step", "s.at[a] != 3", 1),
        ("guarded", "s.free", 0),
        ("guarded", "s.at[a] < 3", 0),
        ("leap", "s.at[b] < 2", 1),
        ("leap", "low(s, b)", 1),
        ("leap", "s.at[a] < 2", 2),
        ("leap", "s.at[a] >= 0", 2),
        ("leap", "s.free", 2),
        ("leap", "not s.at[a] > 1", 0),
    ]


def test_a_predicate_stays_whole_for_all_others(design: Design) -> None:
    """Dropping part of one from a guard changes neither the invariant nor another guard."""
    part = next(c for c in conditions(design.spec) if (c.depth, c.text) == (2, "s.at[a] < 2"))
    changed = without(design, part)
    spec = spec_of(changed.spec)
    state = spec.init()
    actor = next(iter(state.at))
    state.at[actor] = 3
    step, leap = spec.actions
    with pytest.raises(Disabled):
        leap(state, actor)
    assert not spec.invariants[0](state)
    state.at[actor] = 2
    step(state, actor)
    assert state.at[actor] == 3


def test_lines_keep_their_numbers(design: Design) -> None:
    """A condition over several lines leaves the lines below it where they are."""
    whole = next(c for c in conditions(design.spec) if c.text == "ready(s, a)")
    changed = without(design, whole)
    for before, after in zip(design.spec.rules, changed.spec.rules, strict=True):
        assert before.span and after.span
        assert before.span.line == after.span.line


def test_columns_are_characters(tmp_path: Path) -> None:
    """Text beyond ASCII in front of a condition does not shift what is dropped."""
    text = PARTS.replace("require(s.free and s.at[a] < 3)", "require(len('é') == 1 and s.free)")
    body = WHOLE.replace("from ..shared.parts import Actor, State, guarded, low, ready\n", "")
    file = written(tmp_path, text + body)
    found = [c for c in conditions(load(f"{file}:spec").spec) if c.function == "guarded"]
    assert [c.text for c in found] == ["len('é') == 1", "s.free"]


def test_replacements_follow_the_designs_of_the_file(design: Design) -> None:
    """An action is replaced by what stands in its place anywhere, alone or with its company."""
    found = [(r.old, r.new, r.added) for r in replacements(design.spec)]
    assert found == [
        ("step", "limp", ()),
        ("leap", "limp", ()),
        ("leap", "limp", ("rest",)),
    ]
    made = replaced(design.spec, replacements(design.spec)[-1])
    assert [rule.name for rule in made.rules] == ["step", "limp", "rest"]


def test_every_condition_of_the_shipped_designs_can_be_dropped() -> None:
    """Each change loads, and changes what is lowered: edits get no guard of theirs wrong."""
    for name in ("both-epochs", "kip497", "two-phase-commit"):
        design = load(name)
        intact = digest(design.spec.code)
        for condition in conditions(design.spec):
            assert digest(without(design, condition).spec.code) != intact, condition
