"""The rows of a query: as a table, as CSV, as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from specmodel.domains.shapes import is_mapping, is_sequence
from specmodel.results.plain import plain
from specmodel.views.forms import padded

Rows = Sequence[Sequence[Any]]


def table_lines(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """Columns side by side, numbers to the right."""
    right = [
        at
        for at in range(len(columns))
        if any(isinstance(row[at], int | float) for row in rows)
        and all(row[at] is None or isinstance(row[at], int | float) for row in rows)
    ]
    for row in padded([columns, *(list(map(cell, row)) for row in rows)], right):
        yield "  ".join(row).rstrip()


def csv_lines(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """A line of names, then one for each row; nested values as JSON."""
    for row in [list(columns), *rows]:
        held = io.StringIO()
        csv.writer(held, lineterminator="").writerow([_flat(value) for value in row])
        yield held.getvalue()


def json_lines(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """A list of objects, one a line."""
    if not rows:
        yield "[]"
        return
    for number, row in enumerate(rows):
        text = json.dumps(
            dict(zip(columns, plain(row), strict=True)), ensure_ascii=False, default=str
        )
        yield f"{'[' if number == 0 else ' '}{text}{',' if number < len(rows) - 1 else ']'}"


def cell(value: Any) -> str:
    """A value on one line: `{epoch: 1, isr: [r1, r2]}`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if is_mapping(value):
        return f"{{{', '.join(f'{key}: {_part(held)}' for key, held in value.items())}}}"
    if is_sequence(value):
        return f"[{', '.join(map(_part, value))}]"
    return str(value)


def _part(value: Any) -> str:
    return "null" if value is None else cell(value)


def _flat(value: Any) -> Any:
    """A value within a line of CSV."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return json.dumps(plain(value), ensure_ascii=False, default=str)
