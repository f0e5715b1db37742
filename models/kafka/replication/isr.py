"""How a leader shrinks and expands the ISR.

The change is a compare-and-set on the controller's record: it succeeds for the true leader alone,
at once, and without a new leader epoch. (For a change that takes time, see the folder async_isr.)
"""

from specmodel.lang import Set, action, require

from .core import (
    Cluster,
    Replica,
    caught_up,
    hw_reached_own_epoch,
    is_true_leader,
    matching,
    same_epoch,
)


def set_isr(s: Cluster, leader: Replica, isr: Set[Replica]) -> None:
    """Write the ISR to the quorum and to the leader's own view, if the leader is the true one."""
    require(is_true_leader(s, leader))
    s.quorum.isr = isr
    s.replica[leader].isr = isr


def remove(s: Cluster, leader: Replica, follower: Replica) -> None:
    """Take a member other than the leader out of the leader's ISR."""
    isr = s.replica[leader].isr
    require(follower in isr and follower != leader)
    set_isr(s, leader, isr - {follower})


def admit(s: Cluster, leader: Replica, follower: Replica) -> None:
    """Add a replica to the leader's ISR."""
    isr = s.replica[leader].isr
    require(follower not in isr)
    set_isr(s, leader, isr | {follower})


@action
def shrink_isr(s: Cluster, leader: Replica, follower: Replica) -> None:
    """Before KIP-320: drop a member that follows another leader or is behind the log end."""
    require(not caught_up(s, leader, follower, len(s.log[leader])))
    remove(s, leader, follower)


@action
def shrink_isr_matching(s: Cluster, leader: Replica, follower: Replica) -> None:
    """KIP-320's first try: drop a member whose log does not match at the leader's log end."""
    require(not matching(s, leader, follower, len(s.log[leader])))
    remove(s, leader, follower)


@action
def shrink_isr_fenced(s: Cluster, leader: Replica, follower: Replica) -> None:
    """KIP-320: drop a member that is in another leader epoch or behind the log end."""
    require(not same_epoch(s, leader, follower) or len(s.log[follower]) < len(s.log[leader]))
    remove(s, leader, follower)


@action
def shrink_isr_fenced_matching(s: Cluster, leader: Replica, follower: Replica) -> None:
    """KIP-595: drop a member that is in another leader epoch or does not match at the log end."""
    require(
        not (same_epoch(s, leader, follower) and matching(s, leader, follower, len(s.log[leader])))
    )
    remove(s, leader, follower)


@action
def expand_isr(s: Cluster, leader: Replica, follower: Replica) -> None:
    """Before KIP-320: admit a follower whose log reaches the leader's high watermark."""
    require(caught_up(s, leader, follower, s.replica[leader].hw))
    admit(s, leader, follower)


@action
def expand_isr_matching(s: Cluster, leader: Replica, follower: Replica) -> None:
    """KIP-320's first try: the log must match at the high watermark.

    The leader waits until its high watermark has reached its own epoch (KAFKA-7128).
    """
    require(matching(s, leader, follower, s.replica[leader].hw))
    require(hw_reached_own_epoch(s, leader))
    admit(s, leader, follower)


@action
def expand_isr_fenced(s: Cluster, leader: Replica, follower: Replica) -> None:
    """KIP-320: admit a follower in the leader's epoch that has all the high watermark covers.

    The leader waits until its high watermark has reached its own epoch (KAFKA-7128).
    """
    require(same_epoch(s, leader, follower))
    require(len(s.log[follower]) >= s.replica[leader].hw)
    require(hw_reached_own_epoch(s, leader))
    admit(s, leader, follower)


@action
def expand_isr_fenced_early(s: Cluster, leader: Replica, follower: Replica) -> None:
    """KIP-320 without the wait of KAFKA-7128 for the leader's own epoch."""
    require(same_epoch(s, leader, follower))
    require(len(s.log[follower]) >= s.replica[leader].hw)
    admit(s, leader, follower)


@action
def expand_isr_fenced_matching(s: Cluster, leader: Replica, follower: Replica) -> None:
    """KIP-595: as KIP-320, and the follower's log end must match the leader's log."""
    require(same_epoch(s, leader, follower))
    require(matching(s, leader, follower, len(s.log[follower])))
    require(len(s.log[follower]) >= s.replica[leader].hw)
    require(hw_reached_own_epoch(s, leader))
    admit(s, leader, follower)
