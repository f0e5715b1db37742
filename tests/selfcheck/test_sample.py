"""The states of a self-check: all of few, some of each band of many, both sides of rules."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.behaviour.steps import Interpreter
from specmodel.engines import native
from specmodel.engines.native.loop import hashing, sampling
from specmodel.engines.native.loop.core import load_core
from specmodel.errors import UsageError
from specmodel.ir.layout import Layout
from specmodel.results import Options, SelfCheck, SpecFailure
from specmodel.selfcheck import run
from specmodel.selfcheck.packing import Packing
from specmodel.selfcheck.reference import Facts, Reference
from specmodel.selfcheck.run import wanted_states
from specmodel.suite.catalog import catalog, shipped
from tests.engines.test_failures import SOUND, SPEC
from tests.selfcheck.specs import desk
from tests.written import design_of

LARGE = load("two-phase-commit", participants=4)
"""2,048 states or so: a sample, not all of them."""


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Facts]]:
    """What CPython was asked about, as long as the test runs."""
    asked: list[Facts] = []
    facts = Reference.facts

    def noted(self: Reference, words: tuple[int, ...]) -> Facts:
        asked.append(facts(self, words))
        return asked[-1]

    monkeypatch.setattr(Reference, "facts", noted)
    yield asked


def words_of(compared: list[Facts]) -> list[tuple[int, ...]]:
    found = [facts.words for facts in compared]
    compared.clear()
    return found


def test_the_same_for_any_number_of_workers(compared: list[Facts], tmp_path: Path) -> None:
    """Nor does it depend on where states are kept."""
    found: list[list[tuple[int, ...]]] = []
    ways: list[dict[str, Any]] = [{}, {"compress": True}, {"fingerprint": True}]
    ways += [{"spill": tmp_path / "spilled"}]
    for workers, way in product((1, 2, 3), ways):
        result = native.check(LARGE, Options(workers=workers, keep_going=True, **way))
        # With fingerprints, traces are searched for once more, which is checked as well.
        assert result.self_check == SelfCheck(50, sum(len(f.steps) for f in compared[:50]))
        found.append(words_of(compared)[:50])
    assert all(words == found[0] for words in found)


def test_all_of_a_small_space(compared: list[Facts], tmp_path: Path) -> None:
    """A space of fewer than 200 states is compared whole, without being asked to."""
    design = desk(tmp_path)
    result = native.check(design, Options(workers=2, keep_going=True))
    assert result.distinct is not None and run.LEAST < result.distinct < run.SMALL
    assert result.self_check is not None
    assert result.self_check.states == len(set(words_of(compared))) == result.distinct
    assert result.generated == 1 + result.self_check.steps


def test_as_many_as_asked_for(compared: list[Facts]) -> None:
    """A number, all, or none."""
    for asked in (1, 120, 700):
        result = native.check(LARGE, Options(self_check=asked))
        assert result.self_check is not None
        assert result.self_check.states == len(set(words_of(compared))) == asked
    result = native.check(LARGE, Options(self_check="all"))
    assert result.self_check is not None
    assert result.self_check.states == len(set(words_of(compared))) == result.distinct
    assert native.check(LARGE, Options(self_check=0)).self_check is None
    assert not compared
    with pytest.raises(UsageError, match="--self-check all needs whole states"):
        native.check(LARGE, Options(self_check="all", fingerprint=True))


def test_how_many_unless_asked() -> None:
    """All of few states, some of many, and never more than is soon done."""
    counts = {0: 0, 1: 1, 199: 199, 200: 50, 10**6: 50, 10**7: 152, 10**12: 1000}
    assert {states: wanted_states(None, states) for states in counts} == counts
    assert wanted_states(None, None) == 50
    assert wanted_states(7, 3) == 7


def test_every_band_and_both_sides(compared: list[Facts]) -> None:
    """Levels early and late, each action enabled and not, a property broken and not."""
    design = load("two-phase-commit-impatient", participants=4)
    result = native.check(design, Options(workers=2, keep_going=True))
    assert result.distinct is not None and result.distinct > 1000
    interpreter, layout = Interpreter(design.spec), Layout(design.spec.domain)
    levels = {layout.pack(s): 0 for s in interpreter.initial()}
    for words in (order := list(levels)):
        for _, after in interpreter.successors(layout.unpack(words)):
            if (packed := layout.pack(after)) not in levels:
                levels[packed] = levels[words] + 1
                order.append(packed)
    assert {levels[facts.words] for facts in compared} == set(range(result.depth))
    actions = [rule.name for rule, _ in interpreter.bindings]
    for rule in design.spec.rules:
        enabled = [
            any(actions[number] == rule.name for number, _ in facts.steps) for facts in compared
        ]
        assert set(enabled) == {True, False}, rule.name
    assert {facts.truths["agreement"] for facts in compared} == {True, False}


def test_an_action_that_is_hardly_ever_enabled(compared: list[Facts], tmp_path: Path) -> None:
    """One state in 4,096 enables it, and that is compared."""
    text = """
