"""What must hold although a replica may be a zombie, and what must be able to happen."""

from specmodel.lang import invariant, reachable, transition

from ..replication.core import Replica, is_true_leader, same_epoch
from .sessions import ZombieCluster, acknowledges, min_isr


@invariant
def isr_registered(s: ZombieCluster) -> bool:
    """While there is a leader, every member of the ISR is registered, and so can be elected."""
    return s.quorum.leader is None or s.offline is None or s.offline not in s.quorum.isr


@invariant
def never_waits_for_zombie(s: ZombieCluster) -> bool:
    """No record of a true leader waits for a zombie in the ISR that the fence keeps from it."""
    return not any(
        s.offline is not None
        and is_true_leader(s, leader)
        and s.offline in s.replica[leader].isr
        and s.replica[s.offline].epoch < s.quorum.epoch
        and s.replica[leader].hw < len(s.log[leader])
        for leader in Replica
    )


@transition
def known_offline_not_proposed(before: ZombieCluster, after: ZombieCluster) -> bool:
    """No leader asks to admit a broker that it knows to be offline: KIP-320's own wording."""
    admission = after.admission
    return (
        before.admission is not None
        or admission is None
        or admission.follower != before.offline
        or before.quorum.leader not in before.told
    )


def backing(s: ZombieCluster, leader: Replica) -> int:
    """How many replicas that may be elected hold what the leader has exposed last."""
    last = s.replica[leader].hw - 1
    return sum(
        last < len(s.log[r]) and s.log[r][last] == s.log[leader][last]
        for r in Replica
        if r in s.quorum.isr and r != s.offline
    )


@transition
def acks_backed(before: ZombieCluster, after: ZombieCluster) -> bool:
    """What the true leader acknowledges is on as many electable replicas as the topic asks for.

    A deposed leader's acknowledgements do not count here: a replica may fail at the same moment.
    """
    return all(
        backing(after, leader) >= min_isr
        for leader in Replica
        if is_true_leader(after, leader)
        and is_true_leader(before, leader)
        and after.replica[leader].hw > before.replica[leader].hw
        and acknowledges(after, leader)
    )


@reachable
def zombie_keeps_up(s: ZombieCluster) -> bool:
    """A zombie has all of its leader's log, in the leader's epoch, like any other replica."""
    return any(
        s.offline is not None
        and s.offline != leader
        and is_true_leader(s, leader)
        and same_epoch(s, leader, s.offline)
        and len(s.log[leader]) > 0
        and s.log[s.offline] == s.log[leader]
        for leader in Replica
    )


@reachable
def zombie_left_behind(s: ZombieCluster) -> bool:
    """A zombie follows the true leader under an older epoch, and lacks a record."""
    return any(
        s.offline is not None
        and s.replica[s.offline].leader == leader
        and is_true_leader(s, leader)
        and s.replica[s.offline].epoch < s.quorum.epoch
        and len(s.log[s.offline]) < len(s.log[leader])
        for leader in Replica
    )


@reachable
def returns_to_isr(s: ZombieCluster) -> bool:
    """A broker that had lost its session is back in the ISR, under a leader other than itself."""
    return (
        s.returned is not None
        and s.returned in s.quorum.isr
        and s.quorum.leader is not None
        and s.quorum.leader != s.returned
    )
