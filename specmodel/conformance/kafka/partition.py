"""One partition as its brokers know it: logs with epochs, leaders, and the answers they give.

Source: LeaderEpochFileCache.endOffsetFor, Partition.checkCurrentLeaderEpoch, Partition.readRecords.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from specmodel.dataclass import dataclass

TOPIC_ID = "11111111-2222-3333-4444-555555555555"
"""The id of a topic that is never deleted."""

UNKNOWN = -1
"""The epoch and the offset of an answer that is undefined."""

FetchError = Literal[
    "none",
    "fenced_leader_epoch",
    "unknown_leader_epoch",
    "not_leader_or_follower",
    "offset_out_of_range",
    "unknown_topic_or_partition",
    "unknown_topic_id",
]
"""An error of the protocol, by its name in kio."""


ProduceAnswer = tuple[FetchError | Literal["lost"], int]
"""The answer to a produce request: an error, and the offset of its first record (-1 with an error).
With `lost` there is no answer."""


@dataclass(frozen=True)
class LogEntry:
    """A record of a log: the leader epoch under which it was written, and its value."""

    epoch: int
    value: str


@dataclass(frozen=True)
class FetchAnswer:
    """A leader's answer to a consumer's fetch.

    `entries` begin at the offset that was asked for. `diverging` is the epoch and its end where the
    client's log parts from the leader's.
    """

    error: FetchError
    high_watermark: int = UNKNOWN
    log_start: int = UNKNOWN
    entries: tuple[LogEntry, ...] = ()
    diverging: tuple[int, int] | None = None


@dataclass
class PartitionState:
    """The partition. Brokers are numbers.

    A broker acts by the leader epoch that it has `noticed`. `leaders` has the leader of each epoch,
    `epoch` is the latest one. `exposed` is the high watermark of each broker while it leads.
    `start` is the first offset that retention has left.

    If the topic is deleted and created anew, leader epochs begin again. Then the numbers that
    brokers notice are terms, each with its leader epoch in `epochs`, and its topic in `topics`: the
    id, or an empty text if there is no topic.
    """

    logs: Mapping[int, Sequence[LogEntry]]
    leaders: Mapping[int, int]
    epoch: int
    noticed: Mapping[int, int]
    exposed: Mapping[int, int]
    start: Mapping[int, int] = field(default_factory=dict[int, int])
    epochs: Mapping[int, int] = field(default_factory=dict[int, int])
    topics: Mapping[int, str] = field(default_factory=dict[int, str])

    def epoch_of(self, term: int) -> int:
        """The leader epoch of a term."""
        return self.epochs.get(term, term)

    def topic_of(self, term: int) -> str:
        """The id of the topic in a term; empty if there is none."""
        return self.topics.get(term, TOPIC_ID)

    def leader_by(self, broker: int) -> int:
        """The broker that a broker takes for the leader."""
        return self.leaders[self.noticed[broker]]

    def refusal(self, broker: int, current_epoch: int | None) -> FetchError:
        """How a broker refuses a request with the client's leader epoch (None or -1: without)."""
        mine = self.epoch_of(self.noticed[broker])
        if not self.topic_of(self.noticed[broker]):
            return "unknown_topic_or_partition"
        if current_epoch is not None and current_epoch >= 0:
            if current_epoch < mine:
                return "fenced_leader_epoch"
            if current_epoch > mine:
                return "unknown_leader_epoch"
        return "none" if self.leader_by(broker) == broker else "not_leader_or_follower"

    def end_of_epoch(self, broker: int, epoch: int) -> tuple[int, int]:
        """The largest epoch up to the one asked for, and the offset at which it ends.

        The cache has an entry for each epoch in the log, and one for the broker's own epoch from
        the moment it takes over. An epoch older than the whole log ends where the log starts.
        """
        own = self.epoch_of(self.noticed[broker])
        if epoch < 0 or epoch > own:
            return UNKNOWN, UNKNOWN
        log, floor = self.logs[broker], UNKNOWN
        end = len(log)
        for offset in range(self.start.get(broker, 0), len(log)):
            if log[offset].epoch <= epoch:
                floor = log[offset].epoch
            else:
                end = min(end, offset)
        if floor == UNKNOWN or epoch == own:
            return epoch, end
        return floor, end

    def fetched(
        self,
        broker: int,
        offset: int,
        current_epoch: int | None,
        last_epoch: int,
        most: int | None,
    ) -> FetchAnswer:
        """The answer to a consumer's fetch.

        `last_epoch` is that of the last fetched record (-1: the request has none). `most` is the
        offset up to which the high watermark is shown; None: all of it.
        """
        error = self.refusal(broker, current_epoch)
        if error != "none":
            return FetchAnswer(error)
        log, start = self.logs[broker], self.start.get(broker, 0)
        shown = self.exposed[broker]
        shown = shown if most is None else min(shown, most)
        if last_epoch >= 0:
            epoch, end = self.end_of_epoch(broker, last_epoch)
            if epoch == UNKNOWN:
                return FetchAnswer("offset_out_of_range")
            if epoch < last_epoch or end < offset:
                return FetchAnswer("none", shown, start, diverging=(epoch, end))
        if offset > len(log) or offset < start:
            return FetchAnswer("offset_out_of_range")
        return FetchAnswer("none", shown, start, tuple(log[offset:shown]))