class State(Struct):
    x: Annotated[int, Range(0, 63)]
    y: Annotated[int, Range(0, 63)]

@init
def zero() -> State:
    return State(0, 0)

@action
def right(s: State) -> None:
    require(s.x < 63)
    s.x += 1

@action
def up(s: State) -> None:
    require(s.y < 63)
    s.y += 1

@action
def home(s: State) -> None:
    require(s.x == 41 and s.y == 17)
    s.x = 0
    s.y = 0

spec = Spec(state=State, init=zero, actions=[right, up, home])
"""
    for workers in (1, 2):
        result = native.check(design_of(tmp_path, text), Options(workers=workers))
        assert result.distinct == 4096
        steps = [number for facts in compared for number, _ in facts.steps]
        assert {0, 1, 2} == set(steps)
        compared.clear()


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": "    s.n += by"},
        {"fine": "    return [1, 2, 3][s.n] > 0"},
        {"steady": "    return [1, 2, 3][after.n] > 0"},
        {"bound": "    return [1, 2, 3][s.n] > 0"},
        {"step": "    require(s.n + by <= 5 and 6 // (3 - s.n) != 9)\n    s.n += by"},
    ],
    ids=str,
)
def test_failures_agree(tmp_path: Path, compared: list[Facts], wrong: dict[str, str]) -> None:
    """A spec that fails is a failure of the spec: CPython and the kernel say so alike."""
    design = design_of(tmp_path, SPEC.format(**(SOUND | wrong)))
    with pytest.raises(SpecFailure):
        native.check(design, Options(workers=2, keep_going=True))
    fails = [
        truth
        for facts in compared
        for truth in [
            *facts.outcomes,
            *facts.truths.values(),
            *facts.kept,
            *(truth for steps in facts.stepped.values() for _, truth in steps),
        ]
        if isinstance(truth, SpecFailure)
    ]
    assert fails


def test_machine_code_draws_by_the_same_rule() -> None:
    """Slots hold the greatest key of the states that belong there; bands are those of levels."""
    words, states = 2, [(n * 7919 % 1009, n) for n in range(3000)]
    columns = (ctypes.c_uint64 * (words * len(states)))(
        *(s[0] for s in states), *(s[1] for s in states)
    )
    sampler = sampling.Sampler(words, 50)
    sample, at = load_core(words).code[sampling.sample], ctypes.addressof(columns)
    for level, (start, n) in {3: (0, 1000), 40: (1000, 1900), 41: (2900, 100)}.items():
        sample(sampler.address, at, len(states), start, n, level)
    expected: sampling.Rows = {}
    mask = (1 << 64) - 1
    for number, state in enumerate(states):
        hashed = hashing.SEED
        for word in state:
            hashed = (hashed ^ word) * hashing.FACTOR & mask
            hashed ^= hashed >> 32
        band = sampling.band_of(3 if number < 1000 else 40)
        row = {(band, hashed >> 64 - sampling.LEAST_BITS): (hashed & sampling.KEYS | 1, state)}
        sampling.merge(expected, row)
    assert sampler.rows(range(50)) == expected
    assert sampling.band_of(40) == sampling.band_of(41) == 26
    assert [sampling.band_of(level) for level in range(18)] == [*range(17), 16]
    turn = list(sampling.in_turn(expected))
    assert sorted(turn) == sorted(state for _, state in expected.values())
    assert {number < 1000 for _, number in turn[:2]} == {True, False}


@pytest.mark.parametrize("name", sorted(catalog((shipped(),)).designs)[::6])
def test_packing(name: str) -> None:
    """What remembers parts of states gives what the layout gives."""
    design = load(name)
    layout, interpreter = Layout(design.spec.domain), Interpreter(design.spec)
    packing = Packing(layout)
    states = list(islice(interpreter.initial(), 20))
    for state in states[:400]:
        states += [after for _, after in interpreter.successors(state)][: 400 - len(states)]
    for state in states:
        words = packing.pack(state)
        assert words == layout.pack(state)
        assert packing.unpack(words) == state
