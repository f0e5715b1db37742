"""How a consumer learns of leaders, and fetches.

Source: KIP-320; Metadata.updateLatestMetadata, FetchCollector, Partition.readRecords.
"""

from specmodel.lang import action, constant, require

from ..replication.core import LeaderEpoch, Offset, Replica
from .resets import NONE, reset_policy
from .state import (
    UNKNOWN_EPOCH,
    FetchPosition,
    Phase,
    Subscription,
    fenced_leader,
    high_watermark,
    unfenced_leader,
)

min_isr = constant(
    "min_isr",
    1,
    low=1,
    high=6,
    doc="consumers read only while the ISR has as many members (min.insync.replicas allows more)",
)


def take_metadata(s: Subscription, epoch: LeaderEpoch) -> None:
    """Cache who leads; a position whose epoch is known is to be validated by that leader."""
    require(s.consumer.phase != Phase.joining)
    require(epoch <= s.epoch and epoch != s.consumer.metadata)
    s.consumer.metadata = epoch
    s.consumer.seen = epoch
    if s.consumer.phase == Phase.fetching and s.consumer.position.epoch != UNKNOWN_EPOCH:
        s.consumer.phase = Phase.validating


@action
def refresh_metadata(s: Subscription, epoch: LeaderEpoch) -> None:
    """Metadata comes from a broker that may be behind; older than what the client knows, it is
    ignored."""
    require(epoch >= s.consumer.seen)
    take_metadata(s, epoch)


@action
def refresh_metadata_unordered(s: Subscription, epoch: LeaderEpoch) -> None:
    """Metadata without leader epochs (before KIP-320): nothing tells the client that it is old."""
    take_metadata(s, epoch)


def deliver(s: Subscription, broker: Replica, end: Offset) -> None:
    """The application is given the record at the position, if it is below `end`.

    The position takes the leader epoch of that record.
    """
    require(len(s.view[broker]) >= min_isr)
    offset = s.consumer.position.offset
    require(s.start[broker] <= offset and offset < end)
    record = s.log[broker][offset]
    s.delivered[offset] = record
    s.excused -= {offset}
    s.consumer.position = FetchPosition(offset + 1, record.epoch)


@action
def fetch(s: Subscription) -> None:
    """A fetch with the current leader epoch: what is below the high watermark is returned."""
    require(s.consumer.phase == Phase.fetching)
    broker = fenced_leader(s)
    deliver(s, broker, high_watermark(s, broker))


@action
def fetch_without_epochs(s: Subscription) -> None:
    """A fetch before KIP-320: no leader epoch is sent, and none is kept of what is returned."""
    require(s.consumer.phase == Phase.fetching)
    broker = unfenced_leader(s)
    deliver(s, broker, high_watermark(s, broker))
    s.consumer.position.epoch = UNKNOWN_EPOCH


@action
def fetch_without_record_epochs(s: Subscription) -> None:
    """A fenced fetch of records in a message format that has no leader epoch (before version 2)."""
    fetch(s)
    s.consumer.position.epoch = UNKNOWN_EPOCH


@action
def fetch_nothing(s: Subscription) -> None:
    """kafka-python: an answer without records makes it forget the leader epoch of its position."""
    require(s.consumer.phase == Phase.fetching)
    broker = fenced_leader(s)
    offset = s.consumer.position.offset
    require(s.start[broker] <= offset and offset <= len(s.log[broker]))
    require(high_watermark(s, broker) <= offset)
    require(s.consumer.position.epoch != UNKNOWN_EPOCH)
    s.consumer.position.epoch = UNKNOWN_EPOCH


@action
def fetch_to_log_end(s: Subscription) -> None:
    """A mistake: the leader returns even what is above its high watermark, as to followers."""
    require(s.consumer.phase == Phase.fetching)
    broker = fenced_leader(s)
    deliver(s, broker, len(s.log[broker]))


def lose_range(s: Subscription, broker: Replica) -> None:
    """OFFSET_OUT_OF_RANGE: the position is before the log's start or beyond its end."""
    offset = s.consumer.position.offset
    require(offset < s.start[broker] or offset > len(s.log[broker]))
    s.consumer.phase = Phase.raised if reset_policy == NONE else Phase.resetting


@action
def out_of_range(s: Subscription) -> None:
    """A fenced fetch finds nothing at the position."""
    require(s.consumer.phase == Phase.fetching)
    lose_range(s, fenced_leader(s))


@action
def out_of_range_without_epochs(s: Subscription) -> None:
    """A fetch before KIP-320 finds nothing at the position."""
    require(s.consumer.phase == Phase.fetching)
    lose_range(s, unfenced_leader(s))
