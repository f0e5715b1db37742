"""The results of plays for programs: JSON (docs/reference/json-conformance.md), and JUnit XML."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

from specmodel.conformance.report import explanation
from specmodel.conformance.verdicts import ConformanceReport, Play, PlaySeries
from specmodel.results.plain import json_text, members, plain
from specmodel.views.junit import junit_text


def conformance_document(report: ConformanceReport) -> dict[str, Any]:
    """The report in JSON values, with transcripts and explanations, for a page."""
    found = _document(report)
    for series, held in zip(report.series, found["series"], strict=True):
        for play, shown in zip(series.plays, held["plays"], strict=True):
            shown["explained"] = list(explanation(play))
            shown["transcript"] = json.loads(json.dumps(play.transcript, default=bytes.hex))
    return found


def conformance_json(report: ConformanceReport) -> str:
    """The report as one JSON object."""
    return json_text(_document(report))


def _document(report: ConformanceReport) -> dict[str, Any]:
    keys = "verdict design constants binding stage step_seconds quiet_seconds date seconds"
    more = "subjects traces versions skipped uncovered"
    return {
        **members(report, keys),
        **members(report, more),
        "series": [_series(series) for series in report.series],
    }


def _series(series: PlaySeries) -> dict[str, Any]:
    return {
        **members(series, "trace subject outcomes predicted contradicts unpredictable?"),
        "plays": [_play(play) for play in series.plays],
    }


def _play(play: Play) -> dict[str, Any]:
    keys = "number step role expected seen event seconds"
    return {
        **members(play, "verdict outcome reason? seconds told unlike"),
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
