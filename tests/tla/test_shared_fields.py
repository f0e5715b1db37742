"""What a field of one kind of message has had, that of another kind will: they share a type."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.tla import checking
from specmodel.tla.loading import load_module
from specmodel.tla.symbolic import running
from specmodel.tla.symbolic.types import TlaType, alike, joined, type_of, with_shared_fields
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

TURNS = """---- MODULE Mail ----
EXTENDS Integers
VARIABLES servers, noted
Init == servers = [s \\in 1..3 |-> [at |-> 0]] /\\ noted = [at |-> 0]
Turn(s) == /\\ \\A other \\in 1..3 : other < s => servers[other].at = 9
           /\\ servers' = [servers EXCEPT ![s].at = 9] /\\ UNCHANGED noted
Note == servers[3].at = 9 /\\ noted' = servers[3] /\\ UNCHANGED servers
Next == Note \\/ \\E s \\in 1..3 : Turn(s)
====
"""

ATTEMPTS = 2
"""The first types have no room for the number of rounds; the second ones are wide enough."""


def record(**fields: Value) -> TlaType:
    return type_of(FunctionValue(dict(fields)))


def type_of_all(values: Iterable[Value]) -> TlaType:
    return reduce(joined, map(type_of, values))


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


def attempts(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> int:
    """The compilations of a module; no walk finds a value. The numbers are the evaluator's."""
    monkeypatch.setattr(checking, "FIRST_STATES", 1)
    monkeypatch.setattr(checking, "search_beside", lambda *given: None)
    monkeypatch.setattr(running.TypeFinder, "walk", lambda *given: None)
    made: list[Any] = []
    compiled = running.compiled_model
    monkeypatch.setattr(
        running, "compiled_model", lambda *given: made.append(given) or compiled(*given)
    )
    path = folder / "Mail.tla"
    path.write_text(f"This is {path} of {time.time()}.\n{module}")
    config = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
    path.with_suffix(".cfg").write_text(config)
    alone = check(load_module(path), engine="interpret")
    found = check(load_module(path), workers=1)
    assert (found.engine, found.distinct, found.generated) == (
        "native", alone.distinct, alone.generated,
    )  # fmt: skip
    return len(made)


def test_no_widening_for_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer has what only questions had at first."""
    assert attempts(tmp_path, monkeypatch, MODULE) == ATTEMPTS


@pytest.mark.parametrize(("seconds", "wanted"), [(float("inf"), 5), (-1.0, 2)])
def test_what_others_have_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, wanted: int
) -> None:
    """After a long attempt in vain, there is room for what one server has had in all of them, and
    in another variable: else each of them would widen a type."""
    monkeypatch.setattr(running, "LONG", seconds)
    assert attempts(tmp_path, monkeypatch, TURNS) == wanted


def test_types_that_are_alike() -> None:
    """The values of a function on 1..n have one type, and so do fields of one name, also where one
    lies within another."""
    chain = record(next=(FunctionValue({"next": (FunctionValue({"next": ()}),)}),))
    servers = type_of(
        (FunctionValue({"epoch": 0, "who": "a"}), FunctionValue({"epoch": 7, "who": "b"}))
    )
    ages = type_of((1, 30, 4))
    found = alike([chain, servers, ages, type_of((1, "a"))])
    assert found[1] == type_of_all(
        (FunctionValue({"epoch": n, "who": w}),) * 2 for n in (0, 7) for w in "ab"
    )
    assert found[2] == type_of_all([(1, 1, 1), (30, 30, 30)])
    assert found[3] == type_of((1, "a"))
