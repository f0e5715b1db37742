"""How brokers fail and come back, where every leader epoch has a leader.

In controller.py a leader's failure and the election of the next are two steps with two leader
epochs, and the last member of the ISR may leave the partition without a leader. Here both happen at
once, as when the controller handles the failure of a broker: half the epochs for the same story.

A dead broker is one that does nothing, which any broker may do for as long as it likes; so a crash
and the restart after it are one step, in which the broker loses what it had in memory.
"""

from specmodel.lang import action, require

from .controller import controller_elect, start_epoch
from .core import Cluster, Offset, Replica


@action
def leader_fails(s: Cluster, successor: Replica) -> None:
    """The leader's broker fails: it leaves the ISR, and another member leads.

    The failed broker itself may not notice, and act on; or restart later.
    """
    require(s.quorum.leader is not None and s.quorum.leader != successor)
    require(successor in s.quorum.isr)
    start_epoch(s, successor, {r for r in s.quorum.isr if r != s.quorum.leader})


@action
def follower_fails(s: Cluster, replica: Replica) -> None:
    """The broker of another member of the ISR fails and leaves it; the leader stays."""
    require(s.quorum.leader is not None and s.quorum.leader != replica)
    require(replica in s.quorum.isr)
    start_epoch(s, s.quorum.leader, s.quorum.isr - {replica})


@action
def preferred_election(s: Cluster, leader: Replica) -> None:
    """Load is balanced: the preferred replica, which may be any, takes over and nobody fails.

    It must be in the ISR, but need not have learnt of the leader that it takes over from.
    """
    controller_elect(s, leader)


def forget_role(s: Cluster, replica: Replica, checkpoint: Offset) -> None:
    """What a broker has after a restart: its log, and a high watermark it once wrote to disk.

    It registers anew, so that no request sent to its former life reaches it (KIP-380). As a
    follower it gets the current request again; a leader does not resume, but waits for the next
    leader epoch, since the controller takes its new registration for a failure.
    """
    state = s.replica[replica]
    require(checkpoint <= state.hw)
    state.hw = checkpoint
    state.epoch = s.quorum.epoch if s.quorum.leader == replica else max(s.quorum.epoch - 1, -1)
    state.leader = None
    state.isr = set()
