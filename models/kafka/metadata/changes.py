"""How a client learns who leads a partition: from brokers that may not know it yet (KIP-232).

The controller changes the partition: it moves the leader, deletes the topic, creates it anew under
the same name. The changes reach each broker in order, but some brokers late. A client asks any
broker. To keep stale metadata the only cause of trouble, elections are clean and nothing is ever
truncated: within one incarnation of the topic every replica has a beginning of the same log.

Everything a response can say of the partition follows from how far the broker is in the sequence of
changes, so views and the client's cache are places in that sequence. What a client may conclude
from the response is another matter: see client.py.

Source: KIP-232, in its drafts; KIP-320.
"""

from typing import Annotated

from specmodel.lang import Capacity, Range, ScalarSet, Struct, action, constant, init, require

brokers = constant("brokers", 2, low=2, high=3, doc="brokers that hold the partition")
log_size = constant("log_size", 2, low=1, high=4, doc="records in the log of one incarnation")
max_leader_epoch = constant("max_leader_epoch", 2, low=0, high=4, doc="the last leader epoch")
incarnations = constant(
    "incarnations", 2, low=1, high=3, doc="times that the topic is created under the same name"
)

LAST_CHANGE = incarnations * (max_leader_epoch + 1) + incarnations - 2
"""Each incarnation has its leader epochs, and a deletion before the next."""

Offset = Annotated[int, Range(0, log_size)]
LeaderEpoch = Annotated[int, Range(0, max_leader_epoch)]
KnownEpoch = Annotated[int, Range(-1, max_leader_epoch)]
Generation = Annotated[int, Range(0, 2 * incarnations - 2)]
Version = Annotated[int, Range(0, LAST_CHANGE)]

EpochsOfRecords = Annotated[list[LeaderEpoch], Capacity(log_size)]


class Broker(ScalarSet, size=brokers, prefix="b"):
    """A broker: it has a copy of the partition and answers metadata requests. b1 leads first."""


class Change(Struct):
    """What the controller decided. Generations count creations and deletions of the topic.

    An even generation is an incarnation of the topic, and is the partition epoch of KIP-232, which
    each creation takes from a global counter that each deletion increments too. In an odd
    generation there is no topic, and leader and leader epoch mean nothing.
    """

    generation: Generation
    epoch: LeaderEpoch
    leader: Broker


class Position(Struct):
    """Where a consumer is: an offset, and the epochs to go with it, as far as a design has them.

    `generation` is the incarnation of the topic that the records before it were read from. That is
    the truth; what the client knows of it is `partition_epoch`, or nothing.
    """

    offset: Offset
    epoch: KnownEpoch
    partition_epoch: Generation | None
    generation: Generation


class Client(Struct):
    """A consumer of the partition.

    `cached` is the metadata it goes by; `seen_generation` and `seen_epoch` are the epochs, as far
    as a design has them, that newer metadata is held against. `validated`: the position was checked
    against the log since the metadata last changed. `rewound`, `crossed` and `stuck` record what
    went wrong.
    """

    cached: Version | None
    seen_generation: Generation | None
    seen_epoch: KnownEpoch
    position: Position
    validated: bool
    committed: Position | None
    external: Position | None
    rewound: bool
    crossed: bool
    stuck: bool


class System(Struct):
    """Changes so far, how far each broker is in them and in its copy of the log, and the client.

    `records` has the leader epochs of the records of each incarnation.
    """

    changes: Annotated[list[Change], Capacity(LAST_CHANGE + 1)]
    view: dict[Broker, Version]
    copied: dict[Broker, Offset]
    records: dict[Generation, EpochsOfRecords]
    client: Client


@init
def created() -> System:
    """The topic exists, everyone knows, and the client has yet to ask."""
    return System(
        changes=[Change(generation=0, epoch=0, leader=Broker.nth(0))],
        view={b: 0 for b in Broker},
        copied={b: 0 for b in Broker},
        records={g: [] for g in range(2 * incarnations - 1)},
        client=Client(
            cached=None,
            seen_generation=None,
            seen_epoch=-1,
            position=Position(offset=0, epoch=-1, partition_epoch=None, generation=0),
            validated=False,
            committed=None,
            external=None,
            rewound=False,
            crossed=False,
            stuck=False,
        ),
    )


def exists(change: Change) -> bool:
    """After this change there is a topic."""
    return change.generation % 2 == 0


def copy_of_log(s: System, broker: Broker) -> EpochsOfRecords:
    """The leader epochs of the records in a broker's copy of the log."""
    return s.records[s.changes[s.view[broker]].generation][: s.copied[broker]]


def up_to_date(s: System, broker: Broker) -> bool:
    """The broker has applied every change."""
    return s.view[broker] == len(s.changes) - 1


@action
def move_leader(s: System, broker: Broker) -> None:
    """A clean election: the new leader has every record of the topic."""
    now = s.changes[-1]
    require(exists(now) and broker != now.leader and now.epoch < max_leader_epoch)
    have = s.copied[broker] if s.changes[s.view[broker]].generation == now.generation else 0
    require(have == len(s.records[now.generation]))
    s.changes.append(Change(generation=now.generation, epoch=now.epoch + 1, leader=broker))


@action
def delete_topic(s: System) -> None:
    """The topic is deleted; the group coordinator drops the offset committed for it."""
    now = s.changes[-1]
    require(exists(now) and now.generation < 2 * incarnations - 2)
    s.changes.append(Change(generation=now.generation + 1, epoch=0, leader=now.leader))
    s.client.committed = None


@action
def create_topic(s: System, leader: Broker) -> None:
    """A topic of the same name is created: an empty log, and leader epochs from 0 again."""
    now = s.changes[-1]
    require(not exists(now))
    s.changes.append(Change(generation=now.generation + 1, epoch=0, leader=leader))


@action
def deliver(s: System, broker: Broker) -> None:
    """The next change reaches a broker, which removes the log of a topic that is gone."""
    require(not up_to_date(s, broker))
    old = s.changes[s.view[broker]].generation
    s.view[broker] += 1
    if s.changes[s.view[broker]].generation != old:
        s.copied[broker] = 0


@action
def write(s: System) -> None:
    """The leader takes a record and, alone in the ISR, exposes it at once.

    A deposed leader takes none here: it could not expose them, for want of the new leader's
    fetches.
    """
    now = s.changes[-1]
    require(exists(now) and up_to_date(s, now.leader))
    require(len(s.records[now.generation]) < log_size)
    s.records[now.generation].append(now.epoch)
    s.copied[now.leader] += 1


@action
def replicate(s: System, follower: Broker) -> None:
    """A follower copies the leader's next record."""
    now = s.changes[-1]
    require(exists(now) and up_to_date(s, now.leader) and up_to_date(s, follower))
    require(s.copied[follower] < len(s.records[now.generation]))
    s.copied[follower] += 1
