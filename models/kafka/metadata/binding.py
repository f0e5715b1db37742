"""How the metadata designs appear on Kafka: brokers whose topic is deleted and created anew.

The stage performs what brokers do. The client is seen by the records that it gives the application:
by the next offset, by records that it is given twice, and by those of a new topic that it is never
given. It is stuck if it does not get the record that is written in the end.

Scenarios are of `metadata-topic-id`, the design of today's protocol.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from specmodel import Step
from specmodel.conformance import (
    PlayBinding,
    PlayedSubject,
    Scenario,
    SinceStep,
    SubjectDesign,
    SubjectProgram,
    Withholding,
)
from specmodel.conformance.kafka.partition import LogEntry, PartitionState
from specmodel.conformance.kafka.stage import NEXT, BrokersStage, ClientKnowledge
from specmodel.conformance.kafka.subjects import consumers

BROKERS = ("move_leader", "delete_topic", "create_topic", "deliver", "write", "replicate")
"""Actions of the brokers."""


def number(broker: Any) -> int:
    """`b2` as 2."""
    return int(str(broker)[1:])


def topic_id(generation: int) -> str:
    """The id of an incarnation of the topic; empty if the topic is deleted."""
    return f"{generation:08}-0000-0000-0000-000000000001" if generation % 2 == 0 else ""


def log_of(state: Any, broker: Any) -> list[LogEntry]:
    """A broker's copy of the log. A value names the incarnation of the topic and the offset."""
    generation = state.changes[state.view[broker]].generation
    epochs = state.records[generation][: state.copied[broker]]
    return [LogEntry(epoch, f"g{generation}m{at}") for at, epoch in enumerate(epochs)]


def partition(state: Any) -> PartitionState:
    """The partition in a state of the design; a term is a place in the controller's changes."""
    changes = dict(enumerate(cast(Sequence[Any], state.changes)))
    return PartitionState(
        logs={number(broker): log_of(state, broker) for broker in state.view},
        leaders={term: number(change.leader) for term, change in changes.items()},
        epoch=len(changes) - 1,
        noticed={number(broker): term for broker, term in state.view.items()},
        exposed={number(broker): len(log_of(state, broker)) for broker in state.view},
        epochs={term: change.epoch for term, change in changes.items()},
        topics={term: topic_id(change.generation) for term, change in changes.items()},
    )


def client(state: Any) -> ClientKnowledge:
    """What the client knows in a state of the design."""
    return ClientKnowledge(state.client.cached or 0, state.client.position.offset)


def held(state: Any, action: str) -> Sequence[str]:
    """The requests that are held back, until the step by which the client makes them."""
    names = [] if action.startswith("fetch") else ["Fetch"]
    return names if state.client.validated else [*names, "OffsetForLeaderEpoch"]


def observed(state: Any) -> Mapping[str, Any]:
    """The client's next offset, and what harm is noted, which only a design can tell."""
    client = state.client
    harm = {"crossed": client.crossed, "rewound": client.rewound, "stuck": client.stuck}
    return {"offset": client.position.offset, **harm}


