"""KAFKA-6880: what a replica may do that the controller counts as offline."""

from pathlib import Path
from typing import Any

import pytest

from models.kafka.replication.core import Record, Replica, Request, booted
from models.kafka.replication.fetching import fetch, fetch_fenced
from models.kafka.zombie.fencing import (
    admit_anyone,
    admit_registered,
    admit_same_registration,
    advance_hw_maximal_fenced,
    ask_for_fenced,
    ask_for_fenced_alive,
)
from models.kafka.zombie.sessions import (
    ZombieCluster,
    become_follower_online,
    elect_registered,
    hear_of_failure,
    reboot,
    reconnect,
    session_expires,
    write_acks_all,
)
from specmodel import load
from specmodel.behaviour.replay import Replay
from specmodel.errors import Disabled
from specmodel.traces.itf_read import read_itf, states_of
from specmodel.traces.itf_write import itf_text
from tests.models.expectations import by_size, check_everything, silent, unbroken
from tests.models.stories import told, violated_at_end

TRACE = Path(__file__).parents[2] / "traces" / "kafka-6880.itf.json"

UNFENCED = [
    "zombie-unfenced",
    "zombie-unfenced-live-view",
    "zombie-unfenced-controller",
    "zombie-unfenced-broker-epoch",
]
FENCED = [
    "zombie-fenced",
    "zombie-fenced-live-view",
    "zombie-fenced-controller",
    "zombie-fenced-broker-epoch",
]
DESIGNS = UNFENCED + FENCED

R1, R2, R3 = Replica


# Verdicts


@pytest.mark.parametrize("name", by_size(DESIGNS))
def test_every_action_fires(name: str) -> None:
    """At the default bounds no action is dead weight."""
    assert silent(check_everything(name)) == []


def test_every_property_can_fail() -> None:
    """Each property is violated by some design: none of them is true of anything whatever."""
    assert unbroken(DESIGNS) == set()


SMALL = (("max_leader_epoch", 1), ("max_records", 1), ("replicas", 2))


@pytest.mark.parametrize(
    "name",
    [
        "zombie-unfenced-live-view",
        "zombie-unfenced-controller",
        "zombie-fenced",
        "zombie-fenced-broker-epoch",
    ],
)
def test_engines_agree(name: str) -> None:
    """The compiled search counts and finds what the interpreter does."""
    native = check_everything(name, SMALL)
    interpreted = check_everything(name, SMALL, "interpret")
    assert (native.distinct, native.generated) == (interpreted.distinct, interpreted.generated)
    assert native.depth == interpreted.depth
    assert native.coverage == interpreted.coverage
    assert native.properties == interpreted.properties


# The ticket's story


STORY = [
    # r1 leads and writes a record; r2 has it, r3 has not.
    "controller_elect(leader=r1)",
    "become_leader(epoch=0)",
    "become_follower(follower=r2, epoch=0)",
    "become_follower(follower=r3, epoch=0)",
    "write(leader=r1)",
    "fetch(follower=r2, leader=r1)",
    # r2 loses its session and does not notice. r3 leads; r1 truncates, and fetches what r3 writes.
    "session_expires(replica=r2)",
    "controller_elect(leader=r3)",
    "become_leader(epoch=2)",
    "become_follower(follower=r1, epoch=2)",
    "write(leader=r3)",
    "write(leader=r3)",
    "fetch(follower=r1, leader=r3)",
    "fetch(follower=r1, leader=r3)",
    # r1 leads again, and exposes both records.
    "controller_elect(leader=r1)",
    "become_leader(epoch=3)",
    "become_follower(follower=r3, epoch=3)",
    "advance_hw(leader=r1)",
    "advance_hw(leader=r1)",
]
ZOMBIE_FETCHES = ["fetch(follower=r2, leader=r1)"]


def test_the_recorded_trace_is_the_ticket(request: pytest.FixtureRequest) -> None:
    """The file in traces/ is the ticket's scenario, with brokers from before KIP-320."""
    design = load("zombie-unfenced", profile="ticket")
    text = itf_text(
        design,
        told(design, STORY + ZOMBIE_FETCHES),
        property_name="log_matching",
        description="KAFKA-6880: a zombie fetches past records that were replaced",
    )
    if request.config.getoption("--update-golden"):
        TRACE.write_text(text, encoding="utf-8")
    assert TRACE.read_text(encoding="utf-8") == text


def test_the_recorded_trace_ends_in_divergence() -> None:
    """The zombie's last record is right and the one below it is not: truncation cannot tell."""
    recorded = read_itf(TRACE)
    constants: dict[str, Any] = dict(recorded.constants)
    design = load("zombie-unfenced", **constants)
    replay = Replay(design, states_of(recorded, design.spec.domain), recorded.actions)
    last = replay.trace().states[-1]
    assert replay.violates("log_matching")
    logs = {repr(r): [(record.id, record.epoch) for record in log] for r, log in last.log.items()}
    assert logs["r1"] == [(1, 2), (2, 2)]
    assert logs["r2"] == [(0, 0), (2, 2)]


