"""How a follower truncates when a fetch shows that its log and the leader's have diverged.

Sources: Kip320FirstTry.tla; KIP-320 (rejected alternatives); KIP-595 (the diverging epoch of a
fetch response), as brokers have it since.
"""

from specmodel.lang import action, require

from .core import Cluster, Log, Replica, follows, presumes_leadership, same_epoch
from .truncation import first_divergence, first_larger_epoch, truncate


def logs_apart(leader: Log, follower: Log) -> bool:
    """The follower's log is longer, or the epoch of its last record is not the leader's there."""
    end = len(follower)
    return end > len(leader) or (end > 0 and leader[end - 1].epoch != follower[end - 1].epoch)


@action
def truncate_on_fetch(s: Cluster, follower: Replica, leader: Replica) -> None:
    """KIP-320's first try: truncate to the point of divergence, in whatever epochs both are."""
    require(presumes_leadership(s, leader) and follows(s, follower, leader))
    require(logs_apart(s.log[leader], s.log[follower]))
    truncate(s, follower, first_divergence(s.log[leader], s.log[follower]))


@action(kind="truncate_on_fetch")
def truncate_on_fetch_fenced(s: Cluster, follower: Replica, leader: Replica) -> None:
    """As the first try, but only under the leader's own epoch."""
    require(same_epoch(s, leader, follower))
    require(logs_apart(s.log[leader], s.log[follower]))
    truncate(s, follower, first_divergence(s.log[leader], s.log[follower]))


@action
def truncate_on_fetch_kip595(s: Cluster, follower: Replica, leader: Replica) -> None:
    """KIP-595: the response has the leader's largest epoch up to the follower's last, and its end.

    The follower truncates to the end of that epoch in either log, whichever is lower. If it does
    not have that epoch, it truncates to the end of its next smaller one and fetches again.
    """
    require(same_epoch(s, leader, follower))
    log, own = s.log[leader], s.log[follower]
    require(len(own) > 0)
    last = own[-1].epoch
    end = first_larger_epoch(log, last)
    # A leader that has not written yet still knows its own epoch, which starts at its log's end.
    epoch = last if end == 0 or s.replica[leader].epoch == last else log[end - 1].epoch
    require(epoch < last or end < len(own))
    own_end = first_larger_epoch(own, epoch)
    if own_end > 0 and own[own_end - 1].epoch != epoch:
        truncate(s, follower, own_end)
    elif own_end > 0:
        truncate(s, follower, min(end, own_end))
    else:
        truncate(s, follower, min(end, len(own)))