def given(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the application was given: the next offset, whether a record came twice, the first
    offset of each incarnation, and whether the last record came."""
    records = [(event["offset"], event["value"]) for event in events if "offset" in event]
    values = [value for _, value in records]
    firsts: dict[int, int] = {}
    for value in values:
        if value != NEXT:
            generation, _, offset = value[1:].partition("m")
            firsts[int(generation)] = min(int(offset), firsts.get(int(generation), 1 << 30))
    own = [offset for offset, value in records if value != NEXT]
    return {
        "offset": own[-1] + 1 if own else 0,
        "again": len(values) > len({*values}),
        "firsts": firsts,
        "went on": NEXT in values,
    }


def rebuilt(state: Any, seen: Mapping[str, Any]) -> None:
    """What the design notes of harm, from what the application was given."""
    if "firsts" not in seen:
        for harm in ("crossed", "rewound", "stuck"):
            setattr(state.client, harm, seen[harm])
        return
    last = state.changes[-1].generation
    began = last in seen["firsts"] or not state.records[last]
    skipped = any(first > 0 for first in seen["firsts"].values())
    state.client.crossed = skipped or (seen["went on"] and not began)
    state.client.rewound = seen["again"]
    state.client.stuck = not seen["went on"]


def fetched(since: SinceStep) -> bool:
    """A fetch was answered with records."""
    return any(
        partition["records"]
        for event in since.events
        if event.get("api") == "Fetch"
        for topic in event["answer"]["responses"]
        for partition in topic["partitions"]
    )


def seen_in_all(make: Callable[[], PlayedSubject]) -> PlayedSubject:
    """A client that is seen by all that it gave the application."""
    made = make()
    assert isinstance(made, SubjectProgram)
    made.seen = given
    return made


class HeldRequests(Withholding):
    """What the double holds back, as specmodel.conformance.kafka.stage does."""

    def __init__(self) -> None:
        self.term: int | None = 0
        self.visible_end: int | None = 0
        self.held: Sequence[str] = ()
        self.parted = False

    def take(self, state: Any, action: str) -> None:
        """Metadata tells of no later change than the client of the trace knows."""
        self.term = state.client.cached or 0
        if not self.parted:
            self.visible_end = state.client.position.offset
            self.held = held(state, action)

    def let_go(self) -> None:
        """No request is held back, and no record hidden."""
        self.parted, self.visible_end, self.held = True, None, ()

    def release(self, state: Any) -> None:
        """Metadata tells of all changes, and the leader has one record more, if there is room."""
        self.let_go()
        self.term = None
        now = state.changes[-1]
        if len(state.records[now.generation]) < 2:
            state.records[now.generation].append(now.epoch)
            state.copied[now.leader] += 1

    def lets(self, step: Step, before: Any) -> bool:
        """Whether the double answers the request by which a client takes a step."""
        if step.action.startswith("refresh"):
            return self.term is None or before.view[step.arguments["broker"]] <= self.term
        if step.action == "validate":
            return "OffsetForLeaderEpoch" not in self.held
        if step.action.startswith("fetch"):
            offset = before.client.position.offset
            shown = self.visible_end is None or offset < self.visible_end
            return "Fetch" not in self.held and shown
        return False


def created_anew(step: Step, before: Any, after: Any) -> bool:
    """The client hears of another incarnation of the topic: franz-go gives the application the
    error of the fetch by the old id."""
    was, now = before.client.seen_generation, after.client.seen_generation
    return was is not None and now is not None and was != now


DESIGNS = {
    "librdkafka": SubjectDesign("metadata-kip320"),
    "kafka-python": SubjectDesign("metadata-unordered"),
    "aiokafka": SubjectDesign("metadata-unchecked"),
    "java": SubjectDesign("metadata-topic-id"),
    "franz-go": SubjectDesign("metadata-topic-id", tells=created_anew),
    "sarama": SubjectDesign("metadata-unchecked"),
}
"""Designs of clients: librdkafka sends topic ids, and compares epochs whatever the id."""

SCENARIOS = {
    "R1": Scenario(
        "one record is read; the topic is created anew, and gets two",
        [
            "refresh_by_id(broker=b1)",
            "validate()",
            "write()",
            "fetch_by_id()",
            "delete_topic()",
            "deliver(broker=b1)",
            "create_topic(leader=b1)",
            "deliver(broker=b1)",
            "refresh_by_id(broker=b1)",
            "write()",
            "validate()",
            "write()",
            "fetch_by_id()",
        ],
    ),
    "R2": Scenario(
        "one record of epoch 1 is read; the topic is created anew, under epoch 0",
        [
            "refresh_by_id(broker=b1)",
            "validate()",
            "move_leader(broker=b2)",
            "deliver(broker=b1)",
            "deliver(broker=b2)",
            "refresh_by_id(broker=b2)",
            "validate()",
            "write()",
            "fetch_by_id()",
            "delete_topic()",
            "deliver(broker=b1)",
            "deliver(broker=b2)",
            "create_topic(leader=b1)",
            "deliver(broker=b1)",
            "deliver(broker=b2)",
            "refresh_by_id(broker=b1)",
            "write()",
        ],
    ),
}

binding = PlayBinding(
    stages={"double": lambda: BrokersStage(partition, client, held)},
    subjects={name: partial(seen_in_all, make) for name, make in consumers("earliest").items()},
    observed=observed,
    performs=BROKERS,
    signs={"fetch_by_id": fetched, "fetch": fetched},
    silent=["refresh", "validate", "commit", "restart", "store", "restart_at_stored"],
    rebuilt=rebuilt,
    properties=["no_wrong_incarnation", "no_needless_rewind", "never_stuck"],
    scenarios=SCENARIOS,
    step_seconds=6.0,
    quiet_seconds=5.0,
    still_seconds=0.6,
    goes_on=True,
    designs=DESIGNS,
    withholding={"double": HeldRequests},
)
