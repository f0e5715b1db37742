"""Several counterexamples of different shapes, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from specmodel.analysis.counterexamples import Counterexamples, Shaped
from specmodel.analysis.shortest import Shape, ShortestGraph
from specmodel.design import Design
from specmodel.results import Step
from specmodel.results.plain import Keys, json_text, members, plain
from specmodel.traces.itf_values import encode
from specmodel.traces.notation import Notation
from specmodel.views.page import Page
from specmodel.views.summary import count


def counterexample_lines(design: Design, found: Counterexamples, page: Page) -> Iterator[Text]:
    """The lines of the report: each counterexample with its steps, then their common part."""
    notation = Notation.of_spec(design.spec)
    for number, shaped in enumerate(found.found, start=1):
        yield Text.assemble((f"{number}", "bold"), f"  {_heading(found, shaped)}")
        for part in textwrap.wrap(_shape(shaped.shape), max(30, page.width - 5)):
            yield Text(f"   {part}", "dim")
        for place, step in enumerate(shaped.trace.steps, start=2):
            yield Text(f"   {place:>3}  {notation.step(step)}")
        yield Text()
    for line in _together(found):
        yield from map(Text, textwrap.wrap(line, max(40, page.width)))
    yield _ending(found)


def _heading(found: Counterexamples, shaped: Shaped) -> str:
    parts = [count(shaped.trace.length, "state")]
    if shaped.trace.length == found.found[0].trace.length:
        parts.append("as short as any")
    if shaped.origin == "without":
        parts.append(f"without {', '.join(shaped.without)}")
    if shaped.origin == "walk":
        parts.append("from a walk: no step can be left out")
    if shaped.distance is not None:
        parts.append(f"{count(shaped.distance, 'step')} different from the nearest above")
    return ", ".join(parts)


def _shape(shape: Shape) -> str:
    return ", ".join(f"{many} {action}" for action, many in shape)


def _together(found: Counterexamples) -> Iterator[str]:
    """The lines about all of them."""
    graph = found.graph
    if graph is None:
        yield "Too many states for the graph of the shortest."
    else:
        shapes = f" in {count(found.shapes or 0, 'shape')}"
        yield (
            f"{count(graph.ways, 'way')} of {count(graph.length, 'state')}{shapes}: "
            f"{count(graph.states, 'state')}, {count(len(graph.edges), 'step')} between them; "
            f"by length {' '.join(str(len(level)) for level in graph.levels)}."
        )
    if found.needed:
        doubt = "" if found.decided else " (as far as the limits allowed to search)"
        yield (
            f"Any of up to {count(found.longest, 'state')} takes each of these actions{doubt}: "
            f"{', '.join(found.needed)}."
        )


def _ending(found: Counterexamples) -> Text:
    what = "witness" if found.kind == "reachable" else "counterexample"
    plural = "" if len(found.found) == 1 else "es" if what == "witness" else "s"
    return Text.assemble(
        (found.design, "bold"),
        f" {found.property}: {len(found.found)} {what}{plural} of different shape",
    )


def counterexamples_json(design: Design, found: Counterexamples) -> str:
    """The object as text (docs/reference/json-counterexamples.md)."""
    keys: Keys = {
        Shaped: "origin trace_length=trace.length steps=trace.steps shape without distance",
        Step: Notation().step,
    }
    content = members(found, "property kind found shapes needed decided longest", keys)
    for row, shaped in zip(content["found"], found.found, strict=True):
        row["shape"] = dict(shaped.shape)
    content["graph"] = None if found.graph is None else _graph(design, found.graph, keys)
    return json_text({"design": found.design, "constants": dict(design.values), **content})


def _graph(design: Design, graph: ShortestGraph, keys: Keys) -> dict[str, Any]:
    domain = design.spec.domain
    levels = [[encode(domain, state) for state in level] for level in graph.levels]
    return {
        **members(graph, "ways routes"),
        "levels": levels,
        "edges": plain(graph.edges, keys),
    }
