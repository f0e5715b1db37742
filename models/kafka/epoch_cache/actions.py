"""Brokers that keep leader-epoch caches, and followers that truncate in three steps.

What the cache does not touch is as in kip320: requests, fencing, high watermark and ISR. Until a
new follower has truncated, its leader does not know its log end offset, and so neither counts it
for the high watermark nor admits it to the ISR.
"""

from specmodel.lang import action, require, require_some

from ..replication.controller import write
from ..replication.core import (
    LeaderEpoch,
    Offset,
    Replica,
    hw_reached_own_epoch,
    presumes_leadership,
    same_epoch,
)
from ..replication.failover import forget_role
from ..replication.fetching import fetch_fenced
from ..replication.high_watermark import advance_hw_fenced
from ..replication.history import become_leader_watched, expose
from ..replication.isr import admit, remove
from ..replication.truncation import follow, leader_to_follow, truncate
from .cache import (
    CachedCluster,
    EpochEnd,
    Truncation,
    assign,
    end_of_epoch,
    end_of_epoch_or_log,
    end_of_epoch_or_start,
    latest_epoch,
    truncated,
)

# Elections


@action(kind="become_leader")
def become_leader_cached(s: CachedCluster, epoch: LeaderEpoch) -> None:
    """Before KAFKA-7415: a new leader's cache learns of its epoch only with the first record."""
    become_leader_watched(s, epoch)
    s.truncation[leader_of(s, epoch)] = None


@action(kind="become_leader")
def become_leader_assigning(s: CachedCluster, epoch: LeaderEpoch) -> None:
    """Since KAFKA-7415: a new leader's epoch starts at its log end offset, whatever comes of it."""
    become_leader_cached(s, epoch)
    leader = leader_of(s, epoch)
    s.cache[leader] = assign(s.cache[leader], epoch, len(s.log[leader]))


def leader_of(s: CachedCluster, epoch: LeaderEpoch) -> Replica:
    """Who leads by the request of an epoch."""
    return require_some(require_some(s.requests[epoch]).leader)


