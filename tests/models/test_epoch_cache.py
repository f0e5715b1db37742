"""KAFKA-7415 with explicit leader-epoch caches: verdicts, the ticket's story, and single steps."""

from pathlib import Path
from typing import Any

import pytest

from models.kafka.epoch_cache.actions import (
    advance_hw_cached,
    answer_epoch_or_start,
    answer_epoch_or_start_unfenced,
    apply_answer,
    apply_answer_or_start,
    ask_epoch,
    become_leader_assigning,
    become_leader_cached,
)
from models.kafka.epoch_cache.cache import (
    CachedCluster,
    EpochEnd,
    EpochStart,
    Truncation,
    assign,
    end_of_epoch,
    end_of_epoch_or_log,
    end_of_epoch_or_start,
)
from models.kafka.replication.core import Record, Replica, ReplicaState, Request, booted
from models.kafka.replication.failover import forget_role
from specmodel import load
from specmodel.behaviour.replay import Replay
from specmodel.errors import Disabled
from specmodel.results import Trace
from specmodel.traces.itf_read import read_itf, states_of
from specmodel.traces.itf_write import itf_text
from tests.models.expectations import by_size, check_everything, silent, unbroken
from tests.models.naive_epoch_cache import Setting, search
from tests.models.stories import told, violated_at_end

TRACE = Path(__file__).parents[2] / "traces" / "kafka-7415.itf.json"

DESIGNS = [
    "epoch-cache-on-append",
    "epoch-cache-log-end",
    "epoch-cache-assigned-only",
    "epoch-cache-on-election",
    "epoch-cache-on-append-unfenced",
    "epoch-cache-log-end-unfenced",
    "epoch-cache-on-election-unfenced",
    "epoch-cache-unordered",
    "epoch-cache-untruncated",
]

R1, R2, R3 = Replica


# Verdicts


@pytest.mark.parametrize("name", by_size(DESIGNS))
def test_every_action_fires(name: str) -> None:
    """At the default bounds no action is dead weight."""
    assert silent(check_everything(name)) == []


def test_every_property_can_fail() -> None:
    """Each property is violated by some design: none of them is true of anything whatever."""
    assert unbroken(DESIGNS) == set()


SMALL = (("log_size", 1), ("max_leader_epoch", 2), ("max_records", 1), ("restarts", 0))


@pytest.mark.parametrize(
    "name",
    [
        "epoch-cache-on-append",
        pytest.param("epoch-cache-on-election-unfenced", marks=pytest.mark.long),  # the largest
        "epoch-cache-untruncated",
    ],
)
def test_engines_agree(name: str) -> None:
    """The compiled search counts and finds what the interpreter does."""
    native = check_everything(name, SMALL)
    interpreted = check_everything(name, SMALL, "interpret")
    assert (native.distinct, native.generated) == (interpreted.distinct, interpreted.generated)
    assert native.depth == interpreted.depth
    assert native.coverage == interpreted.coverage
    assert native.properties == interpreted.properties


NAIVE = {
    "epoch-cache-on-append": {},
    "epoch-cache-assigned-only": {"assigns_at_election": True},
    "epoch-cache-log-end": {"answers": "log end"},
    "epoch-cache-on-election": {"assigns_at_election": True, "answers": "start"},
    "epoch-cache-on-election-unfenced": {
        "assigns_at_election": True,
        "answers": "start",
        "fenced": False,
    },
}


