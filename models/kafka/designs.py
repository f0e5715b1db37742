"""Every broker design, as the list of the rules it is made of."""

from specmodel.lang import Lanes, Spec

from .controller import become_leader, controller_elect, controller_shrink, write
from .core import Cluster, Replica, booted
from .fetching import fetch_fenced
from .high_watermark import advance_hw_fenced
from .isr import expand_isr_fenced, shrink_isr_fenced
from .properties import strong_isr, weak_isr
from .truncation import become_follower_fenced

kip320 = Spec(
    state=Cluster,
    init=booted,
    actions=[
        controller_elect,
        controller_shrink,
        become_leader,
        write,
        become_follower_fenced,
        fetch_fenced,
        advance_hw_fenced,
        shrink_isr_fenced,
        expand_isr_fenced,
    ],
    invariants=[weak_isr, strong_isr],
    lanes=Lanes(
        actor=Replica,
        log="log",
        cell="m{id}@e{epoch}",
        shade="epoch",
        high_watermark="replica.hw",
        epoch="replica.epoch",
        leader="replica.leader",
        isr="replica.isr",
        status=("quorum", "requests"),
    ),
)
