"""Designs at many constants, as text and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from specmodel.analysis.searches import Judged
from specmodel.analysis.sweep import Setting, Sweep, SweepPoint, sweep_rows
from specmodel.design import Design
from specmodel.results.plain import DIGITS
from specmodel.views.forms import padded
from specmodel.views.page import Page
from specmodel.views.rows import csv_lines
from specmodel.views.summary import bounds, count, value_text


def sweep_lines(found: Sweep, page: Page) -> Iterator[Text]:
    """The lines of the report: each design's grid, its smallest failing points, its growth."""
    for design in found.designs:
        yield from _grid(found, design, page)
        yield Text()
        yield from _smallest(found, design.name)
        yield from _growth(found, design.name, page)
        yield Text()
    if len(found.designs) > 1:
        yield from _summary(found)


def sweep_csv(found: Sweep) -> Iterator[str]:
    """A row for each point and property; the constants that any design has are the first columns.

    A point where the spec fails has one row without a property.
    """
    made = sweep_rows(found)
    rows = [[round(c, DIGITS) if isinstance(c, float) else c for c in row] for row in made.cells()]
    return csv_lines(tuple(made.columns), rows)


def _grid(found: Sweep, design: Design, page: Page) -> Iterator[Text]:
    points, names = found.of(design.name), found.properties(design.name)
    fixed = bounds({n: c for n, c in design.constants.items() if n not in found.varied})
    yield Text.assemble((design.name, "bold"), f" at {fixed}" if fixed else "")
    heading = [*found.varied, *names, "states", "depth"]
    rows = [[*map(value_text, p.setting.values()), *_found(p, names, page)] for p in points]
    right = (len(heading) - 2, len(heading) - 1)
    head, *lines = padded([heading, *rows], right)
    yield Text(f"  {'  '.join(head)}".rstrip(), "dim")
    for cells, point in zip(lines, points, strict=True):
        if point.outcome.failure:
            cells[-1] = f"the spec fails: {point.outcome.failure}"
        yield Text(f"  {'  '.join(cells)}".rstrip())


def _found(point: SweepPoint, names: Sequence[str], page: Page) -> list[str]:
    outcome = point.outcome
    if outcome.failure:
        return [outcome.failure]
    states = f"{outcome.distinct:,}{'' if outcome.complete else '+'}"
    return [*(_mark(outcome[name], page) for name in names), states, str(outcome.depth)]


def _mark(found: Judged, page: Page) -> str:
    """The symbol of a verdict, with the length of the counterexample if there is one."""
    violated = found.verdict == "violated" and found.trace_length is not None
    length = f" {found.trace_length}" if violated else ""
    return f"{page.mark(found.verdict)}{length}"


def _settings(setting: Setting) -> str:
    return ", ".join(f"{name}={value_text(value)}" for name, value in setting.items())


def _smallest(found: Sweep, design: str) -> Iterator[Text]:
    names = found.properties(design)
    column = max(map(len, names), default=0)
    yield Text("  smallest failing")
    for name in names:
        places = [
            f"{_settings(p.setting)} ({_length(p, name)})" for p in found.smallest(design, name)
        ]
        open_at = len(found.undecided(design, name))
        text = "; ".join(places) or f"none up to {_settings(_top(found))}"
        text += f"; not decided at {count(open_at, 'point')}" if open_at else ""
        yield Text(f"    {name:<{column}}  {text}", "red" if places else "")


def _length(point: SweepPoint, name: str) -> str:
    length = point.outcome[name].trace_length
    return "no state meets it" if length is None else count(length, "state")


def _top(found: Sweep) -> Setting:
    return {name: max(values) for name, values in found.varied.items()}


def _growth(found: Sweep, design: str, page: Page) -> Iterator[Text]:
    growth = found.growth(design)
    if not growth:
        return
    yield Text("  growth of the states")
    steps = [
        f"{g.constant} {value_text(g.before)} {page.symbols.arrow} {value_text(g.after)}"
        for g in growth
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
    for row in padded(rows):
        yield Text(f"  {'  '.join(row)}".rstrip())


def _tuples(found: Sweep, design: str, name: str) -> str:
    points = found.smallest(design, name)
    written = [f"({', '.join(map(value_text, p.setting.values()))})" for p in points]
    return " ".join(written) or ("not decided" if found.undecided(design, name) else "none")
