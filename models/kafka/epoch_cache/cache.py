"""The leader-epoch cache: where each leader epoch starts in a log, and where, by that, it ends.

Every broker keeps such a cache beside each log, on disk. A leader answers OffsetsForLeaderEpoch
from it; a follower uses it to ask, and to make sense of the answer. In replication/core.py there is
no cache: what it would hold is read off the logs of both sides in one step. Here it is explicit,
and truncation is three steps (ask, answer, apply) between which anything may happen.

Sources: KAFKA-7415; KIP-101 and KIP-279; LeaderEpochFileCache and AbstractFetcherThread of Kafka.
"""

from typing import Annotated

from specmodel.lang import Capacity, Range, Struct, constant

from ..replication.core import KnownEpoch, LeaderEpoch, Offset, Replica, log_size, max_leader_epoch
from ..replication.history import WatchedCluster

restarts = constant("restarts", 0, low=0, high=3, doc="how often brokers crash and restart in all")


class EpochStart(Struct):
    """An entry of the cache: the offset of the first record of a leader epoch.

    Of an epoch without records, the log end offset when it began.
    """

    epoch: LeaderEpoch
    start: Offset


Cache = Annotated[list[EpochStart], Capacity(max_leader_epoch + 1)]


class EpochEnd(Struct):
    """An answer: a leader epoch, and the offset where it ends. "Undefined" is -1 and -1."""

    epoch: KnownEpoch
    end: Annotated[int, Range(-1, log_size)]


class Truncation(Struct):
    """How far a new follower is: the epoch that it has asked for, and the answer, if any yet."""

    asked: LeaderEpoch | None
    answer: EpochEnd | None


class CachedCluster(WatchedCluster):
    """A watched cluster with caches. `truncation` is None in a leader, and in one that may fetch.

    Questions and answers of an earlier leader epoch are dropped on arrival, so a broker that
    accepts a request forgets them.
    """

    cache: dict[Replica, Cache] = {r: [] for r in Replica}
    truncation: dict[Replica, Truncation | None] = {r: None for r in Replica}
    restarts_left: Annotated[int, Range(0, restarts)] = restarts


def latest_epoch(cache: Cache) -> KnownEpoch:
    """The epoch of the last entry, -1 if there is none."""
    return cache[-1].epoch if len(cache) > 0 else -1


def assign(cache: Cache, epoch: LeaderEpoch, start: Offset) -> Cache:
    """The cache after an epoch is said to start somewhere; entries that contradict it go."""
    if len(cache) > 0 and cache[-1].epoch == epoch and cache[-1].start <= start:
        return cache
    agreeing: Cache = [entry for entry in cache if entry.epoch < epoch and entry.start < start]
    agreeing.append(EpochStart(epoch, start))
    return agreeing


def truncated(cache: Cache, end: Offset) -> Cache:
    """The cache of a log that is truncated to an offset, or that was found to end there anyway."""
    return [entry for entry in cache if entry.start < end]


def end_of_epoch(cache: Cache, log_end: Offset, epoch: LeaderEpoch) -> EpochEnd:
    """The largest epoch up to this one, and its end (KIP-279).

    Undefined if the cache has no larger epoch, or none as small.
    """
    if latest_epoch(cache) == epoch:
        return EpochEnd(epoch, log_end)
    found = EpochEnd(-1, -1)
    for entry in cache:
        if entry.epoch <= epoch:
            found.epoch = entry.epoch
        elif found.epoch >= 0 and found.end < 0:
            found.end = entry.start
    return found if found.end >= 0 else EpochEnd(-1, -1)


def end_of_epoch_or_log(cache: Cache, log_end: Offset, epoch: LeaderEpoch) -> EpochEnd:
    """As KIP-279; of an epoch beyond the latest, the latest and the log end offset.

    The first repair that KAFKA-7415 proposes.
    """
    latest = latest_epoch(cache)
    if 0 <= latest < epoch:
        return EpochEnd(latest, log_end)
    return end_of_epoch(cache, log_end, epoch)


def end_of_epoch_or_start(cache: Cache, log_end: Offset, epoch: LeaderEpoch) -> EpochEnd:
    """As KIP-279; of an epoch before the first, that epoch and the offset where the first starts.

    What came with the repair of KAFKA-7415: nothing below the first epoch is of any use.
    """
    if len(cache) > 0 and epoch < cache[0].epoch:
        return EpochEnd(epoch, cache[0].start)
    return end_of_epoch(cache, log_end, epoch)
