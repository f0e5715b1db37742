"""Several processes expand the levels of a search by the evaluator: the result is that of one."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.design import Design
from specmodel.options import Options
from specmodel.results import SpecFailure
from specmodel.tla import search, shares
from specmodel.tla.loading import load_module
from specmodel.tla.recursion import deep_stack
from specmodel.tla.search import TlaSearch
from specmodel.tla.shares import SharedSearch
from specmodel.tla.values import text_of
from tests.tla.oracle import MODULES, module_of
from tests.tla.walk import asking, counts, forks_noted, walk

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forks")

MOST_STATES = 400
"""The states of a search that takes long enough for a test."""


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Processes that expand a few states each; none is left at the end."""
    monkeypatch.setattr(shares, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr(shares, "BATCH_SECONDS", 0.03)
    monkeypatch.setattr(search, "AFTER_VIOLATION", 60.0)
    yield from forks_noted(monkeypatch)


def ran(design: Design, workers: int) -> tuple[Any, ...]:
    """What a search finds: its numbers, its verdicts and traces, its states in order."""
    options = Options(engine="interpret", self_check=0, workers=workers, max_states=MOST_STATES)
    held = SharedSearch(design, options)
    with deep_stack():
        try:
            found = held.run()
        except SpecFailure as wrong:
            return wrong.message, wrong.where, str(wrong.trace)
    verdicts = [(p.name, p.verdict, str(p.trace)) for p in found.properties]
    return (
        found.stopped, counts(found), verdicts, text_of((*held.seen.items(),), 1 << 30),
        [sorted(text_of(after) for after in following) for following in held.following],
    )  # fmt: skip


NAMES = (
    "Climbs", "Climbs-far", "Clock-skipping", "Leveled", "Locks", "Locks-both",
    "Locks-constraint", "Locks-kept", "Locks-steps", "Locks-view-both", "Locks-view-symmetry",
    "Named-twice", "PassedPrimes", "Recursion-deadlock", "Starts", "Tagged", "Typed-all", "Walk",
)  # fmt: skip
"""Configurations with SYMMETRY, VIEW, constraints, temporal properties, violations, errors."""


@pytest.mark.parametrize("name", NAMES)
def test_as_one_process(name: str) -> None:
    """States, their order and their parents, steps, verdicts, traces and errors are the same."""
    configuration = MODULES / f"{name}.cfg"
    design = load_module(module_of(configuration), configuration)
    assert ran(design, 3) == ran(design, 1)


def test_processes_are_used(tmp_path: Path, started: list[int]) -> None:
    """The result says how many were at work."""
    assert check(load_module(walk(tmp_path)), engine="interpret", workers=3).workers == 3
    assert len(started) > 6
    started.clear()
    assert check(load_module(walk(tmp_path)), engine="interpret", workers=1).workers == 1
    assert not started


@pytest.mark.parametrize(
    "wrong", ["it ends", "it is killed", "it cannot start", "it waits for ever"]
)
def test_a_share_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[int], wrong: str
) -> None:
    """Its states are expanded by the search itself."""
    module = asking(walk(tmp_path), "INVARIANT Low", "PROPERTY Arrives")
    whole, own = check(load_module(module), engine="interpret", workers=1), os.getpid()
    expand, fork = TlaSearch.expand, os.fork

    def fails(self: TlaSearch, key: Any) -> None:
        if os.getpid() != own and key[0] == 7:
            if wrong == "it waits for ever":
                time.sleep(60)
            os._exit(3)
        expand(self, key)

    def refused() -> int:
        if len(started) > 5:
            raise OSError("no more processes")
        return fork()

    if wrong == "it is killed":
        whole_share = shares.pickled
        monkeypatch.setattr(shares, "pickled", lambda share: whole_share(share)[:-9])
    elif wrong == "it cannot start":
        monkeypatch.setattr(os, "fork", refused)
    else:
        monkeypatch.setattr(TlaSearch, "expand", fails)
    monkeypatch.setattr(shares, "PATIENCE", 0.5)
    found = check(load_module(module), engine="interpret", workers=2)
    assert counts(found) == counts(whole) and found.verdict == whole.verdict == "violated"
    assert len(started) > 3


@pytest.mark.parametrize("how", ["interrupted", "timeout"])
def test_it_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Processes at work are ended, and what was found until then is told."""
    expand, own = TlaSearch.expand, os.getpid()

    def slowly(self: TlaSearch, key: Any) -> None:
        if os.getpid() != own and key[0] > 8:
            time.sleep(60)
        expand(self, key)

    monkeypatch.setattr(TlaSearch, "expand", slowly)
    options = Options(
        engine="interpret", self_check=0, workers=2, timeout=1.0 if how == "timeout" else None
    )
    held = SharedSearch(load_module(walk(tmp_path)), options)
    if how == "interrupted":
        threading.Timer(1.0, held.interrupt).start()
    before = time.monotonic()
    with deep_stack():
        found = held.run()
    assert (found.stopped, found.complete) == (how, False) and time.monotonic() - before < 30
    assert found.distinct is not None and 10 < found.distinct < 42
