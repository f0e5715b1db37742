"""How a consumer finds out, when the leader changes, whether the log still has what it consumed.

It asks the leader by OffsetsForLeaderEpoch where the leader epoch of its position ends. Designs
differ in what they make of the answer.

Source: KIP-320, KIP-279, KIP-595; LeaderEpochFileCache.endOffsetFor,
SubscriptionState.maybeCompleteValidation, Partition.readRecords, AbstractFetcherThread.
"""

from specmodel.lang import Struct, action, require

from ..replication.core import KnownEpoch, Offset, Replica, max_leader_epoch
from .fetching import deliver
from .resets import NONE, reset_policy, truncated_at, truncated_somewhere
from .state import (
    UNKNOWN_EPOCH,
    FetchPosition,
    Phase,
    Subscription,
    fenced_leader,
    high_watermark,
)


class EpochEnd(Struct):
    """The answer: the largest epoch up to the one asked for, and where it ends. -1: undefined."""

    epoch: KnownEpoch
    end: Offset


def end_offset_for_epoch(s: Subscription, broker: Replica, epoch: KnownEpoch) -> EpochEnd:
    """What a leader's epoch cache says of an epoch.

    The cache has an entry for each epoch in the log, and one for the leader's own epoch from the
    moment it takes over (KAFKA-7415); so an epoch is unknown to it only if it is larger than that.
    An epoch older than all of the log is said to end where the log starts.
    """
    log = s.log[broker]
    if epoch > s.noticed[broker]:
        return EpochEnd(UNKNOWN_EPOCH, 0)
    floor, end = UNKNOWN_EPOCH, len(log)
    for offset in range(s.start[broker], len(log)):
        if log[offset].epoch <= epoch:
            floor = log[offset].epoch
        else:
            end = min(end, offset)
    if floor == UNKNOWN_EPOCH or epoch == s.noticed[broker]:
        return EpochEnd(epoch, end)
    return EpochEnd(floor, end)


def asked_leader(s: Subscription) -> Replica:
    """The leader that answers a lookup: it is fenced like a fetch."""
    require(s.consumer.phase == Phase.validating)
    return fenced_leader(s)


def own_end_of_epoch(s: Subscription, epoch: KnownEpoch, end: Offset) -> Offset:
    """Where an epoch ends in the records up to `end` whose epochs the client remembers."""
    for offset in range(s.consumer.remembers, end):
        record = s.delivered[offset]
        if record is not None and record.epoch > epoch:
            return offset
    return end


def own_epoch_before(s: Subscription, end: Offset) -> KnownEpoch:
    """The remembered epoch of the record just before an offset."""
    if end <= s.consumer.remembers:
        return UNKNOWN_EPOCH
    record = s.delivered[end - 1]
    return UNKNOWN_EPOCH if record is None else record.epoch


def own_position(s: Subscription, end: Offset, epoch: KnownEpoch) -> FetchPosition:
    """A position with the remembered epoch, or else with the one that the leader answered.

    At offset 0 there is no record before it, and nothing to validate.
    """
    if end == 0:
        return FetchPosition(end, UNKNOWN_EPOCH)
    own = own_epoch_before(s, end)
    return FetchPosition(end, epoch if own == UNKNOWN_EPOCH else own)


@action
def validate_end_offset(s: Subscription) -> None:
    """KIP-320, and the Java client: truncated if the epoch ends before the position."""
    broker = asked_leader(s)
    position = s.consumer.position
    answer = end_offset_for_epoch(s, broker, position.epoch)
    if answer.epoch == UNKNOWN_EPOCH:
        truncated_somewhere(s)
    elif answer.end < position.offset:
        truncated_at(s, broker, FetchPosition(answer.end, answer.epoch))
    else:
        s.consumer.phase = Phase.fetching


@action
def validate_epoch(s: Subscription) -> None:
    """As a leader checks a follower (KIP-595): truncated also if the leader lacks the epoch."""
    broker = asked_leader(s)
    position = s.consumer.position
    answer = end_offset_for_epoch(s, broker, position.epoch)
    if answer.epoch == UNKNOWN_EPOCH:
        truncated_somewhere(s)
    elif answer.end < position.offset or answer.epoch < position.epoch:
        to = min(answer.end, position.offset)
        truncated_at(s, broker, FetchPosition(to, answer.epoch))
    else:
        s.consumer.phase = Phase.fetching


@action
def validate_history_once(s: Subscription) -> None:
    """The client compares the answer with the epochs of the records that it remembers, once."""
    broker = asked_leader(s)
    position = s.consumer.position
    answer = end_offset_for_epoch(s, broker, position.epoch)
    if answer.epoch == UNKNOWN_EPOCH:
        truncated_somewhere(s)
    elif answer.end < position.offset or answer.epoch < position.epoch:
        to = min(answer.end, own_end_of_epoch(s, answer.epoch, position.offset))
        truncated_at(s, broker, own_position(s, to, answer.epoch))
    else:
        s.consumer.phase = Phase.fetching


@action
def validate_history(s: Subscription) -> None:
    """The client asks on, as a follower does (KIP-279), until both know the epoch asked for."""
    broker = asked_leader(s)
    position = s.consumer.position
    end: int = position.offset
    epoch: int = position.epoch
    answer = end_offset_for_epoch(s, broker, epoch)
    if answer.epoch == UNKNOWN_EPOCH:
        truncated_somewhere(s)
    elif answer.end < end or answer.epoch < epoch:
        for _ in range(max_leader_epoch + 1):
            end = min(end, own_end_of_epoch(s, answer.epoch, end))
            epoch = own_epoch_before(s, end)
            if epoch == answer.epoch or epoch == UNKNOWN_EPOCH:
                break
            answer = end_offset_for_epoch(s, broker, epoch)
        end = min(end, answer.end)
        truncated_at(s, broker, own_position(s, end, answer.epoch))
    else:
        s.consumer.phase = Phase.fetching


@action
def fetch_with_last_epoch(s: Subscription) -> None:
    """KIP-595's fetch for consumers (KAFKA-10498): the leader checks before it returns records.

    The first fetch from a leader takes the place of the lookup; later ones are checked as well, to
    no effect, since a leader's log only grows.
    """
    broker = asked_leader(s)
    position = s.consumer.position
    answer = end_offset_for_epoch(s, broker, position.epoch)
    if answer.epoch == UNKNOWN_EPOCH:
        s.consumer.phase = Phase.raised if reset_policy == NONE else Phase.resetting
    elif answer.end < position.offset or answer.epoch < position.epoch:
        to = min(answer.end, position.offset)
        truncated_at(s, broker, FetchPosition(to, answer.epoch))
    else:
        s.consumer.phase = Phase.fetching
        if s.start[broker] <= position.offset < high_watermark(s, broker):
            deliver(s, broker, high_watermark(s, broker))