def test_the_fence_stops_the_story() -> None:
    """With fetches fenced by leader epoch all goes the same way, until the zombie fetches again."""
    design = load("zombie-fenced", profile="ticket")
    trace = told(design, STORY + ZOMBIE_FETCHES)
    assert len(trace.steps) == len(STORY)
    assert violated_at_end(design, trace) == set()


# Single steps


def one_outside() -> ZombieCluster:
    """r1 leads epoch 0 with r2 in its ISR; r3 follows outside of it, and has lost its session."""
    s = ZombieCluster(**vars(booted()))
    s.quorum.epoch, s.quorum.leader, s.quorum.isr = 0, R1, {R1, R2}
    s.requests[0] = Request(R1, {R1, R2})
    for r in Replica:
        s.replica[r].epoch, s.replica[r].leader, s.replica[r].isr = 0, R1, {R1, R2}
    session_expires(s, R3)
    return s


def test_failure_outside_the_isr_bumps_no_epoch() -> None:
    """The controller has nothing to change: this is why the fence alone lets a zombie in."""
    assert one_outside().quorum.epoch == 0


def test_failure_in_the_isr_bumps_the_epoch() -> None:
    """The member leaves the ISR under a new leader epoch, and any admission under way is void."""
    s = ZombieCluster(**vars(booted()))
    s.quorum.epoch, s.quorum.leader = 0, R1
    session_expires(s, R3)
    assert (s.quorum.epoch, s.quorum.isr) == (1, {R1, R2})


def test_the_fence_alone_lets_a_zombie_in() -> None:
    """Its epoch is current and its log is complete, so it is as good as any other follower."""
    s = one_outside()
    ask_for_fenced(s, R1, R3)
    admit_anyone(s)
    assert R3 in s.quorum.isr


def test_the_leader_refuses_whom_it_knows_to_be_offline() -> None:
    """KIP-320's rule works as soon as the leader has heard, and not before."""
    s = one_outside()
    hear_of_failure(s, R1)
    with pytest.raises(Disabled):
        ask_for_fenced_alive(s, R1, R3)
    s = one_outside()
    ask_for_fenced_alive(s, R1, R3)


def test_the_controller_knows_better() -> None:
    """INELIGIBLE_REPLICA: whatever the leader has heard, the controller refuses; both go on."""
    s = one_outside()
    ask_for_fenced(s, R1, R3)
    admit_registered(s)
    assert s.quorum.isr == {R1, R2}
    assert s.admission is None


def test_a_broker_that_rebooted_meanwhile_needs_its_broker_epoch() -> None:
    """KIP-903: the leader asked for a broker that is registered again, and lost what it had."""
    for rule, admitted in [(admit_registered, True), (admit_same_registration, False)]:
        s = one_outside()
        for r in Replica:
            s.log[r] = [Record(0, 0)]
            s.replica[r].hw = 1
        ask_for_fenced(s, R1, R3)
        reboot(s, 0)
        rule(s)
        assert (R3 in s.quorum.isr) == admitted
        assert s.log[R3] == []


def test_the_leader_counts_whom_it_has_asked_for() -> None:
    """Until the controller has answered, the follower may be in the ISR already."""
    s = one_outside()
    ask_for_fenced(s, R1, R3)
    s.log[R1] = s.log[R2] = [Record(0, 0)]
    with pytest.raises(Disabled):
        advance_hw_maximal_fenced(s, R1)
    fetch_fenced(s, R3, R1)
    advance_hw_maximal_fenced(s, R1)
    assert s.replica[R1].hw == 1


def test_nothing_of_the_controller_reaches_a_zombie() -> None:
    """It is not elected, and does not hear of elections; after it reconnects, both change."""
    s = one_outside()
    s.quorum.isr = {R1, R2, R3}
    with pytest.raises(Disabled):
        elect_registered(s, R3)
    elect_registered(s, R2)
    s.replica[R2].epoch, s.replica[R2].leader = 1, R2
    with pytest.raises(Disabled):
        become_follower_online(s, R3, 1)
    reconnect(s)
    become_follower_online(s, R3, 1)
    assert s.replica[R3].epoch == 1


def test_only_the_fence_keeps_a_zombie_from_fetching() -> None:
    """The leader has a new epoch; the zombie believes in the old one, in which it led as well."""
    s = one_outside()
    s.log[R1] = [Record(0, 0)]
    s.replica[R1].epoch = 1
    with pytest.raises(Disabled):
        fetch_fenced(s, R3, R1)
    fetch(s, R3, R1)
    assert s.log[R3] == [Record(0, 0)]


def test_acks_all_needs_min_isr() -> None:
    """NOT_ENOUGH_REPLICAS: a leader alone in its ISR takes no write when two are asked for."""
    s = one_outside()
    s.replica[R1].isr = {R1}
    with pytest.raises(Disabled):
        write_acks_all(s, R1)
