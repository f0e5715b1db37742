"""What saved walks have shown, as text and as JSON (docs/reference/json-space.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from specmodel.results.plain import json_text, members
from specmodel.space.walks.saved import Walks
from specmodel.views.summary import count, value_text
from specmodel.views.wrapping import fitted

BAR = 40

MOST_LENGTHS = 20
"""Rows of lengths that are shown at most."""

Row = Mapping[str, Any]


def walks_lines(walks: Walks, width: int) -> Iterator[Text]:
    """The lines of the report: lengths, actions, novelty, what was found, how much was walked."""
    yield from _lengths(walks.table("depths").to_pylist())
    yield Text()
    yield from _actions(walks)
    yield Text()
    yield from _novelty(walks.table("novelty").to_pylist())
    yield Text()
    for found in walks.table("violations").to_pylist():
        yield from fitted(_violation(found), width)
    yield from fitted(_walked(walks), width)


def walks_json(walks: Walks) -> str:
    """The same as one JSON object; all tables but the one with a row for each walk."""
    manifest = walks.manifest
    told: dict[str, Any] = {
        "kind": "walks",
        **members(manifest, "design constants engine"),
        **{name: manifest.identity[name] for name in ("strategy", "seed", "depth")},
        **{name: walks.report[name] for name in ("verdict", "stopped", "steps", "cut", "longest")},
        "walks": walks.report["walks"],
        "ends": _ends(walks),
    }
    for name in ("coverage", "actions", "depths", "novelty", "violations"):
        told[name] = walks.table(name).to_pylist()
    for row in told["coverage"]:
        row["arguments"] = dict(row["arguments"])  # Arrow gives a map as pairs
    return json_text(told)


def _ends(walks: Walks) -> dict[str, int]:
    """How many walks ended in which way, most first."""
    counted = walks.table("walks").column("end").value_counts().to_pylist()
    return {row["values"]: row["counts"] for row in sorted(counted, key=lambda r: -r["counts"])}


def _lengths(depths: Sequence[Row]) -> Iterator[Text]:
    """How many walks were how long, in no more than so many rows."""
    yield Text("States of a walk", "bold")
    longest = max((row["states"] for row in depths), default=0)
    step = -(-longest // MOST_LENGTHS) or 1
    counts: dict[int, int] = {}
    for row in depths:
        place = (row["states"] - 1) // step
        counts[place] = counts.get(place, 0) + row["walks"]
    largest = max(counts.values(), default=1)
    heads = {p: f"{p * step + 1}-{(p + 1) * step}" if step > 1 else f"{p + 1}" for p in counts}
    left, right = max(map(len, heads.values()), default=0), len(f"{largest:,}")
    for place, walks in sorted(counts.items()):
        bar = "#" * max(1, round(BAR * walks / largest))
        yield Text(f"  {heads[place]:>{max(3, left)}}  {walks:>{right},}  {bar}")


def _actions(walks: Walks) -> Iterator[Text]:
    rows = walks.table("actions").to_pylist()
    names = max([len("Actions"), *(len(row["action"]) + 2 for row in rows)])
    head = f"{'fired':>14} {'share':>7} {'walks':>12} {'share':>7}"
    yield Text(f"{'Actions':<{names}}  {head}", "bold")
    made = walks.report["walks"] or 1
    for row in rows:
        figures = (
            f"{row['fired']:>14,} {row['share']:>7.1%} {row['walks']:>12,} "
            f"{row['walks'] / made:>7.1%}"
        )
        style = "" if row["fired"] else "yellow"
        yield Text(f"  {row['action']:<{names - 2}}  {figures}", style)


def _novelty(rows: Sequence[Row]) -> Iterator[Text]:
    head = f"{'walks':>12} {'steps':>14} {'states':>12} {'new':>12} {'new a walk':>11}"
    yield Text(f"After {head}", "bold")
    before = 0
    for row in _some(rows):
        about = " " if row["share"] == 1 else "~"
        new_a_walk = "" if row["new_a_walk"] is None else f"{row['new_a_walk']:.2g}"
        states = f"{about}{row['states']:,}"
        yield Text(
            f"      {row['walks']:>12,} {row['steps']:>14,} {states:>12} "
            f"{row['states'] - before:>12,} {new_a_walk:>11}".rstrip()
        )
        before = row["states"]


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
    held = [f"{n}={value_text(v)}" for n, v in manifest.constants.items() if v is not False]
    at = f" at {', '.join(held)}" if held else ""
    ended = f"; {report['stopped']}" if report["stopped"] in ("interrupted", "timeout") else ""
    plan = manifest.identity
    return Text(
        f"{manifest.design}{at}: {count(report['walks'], 'walk')}, "
        f"{count(report['steps'], 'step')}; the longest had {count(report['longest'], 'state')}, "
        f"{report['cut']:,} cut off at {plan['depth']:,}; {plan['strategy']}, "
        f"seed {plan['seed']}{ended}"
    )
