"""Reports of plays as text and in Markdown: a table of subjects by traces, then each outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from specmodel.conformance.verdicts import ConformanceReport, Play, PlaySeries, SubjectParting
from specmodel.views.page import colour
from specmodel.views.rows import cell
from specmodel.views.summary import count

NOT_PLAYED = "not installed"


def conformance_lines(report: ConformanceReport) -> Iterator[Text]:
    """The table, what each play that did not follow its trace showed, and the totals."""
    titles = [("", *report.subjects)]
    rows = [(name, *_cells(report, name)) for name in report.traces]
    widths = [max(len(row[at]) for row in [*titles, *rows]) for at in range(len(titles[0]))]
    for number, row in enumerate([*titles, *rows]):
        line = Text()
        for at, text in enumerate(row):
            padded = text.ljust(widths[at])
            line.append(padded, "" if at == 0 or number == 0 else _style(report, rows, number, at))
            line.append("  ")
        line.rstrip()
        yield line
    for series in report.series:
        yield from _explained(series)
    yield Text()
    yield from (Text(line, "red") for line in contradictions(report.series))
    yield from (Text(line, "dim") for line in agreeing(report.series))
    for what, version in report.versions.items():
        yield Text(f"{what}: {version}", "dim")
    for name, why in report.skipped.items():
        yield Text(f"skipped {name}: {why}", "yellow")
    if report.uncovered:
        yield Text(f"in no trace: {', '.join(report.uncovered)}", "yellow")
    yield Text(
        f"a step was awaited for {report.step_seconds:g} s, anything more for"
        f" {report.quiet_seconds:g} s",
        "dim",
    )
    yield Text.assemble(
        (totals(report), f"bold {colour(report.verdict)}"), f" in {report.seconds:.1f}s"
    )


def totals(report: ConformanceReport) -> str:
    """`6 plays: 4 followed, 2 lost`."""
    verdicts = [play.verdict for play in report.plays]
    known = ("lost", "parted", "told", "incomparable", "followed")
    parts = [f"{verdicts.count(v)} {_word(v)}" for v in known if v in verdicts]
    return f"{count(len(verdicts), 'play')}: {', '.join(parts)}" if parts else "nothing was played"


def contradictions(series: Sequence[PlaySeries]) -> Iterator[str]:
    """Ends and transcripts that are not as the subjects' designs have them, and where these predict
    nothing."""
    for one in series:
        where = f"{one.subject} on {one.trace}"
        if one.unpredictable:
            yield f"{where}: nothing is predicted: {one.unpredictable}"
        if one.contradicts:
            ends = [" or ".join(ends) for ends in (one.contradicts, one.predicted)]
            yield f"{where}: {ends[0]}; its design predicts {ends[1]}"
        for unlike in dict.fromkeys(play.unlike for play in one.plays if play.unlike):
            yield f"{where}: {unlike}"


def agreeing(series: Sequence[PlaySeries]) -> Iterator[str]:
    """How many outcomes and transcripts are as the subjects' designs have them."""
    predicted = [one for one in series if one.predicted]
    if predicted:
        agreed = sum(not one.contradicts for one in predicted)
        yield f"{agreed} of {len(predicted)} outcomes are as the subjects' designs predict"
    held = [play for one in series for play in one.plays if play.unlike is not None]
    if held:
        agreed = sum(not play.unlike for play in held)
        yield f"{agreed} of {len(held)} transcripts are behaviours of the subjects' designs"


def conformance_markdown(report: ConformanceReport) -> Iterator[str]:
    """A table of subjects by traces, with versions and the date."""
    names = [*report.subjects, *report.skipped]
    yield f"| | {' | '.join(names)} |"
    yield f"|---{'|---' * len(names)}|"
    yield from markdown_rows(report, names)
    yield ""
    constants = ", ".join(f"{name}={value}" for name, value in report.constants.items())
    yield f"Design `{report.design}` at {constants}; stage `{report.stage}`; {report.date}."
    if report.versions:
        yield f"Versions: {'; '.join(report.versions.values())}."
    for line in (*contradictions(report.series), *agreeing(report.series)):
        yield from ("", f"{line}.")


def markdown_rows(report: ConformanceReport, subjects: Sequence[str]) -> Iterator[str]:
    """The rows of a table of these subjects: what each trace showed."""
    for name, title in report.traces.items():
        cells = [
            NOT_PLAYED if subject in report.skipped else _outcomes(report.of(name, subject))
            for subject in subjects
        ]
        yield f"| **{name}** {title} | {' | '.join(cells)} |"


def _cells(report: ConformanceReport, trace: str) -> list[str]:
    return [_outcomes(report.of(trace, subject)) for subject in report.subjects]


def _outcomes(series: PlaySeries | None) -> str:
    """`lost`, or `told (2), lost, parted at step 4 (1)` where plays differ."""
    if series is None:
        return ""
    outcomes = series.outcomes
    if len(outcomes) == 1:
        return next(iter(outcomes))
    return "; ".join(f"{outcome} ({number})" for outcome, number in outcomes.items())


def _style(report: ConformanceReport, rows: Sequence[Sequence[str]], number: int, at: int) -> str:
    text = rows[number - 1][at]
    if text in ("followed", "told", "as its design"):
        return "blue"
    return "yellow" if text == "cannot be compared" else "red"


def _word(verdict: str) -> str:
    return "cannot be compared" if verdict == "incomparable" else verdict


def _explained(series: PlaySeries) -> Iterator[Text]:
    """The first play with each outcome other than `followed`."""
    shown: set[str] = set()
    for play in series.plays:
        if play.outcome in shown or play.verdict == "followed":
            continue
        shown.add(play.outcome)
        yield Text()
        yield Text.assemble((f"{series.subject} on {series.trace}: ", "bold"), play.outcome)
        for line in explanation(play):
            yield Text(f"  {line}")


def explanation(play: Play) -> Iterator[str]:
    """Why a play has its verdict, line by line."""
    if play.reason:
        yield play.reason
    if play.free and play.unlike:
        yield f"the transcript: {play.unlike}"
    if play.broken is not None:
        yield f"{play.broken.name} is false of what was seen: {play.broken.why}"
        if not play.told:
            yield "the subject reported nothing"
    for text in dict.fromkeys(play.told):
        yield f"the subject reported: {text}"
    if play.parting is not None:
        yield from _parting(play.parting)


def _parting(parting: SubjectParting) -> Iterator[str]:
    where = parting.step or ("after the last step" if parting.number > 1 else "before any step")
    yield f"step {parting.number}, {where}:" if parting.step else f"{where}:"
    if parting.contrary:
        yield f"  {parting.contrary}"
    if parting.unseen:
        yield "  there was no sign of the step"
    if parting.expected:
        yield f"  expected {_observations(parting.expected)}"
        yield f"  seen     {_observations(parting.seen)}"
    if parting.still and parting.step and not parting.contrary:
        yield "  nothing that is observed has changed"
    elif not parting.instead and parting.seen:
        yield "  no step of the design has this effect"
    for done in parting.instead:
        if not done.false:
            yield f"  the design allows this too, by {done.step}"
            continue
        yield f"  as by {done.step}, whose guards are false here:"
        for sentence in done.false:
            yield f"    {sentence}"


def _observations(held: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {cell(value) or 'nothing'}" for name, value in held.items())
