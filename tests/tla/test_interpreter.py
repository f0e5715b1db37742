"""A module's steps one by one: the same states as TLC, traces run again, reasons, the explorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.explorer.branch import Branch
from specmodel.explorer.driving import Driving
from specmodel.explorer.opening import open_target
from specmodel.explorer.reading import DesignReading
from specmodel.tla.explaining import TermExplainer
from specmodel.tla.loading import ModuleModel, load_module
from specmodel.tla.written import values_of
from tests.conftest import Specmodel
from tests.tla.oracle import RESULTS, configurations, module_of

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

TLC: dict[str, Any] = json.loads(RESULTS.read_text())

LEASE = r"""---- MODULE Lease ----
EXTENDS FiniteSets, Naturals
CONSTANTS Client, Most
VARIABLES free, holding, line
Init == free = TRUE /\ holding = {} /\ line = [c \in Client |-> <<>>]
\* A client that finds
\* the lock free takes it.
Take(c) == /\ free
           /\ line[c] = <<>>
           /\ free' = FALSE
           /\ holding' = holding \cup {c}
           /\ line' = [line EXCEPT ![c] = Append(@, "took")]
Expire == ~free /\ free' = TRUE /\ UNCHANGED <<holding, line>>
Next == Expire \/ \E c \in Client : Take(c)
Spec == Init /\ [][Next]_<<free, holding, line>>
Few(held) == Cardinality(held) <= Most
Exclusive == TRUE /\ Few(holding)
Once == [][\A c \in Client : c \in holding => c \in holding']_line
====
"""


@pytest.fixture
def lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module whose lock expires, and the trace of a check of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Lease.tla").write_text(LEASE.replace("EXTENDS ", "EXTENDS Sequences, "))
    (tmp_path / "Lease.cfg").write_text(
        "CONSTANTS Client = {c1, c2}\nMost = 1\nSPECIFICATION Spec\nINVARIANT Exclusive\n"
        "PROPERTY Once\nCHECK_DEADLOCK FALSE\n"
    )
    return tmp_path


@pytest.fixture
def trace(lease: Path, specmodel: Specmodel) -> Path:
    """The counterexample."""
    assert specmodel("check", "Lease.tla", "--trace-out", "x.itf.json").code == 1
    return lease / "x.itf.json"


def plain(path: Path) -> bool:
    """Whether a configuration counts each state of its module."""
    text = path.read_text()
    wanted = TLC[path.stem].get("distinct")
    return bool(wanted) and not any(word in text for word in ("VIEW", "SYMMETRY", "ASSUME"))


# Some states of Leveled have two levels.
@pytest.mark.parametrize(
    "file",
    [path for path in configurations() if plain(path) and path.stem != "Leveled"],
    ids=lambda path: path.stem,
)
def test_the_states_are_those_of_tlc(file: Path) -> None:
    """All states are found step by step, and each step is one of the bindings of its state."""
    steps = Interpreter.of(load_module(module_of(file), file).spec)
    seen = dict.fromkeys(state for state in steps.initial() if steps.inside(state))
    waiting = list(seen)
    while waiting:
        state = waiting.pop()
        for number, after in steps.successors(state):
            assert steps.number_of(str(steps.step(number, state)), state) is not None
            assert steps.successor(state, number) == after
            if after not in seen and steps.inside(after):
                seen[after] = None
                waiting.append(after)
    assert len(seen) == TLC[file.stem]["distinct"]


@pytest.mark.parametrize(
    "file",
    [p for p in configurations() if plain(p) and "ACTION_CONSTRAINT" not in p.read_text()],
    ids=lambda path: path.stem,
)
def test_explanations_say_what_is_true(file: Path) -> None:
    """In the first states, the guards of a binding say whether it can happen, and the explanation
    of a property whether it holds."""
    design = load_module(module_of(file), file)
    assert isinstance(design.spec, ModuleModel)
    steps = design.spec.interpreter()
    explainer = TermExplainer(design.spec.specification.builder)
    waiting = list(steps.initial())[:5]
    for state in waiting:
        for number in steps.numbers_in(state):
            after, found = steps.successor(state, number), steps.found_in(state)[number]
            read = explainer.guarded(found.action, found.bound, values_of(state))
            assert read.enabled == (after is not None), steps.step(number, state)
            if after is not None and len(waiting) < 20 and after not in waiting:
                waiting.append(after)
            behaviour = [state] if after is None else [state, after]
            for rule in design.spec.properties:
                if held := steps.about(rule, behaviour):
                    assert steps.explained(rule, held).value == steps.holds(rule, *held), rule.name


def test_a_trace_is_run_again(trace: Path, specmodel: Specmodel) -> None:
    """`trace` finds each step to be one of the module, and the violation at the end."""
    ran = specmodel("trace", trace)
    assert ran.code == 0
    assert "Lease allows each of the 3 steps and Exclusive is violated at its end" in ran.out
    changed = trace.read_text().replace('"free": false', '"free": true', 1)
    trace.write_text(changed)
    ran = specmodel("trace", trace)
    assert ran.code == 2
    assert "Take(c=c1) leads elsewhere: free is TRUE in the trace, FALSE by the spec" in ran.err


def test_a_lasso_is_judged(lease: Path, specmodel: Specmodel) -> None:
    """A behaviour in a file is of the configuration that it names, and violates its property."""
    (lease / "Lease.tla").write_text(
        (lease / "Lease.tla").read_text().replace("====", "Held == <>(holding = Client)\n====")
    )
    (lease / "Live.cfg").write_text(
        "CONSTANTS Client = {c1, c2}\nMost = 2\nSPECIFICATION Spec\nPROPERTY Held\n"
    )
    assert specmodel("check", "Lease.tla:Live.cfg", "--trace-out", "l.itf.json").code == 1
    assert '"source": "Lease.tla:Live.cfg"' in (lease / "l.itf.json").read_text()
    ran = specmodel("trace", "l.itf.json")
    last = "Lease allows each of the 0 steps and Held is violated by it"
    assert (ran.code, ran.out.splitlines()[-1]) == (0, last)


def test_why_an_action_cannot_happen(trace: Path, specmodel: Specmodel) -> None:
    """Its guards in order, those behind a false one too, with what wrote the value last."""
    ran = specmodel("why", trace, "--action", "Take(c=c1)")
    assert ran.code == 0
    assert [" ".join(line.split()) for line in ran.out.splitlines()[2:6]] == [
        "Take(c=c1) cannot happen:",
        "✗ free free is false (Lease.tla:8)",
        "free since state 4, Take(c=c2)",
        '✗ line[c] = <<>> line[c1] is <<"took">>, not <<>> (Lease.tla:9)',
    ]


def test_why_a_property_is_false(trace: Path, specmodel: Specmodel) -> None:
    """Definitions are followed to the condition that is false, with the values it compares."""
    ran = specmodel("why", trace, "--invariant", "Exclusive")
    told = [line.strip() for line in ran.out.splitlines()]
    start = told.index("Exclusive is false:")
    assert told[start + 1 : start + 6] == [
        "✗ Exclusive",
        "✗ TRUE /\\ Few(holding)",
        "✓ TRUE",
        "✗ Few(holding)",
        "✗ Cardinality(held) <= Most",
    ]
    assert told[start + 6].startswith("Cardinality(held) = 2")


def test_the_explorer_drives_a_module(trace: Path) -> None:
    """Actions with comments and source, their bindings, reasons, and the verdicts of a search."""
    reading = open_target(str(trace), {})
    assert isinstance(reading, DesignReading)
    assert reading.about()["notice"] == ""
    expire = next(a for a in reading.about()["actions"] if a["name"] == "Expire")
    assert expire["source"].splitlines() == [
        "Expire == ~free /\\ free' = TRUE /\\ UNCHANGED <<holding, line>>"
    ]
    take = next(a for a in reading.about()["actions"] if a["name"] == "Take")
    assert take["summary"] == "A client that finds the lock free takes it."
    assert take["source"].startswith("Take(c) == /\\ free") and "Append" in take["source"]
    driving, start = Driving(reading), Branch("t", 1)
    groups = {g["action"]: g["bindings"] for g in driving.moves(start, 1)["groups"]}
    assert [("changes" in b) for b in groups["Expire"]] == [False]
    assert [b["arguments"] for b in groups["Take"]] == [[["c", "c1"]], [["c", "c2"]]]
    assert groups["Take"][0]["same"] == "the same as state 2 of the trace"
    (why,) = driving.reasons(start, 1, "Expire")
    assert why["enabled"] is False and why["guards"][0]["said"] == "free is true"
    taken = Branch("t", 3).then(groups["Take"][1]["binding"])
    assert reading.tree.nodes(taken)[-1].state == reading.tree.nodes(Branch("t", 4))[-1].state
    truths = [step["truths"] for step in reading.spine(Branch("t", 4), 1, 4)["steps"]]
    assert truths == ["1-", "11", "11", "01"]


def test_records_with_their_fields_in_another_order(lease: Path, specmodel: Specmodel) -> None:
    """A step is named alike, however the module writes an equal record: the trace is run again."""
    (lease / "Net.tla").write_text(
        "---- MODULE Net ----\nEXTENDS Naturals\nVARIABLES sent, n\n"
        "Init == n = 0 /\\ sent = {[to |-> 1, kind |-> 2]}\n"
        "Get(m) == n' = n + m.kind /\\ sent' = sent \\cup {[kind |-> 2, to |-> 1]}\n"
        "Next == \\E m \\in sent : Get(m) (* a note *)\n"
        "Low == LET twice == n * 2 IN \\* of the number\n         twice < 4\n====\n"
    )
    (lease / "Net.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    ran = specmodel("check", "Net.tla", "--trace-out", "n.itf.json")
    assert ran.code == 1 and "Get(m=[kind |-> 2, to |-> 1])" in ran.out
    told = [" ".join(line.split()) for line in ran.out.splitlines()]
    start = told.index("✗ LET twice == n * 2 IN twice < 4")
    assert told[start + 1 : start + 3] == ["✗ twice < 4", "twice = 4"]
    ran = specmodel("trace", "n.itf.json")
    assert "Net allows the 1 step" in ran.out or "Net allows each of the 1 step" in ran.out


def test_a_replay_on_another_configuration(trace: Path, specmodel: Specmodel) -> None:
    """Where the bound is higher, the same steps violate nothing."""
    text = Path("Lease.cfg").read_text().replace("Most = 1", "Most = 2")
    Path("More.cfg").write_text(text)
    ran = specmodel("replay", trace, "--on", "Lease.tla:More.cfg")
    assert "each of the 3 steps can happen, but Exclusive holds at the end" in ran.out
