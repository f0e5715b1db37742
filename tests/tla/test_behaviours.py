"""Temporal properties of TLA+ modules have TLC's verdicts, with behaviours that show why."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from specmodel.analysis.checking import check
from specmodel.behaviour.replay import Replay
from specmodel.results import Result
from specmodel.tla.loading import load_module
from tests.conftest import Golden, Specmodel
from tests.tla.oracle import BEHAVIOURS, RESULTS, behaviours

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

TLC: dict[str, str] = json.loads(RESULTS.read_text())["behaviours"]


@pytest.mark.parametrize("name", behaviours())
def test_as_tlc(name: str, tmp_path: Path) -> None:
    """Claims of all forms, with fairness of all forms, also where states are constrained."""
    config = tmp_path / "Behaviours.cfg"
    config.write_text(behaviours()[name])
    assert check(load_module(BEHAVIOURS, config)).verdict == TLC[name]


UP = """---- MODULE Up ----
EXTENDS Naturals
VARIABLES n, m
Init == n = 0 /\\ m \\in {0, 1}
Up(k) == n = k /\\ n' = (n + 1) % 4 /\\ UNCHANGED m
Turn == m' = 1 - m /\\ UNCHANGED n
Next == Turn \\/ \\E k \\in 0..2 : Up(k)
Spec == Init /\\ [][Next]_<<n, m>> /\\ (\\A k \\in 0..1 : WF_n(Up(k)))
Odd == Init /\\ [][Next]_<<n, m>> /\\ WF_n(Up(0)) /\\ <>(n = 3)
Both == Init /\\ [][Next]_<<n, m>> /\\ [](<>(m = 0) /\\ <>(m = 1))
Live == LIVE
====
"""


def checked(
    tmp_path: Path, property_: str, more: str = "", spec: str = "Spec"
) -> tuple[Result, str]:
    """The result of a check of one property, and what was remarked."""
    (tmp_path / "Up.tla").write_text(UP.replace("LIVE", property_))
    (tmp_path / "Up.cfg").write_text(f"SPECIFICATION {spec}\nPROPERTY Live\n{more}")
    said: list[str] = []
    given: dict[str, Any] = {"remark": said.append}
    return check(load_module(tmp_path / "Up.tla"), **given), "\n".join(said)


def test_a_violation_is_a_fair_lasso(tmp_path: Path) -> None:
    """Its cycle, how it is fair, since when it violates for which value, and what never happens."""
    live = checked(tmp_path, "\\A k \\in 1..3 : n = k ~> n = 3")[0]["Live"]
    assert live.verdict == "violated" and live.trace is not None and live.lasso is not None
    assert [live.trace.length, live.trace.loop, live.trace.back] == [3, 2, None]
    assert {name: repr(value) for name, value in live.lasso.arguments.items()} == {"k": "1"}
    assert live.lasso.since == 1 and live.lasso.fair
    met = [(m.action, repr(m.arguments["k"]), m.how) for m in live.lasso.fulfilled]
    assert met == [("Up", "0", "never enabled"), ("Up", "1", "never enabled")]
    assert {(m.action, m.remedy) for m in live.lasso.neglected} == {
        ("Turn", "weak"),
        ("Up", "weak"),
    }


@pytest.mark.parametrize(
    ("property_", "kind"),
    [
        ("\\A k \\in 0..1 : [](m = k => n < 4)", "invariant"),
        ("\\A k \\in 0..1 : [](n < 2 + k)", "invariant"),
        ("\\A k \\in 0..1 : n = k", "invariant"),
        ("\\A k \\in 0..1 : [][n' = k]_n", "transition"),
    ],
)
def test_safety_within_quantifiers(property_: str, kind: str, tmp_path: Path) -> None:
    """A formula over constant values is its conjunction: no behaviour is needed to decide it."""
    found, said = checked(tmp_path, property_)
    assert found["Live"].kind == kind and not said
    assert found["Live"].verdict == ("holds" if "=>" in property_ else "violated")


@pytest.mark.parametrize(
    ("property_", "more", "spec", "why"),
    [
        ("\\A k \\in 0..n : <>(n = k)", "", "Spec", "form of a temporal formula"),
        ("CASE n = 0 -> <>(n = 1)", "", "Spec", "form of a temporal formula"),
        (
            " /\\ ".join(f"(<>(n = {k}) \\/ <>[](n = {k + 1}))" for k in range(12)).join(
                ["~(", ")"]
            ),
            "",
            "Spec",
            "more than 20,000 edges",
        ),
        ("<>(n = 1)", "VIEW n\n", "Spec", "not decided with VIEW"),
    ],
)
def test_what_is_not_followed_is_not_decided(
    property_: str, more: str, spec: str, why: str, tmp_path: Path
) -> None:
    """All states are searched, and a remark names the place; nothing is said to hold."""
    found, said = checked(tmp_path, property_, more, spec)
    assert found["Live"].verdict == found.verdict == "incomplete"
    assert found.complete and "not all properties are decided" in found.stopped
    assert (
        "Live is not decided" in said and why in said and ("Up.tla:" in said or "Up.cfg:" in said)
    )


@pytest.mark.parametrize("engine", ["interpret", "native"])
@pytest.mark.parametrize(
    ("property_", "spec", "verdict"),
    [
        ("<><<Up(0)>>_n", "Spec", "holds"),
        ("<><<Turn>>_m", "Spec", "violated"),
        ("[](n = 1 => <><<Up(1)>>_n)", "Spec", "holds"),
        ("[](n = 2 => <><<Up(2)>>_n)", "Spec", "violated"),
        ("([]<>(m = 0)) <=> ([]<>(m = 1))", "Spec", "violated"),
        ("(n = 0) <=> <>(n = 1)", "Spec", "holds"),
        ("\\E k \\in 0..3 : <>[](n = k)", "Spec", "holds"),
        ("\\E k \\in 0..1 : <>[](m = k)", "Spec", "violated"),
        ("<>(n = 3)", "Odd", "holds"),
        ("[]<>(n = 3) /\\ []<>(m = 0)", "Odd", "violated"),
        ("[]<>(m = 0) /\\ []<>(m = 1)", "Both", "holds"),
        ("<>(n = 1)", "Both", "violated"),
    ],
)
def test_other_forms(property_: str, spec: str, verdict: str, engine: str, tmp_path: Path) -> None:
    """Forms that TLC does not follow, or that have no decision of their own, by both engines."""
    (tmp_path / "Up.tla").write_text(UP.replace("LIVE", property_))
    (tmp_path / "Up.cfg").write_text(f"SPECIFICATION {spec}\nPROPERTY Live\n")
    assert check(load_module(tmp_path / "Up.tla"), engine=engine)["Live"].verdict == verdict


def test_truths_of_a_violation(tmp_path: Path) -> None:
    """The states in which the predicates of a formula are true, and those before such steps."""
    live = checked(tmp_path, "[](n = 1 => <>(m = 1 \\/ n = 3)) \\/ <><<Turn>>_m")[0]["Live"]
    assert live.verdict == "violated" and live.trace is not None and live.lasso is not None
    assert live.lasso.truths == {"n = 1": (1,), "m = 1 \\/ n = 3": (), "<<Turn>>_m": ()}


def test_limits_leave_it_undecided(tmp_path: Path) -> None:
    """On some of the states, a behaviour could seem to be stuck."""
    (tmp_path / "Up.tla").write_text(UP.replace("LIVE", "<>(n = 3)"))
    (tmp_path / "Up.cfg").write_text("SPECIFICATION Spec\nPROPERTY Live\n")
    found = check(load_module(tmp_path / "Up.tla"), max_depth=2)
    assert found["Live"].verdict == "incomplete" and found.stopped == "max-depth"


def test_the_report(tmp_path: Path, specmodel: Specmodel, golden: Golden) -> None:
    """The behaviour and why it is allowed, as for a Python spec."""
    config = tmp_path / "Behaviours.cfg"
    config.write_text(behaviours()["Weak ServedEach"])
    ran = specmodel("check", BEHAVIOURS, "--config", config)
    assert ran.code == 1
    golden("check-Behaviours.txt", ran.out)


VIOLATED = ["Unfair Begins", "Weak ServedEach", "Unfair IfStays", "Weak Settles", "Whole Quiet"]


@pytest.mark.parametrize("name", [name for name in VIOLATED if TLC[name] == "violated"])
def test_a_saved_behaviour_violates_it_still(
    name: str, tmp_path: Path, specmodel: Specmodel
) -> None:
    """`trace` says of a behaviour in a file what the check said of it."""
    shutil.copy(BEHAVIOURS, tmp_path)
    shutil.copy(BEHAVIOURS.parent / "Count.tla", tmp_path)
    (tmp_path / "Behaviours.cfg").write_text(behaviours()[name])
    module, trace = tmp_path / "Behaviours.tla", tmp_path / "x.itf.json"
    said = specmodel("check", module, "--trace-out", trace).out
    ran = specmodel("trace", trace, "--design", module)
    property_ = name.split()[1]
    assert ran.code == 0 and f"{property_} is violated by it" in ran.out
    why = said[said.index(f"\n{property_}") : said.index("What could happen")]
    assert why in ran.out


def test_a_behaviour_that_does_not_violate_it(tmp_path: Path) -> None:
    """A start that stays for ever is not fair; a way round through the goal satisfies it."""
    (tmp_path / "Up.tla").write_text(UP.replace("LIVE", "n < 3 ~> n = 3"))
    (tmp_path / "Up.cfg").write_text("SPECIFICATION Spec\nPROPERTY Live\n")
    design = load_module(tmp_path / "Up.tla")
    found = check(design)["Live"].trace
    assert found is not None and found.loop is not None
    replay = Replay(design, list(found.states), [])
    assert replay.violates("Live", replay.trace(found.loop)) is True
    start = Replay(design, list(found.states[:1]), [])
    lasso = start.lasso("Live", start.trace(0))
    assert lasso is not None and not lasso.fair
    assert start.violates("Live", start.trace(0)) is False
