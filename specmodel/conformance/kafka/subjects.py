"""Kafka consumers and producers as subjects: programs beside this file that speak JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from specmodel.conformance.kafka.building import (
    CLIENTS,
    CONSUMERS,
    PRODUCERS,
    BuiltClient,
    ClientRecipe,
)
from specmodel.conformance.kafka.given import given_records, results_of_sends
from specmodel.conformance.program import Seen, SubjectProgram
from specmodel.conformance.protocol import PlayedSubject

PYTHON = {
    "librdkafka": ("confluent-kafka", "confluent.py"),
    "kafka-python": ("kafka-python", "kafka_python.py"),
    "aiokafka": ("aiokafka", "aiokafka.py"),
}
"""Clients that are Python packages: the package, and the end of the names of its programs."""


class PythonClient(SubjectProgram):
    """A client that is a Python package."""

    def __init__(
        self, package: str, program: str, seen: Seen, start_with: Mapping[str, Any]
    ) -> None:
        super().__init__([sys.executable, str(CLIENTS / program)], seen, start_with=start_with)
        self.package = package

    def missing(self) -> str:
        """Whether the package is installed."""
        try:
            version(self.package)
        except PackageNotFoundError:
            return f"pip install {self.package}"
        return ""


def _all_clients(
    first: str, built: Mapping[str, ClientRecipe], seen: Seen, start_with: Mapping[str, Any]
) -> dict[str, Callable[[], PlayedSubject]]:
    """The clients by name. `first` begins the names of the Python programs."""
    found: dict[str, Callable[[], PlayedSubject]] = {
        name: partial(PythonClient, package, f"{first}_{program}", seen, start_with)
        for name, (package, program) in PYTHON.items()
    }
    for name, recipe in built.items():
        found[name] = partial(BuiltClient, recipe, seen, start_with)
    return found


def group_members(reset: str = "earliest") -> Mapping[str, Callable[[], PlayedSubject]]:
    """Java consumers that are members of a group, by its protocol; they need real brokers."""
    return {
        f"java-{protocol}": partial(
            BuiltClient, CONSUMERS["java"], given_records, {"reset": reset, "protocol": protocol}
        )
        for protocol in ("classic", "consumer")
    }


def consumers(reset: str = "earliest") -> Mapping[str, Callable[[], PlayedSubject]]:
    """The consumers by name, with a policy for positions that are out of range."""
    found = _all_clients("consume", CONSUMERS, given_records, {"reset": reset})
    if reset == "none":
        del found["kafkajs"]  # it has no such policy
    else:
        commits = {"reset": reset, "commit": True}
        found["kafkajs-commit"] = partial(BuiltClient, CONSUMERS["kafkajs"], given_records, commits)
    return found


def committing() -> Mapping[str, Callable[[], PlayedSubject]]:
    """Consumers by name that commit when they are asked to, and start from what they committed."""
    start_with = {"reset": "earliest", "commit": True}
    found = _all_clients("consume", CONSUMERS, given_records, start_with)
    return {f"{name}-commit": found[name] for name in (*PYTHON, "java")}


def producers(acks: str = "1") -> Mapping[str, Callable[[], PlayedSubject]]:
    """The producers by name, with `1` or `all` acknowledgements. They send a record when they are
    asked to, one request at a time, without idempotence, and retry as long as they can."""
    return _all_clients("produce", PRODUCERS, results_of_sends, {"acks": acks})
