"""Random modules are checked alike by compiled code and by the evaluator."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tla.both_ways import outcome
from tests.tla.random_actions import RandomModule, random_module
from tests.tla.random_modules import elsewhere, in_process

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

FOUND = Path(__file__).resolve().parent / "found"


@pytest.mark.parametrize("first", range(0, 40, 4))
def test_state_by_state(first: int) -> None:
    """`python -m tests.tla.random_modules` compares more of them."""
    for seed in range(first, first + 4):
        found = in_process(random_module(seed), whole=False)
        assert not found.bad, f"seed {seed}: {found}"


def test_whole_searches() -> None:
    """The native engine compares every state with the evaluator."""
    with elsewhere():
        for seed in range(5):
            found = in_process(random_module(seed), whole=True)
            assert not found.bad, f"seed {seed}: {found}"


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.tla")), ids=lambda path: path.stem)
def test_what_was_found(path: Path) -> None:
    """Modules that showed a difference once."""
    text = path.read_text().replace(f"MODULE {path.stem} ", "MODULE R ")
    given = path.with_suffix(".cfg").read_text()
    for whole in (False, True):
        with elsewhere():
            found = outcome(RandomModule(text, given), whole)
        assert found.kind in ("agree", "failing"), found
