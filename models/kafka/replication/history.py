"""The same designs over a state that remembers what was ever exposed to consumers.

Weak and strong ISR compare what brokers hold now. Whether committed data was lost takes a history:
at each offset the first record that was ever below a presumed leader's high watermark, and whether
a second one came to be there. It only watches: no rule reads it. Ids are unique, so they stand for
records.
"""

from collections.abc import Callable

from specmodel.lang import Spec, action, invariant, require_some

from .controller import become_leader
from .core import (
    Cluster,
    LeaderEpoch,
    Position,
    RecordId,
    Replica,
    is_true_leader,
    log_size,
)
from .designs import (
    both_epochs,
    kip101,
    kip279,
    kip320,
    kip320_early_expand,
    kip320_first_try,
    kip320_old_hw,
    kip320_weak_fence,
    kip595,
    truncate_to_hw,
)


class WatchedCluster(Cluster):
    """A cluster, the records ever exposed by offset, and whether one was exposed over another."""

    exposed: dict[Position, RecordId | None] = {offset: None for offset in range(log_size)}
    replaced: bool = False


def expose(s: WatchedCluster, leader: Replica) -> None:
    """Note what consumers can read from a broker that believes it leads."""
    for offset in range(s.replica[leader].hw):
        seen = s.log[leader][offset].id
        if s.exposed[offset] is None:
            s.exposed[offset] = seen
        elif s.exposed[offset] != seen:
            s.replaced = True


@action
def become_leader_watched(s: WatchedCluster, epoch: LeaderEpoch) -> None:
    """As `become_leader`: what the broker takes for committed is exposed from now on."""
    become_leader(s, epoch)
    request = require_some(s.requests[epoch])
    expose(s, require_some(request.leader))


def watched(advance_hw: Callable[[WatchedCluster, Replica], None]) -> Callable[..., None]:
    """A rule for the high watermark that notes what it exposes."""

    @action
    def advance_hw_watched(s: WatchedCluster, leader: Replica) -> None:
        """As without the history: what the high watermark passes is exposed."""
        advance_hw(s, leader)
        expose(s, leader)

    return advance_hw_watched


def holds_exposed(s: WatchedCluster, replica: Replica) -> bool:
    """The replica's log has every record that was ever exposed, where it was."""
    log = s.log[replica]
    return all(
        s.exposed[offset] is None or (offset < len(log) and log[offset].id == s.exposed[offset])
        for offset in range(log_size)
    )


@invariant
def committed_in_isr(s: WatchedCluster) -> bool:
    """Every record that was ever exposed is in the log of every replica of the controller's ISR."""
    return all(holds_exposed(s, member) for member in s.quorum.isr)


@invariant
def committed_in_leader(s: WatchedCluster) -> bool:
    """No committed data is lost: the true leader has all of it, and none was replaced."""
    return not s.replaced and all(
        holds_exposed(s, leader) for leader in Replica if is_true_leader(s, leader)
    )


def with_history(design: Spec) -> Spec:
    """A design over the watched state."""
    return design.over(
        WatchedCluster,
        become_leader=become_leader_watched,
        advance_hw=watched(design.function("advance_hw")),
    ).adding(invariants=[committed_in_isr, committed_in_leader])


truncate_to_hw_history = with_history(truncate_to_hw)
kip101_history = with_history(kip101)
kip279_history = with_history(kip279)
kip320_first_try_history = with_history(kip320_first_try)
kip320_history = with_history(kip320)
kip320_weak_fence_history = with_history(kip320_weak_fence)
both_epochs_history = with_history(both_epochs)
kip595_history = with_history(kip595)
kip320_early_expand_history = with_history(kip320_early_expand)
kip320_old_hw_history = with_history(kip320_old_hw)
