"""Kafka consumers as subjects: programs beside this file that speak JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from specmodel.conformance.program import SubjectProgram
from specmodel.conformance.protocol import PlayedSubject

CLIENTS = Path(__file__).with_name("clients")


MOST_OFFSETS = 16
"""Offsets that are observed; a trace has fewer."""


def given_records(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the application was given last at each offset: `record 0` and its value, or None."""
    nothing: dict[str, Any] = {f"record {offset}": None for offset in range(MOST_OFFSETS)}
    return nothing | {f"record {e['offset']}": e["value"] for e in events if "offset" in e}


class PythonClient(SubjectProgram):
    """A client that is a Python package."""

    def __init__(self, package: str, program: str, reset: str) -> None:
        file = CLIENTS / program
        made = SubjectProgram.python(file, given_records)
        super().__init__(made.command, given_records, start_with={"reset": reset})
        self.package = package

    def missing(self) -> str:
        """Whether the package is installed."""
        try:
            version(self.package)
        except PackageNotFoundError:
            return f"pip install {self.package}"
        return ""


def consumers(reset: str = "earliest") -> Mapping[str, Callable[[], PlayedSubject]]:
    """The consumers by name, with a policy for positions that are out of range."""
    return {
        "librdkafka": lambda: PythonClient("confluent-kafka", "run_confluent.py", reset),
        "kafka-python": lambda: PythonClient("kafka-python", "run_kafka_python.py", reset),
        "aiokafka": lambda: PythonClient("aiokafka", "run_aiokafka.py", reset),
    }
