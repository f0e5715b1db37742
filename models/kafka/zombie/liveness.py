"""A broker that the controller had given up on, and that is back: does it get into the ISR again?

As in replication/liveness.py nothing makes the controller elect, a session expire or a broker come
back. Fair are the brokers, and the controller in that it handles a request to admit a replica.
"""

from specmodel.lang import Spec, eventually_always, reachable, strong, weak

from ..replication.core import Replica
from ..replication.liveness import rules_at_last
from .designs import zombie_fenced_broker_epoch, zombie_unfenced
from .sessions import ZombieCluster, become_follower_online


@eventually_always
def healed_zombie_rejoins(s: ZombieCluster) -> bool:
    """Once the controller is quiet, a broker that is back comes into the ISR, and stays."""
    return s.returned is None or all(
        s.returned in s.quorum.isr for leader in Replica if rules_at_last(s, leader)
    )


@reachable
def back_outside_isr(s: ZombieCluster) -> bool:
    """A broker is back and not in the ISR, under a leader that the controller will not replace."""
    return s.returned is not None and any(
        rules_at_last(s, leader) and s.returned not in s.quorum.isr for leader in Replica
    )


def live(design: Spec) -> Spec:
    """A design with the return of the zombie, and what nobody neglects for ever."""
    return design.adding(
        reachable=[back_outside_isr],
        liveness=[healed_zombie_rejoins],
        fairness=[
            weak("become_leader", per="epoch"),
            weak("become_follower", per=("follower", "epoch")),
            strong("fetch", per="follower"),
            strong("advance_hw", per="leader"),
            strong("expand_isr", per=("leader", "follower")),
            weak("admit"),
        ],
    )


zombie_unfenced_live = live(zombie_unfenced)
zombie_fenced_live = live(zombie_fenced_broker_epoch)
zombie_fenced_deaf = zombie_fenced_live.under(
    *(f for f in zombie_fenced_live.fairness if become_follower_online not in f.actions),
)
