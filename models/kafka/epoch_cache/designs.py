"""The designs around KAFKA-7415: when a cache learns of an epoch, what it answers, who may ask.

All keep kip320's fences on fetching, high watermark and ISR. The last two break the cache itself,
to show that the properties notice.
"""

from specmodel.lang import Spec

from ..replication.core import booted
from ..replication.designs import kip320
from ..replication.failover import follower_fails, leader_fails, preferred_election
from ..replication.history import committed_in_isr, committed_in_leader
from .actions import (
    advance_hw_cached,
    answer_epoch,
    answer_epoch_or_log_end,
    answer_epoch_or_log_end_unfenced,
    answer_epoch_or_start,
    answer_epoch_or_start_unfenced,
    answer_epoch_unfenced,
    apply_answer,
    apply_answer_or_start,
    ask_epoch,
    become_follower,
    become_leader_assigning,
    become_leader_cached,
    crash_and_restart,
    expand_isr_cached,
    fetch_cached,
    shrink_isr_cached,
    truncate_without_epochs,
    write_cached,
)
from .broken import apply_answer_to_log_only, become_leader_appending
from .cache import CachedCluster, EpochStart
from .properties import (
    cache_agrees_with_log,
    cache_monotone,
    committed_across_epochs,
    committed_not_truncated,
    diverged_position_truncated,
    epoch_without_records,
    never_undefined,
    truncated_prefix,
    truncation_exact,
)

epoch_cache_on_append = Spec(
    state=CachedCluster,
    init=booted,
    actions=[
        preferred_election,
        leader_fails,
        follower_fails,
        become_leader_cached,
        become_follower,
        ask_epoch,
        truncate_without_epochs,
        answer_epoch,
        apply_answer,
        write_cached,
        fetch_cached,
        advance_hw_cached,
        shrink_isr_cached,
        expand_isr_cached,
        crash_and_restart,
    ],
    invariants=[
        committed_in_isr,
        committed_in_leader,
        cache_monotone,
        cache_agrees_with_log,
        never_undefined,
        truncated_prefix,
    ],
    transitions=[truncation_exact, committed_not_truncated],
    reachable=[committed_across_epochs, diverged_position_truncated],
    lanes=kip320.lanes,
).drawn(
    facts=("cache", "truncation"),
    formats={EpochStart: "e{epoch} from {start}"},
)

epoch_cache_log_end = epoch_cache_on_append.replacing(answer_epoch=answer_epoch_or_log_end)

epoch_cache_assigned_only = epoch_cache_on_append.replacing(
    become_leader=become_leader_assigning
).adding(reachable=[epoch_without_records])

epoch_cache_on_election = epoch_cache_assigned_only.replacing(
    answer_epoch=answer_epoch_or_start,
    apply_answer=apply_answer_or_start,
)

epoch_cache_on_append_unfenced = epoch_cache_on_append.replacing(answer_epoch=answer_epoch_unfenced)

epoch_cache_log_end_unfenced = epoch_cache_log_end.replacing(
    answer_epoch=answer_epoch_or_log_end_unfenced
)

epoch_cache_on_election_unfenced = epoch_cache_on_election.replacing(
    answer_epoch=answer_epoch_or_start_unfenced
)

epoch_cache_unordered = epoch_cache_on_election.replacing(become_leader=become_leader_appending)

epoch_cache_untruncated = epoch_cache_on_election.replacing(apply_answer=apply_answer_to_log_only)
