"""How the cases of suites ended, for machines: JSON (docs/reference/json-test.md) and JUnit XML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from specmodel.errors import SpecError
from specmodel.regression.running import Outcome
from specmodel.regression.session import Report
from specmodel.regression.suites import Case

VERSION = 1
"""Raised when a key changes its meaning or goes; new keys may come without."""


def report_json(report: Report, written: Mapping[str, Path]) -> str:
    """The report as one JSON object."""
    found = {
        "version": VERSION,
        "verdict": report.verdict,
        "cases": [_case(case, outcome, written) for case, outcome in report.entries],
        "skipped": list(report.skipped),
        "broken": [_broken(str(w), w) for w in report.broken],
        "growths": [
            {
                "name": change.name,
                "before": vars(change.before),
                "after": vars(change.after),
                "percent": round(change.grown, 2),
                "allowed": change not in report.grown,
            }
            for change in report.growths
        ],
        "since": report.since or None,
        "seconds": round(report.seconds, 6),
    }
    return json.dumps(found, indent=2)


def report_junit(report: Report) -> str:
    """The report as JUnit XML: a test case each, broken files among them."""
    suite = ElementTree.Element("testsuite", name="specmodel")
    numbers = {"failed": 0, "broken": 0, "incomplete": 0}
    for wrong in report.broken:
        about = ElementTree.SubElement(suite, "testcase", classname="specmodel", name=_first(wrong))
        _told(about, "error", str(wrong))
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
            _told(about, kind, "\n".join(lines))
    for change in report.grown:
        about = ElementTree.SubElement(suite, "testcase", classname="size", name=change.name)
        _told(about, "failure", f"grown by {change.grown:.1f} % since {report.since}")
    for name in report.skipped:
        about = ElementTree.SubElement(
            suite, "testcase", classname=name.partition(":")[0], name=name
        )
        ElementTree.SubElement(about, "skipped")
    errors = numbers["broken"] + numbers["incomplete"] + len(report.broken)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(numbers["failed"] + len(report.grown)))
    suite.set("errors", str(errors))
    suite.set("skipped", str(len(report.skipped)))
    suite.set("time", f"{report.seconds:.3f}")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'


def _case(case: Case, outcome: Outcome, written: Mapping[str, Path]) -> dict[str, Any]:
    return {
        "name": outcome.name,
        "design": outcome.design,
        "file": case.place.file,
        "line": case.place.line,
        "status": outcome.status,
        "problems": [
            {
                "text": problem.text,
                "details": list(problem.details),
                "property": (problem.mismatch.property or None) if problem.mismatch else None,
                "vacuous": problem.vacuous,
            }
            for problem in outcome.problems
        ],
        "traces": [
            {
                "property": kept.property,
                "steps": list(kept.steps),
                "file": str(written[kept.name]) if kept.name in written else None,
            }
            for kept in outcome.traces
        ],
        "check": _check(outcome) if outcome.checked else None,
    }


def _check(outcome: Outcome) -> dict[str, Any]:
    return {
        "constants": dict(outcome.constants),
        "verdict": outcome.verdict,
        "complete": outcome.complete,
        "distinct": outcome.distinct,
        "generated": outcome.generated,
        "depth": outcome.depth,
        "seconds": round(outcome.seconds, 6),
        "coverage": dict(outcome.coverage),
    }


def _broken(text: str, wrong: Exception) -> dict[str, Any]:
    span = wrong.span if isinstance(wrong, SpecError) else None
    return {
        "text": text,
        "file": span.file if span else None,
        "line": span.line if span else None,
    }


def _first(wrong: Exception) -> str:
    return str(wrong).partition("\n")[0]


def _told(about: ElementTree.Element, kind: str, text: str) -> None:
    told = ElementTree.SubElement(about, kind, message=text.partition("\n")[0])
    told.text = text
