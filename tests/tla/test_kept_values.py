"""The evaluator keeps the values of expressions that depend on bound values alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import check
from specmodel.tla import calling
from specmodel.tla.calling import Thunk, remembered
from specmodel.tla.lazily import NAT
from specmodel.tla.loading import load_module
from specmodel.tla.values import EvaluationError

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

Counted = tuple[Callable[[Any, Any, Any], Any], list[Any]]


def counted(value: Callable[[Any], Any], level: int = 0, depth: int = 1) -> Counted:
    """A function of one bound value that is remembered, and what it was really called with."""
    calls: list[Any] = []

    def run(c: Any, s: Any, n: Any) -> Any:
        calls.append(c)
        return value(c[0].force() if isinstance(c[0], Thunk) else c[0])

    return remembered(run, level, depth), calls


def test_a_value_is_computed_once_for_each_bound_value() -> None:
    """Also where a computed value lies in what computes it; a set and a tuple are not mixed up."""
    run, calls = counted(lambda v: len(v) if isinstance(v, tuple) else 7)
    thunk = Thunk(lambda c, s, n: (1, 2), (), None, None)
    thunk.force()
    given = [(1, 2), thunk, (1, 2), frozenset([1, 2]), 1, frozenset([2, 1])]
    assert [run((v,), None, None) for v in given] == [2, 2, 2, 7, 7, 7]
    assert len(calls) == 3


@pytest.mark.parametrize(
    "given",
    [
        lambda: Thunk(lambda c, s, n: 1, (), None, None),
        lambda: NAT,
        lambda: len,
    ],
)
def test_what_is_not_computed_is_no_key(given: Callable[[], Any]) -> None:
    """An argument that is not computed may have no value: it is not computed for this."""
    run, calls = counted(lambda v: 1)
    for _ in range(3):
        run((given(),), None, None)
    assert len(calls) == 3


def test_what_reads_the_state_is_not_kept() -> None:
    run, calls = counted(lambda v: 1, level=1)
    for _ in range(3):
        run((1,), None, None)
    assert len(calls) == 3


def test_an_error_is_raised_each_time() -> None:
    def fails(value: Any) -> Any:
        raise EvaluationError("no value")

    run, calls = counted(fails)
    for _ in range(2):
        with pytest.raises(EvaluationError, match="no value"):
            run((1,), None, None)
    assert len(calls) == 2


def test_infinite_sets_and_large_ones_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept has a size."""
    monkeypatch.setattr(calling, "_MOST_MEMBERS", 3)
    for value in (NAT, frozenset(range(4))):
        run, calls = counted(lambda v, value=value: value)
        run((1,), None, None)
        run((1,), None, None)
        assert len(calls) == 2


def test_no_more_values_are_kept_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "_MOST_KEPT", 2)
    run, calls = counted(lambda v: v)
    for value in (1, 2, 2, 3, 1):
        assert run((value,), None, None) == value
    assert len(calls) == 4


def test_it_ends_where_values_do_not_come_again() -> None:
    run, calls = counted(lambda v: v)
    for value in range(300):
        run((value,), None, None)
    run((0,), None, None)
    assert len(calls) == 301


def test_the_values_of_an_operator_are_those_of_its_arguments(tmp_path: Path) -> None:
    """In a module: the same argument in another state, another argument, an argument that has no
    value and is not used."""
    module = tmp_path / "Kept.tla"
    module.write_text(
        "---- MODULE Kept ----\nEXTENDS Integers, FiniteSets\nVARIABLES x, s\n"
        "Least(S) == CHOOSE a \\in S : \\A b \\in S : a <= b\n"
        "Above(S, k, unused) == {a \\in S : a > k}\n"
        "Init == x = 0 /\\ s = {1, 2, 3}\n"
        "Next == \\/ x < 3 /\\ x' = x + 1 /\\ UNCHANGED s\n"
        "        \\/ s # {} /\\ s' = Above(s, Least(s), 1 \\div 0) /\\ UNCHANGED x\n"
        "Inv == s # {} => Least(s) = 4 - Cardinality(s)\n"
        "====\n"
    )
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    found = check(load_module(module), engine="interpret", deadlock=False)
    assert (found.verdict, found.distinct, found.generated) == ("holds", 16, 25)
