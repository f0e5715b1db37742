"""Producers with acks=1 and acks=all, their requests fenced by leader epoch or not (KIP-359)."""

from specmodel.lang import invariant, reachable, transition

from ..replication.controller import write
from ..replication.core import Replica, is_true_leader, max_records
from ..replication.designs import kip320
from .client import (
    Production,
    acknowledge_appended,
    acknowledge_committed,
    append_from_later_term,
    append_from_past_term,
    append_in_past_term,
    append_in_term,
    depose_while_waiting,
    fence,
    lose,
    refresh,
    refresh_unordered,
    refuse_ahead,
    refuse_behind,
    send,
    unknown_epoch,
)


def has(s: Production, replica: Replica, record: int) -> bool:
    """The replica's log has the record."""
    return any(held.id == record for held in s.log[replica])


@invariant
def acked_survive(s: Production) -> bool:
    """What was acknowledged is in the log of the true leader, whoever that is."""
    return all(
        s.acked[record] == -1 or has(s, leader, record)
        for leader in Replica
        if is_true_leader(s, leader)
        for record in range(max_records)
    )


@invariant
def acked_survive_until_election(s: Production) -> bool:
    """What was acknowledged to a request of the newest epoch is in the log of that epoch's leader.

    No election came after the request was prepared: only one that was over already can do harm.
    """
    return all(
        s.acked[record] != s.quorum.epoch or has(s, leader, record)
        for leader in Replica
        if is_true_leader(s, leader)
        for record in range(max_records)
    )


@invariant
def no_stale_append(s: Production) -> bool:
    """A leader appends only what was prepared for its own term."""
    appended = s.producer.appended
    return appended is None or appended.term == s.producer.sent


def sent_to(s: Production, broker: Replica) -> bool:
    """The request in flight, if any, went to this broker."""
    request = s.requests[s.producer.sent] if s.producer.sent >= 0 else None
    return request is not None and request.leader == broker


@transition
def no_useless_refresh(before: Production, after: Production) -> bool:
    """Only a broker that has seen a later epoch than the request's asks for a refresh."""
    told = after.producer.stale and not before.producer.stale
    return not told or any(
        sent_to(before, broker) and before.replica[broker].epoch > before.producer.sent
        for broker in Replica
    )


@invariant
def no_duplicates(s: Production) -> bool:
    """The true leader's log has no record twice."""
    return all(
        s.log[leader][a].id != s.log[leader][b].id
        for leader in Replica
        if is_true_leader(s, leader)
        for b in range(len(s.log[leader]))
        for a in range(b)
    )


@invariant
def acked_in_order(s: Production) -> bool:
    """No record is acknowledged under an earlier leader epoch than one before it."""
    return all(
        s.acked[record] == -1 or s.acked[earlier] <= s.acked[record]
        for record in range(max_records)
        for earlier in range(record)
    )


@reachable
def all_acked(s: Production) -> bool:
    """Every record is acknowledged, the last one in a later term than the first."""
    return all(s.acked[record] >= 0 for record in range(max_records)) and (
        max_records == 1 or s.acked[max_records - 1] > s.acked[0]
    )


producer_unfenced_acks_one = (
    kip320.over(Production)
    .without(write, *(rule.function for rule in kip320.properties))
    .adding(
        actions=[
            refresh,
            send,
            append_in_term,
            append_in_past_term,
            append_from_past_term,
            append_from_later_term,
            refuse_ahead,
            refuse_behind,
            lose,
            acknowledge_appended,
        ],
        invariants=[
            acked_survive,
            acked_survive_until_election,
            no_stale_append,
            no_duplicates,
            acked_in_order,
        ],
        transitions=[no_useless_refresh],
        reachable=[all_acked],
    )
    .drawn(status=("quorum", "producer", "acked"))
)

producer_fenced_acks_one = producer_unfenced_acks_one.without(
    append_from_past_term, append_from_later_term
).replacing(refuse_ahead=fence, refuse_behind=unknown_epoch)

producer_unfenced_acks_all = producer_unfenced_acks_one.replacing(
    acknowledge_appended=acknowledge_committed
).adding(actions=[depose_while_waiting])

producer_unordered_acks_one = producer_unfenced_acks_one.replacing(refresh=refresh_unordered)
producer_unordered_acks_all = producer_unfenced_acks_all.replacing(refresh=refresh_unordered)

producer_fenced_acks_all = producer_fenced_acks_one.replacing(
    acknowledge_appended=acknowledge_committed
).adding(actions=[depose_while_waiting])
