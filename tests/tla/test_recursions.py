"""Recursive operators in compiled code: they call themselves as often as a search needs it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check, simulate
from specmodel.errors import SpecError
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.symbolic import running
from specmodel.tla.symbolic.call_depths import FIRST_DEPTH, KNOWN_CALLS
from specmodel.tla.symbolic.model import CompiledModel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Line ----
EXTENDS Integers
VARIABLES next, at
Last == {most}
Places == 1..Last
RECURSIVE Ahead(_), Power(_)
Ahead(p) == IF next[p] = p THEN 0 ELSE 1 + Ahead(next[p])
Power(n) == IF n = 0 THEN 1 ELSE 1 + Power(n - 1)
Init == next = [p \\in Places |-> p] /\\ at = 1
Tie(p) == p < Last /\\ next[p] = p /\\ next' = [next EXCEPT ![p] = p + 1] /\\ UNCHANGED at
Go == {go}
Next == (\\E p \\in Places : Tie(p)) \\/ Go
Spec == Init /\\ [][Next]_<<next, at>> /\\ WF_<<next, at>>(Next)
Fine == {fine}
Steps == [][{steps}]_<<next, at>>
Ends == {ends}
====
"""
PARTS = {"go": "at' = next[at] /\\ at' # at /\\ UNCHANGED next", "fine": "at \\in Places",
         "steps": "at' >= at", "ends": "<>(at = Last)"}  # fmt: skip


def module(folder: Path, parts: Mapping[str, str], claims: str = "", most: int = 9) -> Path:
    """A line of places that are tied one after the other, which no run has seen."""
    path = folder / "Line.tla"
    text = MODULE.format(most=most, **{**PARTS, **parts})
    path.write_text(f"This is {path} of {time.time()}.\n{text}")
    config = f"SPECIFICATION Spec\nINVARIANT Fine\nCHECK_DEADLOCK FALSE\n{claims}"
    path.with_suffix(".cfg").write_text(config)
    return path


@pytest.fixture
def depths(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[int]]]:
    """How often operators may call themselves in the models that were made."""
    monkeypatch.setattr(checking, "FIRST_STATES", 5)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    made: list[list[int]] = []
    compiled = running.compiled_model

    def model(finder: Any, initial: Any) -> CompiledModel:
        made.append([*finder.depths.values()])
        return compiled(finder, initial)

    monkeypatch.setattr(running, "compiled_model", model)
    yield made


PLACES = {
    "in an invariant": ({"fine": "Ahead(at) < Last"}, ""),
    "in a guard": ({"go": "Ahead(1) > 6 /\\ at' = next[at] /\\ UNCHANGED next"}, ""),
    "in a step": ({"go": "at' = at + Ahead(at) /\\ at' # at /\\ UNCHANGED next"}, ""),
    "in a constraint": ({"fine": "TRUE"}, "CONSTRAINT Short\n"),
    "of steps": ({"steps": "Ahead(at)' \\in 0..Last"}, "PROPERTY Steps\n"),
    "of behaviours": ({"ends": "<>(Ahead(at) = 0)"}, "PROPERTY Ends\n"),
}


@pytest.mark.parametrize("place", PLACES)
def test_more_calls_than_were_compiled(tmp_path: Path, depths: list[list[int]], place: str) -> None:
    """The search begins again with twice as many, until they do; the result is the evaluator's."""
    parts, claims = PLACES[place]
    path = module(tmp_path, parts, claims)
    path.write_text(path.read_text().replace("Steps ==", "Short == Ahead(1) < 7\nSteps =="))
    alone = check(load_module(path), engine="interpret")
    found = check(load_module(path))
    assert found.engine == "native"
    assert [p.verdict for p in found.properties] == [p.verdict for p in alone.properties]
    assert (found.distinct, found.generated) == (alone.distinct, alone.generated)
    assert depths[0] == [] and depths[-1] == [2 * FIRST_DEPTH]


def test_a_violation_far_down(tmp_path: Path, depths: list[list[int]]) -> None:
    """A property that is violated after more calls than the first code has."""
    path = module(tmp_path, {"fine": "Ahead(at) < 7"})
    found = check(load_module(path))
    alone = check(load_module(path), engine="interpret")
    assert found.engine == "native" and depths[-1] == [2 * FIRST_DEPTH]
    (one,), (other,) = ([p for p in r.properties if p.trace] for r in (found, alone))
    assert one.name == other.name == "Fine" and one.trace_length == other.trace_length == 8


def test_calls_on_known_values(tmp_path: Path, depths: list[list[int]]) -> None:
    """They end by themselves, within more calls than others may have."""
    found = check(load_module(module(tmp_path, {"fine": "next[at] + Power(20) > 20"})))
    assert found.engine == "native" and found.verdict == "holds" and depths[-1] == []
    many = FIRST_DEPTH * KNOWN_CALLS + 4
    found = check(load_module(module(tmp_path, {"fine": f"next[at] + Power({many}) > {many}"})))
    assert found.engine == "native" and found.verdict == "holds"
    assert depths[-1] in ([], [2 * FIRST_DEPTH])


def test_a_recursion_without_end(tmp_path: Path, depths: list[list[int]]) -> None:
    """In a state of the search it is the evaluator's error; elsewhere it does no harm."""
    path = module(tmp_path, {"go": "at' = 1 + (at % 4) /\\ UNCHANGED next"}, most=4)
    path.write_text(path.read_text().replace("next[p] = p + 1", "next[p] = (p % 4) + 1"))
    assert check(load_module(path)).verdict == "holds"
    text = path.read_text().replace("p < Last /\\ ", "")
    text = text.replace("![p] = p + 1", "![p] = (p % 4) + 1")
    path.write_text(text.replace("Fine == at \\in Places", "Fine == Ahead(at) < 7"))
    with pytest.raises(SpecError, match="too deep"):
        check(load_module(path))


def test_the_next_check_begins_with_them(tmp_path: Path, depths: list[list[int]]) -> None:
    """The numbers of calls are kept with the types; other commands begin with them, too."""
    path = module(tmp_path, {"fine": "Ahead(at) < Last"})
    check(load_module(path))
    assert len(depths) > 1
    depths.clear()
    assert check(load_module(path)).engine == "native"
    assert depths == [[2 * FIRST_DEPTH]]
    walked = simulate(load_module(path), walks=50)
    assert walked.walks == 50
