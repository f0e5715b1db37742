"""The comparison of designs, in Markdown, for the discussion of a proposal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specmodel.analysis.comparison import Comparison, Meeting
from specmodel.analysis.differences import Version
from specmodel.views.comparison import by_counterexample, rows, shown_constants
from specmodel.views.page import Page
from specmodel.views.replay_sentences import ReplaySentences
from specmodel.views.summary import count
from specmodel.views.symbols import UNICODE


def comparison_markdown(found: Comparison) -> Iterator[str]:
    """The lines of the report."""
    yield f"## {', '.join(design.name for design in found.designs)}"
    yield ""
    yield f"Checked at {shown_constants(found)}; a property that holds does so up to these bounds."
    yield ""
    yield from _table(rows(found, Page(0, UNICODE)))
    yield ""
    yield from _differences(found)
    for (number, names), meetings in by_counterexample(found):
        yield ""
        yield from _meetings(found, number, names, meetings)


def _table(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, row in enumerate(cells):
        yield f"| {' | '.join(_escaped(cell) for cell in row)} |"
        if number == 0:
            yield f"|{'---|' * len(row)}"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _differences(found: Comparison) -> Iterator[str]:
    differing = [d for d in found.differences if not d.alike]
    if not differing:
        yield "The actions are the same in all designs."
        return
    yield "### Actions that differ"
    yield ""
    cells = [["kind", *(design.name for design in found.designs)]]
    cells += [[f"`{d.kind}`", *map(_versions, d.versions)] for d in differing]
    yield from _table(cells)
    alike = [f"`{d.kind}`" for d in found.differences if d.alike]
    if alike:
        yield ""
        yield f"The same in all: {', '.join(alike)}."


def _versions(versions: Sequence[Version]) -> str:
    sentences: list[str] = []
    for version in versions:
        word = {False: "requires", True: "in one case requires"}
        own = [f"{word[site.sometimes]} `{site.text}`" for site in version.own]
        sentences.append("<br>".join([f"`{version.action}`", version.summary, *own]))
    return "<br>".join(sentences) or "none"


def _meetings(
    found: Comparison, number: int, names: Sequence[str], meetings: Sequence[Meeting]
) -> Iterator[str]:
    design, trace = found.designs[number], meetings[0].trace
    length = count(trace.length, "state")
    yield f"### Counterexample of {design.name} to {', '.join(names)}, {length}"
    yield ""
    for state, step in enumerate(trace.steps, start=2):
        yield f"{state - 1}. `{step}`"
    yield ""
    for meeting in meetings:
        rival = found.designs[meeting.rival].name
        if meeting.replayed is None:
            yield f"- On **{rival}** it cannot be replayed: {meeting.reason}"
            continue
        sentences = ReplaySentences(meeting.replayed, code=lambda text: f"`{text}`")
        ended = sentences.headline() if meeting.replayed.blocked else _can(sentences)
        yield f"- On **{rival}** it {ended}."
        for depth, text in sentences.details():
            yield f"{'  ' * (depth + 1)}- {text}"


def _can(sentences: ReplaySentences) -> str:
    return f"replays: {sentences.headline()}"
