"""Compiled searches of TLA+ modules have TLC's verdicts, numbers of states and trace lengths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specmodel.options import Options
from specmodel.results import Result
from specmodel.tla.loading import load_module
from specmodel.tla.recursion import deep_stack
from specmodel.tla.search import TlaSearch
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.running import TypedSearch
from specmodel.tla.symbolic.unfit import refuse_unfit
from tests.tla.oracle import BEHAVIOURS, RESULTS, behaviours, configurations, module_of

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

TLC: dict[str, Any] = json.loads(RESULTS.read_text())

EVALUATED = {
    "Expressions": "there is no next-state action",
    "Leveled-step": "ACTION_CONSTRAINT is not compiled",
    "Locks-view-number": "a VIEW that is more than some variables is not compiled",
    "Locks-view-number-symmetry": "a VIEW that is more than some variables is not compiled",
    "Queue-action": "ACTION_CONSTRAINT is not compiled",
}
"""The configurations that are not compiled, with the reason."""


def compiled(configuration: Path, module: Path | None = None, **options: Any) -> Result:
    """The result of a compiled search, which compares every state with the evaluator."""
    design = load_module(module or module_of(configuration), configuration)
    refuse_unfit(design, Options())
    with deep_stack():
        first = TlaSearch(design, Options(engine="interpret", self_check=0, max_states=20))
        first.run()
    wanted = Options(**{"self_check": "all", "keep_going": True, **options})
    return TypedSearch(design, wanted, first).run()


@pytest.mark.parametrize("configuration", configurations(), ids=lambda path: path.stem)
def test_as_tlc(configuration: Path) -> None:
    """Generated and distinct states and depth; of a violation the trace's length."""
    wanted = TLC[configuration.stem]
    try:
        found = compiled(configuration)
    except NotCompiled as wrong:
        assert EVALUATED.get(configuration.stem) == wrong.message
        return
    assert configuration.stem not in EVALUATED
    assert found.verdict == wanted["verdict"]
    if found.verdict == "violated":
        lengths = [p.trace_length for p in found.properties if p.verdict == "violated"]
        # TLC's behaviours without end are not the shortest, and differ from run to run.
        assert lengths == [wanted["states"]] or wanted["error"].startswith("Temporal")
    elif wanted["distinct"]:
        assert [found.distinct, found.generated, found.depth] == [
            wanted["distinct"],
            wanted["generated"],
            wanted["depth"],
        ]
    assert found.self_check is not None and found.self_check.states == found.distinct


@pytest.mark.parametrize("name", behaviours())
def test_temporal_properties_as_tlc(name: str, tmp_path: Path) -> None:
    """They are decided on the graph of a compiled search as on that of the evaluator."""
    config = tmp_path / "Behaviours.cfg"
    config.write_text(behaviours()[name])
    found = compiled(config, BEHAVIOURS, keep_going=False)
    assert found.verdict == TLC["behaviours"][name]


def test_many_possible_steps(tmp_path: Path) -> None:
    """More of them than other front ends have without a loop: each is a step of its own."""
    (tmp_path / "Many.tla").write_text(
        "---- MODULE Many ----\nEXTENDS Naturals\nVARIABLES a, b\nInit == a = 0 /\\ b = 0\n"
        "Next == \\E i \\in 0..64 : \\E j \\in 0..64 :\n"
        "  (i + a) % 65 < 2 /\\ a' = i /\\ b' = j % 2\n====\n"
    )
    config = tmp_path / "Many.cfg"
    config.write_text("INIT Init\nNEXT Next\n")
    found = compiled(config, tmp_path / "Many.tla", self_check=2)
    assert [found.distinct, found.generated] == [130, 130 * 130 + 1]