@pytest.mark.parametrize(
    ("max_leader_epoch", "restarts"),
    [
        (2, 0),
        pytest.param(2, 1, marks=pytest.mark.long),
        pytest.param(3, 0, marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("name", NAIVE)
def test_as_a_naive_search(name: str, max_leader_epoch: int, restarts: int) -> None:
    """A search that shares no code with the project sees the same states and the same failures.

    Catches a mistake in the specs, and one in the language that both engines share.
    """
    found = search(Setting(2, max_leader_epoch, restarts, **NAIVE[name]))
    constants = (("max_leader_epoch", max_leader_epoch), ("restarts", restarts))
    result = check_everything(name, constants)
    assert (result.distinct, result.generated, result.depth) == (
        found.distinct,
        found.generated,
        found.depth,
    )
    for invariant in ("committed_in_isr", "committed_in_leader", "never_undefined"):
        seen = result[invariant]
        assert (seen.verdict == "violated") == (invariant in found.violated)
        assert seen.trace_length == found.violated.get(invariant)


# The ticket's story


STORY = [
    # r1 leads. The committed record reaches everyone, the news of its commitment only r1.
    "preferred_election(leader=r1)",
    "become_leader(epoch=0)",
    "become_follower(follower=r2, epoch=0)",
    "become_follower(follower=r3, epoch=0)",
    "truncate_without_epochs(follower=r2)",
    "truncate_without_epochs(follower=r3)",
    "write(leader=r1)",
    "fetch(follower=r2)",
    "fetch(follower=r3)",
    "advance_hw(leader=r1)",
    # r1 fails; r2 leads and writes a record that nobody fetches.
    "leader_fails(successor=r2)",
    "become_leader(epoch=1)",
    "write(leader=r2)",
    # The preferred r3 leads, before it has heard of r2's epoch.
    "preferred_election(leader=r3)",
    "become_leader(epoch=2)",
    "become_follower(follower=r2, epoch=2)",
    "ask_epoch(follower=r2)",
    "answer_epoch(follower=r2)",
    "apply_answer(follower=r2)",
]
REFETCH = ["fetch(follower=r2)"]
R3_FAILS = ["leader_fails(successor=r2)", "become_leader(epoch=3)"]


def log_lengths(trace: Trace, replica: str) -> list[int]:
    """How long a replica's log was in each state."""
    return [len(log) for s in trace.states for r, log in s.log.items() if repr(r) == replica]


def test_the_recorded_trace_is_the_ticket(request: pytest.FixtureRequest) -> None:
    """The file in traces/ is the ticket's scenario, as the broker of the ticket goes through it."""
    design = load("epoch-cache-on-append", profile="ticket")
    text = itf_text(
        design,
        told(design, STORY + R3_FAILS),
        property_name="committed_in_leader",
        description="KAFKA-7415: r2 truncates a committed record, and then leads",
    )
    if request.config.getoption("--update-golden"):
        TRACE.write_text(text, encoding="utf-8")
    assert TRACE.read_text(encoding="utf-8") == text


def test_the_recorded_trace_ends_in_the_loss() -> None:
    """Replayed step by step: each is allowed, r2 truncates all it has, and the record is gone."""
    recorded = read_itf(TRACE)
    constants: dict[str, Any] = dict(recorded.constants)
    design = load("epoch-cache-on-append", **constants)
    replay = Replay(design, states_of(recorded, design.spec.domain), recorded.actions)
    trace = replay.trace()
    assert replay.violates("committed_in_leader")
    assert log_lengths(trace, "r2")[-4:] == [2, 0, 0, 0]
    assert len(trace.states[-1].exposed) - list(trace.states[-1].exposed.values()).count(None) == 1


@pytest.mark.parametrize("name", ["epoch-cache-on-election", "epoch-cache-log-end"])
def test_repaired_the_same_steps_lose_nothing(name: str) -> None:
    """Both of the ticket's repairs let r2 truncate its own record alone."""
    design = load(name, profile="ticket")
    trace = told(design, STORY + R3_FAILS)
    assert len(trace.steps) == len(STORY + R3_FAILS)
    assert violated_at_end(design, trace) == set()
    assert log_lengths(trace, "r2")[-4:] == [2, 1, 1, 1]


def test_fetching_again_in_time_saves_the_record() -> None:
    """The ticket's condition for the loss: r3 fails before r2 has fetched what it truncated."""
    design = load("epoch-cache-on-append", profile="ticket")
    assert violated_at_end(design, told(design, STORY)) == {"committed_in_isr"}
    saved = told(design, STORY + REFETCH + R3_FAILS)
    assert len(saved.steps) == len(STORY + REFETCH + R3_FAILS)
    assert violated_at_end(design, saved) == set()


HALF = [
    *STORY[:6],
    *["write(leader=r1)"] * 5,
    *["fetch(follower=r2)"] * 4,
    *["fetch(follower=r3)"] * 4,
    *["advance_hw(leader=r1)"] * 2,
    "fetch(follower=r3)",
    *["advance_hw(leader=r1)"] * 2,
    "fetch(follower=r2)",
    "advance_hw(leader=r1)",
    *STORY[10:],
    *R3_FAILS,
]


@pytest.mark.parametrize(
    ("name", "kept", "violated"),
    [
        ("epoch-cache-on-append", 4, {"committed_in_isr", "committed_in_leader"}),
        ("epoch-cache-on-election", 5, set[str]()),
    ],
)
def test_with_the_numbers_of_the_ticket_halved(name: str, kept: int, violated: set[str]) -> None:
    """High watermarks 5, 4 and 2 of 5 records: r2 truncates to 4, and the record at 4 is lost."""
    design = load(name, replicas=3, log_size=6, max_records=6, restarts=0)
    trace = told(design, HALF)
    assert len(trace.steps) == len(HALF)
    at_failure = trace.states[HALF.index("leader_fails(successor=r2)")]
    assert [at_failure.replica[r].hw for r in at_failure.replica] == [5, 4, 2]
    assert log_lengths(trace, "r2")[-1] == kept
    assert violated_at_end(design, trace) == violated


# Single steps


def caches(*entries: tuple[int, int]) -> list[EpochStart]:
    return [EpochStart(epoch, start) for epoch, start in entries]


@pytest.mark.parametrize(
    ("before", "epoch", "start", "after"),
    [
        ([], 0, 0, [(0, 0)]),
        ([(0, 0)], 0, 1, [(0, 0)]),
        ([(0, 0)], 1, 1, [(0, 0), (1, 1)]),
        ([(0, 0), (1, 1)], 2, 1, [(0, 0), (2, 1)]),
        ([(0, 0), (2, 1)], 1, 1, [(0, 0), (1, 1)]),
        ([(0, 0)], 2, 0, [(2, 0)]),
    ],
    ids=["first", "known", "next", "epoch without records", "older epoch", "nothing written"],
)
def test_assign_keeps_a_cache_in_order(
    before: list[tuple[int, int]], epoch: int, start: int, after: list[tuple[int, int]]
) -> None:
    """A new entry drops those of its epoch or later, and those that start there or later."""
    assert assign(caches(*before), epoch, start) == caches(*after)


def test_lookup_of_an_epoch_in_between() -> None:
    """The leader has epochs 0 and 2: of 1 it says that 0 ended where 2 starts (KIP-279)."""
    cached = caches((0, 0), (2, 1))
    assert end_of_epoch(cached, 2, 2) == EpochEnd(2, 2)
    assert end_of_epoch(cached, 2, 1) == EpochEnd(0, 1)
    assert end_of_epoch(cached, 2, 0) == EpochEnd(0, 1)


def test_lookup_beyond_the_last_epoch() -> None:
    """Undefined: this is the bug. The ticket's first suggestion answers with the log end offset."""
    assert end_of_epoch(caches((0, 0)), 1, 1) == EpochEnd(-1, -1)
    assert end_of_epoch_or_log(caches((0, 0)), 1, 1) == EpochEnd(0, 1)


def test_lookup_before_the_first_epoch() -> None:
    """Undefined of old; today an answer by which nothing before the first epoch is kept."""
    assert end_of_epoch(caches((1, 0)), 1, 0) == EpochEnd(-1, -1)
    assert end_of_epoch_or_start(caches((1, 0)), 1, 0) == EpochEnd(0, 0)


def follower_with(log: list[Record], cached: list[EpochStart], epoch: int) -> CachedCluster:
    """r2 has accepted r1 as its leader under an epoch, and is about to ask."""
    s = CachedCluster(**vars(booted()))
    s.quorum.epoch, s.quorum.leader = epoch, R1
    s.requests[epoch] = Request(R1, {R1, R2})
    for r in (R1, R2):
        s.replica[r].epoch, s.replica[r].leader = epoch, R1
        s.replica[r].isr = {R1, R2}
    s.log[R2], s.cache[R2] = log, cached
    s.truncation[R2] = Truncation(None, None)
    return s


def test_a_new_leader_notes_its_epoch_only_since_the_repair() -> None:
    """With nothing written, the cache of the bug knows nothing of the leader's own epoch."""
    for become_leader, expected in [
        (become_leader_cached, []),
        (become_leader_assigning, caches((0, 0))),
    ]:
        s = CachedCluster(**vars(booted()))
        s.requests[0] = Request(R1, {R1, R2, R3})
        become_leader(s, 0)
        assert s.cache[R1] == expected


def test_a_follower_asks_again_when_it_lacks_the_answered_epoch() -> None:
    """Asked about 2, the leader says 1 ends at 2; the follower has 0 and 2, so it drops 2 first."""
    s = follower_with([Record(0, 0), Record(1, 2)], caches((0, 0), (2, 1)), 2)
    s.truncation[R2] = Truncation(2, EpochEnd(1, 2))
    apply_answer(s, R2)
    assert s.log[R2] == [Record(0, 0)]
    assert s.truncation[R2] == Truncation(None, None)
    ask_epoch(s, R2)
    assert s.truncation[R2] == Truncation(0, None)


def test_only_the_repaired_follower_drops_a_log_that_starts_after_the_answer() -> None:
    """r2's log is all of epoch 1, r1's of epoch 0: the old lookup made r2 keep a foreign record."""
    for rule, kept in [(apply_answer, 1), (apply_answer_or_start, 0)]:
        s = follower_with([Record(1, 1)], caches((1, 0)), 2)
        s.truncation[R2] = Truncation(1, EpochEnd(0, 1))
        rule(s, R2)
        assert len(s.log[R2]) == kept


def test_a_deposed_leader_without_records_keeps_its_log() -> None:
    """It asks for an epoch that nobody else has; the answer ends at its log end: nothing is cut."""
    s = follower_with([Record(0, 0)], caches((0, 0), (1, 1)), 2)
    s.log[R1], s.cache[R1] = [Record(0, 0)], caches((0, 0), (2, 1))
    ask_epoch(s, R2)
    answer_epoch_or_start(s, R2)
    assert s.truncation[R2] == Truncation(1, EpochEnd(0, 1))
    apply_answer_or_start(s, R2)
    assert s.log[R2] == [Record(0, 0)]
    assert s.cache[R2] == caches((0, 0))


def test_without_the_fence_the_repair_is_undone() -> None:
    """A leader that has not heard of its own new epoch has not cached it, and has no answer."""
    s = follower_with([Record(0, 0), Record(1, 1)], caches((0, 0), (1, 1)), 2)
    s.log[R1], s.cache[R1] = [Record(0, 0)], caches((0, 0))
    s.replica[R1].epoch = 0
    ask_epoch(s, R2)
    with pytest.raises(Disabled):
        answer_epoch_or_start(s, R2)
    answer_epoch_or_start_unfenced(s, R2)
    assert s.truncation[R2] == Truncation(1, EpochEnd(-1, -1))


def test_the_high_watermark_waits_for_truncation() -> None:
    """Until it has truncated, a follower's log end says nothing about what it holds."""
    s = follower_with([Record(0, 0)], caches((0, 0)), 1)
    s.log[R1], s.cache[R1] = [Record(1, 1)], caches((1, 0))
    with pytest.raises(Disabled):
        advance_hw_cached(s, R1)


def test_a_restart_keeps_the_log_and_loses_the_role() -> None:
    """Log and cache are on disk, the high watermark in an older checkpoint, the role in memory."""
    s = follower_with([Record(0, 0)], caches((0, 0)), 1)
    s.replica[R2].hw = 1
    forget_role(s, R2, 0)
    assert (s.log[R2], s.cache[R2]) == ([Record(0, 0)], caches((0, 0)))
    assert s.replica[R2] == ReplicaState(hw=0, epoch=0, leader=None, isr=set())


def test_a_restarted_leader_waits_for_the_next_epoch() -> None:
    """The controller takes its new registration for a failure; it does not resume its epoch."""
    s = follower_with([], [], 1)
    forget_role(s, R1, 0)
    assert (s.replica[R1].epoch, s.replica[R1].leader) == (1, None)
