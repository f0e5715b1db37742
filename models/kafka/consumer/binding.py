"""How a consumer design appears on Kafka: brokers that we control, and a client under test.

The stage performs what brokers do. The client is seen by the records that it gives the application,
and by its requests. A signal of truncation counts as reported only if the application gets an
error: with auto.offset.reset=earliest, clients write a line into a log at most.

Fetches are held back until the trace comes to them, because clients fetch eagerly. Metadata speaks
of an election only from the client's `refresh_metadata` on, as if it came from a broker that is
behind.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, cast

from clients_binding import (
    BROKERS,
    FETCHING,
    JOINING,
    SEEKING,
    HeldRequests,
    client_designs,
    held,
    metadata_of,
)

from specmodel.conformance import PlayBinding, Scenario, SinceStep
from specmodel.conformance.kafka.partition import LogEntry, PartitionState
from specmodel.conformance.kafka.stage import NEXT, BrokersStage, ClientKnowledge
from specmodel.conformance.kafka.subjects import committing, consumers


def number(broker: Any) -> int:
    """`r2` as 2."""
    return int(str(broker)[1:])


def value(record: Any) -> str:
    """The value of a record as the client gets it."""
    return f"m{record.id}"


def high_watermark(state: Any, leader: Any) -> int:
    """The end of what every member of the leader's view of the ISR holds as the leader does."""
    log, ends = state.log[leader], list[int]()
    for replica in state.view[leader]:
        pairs = enumerate(zip(log, state.log[replica], strict=False))
        shared = min(len(log), len(state.log[replica]))
        ends.append(next((at for at, (a, b) in pairs if a != b), shared))
    return min(ends, default=len(log))


def partition(state: Any) -> PartitionState:
    """The partition in a state of the design."""
    return PartitionState(
        logs={
            number(r): [LogEntry(record.epoch, value(record)) for record in log]
            for r, log in state.log.items()
        },
        leaders={epoch: number(r) for epoch, r in state.leaders.items()},
        epoch=state.epoch,
        noticed={number(r): epoch for r, epoch in state.noticed.items()},
        exposed={number(r): high_watermark(state, r) for r in state.log},
        start={number(r): start for r, start in state.start.items()},
    )


def client(state: Any) -> ClientKnowledge:
    """What the client knows in a state of the design; one that starts hears of the last leader."""
    return ClientKnowledge(metadata_of(state), state.consumer.position.offset)


def observed(state: Any) -> Mapping[str, Any]:
    """The records that the application holds. At other offsets it may hold what it was given
    before a reset."""
    return {
        f"record {offset}": value(record)
        for offset, record in state.delivered.items()
        if record is not None
    }


def rebuilt(state: Any, seen: Mapping[str, Any]) -> None:
    """The client is at the end of what it was given, and knows the latest election.

    What is there no record of, such as the one written after the trace, is left out.
    """
    known = {value(record): record for log in state.log.values() for record in log}
    known |= {value(r): r for r in state.delivered.values() if r is not None}
    last = 0
    for offset in state.delivered:
        given = seen.get(f"record {offset}")
        state.delivered[offset] = None if given is None else known.get(given)
        last = offset + 1 if given is not None else last
    state.excused = set()
    leader = state.leaders[state.epoch]
    state.consumer.position.offset = min(last, len(state.log[leader]))
    state.consumer.phase = type(cast(Enum, state.consumer.phase))["fetching"]
    state.consumer.metadata = state.consumer.seen = state.epoch
    state.noticed[leader] = state.epoch


def answered(since: SinceStep, api: str) -> list[Mapping[str, Any]]:
    """The answers to a request since the step."""
    return [event["answer"] for event in since.events if event.get("api") == api]


def partitions(since: SinceStep, api: str) -> list[Mapping[str, Any]]:
    """What those answers say of the partition."""
    return [
        partition
        for answer in answered(since, api)
        for topic in answer.get("topics") or answer.get("responses") or ()
        for partition in topic["partitions"]
    ]


def told_of_leader(since: SinceStep) -> bool:
    """Metadata named the leader of the epoch that the step speaks of."""
    wanted = number(since.after.leaders[since.after.consumer.metadata])
    return any(found["leader_id"] == wanted for found in partitions(since, "Metadata"))


