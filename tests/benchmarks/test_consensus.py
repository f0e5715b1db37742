"""TLC searches the consensus protocols with the bounds that specmodel has."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.consensus import CASES, ConsensusCase, without_history
from benchmarks.peers import tlc
from benchmarks.process import NotPresentError
from specmodel import load

MODULE = """\
---- MODULE raft ----
\\* A history variable.
VARIABLE elections
VARIABLE log
vars == <<messages, elections, log>>
InitHistoryVars == /\\ elections = {}
                   /\\ voterLog = [i \\in Server |-> <<>>]
Init == /\\ messages = <<>>
        /\\ InitHistoryVars
        /\\ log = <<>>
Lead ==
    /\\ elections' = elections \\cup
                        {[elog |-> log]}
    /\\ Send([mtype |-> m,
             mlog  |-> log,
             mdest |-> j])
    /\\ UNCHANGED <<log, elections>>
====
"""

WITHOUT = """\
---- MODULE raft ----
\\* A history variable.
VARIABLE log
vars == <<messages, log>>
Init == /\\ messages = <<>>
        /\\ log = <<>>
Lead ==
    /\\ Send([mtype |-> m,
             mdest |-> j])
    /\\ UNCHANGED <<log>>
====
"""


def test_history_is_left_out() -> None:
    """A history that stayed would multiply TLC's states; a step that went would lose some."""
    assert without_history(MODULE) == WITHOUT


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.design)
def test_every_constant_is_named(case: ConsensusCase) -> None:
    """A constant left at its default would measure another size when the default changes."""
    assert set(case.constants) == set(load(case.design).constants)


def test_models_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TLC finds the module with its neighbours, what they extend, and the bounds."""
    monkeypatch.setattr(shutil, "which", lambda program: program)
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "Paxos.tla").write_text("paxos\n", encoding="utf-8")
    (modules / "Voting.tla").write_text("voting\n", encoding="utf-8")
    case = next(case for case in CASES if case.design == "paxos")
    tlc.prepare(tmp_path, [tmp_path, modules], 2, case.model(), tmp_path / "run")
    written = {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "run").iterdir()}
    assert written["Paxos.tla"] == "paxos\n" and written["Voting.tla"] == "voting\n"
    assert written["TLAPS.tla"].startswith("---- MODULE TLAPS ----\n")
    assert "MaxBallot = 2\n" in written["Benchmark.cfg"]
    assert "Acceptor = {a1, a2, a3, a4}\n" in written["Benchmark.cfg"]
    with pytest.raises(NotPresentError, match=r"raft\.tla: clone ongardie/raft\.tla"):
        tlc.prepare(tmp_path, [modules], 2, CASES[-1].model(), tmp_path / "other")
