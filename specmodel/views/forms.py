"""The forms that reports are made of: sections, verdicts, tables, bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.text import Text

from specmodel.views.page import Page, colour

BAR = 40
"""Columns of the longest bar."""


def sections(*parts: Iterable[Text]) -> Iterator[Text]:
    """The parts of a report, with an empty line after each part that has lines."""
    for part in parts:
        lines = list(part)
        yield from lines
        if lines:
            yield Text()


def verdicts(rows: Sequence[tuple[str, Sequence[str], str]], page: Page) -> Iterator[Text]:
    """A line for each verdict: its symbol, cells in columns, and its text."""
    columns = padded([cells for _, cells, _ in rows])
    for (verdict, _, said), cells in zip(rows, columns, strict=True):
        style = f"bold {colour(verdict)}"
        head = f" {'  '.join(cells)}  "
        yield Text.assemble("  ", (page.mark(verdict), style), head, (said, style))


def padded(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[list[str]]:
    """The cells of a table, those of a column equally wide; the columns in `right` are
    right-aligned.

    A row with fewer cells than others has none in the last columns.
    """
    columns = range(max(map(len, rows), default=0))
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in columns]
    return [
        [
            f"{cell:>{width}}" if at in right else f"{cell:<{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=False))
        ]
        for row in rows
    ]


def figures(
    title: str, columns: str, rows: Iterable[Sequence[str | int]], idle: str = ""
) -> Iterator[Text]:
    """A table of figures, each row beginning with a name; `columns` as in `fired:12, share:7`.

    These are the headings and the least columns that they take. `idle` is the style of rows whose
    first figure is 0.
    """
    rows = list(rows)
    heads = [
        (head, int(width)) for head, _, width in (c.rpartition(":") for c in columns.split(", "))
    ]
    names = max([len(title), *(len(str(row[0])) + 2 for row in rows)])
    head = " ".join(f"{head:>{width}}" for head, width in heads)
    yield Text(f"{title:<{names}}  {head}", "bold")
    for name, *cells in rows:
        pairs = zip(cells, heads, strict=True)
        figures_text = " ".join(f"{_figure(cell):>{width}}" for cell, (_, width) in pairs)
        yield Text(f"  {name:<{names - 2}}  {figures_text}".rstrip(), idle if cells[0] == 0 else "")


def _figure(cell: str | int) -> str:
    return f"{cell:,}" if isinstance(cell, int) else cell


def bars(title: str, counts: Mapping[int, int] | Mapping[str, int]) -> Iterator[Text]:
    """A bar chart of the number of each."""
    yield Text(title, "bold")
    largest = max(counts.values(), default=1)
    heads, width = max([3, *(len(str(head)) for head in counts)]), len(f"{largest:,}")
    for head, count in counts.items():
        bar = "#" * max(1, round(BAR * count / largest))
        yield Text(f"  {head:>{heads}}  {count:>{width},}  {bar}")


def cut(text: str, width: int) -> str:
    """The text, with an ellipsis for its end if it is longer than `width`."""
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."
