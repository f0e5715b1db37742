"""Real clients against the double: few plays, because each takes seconds. CI runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specmodel
from specmodel.conformance.verdicts import ConformanceReport
from tests.docs.pages import ROOT

pytest.importorskip("kio", reason="pip install 'specmodel[conformance]'")

BINDING = ROOT / "models/kafka/consumer/binding.py"

OUTCOMES = {
    ("librdkafka", "S1"): ["followed"],
    ("librdkafka", "S2"): ["lost"],
    ("librdkafka-none", "S1"): ["told, parted at step 13"],
    ("kafka-python", "S1"): ["followed"],
    ("kafka-python", "S2"): ["lost"],
    ("kafka-python-none", "S1"): ["told, parted at step 13"],
    ("aiokafka", "S1"): ["lost, parted at step 12"],
}
"""What was measured with the versions of `clients/versions.toml`."""


def played(subject: str, scenario: str) -> ConformanceReport:
    """A scenario played to a client; skipped if it is not installed."""
    constants: dict[str, Any] = {"log_size": 3, "max_records": 4}
    report = specmodel.conform(
        "consumer-end-offset", BINDING, subjects=[subject], traces=[scenario], **constants
    )
    for name, why in report.skipped.items():
        pytest.skip(f"{name}: {why}")
    return report


@pytest.mark.parametrize(("subject", "scenario"), OUTCOMES, ids=map("-".join, OUTCOMES))
def test_outcomes(subject: str, scenario: str) -> None:
    """Validation finds a truncation, and does not find the record of an earlier epoch; a client
    that sends no epochs skips a record; with reset none, the application is told."""
    report = played(subject, scenario)
    (series,) = report.series
    assert list(series.outcomes) == OUTCOMES[subject, scenario], series.plays[0]
    assert subject.partition("-none")[0] in report.versions[subject]


def test_an_absent_client_is_skipped_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs all clients."""
    from specmodel.conformance.kafka import subjects

    def absent(package: str) -> str:
        raise subjects.PackageNotFoundError(package)

    monkeypatch.setattr(subjects, "version", absent)
    conform: Callable[..., ConformanceReport] = specmodel.conform
    report = conform("consumer-end-offset", BINDING, subjects=["aiokafka"], traces=["S2"])
    assert report.skipped == {"aiokafka": "pip install aiokafka"}
    assert report.verdict == "incomplete"
