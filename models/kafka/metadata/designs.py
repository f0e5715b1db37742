"""Which epoch or id keeps a client from going back to stale metadata: the designs weighed.

KIP-232 went through several drafts; KIP-320 took over the leader epoch, KIP-516 brought topic ids.
"""

from specmodel.lang import Lanes, Spec, constant, invariant, reachable, transition

from .changes import (
    Broker,
    System,
    copy_of_log,
    create_topic,
    created,
    delete_topic,
    deliver,
    incarnations,
    log_size,
    move_leader,
    replicate,
    write,
)
from .client import (
    commit,
    refresh,
    refresh_by_both_epochs,
    refresh_by_counter,
    refresh_by_epoch,
    refresh_by_id,
    restart,
    restart_at_stored,
    store,
)
from .fetching import (
    fetch,
    fetch_by_id,
    fetch_by_id_of_position,
    fetch_fenced,
    fetch_keeping_both_epochs,
    fetch_keeping_epoch,
    fetch_with_both_epochs,
    fetch_with_partition_epoch,
    validate,
)

external_store = constant(
    "external_store", False, doc="the application also keeps positions itself, beside the commits"
)


@transition
def metadata_monotone(before: System, after: System) -> bool:
    """A running client never goes back to an older state of the partition."""
    old, new = before.client.cached, after.client.cached
    return old is None or new is None or new >= old


@invariant
def no_needless_rewind(s: System) -> bool:
    """Nobody is sent back to the beginning of a topic that lost nothing."""
    return not s.client.rewound


@invariant
def no_wrong_incarnation(s: System) -> bool:
    """A position in one incarnation of the topic is not used in another without anyone noticing."""
    return not s.client.crossed


@invariant
def never_stuck(s: System) -> bool:
    """No client ignores the newest metadata when that is all that any broker has to offer."""
    return not s.client.stuck


@reachable
def all_read(s: System) -> bool:
    """A client has read a full log of the last incarnation."""
    last = 2 * incarnations - 2
    return s.client.position.offset == log_size and s.client.position.generation == last


metadata_unchecked = Spec(
    state=System,
    init=created,
    actions=[
        move_leader,
        *([delete_topic, create_topic] if incarnations > 1 else []),
        deliver,
        write,
        replicate,
        refresh,
        fetch,
        commit,
        restart,
        *([store, restart_at_stored] if external_store else []),
    ],
    transitions=[metadata_monotone],
    invariants=[no_needless_rewind, no_wrong_incarnation, never_stuck],
    reachable=[all_read],
    lanes=Lanes(
        actor=Broker,
        log=copy_of_log,
        cell="e{}",
        facts={"has applied change": "view"},
        status=("changes", "records", "client"),
    ),
)

metadata_leader_epoch = metadata_unchecked.replacing(
    refresh=refresh_by_epoch, fetch=fetch_keeping_epoch
)

metadata_bare_offsets = metadata_leader_epoch.replacing(fetch=fetch)

metadata_partition_epoch_unfetched = metadata_leader_epoch.replacing(
    refresh=refresh_by_both_epochs,
    fetch=fetch_keeping_both_epochs,
)

metadata_partition_epoch = metadata_partition_epoch_unfetched.replacing(
    fetch=fetch_with_partition_epoch
)

metadata_max_partition_epoch = metadata_partition_epoch.replacing(
    refresh=refresh_by_counter,
)

metadata_both_epochs_fenced = metadata_max_partition_epoch.replacing(fetch=fetch_with_both_epochs)

metadata_kip320 = metadata_leader_epoch.replacing(fetch=fetch_fenced).adding(actions=[validate])

metadata_unordered = metadata_kip320.replacing(refresh=refresh)

metadata_topic_id = metadata_kip320.replacing(
    refresh=refresh_by_id,
    fetch=fetch_by_id,
)

metadata_topic_id_in_offsets = metadata_topic_id.replacing(fetch=fetch_by_id_of_position)
