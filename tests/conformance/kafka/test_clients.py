"""Real clients against the double: few plays, because each takes seconds. CI runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.conformance.transcripts import write_transcripts
from specmodel.conformance.verdicts import ConformanceReport
from tests.docs.pages import ROOT

pytest.importorskip("kio", reason="pip install 'specmodel[conformance]'")

BINDING = ROOT / "models/kafka/consumer/binding.py"
TRANSCRIPTS = ROOT / "models/kafka/consumer/transcript_binding.py"

METADATA = ROOT / "models/kafka/metadata/binding.py"

BOUNDS: dict[str, Any] = {"log_size": 3, "max_records": 4}

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

DESIGNS = {
    "librdkafka": {"consumer-end-offset": "passed", "consumer-no-epochs": "failed"},
    "kafka-python": {"consumer-kafka-python": "passed", "consumer-no-epochs": "failed"},
    "aiokafka": {"consumer-end-offset": "failed", "consumer-no-epochs": "passed"},
}
"""Whether the requests of a client in S1 and S2 are a behaviour of a design."""

RECORD = (
    "00000000000000000000003a0000000302ce371b3b0000000000000000018bcfe568000000018bcfe56800ffff"
    "ffffffffffffffffffffffff000000011000000001046d3000"
)
"""A batch with m0 at offset 0, as a fetch answer has it."""


def played(
    subject: str,
    scenario: str,
    binding: Path = BINDING,
    *,
    design: str = "consumer-end-offset",
    stage: str = "",
) -> ConformanceReport:
    """A scenario played to a client; skipped if it is not installed."""
    report = specmodel.conform(
        design, binding, subjects=[subject], traces=[scenario], stage=stage, **BOUNDS
    )
    for name, why in report.skipped.items():
        pytest.skip(f"{name}: {why}")
    return report


@pytest.mark.parametrize(("subject", "scenario"), OUTCOMES, ids=map("-".join, OUTCOMES))
def test_outcomes(subject: str, scenario: str, tmp_path: Path) -> None:
    """Validation finds a truncation, and does not find the record of an earlier epoch; a client
    that sends no epochs skips a record; with reset none, the application is told. The requests of
    a client are a behaviour of the design with its use of epochs, and of no other."""
    report = played(subject, scenario)
    (series,) = report.series
    assert list(series.outcomes) == OUTCOMES[subject, scenario], series.plays[0]
    assert subject.partition("-none")[0] in report.versions[subject]
    write_transcripts(report, tmp_path)
    log = tmp_path / f"{subject}-{scenario}-1.jsonl"
    for design, verdict in DESIGNS.get(subject, {}).items():
        found = specmodel.validate(design, log, TRANSCRIPTS, **BOUNDS)
        assert found.verdict == verdict, (design, found.unmatched)


ANEW = {
    ("librdkafka", "R1"): "lost",
    ("librdkafka", "R2"): "lost",
    ("kafka-python", "R2"): "followed",
    ("aiokafka", "R2"): "lost",
}
"""What was measured where a topic is created anew."""


@pytest.mark.parametrize(("subject", "scenario"), ANEW, ids=map("-".join, ANEW))
def test_a_topic_that_is_created_anew(subject: str, scenario: str) -> None:
    """Positions have no topic id, so a record is skipped; librdkafka waits for ever for the leader
    of an epoch that the new topic does not have; kafka-python validates, and begins anew."""
    report = specmodel.conform("metadata-topic-id", METADATA, subjects=[subject], traces=[scenario])
    for name, why in report.skipped.items():
        pytest.skip(f"{name}: {why}")
    (series,) = report.series
    assert list(series.outcomes) == [ANEW[subject, scenario]], series.plays[0]
    assert series.contradicts == ()


AWAY = {("librdkafka-commit", "S8"): "lost", ("kafka-python-commit", "S8"): "lost"}
AWAY |= {("librdkafka-commit", "S7"): "lost", ("aiokafka-commit", "S7"): "lost"}
"""What was measured where a client starts from a committed offset."""


@pytest.mark.parametrize(("subject", "scenario"), AWAY, ids=map("-".join, AWAY))
def test_a_client_that_was_away(subject: str, scenario: str) -> None:
    """Neither client validates the offset that it has committed with its epoch. So the records
    that an unclean leader has written meanwhile are skipped."""
    bounds: dict[str, Any] = {**BOUNDS, "slow_brokers": False}
    report = specmodel.conform(
        "consumer-committed", BINDING, subjects=[subject], traces=[scenario], **bounds
    )
    for name, why in report.skipped.items():
        pytest.skip(f"{name}: {why}")
    (series,) = report.series
    assert {play.verdict for play in series.plays} == {AWAY[subject, scenario]}, series.plays[0]
    assert series.contradicts == ()
    assert any(event.get("step") == "crash()" for event in series.plays[0].transcript)


def test_a_loss_that_the_design_predicts() -> None:
    """kafka-python forgets the epoch of its position with an answer without records."""
    design = "consumer-kafka-python"
    report = played(
        "kafka-python", "no_silent_loss", design=design, stage="double-without-sessions"
    )
    (series,) = report.series
    assert list(series.outcomes) == ["lost"], series.plays[0]


@pytest.mark.parametrize(
    ("given", "verdict"), [(RECORD, "passed"), (RECORD.replace("6d30", "6d31"), "failed")]
)
def test_a_record_may_be_given_twice(given: str, verdict: str, tmp_path: Path) -> None:
    """A client drops an answer while it validates; but it is given the same record again."""
    asked = {"topics": [{"partitions": [{"fetch_offset": 0, "current_leader_epoch": 0}]}]}
    lines: list[dict[str, Any]] = [
        {"step": "write(leader=r1)"},
        {"step": "replicate(follower=r2)"},
    ]
    for request, records in ((asked, RECORD), ({"topics": []}, given)):
        answer = {"responses": [{"partitions": [{"error_code": "none", "records": records}]}]}
        lines.append({"asked": "Fetch", "told": -1, "request": request})
        lines.append({"api": "Fetch", "request": request, "answer": answer, "all_shown": False})
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert specmodel.validate("consumer-end-offset", log, TRANSCRIPTS).verdict == verdict


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


FAULTY = """
import dataclasses, importlib.util, sys
sys.path.insert(0, FOLDER)
from specmodel.conformance import Scenario
place = importlib.util.spec_from_file_location("consumer_binding", BINDING)
own = importlib.util.module_from_spec(place)
place.loader.exec_module(own)
right = own.partition

