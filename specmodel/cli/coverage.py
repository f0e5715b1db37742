"""`specmodel coverage`: what of a design's code a search runs, and which guards decide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from specmodel.cli import output as out
from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, INCOMPLETE, guarded
from specmodel.cli.options import NoProgress, Output, Search, Subject

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.design import Design
    from specmodel.results import Result


@guarded
def coverage(
    *,
    subject: Subject,
    source: bool = option(False, "The source as well, with counts in the margin.", "--source"),
    html: Path | None = option(None, "Write a page with the source here.", metavar="FILE"),
    search: Annotated[
        Search, "properties", "engine", "workers", "max_states", "max_memory", "timeout"
    ],
    report: Output,
    quiet: NoProgress = False,
) -> int:
    """Explore a design and count what of its code is run, and which guards decide.

    Exit codes: 0 done, whatever was found; 2 wrong usage or a mistake in the spec; 3 incomplete.
    """
    from specmodel import api
    from specmodel.cli.progress import ProgressLine
    from specmodel.views import json_result

    out.refuse_unwritable(html)
    design = subject.design()
    with ProgressLine(quiet) as line:
        result = api.check(
            design, **search.given(), keep_going=True, coverage=True, progress=line.progress
        )
    report.show(
        json=lambda: json_result.coverage_json(result),
        text=lambda: _lines(design, result, source, report),
    )
    if html is not None:
        from specmodel.views.coverage_html import coverage_html

        out.write_file(html, coverage_html(design, result))
    return HOLDS if result.complete else INCOMPLETE


def _lines(design: Design, result: Result, source: bool, report: Output) -> Iterator[Text]:
    from specmodel.coverage.listing import listings_of
    from specmodel.views.coverage import coverage_lines, listing_lines
    from specmodel.views.summary import searched_line

    if source:
        yield from listing_lines(listings_of(result), report.page().symbols)
    yield from coverage_lines(result, report.page())
    yield searched_line(design, result)
