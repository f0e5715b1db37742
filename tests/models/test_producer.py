"""Producer fencing (KIP-359): verdicts, the numbers of the page, and single steps under CPython."""

import pytest

from models.kafka.producer.client import (
    Production,
    acknowledge_appended,
    acknowledge_committed,
    append_from_past_term,
    append_in_past_term,
    append_in_term,
    fence,
    lose,
    refresh,
    refuse_behind,
    send,
    unknown_epoch,
)
from models.kafka.replication.controller import become_leader, controller_elect
from models.kafka.replication.core import Record, Replica, booted
from specmodel import check, load
from specmodel.errors import Disabled
from tests.models.expectations import check_everything, silent, unbroken

DESIGNS = [
    "producer-unfenced-acks-one",
    "producer-fenced-acks-one",
    "producer-unfenced-acks-all",
    "producer-fenced-acks-all",
    "producer-unordered-acks-one",
    "producer-unordered-acks-all",
]

R1, R2, *_ = Replica


@pytest.mark.parametrize("name", DESIGNS)
def test_every_action_fires(name: str) -> None:
    """At the default bounds no action is dead weight."""
    assert silent(check_everything(name, ())) == []


def test_every_property_can_fail() -> None:
    """Each property is violated by some design; survival with acks=all by an unclean election."""
    assert unbroken(DESIGNS) == set()
    unclean = check_everything("producer-fenced-acks-all", (("unclean", True),))
    assert unclean["acked_survive"].verdict == "violated"


@pytest.mark.parametrize("name", DESIGNS)
def test_engines_agree(name: str) -> None:
    """The compiled search counts and finds what the interpreter does."""
    small = (("log_size", 1), ("max_records", 1), ("max_leader_epoch", 1), ("retries", 0))
    native = check_everything(name, small)
    interpreted = check_everything(name, small, "interpret")
    assert (native.distinct, native.generated) == (interpreted.distinct, interpreted.generated)
    assert (native.depth, native.coverage) == (interpreted.depth, interpreted.coverage)
    assert native.properties == interpreted.properties


APPENDS = [
    "append_in_term",
    "append_in_past_term",
    "append_from_past_term",
    "append_from_later_term",
]


@pytest.mark.parametrize(
    ("name", "appends", "refreshes_in_vain"),
    [
        ("producer-unfenced-acks-one", [7438, 10464, 10268, 1128], 5342),
        ("producer-fenced-acks-one", [6162, 9404, 0, 0], 0),
        ("producer-unfenced-acks-all", [5128, 8176, 8400, 816], 3910),
        ("producer-fenced-acks-all", [4672, 7576, 0, 0], 0),
    ],
)
def test_numbers_of_the_page(name: str, appends: list[int], refreshes_in_vain: int) -> None:
    """How many steps of the reachable space append, and under which terms, as the page says."""
    coverage = check_everything(name, ()).coverage
    assert [coverage.get(action, 0) for action in APPENDS] == appends
    assert coverage.get("refuse_behind", 0) == refreshes_in_vain


def test_duplicates_are_not_what_fencing_is_for() -> None:
    """A retry after a lost response appends the record again, fenced or not."""
    for name in DESIGNS:
        found = check(load(name), properties=["no_duplicates"])["no_duplicates"]
        assert (found.verdict, found.trace_length) == ("violated", 9)


# Single steps


def elected(s: Production, leader: Replica) -> None:
    """The controller elects a leader, which learns of it at once."""
    controller_elect(s, leader)
    become_leader(s, s.quorum.epoch)


def prepared() -> Production:
    """r1 leads epoch 0, and the producer has sent it a request."""
    s = Production(**vars(booted()))
    elected(s, R1)
    refresh(s, 0)
    send(s)
    return s


def test_acks_one_is_answered_from_the_leaders_log() -> None:
    """One append, one acknowledgement: nobody else has the record yet."""
    s = prepared()
    append_in_term(s)
    acknowledge_appended(s)
    assert (s.log[R1], s.acked[0], s.next_id) == ([Record(0, 0)], 0, 1)


def test_acks_all_waits_for_the_high_watermark() -> None:
    """The record is in the log but not yet exposed."""
    s = prepared()
    append_in_term(s)
    with pytest.raises(Disabled):
        acknowledge_committed(s)
    s.replica[R1].hw = 1
    acknowledge_committed(s)
    assert s.acked[0] == 0


def test_equal_epochs_do_not_mean_current_ones() -> None:
    """The deposed leader and the producer are equally late: fencing cannot tell."""
    s = prepared()
    elected(s, R2)
    with pytest.raises(Disabled):
        fence(s)
    append_in_past_term(s)
    assert s.log[R1] == [Record(0, 0)]


def test_consecutive_elections() -> None:
    """r1 leads epochs 0 and 2: without fencing it takes a request of epoch 0 under epoch 2."""
    s = prepared()
    elected(s, R2)
    elected(s, R1)
    append_from_past_term(s)
    assert s.log[R1] == [Record(0, 2)]

    s = prepared()
    elected(s, R2)
    elected(s, R1)
    fence(s)
    assert (s.log[R1], s.producer.stale) == ([], True)


def test_a_broker_behind_the_producer() -> None:
    """r2 has not heard of its election: one error sends for metadata in vain, another does not."""
    s = Production(**vars(booted()))
    elected(s, R1)
    controller_elect(s, R2)
    refresh(s, 1)
    send(s)
    refuse_behind(s)
    assert s.producer.stale

    s.producer.stale = False
    send(s)
    unknown_epoch(s)
    assert not s.producer.stale


def test_a_lost_response_makes_a_duplicate() -> None:
    """Without idempotence the leader cannot tell a retry from a new record."""
    s = prepared()
    append_in_term(s)
    lose(s)
    send(s)
    append_in_term(s)
    assert [record.id for record in s.log[R1]] == [0, 0]
