"""Fingerprints: the results of a search with whole states, traces too, and what is left open."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.design import Design
from specmodel.engines import native, registry
from specmodel.engines.native.loop import core, fingerprints
from specmodel.errors import UsageError
from specmodel.machine import build as machine_build
from specmodel.machine.build import build
from specmodel.results import Options
from specmodel.views.summary import verdict_line
from tests.engines.outcomes import Failed, outcome
from tests.engines.test_checkpoint import GRID
from tests.written import design_of


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("keep_going", [True, False])
def test_same_result(tmp_path: Path, workers: int, keep_going: bool) -> None:
    """Counts, verdicts and traces are those of whole states."""
    design = design_of(tmp_path, GRID, size=24)
    whole = Options(keep_going=keep_going, deadlock=True)
    options = Options(keep_going=keep_going, deadlock=True, workers=workers, fingerprint=True)
    assert outcome(native.check, design, options) == outcome(native.check, design, whole)
    result = native.check(design, options)
    assert result.omission == result.counts[0] * (result.counts[0] - 1) / 2**65


@pytest.mark.parametrize(
    ("before", "after"),
    [("s.at[i] += 1", "s.at[i] += 2"), ("return s.at[2] < 4", "return [7, 7, 7][s.at[2]] > 4")],
    ids=["action", "property"],
)
def test_failure_of_the_spec(tmp_path: Path, before: str, after: str) -> None:
    """A spec that fails is told of with the way there."""
    design = design_of(tmp_path, GRID.replace(before, after), size=9)
    failed = outcome(native.check, design, Options(keep_going=True))
    assert isinstance(failed, Failed)
    assert failed.trace
    options = Options(keep_going=True, fingerprint=True)
    assert outcome(native.check, design, options) == failed


FAILS_BEHIND = """
class State(Struct):
    n: Annotated[int, Range(0, 3)]

@init
def start() -> State:
    return State(0)

@action
def step(s: State) -> None:
    s.n += 1

@invariant
def few(s: State) -> bool:
    return s.n < 3

@transition
def small(before: State, after: State) -> bool:
    return after.n < 3

spec = Spec(state=State, init=start, actions=[step], invariants=[few], transitions=[small])
"""


@pytest.mark.parametrize("name", ["few", "small"])
@pytest.mark.parametrize(
    "limits",
    [{}, {"keep_going": True, "max_states": 4}, {"keep_going": True, "max_depth": 4}],
    ids=["violation", "states", "depth"],
)
def test_what_lies_behind_is_not_looked_at(
    tmp_path: Path, name: str, limits: dict[str, Any]
) -> None:
    """A failure that the search with fingerprints does not come to is not found for a trace."""
    design = design_of(tmp_path, FAILS_BEHIND)
    whole = Options(properties=(name,), **limits)
    found = outcome(native.check, design, replace(whole, fingerprint=True))
    assert found == outcome(native.check, design, whole)
    assert not isinstance(found, Failed)
    assert found["verdict"] == "violated"


@pytest.fixture
def cores() -> Iterator[Callable[[], None]]:
    """Forgets the code that has been made, now and at the end."""

    def forget() -> None:
        core.load_core.cache_clear()
        machine_build.version.cache_clear()

    yield forget
    forget()


def test_states_with_one_fingerprint_are_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cores: Callable[[], None]
) -> None:
    """Nothing but the fingerprint is looked at: where it knows too little, states are missed."""
    design = design_of(tmp_path, GRID, size=24)
    exact = native.check(design, Options(keep_going=True)).counts[0]
    with monkeypatch.context() as patched:
        patched.setattr(fingerprints, "FIRST_FACTOR", 1 << 50)
        cores()
        weak = native.check(design, Options(keep_going=True, fingerprint=True))
    assert weak.counts[0] < exact
    assert weak.complete


def spread(words: int, states: list[tuple[int, ...]]) -> list[int]:
    """The fingerprints of states."""
    code = build((fingerprints.fingerprint_column,), {"W": words})
    n = len(states)
    columns = (ctypes.c_uint64 * (words * n))(*(s[w] for w in range(words) for s in states))
    hashes = (ctypes.c_uint64 * n)()
    column = code[fingerprints.fingerprint_column]
    column(ctypes.addressof(columns), n, n, ctypes.addressof(hashes))
    return list(hashes)


@pytest.mark.parametrize("words", [1, 2, 4])
def test_every_bit_changes_every_other(words: int) -> None:
    """States that differ in one bit have fingerprints that differ in about half of theirs."""
    base = tuple(0x0123456789ABCDEF * (w + 1) % (1 << 64) for w in range(words))
    near = [
        tuple(word ^ (1 << bit if w == at else 0) for w, word in enumerate(base))
        for at in range(words)
        for bit in range(64)
    ]
    first, *others = spread(words, [base, *near])
    changed = [(first ^ other).bit_count() for other in others]
    assert min(changed) >= 14
    assert max(changed) <= 50
    assert 30 <= sum(changed) / len(changed) <= 34
    for bit in range(64):
        flipped = sum((first ^ other) >> bit & 1 for other in others) / len(others)
        assert 0.25 <= flipped <= 0.75


def test_no_two_of_a_million_alike() -> None:
    """Small numbers in two words, as packed states are: none has the fingerprint of another."""
    states = [(a << 40, b << 8) for a in range(1 << 10) for b in range(1 << 10)]
    found = spread(2, states)
    assert len(set(found)) == len(states)
    assert 0 not in found


def test_what_is_said(tmp_path: Path) -> None:
    """The verdict says what it leaves open, and only then."""
    design = design_of(tmp_path, GRID.replace("s.at[0] + s.at[1] < 14", "True"), size=9)
    plain = native.check(design, Options(properties=("inside",)))
    assert plain.omission == 0
    assert "chance" not in str(verdict_line(design, plain))
    result = native.check(design, Options(properties=("inside",), fingerprint=True))
    assert f"but for a chance of {result.omission:.1e}" in str(verdict_line(design, result))


@pytest.mark.parametrize("other", [{"compress": True}, {"spill": Path()}, {"checkpoint": Path()}])
def test_wrong_use(tmp_path: Path, other: dict[str, Any]) -> None:
    """What keeps whole states, and the other engine, are refused."""
    design: Design = design_of(tmp_path, GRID)
    with pytest.raises(UsageError, match="without --fingerprint"):
        native.check(design, Options(fingerprint=True, **other))
    with pytest.raises(UsageError, match="native engine"):
        registry.engine("interpret").check(design, Options(fingerprint=True))
