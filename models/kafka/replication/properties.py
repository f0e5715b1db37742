"""What must hold of a partition, whatever the design."""

from specmodel.lang import Set, invariant, reachable, transition

from .core import (
    Cluster,
    Replica,
    is_true_leader,
    log_size,
    max_records,
    presumes_leadership,
    same_epoch,
)


def replicated(s: Cluster, leader: Replica, isr: Set[Replica]) -> bool:
    """Every record below the leader's high watermark is at its offset in the logs of an ISR."""
    log = s.log[leader]
    return all(
        offset < len(s.log[member]) and s.log[member][offset] == log[offset]
        for member in isr
        for offset in range(s.replica[leader].hw)
    )


@invariant
def weak_isr(s: Cluster) -> bool:
    """What a presumed leader has exposed is held by every member of its own ISR."""
    return all(
        replicated(s, leader, s.replica[leader].isr)
        for leader in Replica
        if presumes_leadership(s, leader)
    )


@invariant
def strong_isr(s: Cluster) -> bool:
    """What a presumed leader has exposed is held by every replica that may be elected cleanly."""
    return all(
        replicated(s, leader, s.quorum.isr) for leader in Replica if presumes_leadership(s, leader)
    )


@invariant
def leader_in_isr(s: Cluster) -> bool:
    """The leader, if the controller has one, is in the ISR."""
    return s.quorum.leader is None or s.quorum.leader in s.quorum.isr


@invariant
def leader_in_isr_as_written(s: Cluster) -> bool:
    """LeaderInIsr as the TLA+ modules write it: false when there is no leader, as at the start."""
    return s.quorum.leader is not None and s.quorum.leader in s.quorum.isr


@invariant
def log_matching(s: Cluster) -> bool:
    """Two replicas that both take an offset for committed hold the same record there."""
    return all(
        s.log[a][offset] == s.log[b][offset]
        for a in Replica
        for b in Replica
        for offset in range(min(s.replica[a].hw, s.replica[b].hw))
    )


@invariant
def follower_prefix(s: Cluster) -> bool:
    """A follower's log is the beginning of its leader's, once both are in the same epoch.

    Only designs that truncate before they fetch can have this.
    """
    return all(
        len(s.log[follower]) <= len(s.log[leader])
        and all(
            s.log[follower][offset] == s.log[leader][offset]
            for offset in range(len(s.log[follower]))
        )
        for leader in Replica
        for follower in Replica
        if same_epoch(s, leader, follower)
    )


@transition
def leader_hw_monotone(before: Cluster, after: Cluster) -> bool:
    """A leader's high watermark never falls while it leads. (A follower's may: see fetching.py.)"""
    return all(
        after.replica[r].hw >= before.replica[r].hw
        for r in Replica
        if presumes_leadership(before, r) and presumes_leadership(after, r)
    )


@reachable
def full_log_committed(s: Cluster) -> bool:
    """The true leader's log is as long as it can get, and all exposed: the protocol works."""
    most = min(log_size, max_records)
    return any(is_true_leader(s, r) and s.replica[r].hw == most for r in Replica)
