"""Caches that are kept badly on purpose: they show what the properties are good for."""

from specmodel.lang import action

from .core import LeaderEpoch, Replica
from .epoch_cache import (
    Cache,
    CachedCluster,
    EpochStart,
    Truncation,
    end_of_epoch_or_start,
)
from .epoch_cache_actions import become_leader_cached, leader_of, received
from .truncation import truncate


@action
def become_leader_appending(s: CachedCluster, epoch: LeaderEpoch) -> None:
    """A new leader's epoch is appended to the cache, whatever the entries before it say."""
    become_leader_cached(s, epoch)
    leader = leader_of(s, epoch)
    older: Cache = [entry for entry in s.cache[leader] if entry.epoch < epoch]
    older.append(EpochStart(epoch, len(s.log[leader])))
    s.cache[leader] = older


@action
def apply_answer_to_log_only(s: CachedCluster, follower: Replica) -> None:
    """The follower truncates its log by the answer and forgets about the cache."""
    answer = received(s, follower)
    log_end = len(s.log[follower])
    own = end_of_epoch_or_start(s.cache[follower], log_end, max(answer.epoch, 0))
    if answer.end < 0:
        truncate(s, follower, s.replica[follower].hw)
        s.truncation[follower] = None
    elif own.epoch < answer.epoch:
        truncate(s, follower, min(own.end, log_end))
        s.truncation[follower] = Truncation(None, None)
    else:
        truncate(s, follower, min(answer.end, own.end, log_end))
        s.truncation[follower] = None
