"""Every broker design, as the rules it is made of; they differ only by what is listed here.

The first five are the public TLA+ modules. The next four are designs that were weighed beside them
or came later. The rest are KIP-320 with one rule at a time put back to an older form: they show
what each rule is good for.
"""

from specmodel.lang import Lanes, Spec, constant

from .controller import (
    become_leader,
    controller_elect,
    controller_elect_unclean,
    controller_shrink,
    observe_leaderless_epoch,
    write,
)
from .core import Cluster, Replica, booted
from .fetching import fetch, fetch_fenced, fetch_fenced_matching, fetch_matching
from .high_watermark import (
    advance_hw,
    advance_hw_fenced,
    advance_hw_fenced_matching,
    advance_hw_matching,
)
from .isr import (
    expand_isr,
    expand_isr_fenced,
    expand_isr_fenced_early,
    expand_isr_fenced_matching,
    expand_isr_matching,
    shrink_isr,
    shrink_isr_fenced,
    shrink_isr_fenced_matching,
    shrink_isr_matching,
)
from .properties import (
    follower_prefix,
    full_log_committed,
    leader_hw_monotone,
    leader_in_isr,
    leader_in_isr_as_written,
    log_matching,
    strong_isr,
    weak_isr,
)
from .truncation import (
    become_follower_fenced,
    become_follower_fenced_kip101_log_end,
    become_follower_fenced_to_hw,
    become_follower_kip101,
    become_follower_kip101_log_end,
    become_follower_kip279,
    become_follower_to_hw,
    become_follower_untruncated,
)
from .truncation_on_fetch import (
    truncate_on_fetch,
    truncate_on_fetch_fenced,
    truncate_on_fetch_kip595,
)

unclean = constant("unclean", False, doc="the controller may elect a replica outside the ISR")
observe_none = constant(
    "observe_none", False, doc="brokers learn of leaderless epochs (never, in the TLA+ modules)"
)

truncate_to_hw = Spec(
    state=Cluster,
    init=booted,
    actions=[
        controller_elect,
        *([controller_elect_unclean] if unclean else []),
        controller_shrink,
        become_leader,
        *([observe_leaderless_epoch] if observe_none else []),
        write,
        become_follower_to_hw,
        fetch,
        advance_hw,
        shrink_isr,
        expand_isr,
    ],
    invariants=[
        weak_isr,
        strong_isr,
        leader_in_isr,
        leader_in_isr_as_written,
        log_matching,
        follower_prefix,
    ],
    transitions=[leader_hw_monotone],
    reachable=[full_log_committed],
    lanes=Lanes(
        actor=Replica,
        log="log",
        cell="m{id}@e{epoch}",
        shade="epoch",
        high_watermark="replica.hw",
        epoch="replica.epoch",
        leader="replica.leader",
        isr="replica.isr",
        members={"in quorum.isr": "quorum.isr"},
        requests="requests",
        status=("quorum",),
    ),
)

kip101 = truncate_to_hw.replacing(become_follower=become_follower_kip101)

kip279 = kip101.replacing(become_follower=become_follower_kip279)

kip320_first_try = kip279.replacing(
    become_follower=become_follower_untruncated,
    fetch=fetch_matching,
    advance_hw=advance_hw_matching,
    shrink_isr=shrink_isr_matching,
    expand_isr=expand_isr_matching,
).adding(actions=[truncate_on_fetch])

kip320 = kip279.replacing(
    become_follower=become_follower_fenced,
    fetch=fetch_fenced,
    advance_hw=advance_hw_fenced,
    shrink_isr=shrink_isr_fenced,
    expand_isr=expand_isr_fenced,
)

kip101_log_end = kip101.replacing(become_follower=become_follower_kip101_log_end)

kip320_weak_fence = kip320.replacing(become_follower=become_follower_kip279)

both_epochs = kip320.replacing(
    become_follower=become_follower_untruncated,
    fetch=fetch_fenced_matching,
    advance_hw=advance_hw_fenced_matching,
    shrink_isr=shrink_isr_fenced_matching,
    expand_isr=expand_isr_fenced_matching,
).adding(actions=[truncate_on_fetch_fenced])

kip595 = both_epochs.replacing(truncate_on_fetch=truncate_on_fetch_kip595)

kip320_early_expand = kip320.replacing(expand_isr=expand_isr_fenced_early)
kip320_old_expand = kip320.replacing(expand_isr=expand_isr)
kip320_old_shrink = kip320.replacing(shrink_isr=shrink_isr)
kip320_old_hw = kip320.replacing(advance_hw=advance_hw)
kip320_old_fetch = kip320.replacing(fetch=fetch)
kip320_truncate_to_hw = kip320.replacing(become_follower=become_follower_fenced_to_hw)
kip320_kip101_log_end = kip320.replacing(become_follower=become_follower_fenced_kip101_log_end)
kip320_deferred_truncation = kip320.replacing(become_follower=become_follower_untruncated).adding(
    actions=[truncate_on_fetch_fenced]
)
