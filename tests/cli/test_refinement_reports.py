"""What commands say of a refinement: both states, why no abstract step fits, in each form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Specmodel
from tests.engines.test_refinement import QUEUE
from tests.written import written

STEP = """
  4  forget()
        called        n1 → None
        served        +n1   → {n1}
        queue         has no such step
        queue.served  +n1   → {n1}
"""

WHY = """
line is false:
  ✗ no step of queue: served changes from {} to {n1}
    ✗ join(n=n2) leads to waiting = [n1, n2], not [n1]; served = {}, not {n1}
    ✗ join(n=n1) cannot happen: n1 is in waiting = [n1]
    ✗ serve(n=#1: n1) leads to waiting = [], not [n1]
"""

START = """
  1  initial state
        waiting        = []
        called         = None
        served         = {n1}
        queue.waiting  = []
        queue.served   = {n1}

line is false:
  ✗ queue does not start with waiting = [], served = {n1}
    ✗ it may start with served = {}, not {n1}
"""

FAIR = """
waited = queue.under(strong(serve))

@refines(waited)
def waiting(s: Office) -> Queue:
    return line(s)

idle = office.adding(liveness=[waiting], fairness=[weak(enter), weak(call)])

@action
def again(s: Office) -> None:
    s.called = None

circling = idle.adding(actions=[again], fairness=[weak(again)])
"""

STAYS = """
  ┌ repeated for ever from here
  │4  enter(n=n2)
  │      waiting         append n2
  │      waited          join(n=n2)
  │      waited.waiting  append n2
  └ stays in state 4, for ever

waiting_liveness is false: strong fairness of serve in waited
  it is enabled from state 4 on, and never taken
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The specs, in the current folder, as traces run no code of others."""
    monkeypatch.chdir(tmp_path)
    return written(tmp_path, QUEUE)


def recorded(specmodel: Specmodel, file: Path, design: str) -> Path:
    """A saved counterexample."""
    trace = file.parent / "trace.itf.json"
    assert specmodel("check", f"{file}:{design}", "--trace-out", trace).code == 1
    return trace


def test_step(specmodel: Specmodel, file: Path) -> None:
    """`check`, `trace` and `why` say which abstract step each step is, and why the last is none."""
    ran = specmodel("check", f"{file}:forgetful")
    assert ran.code == 1 and STEP in ran.out and WHY in ran.out
    assert "        queue   stays as it is\n" in ran.out
    trace = recorded(specmodel, file, "forgetful")
    ran = specmodel("trace", trace)
    assert ran.code == 0 and STEP in ran.out and WHY in ran.out
    assert WHY in specmodel("why", trace).out
    (truth,) = json.loads(specmodel("why", trace, "--format", "json").out)["properties"]
    assert truth["why"]["said"] == "no step of queue: served changes from {} to {n1}"
    assert specmodel("replay", trace, "--on", f"{file}:forgetful").code == 0


def test_initial_state(specmodel: Specmodel, file: Path) -> None:
    """A counterexample of one state: `check`, `trace`, `why`, `counterexamples`, `minimise`."""
    assert START in specmodel("check", f"{file}:crowd").out
    trace = recorded(specmodel, file, "crowd")
    assert START.lstrip() in specmodel("trace", trace).out
    assert START.partition("line is")[2] in specmodel("why", trace).out
    assert "1 counterexample" in specmodel("counterexamples", f"{file}:crowd").out
    assert specmodel("minimise", trace).code == 0
    (found,) = json.loads(specmodel("check", f"{file}:crowd", "--format", "json").out)["properties"]
    assert (found["verdict"], found["trace_length"]) == ("violated", 1)


def test_behaviour(specmodel: Specmodel, file: Path) -> None:
    """A behaviour without end: the abstract steps beside its own, what fails there and since when;
    the same of a saved trace, and in the page.
    """
    text = file.read_text().replace("import pick, refines", "import pick, refines, strong, weak")
    file.write_text(text + FAIR, encoding="utf-8")
    ran = specmodel("check", f"{file}:idle")
    assert ran.code == 1 and STAYS in ran.out, ran.out
    trace = recorded(specmodel, file, "idle")
    assert STAYS in specmodel("trace", trace).out
    page = file.parent / "idle.html"
    assert specmodel("explore", trace, "--export", page).code == 0
    assert "strong fairness of serve in waited" in page.read_text()
    found = json.loads(specmodel("check", f"{file}:idle", "--format", "json").out)["properties"]
    assert ("waiting_liveness", "refinement", "violated") in [
        (each["name"], each["kind"], each["verdict"]) for each in found
    ]
    ran = specmodel("check", f"{file}:circling")
    assert "it is enabled in state" in ran.out, ran.out
    assert "waiting_liveness" in specmodel("show", f"{file}:idle").out
    assert "refines fairness and liveness of waited" in specmodel("show", f"{file}:idle").out


def test_explored(specmodel: Specmodel, file: Path) -> None:
    """The page of a counterexample has the reasons."""
    for design in ("forgetful", "crowd"):
        page = file.parent / f"{design}.html"
        trace = recorded(specmodel, file, design)
        assert specmodel("explore", trace, "--export", page).code == 0
        assert "of queue" in page.read_text() or "queue does not start" in page.read_text()


def test_saved_space(specmodel: Specmodel, file: Path) -> None:
    """A saved space has the violations of a refinement: a step, or an initial state."""
    asked = "select property, depth, action from violations"
    for design, row in (("forgetful", ["line", 3, "forget"]), ("crowd", ["line", 1, None])):
        folder = file.parent / design
        specmodel("check", f"{file}:{design}", "--save-space", folder)
        found = json.loads(specmodel("query", folder, asked, "--format", "json").out)
        assert [list(violation.values()) for violation in found] == [row]


def test_proof(specmodel: Specmodel, file: Path) -> None:
    """A proof of a refinement has the initial states among its obligations."""
    ran = specmodel("prove", f"{file}:crowd", "--invariant", "line")
    assert ran.code == 1 and START in ran.out
    ran = specmodel("prove", f"{file}:office", "--invariant", "line", "--format", "json")
    kinds = {(o["kind"], o["status"]) for o in json.loads(ran.out)["obligations"]}
    assert ("initiation", "proved") in kinds
