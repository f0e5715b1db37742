"""When a leader advances its high watermark, which is what exposes a record to consumers.

The leader goes by its own idea of the ISR, itself included. Designs differ in what they ask of a
member besides having the record at the high watermark.
"""

from specmodel.lang import action, require

from .core import Cluster, Replica, follows, matching, presumes_leadership, same_epoch


@action
def advance_hw(s: Cluster, leader: Replica) -> None:
    """Before KIP-320: a member counts if it takes this broker for its leader, in whatever epoch."""
    hw = s.replica[leader].hw
    require(presumes_leadership(s, leader) and hw < len(s.log[leader]))
    require(all(follows(s, r, leader) and hw < len(s.log[r]) for r in s.replica[leader].isr))
    s.replica[leader].hw = hw + 1


@action
def advance_hw_matching(s: Cluster, leader: Replica) -> None:
    """KIP-320's first try: a member counts if its record there is of the same leader epoch."""
    hw = s.replica[leader].hw
    require(presumes_leadership(s, leader) and hw < len(s.log[leader]))
    require(all(matching(s, leader, r, hw + 1) for r in s.replica[leader].isr))
    s.replica[leader].hw = hw + 1


@action
def advance_hw_fenced(s: Cluster, leader: Replica) -> None:
    """KIP-320: a member counts if it follows under the leader's own epoch."""
    hw = s.replica[leader].hw
    require(hw < len(s.log[leader]))
    require(all(same_epoch(s, leader, r) and hw < len(s.log[r]) for r in s.replica[leader].isr))
    s.replica[leader].hw = hw + 1


@action
def advance_hw_fenced_matching(s: Cluster, leader: Replica) -> None:
    """KIP-595: a member counts if it is in the leader's epoch and its log end matches."""
    hw = s.replica[leader].hw
    require(hw < len(s.log[leader]))
    require(
        all(
            same_epoch(s, leader, r)
            and matching(s, leader, r, len(s.log[r]))
            and hw < len(s.log[r])
            for r in s.replica[leader].isr
        )
    )
    s.replica[leader].hw = hw + 1
