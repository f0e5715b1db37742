"""The coverage of a spec's code, as one page without other files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from specmodel.coverage.listing import Line, Listing, listings_of
from specmodel.coverage.places import missed, places
from specmodel.design import Design
from specmodel.results import PointCount, Result
from specmodel.views.ablation import placed
from specmodel.views.coverage import figures_of, heading, label_of, mark, notes, placed_file, share
from specmodel.views.points import never
from specmodel.views.summary import searched_line
from specmodel.views.symbols import UNICODE

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --page: #fff; --dim: #60666d; --line: #e3e6e9;
  --never: #b3261e; --never-page: #fdecea; --part: #8a5a00; --part-page: #fff6e0; --run: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --page: #15181b; --dim: #9aa1a8;
  --line: #2c3136; --never: #ff8a80; --never-page: #3a1715; --part: #ffca66; --part-page: #33280f;
  --run: #6fd08c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p.about, .dim { color: var(--dim); }
code, td.code { font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
table { border-collapse: collapse; width: 100%; }
th { text-align: right; padding: 1px 8px; color: var(--dim); } th:first-child { text-align: left; }
td { padding: 1px 8px; border-top: 1px solid var(--line); vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.rule td { padding-top: 10px; font-weight: 600; }
table.source td { border: 0; } td.code { white-space: pre-wrap; width: 100%; }
tr.note td.code { color: var(--dim); } tr.end td { padding-bottom: 14px; }
tr.never { background: var(--never-page); } tr.never td.number { color: var(--never); }
tr.part { background: var(--part-page); } tr.part td.number { color: var(--part); }
tr.run td.number { color: var(--run); } td.zero { color: var(--part); }
ul { list-style: none; padding: 0; } li b { color: var(--never); }
"""


def coverage_html(design: Design, result: Result) -> str:
    """The page."""
    name = escape(result.design)
    found = listings_of(result)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Coverage of {name}</title><style>{_STYLE}</style></head><body>",
            f"<h1>Coverage of {name}</h1>",
            f'<p class="about">{escape(searched_line(design, result).plain)}<br>',
            f"{escape(share(places(result.points)))}</p>",
            *_never(result),
            *_tables(result),
            *(line for listing in found for line in _source(listing)),
            "</body></html>",
        ]
    )


def _never(result: Result) -> Iterator[str]:
    found = missed(places(result.points))
    if found:
        yield "<h2>Never reached</h2><ul>"
        for place in found:
            where = f'<span class="dim">{escape(placed(place.point.span))}</span>'
            text = f"<code>{escape(never(place.point))}</code>"
            yield f"<li><b>{UNICODE.false}</b> {text} {where}</li>"
        yield "</ul>"


def _tables(result: Result) -> Iterator[str]:
    actions = [held for held in result.points if held.point.role == "action"]
    properties = [held for held in result.points if held.point.role != "action"]
    yield from _table("Actions", figures_of(actions), actions, result)
    yield from _table("Properties", ("true in",), properties, result)


def _table(
    title: str, heads: Sequence[str], found: Sequence[PointCount], result: Result
) -> Iterator[str]:
    if not found:
        return
    yield f"<h2>{title}</h2><table><thead><tr><th>condition</th>"
    yield "".join(f"<th>{head}</th>" for head in heads) + "</tr></thead><tbody>"
    for _, group in groupby(found, lambda held: held.point.rule):
        rule = list(group)
        about = escape(heading(rule[0], result).plain.strip())
        yield f'<tr class="rule"><td colspan="{len(heads) + 1}">{about}</td></tr>'
        for held in rule:
            text = label_of(held)
            if text:
                cells = map(_cell, (held.reached, held.false, held.alone)[: len(heads)])
                yield f"<tr><td><code>{escape(text)}</code></td>{''.join(cells)}</tr>"
    yield "</tbody></table>"


def _cell(number: int | None) -> str:
    if number is None:
        return '<td class="number">-</td>'
    return f'<td class="number{"" if number else " zero"}">{number:,}</td>'


def _source(listing: Listing) -> Iterator[str]:
    yield f'<h2>{escape(placed_file(listing))}</h2><table class="source"><tbody>'
    for function in listing.functions:
        for line in function:
            yield from _line(line, " end" if line is function[-1] else "")
    yield "</tbody></table>"


def _line(line: Line, last: str) -> Iterator[str]:
    shown = "" if line.count is None else f"{line.count:,}"
    yield (
        f'<tr class="{line.state}{last}"><td class="number">{shown} {mark(line, UNICODE)}</td>'
        f'<td class="number dim">{line.number}</td><td class="code">{escape(line.text)}</td></tr>'
    )
    indent = " " * (len(line.text) - len(line.text.lstrip()) + 4)
    for text in notes(line):
        yield (
            '<tr class="note"><td></td><td></td>'
            f'<td class="code">{indent}{UNICODE.below} {escape(text)}</td></tr>'
        )
