"""Rules of released clients that differ from those of KIP-320 and of the Java client.

Source: kafka-python 3.0.12, Fetcher and SubscriptionState; franz-go v1.22.3, metadata.go, source.go
and consumer.go of kgo; the Java client 4.4.0, Metadata.updateLatestMetadata.
"""

from specmodel.lang import action, require, transition

from ..replication.core import LeaderEpoch
from .fetching import deliver, lose_range, take_metadata
from .properties import resets_precisely, resets_safely, signalled, truly_lost
from .resets import (
    NONE,
    move_to,
    reset_policy,
    signal_truncation,
    truncated_somewhere,
)
from .state import (
    UNKNOWN_EPOCH,
    FetchPosition,
    Phase,
    Subscription,
    fenced_leader,
    high_watermark,
    unfenced_leader,
)
from .validation import asked_leader, end_offset_for_epoch, validate_end_offset


@action
def refresh_metadata_repeated(s: Subscription, epoch: LeaderEpoch) -> None:
    """franz-go ignores metadata that is older than what it knows five times, and takes it then."""
    take_metadata(s, epoch)


@action
def refresh_metadata_replacing(s: Subscription, epoch: LeaderEpoch) -> None:
    """kafka-python takes any metadata, also older than what it knows.

    It validates its position by a leader whose epoch is later than that of the position.
    """
    require(s.consumer.phase != Phase.joining)
    require(epoch <= s.epoch and epoch != s.consumer.metadata)
    s.consumer.metadata = epoch
    s.consumer.seen = epoch
    position = s.consumer.position
    known = position.epoch != UNKNOWN_EPOCH and position.epoch < epoch
    if s.consumer.phase == Phase.fetching and known:
        s.consumer.phase = Phase.validating


@action
def refresh_metadata_unnamed(s: Subscription, epoch: LeaderEpoch) -> None:
    """Metadata names a leader without its epoch (franz-go issue 1331).

    It has no order, and a position is not validated by a leader without an epoch.
    """
    require(s.consumer.phase == Phase.fetching)
    require(epoch <= s.epoch and epoch != s.consumer.metadata)
    s.consumer.metadata = epoch
    s.consumer.seen = epoch


@action
def hear_epoch(s: Subscription) -> None:
    """Metadata names the epoch of the leader after all: the position is validated then."""
    require(s.consumer.phase == Phase.fetching and s.consumer.position.epoch != UNKNOWN_EPOCH)
    s.consumer.phase = Phase.validating


@action
def fetch_checked(s: Subscription) -> None:
    """A fetch with the epoch of the last record (KIP-595): a divergence only makes kafka-python
    validate its position."""
    require(s.consumer.phase == Phase.fetching)
    broker = fenced_leader(s)
    position = s.consumer.position
    answer = end_offset_for_epoch(s, broker, position.epoch)
    if position.epoch != UNKNOWN_EPOCH and (
        answer.end < position.offset or answer.epoch < position.epoch
    ):
        s.consumer.phase = Phase.validating
    else:
        deliver(s, broker, high_watermark(s, broker))


@action
def validate_taking_epoch(s: Subscription) -> None:
    """As KIP-320 validates; but the position takes the epoch of the answer (kafka-python).

    The leader's epoch at the offset is then another one than that of the record consumed, and
    nothing is left to find that by.
    """
    answer = end_offset_for_epoch(s, asked_leader(s), s.consumer.position.epoch)
    validate_end_offset(s)
    if s.consumer.phase == Phase.fetching:
        s.consumer.position.epoch = answer.epoch


@action
def validate_reporting(s: Subscription) -> None:
    """franz-go: as kafka-python; a truncation is reported, and the client goes on by itself.

    With auto.offset.reset none it goes on behind the truncation too, or where it was if the leader
    does not know the epoch.
    """
    broker = asked_leader(s)
    position = s.consumer.position
    answer = end_offset_for_epoch(s, broker, position.epoch)
    if answer.epoch == UNKNOWN_EPOCH and reset_policy != NONE:
        truncated_somewhere(s)
    elif answer.epoch != UNKNOWN_EPOCH and answer.end < position.offset:
        signal_truncation(s, broker, answer.end)
        move_to(s, FetchPosition(answer.end, answer.epoch))
    else:
        s.consumer.position.epoch = answer.epoch
        s.consumer.phase = Phase.fetching


@action
def out_of_range_uncommitting(s: Subscription) -> None:
    """kafkajs, out of range: it commits that it has no offset, and resets its position."""
    require(s.consumer.phase == Phase.fetching)
    lose_range(s, unfenced_leader(s))
    s.saved = None


def took_epoch(before: Subscription, after: Subscription) -> bool:
    """The position has only another epoch: to these clients, that is no signal of truncation."""
    same_offset = after.consumer.position.offset == before.consumer.position.offset
    return after.consumer.phase == Phase.fetching and same_offset


@transition
def no_false_alarm(before: Subscription, after: Subscription) -> bool:
    """As of other clients; but a position may take another epoch without a signal."""
    return not signalled(before, after) or took_epoch(before, after) or truly_lost(before)


@transition
def safe_reset(before: Subscription, after: Subscription) -> bool:
    """As of other clients; but a position may take another epoch without a reset."""
    return took_epoch(before, after) or resets_safely(before, after)


@transition
def precise_reset(before: Subscription, after: Subscription) -> bool:
    """As of other clients; but a position may take another epoch without a reset."""
    return took_epoch(before, after) or resets_precisely(before, after)