@action
def become_follower(s: CachedCluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """Accept a request that names another broker leader; truncation is still to come."""
    leader_to_follow(s, follower, epoch)
    follow(s, follower, epoch)
    s.truncation[follower] = Truncation(None, None)


@action
def crash_and_restart(s: CachedCluster, replica: Replica, checkpoint: Offset) -> None:
    """A broker crashes and comes back with its log, its cache and some older high watermark."""
    require(s.restarts_left > 0)
    s.restarts_left -= 1
    forget_role(s, replica, checkpoint)
    s.truncation[replica] = None


# Truncation


@action
def ask_epoch(s: CachedCluster, follower: Replica) -> None:
    """A new follower asks where its latest leader epoch ends, unless its cache is empty."""
    truncation = require_some(s.truncation[follower])
    epoch = latest_epoch(s.cache[follower])
    require(epoch >= 0 and truncation.asked is None)
    s.truncation[follower] = Truncation(epoch, None)


@action
def truncate_without_epochs(s: CachedCluster, follower: Replica) -> None:
    """A new follower whose cache is empty truncates to its high watermark, and is done."""
    require(s.truncation[follower] is not None and len(s.cache[follower]) == 0)
    truncate(s, follower, s.replica[follower].hw)
    s.truncation[follower] = None


def question(s: CachedCluster, follower: Replica) -> LeaderEpoch:
    """The epoch that a follower waits to hear about."""
    truncation = require_some(s.truncation[follower])
    require(truncation.answer is None)
    return require_some(truncation.asked)


def leader_in_epoch(s: CachedCluster, follower: Replica) -> Replica:
    """Whom the follower asks: only a leader in the follower's own epoch answers (KIP-320)."""
    leader = require_some(s.replica[follower].leader)
    require(same_epoch(s, leader, follower))
    return leader


def presumed_leader(s: CachedCluster, follower: Replica) -> Replica:
    """Whom the follower asks: a leader answers under whatever epoch it leads."""
    leader = require_some(s.replica[follower].leader)
    require(presumes_leadership(s, leader))
    return leader


def reply(s: CachedCluster, follower: Replica, answer: EpochEnd) -> None:
    """The answer is on its way to the follower."""
    s.truncation[follower] = Truncation(question(s, follower), answer)


@action
def answer_epoch(s: CachedCluster, follower: Replica) -> None:
    """The leader looks an epoch up in its cache (KIP-279); the answer may be "undefined"."""
    leader = leader_in_epoch(s, follower)
    asked = question(s, follower)
    reply(s, follower, end_of_epoch(s.cache[leader], len(s.log[leader]), asked))


@action
def answer_epoch_or_log_end(s: CachedCluster, follower: Replica) -> None:
    """As `answer_epoch`, with the log end offset in place of "undefined" for a larger epoch."""
    leader = leader_in_epoch(s, follower)
    asked = question(s, follower)
    reply(s, follower, end_of_epoch_or_log(s.cache[leader], len(s.log[leader]), asked))


@action
def answer_epoch_or_start(s: CachedCluster, follower: Replica) -> None:
    """As `answer_epoch`; an epoch before the first ends where the first starts: brokers today."""
    leader = leader_in_epoch(s, follower)
    asked = question(s, follower)
    reply(s, follower, end_of_epoch_or_start(s.cache[leader], len(s.log[leader]), asked))


@action
def answer_epoch_unfenced(s: CachedCluster, follower: Replica) -> None:
    """As `answer_epoch`, by a leader in any epoch."""
    leader = presumed_leader(s, follower)
    asked = question(s, follower)
    reply(s, follower, end_of_epoch(s.cache[leader], len(s.log[leader]), asked))


@action
def answer_epoch_or_log_end_unfenced(s: CachedCluster, follower: Replica) -> None:
    """As `answer_epoch_or_log_end`, by a leader in any epoch."""
    leader = presumed_leader(s, follower)
    asked = question(s, follower)
    reply(s, follower, end_of_epoch_or_log(s.cache[leader], len(s.log[leader]), asked))


@action
def answer_epoch_or_start_unfenced(s: CachedCluster, follower: Replica) -> None:
    """As `answer_epoch_or_start`, by a leader in any epoch."""
    leader = presumed_leader(s, follower)
    asked = question(s, follower)
    reply(s, follower, end_of_epoch_or_start(s.cache[leader], len(s.log[leader]), asked))


def truncate_log_and_cache(s: CachedCluster, follower: Replica, end: Offset) -> None:
    """Cut the log, and drop entries at its new end: those of epochs that never wrote a record."""
    truncate(s, follower, end)
    s.cache[follower] = truncated(s.cache[follower], end)


def received(s: CachedCluster, follower: Replica) -> EpochEnd:
    """The answer that has reached a follower."""
    return require_some(require_some(s.truncation[follower]).answer)


def apply(s: CachedCluster, follower: Replica, answer: EpochEnd, own: EpochEnd) -> None:
    """Truncate by an answer, and by what the follower's own cache says of the answered epoch.

    Without any answer, to the high watermark. If the follower does not have the answered epoch, to
    the end of its next smaller one; then it asks again. Otherwise the lower of the two ends.
    """
    log_end = len(s.log[follower])
    if answer.end < 0:
        truncate_log_and_cache(s, follower, s.replica[follower].hw)
        s.truncation[follower] = None
    elif own.end < 0:
        truncate_log_and_cache(s, follower, min(answer.end, log_end))
        s.truncation[follower] = None
    elif own.epoch < answer.epoch:
        truncate_log_and_cache(s, follower, min(own.end, log_end))
        s.truncation[follower] = Truncation(None, None)
    else:
        truncate_log_and_cache(s, follower, min(answer.end, own.end, log_end))
        s.truncation[follower] = None


@action
def apply_answer(s: CachedCluster, follower: Replica) -> None:
    """The follower truncates by the answer. Of an epoch before its first it knows nothing."""
    answer = received(s, follower)
    epoch = max(answer.epoch, 0)
    own = end_of_epoch(s.cache[follower], len(s.log[follower]), epoch)
    apply(s, follower, answer, own)


@action
def apply_answer_or_start(s: CachedCluster, follower: Replica) -> None:
    """As `apply_answer`; an epoch before the follower's first ends where that one starts."""
    answer = received(s, follower)
    epoch = max(answer.epoch, 0)
    own = end_of_epoch_or_start(s.cache[follower], len(s.log[follower]), epoch)
    apply(s, follower, answer, own)


# Replication


def cache_last_record(s: CachedCluster, replica: Replica) -> None:
    """The cache learns of the leader epoch of a record that was just appended."""
    last = len(s.log[replica]) - 1
    s.cache[replica] = assign(s.cache[replica], s.log[replica][last].epoch, last)


@action(kind="write")
def write_cached(s: CachedCluster, leader: Replica) -> None:
    """As `write`."""
    write(s, leader)
    cache_last_record(s, leader)


@action(kind="fetch")
def fetch_cached(s: CachedCluster, follower: Replica) -> None:
    """As `fetch_fenced`, once truncation is done."""
    leader = require_some(s.replica[follower].leader)
    require(s.truncation[follower] is None)
    fetch_fenced(s, follower, leader)
    cache_last_record(s, follower)


def fetches_from(s: CachedCluster, leader: Replica, follower: Replica) -> bool:
    """The leader knows the follower's log end: it fetches, in the leader's epoch, truncated."""
    return same_epoch(s, leader, follower) and s.truncation[follower] is None


@action(kind="advance_hw")
def advance_hw_cached(s: CachedCluster, leader: Replica) -> None:
    """As `advance_hw_fenced`, once every member of the ISR has truncated."""
    require(presumes_leadership(s, leader))
    require(all(s.truncation[r] is None for r in s.replica[leader].isr))
    advance_hw_fenced(s, leader)
    expose(s, leader)


@action(kind="shrink_isr")
def shrink_isr_cached(s: CachedCluster, leader: Replica, follower: Replica) -> None:
    """Drop a member that does not fetch in the leader's epoch, or is behind the log end."""
    behind = len(s.log[follower]) < len(s.log[leader])
    require(not fetches_from(s, leader, follower) or behind)
    remove(s, leader, follower)


@action(kind="expand_isr")
def expand_isr_cached(s: CachedCluster, leader: Replica, follower: Replica) -> None:
    """Admit a follower that fetches in the leader's epoch and has all the high watermark covers.

    The leader waits until its high watermark has reached its own epoch (KAFKA-7128).
    """
    require(fetches_from(s, leader, follower))
    require(len(s.log[follower]) >= s.replica[leader].hw)
    require(hw_reached_own_epoch(s, leader))
    admit(s, leader, follower)