def asked_for_end(since: SinceStep) -> bool:
    """A leader said where an epoch ends."""
    ends = partitions(since, "OffsetForLeaderEpoch")
    return any(found["error_code"] == "none" for found in ends)


def found_nothing(since: SinceStep) -> bool:
    """A fetch was out of range."""
    fetched = partitions(since, "Fetch")
    return any(found["error_code"] == "offset_out_of_range" for found in fetched)


def fetched_nothing(since: SinceStep) -> bool:
    """A fetch was answered without records."""
    fetched = partitions(since, "Fetch")
    return any(found["error_code"] == "none" and not found["records"] for found in fetched)


def fetched_or_diverged(since: SinceStep) -> bool:
    """A fetch was answered with records, or with a divergence if the client validates then."""
    diverges = cast(Enum, since.after.consumer.phase).name == "validating"
    key = "diverging_epoch" if diverges else "records"
    return any(found.get(key) for found in partitions(since, "Fetch"))


def told_of_epoch(since: SinceStep) -> bool:
    """Metadata named the epoch of the client's leader."""
    wanted = since.after.consumer.metadata
    return any(found["leader_epoch"] == wanted for found in partitions(since, "Metadata"))


def asked_for_offset(since: SinceStep) -> bool:
    """A leader said where its log begins or ends."""
    return bool(answered(since, "ListOffsets"))


def joined_again(since: SinceStep) -> bool:
    """The client joined its group anew, and asked for the committed offset."""
    return bool(answered(since, "OffsetFetch"))


def committed(since: SinceStep) -> bool:
    """The coordinator took an offset."""
    return bool(answered(since, "OffsetCommit"))


def given_again(since: SinceStep) -> str:
    """Records that the application was given though the step gives it none, or another one."""
    given = [(e["offset"], e["value"]) for e in since.events if "offset" in e and "value" in e]
    before, after = since.before.consumer.position.offset, since.after.consumer.position.offset
    fetched = since.step.action in FETCHING and after > before
    expected = [(after - 1, value(since.after.delivered[after - 1]))] if fetched else []
    if given == expected[: len(given)]:
        return ""
    listed = ", ".join(f"{held} at offset {offset}" for offset, held in given)
    return f"the application was given {listed}"


def settled(seen: Mapping[str, Any]) -> bool:
    """The client has read the record that is written after the trace."""
    return NEXT in seen.values()


def stage(with_sessions: bool = True, pause: float = 0.0) -> BrokersStage:
    """A double of the brokers; with a pause, one that holds nothing back."""
    return BrokersStage(partition, client, held, with_sessions, pause)


TRUNCATED = {"log_size": 3, "max_records": 4}

READ_TWO = [
    "write(leader=r1)",
    "replicate(follower=r2)",
    "write(leader=r1)",
    "shrink_isr(follower=r2)",
    "fetch()",
    "fetch()",
]
"""The client has read two records, the second of which only one broker holds."""

ANOTHER_HISTORY = ["elect_unclean(leader=r2)", "write(leader=r2)", "write(leader=r2)"]
"""The other broker leads, with other records at the offsets from 1 on."""

FAILED_OVER = ["fail_over(leader=r2)", "write(leader=r2)"]
"""A record of epoch 1, on a broker that has none of epoch 0."""

READ_ONE = [*FAILED_OVER, "refresh_metadata(epoch=1)", "fetch()"]
"""The client has read it."""

BACK_TO_EPOCH_0 = ["elect_unclean(leader=r1)", "refresh_metadata(epoch=2)", "validate_end_offset()"]
"""The broker with records of epoch 0 leads, and the client asks it."""

