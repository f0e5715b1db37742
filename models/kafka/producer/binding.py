"""How a producer design appears on Kafka: brokers that we control, and a producer under test.

The stage performs what brokers and the controller do. The application sends a record when the trace
says so, and the client decides where the request goes, and what it does after an error. Each
request waits at its broker until the trace comes to the broker's answer.

Properties are of the end: is each acknowledged record in the leader's log, and is it there once?
Clients run without idempotence, as the producer of the designs does.
"""

import time
from collections.abc import Mapping
from typing import Any, cast, get_args, get_type_hints

from specmodel import Step
from specmodel.conformance import (
    PlayBinding,
    Scenario,
    SinceStep,
    SubjectDesign,
    Withholding,
)
from specmodel.conformance.kafka.partition import LogEntry, PartitionState, ProduceAnswer
from specmodel.conformance.kafka.producing import ProducersStage, log_text
from specmodel.conformance.kafka.subjects import producers

BROKERS = (
    "controller_elect",
    "controller_elect_unclean",
    "controller_shrink",
    "become_leader",
    "become_follower",
    "fetch",
    "advance_hw",
    "shrink_isr",
    "expand_isr",
)
"""Actions of the brokers and the controller."""

APPENDS = (
    "append_in_term",
    "append_in_past_term",
    "append_from_past_term",
    "append_from_later_term",
)
REFUSALS = ("refuse_ahead", "refuse_behind", "depose_while_waiting")
ACKNOWLEDGEMENTS = ("acknowledge_appended", "acknowledge_committed")
REFRESHES = ("refresh", "refresh_unordered")
LOSSES = ("lose",)
HANDLING = (APPENDS, REFUSALS, ACKNOWLEDGEMENTS, LOSSES)
"""What happens to a request, by kind."""


def number(broker: Any) -> int:
    """`r2` as 2; no broker as -1."""
    return -1 if broker is None else int(str(broker)[1:])


def value(record: int) -> str:
    """The value of a record."""
    return f"m{record}"


def partition(state: Any) -> PartitionState:
    """The partition in a state of the design."""
    leaders = {
        epoch: number(request.leader)
        for epoch, request in state.requests.items()
        if request is not None
    }
    logs = {
        number(r): [LogEntry(record.epoch, value(record.id)) for record in log]
        for r, log in state.log.items()
    }
    return PartitionState(
        logs=logs,
        leaders={-1: -1, **leaders},
        epoch=state.quorum.epoch,
        noticed={number(r): held.epoch for r, held in state.replica.items()},
        exposed={broker: len(log) for broker, log in logs.items()},
    )


def known(state: Any) -> int:
    """The leader epoch of the producer's metadata."""
    return int(state.producer.known)


def sends(step: Step, before: Any) -> str:
    """The record that the application sends; a retry is the client's own."""
    first = step.action == "send" and before.producer.failures == 0
    return value(before.next_id) if first else ""


def answers(step: Step, before: Any) -> ProduceAnswer | None:
    """What a step answers the request in flight."""
    if step.action in ACKNOWLEDGEMENTS:
        return "none", before.producer.appended.offset
    if step.action in REFUSALS:
        return "not_leader_or_follower", -1
    return ("lost", -1) if step.action in LOSSES else None


def observed(state: Any) -> Mapping[str, Any]:
    """The logs, the request that waits, and what the application was told of each record."""
    seen: dict[str, Any] = {
        log_text(number(r)): " ".join(f"{value(record.id)}@e{record.epoch}" for record in log)
        for r, log in state.log.items()
    }
    if state.producer.sent >= 0:
        leader = state.requests[state.producer.sent].leader
        seen["request"] = f"{value(state.next_id)} at r{number(leader)}"
    for record, epoch in state.acked.items():
        failed = "failed" if record < state.next_id else None
        seen[value(record)] = "acknowledged" if epoch >= 0 else failed
    return seen


def record_class(state: Any) -> Any:
    """The class of records: each design has its own."""
    _, log = get_args(get_type_hints(cast(Any, type(state)))["log"])
    return get_args(log)[0]


def lead(state: Any) -> None:
    """The latest leader knows that it leads."""
    leader = state.quorum.leader
    if leader is not None:
        state.replica[leader].epoch = state.quorum.epoch
        state.replica[leader].leader = leader


def rebuilt(state: Any, seen: Mapping[str, Any]) -> None:
    """The logs as they are, and the acknowledgements as the application got them."""
    record = record_class(state)
    for replica in state.log:
        entries = [held[1:].split("@e") for held in seen[log_text(number(replica))].split()]
        state.log[replica] = [record(int(name), int(epoch)) for name, epoch in entries]
    for name in state.acked:
        given = seen[value(name)] == "acknowledged"
        state.acked[name] = max(state.acked[name], 0) if given else -1
    lead(state)