def wrong(state):
    found = right(state)
    return dataclasses.replace(found, CHANGE)

own.partition = wrong
steps = [
    "write(leader=r1)", "replicate(follower=r2)", "write(leader=r1)", "elect(leader=r2)",
    "stage: wait 1 s",
    "write(leader=r2)", "truncate(follower=r1)", "replicate(follower=r1)", "stage: wait 1 s",
]
twice = [
    "write(leader=r1)", "replicate(follower=r2)", "elect(leader=r2)", "stage: wait 2 s",
    "elect(leader=r1)", "stage: wait 1 s",
]
scenarios = {"free": Scenario("a write after an election", steps), "twice": Scenario("", twice)}
binding = dataclasses.replace(
    own.binding, scenarios=scenarios, step_seconds=0.2, quiet_seconds=0.3, transcript=""
)
"""
"""A double that may have a fault."""

FAULTS = {
    "none": ("start=found.start", ""),
    "a record above the high watermark": (
        "exposed={broker: len(log) for broker, log in found.logs.items()}",
        "('high watermark r1', 0, 1)",
    ),
    "an epoch that is not bumped": (
        "epoch=0, noticed=dict.fromkeys(found.noticed, 0), leaders={0: found.leaders[found.epoch]}",
        "and consumer.metadata is 0",
    ),
    "a high watermark that goes back": (
        "exposed={b: max(0, end - (found.epoch > 0)) for b, end in found.exposed.items()}",
        "('high watermark r2', 1, 0)",
    ),
    "another record": (
        "logs={b: [dataclasses.replace(e, value='m7') for e in found.logs[b]] for b in found.logs}",
        "('record 0', 'm0', 'm7')",
    ),
}
"""Faults of the double: what is wrong with the partition then, and what has to be said."""


def faulty(folder: Path, fault: str) -> Path:
    """A binding with a double that has a fault."""
    binding = folder / "binding.py"
    text = FAULTY.replace("BINDING", repr(str(BINDING)))
    text = text.replace("FOLDER", repr(str(BINDING.parent)))
    binding.write_text(text.replace("CHANGE", FAULTS[fault][0]))
    return binding


def test_a_fault_of_a_client_is_found_in_a_transcript(tmp_path: Path) -> None:
    """kafka-python, which an answer without records made forget its epoch, does not validate."""
    report = played("kafka-python", "twice", faulty(tmp_path, "none"), stage="double-at-will")
    write_transcripts(report, tmp_path)
    given = tmp_path / "kafka-python-twice-1.jsonl", TRANSCRIPTS
    specmodel.assert_validates("consumer-kafka-python", *given, **BOUNDS)
    with pytest.raises(AssertionError, match="phase is validating, and the log says fetching"):
        specmodel.assert_validates("consumer-end-offset", *given, **BOUNDS)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_brokers_are_found_in_a_transcript(fault: str, tmp_path: Path) -> None:
    """The first answer that no broker of the design gives, with the guard that is false."""
    said = FAULTS[fault][1]
    report = played("librdkafka", "free", faulty(tmp_path, fault), stage="double-at-will")
    write_transcripts(report, tmp_path)
    found = specmodel.validate(
        "consumer-end-offset", tmp_path / "librdkafka-free-1.jsonl", TRANSCRIPTS, **BOUNDS
    )
    assert found.verdict == ("failed" if said else "passed"), found.unmatched
    assert said in str(found.unmatched)
