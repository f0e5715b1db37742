"""What a leader, and what the controller, asks before a replica counts: the rules that differ.

Unfenced rules are those from before KIP-320, except that a leader waits for its own epoch before it
admits anyone (KAFKA-7128), and that a follower which does hear of an epoch truncates as in kip320.
What goes wrong with them is due to fetching alone.
"""

from specmodel.lang import action, require, require_some

from ..replication.core import (
    Replica,
    caught_up,
    follows,
    hw_reached_own_epoch,
    presumes_leadership,
    same_epoch,
)
from ..replication.high_watermark import advance_hw, advance_hw_fenced
from ..replication.history import expose
from ..replication.isr import shrink_isr, shrink_isr_fenced
from .sessions import ZombieCluster, ask_to_admit, awaited, broker_epoch, handle_admission

# Whom a leader counts


@action(kind="advance_hw")
def advance_hw_maximal(s: ZombieCluster, leader: Replica) -> None:
    """As `advance_hw`, counting the follower that may by now be in the ISR."""
    follower = awaited(s, leader)
    hw = s.replica[leader].hw
    require(follower is None or (follows(s, follower, leader) and hw < len(s.log[follower])))
    advance_hw(s, leader)
    expose(s, leader)


@action(kind="advance_hw")
def advance_hw_maximal_fenced(s: ZombieCluster, leader: Replica) -> None:
    """As `advance_hw_fenced`, counting the follower that may by now be in the ISR."""
    follower = awaited(s, leader)
    hw = s.replica[leader].hw
    require(presumes_leadership(s, leader))
    require(follower is None or (same_epoch(s, leader, follower) and hw < len(s.log[follower])))
    advance_hw_fenced(s, leader)
    expose(s, leader)


@action(kind="shrink_isr")
def shrink_isr_alone(s: ZombieCluster, leader: Replica, follower: Replica) -> None:
    """As `shrink_isr`, while no admission is under way."""
    require(s.admission is None)
    shrink_isr(s, leader, follower)


@action(kind="shrink_isr")
def shrink_isr_alone_fenced(s: ZombieCluster, leader: Replica, follower: Replica) -> None:
    """As `shrink_isr_fenced`, while no admission is under way."""
    require(s.admission is None)
    shrink_isr_fenced(s, leader, follower)


# Whom a leader wants admitted


def ready(s: ZombieCluster, leader: Replica, follower: Replica) -> bool:
    """Before KIP-320: the follower follows, and its log reaches the high watermark."""
    return caught_up(s, leader, follower, s.replica[leader].hw) and hw_reached_own_epoch(s, leader)


def ready_fenced(s: ZombieCluster, leader: Replica, follower: Replica) -> bool:
    """KIP-320: the follower fetches in the leader's epoch, and reaches the high watermark."""
    return same_epoch(s, leader, follower) and ready(s, leader, follower)


def believed_alive(s: ZombieCluster, leader: Replica, follower: Replica) -> bool:
    """The leader's metadata have the broker among those alive."""
    return s.offline != follower or leader not in s.told


@action(kind="expand_isr")
def ask_for(s: ZombieCluster, leader: Replica, follower: Replica) -> None:
    """Unfenced, and whatever the metadata say."""
    require(ready(s, leader, follower))
    ask_to_admit(s, leader, follower)


@action(kind="expand_isr")
def ask_for_alive(s: ZombieCluster, leader: Replica, follower: Replica) -> None:
    """Unfenced; not for a broker that the leader knows to be offline."""
    require(ready(s, leader, follower) and believed_alive(s, leader, follower))
    ask_to_admit(s, leader, follower)


@action(kind="expand_isr")
def ask_for_fenced(s: ZombieCluster, leader: Replica, follower: Replica) -> None:
    """Fenced, and whatever the metadata say."""
    require(ready_fenced(s, leader, follower))
    ask_to_admit(s, leader, follower)


@action(kind="expand_isr")
def ask_for_fenced_alive(s: ZombieCluster, leader: Replica, follower: Replica) -> None:
    """KIP-320's text: fenced, and not for a broker that the leader knows to be offline."""
    require(ready_fenced(s, leader, follower) and believed_alive(s, leader, follower))
    ask_to_admit(s, leader, follower)


# Whom the controller admits


@action(kind="admit")
def admit_anyone(s: ZombieCluster) -> None:
    """ZooKeeper, or a controller before KIP-841: the leader's word is enough."""
    handle_admission(s, True)


@action(kind="admit")
def admit_registered(s: ZombieCluster) -> None:
    """KIP-841: a broker without a session is refused (INELIGIBLE_REPLICA)."""
    admission = require_some(s.admission)
    handle_admission(s, s.offline != admission.follower)


@action(kind="admit")
def admit_same_registration(s: ZombieCluster) -> None:
    """KIP-903: nor is a broker admitted that has registered anew since the fetch that counted."""
    admission = require_some(s.admission)
    same = broker_epoch(s, admission.follower) == admission.broker_epoch
    handle_admission(s, s.offline != admission.follower and same)
