"""The designs that say what clients do, and what the double of the brokers withholds from them.

Source: what clients do is in clients.py, fetching.py and restart.py; what the double does in
specmodel.conformance.kafka.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, cast

from specmodel import Step
from specmodel.conformance import SubjectDesign, Withholding

BROKERS = (
    "elect",
    "fail_over",
    "elect_unclean",
    "notice",
    "write",
    "replicate",
    "truncate",
    "shrink_isr",
    "expand_isr",
    "delete_oldest",
    "crash",
)
"""Actions of the brokers, and crashes of the client."""

FETCHING = (
    "fetch",
    "fetch_without_epochs",
    "fetch_without_record_epochs",
    "fetch_to_log_end",
    "out_of_range",
    "out_of_range_without_epochs",
    "out_of_range_uncommitting",
    "fetch_with_last_epoch",
    "fetch_nothing",
    "fetch_checked",
)
"""Actions of the client that are fetches."""


CHECKING = (
    "validate_end_offset",
    "validate_epoch",
    "validate_history_once",
    "validate_history",
    "validate_taking_epoch",
    "validate_reporting",
)
"""Actions of the client that ask where an epoch ends."""

RESETTING = (
    "reset_to_earliest",
    "reset_to_latest",
    "reset_to_earliest_unfenced",
    "reset_to_latest_unfenced",
)
"""Actions of the client that ask where the log begins or ends."""

SEEKING = ("seek_to_divergence", "seek_to_beginning")
"""What an application may do after an exception. Those that the clients run in do nothing."""

EMPTY = ("fetch_nothing",)
"""Any client gets answers without records. To most they are no step."""

NAMED = ("refresh_metadata", "refresh_metadata_repeated")
"""Actions by which a client takes a leader only with its epoch."""

JOINING = (
    "load_offset",
    "load_offset_before_metadata",
    "load_offset_without_epoch",
    "load_offset_unvalidated",
)
"""Actions of a client that has started anew and asks for its committed offset."""

UNORDERED = ("refresh_metadata_unordered", "refresh_metadata_replacing", "rejoin")
"""Actions by which a client takes a leader whose epoch it does not look at."""


def metadata_of(state: Any) -> int:
    """The latest leader epoch that metadata names to the client of a state."""
    joins = cast(Enum, state.consumer.phase).name == "joining"
    return state.epoch if joins else state.consumer.metadata


def held(state: Any, action: str) -> Sequence[str]:
    """The requests that are held back: fetches but for a step that is one, and what the client
    asks in its phase, until the step by which it asks. A client that joins asks for its offset."""
    phase = cast(Enum, state.consumer.phase).name
    names = [] if action in FETCHING else ["Fetch"]
    names += ["OffsetForLeaderEpoch"] if phase == "validating" else []
    names += ["ListOffsets"] if phase == "resetting" else []
    names += ["OffsetFetch"] if phase == "joining" else []
    return names


def raised(step: Step, before: Any, after: Any) -> bool:
    """The application gets an exception."""
    phases = [cast(Enum, state.consumer.phase).name for state in (before, after)]
    return phases[1] == "raised" and phases[0] != "raised"


def raised_or_reported(step: Step, before: Any, after: Any) -> bool:
    """franz-go reports a truncation, and goes on."""
    back = after.consumer.position.offset < before.consumer.position.offset
    resets = cast(Enum, after.consumer.phase).name == "resetting"
    reported = step.action == "validate_reporting" and (back or resets)
    return reported or raised(step, before, after)


def client_designs(reset: str) -> Mapping[str, SubjectDesign]:
    """The design of each client, with a policy for positions that are out of range.

    Only Java does something of its own with metadata that names a leader without its epoch.
    """
    policy = {"reset_policy": 2 if reset == "none" else 0}
    named = {**policy, "unnamed_epochs": False}
    end_offset = "consumer-end-offset"
    return {
        "librdkafka": SubjectDesign(end_offset, named, raised, EMPTY),
        "kafka-python": SubjectDesign("consumer-kafka-python", named, raised),
        "aiokafka": SubjectDesign("consumer-no-epochs", named, raised, EMPTY),
        "java": SubjectDesign(end_offset, policy, raised, EMPTY),
        "franz-go": SubjectDesign("consumer-franz-go", named, raised_or_reported, EMPTY),
        "sarama": SubjectDesign("consumer-sarama", named, raised, EMPTY),
        "kafkajs": SubjectDesign("consumer-kafkajs-uncommitted", named, raised, EMPTY),
        "kafkajs-commit": SubjectDesign("consumer-kafkajs", named, raised, EMPTY),
        "librdkafka-commit": SubjectDesign("consumer-librdkafka-committed", named, raised, EMPTY),
        "kafka-python-commit": SubjectDesign("consumer-kafka-python-committed", named, raised),
        "aiokafka-commit": SubjectDesign("consumer-no-epochs-committed", named, raised, EMPTY),
        "java-commit": SubjectDesign("consumer-cold-cache", policy, raised, EMPTY),
    }


class HeldRequests(Withholding):
    """What the double holds back, as specmodel.conformance.kafka.stage does."""

    def __init__(self) -> None:
        self.epoch: int | None = None
        self.visible_end: int | None = None
        self.held: Sequence[str] = ()
        self.action = ""
        self.parted = self.unnamed = False
        self.down: set[str] = set()

    def take(self, state: Any, action: str) -> None:
        """Metadata names no later epoch than the client of the trace knows."""
        self.epoch, self.action = metadata_of(state), action
        if not self.parted:
            self.visible_end = state.consumer.position.offset
            self.held = held(state, action)

    def nudge(self, what: str) -> None:
        """Brokers go down and up, and leave epochs out of metadata."""
        if what.startswith("down "):
            self.down.add(what.removeprefix("down "))
        elif what.startswith("up "):
            self.down.discard(what.removeprefix("up "))
        elif what in ("name no epochs", "name epochs"):
            self.unnamed = what == "name no epochs"

    def let_go(self) -> None:
        """No request is held back, and no record hidden."""
        self.parted, self.visible_end, self.held = True, None, ()

    def release(self, state: Any) -> None:
        """The leader knows that it leads, and shows all of its log."""
        self.let_go()
        self.epoch = None
        self.down.clear()
        self.unnamed = False
        leader = state.leaders[state.epoch]
        state.noticed[leader] = state.epoch
        state.view[leader] = {leader}

    def lets(self, step: Step, before: Any) -> bool:
        """Whether the double answers the request by which a client takes a step."""
        action = step.action
        if action in NAMED or action in UNORDERED or action == "refresh_metadata_unnamed":
            named = action in UNORDERED or self.unnamed == (action == "refresh_metadata_unnamed")
            epoch = step.arguments.get("epoch", step.arguments.get("metadata"))
            return named and epoch in self._told(before)
        if action == "hear_epoch":
            return not self.unnamed
        if action in SEEKING:
            return False
        if action == "fetch_nothing" and not self.parted:
            return self.action == action
        if action == "save_offset":
            return self.action == action
        if action in JOINING:
            return self.action in JOINING and step.arguments["metadata"] in self._told(before)
        asks = action in FETCHING or action in CHECKING or action in RESETTING
        return not asks or self._answers(action, before)

    def _told(self, state: Any) -> set[int]:
        """The epochs that metadata of a broker may name."""
        up = [epoch for broker, epoch in state.noticed.items() if str(broker) not in self.down]
        return {epoch if self.epoch is None else min(epoch, self.epoch) for epoch in up}

    def _answers(self, action: str, state: Any) -> bool:
        broker = state.leaders[state.consumer.metadata]
        if str(broker) in self.down:
            return False
        if action in CHECKING or action in RESETTING:
            api = "OffsetForLeaderEpoch" if action in CHECKING else "ListOffsets"
            return api not in self.held
        late = self.epoch is not None and self.epoch < state.noticed[broker]
        shown = self.visible_end is None or state.consumer.position.offset < self.visible_end
        return not late and "Fetch" not in self.held and (shown or action.startswith("out_of"))
