"""What a field of one kind of message has had, that of another kind will: they share a type."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.symbolic import running
from specmodel.tla.symbolic.types import TlaType, joined, type_of, with_shared_fields
from specmodel.tla.values import FunctionValue, Value

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE Mail ----
EXTENDS Integers
VARIABLES sent, round
Asked(n) == [type |-> "ask", round |-> n, at |-> 7 - n]
Init == round = 0 /\\ sent = {Asked(0), Asked(7), [type |-> "answer", round |-> 0]}
Wait == round < 3 /\\ round' = round + 1 /\\ UNCHANGED sent
Answer == /\\ round = 3 /\\ UNCHANGED round
          /\\ \\E m \\in sent : /\\ m.type = "ask"
             /\\ sent' = (sent \\ {m}) \\cup {[type |-> "answer", round |-> m.round]}
Next == Wait \\/ Answer
====
"""


ATTEMPTS = 2
"""The first types have no room for the number of rounds; the second ones are wide enough."""


def record(**fields: Value) -> TlaType:
    return type_of(FunctionValue(dict(fields)))


def test_fields_of_one_name() -> None:
    """Numbers are joined, also in records within; a field that tells the kinds apart is not."""
    ask = record(type="ask", round=3, by=FunctionValue({"round": 5, "who": "me"}))
    answer = joined(record(type="answer", round=0), record(type="answer", round=1))
    found = with_shared_fields(joined(ask, answer))
    wide = joined(record(round=0), record(round=5)).parts[0]  # type: ignore[attr-defined]
    kinds = {dict(zip(part.keys, part.parts, strict=True))["type"].options: part  # type: ignore[attr-defined]
             for part in found.parts}  # type: ignore[attr-defined]  # fmt: skip
    assert set(kinds) == {("ask",), ("answer",)}
    for part in kinds.values():
        assert dict(zip(part.keys, part.parts, strict=True))["round"] == wide
    by = dict(zip(kinds["ask",].keys, kinds["ask",].parts, strict=True))["by"]
    assert dict(zip(by.keys, by.parts, strict=True))["round"] == wide


def test_fields_of_several_kinds_of_values() -> None:
    """They keep their types, and so do functions of other arguments and a single kind."""
    one = joined(record(at=1, to="a"), record(at="here"))
    assert with_shared_fields(joined(one, record(at=(1,), x=2))) == joined(
        one, record(at=(1,), x=2)
    )
    pairs = joined(type_of((1, "a")), type_of((1, "a", 7)))
    assert with_shared_fields(pairs) == pairs
    alone = joined(record(at=1), record(at=5))
    assert with_shared_fields(alone) == alone


def test_no_widening_for_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer has what only questions had at first; the numbers are the evaluator's."""
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    monkeypatch.setattr(running.TypeFinder, "walk", lambda *given: None)
    made: list[Any] = []
    compiled = running.compiled_model
    monkeypatch.setattr(
        running, "compiled_model", lambda *given: made.append(given) or compiled(*given)
    )
    path = tmp_path / "Mail.tla"
    path.write_text(f"This is {path} of {time.time()}.\n{MODULE}")
    config = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
    path.with_suffix(".cfg").write_text(config)
    alone = check(load_module(path), engine="interpret")
    found = check(load_module(path), workers=1)
    assert (found.engine, found.distinct, found.generated) == (
        "native", alone.distinct, alone.generated,
    )  # fmt: skip
    assert len(made) == ATTEMPTS
