"""The table of clients: which traces are played, and the page about what the clients did."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from specmodel.conformance.binding import PlayBinding, read_binding
from specmodel.conformance.kafka.subjects import committing, consumers, producers
from specmodel.conformance.plays import ChosenTraces, chosen_traces
from specmodel.conformance.report import agreeing, contradictions, markdown_rows
from specmodel.conformance.running import PlayProgress, play_all
from specmodel.conformance.transcripts import write_transcripts
from specmodel.conformance.verdicts import ConformanceReport
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.suite.catalog import shipped
from specmodel.suite.targets import load_target

BINDING = shipped() / "kafka" / "consumer" / "binding.py"
METADATA_BINDING = shipped() / "kafka" / "metadata" / "binding.py"
PRODUCER_BINDING = shipped() / "kafka" / "producer" / "binding.py"


@dataclass(frozen=True)
class PlayedTraces:
    """Traces of a design at some constants, and the stage that they are played on.

    Without names of traces, walks that together take every action.
    """

    target: str
    constants: Mapping[str, Value]
    traces: Sequence[str] = ()
    stage: str = "double"
    binding: Path = BINDING


SHORT: Mapping[str, Value] = {"log_size": 3, "max_records": 4}
SLOW: Mapping[str, Value] = {"log_size": 4, "max_records": 4, "slow_brokers": True}
SHORTEST: Mapping[str, Value] = {"max_records": 2, "max_leader_epoch": 2}
SLOW_SHORT: Mapping[str, Value] = {"max_records": 2, "max_leader_epoch": 2, "slow_brokers": True}

EARLIEST: Sequence[PlayedTraces] = (
    PlayedTraces("consumer-end-offset", SHORT, ("S1", "S2", "S3", "S5")),
    PlayedTraces("consumer-end-offset", SLOW, ("S4",)),
    PlayedTraces("consumer-end-offset", {**SHORT, "unnamed_epochs": True}, ("S6",)),
    PlayedTraces("consumer-end-offset", {}, ("safe_reset", "no_false_alarm")),
    PlayedTraces("consumer-no-epochs", {}, ("no_silent_loss",)),
    PlayedTraces("consumer-kafkajs", {}, ("no_silent_loss",)),
    PlayedTraces("consumer-kafka-python", {}, ("no_silent_loss",), "double-without-sessions"),
    PlayedTraces("consumer-kafka-python", {}, ("no_false_alarm",)),
    PlayedTraces("consumer-franz-go", SLOW_SHORT, ("no_false_alarm",)),
    PlayedTraces("consumer-end-offset", SHORTEST),
    PlayedTraces("consumer-no-epochs", SHORTEST),
)
NONE: Sequence[PlayedTraces] = (PlayedTraces("consumer-end-offset", SHORT, ("S1", "S2", "S3")),)

COMMITTED: Sequence[PlayedTraces] = (
    PlayedTraces("consumer-committed", {**SHORT, "slow_brokers": False}, ("S7", "S8")),
)

METADATA: Sequence[PlayedTraces] = (
    PlayedTraces("metadata-topic-id", {}, ("R1", "R2"), binding=METADATA_BINDING),
)

ACKS_ONE: Sequence[PlayedTraces] = (
    PlayedTraces(
        "producer-unordered-acks-one",
        {"max_records": 3, "log_size": 3, "max_leader_epoch": 1},
        ("P1",),
        binding=PRODUCER_BINDING,
    ),
    PlayedTraces(
        "producer-unfenced-acks-one",
        {},
        ("acked_survive", "acked_survive_until_election", "no_useless_refresh", "no_duplicates"),
        binding=PRODUCER_BINDING,
    ),
)
ACKS_ALL: Sequence[PlayedTraces] = (
    PlayedTraces("producer-unordered-acks-all", {}, ("acked_in_order",), binding=PRODUCER_BINDING),
    PlayedTraces(
        "producer-unfenced-acks-all",
        {"unclean": True},
        ("acked_survive", "acked_survive_until_election", "no_duplicates"),
        binding=PRODUCER_BINDING,
    ),
)


@dataclass(frozen=True)
class TableRows:
    """What is played to which subjects."""

    subjects: Sequence[str]
    rows: Sequence[PlayedTraces]


TABLES: Mapping[str, TableRows] = {
    "Consumers, auto.offset.reset=earliest": TableRows([*consumers("earliest")], EARLIEST),
    "Consumers, auto.offset.reset=none": TableRows(
        [f"{name}-none" for name in consumers("none")], NONE
    ),
    "Consumers that start from a committed offset": TableRows([*committing()], COMMITTED),
    "Consumers of a topic that is created anew": TableRows([*consumers("earliest")], METADATA),
    "Producers, acks=1": TableRows([*producers()], ACKS_ONE),
    "Producers, acks=all": TableRows([f"{name}-all" for name in producers()], ACKS_ALL),
}
"""The tables by their titles."""

INTRODUCTION = """\
# What Kafka's clients do under the traces of the client designs

This page is for people who want to know which clients notice that records are gone. It shows what
each client did when [the double of the brokers](double.md) played traces of the consumer, metadata
and producer designs to it. The double shows what a client does with the answers of its brokers; it
is no broker.
`python -m specmodel.conformance.kafka docs/conformance/clients.md` writes the page anew.

