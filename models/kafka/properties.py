"""What must hold of a partition."""

from specmodel.lang import Set, invariant

from .core import Cluster, Replica, presumes_leadership


def replicated(s: Cluster, leader: Replica, isr: Set[Replica]) -> bool:
    """Every record below the leader's high watermark is at the same offset of every log of an ISR."""
    log = s.log[leader]
    return all(
        offset < len(s.log[member]) and s.log[member][offset] == log[offset]
        for member in isr
        for offset in range(s.replica[leader].hw)
    )


@invariant
def weak_isr(s: Cluster) -> bool:
    """What a presumed leader has exposed is held by every member of its own ISR."""
    return all(
        replicated(s, leader, s.replica[leader].isr)
        for leader in Replica
        if presumes_leadership(s, leader)
    )


@invariant
def strong_isr(s: Cluster) -> bool:
    """What a presumed leader has exposed is held by every replica that may be elected."""
    return all(
        replicated(s, leader, s.quorum.isr) for leader in Replica if presumes_leadership(s, leader)
    )
