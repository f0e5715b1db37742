"""The results of saved walks, as text and as JSON (docs/reference/json-space.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from specmodel.results.plain import json_text, members
from specmodel.space.walk_tables import Walks
from specmodel.views.forms import bars, figures, sections
from specmodel.views.page import Page
from specmodel.views.statistics import named
from specmodel.views.summary import count
from specmodel.views.wrapping import fitted

MOST_LENGTHS = 20
"""The greatest number of rows of lengths."""

Row = Mapping[str, Any]


def walks_lines(walks: Walks, page: Page) -> Iterator[Text]:
    """The lines of the report: lengths, actions, novelty, findings, number of walks."""
    lengths = _lengths(walks.table("depths").to_pylist())
    yield from sections(lengths, _actions(walks), _novelty(walks.table("novelty").to_pylist()))
    for found in walks.table("violations").to_pylist():
        yield from fitted(_violation(found), page.width)
    yield from fitted(_walked(walks), page.width)


def walks_json(walks: Walks) -> str:
    """The same as one JSON object; all tables but the one with a row for each walk."""
    manifest = walks.manifest
    content: dict[str, Any] = {
        "kind": "walks",
        **members(manifest, "design constants engine"),
        **{name: manifest.identity[name] for name in ("strategy", "seed", "depth")},
        **{name: walks.report[name] for name in ("verdict", "stopped", "steps", "cut", "longest")},
        "walks": walks.report["walks"],
        "ends": _ends(walks),
    }
    for name in ("coverage", "actions", "depths", "novelty", "violations"):
        content[name] = walks.table(name).to_pylist()
    for row in content["coverage"]:
        row["arguments"] = dict(row["arguments"])  # Arrow gives a map as pairs
    return json_text(content)


def _ends(walks: Walks) -> dict[str, int]:
    """The number of walks by the way in which they ended, most first."""
    counted = walks.table("walks").column("end").value_counts().to_pylist()
    return {row["values"]: row["counts"] for row in sorted(counted, key=lambda r: -r["counts"])}


def _lengths(depths: Sequence[Row]) -> Iterator[Text]:
    """The number of walks by length, in at most MOST_LENGTHS rows."""
    longest = max((row["states"] for row in depths), default=0)
    step = -(-longest // MOST_LENGTHS) or 1
    counts: dict[int, int] = {}
    for row in depths:
        place = (row["states"] - 1) // step
        counts[place] = counts.get(place, 0) + row["walks"]
    heads = {p: f"{p * step + 1}-{(p + 1) * step}" if step > 1 else f"{p + 1}" for p in counts}
    return bars("States of a walk", {heads[place]: counts[place] for place in sorted(counts)})


def _actions(walks: Walks) -> Iterator[Text]:
    made = walks.report["walks"] or 1
    rows = [
        (r["action"], r["fired"], f"{r['share']:.1%}", r["walks"], f"{r['walks'] / made:.1%}")
        for r in walks.table("actions").to_pylist()
    ]
    return figures("Actions", "fired:14, share:7, walks:12, share:7", rows, idle="yellow")


def _novelty(rows: Sequence[Row]) -> Iterator[Text]:
    before, content = 0, list[tuple[str | int, ...]]()
    for row in _some(rows):
        states = f"{'' if row['share'] == 1 else '~'}{row['states']:,}"
        new_a_walk = "" if row["new_a_walk"] is None else f"{row['new_a_walk']:.2g}"
        content.append(("", row["walks"], row["steps"], states, row["states"] - before, new_a_walk))
        before = row["states"]
    return figures("After", "walks:11, steps:14, states:12, new:12, new a walk:11", content)


def _some(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows that have twice the walks of the one before, and the last one."""
    least = 0
    for place, row in enumerate(rows):
        if row["walks"] >= least or place == len(rows) - 1:
            yield row
            least = 2 * row["walks"]


def _violation(row: Row) -> Text:
    short = "as short as any" if row["shortest"] else "there may be shorter ones"
    return Text.assemble(
        (row["property"], "bold red"),
        f" is violated by walk {row['walk']:,}, at {count(row['states'], 'state')}; shrunk to "
        f"{row['trace_length']}, {short}",
    )


def _walked(walks: Walks) -> Text:
    """`two-phase-commit at participants=3: 100,000 walks, 568,100 steps; uniform, seed 0, ...`."""
    manifest, report = walks.manifest, walks.report
    ended = f"; {report['stopped']}" if report["stopped"] in ("interrupted", "timeout") else ""
    plan = manifest.identity
    return Text(
        f"{named(manifest.design, manifest.constants)}: {count(report['walks'], 'walk')}, "
        f"{count(report['steps'], 'step')}; the longest had {count(report['longest'], 'state')}, "
        f"{report['cut']:,} cut off at {plan['depth']:,}; {plan['strategy']}, "
        f"seed {plan['seed']}{ended}"
    )
