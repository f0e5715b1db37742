"""One Kafka partition: its replicas, their logs, and the controller's view of them.

The controller decides who leads under which leader epoch, and tells the replicas by
leader-and-ISR requests. A request is never consumed: it may be lost, late or delivered twice, in
any order. The controller's own record of leader and ISR (`quorum`) is updated at once; a broker
learns of it only through requests. Offsets start at 0; high watermark (hw) and log end offset are
exclusive: a hw of 1 exposes the record at offset 0.

Source: the public TLA+ module KafkaReplication (hachikuji/kafka-specification), whose state space
this reproduces. Constants that name a quirk of that module behave by default as it does.
"""

from typing import Annotated

from specmodel.lang import Capacity, Range, ScalarSet, Set, Struct, constant, init

replicas = constant("replicas", 3, low=1, high=6, doc="brokers that hold the partition")
log_size = constant("log_size", 2, low=1, high=6, doc="records that fit in a log")
max_records = constant("max_records", 2, low=1, high=24, doc="records that producers write in all")
max_leader_epoch = constant("max_leader_epoch", 2, low=0, high=24, doc="the last leader epoch")

Offset = Annotated[int, Range(0, log_size)]
Position = Annotated[int, Range(0, log_size - 1)]
RecordId = Annotated[int, Range(0, max_records - 1)]
LeaderEpoch = Annotated[int, Range(0, max_leader_epoch)]
KnownEpoch = Annotated[int, Range(-1, max_leader_epoch)]


class Replica(ScalarSet, size=replicas, prefix="r", symmetric=True):
    """A broker that holds a copy of the partition."""


class Record(Struct):
    """A record as it lies in a log: its identity, and the leader epoch it was written under."""

    id: RecordId
    epoch: LeaderEpoch


Log = Annotated[list[Record], Capacity(log_size)]


class ReplicaState(Struct):
    """A broker's high watermark, and the request it accepted last (epoch -1: none yet)."""

    hw: Offset
    epoch: KnownEpoch
    leader: Replica | None
    isr: Set[Replica]


class Quorum(Struct):
    """The controller's record of the partition, in ZooKeeper (epoch -1: no election yet)."""

    epoch: KnownEpoch
    leader: Replica | None
    isr: Set[Replica]


class Request(Struct):
    """A leader-and-ISR request. Its leader epoch is its key in `Cluster.requests`."""

    leader: Replica | None
    isr: Set[Replica]


class Cluster(Struct):
    """The whole state. Leader epochs are unique, so each has room for its one request."""

    replica: dict[Replica, ReplicaState]
    log: dict[Replica, Log]
    quorum: Quorum
    requests: dict[LeaderEpoch, Request | None]
    next_id: Annotated[int, Range(0, max_records)]


@init
def booted() -> Cluster:
    """Empty logs, every replica in the ISR, and no leader yet."""
    return Cluster(
        replica={r: ReplicaState(hw=0, epoch=-1, leader=None, isr=set()) for r in Replica},
        log={r: [] for r in Replica},
        quorum=Quorum(epoch=-1, leader=None, isr={r for r in Replica}),
        requests={epoch: None for epoch in range(max_leader_epoch + 1)},
        next_id=0,
    )


def presumes_leadership(s: Cluster, leader: Replica) -> bool:
    """The broker believes that it leads, rightly or not: it takes writes and serves fetches."""
    return s.replica[leader].leader == leader


def is_true_leader(s: Cluster, leader: Replica) -> bool:
    """The broker leads in the controller's eyes, and knows it, under the current leader epoch."""
    return (
        s.quorum.leader == leader
        and presumes_leadership(s, leader)
        and s.replica[leader].epoch == s.quorum.epoch
    )


def follows(s: Cluster, follower: Replica, leader: Replica) -> bool:
    """The follower takes this broker for its leader, under any epoch. A leader follows itself."""
    return s.replica[follower].leader == leader


def same_epoch(s: Cluster, leader: Replica, follower: Replica) -> bool:
    """Both agree on who leads and under which leader epoch: the fence of KIP-320."""
    return (
        presumes_leadership(s, leader)
        and follows(s, follower, leader)
        and s.replica[follower].epoch == s.replica[leader].epoch
    )


def caught_up(s: Cluster, leader: Replica, follower: Replica, end: Offset) -> bool:
    """The follower follows this leader, and both logs reach `end`, whatever they hold below it."""
    return follows(s, follower, leader) and (
        end == 0 or (len(s.log[leader]) >= end and len(s.log[follower]) >= end)
    )


def matching(s: Cluster, leader: Replica, follower: Replica, end: Offset) -> bool:
    """As `caught_up`, and the records just below `end` are of the same leader epoch."""
    return (
        presumes_leadership(s, leader)
        and caught_up(s, leader, follower, end)
        and (end == 0 or s.log[leader][end - 1].epoch == s.log[follower][end - 1].epoch)
    )


def hw_reached_own_epoch(s: Cluster, leader: Replica) -> bool:
    """The leader's high watermark has passed everything that it inherited from earlier leaders.

    Until then it cannot know how far its predecessor's high watermark was (KAFKA-7128).
    """
    state, log = s.replica[leader], s.log[leader]
    return state.hw == len(log) or log[state.hw].epoch == state.epoch
