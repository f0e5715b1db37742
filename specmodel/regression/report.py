"""The outcomes of cases as text, and as annotations of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.text import Text

from specmodel.errors import SpecError
from specmodel.regression.expectations import growth
from specmodel.regression.running import CaseOutcome
from specmodel.regression.session import Report
from specmodel.regression.suites import Case
from specmodel.views.page import colour
from specmodel.views.summary import count


def report_lines(
    report: Report, written: Mapping[str, Path], *, verbose: bool = False
) -> Iterator[Text]:
    """Each case that did not pass with its problems, then changed sizes, then the totals.

    `written` are the files in which traces were saved, by their name; `verbose` lists every case.
    """
    for wrong in report.broken:
        yield Text.assemble(("broken", "bold red"), f"  {wrong}")
        yield Text()
    for case, outcome in report.entries:
        if outcome.status != "passed":
            yield from _unpassed(case, outcome, written)
            yield Text()
        elif verbose:
            yield _passed(outcome)
    if verbose:
        for name in report.skipped:
            yield Text(f"skipped  {name}", "dim")
    yield from _growths(report)
    yield Text.assemble(
        (totals(report), f"bold {colour(report.verdict)}"), f" in {report.seconds:.1f}s"
    )


def totals(report: Report) -> str:
    """`2 failed, 80 passed, 3 skipped`."""
    numbers = {
        status: sum(outcome.status == status for outcome in report.outcomes)
        for status in ("failed", "broken", "incomplete", "passed")
    }
    numbers["broken"] += len(report.broken)
    numbers["skipped"] = len(report.skipped)
    parts = [f"{number} {status}" for status, number in numbers.items() if number]
    if report.grown:
        parts.insert(0, f"{count(len(report.grown), 'state space')} grown too much")
    return ", ".join(parts) or "nothing was run"


def github_annotations(report: Report) -> Iterator[str]:
    """The cases that did not pass, as the commands with which a GitHub workflow marks lines."""
    for wrong in report.broken:
        span = wrong.span if isinstance(wrong, SpecError) else None
        place = {"file": span.file, "line": str(span.line)} if span else {}
        yield _annotation("error", {**place, "title": "specmodel: broken"}, str(wrong))
    for case, outcome in report.entries:
        if outcome.status == "passed":
            continue
        place = {"file": case.place.file, "line": str(case.place.line)}
        kind = "warning" if outcome.status == "incomplete" else "error"
        title = f"{outcome.name} {outcome.status}"
        yield _annotation(kind, {**place, "title": title}, "\n".join(_problems(outcome)))
    for change in report.growths:
        kind = "error" if change in report.grown else "notice"
        text = f"{growth_text(change.before.distinct, change.after.distinct)} since {report.since}"
        yield _annotation(kind, {"title": f"{change.name}: size"}, text)


def growth_text(before: int, after: int) -> str:
    """`states +14 %: 6,519 before, 7,432 now`."""
    share = growth(before, after) if before != after else "as before"
    return f"states {share}: {before:,} before, {after:,} now"


def _passed(outcome: CaseOutcome) -> Text:
    figures = ""
    if outcome.checked:
        seen = f"{count(outcome.distinct, 'state')}, depth {outcome.depth}"
        ending = "" if outcome.complete else ", to the first violation"
        figures = f"  {outcome.verdict}, {seen}{ending}"
    return Text.assemble(("passed", "bold blue"), f"   {outcome.name}{figures}")


def _unpassed(case: Case, outcome: CaseOutcome, written: Mapping[str, Path]) -> Iterator[Text]:
    place = f"{case.place.file}:{case.place.line}"
    style = f"bold {colour(outcome.status)}"
    yield Text.assemble((outcome.status, style), f"  {outcome.name}   ({place})")
    for line in _problems(outcome):
        yield Text(f"  {line}")
    for kept in outcome.traces:
        if kept.name in written:
            yield Text(f"  trace: {written[kept.name]}")


def _problems(outcome: CaseOutcome) -> Iterator[str]:
    for problem in outcome.problems:
        yield problem.text
        for line in problem.details:
            yield f"  {line}"


def _growths(report: Report) -> Iterator[Text]:
    for change in report.growths:
        before, after = change.before, change.after
        text = growth_text(before.distinct, after.distinct)
        depth = f", depth {before.depth} -> {after.depth}" if before.depth != after.depth else ""
        style = "bold red" if change in report.grown else ""
        yield Text(f"{change.name}: {text}{depth}, since {report.since}", style)


def _annotation(kind: str, about: Mapping[str, str], text: str) -> str:
    keys = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in about.items())
    return f"::{kind} {keys}::{_escaped(text)}"


def _escaped(text: str, more: str = "") -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    for character in more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
