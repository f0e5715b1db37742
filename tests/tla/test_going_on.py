"""A search by the evaluator that was stopped goes on from there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.liveness import Stopped
from specmodel.options import Options
from specmodel.tla.loading import load_module
from specmodel.tla.recursion import deep_stack
from specmodel.tla.search import TlaSearch
from tests.tla.walk import asking, counts, walk

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module with 42 states."""
    return walk(tmp_path)


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 17, 40, 62, 200])
def test_a_search_goes_on(module: Path, steps: int) -> None:
    """A search that is stopped at any step goes on from there, with the counts of a whole one."""
    design = load_module(asking(module, "PROPERTIES Arrives Blinks"))
    whole = check(design, engine="interpret")
    search = TlaSearch(design, Options(engine="interpret", self_check=0))
    given, made = 0, search.steps

    def stopping(key: Any, state: Any) -> Iterator[Any]:
        nonlocal given
        for step in made(key, state):
            if given == steps:
                raise Stopped("timeout")
            given += 1
            yield step

    search.steps = stopping
    with deep_stack():
        first = search.run()
        assert bool(first.stopped) == (steps < sum(whole.coverage.values()))
        search.steps = made
        found = search.going_on(search.options).run() if first.stopped else first
    assert counts(found) == counts(whole)
    assert [(p.name, p.verdict, p.trace_length) for p in found.properties] == [
        (p.name, p.verdict, p.trace_length) for p in whole.properties
    ]
    assert found.complete


@pytest.mark.parametrize("states", range(1, 43, 3))
def test_a_search_goes_on_after_a_limit(module: Path, states: int) -> None:
    """So does one that has stopped at the end of a level."""
    design = load_module(module)
    whole = check(design, engine="interpret")
    search = TlaSearch(design, Options(engine="interpret", self_check=0, max_states=states))
    with deep_stack():
        assert search.run().stopped == "max-states"
        found = search.going_on(replace(search.options, max_states=None)).run()
    assert counts(found) == counts(whole)
