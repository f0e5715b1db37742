"""Consumers that differ in what they do about truncation, each as the rules that it is made of."""

from specmodel.lang import Lanes, Spec, constant

from ..replication.core import Replica
from . import clients
from .clients import (
    fetch_checked,
    hear_epoch,
    out_of_range_uncommitting,
    refresh_metadata_repeated,
    refresh_metadata_replacing,
    refresh_metadata_unnamed,
    validate_reporting,
    validate_taking_epoch,
)
from .fetching import (
    fetch,
    fetch_nothing,
    fetch_to_log_end,
    fetch_without_epochs,
    fetch_without_record_epochs,
    out_of_range,
    out_of_range_without_epochs,
    refresh_metadata,
    refresh_metadata_unordered,
)
from .partition import (
    delete_oldest,
    elect,
    elect_unclean,
    expand_isr,
    fail_over,
    notice,
    replicate,
    shrink_isr,
    truncate,
    write,
)
from .properties import (
    caught_up_in_last_epoch,
    committed_epoch_wait,
    epochs_fall,
    no_false_alarm,
    no_silent_loss,
    no_skip,
    precise_reset,
    read_committed_only,
    reads_on_after_loss,
    safe_reset,
    waits_for_metadata,
)
from .resets import (
    LATEST,
    NONE,
    reset_policy,
    reset_to_earliest,
    reset_to_earliest_unfenced,
    reset_to_latest,
    reset_to_latest_unfenced,
    seek_to_beginning,
    seek_to_divergence,
)
from .restart import (
    crash,
    load_offset,
    load_offset_before_metadata,
    load_offset_unvalidated,
    load_offset_without_epoch,
    load_offset_without_wait,
    rejoin,
    save_offset,
)
from .state import Subscription, exposed, presumed_leader, slow_brokers, subscribed
from .validation import (
    fetch_with_last_epoch,
    validate_end_offset,
    validate_epoch,
    validate_history,
    validate_history_once,
)

unclean = constant("unclean", True, doc="the controller may elect a replica outside the ISR")
retention = constant("retention", False, doc="leaders delete records at the start of their logs")
unnamed_epochs = constant(
    "unnamed_epochs", False, doc="metadata may name a leader without its epoch, and clients take it"
)

consumer_end_offset = Spec(
    state=Subscription,
    init=subscribed,
    actions=[
        elect,
        fail_over,
        *([elect_unclean] if unclean else []),
        *([notice] if slow_brokers else []),
        write,
        replicate,
        truncate,
        shrink_isr,
        expand_isr,
        *([delete_oldest] if retention else []),
        refresh_metadata,
        *([refresh_metadata_unnamed, hear_epoch] if unnamed_epochs else []),
        fetch,
        out_of_range,
        validate_end_offset,
        reset_to_latest if reset_policy == LATEST else reset_to_earliest,
        *([seek_to_divergence, seek_to_beginning] if reset_policy == NONE else []),
    ],
    invariants=[no_silent_loss],
    transitions=[
        no_false_alarm,
        safe_reset,
        precise_reset,
        no_skip,
        committed_epoch_wait,
        read_committed_only,
    ],
    reachable=[caught_up_in_last_epoch, reads_on_after_loss, epochs_fall],
    lanes=Lanes(
        actor=Replica,
        log="log",
        cell="m{id}@e{epoch}",
        shade="epoch",
        high_watermark=exposed,
        epoch="noticed",
        leader=presumed_leader,
        isr="view",
        facts=("start",) if retention else (),
        members={"in isr": "isr"},
        cursors={"consumer": "consumer.position.offset"},
        status=("epoch", "consumer", "delivered", "excused"),
    ),
)

consumer_epoch = consumer_end_offset.replacing(validate_end_offset=validate_epoch)
consumer_history_once = consumer_end_offset.replacing(validate_end_offset=validate_history_once)
consumer_history = consumer_end_offset.replacing(validate_end_offset=validate_history)
consumer_last_fetched = consumer_end_offset.replacing(validate_end_offset=fetch_with_last_epoch)

# What stands between the wire protocol and an unfenced, unvalidated consumer, taken away.

consumer_no_epochs = consumer_end_offset.replacing(
    refresh_metadata=refresh_metadata_unordered,
    fetch=fetch_without_epochs,
    out_of_range=out_of_range_without_epochs,
    **(
        {"reset_to_latest": reset_to_latest_unfenced}
        if reset_policy == LATEST
        else {"reset_to_earliest": reset_to_earliest_unfenced}
    ),
).without(validate_end_offset)


consumer_sentinel = consumer_end_offset.replacing(fetch=fetch_without_record_epochs).without(
    validate_end_offset
)

consumer_unfenced_reset = consumer_end_offset.replacing(
    **(
        {"reset_to_latest": reset_to_latest_unfenced}
        if reset_policy == LATEST
        else {"reset_to_earliest": reset_to_earliest_unfenced}
    ),
)

consumer_reads_to_log_end = consumer_end_offset.replacing(fetch=fetch_to_log_end)

# Released clients, where they are none of these.

taking_epochs = {
    "no_false_alarm": clients.no_false_alarm,
    "safe_reset": clients.safe_reset,
    "precise_reset": clients.precise_reset,
}

consumer_kafka_python = consumer_unfenced_reset.replacing(
    refresh_metadata=refresh_metadata_replacing,
    fetch=fetch_checked,
    validate_end_offset=validate_taking_epoch,
    **taking_epochs,
).adding(actions=[fetch_nothing])

consumer_franz_go = consumer_end_offset.replacing(
    refresh_metadata=refresh_metadata_repeated,
    validate_end_offset=validate_reporting,
    **taking_epochs,
)

consumer_sarama = consumer_unfenced_reset.replacing(
    refresh_metadata=refresh_metadata_unordered, fetch=fetch_without_record_epochs
).without(validate_end_offset)

consumer_kafkajs_uncommitted = consumer_no_epochs.adding(actions=[rejoin])
consumer_kafkajs = consumer_kafkajs_uncommitted.replacing(
    out_of_range=out_of_range_uncommitting
).adding(actions=[save_offset])

# Consumers that commit, or store their offsets themselves, and start again from there.


def restarting(design: Spec) -> Spec:
    """The design with saved offsets and restarts."""
    return design.adding(actions=[save_offset, crash, load_offset], reachable=[waits_for_metadata])


consumer_committed = restarting(consumer_end_offset)
consumer_epoch_committed = restarting(consumer_epoch)
consumer_history_committed = restarting(consumer_history)

consumer_no_wait = consumer_committed.replacing(load_offset=load_offset_without_wait).without(
    waits_for_metadata
)
consumer_cold_cache = consumer_committed.adding(actions=[load_offset_before_metadata])
consumer_librdkafka_committed = consumer_committed.replacing(
    load_offset=load_offset_unvalidated
).without(waits_for_metadata)
consumer_kafka_python_committed = (
    restarting(consumer_kafka_python)
    .replacing(load_offset=load_offset_without_epoch)
    .without(waits_for_metadata)
)
consumer_no_epochs_committed = (
    restarting(consumer_no_epochs)
    .replacing(load_offset=load_offset_without_epoch)
    .without(waits_for_metadata)
)
consumer_offset_only = consumer_committed.replacing(load_offset=load_offset_without_epoch).without(
    waits_for_metadata
)
