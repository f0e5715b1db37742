"""The outcomes of cases for programs: JSON (docs/reference/json-test.md) and JUnit XML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from specmodel.errors import SpecError
from specmodel.regression.running import CaseOutcome
from specmodel.regression.session import Report
from specmodel.regression.suites import Case
from specmodel.results.plain import json_text, members, plain
from specmodel.views.junit import junit_text


def report_json(report: Report, written: Mapping[str, Path]) -> str:
    """The report as one JSON object."""
    return json_text(
        {
            "verdict": report.verdict,
            "cases": [_case(case, outcome, written) for case, outcome in report.entries],
            "skipped": list(report.skipped),
            "broken": [_broken(str(w), w) for w in report.broken],
            "growths": [
                {
                    **members(change, "name before after"),
                    "percent": round(change.grown, 2),
                    "allowed": change not in report.grown,
                }
                for change in report.growths
            ],
            **members(report, "since? seconds"),
        }
    )


def report_junit(report: Report) -> str:
    """The report as JUnit XML: a test case for each, broken files included."""
    suite = ElementTree.Element("testsuite", name="specmodel")
    numbers = {"failed": 0, "broken": 0, "incomplete": 0}
    for wrong in report.broken:
        about = ElementTree.SubElement(suite, "testcase", classname="specmodel", name=_first(wrong))
        _add_outcome(about, "error", str(wrong))
    for case, outcome in report.entries:
        about = ElementTree.SubElement(
            suite,
            "testcase",
            classname=outcome.design or "traces",
            name=outcome.name,
            file=case.place.file,
            line=str(case.place.line),
            time=f"{outcome.seconds:.3f}",
        )
        if outcome.status != "passed":
            numbers[outcome.status] += 1
            lines = [line for p in outcome.problems for line in (p.text, *p.details)]
            kind = "failure" if outcome.status == "failed" else "error"
            _add_outcome(about, kind, "\n".join(lines))
    for change in report.grown:
        about = ElementTree.SubElement(suite, "testcase", classname="size", name=change.name)
        _add_outcome(about, "failure", f"grown by {change.grown:.1f} % since {report.since}")
    for name in report.skipped:
        about = ElementTree.SubElement(
            suite, "testcase", classname=name.partition(":")[0], name=name
        )
        ElementTree.SubElement(about, "skipped")
    errors = numbers["broken"] + numbers["incomplete"] + len(report.broken)
    return junit_text(
        suite,
        failures=numbers["failed"] + len(report.grown),
        errors=errors,
        skipped=len(report.skipped),
        seconds=report.seconds,
    )


def _case(case: Case, outcome: CaseOutcome, written: Mapping[str, Path]) -> dict[str, Any]:
    check = "constants verdict complete distinct generated depth seconds coverage"
    problems = [
        members(p, "text details property=mismatch.property? vacuous") for p in outcome.problems
    ]
    return {
        **members(outcome, "name design"),
        **members(case.place, "file line"),
        "status": outcome.status,
        "problems": problems,
        "traces": [
            {**members(kept, "property steps"), "file": plain(written.get(kept.name))}
            for kept in outcome.traces
        ],
        "check": members(outcome, check) if outcome.checked else None,
    }


def _broken(text: str, wrong: Exception) -> dict[str, Any]:
    span = wrong.span if isinstance(wrong, SpecError) else None
    return {"text": text, "file": span and span.file, "line": span and span.line}


def _first(wrong: Exception) -> str:
    return str(wrong).partition("\n")[0]


def _add_outcome(about: ElementTree.Element, kind: str, text: str) -> None:
    element = ElementTree.SubElement(about, kind, message=text.partition("\n")[0])
    element.text = text