A client *followed* a trace if it did what the client of the design does. It *parted* if it did
something else, which may be better or worse. It *lost* if, in the end, the application holds a
record that the log does not have, and got no error. It *told* if the application got an error.
Where a topic is created anew, it also *lost* if the application is not given a record of the new
topic, is given one twice, or is given none any more. A producer *lost* if a record that the
application was told is written is not in the leader's log in the end, or is there twice. Producers
run without idempotence, as that of the designs does.
"""

PREDICTION = """\
For each client there is a design that says what it does with leader epochs, whether it validates
its position, and how. A play may end in three ways: nothing is lost in silence, the application is
told, or a record is lost. For each trace and client, the ends that the client's design allows are
computed: the brokers do what the trace says, the client does what its design says until it comes to
rest, and the double withholds what it withholds in a play. A test holds the tables to that.

The transcript of each play is held to the client's design too (`specmodel validate`): the brokers'
steps, the position and the leader epoch of each fetch, each validation and reset, and each record.
"""


@dataclass(frozen=True)
class PlayedTable:
    """The reports of all traces of one table."""

    title: str
    subjects: Sequence[str]
    reports: Sequence[ConformanceReport]


def played_table(title: str, repeat: int, jobs: int, transcripts: Path | None) -> PlayedTable:
    """Plays all traces of a table to its clients. Transcripts are left in a folder if there is one.

    Progress goes to stderr.
    """
    subjects, reports = TABLES[title].subjects, list[ConformanceReport]()
    for number, played in enumerate(TABLES[title].rows, start=1):
        reports.append(_played(played, subjects, repeat, jobs))
        if transcripts is not None:
            table = re.sub(r"[^\w.]+", "-", title.lower())
            folder = transcripts / f"{table}-{number}-{played.target}"
            write_transcripts(reports[-1], folder)
    return PlayedTable(title, subjects, reports)


def traces_of(played: PlayedTraces, design: Design, binding: PlayBinding) -> ChosenTraces:
    """The traces that are played. Of covering walks, those in which a client is given a record."""
    found = chosen_traces(design, binding, played.traces, covering=not played.traces)
    seen = [
        trace
        for trace in found.traces
        if played.traces or any(binding.observed(state) for state in trace.trace.states)
    ]
    return ChosenTraces(tuple(seen), found.uncovered)


def _played(
    played: PlayedTraces, subjects: Sequence[str], repeat: int, jobs: int
) -> ConformanceReport:
    design = load_target(played.target, played.constants)

    def choose(binding: PlayBinding) -> ChosenTraces:
        return traces_of(played, design, binding)

    return play_all(
        design,
        played.binding,
        choose,
        subjects=subjects,
        stage=played.stage,
        repeat=repeat,
        jobs=jobs,
        progress=_tell(played.target),
    )


def _tell(target: str) -> PlayProgress:
    def tell(done: int, total: int) -> None:
        sys.stderr.write(f"{target}: {done} of {total} plays\n")

    return tell


def table_page(tables: Sequence[PlayedTable], repeat: int) -> Iterator[str]:
    """The lines of the page, in Markdown."""
    reports = [report for table in tables for report in table.reports]
    yield INTRODUCTION
    plays = "one play" if repeat == 1 else f"{repeat} plays"
    yield f"Played on {reports[0].date}, {plays} of each trace. Versions:"
    yield ""
    for version in dict.fromkeys(v for report in reports for v in report.versions.values()):
        yield f"- {version}"
    for table in tables:
        yield from ("", f"## {table.title}", "")
        yield f"| | {' | '.join(map(client_name, table.subjects))} |"
        yield f"|---{'|---' * len(table.subjects)}|"
        for report in table.reports:
            yield from _named_rows(report, table.subjects)
    yield from ("", "## What the clients' designs predict", "")
    yield PREDICTION
    yield "| Client | As a consumer | With a topic that is created anew | As a producer |"
    yield "|---|---|---|---|"
    bindings = [read_binding(file) for file in (BINDING, METADATA_BINDING, PRODUCER_BINDING)]
    for name in tables[0].subjects:
        designs = [held.designs[name].target if name in held.designs else "" for held in bindings]
        yield f"| {name} | {' | '.join(f'`{target}`' if target else '' for target in designs)} |"
    yield ""
    series = [series for report in reports for series in report.series]
    yield from (f"- {line}" for line in contradictions(series))
    yield from (f"{line}." for line in agreeing(series))


def client_name(subject: str) -> str:
    """The name of a subject without its settings."""
    return re.sub("-(none|all)$", "", subject)


def _named_rows(report: ConformanceReport, subjects: Sequence[str]) -> Iterator[str]:
    """The rows of a report; a counterexample is named by its design, too."""
    for row in markdown_rows(report, subjects):
        without = " without fetch sessions" if "without" in report.stage else ""
        row = row.replace("counterexample to", f"{report.design}{without}: counterexample to")
        yield re.sub(r"^(\| \*\*covering \d+\*\*)", rf"\1 {report.design}:", row)
