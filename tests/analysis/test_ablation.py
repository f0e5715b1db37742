"""Ablation: what each rule is good for, and the verdicts known for KIP-320."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from specmodel.analysis.ablation import Ablation, ablate, planned
from specmodel.analysis.rules import Condition
from specmodel.analysis.searches import SearchLimits, search
from specmodel.api import load
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError
from specmodel.suite.targets import target_of
from tests.written import written

TEXT = """
far = constant("far", 5, low=1, high=9)

class State(Struct):
    at: Annotated[int, Range(0, 9)]
    back: bool

@init
def zero() -> State:
    return State(0, False)

@action
def forth(s: State) -> None:
    require(s.at < far and s.at != 8)
    require(s.at < 9)
    s.at += 1

@action
def turn(s: State) -> None:
    require(not s.back)
    s.back = True

@invariant
def near(s: State) -> bool:
    return s.at <= far

@invariant
def nearer(s: State) -> bool:
    return s.at <= far + 1

@reachable
def turned(s: State) -> bool:
    return s.back

spec = Spec(
    state=State, init=zero, actions=[forth, turn], invariants=[near, nearer], reachable=[turned]
)
"""


@pytest.fixture
def design(tmp_path: Path) -> Design:
    return load(f"{written(tmp_path, TEXT)}:spec")


def told(ablation: Ablation) -> tuple[str, str, list[int | None]]:
    assert isinstance(ablation.rule, Condition)
    lengths = [p.trace_length for p in ablation.outcome.properties if p.verdict == "violated"]
    return ablation.rule.text, ablation.effect, lengths


def test_effects(design: Design) -> None:
    """A condition breaks a property, is redundant or is harmless; only the last two are spare."""
    found = ablate(design, engine="interpret")
    assert [told(a) for a in found.ablations] == [
        ("s.at < far", "breaks", [7, 8]),
        ("s.at != 8", "redundant", []),
        ("s.at < 9", "redundant", []),
        ("not s.back", "harmless", []),
    ]
    assert [a.number for a in found.spare] == [2, 3, 4]


def test_bounds_matter(tmp_path: Path) -> None:
    """Where a condition keeps a value in its domain, the spec fails without it; that is said so."""
    file = written(tmp_path, TEXT)
    found = ablate(load(f"{file}:spec", far=9), engine="interpret")
    assert [told(a)[:2] for a in found.ablations] == [
        ("s.at < far", "redundant"),
        ("s.at != 8", "harmless"),
        ("s.at < 9", "redundant"),
        ("not s.back", "harmless"),
    ]
    wide = written(tmp_path, TEXT.replace(" and s.at != 8", "").replace("require(s.at < 9)", ""))
    [first, _] = ablate(load(f"{wide}:spec", far=9), engine="interpret").ablations
    assert first.effect == "fails"
    assert first.outcome.failure == "forth(): State.at = 10 leaves its domain 0..9"


def test_numbers_stay_when_actions_are_chosen(design: Design) -> None:
    """`--show 4` means the same whatever else was asked for."""
    _, plan = planned(design, actions=["turn"])
    assert [number for number, _, _ in plan] == [4]
    with pytest.raises(UsageError, match='no action "trun"; did you mean "turn"'):
        planned(design, actions=["trun"])


def test_limits_leave_it_undecided(design: Design) -> None:
    """What a limit cut short is not said to be harmless."""
    found = ablate(design, engine="interpret", limits=SearchLimits(max_states=3))
    assert {a.effect for a in found.ablations} == {"undecided"}
    assert found.spare == ()


def test_a_design_that_fails_as_it_is(tmp_path: Path) -> None:
    """There is nothing to compare with."""
    file = written(tmp_path, TEXT.replace("Range(0, 9)", "Range(0, 3)"))
    with pytest.raises(SpecmodelError, match="spec itself fails: forth"):
        ablate(load(f"{file}:spec"), engine="interpret")


def test_a_space_without_end_is_left_when_all_is_decided(tmp_path: Path) -> None:
    """What is open is searched for further than `enough`; the rest of the space is not."""
    file = written(tmp_path, TEXT.replace("9)]", "9000)]").replace("s.at < 9", "s.at < 9000"))
    design = load(f"{file}:spec")
    _, [(_, _, task), *_] = planned(design, engine="interpret")
    outcome = search(replace(task, enough=4))
    assert [p.trace_length for p in outcome.properties] == [7, 8, 2]
    assert outcome.distinct < 100
    assert not outcome.complete


def test_jobs_find_the_same(tmp_path: Path) -> None:
    """Processes side by side give what one after the other gives, in the same order."""
    design = load(f"{written(tmp_path, TEXT)}:spec")
    alone, together = (ablate(design, engine="interpret", jobs=jobs) for jobs in (1, 2))
    assert [told(a) for a in alone.ablations] == [told(a) for a in together.ablations]


def test_changes_run_under_cpython(tmp_path: Path) -> None:
    """KIP-320 without its fences at two replicas: the interpreter and the native engine agree."""
    design = load("kip320", replicas=2, max_leader_epoch=1, log_size=1, max_records=1)
    both = [
        ablate(design, actions=["fetch_fenced"], engine=engine)
        for engine in ("native", "interpret")
    ]
    native, interpreted = ([(a.effect, a.outcome.distinct) for a in t.ablations] for t in both)
    assert native == interpreted


@pytest.mark.long
def test_kip320() -> None:
    """Which rule of KIP-320 breaks which property, at three replicas and three epochs."""
    expected = {
        "expand_isr_fenced_early": (14, 12),
        "expand_isr": (14, 12),
        "advance_hw": (13, 13),
        "fetch": (13, None),
        "shrink_isr": (None, None),
        "become_follower_fenced_to_hw": (12, 12),
        "become_follower_fenced_kip101_log_end": (12, 12),
        "become_follower_untruncated truncate_on_fetch_fenced": (10, 10),
        "hw_reached_own_epoch(s, leader)": (14, 12),
    }
    table = ablate(load("kip320"), properties=["weak_isr", "strong_isr"], jobs=2)
    found = {}
    for ablation in table.ablations:
        rule = ablation.rule
        name = rule.text if isinstance(rule, Condition) else " ".join((rule.new, *rule.added))
        if name in expected:
            weak, strong = ablation.outcome.properties
            found[name] = (weak.trace_length, strong.trace_length)
    assert found == expected
    assert table.intact.distinct == 737_794


def test_a_design_that_is_in_no_file(design: Design) -> None:
    """Source that is not in a file cannot be edited."""
    with pytest.raises(UsageError, match="was not loaded from a file"):
        target_of(replace(design, path=None))