SCENARIOS = {
    "S1": Scenario(
        "position 2; an unclean leader has one record, and writes two",
        [
            *READ_TWO,
            *ANOTHER_HISTORY,
            "refresh_metadata(epoch=1)",
            "validate_end_offset()",
            "fetch()",
            "fetch()",
        ],
        TRUNCATED,
    ),
    "S2": Scenario(
        "a record of epoch 1 is read; an unclean leader has one of epoch 0 in its place",
        [
            "write(leader=r1)",
            *READ_ONE,
            *BACK_TO_EPOCH_0,
        ],
    ),
    "S3": Scenario(
        "as S2 with two records read",
        [
            "write(leader=r1)",
            *FAILED_OVER,
            "write(leader=r2)",
            "refresh_metadata(epoch=1)",
            "fetch()",
            "fetch()",
            *BACK_TO_EPOCH_0,
            "write(leader=r1)",
            "fetch()",
        ],
        TRUNCATED,
    ),
    "S4": Scenario(
        "the leader is away for 4 s, and another broker has not heard of it",
        [
            "write(leader=r1)",
            "replicate(follower=r2)",
            "fail_over(leader=r2)",
            "notice(broker=r2)",
            "write(leader=r2)",
            "write(leader=r2)",
            "stage: down r1",
            "refresh_metadata(epoch=1)",
            "stage: up r1",
            "stage: wait 2 s",
            "fetch()",
            "fetch()",
            "fetch()",
            "stage: down r2",
            "stage: wait 4 s",
            "stage: up r2",
            "write(leader=r2)",
            "fetch()",
        ],
        {"slow_brokers": True, "log_size": 4, "max_records": 4},
    ),
    "S5": Scenario(
        "as S2, and the unclean leader has two records of epoch 0",
        [
            "write(leader=r1)",
            "write(leader=r1)",
            *READ_ONE,
            *BACK_TO_EPOCH_0,
            "fetch()",
        ],
        TRUNCATED,
    ),
    "S7": Scenario(
        "as S2, and the client is away from its commit until after the election",
        [
            "write(leader=r1)",
            *READ_ONE,
            "save_offset()",
            "elect_unclean(leader=r1)",
            "crash()",
            "load_offset(metadata=2)",
            "validate_end_offset()",
        ],
    ),
    "S8": Scenario(
        "as S1, and the client is away from its commit until the new leader has written",
        [
            *READ_TWO,
            "save_offset()",
            *ANOTHER_HISTORY,
            "crash()",
            "load_offset(metadata=1)",
            "validate_end_offset()",
            "fetch()",
            "fetch()",
        ],
        TRUNCATED,
    ),
    "S6": Scenario(
        "as S1, and for 5 s metadata names the new leader without an epoch",
        [
            *READ_TWO,
            "stage: name no epochs",
            *ANOTHER_HISTORY,
            "refresh_metadata_unnamed(epoch=1)",
            "fetch()",
            "stage: wait 5 s",
            "stage: name epochs",
        ],
        {**TRUNCATED, "unnamed_epochs": True},
    ),
}

binding = PlayBinding(
    stages={
        "double": stage,
        "double-without-sessions": lambda: stage(with_sessions=False),
        "double-at-will": lambda: stage(pause=0.7),
    },
    subjects={
        **consumers("earliest"),
        **{f"{name}-none": made for name, made in consumers("none").items()},
        **committing(),
    },
    observed=observed,
    performs=BROKERS,
    signs={
        "fetch": fetched_or_diverged,
        "fetch_with_last_epoch": None,
        "refresh_metadata": told_of_leader,
        "refresh_metadata_unnamed": told_of_leader,
        "hear_epoch": told_of_epoch,
        "validate_end_offset": asked_for_end,
        "fetch_nothing": fetched_nothing,
        "out_of_range": found_nothing,
        "reset_to_earliest": asked_for_offset,
        "reset_to_latest": asked_for_offset,
        "rejoin": joined_again,
        "save_offset": committed,
        **dict.fromkeys(JOINING, joined_again),
    },
    silent=SEEKING,
    rebuilt=rebuilt,
    properties=["no_silent_loss"],
    scenarios=SCENARIOS,
    step_seconds=5.0,
    quiet_seconds=3.0,
    still_seconds=0.05,
    contrary=given_again,
    goes_on=True,
    settled=settled,
    designs={
        **client_designs("earliest"),
        **{f"{name}-none": client_designs("none")[name] for name in consumers("none")},
    },
    transcript="transcript_binding.py",
    free=["double-at-will"],
    withholding={"double": HeldRequests, "double-without-sessions": HeldRequests},
)
