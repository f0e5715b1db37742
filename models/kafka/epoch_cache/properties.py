"""What must hold of leader-epoch caches, and of the truncation that goes by them."""

from specmodel.lang import invariant, reachable, transition

from ..replication.core import Position, Replica, is_true_leader, log_size, same_epoch
from ..replication.history import holds_exposed
from ..replication.truncation import first_divergence
from .cache import CachedCluster


@invariant
def cache_monotone(s: CachedCluster) -> bool:
    """Along a cache, both epochs and start offsets rise strictly."""
    return all(
        s.cache[r][i].epoch < s.cache[r][i + 1].epoch
        and s.cache[r][i].start < s.cache[r][i + 1].start
        for r in Replica
        for i in range(len(s.cache[r]) - 1)
    )


@invariant
def cache_agrees_with_log(s: CachedCluster) -> bool:
    """The leader epoch of a record is that of the last entry which starts at or before it."""
    return all(
        any(entry.epoch == s.log[r][offset].epoch and entry.start <= offset for entry in s.cache[r])
        and all(
            entry.start > offset or entry.epoch <= s.log[r][offset].epoch for entry in s.cache[r]
        )
        for r in Replica
        for offset in range(len(s.log[r]))
    )


@invariant
def never_undefined(s: CachedCluster) -> bool:
    """No leader answers "undefined" to a follower that names an epoch."""
    for r in Replica:
        truncation = s.truncation[r]
        if truncation is not None:
            answer = truncation.answer
            if answer is not None and answer.end < 0:
                return False
    return True


@invariant
def truncated_prefix(s: CachedCluster) -> bool:
    """A follower that fetches in its leader's epoch has the beginning of the leader's log."""
    return all(
        len(s.log[follower]) <= len(s.log[leader])
        and all(
            s.log[follower][offset] == s.log[leader][offset]
            for offset in range(len(s.log[follower]))
        )
        for leader in Replica
        for follower in Replica
        if same_epoch(s, leader, follower) and s.truncation[follower] is None
    )


@transition
def truncation_exact(before: CachedCluster, after: CachedCluster) -> bool:
    """When a follower has truncated, its log ends just where it and the leader's came apart."""
    return all(
        len(after.log[follower]) == first_divergence(before.log[leader], before.log[follower])
        for leader in Replica
        for follower in Replica
        if before.truncation[follower] is not None
        and after.truncation[follower] is None
        and leader != follower
        and same_epoch(before, leader, follower)
        and same_epoch(after, leader, follower)
    )


@transition
def committed_not_truncated(before: CachedCluster, after: CachedCluster) -> bool:
    """No member of the ISR truncates a record that was ever exposed."""
    return all(
        holds_exposed(after, r)
        for r in Replica
        if len(after.log[r]) < len(before.log[r])
        and r in before.quorum.isr
        and holds_exposed(before, r)
    )


@reachable
def committed_across_epochs(s: CachedCluster) -> bool:
    """A true leader has exposed records of two leader epochs: elections and truncation do work."""
    return any(
        is_true_leader(s, r)
        and s.replica[r].hw >= 2
        and s.log[r][0].epoch < s.log[r][s.replica[r].hw - 1].epoch
        for r in Replica
    )


@reachable
def epoch_without_records(s: CachedCluster) -> bool:
    """A follower asks for an epoch in which it has led, and written nothing."""
    for r in Replica:
        truncation = s.truncation[r]
        if truncation is not None:
            asked = truncation.asked
            if asked is not None and all(record.epoch != asked for record in s.log[r]):
                return True
    return False


@reachable
def diverged_position_truncated(s: CachedCluster) -> bool:
    """A follower waits to truncate a record that its leader has another one in place of."""
    return any(
        s.truncation[follower] is not None
        and same_epoch(s, leader, follower)
        and differs_at(s, leader, follower, offset)
        for leader in Replica
        for follower in Replica
        for offset in range(log_size)
    )


def differs_at(s: CachedCluster, leader: Replica, follower: Replica, offset: Position) -> bool:
    """Both logs reach an offset, with different records there."""
    return (
        offset < len(s.log[leader])
        and offset < len(s.log[follower])
        and s.log[leader][offset] != s.log[follower][offset]
    )
