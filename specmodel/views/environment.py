"""The report of `doctor`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from specmodel.environment import EnvironmentEntry
from specmodel.results.plain import json_text, plain
from specmodel.views.page import Page
from specmodel.views.wrapping import wrapped


def findings_lines(found: Sequence[EnvironmentEntry], works: bool, page: Page) -> Iterator[Text]:
    """A line for each entry, with its remedy below."""
    symbols = page.symbols
    marks = {"fine": symbols.true, "missing": symbols.unknown, "wrong": symbols.false}
    styles = {"fine": "green", "missing": "yellow", "wrong": "bold red"}
    names = max(len(finding.name) for finding in found)
    room = max(20, page.width - names - 6)
    for finding in found:
        first, *more = wrapped(finding.text, room)
        style = styles[finding.state]
        yield Text.assemble(
            "  ", (marks[finding.state], style), f" {finding.name:<{names}}  {first}"
        )
        for line in more:
            yield Text(f"{'':<{names + 6}}{line}")
        if finding.remedy:
            for line in wrapped(f"-> {finding.remedy}", room):
                yield Text(f"{'':<{names + 6}}{line}", style)
    yield Text()
    yield Text("designs can be checked" if works else "designs cannot be checked", "bold")


def findings_json(found: Sequence[EnvironmentEntry], works: bool) -> str:
    """The findings as one JSON object."""
    return json_text({"works": works, "findings": plain(list(found))})
