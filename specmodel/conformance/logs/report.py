"""Reports of validated logs: text, JSON (docs/reference/json-validate.md) and JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from rich.text import Text

from specmodel.conformance.logs.validation import TriedStep, UnmatchedEvent, ValidatedLog
from specmodel.results.plain import json_text, members
from specmodel.traces.notation import Notation
from specmodel.views.junit import junit_text
from specmodel.views.page import colour
from specmodel.views.rows import cell
from specmodel.views.summary import count

LONGEST = 200
"""Characters of an event that are shown."""


def verdict_of(reports: Sequence[ValidatedLog]) -> str:
    """The verdict about several logs: "failed" if one is."""
    return "failed" if any(each.verdict == "failed" for each in reports) else "passed"


def validation_lines(reports: Sequence[ValidatedLog]) -> Iterator[Text]:
    """What could not be matched and why, then the verdict on each log."""
    for report in reports:
        if report.unmatched or not reports[1:]:
            yield from _unmatched_lines(report)
    for report in reports:
        yield Text.assemble(
            *([f"{report.logs[0]}: "] if reports[1:] else []),
            (summary(report), f"bold {colour(report.verdict)}"),
            f" in {report.seconds:.1f}s",
        )
    if reports[1:]:
        passed = sum(report.verdict == "passed" for report in reports)
        text = f"{passed} of {count(len(reports), 'log')} are behaviours of {reports[0].design}"
        yield Text(text, f"bold {colour(verdict_of(reports))}")


def _unmatched_lines(report: ValidatedLog) -> Iterator[Text]:
    for number, state in enumerate(report.states, start=1):
        yield Text(f"After {count(report.matched, 'event')} the design may be in this state:")
        width = max(map(len, state), default=0)
        for name, value in state.items():
            yield Text(f"  {name.ljust(width)} = {value}")
        yield Text()
        for each in report.unmatched:
            if each.state == number:
                yield from _unmatched(each)
                yield Text()
    if (more := report.possible - len(report.states)) > 0 and report.states:
        yield Text(f"It may be in {count(more, 'more state')}, which are not shown.", "dim")
    if report.unknown and report.unmatched:
        names = ", ".join(report.unknown)
        yield Text(f"silent in the binding, and no action of {report.design}: {names}", "dim")
    yield Text(f"at most {count(report.widest, 'state')} at a time, {report.engine}", "dim")


def summary(report: ValidatedLog) -> str:
    """`all 7 events are a behaviour of lock`."""
    if report.verdict == "passed":
        return f"all {count(report.events, 'event')} are a behaviour of {report.design}"
    return f"{report.matched} of {count(report.events, 'event')} are a behaviour of {report.design}"


def _unmatched(event: UnmatchedEvent) -> Iterator[Text]:
    text = event.text if len(event.text) <= LONGEST else f"{event.text[: LONGEST - 3]}..."
    yield Text.assemble((f"{event.place} is no step from it: ", "bold"), text)
    for line in reasons(event):
        yield Text(f"  {line}")


def reasons(event: UnmatchedEvent) -> Iterator[str]:
    """Why an event is no step, line by line."""
    if event.why:
        yield event.why
    for tried in event.tried:
        yield from _reasons(tried)
    if event.more:
        yield f"and {count(event.more, 'more step')} that it could have been"


def _reasons(tried: TriedStep) -> Iterator[str]:
    if tried.failure:
        yield f"{tried.step} fails: {tried.failure}"
    elif tried.differing and tried.step:
        yield f"{tried.step} is possible, but then:"
    elif tried.step:
        yield f"{tried.step} is not possible:"
    for sentence in tried.false:
        yield f"  {sentence}"
    for name, has, says in tried.differing:
        yield f"  {name} is {_written(has)}, and the log says {_written(says)}"


def _written(value: Any) -> str:
    return cell(value) or "None"


def validation_json(report: ValidatedLog) -> str:
    """The report as one JSON object."""
    return json_text(_object(report))


def validations_json(reports: Sequence[ValidatedLog]) -> str:
    """The reports on several logs, each by itself, as one JSON object."""
    return json_text({"verdict": verdict_of(reports), "each": [_object(one) for one in reports]})


def _object(report: ValidatedLog) -> dict[str, Any]:
    write = Notation().step
    steps = [
        {"step": write(step), "event": label or None}
        for step, label in zip(report.trace.steps, report.labels, strict=True)
    ]
    keys = "verdict design constants binding logs events matched possible widest engine seconds"
    found = {"steps": steps, **members(report, "states unmatched unknown")}
    return {**members(report, keys), **found}


def validation_junit(reports: Sequence[ValidatedLog]) -> str:
    """The reports as JUnit XML: a test case for each."""
    suite = ElementTree.Element("testsuite", name=f"specmodel validate {reports[0].design}")
    for report in reports:
        name = " ".join(log.name for log in report.logs)
        seconds = f"{report.seconds:.3f}"
        case = ElementTree.SubElement(
            suite, "testcase", classname=report.design, name=name, time=seconds
        )
        if report.verdict == "failed":
            element = ElementTree.SubElement(case, "failure", message=summary(report))
            element.text = "\n".join(str(line) for line in _unmatched_lines(report))
    failures = sum(report.verdict == "failed" for report in reports)
    seconds = sum(report.seconds for report in reports)
    return junit_text(suite, failures=failures, errors=0, skipped=0, seconds=seconds)
