"""The comparison of designs, as text."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from specmodel.analysis.comparison import Comparison, Meeting
from specmodel.analysis.differences import ActionDifference, Version
from specmodel.results import PropertyResult, Result
from specmodel.views.forms import padded
from specmodel.views.page import Page, colour
from specmodel.views.replay_sentences import ReplaySentences, placed
from specmodel.views.summary import bounds, count


def comparison_lines(found: Comparison, page: Page) -> Iterator[Text]:
    """The lines of the report: the table, the differing actions, counterexamples on rivals."""
    yield Text(f"at {shown_constants(found)}", "dim")
    yield Text()
    yield from _table(found, page)
    yield Text()
    yield from _differences(found, page.width)
    for (number, names), meetings in by_counterexample(found):
        yield Text()
        yield from _meetings(found, number, names, meetings, page.width)


def by_counterexample(
    found: Comparison,
) -> Iterator[tuple[tuple[int, tuple[str, ...]], list[Meeting]]]:
    """The replays of each counterexample, with its design and violated properties."""
    for key, group in itertools.groupby(found.meetings, lambda m: (m.design, m.properties)):
        yield key, list(group)


def shown_constants(found: Comparison) -> str:
    """The constants; a switch only if some design has a value other than its default."""
    constants = {n: c for design in found.designs for n, c in design.constants.items()}
    return bounds(constants) or "no constants"


def rows(found: Comparison, page: Page) -> list[list[str]]:
    """The table as text, its heading first: verdicts, then figures."""
    head = ["design", *found.properties, "states", "depth", "time"]
    return [head, *(_row(found, result, page) for result in found.results)]


def _row(found: Comparison, result: Result, page: Page) -> list[str]:
    properties = {p.name: p for p in result.properties}
    cells = [_cell(properties.get(name), page) for name in found.properties]
    distinct, _ = result.counts
    states = f"{distinct:,}{'' if result.complete else ' seen'}"
    rate = distinct / result.seconds if result.seconds > 0 else 0.0
    time = f"{result.seconds:.2f} s ({rate:,.0f} states/s)"
    return [result.design, *cells, states, str(result.depth), time]


def _cell(found: PropertyResult | None, page: Page) -> str:
    if found is None:
        return "-"
    mark = page.mark(found.verdict)
    if found.trace_length is None:
        return f"{mark} {'not decided' if found.verdict == 'incomplete' else found.verdict}"
    word = "reached in" if found.kind == "reachable" else "in"
    return f"{mark} {word} {count(found.trace_length, 'state')}"


def _table(found: Comparison, page: Page) -> Iterator[Text]:
    styles = {page.mark(verdict): colour(verdict) for verdict in ("holds", "violated")}
    for number, row in enumerate(padded(rows(found, page))):
        line = Text("  ")
        for cell in row:
            line.append(f"{cell}  ", styles.get(cell[:1], "") if number else "dim")
        line.rstrip()
        yield line


def _differences(found: Comparison, width: int) -> Iterator[Text]:
    differing = [d for d in found.differences if not d.alike]
    alike = [d.kind for d in found.differences if d.alike]
    if not differing:
        yield Text("The actions are the same in all designs.")
        return
    yield Text("Actions that differ", "bold")
    names = max(len(design.name) for design in found.designs)
    for difference in differing:
        yield Text(f"  {difference.kind}", "bold cyan")
        for design, versions in zip(found.designs, difference.versions, strict=True):
            yield from _versions(f"    {design.name:<{names}}  ", versions, difference, width)
    if alike:
        yield from wrapped(f"  the same in all: {', '.join(alike)}", 4, width)


def _versions(
    label: str, versions: Sequence[Version], difference: ActionDifference, width: int
) -> Iterator[Text]:
    if not versions:
        yield Text(f"{label}none")
    for version in versions:
        summary = f": {version.summary}" if version.summary else ""
        yield from wrapped(f"{label}{version.action}{summary}", len(label), width)
        for site in version.own:
            word = "in one case requires" if site.sometimes else "requires"
            text = f"{' ' * len(label)}{word} {site.text}{placed(site.via, site.span)}"
            yield from wrapped(text, len(label) + 4, width)


def _meetings(
    found: Comparison, number: int, names: Sequence[str], meetings: Sequence[Meeting], width: int
) -> Iterator[Text]:
    design, trace = found.designs[number], meetings[0].trace
    length = count(trace.length, "state")
    title = f"Counterexample of {design.name} to {', '.join(names)}, {length}"
    yield Text(title, "bold")
    digits = len(str(trace.length))
    for state, step in enumerate(trace.steps, start=2):
        stops = [
            found.designs[m.rival].name
            for m in meetings
            if m.replayed and m.replayed.blocked and m.replayed.blocked.number == state
        ]
        line = Text.assemble((f"  {state:>{digits}}", "bold"), f"  {step}")
        if stops:
            line.append(f"   {', '.join(stops)} cannot", "bold red")
        yield line
    for meeting in meetings:
        rival = found.designs[meeting.rival].name
        if meeting.replayed is None:
            yield from wrapped(f"  on {rival}: cannot be replayed: {meeting.reason}", 4, width)
            continue
        sentences = ReplaySentences(meeting.replayed)
        yield from wrapped(f"  on {rival}: {sentences.headline()}", 4, width)
        for depth, text in sentences.details():
            yield from wrapped(f"{' ' * (4 + 2 * depth)}{text}", 8 + 2 * depth, width)


def wrapped(text: str, hanging: int, width: int) -> Iterator[Text]:
    """A line, broken if it is too long; continuation lines are indented."""
    lines = textwrap.wrap(
        text,
        max(width, hanging + 40),
        subsequent_indent=" " * hanging,
        break_on_hyphens=False,
        break_long_words=False,
        drop_whitespace=True,
    )
    yield from map(Text, lines)
