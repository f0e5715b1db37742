"""Behaviours that go round for ever, as the command line shows, saves and reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Specmodel

COUNTER = "tests/specs/waiting.py:counter"

LASSO = """\
Counterexample to has_a_turn (leads_to), 2 states, the last 2 round and round for ever:

  ┌ repeated for ever from here
  │1  initial state
  │      waiting  = None
  │2  come(t=t2)
  │      waiting  None → t2
  │   serve(t=t2)
  │      waiting  t2 → None
  └ back to state 1, for ever

has_a_turn(t=t1) is false from state 1 on, where gone is true

It may go round for ever:
  taken on the cycle: weak fairness of serve(t=t2) (from state 2), weak fairness of come (from state
      1)
  never enabled: weak fairness of serve(t=t1)

What could happen and never does:
  come(t=t1): enabled in state 1; strong fairness of it would rule this out
"""


def test_a_counterexample_says_why_it_is_one(specmodel: Specmodel) -> None:
    """Prefix, cycle, the fairness that it meets, and what it neglects."""
    ran = specmodel("check", COUNTER, "--invariant", "has_a_turn")
    assert ran.code == 1
    assert ran.out.startswith(LASSO)


def test_a_loop_is_saved_and_read_again(specmodel: Specmodel, tmp_path: Path) -> None:
    """The file has the index of the state that the last one goes back to, and by which step."""
    file = tmp_path / "round.itf.json"
    specmodel("check", COUNTER, "--trace-out", str(file))
    held = json.loads(file.read_text(encoding="utf-8"))
    assert (held["loop"], held["#meta"]["loop-action"]) == (0, "serve(t=t2)")
    ran = specmodel("trace", str(file))
    assert ran.code == 0
    assert "weak fairness of serve(t=t2) (from state 2)" in ran.out
    assert ran.out.endswith("counter allows each of the 2 steps and has_a_turn is violated by it\n")


def test_a_loop_that_does_not_close_is_refused(specmodel: Specmodel, tmp_path: Path) -> None:
    """Every step of a cycle is one that the spec allows."""
    file = tmp_path / "round.itf.json"
    specmodel("check", COUNTER, "--trace-out", str(file))
    held = json.loads(file.read_text(encoding="utf-8"))
    held["states"].append({"waiting": {"tag": "None", "value": {"#tup": []}}})
    held["states"].append({"waiting": {"tag": "Some", "value": "t1"}})
    held["loop"] = 1
    file.write_text(json.dumps(held), encoding="utf-8")
    ran = specmodel("trace", str(file))
    assert ran.code == 2
    assert "no step leads from the last state back to state 2" in ran.err


def test_an_unfair_loop_violates_nothing(specmodel: Specmodel, tmp_path: Path) -> None:
    """To stop while someone waits is not fair: the property is not broken by it."""
    file = tmp_path / "stop.itf.json"
    specmodel("check", COUNTER, "--trace-out", str(file))
    held = json.loads(file.read_text(encoding="utf-8"))
    held["loop"] = 1
    file.write_text(json.dumps(held), encoding="utf-8")
    ran = specmodel("trace", str(file))
    assert ran.code == 0
    assert "NEGLECTED: enabled and never taken: weak fairness of serve(t=t2)" in ran.out
    assert "has_a_turn is not violated: the behaviour is not fair" in ran.out


def test_a_search_that_is_cut_short_decides_nothing(specmodel: Specmodel) -> None:
    """A temporal property needs all states: what is missing may be what has to happen."""
    ran = specmodel("check", COUNTER, "--max-states", "1")
    assert ran.code == 3
    assert "not decided" in ran.out


def test_the_overview_has_the_fairness(specmodel: Specmodel) -> None:
    """`show` says what is fair, for each value of what, and in what a derived design differs."""
    shown = specmodel("show", "tests/specs/waiting.py:each_in_turn").out
    assert "  weak    serve\n  strong  come   for each t" in shown
    assert "other  fairness  weak(serve), strong(come, per t)" in shown


def test_a_temporal_property_is_true_of_no_state(specmodel: Specmodel, tmp_path: Path) -> None:
    """Asking why it is false in a state gets an answer, not a wrong one."""
    file = tmp_path / "round.itf.json"
    specmodel("check", COUNTER, "--trace-out", str(file))
    ran = specmodel("why", str(file), "--invariant", "has_a_turn")
    assert ran.code == 2
    assert "has_a_turn is about behaviours" in ran.err


def test_random_walks_leave_temporal_properties_alone(specmodel: Specmodel) -> None:
    """A walk ends; that it broke nothing says nothing of what goes on for ever."""
    ran = specmodel("simulate", COUNTER, "--walks", "10")
    assert "served" not in ran.out
    ran = specmodel("simulate", COUNTER, "--walks", "10", "--invariant", "served")
    assert (ran.code, "served is about behaviours" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--symmetry", "cannot be checked with symmetry: fairness tells actors apart"),
        ("--compress", "need every state in memory as it is"),
    ],
)
def test_searches_that_would_answer_wrongly_are_refused(
    specmodel: Specmodel, option: str, told: str
) -> None:
    """States that stand for others, or are not all there, have no cycles to be trusted."""
    ran = specmodel("check", COUNTER, option)
    assert ran.code == 2
    assert f"temporal properties (served, has_a_turn) {told}" in ran.err


def test_what_nothing_leads_to_is_hollow(specmodel: Specmodel, tmp_path: Path) -> None:
    """A property holds if its antecedent is never true, and says nothing then."""
    text = Path("tests/specs/waiting.py").read_text(encoding="utf-8")
    file = tmp_path / "waiting.py"
    file.write_text(text.replace("require(s.waiting is None)", "require(False)"), encoding="utf-8")
    ran = specmodel("check", f"{file}:counter", "--invariant", "served")
    assert ran.code == 0
    assert "warning: served says nothing: waits is true in no state" in ran.out
