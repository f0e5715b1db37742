"""Traces of TLA+ modules: what the ALIAS shows of them, and their ITF files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specmodel.analysis.checking import check
from specmodel.explorer.opening import open_target
from specmodel.explorer.reading import DesignReading
from specmodel.traces.itf_read import read_itf
from tests.conftest import Specmodel
from tests.tla.test_command import in_modules

ALIASED = r"""---- MODULE Aliased ----
EXTENDS Naturals, TLC
VARIABLES n, on
Init == n = 0 /\ on = FALSE
Up == n < 3 /\ n' = n + 1 /\ UNCHANGED on
Flip == on' = ~on /\ UNCHANGED n
Next == Up \/ Flip
Spec == Init /\ [][Next]_<<n, on>> /\ WF_<<n, on>>(Next)
Small == n < 3
Goes == <>(n = 3)
Alias == [count |-> n, next |-> n', moves |-> n' # n]
Part == [count |-> n, below |-> IF n = 2 THEN Nat ELSE CHOOSE i \in {} : TRUE]
Several == <<n, on>>
Far == [level |-> TLCGet("diameter")]
Levels == [at |-> TLCGet("level"), count |-> n, after |-> TLCGet("level")']
Near == TLCGet("level") < 9
====
"""

CHECKED = "INIT Init\nNEXT Next\nINVARIANT Small\nALIAS {alias}\n"


@pytest.fixture
def aliased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module whose configurations name an ALIAS."""
    in_modules(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Aliased.tla").write_text(ALIASED)
    return tmp_path


def states_of(
    specmodel: Specmodel, folder: Path, config: str
) -> tuple[list[dict[str, object]], str]:
    """The states in the ITF file of a counterexample, and what the command said beside it."""
    (folder / "Aliased.cfg").write_text(config)
    ran = specmodel("check", "Aliased.tla", "--trace-out", "x.itf.json")
    assert ran.code == 1
    states = json.loads((folder / "x.itf.json").read_text())["states"]
    return [{k: v for k, v in state.items() if k != "#meta"} for state in states], ran.err


def number(value: int) -> dict[str, str]:
    return {"#bigint": str(value)}


def test_an_alias_shows_both_states_of_a_step(specmodel: Specmodel, aliased: Path) -> None:
    """The successor of the last state is itself: TLC shows the same four states."""
    found, _ = states_of(specmodel, aliased, CHECKED.format(alias="Alias"))
    assert found == [
        {"count": number(n), "next": number(min(n + 1, 3)), "moves": n < 3} for n in range(4)
    ]


def test_an_alias_is_for_reports_alone(aliased: Path) -> None:
    """A search gives the states of the module: the explorer goes on from them."""
    (aliased / "Aliased.cfg").write_text(CHECKED.format(alias="Alias"))
    reading = open_target("Aliased.tla", {})
    assert isinstance(reading, DesignReading)
    found = check(reading.design)["Small"].trace
    assert found is not None
    assert str(reading.tree.branch_of(found)) == "i0.0.0.0"


def test_an_alias_in_a_lasso(specmodel: Specmodel, aliased: Path) -> None:
    """The successor of a lasso's last state is the one that it goes back to."""
    found, _ = states_of(specmodel, aliased, "SPECIFICATION Spec\nPROPERTY Goes\nALIAS Alias\n")
    assert [state["moves"] for state in found] == [False] * len(found)


@pytest.mark.parametrize("alias", ["Part", "Several"])
def test_an_alias_without_a_record(specmodel: Specmodel, aliased: Path, alias: str) -> None:
    """Where it is no record, or has no value, the trace shows the variables, as TLC does."""
    found, _ = states_of(specmodel, aliased, CHECKED.format(alias=alias))
    assert [sorted(state) for state in found] == [["n", "on"]] * 4


@pytest.mark.parametrize("more", ["", "CONSTRAINT Near\n"])
def test_an_alias_of_levels(specmodel: Specmodel, aliased: Path, more: str) -> None:
    """Each state of the trace has its level, and that of the next state is one more, as in TLC."""
    found, _ = states_of(specmodel, aliased, CHECKED.format(alias="Levels") + more)
    expected = [{"at": i, "count": i - 1, "after": i + 1} for i in range(1, 5)]
    assert found == [{name: number(value) for name, value in state.items()} for state in expected]


def test_an_alias_that_is_not_followed(specmodel: Specmodel, aliased: Path) -> None:
    """The search goes on; a note says why the trace shows the variables."""
    found, said = states_of(specmodel, aliased, CHECKED.format(alias="Far"))
    assert [sorted(state) for state in found] == [["n", "on"]] * 4
    assert "ALIAS is not followed, traces show the variables" in said


def test_values_in_itf(
    monkeypatch: pytest.MonkeyPatch, specmodel: Specmodel, tmp_path: Path
) -> None:
    """Functions are maps, functions of strings are records, model values and strings are text."""
    in_modules(monkeypatch)
    file = tmp_path / "locks.itf.json"
    config = ("--config", "Locks-both.cfg")
    assert specmodel("check", "Locks.tla", *config, "--trace-out", file).code == 1
    state = json.loads(file.read_text())["states"][1]
    assert state == {
        "#meta": {"index": 1, "action": "Ask(c=c1, l=l1)"},
        "holder": {"#map": [["l1", "None"], ["l2", "None"]]},
        "messages": {"#set": [{"client": "c1", "kind": "ask", "lock": "l1"}]},
        "served": number(0),
    }
    assert read_itf(file).actions[1] == "Ask(c=c1, l=l1)"
    reading = open_target(str(file), {})
    assert reading.about()["notice"] == ""
