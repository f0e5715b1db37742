"""How a follower fetches: one record at a time, with the leader's high watermark in the response.

Designs differ in what the leader checks before it serves the fetch.
"""

from specmodel.lang import action, require

from .core import Cluster, Replica, follows, matching, presumes_leadership, same_epoch


def append_next(s: Cluster, follower: Replica, leader: Replica) -> None:
    """Copy the leader's record at the follower's log end, and its high watermark up to the new end.

    The follower's high watermark moves backwards here when a new leader's lags.
    """
    end = len(s.log[follower])
    require(end < len(s.log[leader]))
    s.log[follower].append(s.log[leader][end])
    s.replica[follower].hw = min(s.replica[leader].hw, end + 1)


@action
def fetch(s: Cluster, follower: Replica, leader: Replica) -> None:
    """Before KIP-320: any broker that believes it leads serves whoever takes it for the leader."""
    require(presumes_leadership(s, leader) and follows(s, follower, leader))
    append_next(s, follower, leader)


@action
def fetch_matching(s: Cluster, follower: Replica, leader: Replica) -> None:
    """KIP-320's first try: the leader compares the epoch of the follower's last record."""
    require(matching(s, leader, follower, len(s.log[follower])))
    append_next(s, follower, leader)


@action
def fetch_fenced(s: Cluster, follower: Replica, leader: Replica) -> None:
    """KIP-320: the leader serves only followers under its own leader epoch."""
    require(same_epoch(s, leader, follower))
    append_next(s, follower, leader)


@action
def fetch_fenced_matching(s: Cluster, follower: Replica, leader: Replica) -> None:
    """KIP-595: the fetch carries the current leader epoch and the epoch of the last record."""
    require(same_epoch(s, leader, follower))
    require(matching(s, leader, follower, len(s.log[follower])))
    append_next(s, follower, leader)
