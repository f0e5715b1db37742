"""acks, min.insync.replicas, unclean elections, lost logs, KIP-966: verdicts and single steps."""

import pytest

from models.kafka.durability.acks import (
    Durable,
    advance_hw_acknowledging,
    advance_hw_strict,
    restart_with_loss,
    write_acks_all,
    write_acks_one,
)
from models.kafka.durability.eligible_leaders import (
    controller_elect_eligible,
    controller_elect_last_leader,
    controller_fence,
    expand_isr_tracked,
    restart_with_loss_tracked,
)
from models.kafka.replication.core import Record, Replica, Request, booted
from specmodel.errors import Disabled
from tests.models.expectations import check_everything, unbroken

DESIGNS = [
    "acks-one",
    "acks-all",
    "acks-all-strict",
    "kip966",
    "kip966-loose",
    "kip966-unnoticed-loss",
    "kip966-old-requests",
]

R1, R2, R3 = Replica


@pytest.mark.parametrize(
    ("min_isr", "losses", "verdict"),
    [(1, 0, "holds"), (1, 1, "violated"), (2, 1, "holds"), (3, 1, "holds")],
)
def test_kip966_survives_fewer_losses_than_min_isr(min_isr: int, losses: int, verdict: str) -> None:
    """The claim of the KIP, at bounds that take a second; more losses are in the long tests."""
    constants = {
        "max_leader_epoch": 2,
        "min_isr": min_isr,
        "unclean": False,
        "lossy_restarts": losses,
    }
    result = check_everything("kip966", tuple(constants.items()))
    assert result["acked_survive"].verdict == verdict


def test_every_property_can_fail() -> None:
    """Each property is violated by some design: none of them is true of anything whatever."""
    assert unbroken(DESIGNS) == set()


@pytest.mark.long
def test_every_action_fires() -> None:
    """The last leader is only ever elected after as many losses as min.insync.replicas."""
    coverage = check_everything("kip966", (("lossy_restarts", 2),)).coverage
    assert all(coverage.values())
    assert check_everything("kip966").coverage["controller_elect_last_leader"] == 0


SMALL = (("replicas", 2), ("max_leader_epoch", 1))


@pytest.mark.parametrize("name", DESIGNS)
def test_engines_agree(name: str) -> None:
    """The compiled search counts and finds what the interpreter does."""
    native = check_everything(name, SMALL)
    interpreted = check_everything(name, SMALL, "interpret")
    assert (native.distinct, native.generated) == (interpreted.distinct, interpreted.generated)
    assert (native.depth, native.coverage) == (interpreted.depth, interpreted.coverage)
    assert native.properties == interpreted.properties


# Single steps; min.insync.replicas is 2


def led_by(leader: Replica, *followers: Replica) -> Durable:
    """A leader under epoch 0 with these followers in the ISR, all of them up to date."""
    s = Durable(**vars(booted()))
    isr = {leader, *followers}
    s.quorum.epoch, s.quorum.leader, s.quorum.isr = 0, leader, isr
    s.requests[0] = Request(leader, isr)
    for r in isr:
        s.replica[r].epoch, s.replica[r].leader, s.replica[r].isr = 0, leader, isr
    return s


def with_record(leader: Replica, *followers: Replica) -> Durable:
    """As `led_by`, with a record that the whole ISR has."""
    s = led_by(leader, *followers)
    for r in s.quorum.isr:
        s.log[r] = [Record(0, 0)]
    s.next_id = 1
    return s


def test_acks_one_asks_nobody() -> None:
    """A leader alone acknowledges what it has appended."""
    s = led_by(R1)
    write_acks_one(s, R1)
    assert s.acked == {0}


def test_acks_all_is_refused_below_min_isr() -> None:
    """NOT_ENOUGH_REPLICAS: the record is not even appended."""
    with pytest.raises(Disabled):
        write_acks_all(led_by(R1), R1)


def test_the_isr_may_shrink_after_the_append() -> None:
    """NOT_ENOUGH_REPLICAS_AFTER_APPEND: the record is exposed and the producer sees an error."""
    s = with_record(R1)
    advance_hw_acknowledging(s, R1)
    assert (s.replica[R1].hw, s.acked) == (1, set())
    with pytest.raises(Disabled):
        advance_hw_strict(with_record(R1), R1)


def test_the_last_member_stays_in_the_isr_with_what_it_has_left() -> None:
    """The last replica standing: only the one that lost the record can be elected."""
    s = with_record(R1)
    restart_with_loss(s, R1, 0)
    assert (s.quorum.isr, s.quorum.leader, s.log[R1]) == ({R1}, None, [])


def test_whoever_leaves_a_small_isr_stays_eligible() -> None:
    """Nothing can be exposed without it until the ISR is large enough again."""
    s = with_record(R1, R2)
    controller_fence(s, R2, R1)
    assert (s.quorum.isr, s.eligible) == ({R1}, {R2})
    restart_with_loss_tracked(s, R1, 0, None)
    assert (s.quorum.isr, s.eligible, s.last_leader) == (set(), {R2}, R1)


def test_an_eligible_replica_leads_when_the_isr_is_empty() -> None:
    """It is the whole ISR then; the other eligible one stays so."""
    s = with_record(R1, R2)
    s.quorum.isr, s.eligible = set(), {R1, R2}
    controller_elect_eligible(s, R2)
    assert (s.quorum.leader, s.quorum.isr, s.eligible) == (R2, {R2}, {R1})


def test_whoever_leaves_a_large_isr_does_not() -> None:
    """The others may expose records without it."""
    s = with_record(R1, R2, R3)
    controller_fence(s, R3, R1)
    assert s.eligible == set()


def test_a_large_isr_needs_no_others() -> None:
    """As soon as the ISR is large enough the high watermark moves without the eligible."""
    s = with_record(R1, R3)
    s.replica[R1].hw = 1
    s.quorum.isr = s.replica[R1].isr = {R1}
    s.eligible = {R2}
    expand_isr_tracked(s, R1, R3)
    assert s.eligible == set()


def test_the_last_leader_is_a_last_resort() -> None:
    """It leads only when nobody is eligible, whatever its log holds."""
    s = with_record(R1)
    restart_with_loss_tracked(s, R1, 0, None)
    controller_elect_last_leader(s)
    assert (s.quorum.leader, s.quorum.isr, s.log[R1]) == (R1, {R1}, [])
