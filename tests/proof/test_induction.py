"""What counts as proved is proved, and what is not is shown with the step that breaks it."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from specmodel import api
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.errors import Span, UsageError
from specmodel.lang.packages import Edit
from specmodel.proof import ObligationOutcome, Proof
from specmodel.proof.reach import reach
from specmodel.suite.targets import load_target

TURNS = Path(__file__).parents[1] / "specs" / "turns.py"
MODELS = Path(__file__).parents[2] / "models" / "kafka" / "replication"


SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def turns(spec: str = "turns") -> Design:
    return api.load(f"{TURNS}:{spec}")


def failures(proof: Proof) -> set[tuple[str, str, str]]:
    return {(o.obligation.kind, o.obligation.claim, o.obligation.action) for o in proof.failed}


def assert_shows(design: Design, outcome: ObligationOutcome, claims: Sequence[str]) -> None:
    """By CPython: claims hold in all states of a trace but the last, which a step leads to."""
    interpreter, trace = Interpreter(design.spec), outcome.trace
    assert trace is not None
    rules = {rule.name: rule for rule in design.spec.properties}
    for state in trace.states[:-1]:
        assert all(interpreter.holds(rules[name], state) for name in claims)
    assert not interpreter.holds(rules[outcome.obligation.claim], trace.states[-1])
    assert interpreter.behaviour(trace.states).steps[-1].action == outcome.obligation.action


def test_a_lemma_makes_an_invariant_inductive() -> None:
    """Alone it is broken by a step from a state that is not reachable; the lemma rules that out."""
    design = turns()
    alone = api.prove(design, properties=["one_inside"], lemmas=())
    assert alone.verdict == "failed"
    assert failures(alone) == {("consecution", "one_inside", "enter")}
    assert_shows(design, alone.failed[0], ["one_inside"])
    assert reach(design, alone, 1).answer == "unreachable"
    together = api.prove(design, properties=["one_inside"], lemmas=["only_in_turn"])
    assert together.verdict == "proved"
    kinds = {o.obligation.kind for o in together.outcomes if o.obligation.claim == "one_inside"}
    assert kinds == {"implication"}


def test_false_invariant() -> None:
    """The proof fails at the action that breaks it, and a search says that no lemma can help."""
    design = turns("barging")
    proof = api.prove(design, properties=["one_inside"], lemmas=["only_in_turn"])
    assert ("consecution", "only_in_turn", "barge_in") in failures(proof)
    known = reach(design, proof, 1)
    assert known.answer == "reachable"
    assert {found.name for found in known.violated} >= {"one_inside"}
    wrong = api.prove(turns("lamp"), properties=["light_low"], lemmas=())
    assert failures(wrong) == {("consecution", "light_low", "shine")}
    (failed,) = wrong.failed
    assert failed.trace is not None
    assert [state.light for state in failed.trace.states] == [1, 2]


def test_counterexamples_are_as_simple_as_can_be() -> None:
    """What has nothing to do with it is as in an initial state."""
    proof = api.prove(turns(), properties=["one_inside"], lemmas=())
    trace = proof.failed[0].trace
    assert trace is not None
    before = trace.states[0]
    assert (before.entered, before.light) == (0, 0)


def test_k_induction() -> None:
    """A state that is bad two steps on is ruled out by a path of two."""
    design = turns("lamp")
    assert api.prove(design, properties=["never_off"], lemmas=()).verdict == "failed"
    longer = api.prove(design, properties=["never_off"], lemmas=(), path=2)
    assert longer.verdict == "proved"
    wrong = api.prove(turns("lamp"), properties=["light_low"], lemmas=(), path=3)
    (start,) = [o for o in wrong.failed if o.obligation.kind == "initiation"]
    assert start.trace is not None
    assert [state.light for state in start.trace.states] == [0, 1, 2]


def test_transition_properties() -> None:
    """They are shown for each step from states that meet the claims."""
    proof = api.prove(turns(), properties=["next_is_outside"], lemmas=())
    assert failures(proof) == {("consecution", "next_is_outside", "leave")}
    with_lemma = api.prove(turns(), properties=["next_is_outside"], lemmas=["only_in_turn"])
    assert with_lemma.verdict == "proved"


def test_assumed_is_not_proved() -> None:
    """What is assumed needs no proof, helps, and is named."""
    proof = api.prove(turns(), properties=["one_inside"], lemmas=(), assumed=["only_in_turn"])
    assert (proof.verdict, proof.assumed) == ("proved", ("only_in_turn",))
    assert all(o.obligation.claim != "only_in_turn" for o in proof.outcomes)


def test_drop_and_needed() -> None:
    """Lemmas that a step breaks are given up; of the others, those that nothing rests on named."""
    lemmas = ["only_in_turn", "never_off", "not_three"]
    proof = api.prove(turns(), properties=["one_inside"], lemmas=lemmas, cores=True)
    assert (proof.verdict, set(proof.needless)) == ("proved", {"never_off", "not_three"})
    lost = ["only_in_turn", "never_off"]
    dropped = api.prove(turns(), properties=["one_inside"], lemmas=lost, drop=True)
    assert (dropped.verdict, dropped.dropped) == ("proved", ("never_off",))
    assert dropped.lemmas == ("only_in_turn",)


def test_lemmas_are_found() -> None:
    """The lemma that is needed is found among claims that are true of reachable states."""
    proof = api.prove(turns(), properties=["one_inside"], lemmas=(), strengthen=True)
    assert proof.verdict == "proved"
    needed = {text for name, text in proof.found if name not in proof.needless}
    assert needed == {"all(s.turn == k for k in s.inside if s.inside[k])"}
    none = api.prove(turns("barging"), properties=["one_inside"], lemmas=(), strengthen=True)
    assert none.verdict == "failed"
    with pytest.raises(UsageError, match="at given bounds"):
        api.prove(turns(), strengthen=True, path=2)


def test_a_step_that_fails_is_no_proof() -> None:
    """A spec that fails in a state that meets the claims has not been proved anything of."""
    proof = api.prove(turns("overflowing"), properties=["one_inside"], lemmas=["only_in_turn"])
    assert failures(proof) == {("no failure", "", "")}
    assert "entered = 4 leaves its domain 0..3" in proof.failed[0].why


def test_constraints_are_assumed_of_states_that_a_step_leaves() -> None:
    """As in a search, a state beyond them is looked at, but not gone on from."""
    proof = api.prove(turns("bounded"), properties=["few", "one_inside"], lemmas=["only_in_turn"])
    assert (proof.verdict, proof.constraints) == ("proved", ("not_many",))


def test_time_is_kept() -> None:
    """Without time there is no answer, and nothing counts as proved."""
    none = api.prove(turns(), timeout=0.0)
    assert (none.verdict, none.stopped) == ("unknown", "timeout")
    assert {o.status for o in none.outcomes} <= {"open"}
    two = ["commits_in_leaders", "log_prefixes_match"]
    short = api.prove("kip320-proof", properties=two, lemmas=(), query_timeout=0.001, replicas=2)
    assert "unknown" in {o.status for o in short.outcomes}
    assert short.verdict != "proved"


def test_interrupt() -> None:
    """Ctrl-C ends the questions; what was shown until then is kept, and the rest is open."""
    design = load_target("kip320-proof", SMALL)

    def pressed(asked: int, planned: int) -> None:
        if asked:
            signal.raise_signal(signal.SIGINT)

    proof = api.prove(design, properties=["strong_isr"], progress=pressed)
    assert (proof.verdict, proof.stopped) == ("unknown", "interrupted")
    assert {o.status for o in proof.outcomes} == {"proved", "open"}


@pytest.mark.parametrize(
    ("properties", "lemmas", "assumed", "message"),
    [
        (["somebody"], (), (), "somebody is of kind reachable"),
        (["one_inside"], ["next_is_outside"], (), "only an invariant property can be"),
        (["one_inside"], (), ["one_inside"], "to be proved and assumed"),
        (["one_insid"], (), (), 'no property "one_insid"; did you mean "one_inside"'),
    ],
)
def test_wrong_use(
    properties: Sequence[str], lemmas: Sequence[str], assumed: Sequence[str], message: str
) -> None:
    """What induction cannot prove is refused by name."""
    with pytest.raises(UsageError, match=message):
        api.prove(turns(), properties=properties, lemmas=lemmas, assumed=assumed)


def test_kafka_core() -> None:
    """KIP-320's strong ISR and the lemmas that it follows from are inductive."""
    proof = api.prove(load_target("kip320-proof", SMALL), properties=["strong_isr"])
    assert proof.verdict == "proved"
    assert {"log_epochs_grow", "leaders_go_first", "follower_prefix"} <= set(proof.lemmas)


