"""Consumers under unclean election: verdicts, the candidate finding, a second search, steps."""

from functools import cache
from typing import Any

import pytest

from models.kafka.consumer.fetching import fetch, refresh_metadata
from models.kafka.consumer.partition import elect_unclean, fail_over, shrink_isr, write
from models.kafka.consumer.properties import lost_record
from models.kafka.consumer.restart import (
    crash,
    load_offset,
    load_offset_without_wait,
    save_offset,
)
from models.kafka.consumer.state import (
    UNKNOWN_EPOCH,
    FetchPosition,
    Phase,
    Subscription,
    divergence,
    high_watermark,
    subscribed,
)
from models.kafka.consumer.validation import (
    EpochEnd,
    end_offset_for_epoch,
    validate_end_offset,
    validate_epoch,
    validate_history,
)
from models.kafka.replication.core import Record, Replica
from specmodel import check, load
from specmodel.errors import Disabled
from tests.models.expectations import check_everything
from tests.models.naive_consumer import Setting, search

FENCED_RESETS = {"out_of_range", "reset_to_earliest"}
"""With fencing and validation, only retention can take a position out of range."""

NEVER_FIRE: dict[str, set[str]] = {
    "consumer-no-epochs": set(),
    "consumer-kafkajs": set(),
    "consumer-sentinel": set(),
    "consumer-kafka-python": set(),
    "consumer-end-offset": FENCED_RESETS,
    "consumer-epoch": FENCED_RESETS,
    "consumer-history-once": FENCED_RESETS,
    "consumer-history": FENCED_RESETS,
    "consumer-last-fetched": FENCED_RESETS,
    "consumer-unfenced-reset": set(),
    "consumer-reads-to-log-end": FENCED_RESETS,
    "consumer-committed": FENCED_RESETS,
    "consumer-epoch-committed": FENCED_RESETS,
    "consumer-history-committed": FENCED_RESETS,
    "consumer-no-wait": {"out_of_range"},
    "consumer-cold-cache": {"out_of_range"},
    "consumer-offset-only": set(),
}
"""The designs of this page, with the actions that cannot happen at their default bounds."""

R1, R2, R3 = Replica


# Verdicts


@pytest.mark.parametrize("name", NEVER_FIRE)
def test_every_action_happens(name: str) -> None:
    """A property that holds because something never happens would show here."""
    coverage = check_everything(name).coverage
    assert {action for action, fired in coverage.items() if not fired} == NEVER_FIRE[name]


def test_every_property_can_be_violated() -> None:
    """A property that no consumer breaks would say nothing of those that keep it."""
    broken: set[str] = set()
    kept: set[str] = set()
    at = [(name, ()) for name in NEVER_FIRE]
    for name, constants in [*at, ("consumer-no-epochs", (("reset_policy", 1),))]:
        for found in check_everything(name, constants).properties:
            (broken if found.verdict == "violated" else kept).add(found.name)
    assert kept - broken == {"caught_up_in_last_epoch"}


SAMPLE = {
    "consumer-kafkajs",
    "consumer-end-offset",
    "consumer-history",
    "consumer-last-fetched",
    "consumer-committed",
    "consumer-unfenced-reset",
}
"""Designs that have each kind of rule between them."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in SAMPLE else [pytest.mark.long]) for n in NEVER_FIRE],
)
def test_engines_agree(name: str) -> None:
    """The compiled kernel and CPython find the same states, steps and shortest counterexamples."""
    epochs = 1 if load(name).values["slow_brokers"] else 2
    smallest = (("max_records", 1), ("max_leader_epoch", epochs))
    reference = check_everything(name, smallest, "interpret")
    native = check_everything(name, smallest)
    assert (native.distinct, native.generated, native.depth) == (
        reference.distinct,
        reference.generated,
        reference.depth,
    )
    assert native.coverage == reference.coverage
    for found in reference.properties:
        same = native[found.name]
        assert (same.verdict, same.trace_length) == (found.verdict, found.trace_length)


# The candidate finding (docs/findings/consumer-validation.md)


def test_end_offset_check_accepts_a_position_whose_record_is_gone() -> None:
    """The shortest story: eight steps, two records, two brokers, three leader epochs."""
    found = check("consumer-end-offset", properties=["no_silent_loss"])["no_silent_loss"]
    assert found.trace is not None
    assert [step.action for step in found.trace.steps] == [
        "write",
        "fail_over",
        "refresh_metadata",
        "write",
        "fetch",
        "elect_unclean",
        "refresh_metadata",
        "validate_end_offset",
    ]


def test_smaller_bounds_have_no_silent_loss() -> None:
    """One record less, or one leader epoch less, and the end offset check holds: it is minimal."""
    for smaller in ("max_records", "max_leader_epoch"):
        constants: dict[str, Any] = {smaller: 1}
        design = load("consumer-end-offset", **constants)
        assert check(design, properties=["no_silent_loss"]).verdict == "holds"


@pytest.mark.parametrize(("name", "length"), [("reads_on_after_loss", 11), ("epochs_fall", 11)])
def test_nothing_catches_the_loss_later(name: str, length: int) -> None:
    """The consumer can read on past the loss; it may even be given records of an earlier epoch."""
    assert check("consumer-end-offset", properties=[name])[name].trace_length == length
    assert check("consumer-epoch", properties=[name])[name].trace is None


# A second search

naive = cache(search)

CHECKS = {
    "none": "consumer-no-epochs",
    "end": "consumer-end-offset",
    "epoch": "consumer-epoch",
    "once": "consumer-history-once",
    "history": "consumer-history",
}


@pytest.mark.parametrize(("kind", "name"), CHECKS.items())
def test_a_naive_search_finds_the_same(kind: str, name: str) -> None:
    """Dictionaries and a queue give the same number of states, verdicts and trace lengths."""
    found = naive(Setting(kind))
    result = check_everything(name, (("max_leader_epoch", 2),))
    assert (found.distinct, found.depth) == (result.distinct, result.depth)
    lengths = {p.name: p.trace_length for p in result.properties if p.verdict == "violated"}
    assert found.violated == lengths


@pytest.mark.parametrize(
    ("kind", "missed"),
    [
        ("end", {0: 350, 1: 8}),
        ("epoch", {0: 350, 1: 54}),
        ("once", {0: 404}),
        ("history", {0: 404}),
    ],
)
def test_distance_between_reset_and_divergence(kind: str, missed: dict[int | str, int]) -> None:
    """How many reachable resets miss the first lost record, and by how many records."""
    assert naive(Setting(kind)).resets == missed


def test_clean_elections_lose_nothing() -> None:
    """Truncation is a matter of unclean elections only, in the second search as well."""
    for kind in CHECKS:
        found = search(Setting(kind, max_records=2, unclean=False))
        assert (found.violated, dict(found.resets)) == ({}, {})


# Single steps under CPython


def one_record_read_then_replaced() -> Subscription:
    """r2's record was consumed under epoch 1; r1, with one of its own from epoch 0, leads again."""
    s = subscribed(R1)
    write(s, R1)
    fail_over(s, R2)
    refresh_metadata(s, 1)
    write(s, R2)
    shrink_isr(s, R3)
    fetch(s)
    elect_unclean(s, R1)
    refresh_metadata(s, 2)
    return s


