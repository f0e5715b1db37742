"""A zombie: a replica that the controller counts as offline, and that goes on fetching.

A broker's session with the controller expires. From then on the controller elects it no more and
sends it nothing, so it hears of no new leader epoch; but it runs, and the leader it follows can
still reach it. Other brokers learn of its failure one by one. It may reconnect, or reboot without
the end of its log. Either way it registers anew, under a new broker epoch.

The leader asks the controller to admit a follower to the ISR, and the request takes its time; until
it is answered, the leader counts the follower as if it were admitted already (KIP-497). A request
made under an earlier leader epoch would be refused, so a new epoch drops it.

A bound: one broker's session expires, once. Sources: KAFKA-6880, KIP-320, KIP-841, KIP-903.
"""

from typing import Annotated

from specmodel.lang import Range, Set, Struct, action, constant, require, require_some

from ..replication.controller import controller_elect, controller_shrink, write
from ..replication.core import Cluster, LeaderEpoch, Offset, Replica, is_true_leader
from ..replication.failover import forget_role
from ..replication.history import WatchedCluster, become_leader_watched
from ..replication.isr import admit
from ..replication.truncation import become_follower_fenced, truncate

min_isr = constant("min_isr", 2, low=1, high=6, doc="min.insync.replicas of the topic")

BrokerEpoch = Annotated[int, Range(0, 1)]


class Admission(Struct):
    """The leader's request to admit a follower, which fetched under this broker epoch."""

    follower: Replica
    broker_epoch: BrokerEpoch


class ZombieCluster(WatchedCluster):
    """A watched cluster with sessions.

    `offline` has no session with the controller, `returned` had none for a while; `told` know
    from their metadata that `offline` is. `admission` is on its way to the controller.
    """

    offline: Replica | None = None
    returned: Replica | None = None
    told: Set[Replica] = set()
    admission: Admission | None = None


def broker_epoch(s: ZombieCluster, replica: Replica) -> BrokerEpoch:
    """Which registration of a broker is the current one."""
    return 1 if s.returned == replica else 0


# Sessions


@action
def session_expires(s: ZombieCluster, replica: Replica) -> None:
    """The controller takes a broker for failed. From the ISR it goes under a new leader epoch.

    Outside the ISR its failure changes nothing, and there is no new leader epoch.
    """
    require(s.offline is None and s.returned is None)
    if replica in s.quorum.isr:
        controller_shrink(s, replica)
        s.admission = None
    s.offline = replica


@action
def hear_of_failure(s: ZombieCluster, replica: Replica) -> None:
    """A broker's metadata catches up with the controller: one broker fewer is alive."""
    require(s.offline is not None and s.offline != replica and replica not in s.told)
    s.told |= {replica}


def register(s: ZombieCluster) -> None:
    """The broker is back, and everyone knows."""
    s.returned = s.offline
    s.offline = None
    s.told = set()


@action
def reconnect(s: ZombieCluster) -> None:
    """The zombie reaches the controller again, and has lost nothing."""
    require(s.offline is not None)
    register(s)


@action
def reboot(s: ZombieCluster, end: Offset) -> None:
    """The offline broker starts again, without what it had not yet flushed of its log.

    The last member of an ISR does not: that loses data by itself, and is the subject of KIP-966.
    """
    replica = require_some(s.offline)
    require(replica not in s.quorum.isr and end <= len(s.log[replica]))
    truncate(s, replica, end)
    forget_role(s, replica, s.replica[replica].hw)
    register(s)


# Leader epochs


@action(kind="controller_elect")
def elect_registered(s: ZombieCluster, leader: Replica) -> None:
    """As `controller_elect`, of a registered broker."""
    require(s.offline != leader)
    controller_elect(s, leader)
    s.admission = None


@action(kind="become_leader")
def become_leader_online(s: ZombieCluster, epoch: LeaderEpoch) -> None:
    """As `become_leader`, by a broker that the controller's requests reach."""
    request = require_some(s.requests[epoch])
    require(request.leader != s.offline)
    become_leader_watched(s, epoch)


@action(kind="become_follower")
def become_follower_online(s: ZombieCluster, follower: Replica, epoch: LeaderEpoch) -> None:
    """As `become_follower_fenced`, by a broker that the controller's requests reach."""
    require(follower != s.offline)
    become_follower_fenced(s, follower, epoch)


# Replication


@action(kind="write")
def write_acks_all(s: ZombieCluster, leader: Replica) -> None:
    """As `write` with acks=all: a leader refuses while its ISR is below min.insync.replicas."""
    require(len(s.replica[leader].isr) >= min_isr)
    write(s, leader)


def acknowledges(s: Cluster, leader: Replica) -> bool:
    """The leader acknowledges what its high watermark passes: its ISR is large enough."""
    return len(s.replica[leader].isr) >= min_isr


def awaited(s: ZombieCluster, leader: Replica) -> Replica | None:
    """The follower that this leader has asked the controller to admit."""
    admission = s.admission
    if admission is None or not is_true_leader(s, leader):
        return None
    return admission.follower


def ask_to_admit(s: ZombieCluster, leader: Replica, follower: Replica) -> None:
    """The leader asks the controller to admit a follower; one request at a time."""
    require(is_true_leader(s, leader) and follower not in s.quorum.isr)
    require(s.admission is None)
    s.admission = Admission(follower, broker_epoch(s, follower))


def handle_admission(s: ZombieCluster, eligible: bool) -> None:
    """The controller admits the follower or refuses to; the leader learns of it at once."""
    admission = require_some(s.admission)
    if eligible:
        admit(s, require_some(s.quorum.leader), admission.follower)
    s.admission = None
