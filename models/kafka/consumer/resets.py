"""How a consumer's position moves other than by fetching, and what the application hears of it.

With `reset_policy` earliest or latest (auto.offset.reset) the client moves by itself and logs a
message; with none it throws an exception, and the application decides. Both count as a signal here.

Source: KIP-320; SubscriptionState.maybeCompleteValidation, OffsetFetcherUtils, and
Partition.fetchOffsetForTimestamp for OFFSET_NOT_AVAILABLE.
"""

from specmodel.lang import action, constant, require, require_some

from ..replication.core import Offset, Replica, log_size
from .state import (
    UNKNOWN_EPOCH,
    FetchPosition,
    Phase,
    Subscription,
    divergence,
    fenced_leader,
    high_watermark,
    unfenced_leader,
)

EARLIEST, LATEST, NONE = 0, 1, 2

reset_policy = constant(
    "reset_policy",
    EARLIEST,
    low=EARLIEST,
    high=NONE,
    doc="auto.offset.reset: 0 earliest, 1 latest, 2 none (an exception, and the application seeks)",
)


def forget_from(s: Subscription, end: Offset) -> None:
    """What was given from this offset on will be given anew."""
    for offset in range(end, log_size):
        s.delivered[offset] = None
    s.excused = {offset for offset in s.excused if offset < end}


def move_to(s: Subscription, position: FetchPosition) -> None:
    """Fetch from a position on."""
    s.consumer.position = position
    s.consumer.phase = Phase.fetching
    forget_from(s, position.offset)


def signal_truncation(s: Subscription, broker: Replica, end: Offset) -> None:
    """The application hears that records are lost, and that the log is good up to `end`.

    What was lost below `end` is excused: that the signal came is one matter, that it was precise
    another.
    """
    lost = divergence(s, broker)
    for offset in range(lost, end):
        s.delivered[offset] = None
    s.excused |= {offset for offset in range(lost, end)}
    forget_from(s, end)


def truncated_at(s: Subscription, broker: Replica, to: FetchPosition) -> None:
    """Validation found where the log parts from what was consumed: go there, or throw."""
    signal_truncation(s, broker, to.offset)
    if reset_policy == NONE:
        s.consumer.divergent = to
        s.consumer.phase = Phase.raised
    else:
        move_to(s, to)


def truncated_somewhere(s: Subscription) -> None:
    """Validation found that the log was truncated, but not where: reset by policy, or throw."""
    s.excused = {offset for offset in range(log_size)}
    s.consumer.phase = Phase.raised if reset_policy == NONE else Phase.resetting


@action
def seek_to_divergence(s: Subscription) -> None:
    """The application catches the exception and seeks where it says; that position is validated."""
    require(s.consumer.phase == Phase.raised)
    move_to(s, require_some(s.consumer.divergent))
    s.consumer.divergent = None
    if s.consumer.position.epoch != UNKNOWN_EPOCH:
        s.consumer.phase = Phase.validating


@action
def seek_to_beginning(s: Subscription) -> None:
    """The application catches an exception that names no offset, and starts over."""
    require(s.consumer.phase == Phase.raised and s.consumer.divergent is None)
    s.consumer.phase = Phase.resetting


def earliest_from(s: Subscription, broker: Replica) -> None:
    """ListOffsets answers with the log start offset."""
    require(s.consumer.phase == Phase.resetting)
    move_to(s, FetchPosition(s.start[broker], UNKNOWN_EPOCH))
    s.consumer.remembers = s.consumer.position.offset


def latest_from(s: Subscription, broker: Replica) -> None:
    """ListOffsets answers with the high watermark, once that has reached the leader's own epoch.

    Until then it may be lower than what an earlier leader exposed: OFFSET_NOT_AVAILABLE.
    """
    require(s.consumer.phase == Phase.resetting)
    end = high_watermark(s, broker)
    require(end == len(s.log[broker]) or s.log[broker][end].epoch == s.noticed[broker])
    move_to(s, FetchPosition(end, UNKNOWN_EPOCH))
    s.consumer.remembers = end


@action
def reset_to_earliest(s: Subscription) -> None:
    """ListOffsets with the current leader epoch. The position that it gives has no epoch."""
    earliest_from(s, fenced_leader(s))


@action
def reset_to_latest(s: Subscription) -> None:
    """ListOffsets with the current leader epoch. The position that it gives has no epoch."""
    latest_from(s, fenced_leader(s))


@action
def reset_to_earliest_unfenced(s: Subscription) -> None:
    """ListOffsets as before KIP-320: whoever believes that it leads answers."""
    earliest_from(s, unfenced_leader(s))


@action
def reset_to_latest_unfenced(s: Subscription) -> None:
    """ListOffsets as before KIP-320: whoever believes that it leads answers."""
    latest_from(s, unfenced_leader(s))
