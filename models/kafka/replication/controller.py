"""What the controller does, and how a broker becomes leader and takes writes: in every design.

Source: KafkaReplication.tla: ControllerElectLeader, ControllerShrinkIsr, BecomeLeader, LeaderWrite.
"""

from specmodel.lang import Set, action, require, require_some

from .core import (
    Cluster,
    LeaderEpoch,
    Record,
    Replica,
    Request,
    log_size,
    max_leader_epoch,
    max_records,
    presumes_leadership,
)


def start_epoch(s: Cluster, leader: Replica | None, isr: Set[Replica]) -> None:
    """Bump the leader epoch, record leader and ISR, and issue the request that says so."""
    require(s.quorum.epoch < max_leader_epoch)
    s.quorum.epoch += 1
    s.quorum.leader = leader
    s.quorum.isr = isr
    s.requests[s.quorum.epoch] = Request(leader, isr)


@action
def controller_elect(s: Cluster, leader: Replica) -> None:
    """Clean election: another member of the ISR leads, after a failure or to balance load."""
    require(leader in s.quorum.isr and leader != s.quorum.leader)
    start_epoch(s, leader, s.quorum.isr)


@action
def controller_elect_unclean(s: Cluster, leader: Replica) -> None:
    """Unclean election: a replica outside the ISR leads, and is the ISR's only member."""
    require(leader not in s.quorum.isr)
    start_epoch(s, leader, {leader})


@action
def controller_shrink(s: Cluster, replica: Replica) -> None:
    """A broker of the ISR fails or shuts down; the last member stays in, but leads no more.

    The broker itself does not stop: nobody can tell a dead one from a slow one, so it may act on.
    """
    require(replica in s.quorum.isr)
    if s.quorum.leader != replica:
        start_epoch(s, s.quorum.leader, s.quorum.isr - {replica})
    elif len(s.quorum.isr) == 1:
        start_epoch(s, None, s.quorum.isr)
    else:
        start_epoch(s, None, s.quorum.isr - {replica})


@action
def become_leader(s: Cluster, epoch: LeaderEpoch) -> None:
    """A broker accepts a request that names it leader.

    It keeps its log, and its high watermark, which typically lags behind its predecessor's.
    """
    request = require_some(s.requests[epoch])
    leader = require_some(request.leader)
    state = s.replica[leader]
    require(epoch > state.epoch)
    state.epoch = epoch
    state.leader = leader
    state.isr = request.isr


@action
def observe_leaderless_epoch(s: Cluster, replica: Replica, epoch: LeaderEpoch) -> None:
    """A broker accepts a request that names no leader: it neither leads nor fetches for a while.

    The TLA+ modules mean to have this step, but draw the leader from the replicas, so it never
    happens there. It is in a design when the constant `observe_none` is true.
    """
    request = require_some(s.requests[epoch])
    require(request.leader is None)
    state = s.replica[replica]
    require(epoch > state.epoch)
    state.epoch = epoch
    state.leader = None
    state.isr = request.isr


@action
def write(s: Cluster, leader: Replica) -> None:
    """A producer's record is appended by a broker that believes it leads.

    A stale leader accepts it as well: only replication can fence it.
    """
    require(presumes_leadership(s, leader))
    require(s.next_id < max_records and len(s.log[leader]) < log_size)
    s.log[leader].append(Record(s.next_id, s.replica[leader].epoch))
    s.next_id += 1