def test_leader_answers_with_the_largest_epoch_that_it_knows() -> None:
    """Asked for epoch 1, of which it has nothing, it says where epoch 0 ends: at the position."""
    s = one_record_read_then_replaced()
    assert end_offset_for_epoch(s, R1, 1) == EpochEnd(0, 1)
    assert end_offset_for_epoch(s, R1, 2) == EpochEnd(2, 1)
    assert end_offset_for_epoch(s, R2, 0) == EpochEnd(0, 0)


def test_leader_knows_nothing_of_epochs_after_its_own() -> None:
    """A broker that has not noticed that it was deposed cannot answer for its successor's epoch."""
    s = subscribed(R1)
    assert end_offset_for_epoch(s, R1, 1).epoch == UNKNOWN_EPOCH


def test_end_offset_check_finds_nothing() -> None:
    """The position is kept, though the record before it is gone from the log."""
    s = one_record_read_then_replaced()
    validate_end_offset(s)
    assert s.consumer.phase == Phase.fetching
    assert s.consumer.position == FetchPosition(1, 1)
    assert s.delivered[0] == Record(1, 1)
    assert s.log[R1] == [Record(0, 0)]
    assert lost_record(s)


def test_epoch_check_signals_but_does_not_go_back() -> None:
    """The answer names an earlier epoch, so the log was truncated; where, it does not say."""
    s = one_record_read_then_replaced()
    assert divergence(s, R1) == 0
    validate_epoch(s)
    assert s.consumer.position == FetchPosition(1, 0)
    assert s.excused == {0}


def test_remembered_epochs_say_where() -> None:
    """The client has no record of epoch 0: everything it has is gone, from offset 0 on."""
    s = one_record_read_then_replaced()
    validate_history(s)
    assert s.consumer.position == FetchPosition(0, UNKNOWN_EPOCH)
    assert s.delivered[0] is None


def test_unreplicated_records_are_not_exposed() -> None:
    """The high watermark waits for the ISR, or for the ISR to shrink."""
    s = subscribed(R1)
    write(s, R1)
    assert high_watermark(s, R1) == 0
    with pytest.raises(Disabled):
        fetch(s)
    shrink_isr(s, R2)
    shrink_isr(s, R3)
    fetch(s)
    assert s.consumer.position == FetchPosition(1, 0)


def test_old_metadata_is_ignored() -> None:
    """KIP-320: the leader epoch in metadata never goes back."""
    s = one_record_read_then_replaced()
    with pytest.raises(Disabled):
        refresh_metadata(s, 1)


def restarted() -> Subscription:
    """A consumer that committed a position of epoch 1, and has just been started again."""
    s = subscribed(R1)
    fail_over(s, R2)
    refresh_metadata(s, 1)
    write(s, R2)
    shrink_isr(s, R3)
    fetch(s)
    save_offset(s)
    crash(s)
    return s


def test_a_restarted_consumer_waits_for_metadata_of_its_committed_epoch() -> None:
    """With metadata of epoch 0 it has no leader to ask; with that of epoch 1 it has."""
    s = restarted()
    load_offset(s, 0)
    with pytest.raises(Disabled):
        validate_end_offset(s)
    refresh_metadata(s, 1)
    validate_end_offset(s)
    assert s.consumer.phase == Phase.fetching


def test_validation_on_restart_accepts_the_lost_record_as_well() -> None:
    """The committed position (1, epoch 1) passes, though r1 has another record at offset 0."""
    s = one_record_read_then_replaced()
    s.consumer.phase = Phase.fetching
    save_offset(s)
    crash(s)
    load_offset(s, 2)
    validate_end_offset(s)
    assert s.consumer.phase == Phase.fetching
    assert lost_record(s)


def test_a_restarted_consumer_that_does_not_wait_asks_a_deposed_leader() -> None:
    """Here every broker knows the new epoch and fences it; one that does not know would answer."""
    s = restarted()
    load_offset_without_wait(s, 0)
    with pytest.raises(Disabled):
        validate_end_offset(s)
    s.noticed[R1] = 0
    validate_end_offset(s)
    assert s.consumer.phase == Phase.resetting
