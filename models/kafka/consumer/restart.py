"""Committed offsets, restarts, and offsets that the application stores itself.

An offset is saved with the leader epoch of the record before it, either in the group coordinator or
by the application, which then calls seek(offset, epoch) when it starts: for the client the two are
the same. A restarted client knows no epochs but that one. Its first metadata may come from a broker
that is far behind; KIP-320 has it wait until metadata has reached the saved epoch.

Source: KIP-320 and KIP-232; ConsumerUtils.refreshCommittedOffsets, KafkaConsumer.seek,
Metadata.updateLastSeenEpochIfNewer; for `rejoin`, ConsumerGroup.recoverFromFetch of kafkajs.
"""

from specmodel.lang import action, require, require_some

from ..replication.core import KnownEpoch, LeaderEpoch
from .resets import NONE, reset_policy
from .state import (
    UNKNOWN_EPOCH,
    FetchPosition,
    Phase,
    Saved,
    Subscription,
    leads,
    named_leader,
)


@action
def save_offset(s: Subscription) -> None:
    """The position is committed, or stored by the application."""
    require(s.consumer.phase == Phase.fetching)
    s.saved = Saved(s.consumer.position, s.delivered, s.excused)


@action
def crash(s: Subscription) -> None:
    """The client's process ends, and another one starts without any memory."""
    require(s.saved is not None and s.consumer.phase != Phase.joining)
    s.consumer.phase = Phase.joining
    s.consumer.position = FetchPosition(0, UNKNOWN_EPOCH)
    s.consumer.divergent = None
    s.consumer.metadata = 0
    s.consumer.seen = 0
    s.consumer.remembers = 0


def go_back(s: Subscription) -> None:
    """The position and the application's results are again as they were when they were saved."""
    saved = require_some(s.saved)
    s.consumer.position = saved.position
    s.delivered = saved.delivered
    s.excused = saved.excused


def start_at(s: Subscription, epoch: KnownEpoch, metadata: LeaderEpoch, seen: LeaderEpoch) -> None:
    """Begin at the saved offset; results beyond it are produced anew."""
    require(s.consumer.phase == Phase.joining and metadata <= s.epoch)
    go_back(s)
    s.consumer.position.epoch = epoch
    s.consumer.remembers = s.consumer.position.offset
    s.consumer.metadata = metadata
    s.consumer.seen = seen
    s.consumer.phase = Phase.fetching if epoch == UNKNOWN_EPOCH else Phase.validating


@action
def load_offset(s: Subscription, metadata: LeaderEpoch) -> None:
    """Metadata comes first, then the saved offset: the client waits for metadata of its epoch."""
    epoch = require_some(s.saved).position.epoch
    start_at(s, epoch, metadata, max(epoch, metadata))


@action
def load_offset_without_wait(s: Subscription, metadata: LeaderEpoch) -> None:
    """The saved epoch is not compared with the epoch of the metadata."""
    start_at(s, require_some(s.saved).position.epoch, metadata, metadata)


@action
def load_offset_before_metadata(s: Subscription, metadata: LeaderEpoch) -> None:
    """The saved offset comes first: no epoch is cached yet, and the Java client does not keep it.

    Any metadata that comes next is taken for new.
    """
    start_at(s, require_some(s.saved).position.epoch, metadata, metadata)


@action
def load_offset_without_epoch(s: Subscription, metadata: LeaderEpoch) -> None:
    """Only the offset was saved, or the application calls seek(offset): there is no validation."""
    start_at(s, UNKNOWN_EPOCH, metadata, metadata)


@action
def load_offset_unvalidated(s: Subscription, metadata: LeaderEpoch) -> None:
    """The saved offset is used at once: its epoch is asked for when the leader changes next."""
    epoch = require_some(s.saved).position.epoch
    start_at(s, epoch, metadata, max(epoch, metadata))
    s.consumer.phase = Phase.fetching


@action
def rejoin(s: Subscription, metadata: LeaderEpoch) -> None:
    """kafkajs, on an error that means stale metadata: refresh it, join the group anew, start over.

    It starts from the committed offset, or from its default offset if there is none.
    """
    require(s.consumer.phase == Phase.fetching and metadata <= s.epoch)
    require(not leads(s, named_leader(s)) and metadata != s.consumer.metadata)
    s.consumer.metadata = metadata
    s.consumer.seen = metadata
    if s.saved is None:
        s.consumer.phase = Phase.raised if reset_policy == NONE else Phase.resetting
    else:
        go_back(s)
