"""A KRaft quorum: voters that elect a leader, and replicate its log by fetching.

Requests and responses are on their way for a while: they overtake each other, and get lost. A
response belongs to one request: its voter waits for it, or has given it up. Voters do not restart,
and the set of voters does not change. Snapshots, observers, pre-votes and resignation are left out.

Source: KIP-595 (A Raft Protocol for the Metadata Quorum); KafkaRaftClient of Apache Kafka.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Annotated

from specmodel.lang import Capacity, Range, ScalarSet, Set, Struct, constant, init, require

voters = constant("voters", 3, low=1, high=5, doc="voters of the quorum")
max_epoch = constant("max_epoch", 2, low=1, high=6, doc="the last leader epoch")
log_size = constant("log_size", 1, low=1, high=4, doc="records that fit in a log")
flying = constant("flying", 2, low=1, high=5, doc="messages on their way at once")

Epoch = Annotated[int, Range(0, max_epoch)]
LeaderEpoch = Annotated[int, Range(1, max_epoch)]
Offset = Annotated[int, Range(0, log_size)]
Correlation = Annotated[int, Range(0, flying)]

Log = Annotated[list[LeaderEpoch], Capacity(log_size)]
"""The epochs of a log's records. An epoch has one leader, so an offset and an epoch tell which
record it is."""


class Voter(ScalarSet, size=voters, prefix="v", symmetric=True):
    """A controller that votes, and keeps a copy of the log."""


class Role(Enum):
    """What a voter is in its epoch. Unattached, it knows no leader, and may have voted."""

    unattached = auto()
    candidate = auto()
    follower = auto()
    leader = auto()


class VoterState(Struct):
    """What a voter knows. `ends` is of a leader, `votes` of a candidate, `awaits` of a follower.

    `awaits` is the correlation id of the fetch whose response the voter waits for.
    """

    epoch: Epoch
    role: Role
    leader: Voter | None
    voted_for: Voter | None
    log: Log
    hw: Offset
    votes: Set[Voter]
    ends: dict[Voter, Offset]
    awaits: Correlation | None


class VoteRequest(Struct):
    """A candidate asks for a vote, and says how far its log goes."""

    epoch: LeaderEpoch
    last_epoch: Epoch
    end: Offset
    source: Voter
    to: Voter


class VoteGranted(Struct):
    """A voter votes. A refusal changes nothing and is not sent."""

    epoch: LeaderEpoch
    source: Voter
    to: Voter


class BeginQuorumEpoch(Struct):
    """A leader says that it leads."""

    epoch: LeaderEpoch
    source: Voter
    to: Voter


class FetchRequest(Struct):
    """A follower asks for the record at the end of its log, and says of which epoch its last is."""

    epoch: LeaderEpoch
    offset: Offset
    last_epoch: Epoch
    correlation: Correlation
    source: Voter
    to: Voter


class EpochEnd(Struct):
    """Where an epoch ends in a leader's log."""

    epoch: Epoch
    end: Offset


class FetchResponse(Struct):
    """The record at the offset that was asked for, if there is one, or where the logs diverge."""

    epoch: LeaderEpoch
    offset: Offset
    record: LeaderEpoch | None
    diverging: EpochEnd | None
    hw: Offset
    correlation: Correlation
    source: Voter
    to: Voter


Message = VoteRequest | VoteGranted | BeginQuorumEpoch | FetchRequest | FetchResponse


class Quorum(Struct):
    """The voters, and the messages on their way."""

    voter: dict[Voter, VoterState]
    messages: Annotated[Set[Message], Capacity(flying)]


@init
def booted() -> Quorum:
    """Nobody leads, and all logs are empty."""
    unattached = VoterState(
        epoch=0,
        role=Role.unattached,
        leader=None,
        voted_for=None,
        log=[],
        hw=0,
        votes=set(),
        ends={v: 0 for v in Voter},
        awaits=None,
    )
    return Quorum(voter={v: unattached for v in Voter}, messages=set())


def send(s: Quorum, m: Message) -> None:
    """A message is on its way, if there is room for one more."""
    require(m not in s.messages and len(s.messages) < flying)
    s.messages |= {m}


def last_epoch(log: Log) -> int:
    """The epoch of the last record, 0 if there is none."""
    return log[-1] if len(log) > 0 else 0


def enter_epoch(state: VoterState, epoch: int) -> None:
    """A voter leaves its epoch for a newer one, and waits for no response of the older."""
    state.epoch = epoch
    state.role = Role.unattached
    state.leader = None
    state.voted_for = None
    state.votes = set()
    state.ends = {v: 0 for v in Voter}
    state.awaits = None
