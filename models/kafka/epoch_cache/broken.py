"""Caches that are kept badly on purpose: they show what the properties are good for."""

from specmodel.lang import action

from ..replication.core import LeaderEpoch, Replica
from .actions import apply_answer_or_start, become_leader_cached, leader_of
from .cache import Cache, CachedCluster, EpochStart


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
    kept: Cache = [entry for entry in s.cache[follower]]
    apply_answer_or_start(s, follower)
    s.cache[follower] = kept
