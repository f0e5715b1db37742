"""The difference of two saved spaces, as text and as JSON (docs/reference/json-space.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from specmodel.analysis.examples import trace_of
from specmodel.results import Trace
from specmodel.results.plain import Keys, json_text, members, plain
from specmodel.space.diff import ActionAlone, Example, Side, SpaceDifference
from specmodel.traces.notation import Notation
from specmodel.views.forms import figures
from specmodel.views.page import Page
from specmodel.views.statistics import space_line
from specmodel.views.summary import count
from specmodel.views.trace import trace_lines
from specmodel.views.wrapping import fitted

EXAMPLES = 1
"""The number of parting steps shown for each space, unless all are asked for."""


def difference_lines(found: SpaceDifference, page: Page, full: bool = False) -> Iterator[Text]:
    """The lines of the report. With `full`, a way to a parting step of each action."""
    for side in found.sides:
        yield from _side(side, page, full)
    both = f"{count(found.common, 'state')} and {count(found.common_steps, 'transition')} in both"
    moved = f", {found.moved:,} of the states at another depth" if found.moved else ""
    yield Text(f"{both}{moved}")
    for side in found.sides:
        yield Text.assemble(
            (_name(side), "bold"),
            f" alone: {count(side.states, 'state')}, {count(side.steps, 'transition')}",
        )


def difference_json(found: SpaceDifference) -> str:
    """The difference as one JSON object."""
    return json_text(
        {
            "common": members(found, "states=common transitions=common_steps"),
            "moved": found.moved,
            "sides": [_side_object(side) for side in found.sides],
        }
    )


def _side_object(side: Side) -> dict[str, Any]:
    keys: Keys = {
        Side: (
            "run=space.folder design=space.manifest.design constants=space.manifest.constants "
            "complete=space.complete states transitions=steps actions example"
        ),
        ActionAlone: "name transitions=steps parting states=found example",
        Example: lambda example: _example_object(side, example),
    }
    return plain(side, keys)


def _example_object(side: Side, example: Example) -> dict[str, Any]:
    """A way as ids of states and the steps between them."""
    bindings = side.space.manifest.bindings
    taken = [state.binding for state in example.path[1:]]
    taken += [] if example.last is None else [example.last]
    return {
        "states": [state.id for state in example.path],
        "steps": [str(bindings[number]) for number in taken],
    }


def _name(side: Side) -> str:
    return f"{side.space.manifest.design} ({side.space.folder})"


def _side(side: Side, page: Page, full: bool) -> Iterator[Text]:
    manifest, space = side.space.manifest, side.space
    steps = sum(level["generated"] for level in space.levels)
    seen = space_line(manifest.design, manifest.constants, space.size, steps, len(space.levels))
    ending = "complete" if space.complete else "incomplete: it may have more in common"
    style = "" if space.complete else "yellow"
    yield Text(str(space.folder), "bold")
    yield from fitted(Text(f"  {seen}, {ending}", style), page.width)
    yield Text()
    if not side.actions:
        yield Text("  nothing that the other has not")
        yield Text()
        return
    rows = [(a.name, a.steps, a.parting, a.found) for a in side.actions]
    columns = "transitions:12, parting:10, new states:11"
    yield from figures("Only here, by action", columns, rows)
    yield Text()
    yield from _examples(side, page, full)


def _examples(side: Side, page: Page, full: bool) -> Iterator[Text]:
    """The ways to parting steps, and to the first state that the other space does not have."""
    parting = [(a.name, a.example) for a in side.actions if a.example is not None]
    parting.sort(key=lambda held: len(held[1].path))
    ways = [
        (f"A step that only it has, {name}, {count(len(way.path) + 1, 'state')}:", way)
        for name, way in (parting if full else parting[:EXAMPLES])
    ]
    if side.example is not None and not any(_ends_there(side, way) for _, way in ways):
        length = count(len(side.example.path), "state")
        ways.append((f"The first state that only it has, {length}:", side.example))
    for heading, way in ways:
        yield Text(heading, "bold")
        yield Text()
        yield from _way(side, way, page)
        yield Text()


def _ends_there(side: Side, way: Example) -> bool:
    """Whether a way with its last step leads to the first state that only one space has."""
    assert side.example is not None
    *before, end = side.example.path
    return tuple(before) == way.path and end.binding == way.last


def _way(side: Side, way: Example, page: Page) -> Iterator[Text]:
    design = side.space.design
    if design is not None:
        trace: Trace = trace_of(side.space, design, way.path, way.last)
        yield from trace_lines(trace, design.spec, page)
        return
    # Without the source, only the values are known.
    manifest = side.space.manifest
    notation = Notation()
    for number, saved in enumerate(way.path, 1):
        step = "initial state" if saved.binding < 0 else str(manifest.bindings[saved.binding])
        yield Text(f"  {number}  {step}")
        state = manifest.layout.unpack(saved.words)
        for name in manifest.layout.domain.fields:
            yield Text(f"        {name} = {notation.value(getattr(state, name))}")
    if way.last is not None:
        yield Text(f"  {len(way.path) + 1}  {manifest.bindings[way.last]}")
