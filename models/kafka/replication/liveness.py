"""What a partition has to do once the controller is quiet: expose its records, agree on its log.

Leader epochs are bounded, so in every behaviour there is a time after which the controller does
nothing more. What comes then is judged only if the last epoch has a leader that knows it leads:
otherwise nobody can be expected to do anything. Writes are bounded too, so there is an end to what
has to be replicated.

Nothing makes the controller act, and nobody has to write. Fair are the brokers: weakly in what they
make of a request, which stays; strongly in what they do with each other's help.
"""

from specmodel.lang import Spec, action, eventually_always, reachable, require, strong, weak

from .core import Cluster, Replica, is_true_leader, max_leader_epoch, same_epoch
from .designs import kip101, kip320, kip595, truncate_to_hw
from .fetching import fetch_fenced
from .truncation import first_larger_epoch, truncate
from .truncation_on_fetch import truncate_on_fetch_kip595


def rules_at_last(s: Cluster, leader: Replica) -> bool:
    """The controller can start no more leader epochs, and the broker leads under the last one."""
    return s.quorum.epoch == max_leader_epoch and is_true_leader(s, leader)


@eventually_always
def all_exposed(s: Cluster) -> bool:
    """Once the controller is quiet, the leader's high watermark comes to its log end."""
    return all(
        s.replica[leader].hw == len(s.log[leader]) for leader in Replica if rules_at_last(s, leader)
    )


@eventually_always
def logs_agree(s: Cluster) -> bool:
    """Once the controller is quiet, every member of the ISR comes to have the leader's log."""
    return all(
        s.log[member] == s.log[leader]
        for leader in Replica
        if rules_at_last(s, leader)
        for member in s.quorum.isr
    )


@eventually_always
def isr_whole(s: Cluster) -> bool:
    """Once the controller is quiet, every replica comes back into the ISR, and stays."""
    return all(
        member in s.quorum.isr
        for leader in Replica
        if rules_at_last(s, leader)
        for member in Replica
    )


@reachable
def quiet_with_work_left(s: Cluster) -> bool:
    """The last leader has a record to expose, and a replica outside the ISR: not all is done."""
    return any(
        rules_at_last(s, leader)
        and s.replica[leader].hw < len(s.log[leader])
        and any(r not in s.quorum.isr for r in Replica)
        for leader in Replica
    )


def live(design: Spec) -> Spec:
    """A design with what has to happen in it, and what its brokers do not neglect for ever."""
    return design.adding(
        reachable=[quiet_with_work_left],
        liveness=[all_exposed, logs_agree, isr_whole],
        fairness=[
            weak("become_leader", per="epoch"),
            weak("become_follower", per=("follower", "epoch")),
            strong("fetch", per="follower"),
            strong("advance_hw", per="leader"),
            strong("expand_isr", per=("leader", "follower")),
        ],
    )


truncate_to_hw_live = live(truncate_to_hw)
kip101_live = live(kip101)
kip101_live_shrinking = kip101_live.adding(
    fairness=[strong("shrink_isr", per=("leader", "follower"))]
)
kip320_live = live(kip320)
kip320_fetching_at_will = kip320_live.under(
    *(f for f in kip320_live.fairness if fetch_fenced not in f.actions)
)
kip595_live = live(kip595).adding(
    fairness=[
        strong("truncate_on_fetch", per="follower"),
        strong("shrink_isr", per=("leader", "follower")),
    ],
)


@action(kind="truncate_on_fetch")
def truncate_on_fetch_to_cache(s: Cluster, follower: Replica, leader: Replica) -> None:
    """As `truncate_on_fetch_kip595`, where the follower has no epoch as small as the answer's.

    Its epoch cache then says that the epoch ended where its first larger one begins, which is the
    beginning of the log (LeaderEpochFileCache, endOffsetFor). So there it truncates to.
    """
    if s.log[follower] != []:
        own, log = s.log[follower], s.log[leader]
        end = first_larger_epoch(log, own[-1].epoch)
        answered = s.replica[leader].epoch == own[-1].epoch or end == 0
        if not answered and first_larger_epoch(own, log[end - 1].epoch) == 0:
            require(same_epoch(s, leader, follower))
            truncate(s, follower, 0)
            return
    truncate_on_fetch_kip595(s, follower, leader)


kip595_live_cache = kip595_live.replacing(truncate_on_fetch=truncate_on_fetch_to_cache)
