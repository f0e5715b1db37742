"""What an acknowledgement is worth: acks, min.insync.replicas, and brokers that lose data.

The brokers follow KIP-320. A restart after a power failure may lose the end of a log that was not
yet flushed, exposed records included. The controller takes a broker that restarts out of the ISR;
but the last member stays in (until KIP-966), as otherwise nobody could ever lead again.

Sources: the broker's appendRecordsToLeader and checkEnoughReplicasReachOffset; KAFKA-15583 for the
high watermark that waits for min.insync.replicas; KIP-966.
"""

from typing import Annotated

from specmodel.lang import Range, Set, action, constant, invariant, reachable, require

from ..replication.controller import controller_shrink, write
from ..replication.core import (
    Offset,
    RecordId,
    Replica,
    is_true_leader,
    max_records,
    replicas,
)
from ..replication.high_watermark import advance_hw_fenced
from ..replication.history import WatchedCluster, expose

min_isr = constant("min_isr", 2, low=1, high=6, doc="min.insync.replicas")
lossy_restarts = constant(
    "lossy_restarts", 1, low=0, high=4, doc="restarts that may lose the end of a log"
)


class Durable(WatchedCluster):
    """A cluster that remembers which records were acknowledged, and how often data was lost.

    `eligible` are the eligible leader replicas of KIP-966, `last_leader` the leader there was
    before there was none; both stay empty in the other designs.
    """

    acked: Set[RecordId] = set()
    losses: Annotated[int, Range(0, lossy_restarts)] = 0
    eligible: Set[Replica] = set()
    last_leader: Replica | None = None


@action
def write_acks_one(s: Durable, leader: Replica) -> None:
    """acks=1: the record is acknowledged as soon as the leader has appended it."""
    record = s.next_id
    write(s, leader)
    s.acked |= {record}


@action
def write_acks_all(s: Durable, leader: Replica) -> None:
    """acks=all: refused (NOT_ENOUGH_REPLICAS) while the ISR is below min.insync.replicas."""
    require(len(s.replica[leader].isr) >= min_isr)
    write(s, leader)


@action
def advance_hw(s: Durable, leader: Replica) -> None:
    """The whole ISR has one record more, however small the ISR is."""
    advance_hw_fenced(s, leader)
    expose(s, leader)


def acknowledge(s: Durable, leader: Replica) -> None:
    """Answer the producer whose record the high watermark has just passed, in the same term.

    Below min.insync.replicas the answer is an error (NOT_ENOUGH_REPLICAS_AFTER_APPEND).
    """
    state = s.replica[leader]
    record = s.log[leader][state.hw - 1]
    if record.epoch == state.epoch and len(state.isr) >= min_isr:
        s.acked |= {record.id}


@action
def advance_hw_acknowledging(s: Durable, leader: Replica) -> None:
    """As `advance_hw`, for a record that was written with acks=all."""
    advance_hw(s, leader)
    acknowledge(s, leader)


@action
def advance_hw_strict(s: Durable, leader: Replica) -> None:
    """KAFKA-15583: the high watermark stands still while the ISR is below min.insync.replicas."""
    require(len(s.replica[leader].isr) >= min_isr)
    advance_hw_acknowledging(s, leader)


def lose_suffix(s: Durable, replica: Replica, end: Offset) -> None:
    """A broker restarts with a part of its log, and leads nobody until it is told to."""
    require(end < len(s.log[replica]) and s.losses < lossy_restarts)
    s.losses += 1
    s.log[replica] = s.log[replica][:end]
    s.replica[replica].hw = min(end, s.replica[replica].hw)
    s.replica[replica].leader = None


def accept_current(s: Durable, replica: Replica) -> None:
    """A broker that has registered accepts the newest request, but none from before (KIP-380)."""
    s.replica[replica].epoch = s.quorum.epoch - 1


@action
def restart_with_loss(s: Durable, replica: Replica, end: Offset) -> None:
    """A broker restarts after a power failure, and the controller takes notice first.

    The last member of the ISR stays in it, and is all that can be elected cleanly.
    """
    lose_suffix(s, replica, end)
    if replica in s.quorum.isr and (s.quorum.leader is not None or len(s.quorum.isr) > 1):
        controller_shrink(s, replica)
    accept_current(s, replica)


@invariant
def acked_survive(s: Durable) -> bool:
    """What was acknowledged is in the log of the true leader, whoever that is."""
    return all(
        record not in s.acked or any(held.id == record for held in s.log[leader])
        for leader in Replica
        if is_true_leader(s, leader)
        for record in range(max_records)
    )


@invariant
def enough_electable(s: Durable) -> bool:
    """Of min.insync.replicas brokers that may lead without loss, a restart costs at most one."""
    return len(s.quorum.isr | s.eligible) + s.losses >= min_isr


@reachable
def all_acked(s: Durable) -> bool:
    """Every record is acknowledged."""
    return len(s.acked) == max_records


@reachable
def acked_by_fewest(s: Durable) -> bool:
    """A record is acknowledged, and the ISR has since become as small as it may be for that."""
    return (
        len(s.acked) > 0
        and len(s.quorum.isr) == min(min_isr, replicas)
        and any(is_true_leader(s, r) for r in Replica)
    )
