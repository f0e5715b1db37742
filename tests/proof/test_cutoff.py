"""A proof for every value of a constant: only where values are compared, and at enough of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel import api
from specmodel.errors import SpecError, SpecmodelError, UsageError
from specmodel.proof.claims import planned
from specmodel.proof.cutoff import widened
from specmodel.suite.targets import load_target

BALLOTS = Path(__file__).parents[1] / "specs" / "ballots.py"


def test_what_is_true_of_few_is_not_proved_of_many() -> None:
    """Below three ballots there is no climb; the bound that is chosen is large enough to see it."""
    design = api.load(f"{BALLOTS}:ballots", last=1)
    small = api.prove(design, properties=["no_climb"], lemmas=())
    assert small.verdict == "proved"
    every = api.prove(design, properties=["no_climb"], lemmas=(), every=["last"])
    assert every.verdict == "failed"
    assert {o.obligation.action for o in every.failed} == {"take_a", "take_b", "move_on"}


def test_what_holds_for_all() -> None:
    """The proof names the constant and from where on; what it is raised to can be worked out."""
    design = api.load(f"{BALLOTS}:ballots")
    proof = api.prove(design, properties=["known"], lemmas=(), every=["last"])
    assert proof.verdict == "proved"
    (window,) = proof.windows
    # a, b, c; an argument or a next one; the last; 0: six ballots are 0 to 5.
    assert (window.constant, window.least) == ("last", 5)
    plan = planned(design, ["none_said"], (), ())
    assert widened(design, plan, ["last"]).values["last"] == 6  # one for "all"
    large = api.load(f"{BALLOTS}:ballots", last=9)
    assert widened(large, plan, ["last"]) is large


@pytest.mark.parametrize(
    ("spec", "claim", "constant", "message"),
    [
        ("jumping", "known", "last", "is used in \\+"),
        ("sitting", "known", "last", "such a value becomes another number|in one place"),
        ("numbered", "known", "last", "compared with another number"),
        ("ballots", "some_said", "last", "something else than a claim for all"),
        ("ballots", "known", "lost", 'no constant "lost"'),
    ],
)
def test_refused(spec: str, claim: str, constant: str, message: str) -> None:
    """What depends on more than the order of values is refused, with the place."""
    with pytest.raises((SpecError, UsageError), match=message) as wrong:
        api.prove(f"{BALLOTS}:{spec}", properties=[claim], lemmas=(), every=[constant])
    assert isinstance(wrong.value, SpecmodelError)
    if constant == "last":
        assert "no proof for every last" in str(wrong.value)
        assert "ballots.py:" in str(wrong.value)


@pytest.mark.parametrize(
    ("replicas", "log_size", "epochs", "records"), [(2, 1, 11, 6), (3, 2, 18, 11)]
)
def test_kafka_core(replicas: int, log_size: int, epochs: int, records: int) -> None:
    """As many epochs and records as a state, a step and a lemma of KIP-320 speak of at once.

    With 3 replicas and logs of 2: epochs of 6 records, 3 replicas, the quorum, 2 commits and their
    records; a new one; 2 of a lemma; the last and 0. Ids of 6 records and 2 commits; the next, and
    the one after it; the last and 0.
    """
    design = load_target("kip320-proof", {"replicas": replicas, "log_size": log_size})
    plan = planned(design, ["strong_isr"], None, ())
    values = widened(design, plan, ["max_leader_epoch", "max_records"]).values
    assert (values["max_leader_epoch"], values["max_records"]) == (epochs, records)


@pytest.mark.long
@pytest.mark.parametrize("log_size", [1, 2])
def test_kip320_for_every_bound(log_size: int) -> None:
    """Strong ISR, for any number of leader epochs and records, at two replicas."""
    design = load_target("kip320-proof", {"replicas": 2, "log_size": log_size})
    every = ["max_leader_epoch", "max_records"]
    proof = api.prove(design, properties=["strong_isr"], every=every)
    assert proof.verdict == "proved"
    assert [window.constant for window in proof.windows] == every
