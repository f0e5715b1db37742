"""Eligible leader replicas: who may lead, besides the ISR, without loss (KIP-966).

Once the high watermark waits for min.insync.replicas, a replica that leaves an ISR which is, or
thereby gets, smaller than that misses nothing that is exposed later. The controller remembers such
replicas, and elects one when the ISR is empty, as it may now be. A broker that lost data is taken
out of both sets. When both are empty, the last leader is elected if it is all there is.

The controller is KRaft's: it elects in the same step in which it takes a leader out of the ISR.

Sources: KIP-966; the controller's PartitionChangeBuilder.
"""

from specmodel.lang import Set, action, invariant, require, require_some

from ..replication.controller import controller_elect_unclean, start_epoch
from ..replication.core import Offset, Replica
from ..replication.isr import expand_isr_fenced, shrink_isr_fenced
from .acks import Durable, accept_current, lose_suffix, min_isr


def track_eligible(s: Durable, before: Set[Replica], lost: Set[Replica]) -> None:
    """After the ISR changed: those that left it stay eligible, unless the ISR is large enough."""
    if len(s.quorum.isr) >= min_isr:
        s.eligible = set()
    else:
        s.eligible = (s.eligible | before) - s.quorum.isr - lost


@action
def shrink_isr_tracked(s: Durable, leader: Replica, follower: Replica) -> None:
    """As `shrink_isr_fenced`; the member that is dropped may stay eligible."""
    before = s.quorum.isr
    shrink_isr_fenced(s, leader, follower)
    track_eligible(s, before, set())


@action
def expand_isr_tracked(s: Durable, leader: Replica, follower: Replica) -> None:
    """As `expand_isr_fenced`; an ISR that is large enough again needs no others."""
    before = s.quorum.isr
    expand_isr_fenced(s, leader, follower)
    track_eligible(s, before, set())


def leave_isr(s: Durable, replica: Replica, lost: Set[Replica], successor: Replica | None) -> None:
    """The controller takes a member out of the ISR, and elects a successor if that was the leader.

    Without anyone to elect the partition is leaderless, and the controller notes who led last.
    """
    before = s.quorum.isr
    isr = before - {replica}
    leader = s.quorum.leader
    if leader != replica:
        require(successor == leader)
    elif len(isr) > 0:
        require(successor is not None and successor in isr)
    else:
        require(successor is None)
        s.last_leader = leader
    start_epoch(s, successor, isr)
    track_eligible(s, before, lost)


@action
def controller_fence(s: Durable, replica: Replica, successor: Replica | None) -> None:
    """A broker of the ISR stops, or seems to; its log is as it was."""
    require(replica in s.quorum.isr)
    leave_isr(s, replica, set(), successor)


def register(s: Durable, replica: Replica, lost: Set[Replica], successor: Replica | None) -> None:
    """A broker registers after a restart: it leaves the ISR, and `lost` is eligible no more."""
    if replica in s.quorum.isr:
        leave_isr(s, replica, lost, successor)
    else:
        require(successor is None)
        s.eligible -= lost


@action
def restart_with_loss_tracked(
    s: Durable, replica: Replica, end: Offset, successor: Replica | None
) -> None:
    """A broker restarts after a power failure. When it registers, it loses all eligibility."""
    lose_suffix(s, replica, end)
    register(s, replica, {replica}, successor)
    accept_current(s, replica)


@action
def restart_with_loss_unnoticed(
    s: Durable, replica: Replica, end: Offset, successor: Replica | None
) -> None:
    """As `restart_with_loss_tracked`, by a controller that takes it for a clean restart."""
    lose_suffix(s, replica, end)
    register(s, replica, set(), successor)
    accept_current(s, replica)


@action
def restart_with_loss_old_requests(
    s: Durable, replica: Replica, end: Offset, successor: Replica | None
) -> None:
    """As `restart_with_loss_tracked`, by a broker that still accepts requests from before."""
    lose_suffix(s, replica, end)
    register(s, replica, {replica}, successor)


@action
def controller_elect_eligible(s: Durable, leader: Replica) -> None:
    """The ISR is empty: an eligible replica leads, and nothing is lost."""
    require(len(s.quorum.isr) == 0 and leader in s.eligible)
    start_epoch(s, leader, {leader})
    track_eligible(s, set(), set())
    s.last_leader = None


@action
def controller_elect_last_leader(s: Durable) -> None:
    """Nobody is eligible: the last leader leads again, whatever it has left."""
    require(len(s.quorum.isr) == 0 and len(s.eligible) == 0)
    leader = require_some(s.last_leader)
    start_epoch(s, leader, {leader})
    s.last_leader = None


@action
def controller_elect_unclean_tracked(s: Durable, leader: Replica) -> None:
    """As `controller_elect_unclean`: the new leader's log counts, and nobody else's."""
    controller_elect_unclean(s, leader)
    s.eligible = set()
    s.last_leader = None


@invariant
def eligible_hold_exposed(s: Durable) -> bool:
    """Every eligible replica has every record that was ever exposed, where it was."""
    return all(
        exposed is None or (offset < len(s.log[r]) and s.log[r][offset].id == exposed)
        for r in s.eligible
        for offset, exposed in s.exposed.items()
    )
