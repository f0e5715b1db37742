"""Plays scenarios and counterexamples of the consumer designs to all clients, and writes a page.

    python -m specmodel.conformance.kafka docs/conformance/consumers.md [--repeat N] [--jobs N]

A play takes 6 to 30 s, and there are 90. Clients that are not there are named as such.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from specmodel.conformance.binding import PlayBinding
from specmodel.conformance.kafka.subjects import consumers
from specmodel.conformance.plays import ChosenTraces, chosen_traces
from specmodel.conformance.report import markdown_rows
from specmodel.conformance.running import PlayProgress, play_all
from specmodel.conformance.verdicts import ConformanceReport
from specmodel.constants import Value
from specmodel.suite.catalog import shipped
from specmodel.suite.targets import load_target

Played = tuple[str, Mapping[str, Value], Sequence[str]]
"""A design, its constants, and the traces to play."""

SHORT: Mapping[str, Value] = {"log_size": 3, "max_records": 4}
SLOW: Mapping[str, Value] = {"log_size": 4, "max_records": 4, "slow_brokers": True}

EARLIEST: Sequence[Played] = (
    ("consumer-end-offset", SHORT, ("S1", "S2", "S3", "S6")),
    ("consumer-end-offset", SLOW, ("S4",)),
    ("consumer-end-offset", {}, ("safe_reset", "no_false_alarm")),
    ("consumer-no-epochs", {}, ("no_silent_loss",)),
    ("consumer-kafkajs", {}, ("no_silent_loss",)),
)
NONE: Sequence[Played] = (("consumer-end-offset", SHORT, ("S1", "S2", "S3")),)

INTRODUCTION = """\
# What Kafka's consumers do under the traces of the consumer designs

This page is for people who want to know which consumers notice that records are gone. It shows
what each client did when [the double of the brokers](double.md) played traces of the consumer
designs to it. The double shows what a client does with the answers of its brokers; it is no broker.
`python -m specmodel.conformance.kafka docs/conformance/consumers.md` writes the page anew.

A client *followed* a trace if it did what the client of the design does. It *parted* if it did
something else, which may be better or worse. It *lost* if, in the end, the application holds a
record that the log does not have, and got no error. It *told* if the application got an error.
"""


def main(words: Sequence[str]) -> int:
    """Plays, and writes the page. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m specmodel.conformance.kafka")
    parser.add_argument("page", type=Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4)
    given = parser.parse_args(words)
    names = tuple(consumers("earliest"))
    strict = tuple(f"{name}-none" for name in consumers("none"))
    earliest = [_played(played, names, given.repeat, given.jobs) for played in EARLIEST]
    none = [_played(played, strict, given.repeat, given.jobs) for played in NONE]
    lines = list(_page(earliest, names, none, strict, given.repeat))
    given.page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _played(played: Played, subjects: Sequence[str], repeat: int, jobs: int) -> ConformanceReport:
    target, constants, traces = played
    design = load_target(target, constants)
    file = shipped() / "kafka" / "consumer" / "binding.py"

    def choose(binding: PlayBinding) -> ChosenTraces:
        return chosen_traces(design, binding, traces)

    tell = _tell(target)
    return play_all(
        design, file, choose, subjects=subjects, repeat=repeat, jobs=jobs, progress=tell
    )


def _tell(target: str) -> PlayProgress:
    def tell(done: int, total: int) -> None:
        sys.stderr.write(f"{target}: {done} of {total} plays\n")

    return tell


def _page(
    earliest: Sequence[ConformanceReport],
    names: Sequence[str],
    none: Sequence[ConformanceReport],
    strict: Sequence[str],
    repeat: int,
) -> Iterator[str]:
    yield INTRODUCTION
    plays = "one play" if repeat == 1 else f"{repeat} plays"
    yield f"Played on {earliest[0].date}, {plays} of each trace. Versions:"
    yield ""
    versions = {**earliest[0].versions, **none[0].versions}
    for version in dict.fromkeys(versions.values()):
        yield f"- {version}"
    for what, reports, subjects in (
        ("auto.offset.reset=earliest", earliest, names),
        ("auto.offset.reset=none", none, strict),
    ):
        yield ""
        yield f"## {what}"
        yield ""
        yield f"| | {' | '.join(name.removesuffix('-none') for name in subjects)} |"
        yield f"|---{'|---' * len(subjects)}|"
        for report in reports:
            yield from _named_rows(report, subjects)


def _named_rows(report: ConformanceReport, subjects: Sequence[str]) -> Iterator[str]:
    """The rows of a report; a counterexample is named by its design, too."""
    for row in markdown_rows(report, subjects):
        yield row.replace("counterexample to", f"{report.design}: counterexample to")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
