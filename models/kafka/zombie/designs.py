"""Eight designs: fetches fenced or not, times what makes a replica eligible for the ISR.

Eligible is anyone; or whom the leader does not know to be offline; or whom the controller has
registered; or, as in KRaft today, both of these, under the broker epoch of the fetch that counted.
"""

from specmodel.lang import Spec, constant

from ..replication.core import booted
from ..replication.designs import kip320
from ..replication.fetching import fetch, fetch_fenced
from ..replication.history import committed_in_isr, committed_in_leader
from ..replication.properties import log_matching
from .fencing import (
    admit_anyone,
    admit_registered,
    admit_same_registration,
    advance_hw_maximal,
    advance_hw_maximal_fenced,
    ask_for,
    ask_for_alive,
    ask_for_fenced,
    ask_for_fenced_alive,
    shrink_isr_alone,
    shrink_isr_alone_fenced,
)
from .properties import (
    acks_backed,
    isr_registered,
    known_offline_not_proposed,
    never_waits_for_zombie,
    returns_to_isr,
    zombie_keeps_up,
    zombie_left_behind,
)
from .sessions import (
    ZombieCluster,
    become_follower_online,
    become_leader_online,
    elect_registered,
    hear_of_failure,
    reboot,
    reconnect,
    session_expires,
    write_acks_all,
)

reboots = constant("reboots", True, doc="an offline broker may reboot and lose the end of its log")

zombie_unfenced = Spec(
    state=ZombieCluster,
    init=booted,
    actions=[
        elect_registered,
        session_expires,
        hear_of_failure,
        reconnect,
        *([reboot] if reboots else []),
        become_leader_online,
        become_follower_online,
        write_acks_all,
        fetch,
        advance_hw_maximal,
        shrink_isr_alone,
        ask_for,
        admit_anyone,
    ],
    invariants=[
        isr_registered,
        committed_in_isr,
        committed_in_leader,
        log_matching,
    ],
    transitions=[known_offline_not_proposed, acks_backed],
    reachable=[zombie_keeps_up, zombie_left_behind, returns_to_isr],
    lanes=kip320.lanes,
).drawn(
    members={"in quorum.isr": "quorum.isr", "told": "told"},
    status=("quorum", "offline", "returned", "admission"),
)

zombie_unfenced_live_view = zombie_unfenced.replacing(expand_isr=ask_for_alive)
zombie_unfenced_controller = zombie_unfenced.replacing(admit=admit_registered)
zombie_unfenced_broker_epoch = zombie_unfenced_live_view.replacing(admit=admit_same_registration)

zombie_fenced = zombie_unfenced.replacing(
    fetch=fetch_fenced,
    advance_hw=advance_hw_maximal_fenced,
    shrink_isr=shrink_isr_alone_fenced,
    expand_isr=ask_for_fenced,
).adding(invariants=[never_waits_for_zombie])
zombie_fenced_live_view = zombie_fenced.replacing(expand_isr=ask_for_fenced_alive)
zombie_fenced_controller = zombie_fenced.replacing(admit=admit_registered)
zombie_fenced_broker_epoch = zombie_fenced_live_view.replacing(admit=admit_same_registration)
