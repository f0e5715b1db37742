"""The results of plays for programs: JSON (docs/reference/json-conformance.md), JUnit XML, and
transcripts as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from specmodel.conformance.report import explanation
from specmodel.conformance.verdicts import ConformanceReport, Play, PlaySeries
from specmodel.errors import UsageError
from specmodel.results.plain import json_text, members, plain
from specmodel.views.junit import junit_text


def conformance_json(report: ConformanceReport) -> str:
    """The report as one JSON object."""
    keys = "verdict design constants binding stage step_seconds quiet_seconds date seconds"
    more = "traces versions skipped uncovered"
    return json_text(
        {
            **members(report, keys),
            **members(report, more),
            "series": [_series(series) for series in report.series],
        }
    )


def _series(series: PlaySeries) -> dict[str, Any]:
    return {
        **members(series, "trace subject outcomes"),
        "plays": [_play(play) for play in series.plays],
    }


def _play(play: Play) -> dict[str, Any]:
    keys = "number step role expected seen event seconds"
    return {
        **members(play, "verdict outcome reason? seconds told"),
        "broken": plain(play.broken),
        "parting": plain(play.parting),
        "steps": [members(step, keys) for step in play.steps],
    }


def conformance_junit(report: ConformanceReport) -> str:
    """The report as JUnit XML: a test case for each trace and subject."""
    suite = ElementTree.Element("testsuite", name=f"specmodel conform {report.design}")
    failures = errors = 0
    for series in report.series:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=f"{report.design}.{series.subject}",
            name=series.trace,
            time=f"{sum(play.seconds for play in series.plays):.3f}",
        )
        wrong = [play for play in series.plays if play.verdict not in ("followed", "told")]
        if wrong:
            failed = [play for play in wrong if play.verdict != "incomparable"]
            failures, errors = failures + bool(failed), errors + (not failed)
            first = (failed or wrong)[0]
            kind = "failure" if failed else "error"
            element = ElementTree.SubElement(case, kind, message=first.outcome)
            element.text = "\n".join(explanation(first))
    for name, why in report.skipped.items():
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{report.design}.{name}", name=name
        )
        ElementTree.SubElement(case, "skipped", message=why)
    return junit_text(
        suite,
        failures=failures,
        errors=errors,
        skipped=len(report.skipped),
        seconds=report.seconds,
    )


def write_transcripts(report: ConformanceReport, folder: Path) -> None:
    """Writes the transcript of each play as JSON lines: SUBJECT-TRACE-N.jsonl.

    Raises UsageError if that cannot be done.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for series in report.series:
            for number, play in enumerate(series.plays, start=1):
                name = f"{series.subject}-{series.trace}-{number}.jsonl".replace(" ", "-")
                lines = [json.dumps(event, default=bytes.hex) for event in play.transcript]
                text = "".join(f"{line}\n" for line in lines)
                (folder / name).write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise UsageError(f"cannot write transcripts to {folder}: {wrong.strerror}") from None
