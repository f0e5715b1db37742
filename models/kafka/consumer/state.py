"""A partition that may be led uncleanly, and one consumer of it.

The consumer has a cached leader epoch (its metadata), a position, and the leader epoch that belongs
to the position: that of the record just before it. The partition is simpler than in
replication/core.py: followers truncate exactly to where their log and the leader's part (as KIP-279
and KIP-320 have it), and a leader's high watermark is at once as far as its ISR allows.

What the application has been given is kept beside the client's own state, as a history that no rule
of the client may look at.

Source: KIP-320; org.apache.kafka.clients.consumer.internals.SubscriptionState.
"""

from enum import Enum, auto
from typing import Annotated

from specmodel.lang import Range, Set, Struct, constant, init, require

from ..replication.core import (
    KnownEpoch,
    LeaderEpoch,
    Log,
    Offset,
    Position,
    Record,
    Replica,
    log_size,
    max_leader_epoch,
    max_records,
)

slow_brokers = constant(
    "slow_brokers",
    False,
    doc="brokers hear of an election one by one; false: all of them at once",
)

UNKNOWN_EPOCH = -1
"""The sentinel for a position without a leader epoch: it cannot be validated."""


class Phase(Enum):
    """What the client does with its position.

    In `resetting` it asks for an offset by ListOffsets; in `raised` it has thrown an exception and
    waits for the application to seek; `joining` is a client just started, without a position.
    """

    joining = auto()
    fetching = auto()
    validating = auto()
    resetting = auto()
    raised = auto()


class FetchPosition(Struct):
    """The next offset to fetch, and the leader epoch of the record before it (-1: unknown)."""

    offset: Offset
    epoch: KnownEpoch


class Consumer(Struct):
    """What the client knows.

    `seen` is the largest leader epoch it has heard of, from metadata or with a committed offset:
    with metadata older than that, it has no leader to talk to. From the offset `remembers` on it
    knows the leader epoch of each record it has fetched. `divergent` is the position that came with
    a log truncation exception, if one could be found.
    """

    phase: Phase
    position: FetchPosition
    metadata: LeaderEpoch
    seen: LeaderEpoch
    remembers: Offset
    divergent: FetchPosition | None


class Saved(Struct):
    """An offset that outlives the client, and the results that the application had by then."""

    position: FetchPosition
    delivered: dict[Position, Record | None]
    excused: Set[Position]


class Subscription(Struct):
    """The whole state.

    `leaders` says who leads under each epoch (for epochs to come, it means nothing). A broker acts
    by the last epoch that it has `noticed`, and if it leads under that, by the ISR in its `view`.
    Below its `start`, retention has deleted a log's records: nobody can read them, and they are in
    `log` only to compare with.
    `delivered` is the record that the application was given last at an offset; of `excused` offsets
    it has been told that what it was given is gone, or that it is not given them at all.
    """

    log: dict[Replica, Log]
    start: dict[Replica, Offset]
    leaders: dict[LeaderEpoch, Replica]
    epoch: LeaderEpoch
    isr: Set[Replica]
    noticed: dict[Replica, LeaderEpoch]
    view: dict[Replica, Set[Replica]]
    next_id: Annotated[int, Range(0, max_records)]
    consumer: Consumer
    saved: Saved | None
    delivered: dict[Position, Record | None]
    excused: Set[Position]


@init
def subscribed(leader: Replica) -> Subscription:
    """Empty logs, everyone in the ISR, one leader, and a consumer at offset 0 that knows it."""
    everyone = {r for r in Replica}
    return Subscription(
        log={r: [] for r in Replica},
        start={r: 0 for r in Replica},
        leaders={epoch: leader for epoch in range(max_leader_epoch + 1)},
        epoch=0,
        isr=everyone,
        noticed={r: 0 for r in Replica},
        view={r: everyone if r == leader else set() for r in Replica},
        next_id=0,
        consumer=Consumer(
            phase=Phase.fetching,
            position=FetchPosition(0, UNKNOWN_EPOCH),
            metadata=0,
            seen=0,
            remembers=0,
            divergent=None,
        ),
        saved=None,
        delivered={offset: None for offset in range(log_size)},
        excused=set(),
    )


def presumed_leader(s: Subscription, broker: Replica) -> Replica:
    """Whom a broker takes for the leader: that of the last epoch it has noticed."""
    return s.leaders[s.noticed[broker]]


def leads(s: Subscription, broker: Replica) -> bool:
    """The broker leads under the last epoch it has noticed; it may have been deposed since."""
    return presumed_leader(s, broker) == broker


def common_end(s: Subscription, a: Replica, b: Replica) -> Offset:
    """The offset at which two logs part: one past the last record that they share."""
    for offset in range(min(len(s.log[a]), len(s.log[b]))):
        if s.log[a][offset] != s.log[b][offset]:
            return offset
    return min(len(s.log[a]), len(s.log[b]))


def high_watermark(s: Subscription, leader: Replica) -> Offset:
    """The end of what every replica in the leader's view of the ISR holds as the leader does."""
    return min((common_end(s, leader, r) for r in s.view[leader]), default=len(s.log[leader]))


def exposed(s: Subscription, broker: Replica) -> Offset | None:
    """The high watermark, if the broker believes that it leads."""
    return high_watermark(s, broker) if leads(s, broker) else None


def named_leader(s: Subscription) -> Replica:
    """The broker that the client's metadata names as the leader."""
    return s.leaders[s.consumer.metadata]


def fenced_leader(s: Subscription) -> Replica:
    """The broker that answers a request with the client's current leader epoch in it (KIP-320).

    A broker in a later epoch answers FENCED_LEADER_EPOCH, one in an earlier epoch
    UNKNOWN_LEADER_EPOCH: the request has no effect, and the client asks for metadata.
    """
    require(s.consumer.seen == s.consumer.metadata)
    broker = named_leader(s)
    require(s.noticed[broker] == s.consumer.metadata)
    return broker


def unfenced_leader(s: Subscription) -> Replica:
    """The broker that answers a request without an epoch: any that takes itself for the leader."""
    broker = named_leader(s)
    require(leads(s, broker))
    return broker


def first_lost(s: Subscription, broker: Replica, start: Offset) -> Offset:
    """The first offset from `start` on whose record, as given to the application, is not there.

    It is the client's position if there is none.
    """
    log = s.log[broker]
    for offset in range(start, s.consumer.position.offset):
        given = s.delivered[offset]
        if given is not None and (offset >= len(log) or log[offset] != given):
            return offset
    return s.consumer.position.offset


def divergence(s: Subscription, broker: Replica) -> Offset:
    """Where the log parts from what was consumed; what retention has deleted counts as there."""
    return first_lost(s, broker, 0)
