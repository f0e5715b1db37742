"""A producer that writes to the partition, one record at a time, and retries (KIP-359).

It knows the leader from metadata, which may be old; the broker it sends to may be behind or ahead
of it. With fencing, a request carries the leader epoch of the producer's metadata, and the broker
compares that with its own before it appends.

The brokers follow KIP-320. A record is a message of the producer: a retry appends the same one
again (idempotence is left out). A request that is lost is not delivered later.

Source: KIP-359. KIP-320 for the errors: FENCED_LEADER_EPOCH (74) means that the producer's metadata
is old, so it refreshes; UNKNOWN_LEADER_EPOCH (75) that the broker is behind, so it waits and
retries. Before, there is one error for both, NOT_LEADER_OR_FOLLOWER (6), and it always refreshes.
"""

from typing import Annotated

from specmodel.lang import Range, Struct, action, constant, require, require_some

from ..replication.core import (
    Cluster,
    KnownEpoch,
    LeaderEpoch,
    Position,
    Record,
    RecordId,
    Replica,
    log_size,
    max_records,
    presumes_leadership,
)

retries = constant("retries", 1, low=0, high=3, doc="times that a producer sends a record again")


class Appended(Struct):
    """Where and in which leader's term a request was appended. The response is yet to come."""

    term: LeaderEpoch
    offset: Position


class Producer(Struct):
    """What the producer knows, and its request in flight.

    `known` is the leader epoch of its metadata, which names the leader (-1: no metadata). `stale`:
    an error told it to refresh. `sent` is the epoch that the request was prepared under (-1: none
    is in flight). `failures` counts failed attempts at the record in hand, `Cluster.next_id`.
    """

    known: KnownEpoch
    stale: bool
    sent: KnownEpoch
    appended: Appended | None
    failures: Annotated[int, Range(0, retries)]


class Production(Cluster):
    """A cluster with a producer. `acked` has the epoch of the request that succeeded (-1: none)."""

    producer: Producer = Producer(known=-1, stale=False, sent=-1, appended=None, failures=0)
    acked: dict[RecordId, KnownEpoch] = {record: -1 for record in range(max_records)}


@action
def refresh(s: Production, epoch: LeaderEpoch) -> None:
    """The producer asks some broker, which knows this epoch. What is older than known is ignored.

    It may learn nothing new, if that was in answer to an error.
    """
    require_some(s.requests[epoch])
    p = s.producer
    require(epoch > p.known or (p.stale and epoch == p.known))
    p.known = epoch
    p.stale = False


@action
def refresh_unordered(s: Production, epoch: LeaderEpoch) -> None:
    """As `refresh` by a client that does not compare leader epochs: it takes an older one, too."""
    require_some(s.requests[epoch])
    p = s.producer
    require(epoch != p.known or p.stale)
    p.known = epoch
    p.stale = False


@action
def send(s: Production) -> None:
    """A request for the next record, or again for the one that failed, to the leader known."""
    p = s.producer
    require(s.next_id < max_records and p.sent == -1 and not p.stale and p.known >= 0)
    request = require_some(s.requests[p.known])
    require_some(request.leader)
    p.sent = p.known


def addressee(s: Production) -> Replica:
    """The broker that the request in flight was sent to, and has yet to answer."""
    require(s.producer.appended is None and s.producer.sent >= 0)
    request = require_some(s.requests[s.producer.sent])
    return require_some(request.leader)


def append_at(s: Production, leader: Replica) -> None:
    """A broker that believes it leads appends the record under its own epoch."""
    require(presumes_leadership(s, leader) and len(s.log[leader]) < log_size)
    term, end = s.replica[leader].epoch, len(s.log[leader])
    record = s.next_id
    s.log[leader].append(Record(record, term))
    s.producer.appended = Appended(term, end)


@action
def append_in_term(s: Production) -> None:
    """The leader appends a request that was prepared under its own epoch, the newest."""
    leader = addressee(s)
    require(s.replica[leader].epoch == s.producer.sent and s.quorum.epoch == s.producer.sent)
    append_at(s, leader)


@action
def append_in_past_term(s: Production) -> None:
    """Producer and broker agree on an epoch that is over: neither knows of a later one yet."""
    leader = addressee(s)
    require(s.replica[leader].epoch == s.producer.sent and s.quorum.epoch > s.producer.sent)
    append_at(s, leader)


@action
def append_from_past_term(s: Production) -> None:
    """A leader appends a request that was prepared under an epoch before its own."""
    leader = addressee(s)
    require(s.producer.sent < s.replica[leader].epoch)
    append_at(s, leader)


@action
def append_from_later_term(s: Production) -> None:
    """A broker appends a request for an epoch that it has yet to learn of: it may be deposed."""
    leader = addressee(s)
    require(s.producer.sent > s.replica[leader].epoch)
    append_at(s, leader)


def fail(s: Production, stale: bool) -> None:
    """The attempt is over; the producer gives the record up when it has no retries left."""
    p = s.producer
    p.sent = -1
    p.appended = None
    p.stale = p.stale or stale
    if p.failures == retries:
        p.failures = 0
        s.next_id += 1
    else:
        p.failures += 1


@action
def refuse_ahead(s: Production) -> None:
    """NOT_LEADER_OR_FOLLOWER from a broker that is ahead of the request: the producer refreshes."""
    broker = addressee(s)
    require(not presumes_leadership(s, broker) and s.replica[broker].epoch > s.producer.sent)
    fail(s, True)


@action
def refuse_behind(s: Production) -> None:
    """NOT_LEADER_OR_FOLLOWER from a broker behind the request: the producer refreshes in vain."""
    broker = addressee(s)
    require(not presumes_leadership(s, broker) and s.replica[broker].epoch < s.producer.sent)
    fail(s, True)


@action
def fence(s: Production) -> None:
    """FENCED_LEADER_EPOCH: the broker's epoch is later, whether it leads or not."""
    require(s.replica[addressee(s)].epoch > s.producer.sent)
    fail(s, True)


@action
def unknown_epoch(s: Production) -> None:
    """UNKNOWN_LEADER_EPOCH: the broker's epoch is earlier; the producer backs off and retries."""
    require(s.replica[addressee(s)].epoch < s.producer.sent)
    fail(s, False)


@action
def lose(s: Production) -> None:
    """The request or its response is lost, and times out."""
    require(s.producer.sent >= 0)
    fail(s, False)


def acknowledge(s: Production) -> None:
    """The response arrives: the record is written, and the next one's turn comes."""
    p = s.producer
    s.acked[s.next_id] = p.sent
    s.next_id += 1
    p.sent = -1
    p.appended = None
    p.failures = 0


@action
def acknowledge_appended(s: Production) -> None:
    """acks=1: the record is in the leader's log."""
    require_some(s.producer.appended)
    acknowledge(s)


@action
def acknowledge_committed(s: Production) -> None:
    """acks=all: the leader, still in its term, has the record below its high watermark."""
    appended = require_some(s.producer.appended)
    require(
        any(
            presumes_leadership(s, r)
            and s.replica[r].epoch == appended.term
            and s.replica[r].hw > appended.offset
            for r in Replica
        )
    )
    acknowledge(s)


@action
def depose_while_waiting(s: Production) -> None:
    """acks=all: the leader's term ends before the record is committed: NOT_LEADER_OR_FOLLOWER."""
    appended = require_some(s.producer.appended)
    require(
        not any(s.replica[r].leader == r and s.replica[r].epoch == appended.term for r in Replica)
    )
    fail(s, True)
