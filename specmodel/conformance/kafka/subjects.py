"""Kafka consumers as subjects: programs beside this file that speak JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from specmodel.conformance.kafka.building import CLIENTS, RECIPES, BuiltClient
from specmodel.conformance.kafka.given import given_records
from specmodel.conformance.program import SubjectProgram
from specmodel.conformance.protocol import PlayedSubject

PYTHON = {
    "librdkafka": ("confluent-kafka", "run_confluent.py"),
    "kafka-python": ("kafka-python", "run_kafka_python.py"),
    "aiokafka": ("aiokafka", "run_aiokafka.py"),
}
"""Clients that are Python packages: the package, and the program."""


class PythonClient(SubjectProgram):
    """A client that is a Python package."""

    def __init__(self, package: str, program: str, reset: str) -> None:
        command = [sys.executable, str(CLIENTS / program)]
        super().__init__(command, given_records, start_with={"reset": reset})
        self.package = package

    def missing(self) -> str:
        """Whether the package is installed."""
        try:
            version(self.package)
        except PackageNotFoundError:
            return f"pip install {self.package}"
        return ""


def group_members(reset: str = "earliest") -> Mapping[str, Callable[[], PlayedSubject]]:
    """Java consumers that are members of a group, by its protocol; they need real brokers."""
    return {
        f"java-{protocol}": partial(
            BuiltClient, RECIPES["java"], {"reset": reset, "protocol": protocol}
        )
        for protocol in ("classic", "consumer")
    }


def consumers(reset: str = "earliest") -> Mapping[str, Callable[[], PlayedSubject]]:
    """The consumers by name, with a policy for positions that are out of range."""
    found: dict[str, Callable[[], PlayedSubject]] = {
        name: partial(PythonClient, package, program, reset)
        for name, (package, program) in PYTHON.items()
    }
    for name, recipe in RECIPES.items():
        if name == "kafkajs" and reset == "none":
            continue  # it has no such policy
        found[name] = partial(BuiltClient, recipe, {"reset": reset})
    if reset == "earliest":
        found["kafkajs-commit"] = partial(
            BuiltClient, RECIPES["kafkajs"], {"reset": reset, "commit": True}
        )
    return found