def weakened(file: str, action: str, guard: str, weaker: str) -> Design:
    """kip320-proof with a guard replaced, the first such one after an action or helper begins."""
    path = MODELS / file
    lines = path.read_text().splitlines()
    begins = next(i for i, line in enumerate(lines) if line.startswith(f"def {action}("))
    place = lines.index(f"    {guard}", begins) + 1
    edit = Edit(Span(str(path), place, 4, place, 4 + len(guard)), weaker)
    return load_target("kip320-proof", SMALL, edits=[edit])


@pytest.mark.parametrize(
    ("file", "where", "guard", "weaker", "action", "claim"),
    [
        (
            "truncation.py",
            "require_in_epoch",
            "require(presumes_leadership(s, leader) and s.replica[leader].epoch == epoch)",
            "require(presumes_leadership(s, leader))",
            "become_follower_fenced",
            "leaders_go_first",
        ),
        (
            "fetching.py",
            "fetch_fenced",
            "require(same_epoch(s, leader, follower))",
            "require(presumes_leadership(s, leader))",
            "fetch_fenced",
            "records_known",
        ),
    ],
)
def test_a_weakened_guard_is_found(
    file: str, where: str, guard: str, weaker: str, action: str, claim: str
) -> None:
    """Without KIP-320's fence the proof fails, at the action that lost it, and at no other."""
    design = weakened(file, where, guard, weaker)
    proof = api.prove(design)
    assert {o.obligation.action for o in proof.failed} == {action}
    assert ("consecution", claim, action) in failures(proof)
    for outcome in proof.failed:
        if outcome.obligation.kind == "consecution":
            assert_shows(design, outcome, proof.goals)


@pytest.mark.long
@pytest.mark.parametrize("replicas", [2, 3])
def test_kafka_core_at_defaults(replicas: int) -> None:
    """All lemmas together, with two and three replicas and logs of two records."""
    proof = api.prove("kip320-proof", replicas=replicas)
    assert proof.verdict == "proved"
    assert len(proof.goals) > 20