LAZY = 1.5
"""Seconds after which a client that has not asked for metadata will do so when it needs it."""


def told_of_leader(since: SinceStep) -> bool:
    """The client has metadata with the leader epoch that the step speaks of, or does not ask now.

    Who asks again has taken in the answer before: an answer that was sent may not have been read,
    and a record may overtake it.
    """
    named = [
        event["at"]
        for event in since.events
        if event.get("api") == "Metadata"
        for topic in event["answer"]["topics"]
        for partition in topic["partitions"]
        if partition["leader_epoch"] == since.after.producer.known
    ]
    began = min((event["at"] for event in since.events), default=time.monotonic())
    return len(named) > 1 or time.monotonic() - max(named, default=began) > LAZY


def progress(state: Any) -> tuple[Any, ...]:
    """How far a producer has come: the record in hand, its attempt, and what became of that."""
    producer = state.producer
    return state.next_id, producer.failures, producer.sent >= 0, producer.appended is not None


class HeldAnswers(Withholding):
    """What the double holds back, as specmodel.conformance.kafka.producing does.

    What a step is called depends on the epochs that a client knows: its kind counts.
    """

    def __init__(self) -> None:
        self.before: tuple[Any, ...] = ()
        self.now: tuple[Any, ...] = ()
        self.action = ""
        self.asked = self.told = -1
        self.released = False

    def take(self, state: Any, action: str) -> None:
        """Metadata names the epoch that the producer of the trace knows."""
        self.before, self.now, self.action = self.now, progress(state), action
        self.told = known(state)
        if action == "send":
            self.asked = state.next_id

    def release(self, state: Any) -> None:
        """Metadata names the latest leader, which knows that it leads; brokers answer."""
        self.released, self.told = True, state.quorum.epoch
        lead(state)

    def lets(self, step: Step, before: Any) -> bool:
        """Whether the client may refresh and send, and the broker answer."""
        if step.action in REFRESHES:
            return step.arguments["epoch"] == self.told
        if step.action == "send":
            return before.next_id <= self.asked
        if self.released:
            return step.action not in LOSSES
        same = any({step.action, self.action} <= {*kind} for kind in HANDLING)
        return same and progress(before) == self.before


OLDER = [
    "controller_elect(leader=r1)",
    "become_leader(epoch=0)",
    "refresh_unordered(epoch=0)",
    "send()",
    "append_in_term()",
    "acknowledge_appended()",
    "become_follower_fenced(follower=r2, epoch=0)",
    "fetch_fenced(follower=r2, leader=r1)",
    "controller_elect(leader=r2)",
    "become_leader(epoch=1)",
    "refresh_unordered(epoch=1)",
    "send()",
    "append_in_term()",
    "acknowledge_appended()",
    "refresh_unordered(epoch=0)",
    "send()",
    "append_in_past_term()",
    "acknowledge_appended()",
]

SCENARIOS = {
    "P1": Scenario(
        "two records are acknowledged in two terms; metadata of the first term comes again",
        OLDER,
        {"max_records": 3, "log_size": 3, "max_leader_epoch": 1},
    ),
}

ORDERED = ("librdkafka", "java", "franz-go")
"""Clients that ignore metadata with an older leader epoch than they know."""


def designs(acks: str) -> Mapping[str, SubjectDesign]:
    """The design of each client. Clients retry as long as they can."""
    return {
        name: SubjectDesign(
            f"producer-{'unfenced' if name in ORDERED else 'unordered'}-acks-{acks}", {"retries": 3}
        )
        for name in producers()
    }


def double() -> ProducersStage:
    """The brokers."""
    return ProducersStage(partition, known, sends, answers)


binding = PlayBinding(
    stages={"double": double},
    subjects={
        **producers("1"),
        **{f"{name}-all": made for name, made in producers("all").items()},
    },
    observed=observed,
    performs=BROKERS,
    signs={
        **dict.fromkeys(REFRESHES, told_of_leader),
        "send": None,
        **dict.fromkeys([*REFUSALS, *ACKNOWLEDGEMENTS, *APPENDS]),
    },
    silent=LOSSES,
    rebuilt=rebuilt,
    properties=["acked_survive", "no_duplicates"],
    scenarios=SCENARIOS,
    step_seconds=6.0,
    quiet_seconds=1.0,
    still_seconds=0.05,
    designs={
        **designs("one"),
        **{f"{name}-all": design for name, design in designs("all").items()},
    },
    withholding={"double": HeldAnswers},
)
