"""How a broker that becomes a follower removes what its leader does not have.

Each design has its own way to find the truncation point, and its own idea of whom it may ask.
Sources: KIP-101, KIP-279, KIP-320; the TLA+ modules KafkaTruncateToHighWatermark, Kip101, Kip279,
Kip320FirstTry and Kip320.
"""

from specmodel.lang import action, constant, require, require_some

from .core import Cluster, LeaderEpoch, Log, Offset, Replica, presumes_leadership

clamp_lookup = constant(
    "clamp_lookup",
    False,
    doc="a follower shorter than the offset it is told keeps its log, as brokers do; "
    "false: it cannot become a follower, as in Kip101.tla",
)


def first_larger_epoch(log: Log, epoch: LeaderEpoch) -> Offset:
    """The offset of the first record of a larger leader epoch; the log's end if there is none."""
    for offset in range(len(log)):
        if log[offset].epoch > epoch:
            return offset
    return len(log)


def first_divergence(leader: Log, follower: Log) -> Offset:
    """One past the last offset where both logs hold the same record, 0 if none (KIP-279)."""
    end = 0
    for offset in range(min(len(leader), len(follower))):
        if leader[offset] == follower[offset]:
            end = offset + 1
    return end


def kip101_offset(s: Cluster, leader: Replica, follower: Replica) -> Offset:
    """The end, on the leader, of the epoch of the follower's last record (KIP-101).

    A leader that has nothing of a larger epoch, nor that epoch last, has no answer: the follower
    falls back to its own high watermark (the hole described in KAFKA-7415).
    """
    log, own = s.log[leader], s.log[follower]
    if len(own) == 0:
        return 0
    if len(log) == 0:
        return s.replica[follower].hw
    epoch = own[-1].epoch
    if log[-1].epoch == epoch:
        return len(log)
    larger = first_larger_epoch(log, epoch)
    return larger if larger < len(log) else s.replica[follower].hw


def kip101_offset_or_log_end(s: Cluster, leader: Replica, follower: Replica) -> Offset:
    """As KIP-101, but a leader with nothing of a larger epoch answers with its log end offset."""
    own = s.log[follower]
    return 0 if len(own) == 0 else first_larger_epoch(s.log[leader], own[-1].epoch)


def leader_to_follow(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> Replica:
    """The leader named by a request that is news to this broker and makes it a follower."""
    request = require_some(s.requests[epoch])
    leader = require_some(request.leader)
    require(leader != follower and epoch > s.replica[follower].epoch)
    return leader


def require_in_epoch(s: Cluster, leader: Replica, epoch: LeaderEpoch) -> None:
    """The fence of KIP-320: the leader answers only if it leads under the epoch it is asked in."""
    require(presumes_leadership(s, leader) and s.replica[leader].epoch == epoch)


def truncate(s: Cluster, follower: Replica, end: Offset) -> None:
    """Cut a log at an offset within it; the high watermark never passes the log's end."""
    s.log[follower] = s.log[follower][:end]
    s.replica[follower].hw = min(end, s.replica[follower].hw)


def truncate_to_answer(s: Cluster, follower: Replica, end: Offset) -> None:
    """Cut a log at an offset that the leader gave, which may be beyond the log's end."""
    require(clamp_lookup or end <= len(s.log[follower]))
    truncate(s, follower, min(end, len(s.log[follower])))


def follow(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """Accept the request of an epoch: leader epoch, leader and ISR become the request's."""
    request = require_some(s.requests[epoch])
    state = s.replica[follower]
    state.epoch = epoch
    state.leader = request.leader
    state.isr = request.isr


@action(kind="become_follower")
def become_follower_to_hw(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """Before KIP-101: truncate to the own high watermark, without asking anyone."""
    leader_to_follow(s, follower, epoch)
    truncate(s, follower, s.replica[follower].hw)
    follow(s, follower, epoch)


@action
def become_follower_kip101(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """KIP-101: ask the leader where the epoch of the own last record ends."""
    leader = leader_to_follow(s, follower, epoch)
    truncate_to_answer(s, follower, kip101_offset(s, leader, follower))
    follow(s, follower, epoch)


@action
def become_follower_kip101_log_end(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """KIP-101 with the leader's log end offset in place of "undefined" (proposed in KAFKA-7415)."""
    leader = leader_to_follow(s, follower, epoch)
    truncate_to_answer(s, follower, kip101_offset_or_log_end(s, leader, follower))
    follow(s, follower, epoch)


@action
def become_follower_kip279(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """KIP-279: truncate to where the logs diverge, asking whatever leader the request names."""
    leader = leader_to_follow(s, follower, epoch)
    truncate(s, follower, first_divergence(s.log[leader], s.log[follower]))
    follow(s, follower, epoch)


@action
def become_follower_fenced(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """KIP-320: as KIP-279, but only a leader that already is in the request's epoch is asked."""
    leader = leader_to_follow(s, follower, epoch)
    require_in_epoch(s, leader, epoch)
    truncate(s, follower, first_divergence(s.log[leader], s.log[follower]))
    follow(s, follower, epoch)


@action
def become_follower_fenced_to_hw(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """KIP-320's fence with the truncation from before KIP-101."""
    leader = leader_to_follow(s, follower, epoch)
    require_in_epoch(s, leader, epoch)
    truncate(s, follower, s.replica[follower].hw)
    follow(s, follower, epoch)


@action
def become_follower_fenced_kip101_log_end(
    s: Cluster, follower: Replica, epoch: LeaderEpoch
) -> None:
    """KIP-320's fence with the repaired KIP-101 lookup: one answer, and no epoch in it."""
    leader = leader_to_follow(s, follower, epoch)
    require_in_epoch(s, leader, epoch)
    truncate_to_answer(s, follower, kip101_offset_or_log_end(s, leader, follower))
    follow(s, follower, epoch)


@action
def become_follower_untruncated(s: Cluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """Just start to fetch; truncation comes when the leader finds the logs apart."""
    leader_to_follow(s, follower, epoch)
    follow(s, follower, epoch)
