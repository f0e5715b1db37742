"""Designs at many constants, as text and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from rich.text import Text

from specmodel.analysis.searches import Judged
from specmodel.analysis.sweep import Point, Setting, Sweep
from specmodel.analysis.tables import sweep_rows
from specmodel.design import Design
from specmodel.views.ablation import shown_constants
from specmodel.views.summary import count, value_text
from specmodel.views.symbols import Symbols


def sweep_lines(found: Sweep, symbols: Symbols) -> Iterator[Text]:
    """The lines of the report: for each design its grid, where it fails first, how it grows."""
    for design in found.designs:
        yield from _grid(found, design, symbols)
        yield Text()
        yield from _smallest(found, design.name)
        yield from _growth(found, design.name, symbols)
        yield Text()
    if len(found.designs) > 1:
        yield from _summary(found)


def sweep_csv(found: Sweep) -> str:
    """A row for each point and property; the constants that any design has are the first columns.

    A point where the spec fails has one row without a property.
    """
    made = sweep_rows(found)
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(made.columns)
    rows.writerows([_plain(cell) for cell in row] for row in made.rows)
    return written.getvalue().rstrip("\n")


def _plain(value: object) -> object:
    """A cell as text has it; None is nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    return round(value, 6) if isinstance(value, float) else value


def _grid(found: Sweep, design: Design, symbols: Symbols) -> Iterator[Text]:
    points, names = found.of(design.name), found.properties(design.name)
    fixed = shown_constants(design, found.varied)
    yield Text.assemble((design.name, "bold"), f" at {fixed}" if fixed else "")
    heading = [*found.varied, *names, "states", "depth"]
    rows = [[*map(value_text, p.setting.values()), *_found(p, names, symbols)] for p in points]
    widths = [
        max(len(heading[i]), *(len(row[i]) for row in rows if i < len(row)))
        for i in range(len(heading))
    ]
    yield Text(_line(heading, widths), "dim")
    for row, point in zip(rows, points, strict=True):
        yield Text(_line(row, widths) if not point.outcome.failure else _failed(row, widths))


def _found(point: Point, names: Sequence[str], symbols: Symbols) -> list[str]:
    outcome = point.outcome
    if outcome.failure:
        return [outcome.failure]
    states = f"{outcome.distinct:,}{'' if outcome.complete else '+'}"
    return [*(_mark(outcome[name], symbols) for name in names), states, str(outcome.depth)]


def _mark(found: Judged, symbols: Symbols) -> str:
    """A verdict in short, with the states of the counterexample if there is one."""
    marks = {"holds": symbols.true, "violated": symbols.false, "incomplete": symbols.unknown}
    violated = found.verdict == "violated" and found.trace_length is not None
    return f"{marks[found.verdict]} {found.trace_length}" if violated else marks[found.verdict]


def _settings(setting: Setting) -> str:
    return ", ".join(f"{name}={value_text(value)}" for name, value in setting.items())


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    figures = len(row) - 2
    cells = [
        f"{c:>{w}}" if i >= figures else f"{c:<{w}}"
        for i, (c, w) in enumerate(zip(row, widths, strict=True))
    ]
    return f"  {'  '.join(cells)}".rstrip()


def _failed(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [f"{c:<{w}}" for c, w in zip(row[:-1], widths, strict=False)]
    return f"  {'  '.join([*cells, f'the spec fails: {row[-1]}'])}"


def _smallest(found: Sweep, design: str) -> Iterator[Text]:
    names = found.properties(design)
    column = max(map(len, names), default=0)
    yield Text("  smallest failing")
    for name in names:
        places = [
            f"{_settings(p.setting)} ({_length(p, name)})" for p in found.smallest(design, name)
        ]
        open_at = len(found.undecided(design, name))
        told = "; ".join(places) or f"none up to {_settings(_top(found))}"
        told += f"; not decided at {count(open_at, 'point')}" if open_at else ""
        yield Text(f"    {name:<{column}}  {told}", "red" if places else "")


def _length(point: Point, name: str) -> str:
    length = point.outcome[name].trace_length
    return "no state meets it" if length is None else count(length, "state")


def _top(found: Sweep) -> Setting:
    return {name: max(values) for name, values in found.varied.items()}


def _growth(found: Sweep, design: str, symbols: Symbols) -> Iterator[Text]:
    growth = found.growth(design)
    if not growth:
        return
    yield Text("  growth of the states")
    steps = [
        f"{g.constant} {value_text(g.before)} {symbols.arrow} {value_text(g.after)}" for g in growth
    ]
    column = max(map(len, steps))
    for step, g in zip(steps, growth, strict=True):
        spread = f" ({g.least:.1f} to {g.most:.1f})" if g.pairs > 1 else ""
        yield Text(f"    {step:<{column}}  times {g.mean:.1f}{spread}")


def _summary(found: Sweep) -> Iterator[Text]:
    """The smallest failing points of all designs, as tuples of the varied constants."""
    designs = [design.name for design in found.designs]
    names = list(dict.fromkeys(n for d in designs for n in found.properties(d)))
    yield Text(f"Smallest failing ({', '.join(found.varied)})", "bold")
    rows = [["", *names]]
    for design in designs:
        mine = found.properties(design)
        rows.append([design, *(_tuples(found, design, n) if n in mine else "-" for n in names)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield Text(f"  {line}".rstrip())


def _tuples(found: Sweep, design: str, name: str) -> str:
    points = found.smallest(design, name)
    written = [f"({', '.join(map(value_text, p.setting.values()))})" for p in points]
    return " ".join(written) or ("not decided" if found.undecided(design, name) else "none")
