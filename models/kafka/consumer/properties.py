"""What a consumer should be able to rely on.

Two records at the same offset are the same if they have the same id. "The leader" is the broker
that the client talks to, except where the current leader is named.
"""

from specmodel.lang import constant, invariant, reachable, transition

from ..replication.core import Offset, log_size
from .state import (
    Phase,
    Subscription,
    divergence,
    first_lost,
    high_watermark,
    named_leader,
)

tolerance = constant(
    "tolerance",
    0,
    low=-1,
    high=6,
    doc="how many records a reset may miss the divergence by; the least that holds is the distance "
    "(-1: even a reset that hits it is refused, which shows that there are resets)",
)


def at_current_leader(s: Subscription) -> bool:
    """The client fetches from the current leader, which has nothing to object to its position."""
    leader = s.leaders[s.epoch]
    return (
        s.consumer.phase == Phase.fetching
        and s.consumer.metadata == s.epoch
        and s.noticed[leader] == s.epoch
        and s.start[leader] <= s.consumer.position.offset <= len(s.log[leader])
    )


def lost_record(s: Subscription) -> bool:
    """The application holds a record that is not in the current leader's log, and was not told.

    Only offsets that the log still covers count: what was at the others, the leader cannot know.
    """
    leader = s.leaders[s.epoch]
    return first_lost(s, leader, s.start[leader]) < s.consumer.position.offset


@invariant
def no_silent_loss(s: Subscription) -> bool:
    """A consumer that fetches from the current leader holds the leader's records, or was told."""
    return not (at_current_leader(s) and lost_record(s))


def signalled(before: Subscription, after: Subscription) -> bool:
    """In this step the client concluded that the log was truncated."""
    if before.consumer.phase != Phase.validating:
        return False
    if after.consumer.phase == Phase.fetching:
        moved_by_fetch = after.consumer.position.offset > before.consumer.position.offset
        return after.consumer.position != before.consumer.position and not moved_by_fetch
    return after.consumer.phase == Phase.raised or after.consumer.phase == Phase.resetting


def truly_lost(before: Subscription) -> bool:
    """The leader lacks a record that was consumed.

    A broker that was deposed before that record was written says nothing about truncation.
    """
    position = before.consumer.position
    return (
        divergence(before, named_leader(before)) < position.offset
        and position.epoch <= before.consumer.metadata
    )


@transition
def no_false_alarm(before: Subscription, after: Subscription) -> bool:
    """Truncation is signalled only when the leader lacks a record that was consumed."""
    return not signalled(before, after) or truly_lost(before)


def reset_offset(before: Subscription, after: Subscription) -> Offset | None:
    """The offset that a signal names, if a record was lost and the signal names one."""
    lost = divergence(before, named_leader(before))
    if not signalled(before, after) or lost == before.consumer.position.offset:
        return None
    if after.consumer.divergent is not None:
        return after.consumer.divergent.offset
    if after.consumer.phase == Phase.fetching:
        return after.consumer.position.offset
    return None


def resets_safely(before: Subscription, after: Subscription) -> bool:
    """A reset, if there is one, goes back at least to the first record that was lost."""
    offset = reset_offset(before, after)
    return offset is None or offset <= divergence(before, named_leader(before)) + tolerance


@transition
def safe_reset(before: Subscription, after: Subscription) -> bool:
    """A reset goes back at least to the first record that was lost (give or take `tolerance`)."""
    return resets_safely(before, after)


def resets_precisely(before: Subscription, after: Subscription) -> bool:
    """A reset, if there is one, goes back to the first record that was lost, and no further."""
    offset = reset_offset(before, after)
    if offset is None:
        return True
    distance = offset - divergence(before, named_leader(before))
    return -tolerance <= distance and distance <= tolerance


@transition
def precise_reset(before: Subscription, after: Subscription) -> bool:
    """A reset goes back to the first record that was lost, and no further (likewise)."""
    return resets_precisely(before, after)


@transition
def no_skip(before: Subscription, after: Subscription) -> bool:
    """A reset by ListOffsets jumps over nothing that the application was not given, untold."""
    if before.consumer.phase != Phase.resetting or after.consumer.phase != Phase.fetching:
        return True
    broker = named_leader(before)
    return all(
        after.delivered[offset] == before.log[broker][offset] or offset in after.excused
        for offset in range(before.start[broker], after.consumer.position.offset)
    )


@transition
def committed_epoch_wait(before: Subscription, after: Subscription) -> bool:
    """No answer is acted on while metadata is older than the epoch of the position."""
    acted = (
        before.consumer.phase == Phase.validating
        and after.consumer.phase != Phase.validating
        and after.consumer.phase != Phase.joining
    )
    return not acted or before.consumer.metadata >= before.consumer.position.epoch


@transition
def read_committed_only(before: Subscription, after: Subscription) -> bool:
    """Only records below the leader's high watermark are given to the application."""
    given = (
        after.consumer.position.offset > before.consumer.position.offset
        and after.consumer.metadata == before.consumer.metadata
        and after.consumer.phase == Phase.fetching
        and (before.consumer.phase == Phase.fetching or before.consumer.phase == Phase.validating)
    )
    end = high_watermark(before, named_leader(before))
    return not given or after.consumer.position.offset <= end


@reachable
def caught_up_in_last_epoch(s: Subscription) -> bool:
    """The consumer can read all of a full log that is led under a later epoch than the first."""
    leader = s.leaders[s.epoch]
    return (
        s.epoch > 0
        and at_current_leader(s)
        and s.consumer.position.offset == log_size
        and all(s.delivered[offset] == s.log[leader][offset] for offset in range(log_size))
    )


@reachable
def reads_on_after_loss(s: Subscription) -> bool:
    """After a loss that it was not told of, the consumer can be given the leader's next record.

    Its position then has the epoch of that record, and nothing is left to find the loss by.
    """
    offset = s.consumer.position.offset
    leader = s.leaders[s.epoch]
    return (
        at_current_leader(s)
        and lost_record(s)
        and offset > 1
        and s.delivered[offset - 1] == s.log[leader][offset - 1]
    )


@reachable
def epochs_fall(s: Subscription) -> bool:
    """The consumer can be given a record of an earlier epoch after one of a later epoch.

    An application that looks at the epochs of its records would notice the loss by that.
    """
    for offset in range(log_size - 1):
        first, second = s.delivered[offset], s.delivered[offset + 1]
        if first is not None and second is not None and second.epoch < first.epoch:
            return True
    return False


@reachable
def waits_for_metadata(s: Subscription) -> bool:
    """A restarted consumer can have metadata older than its saved offset."""
    return s.consumer.phase == Phase.validating and s.consumer.metadata < s.consumer.seen
