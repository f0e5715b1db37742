"""Acknowledgements with acks=1 and acks=all, a strict minimum, and eligible leader replicas."""

from specmodel.lang import Spec

from ..replication.designs import kip320, unclean
from ..replication.history import become_leader_watched, committed_in_isr, committed_in_leader
from .acks import (
    Durable,
    acked_by_fewest,
    acked_survive,
    advance_hw,
    advance_hw_acknowledging,
    advance_hw_strict,
    all_acked,
    enough_electable,
    restart_with_loss,
    write_acks_all,
    write_acks_one,
)
from .eligible_leaders import (
    controller_elect_eligible,
    controller_elect_last_leader,
    controller_elect_unclean_tracked,
    controller_fence,
    eligible_hold_exposed,
    expand_isr_tracked,
    restart_with_loss_old_requests,
    restart_with_loss_tracked,
    restart_with_loss_unnoticed,
    shrink_isr_tracked,
)


def acknowledging(design: Spec) -> Spec:
    """A design over the state with acknowledgements, and what must hold of them."""
    return (
        design.over(Durable, become_leader=become_leader_watched)
        .without(*(rule.function for rule in design.properties))
        .adding(
            actions=[restart_with_loss],
            invariants=[acked_survive, committed_in_leader, committed_in_isr, enough_electable],
            reachable=[all_acked, acked_by_fewest],
        )
        .drawn(status=("quorum", "acked"))
    )


acks_one = acknowledging(kip320).replacing(write=write_acks_one, advance_hw=advance_hw)
acks_all = acknowledging(kip320).replacing(
    write=write_acks_all, advance_hw=advance_hw_acknowledging
)
acks_all_strict = acks_all.replacing(advance_hw=advance_hw_strict)

kip966 = (
    acks_all_strict.replacing(
        controller_shrink=controller_fence,
        shrink_isr=shrink_isr_tracked,
        expand_isr=expand_isr_tracked,
        restart_with_loss=restart_with_loss_tracked,
        **({"controller_elect_unclean": controller_elect_unclean_tracked} if unclean else {}),
    )
    .adding(
        actions=[controller_elect_eligible, controller_elect_last_leader],
        invariants=[eligible_hold_exposed],
    )
    .drawn(
        members={"in quorum.isr": "quorum.isr", "eligible": "eligible"},
        status=("quorum", "last_leader", "acked"),
    )
)

kip966_loose = kip966.replacing(advance_hw=advance_hw_acknowledging)
kip966_unnoticed_loss = kip966.replacing(restart_with_loss=restart_with_loss_unnoticed)
kip966_old_requests = kip966.replacing(restart_with_loss=restart_with_loss_old_requests)
