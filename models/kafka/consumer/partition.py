"""What happens to the partition while a consumer reads it: elections, writes, replication.

Three kinds of election: to balance load, because the leader failed, and unclean. Source: the rules
are those of replication (controller.py, isr.py and KIP-279's truncation), without their messages.
"""

from specmodel.lang import Set, action, require

from ..replication.core import Record, Replica, log_size, max_leader_epoch, max_records
from .state import Subscription, common_end, high_watermark, leads, slow_brokers


def hear(s: Subscription, broker: Replica) -> None:
    """A broker learns the current leader epoch, and if it is the leader, the ISR it starts with."""
    s.noticed[broker] = s.epoch
    s.view[broker] = s.isr if s.leaders[s.epoch] == broker else set()


def start_epoch(s: Subscription, leader: Replica, isr: Set[Replica]) -> None:
    """Bump the leader epoch. With slow brokers nobody knows yet, not even the new leader."""
    require(s.epoch < max_leader_epoch)
    s.epoch += 1
    s.leaders[s.epoch] = leader
    s.isr = isr
    if not slow_brokers:
        for broker in Replica:
            hear(s, broker)


@action
def elect(s: Subscription, leader: Replica) -> None:
    """Another member of the ISR leads, to balance load; the old leader stays in the ISR."""
    require(leader in s.isr and leader != s.leaders[s.epoch])
    start_epoch(s, leader, s.isr)


@action
def fail_over(s: Subscription, leader: Replica) -> None:
    """The leader fails and leaves the ISR; another member leads. The failed one keeps its log."""
    require(leader in s.isr and leader != s.leaders[s.epoch])
    start_epoch(s, leader, s.isr - {s.leaders[s.epoch]})


@action
def elect_unclean(s: Subscription, leader: Replica) -> None:
    """No member of the ISR is left: a replica outside it leads, with the log that it has."""
    require(leader not in s.isr)
    start_epoch(s, leader, {leader})


@action
def notice(s: Subscription, broker: Replica) -> None:
    """A broker hears of the latest election; until then it acts by an earlier one."""
    require(s.noticed[broker] < s.epoch)
    hear(s, broker)


@action
def write(s: Subscription, leader: Replica) -> None:
    """A producer's record is appended by a broker that believes it leads (acks=1)."""
    require(leads(s, leader))
    require(s.next_id < max_records and len(s.log[leader]) < log_size)
    s.log[leader].append(Record(s.next_id, s.noticed[leader]))
    s.next_id += 1


def leader_in_same_epoch(s: Subscription, follower: Replica) -> Replica:
    """The leader that serves a follower: both must have noticed the same epoch (KIP-320)."""
    leader = s.leaders[s.noticed[follower]]
    require(leader != follower and s.noticed[leader] == s.noticed[follower])
    return leader


@action
def truncate(s: Subscription, follower: Replica) -> None:
    """A follower cuts its log where it parts from the leader's (KIP-279)."""
    end = common_end(s, leader_in_same_epoch(s, follower), follower)
    require(end < len(s.log[follower]))
    s.log[follower] = s.log[follower][:end]
    s.start[follower] = min(s.start[follower], end)


@action
def replicate(s: Subscription, follower: Replica) -> None:
    """A follower whose log is the beginning of the leader's takes the next record.

    If retention has deleted that record from the leader, it begins anew at the leader's start.
    """
    leader = leader_in_same_epoch(s, follower)
    end = len(s.log[follower])
    require(common_end(s, leader, follower) == end and end < len(s.log[leader]))
    if end < s.start[leader]:
        s.log[follower] = s.log[leader][: s.start[leader]]
    else:
        s.log[follower].append(s.log[leader][end])
    s.start[follower] = s.start[leader]


def true_leader(s: Subscription) -> Replica:
    """The leader of the current epoch, which knows that it is: only it can change the ISR."""
    leader = s.leaders[s.epoch]
    require(s.noticed[leader] == s.epoch)
    return leader


@action
def shrink_isr(s: Subscription, follower: Replica) -> None:
    """The leader drops a member that lacks a record of its log, or that has another one."""
    leader = true_leader(s)
    require(follower in s.isr and follower != leader)
    require(common_end(s, leader, follower) < len(s.log[leader]))
    s.isr -= {follower}
    s.view[leader] = s.isr


@action
def expand_isr(s: Subscription, follower: Replica) -> None:
    """The leader admits a follower that has caught up with it."""
    leader = true_leader(s)
    require(follower not in s.isr and s.noticed[follower] == s.epoch)
    require(s.log[follower] == s.log[leader])
    s.isr |= {follower}
    s.view[leader] = s.isr


@action
def delete_oldest(s: Subscription, leader: Replica) -> None:
    """Retention deletes the oldest record of the leader's log; only exposed records are deleted."""
    require(leads(s, leader) and s.start[leader] < high_watermark(s, leader))
    s.start[leader] += 1
