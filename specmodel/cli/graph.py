"""`specmodel graph`: states, traces and who spoke to whom, as pictures and for other programs."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING

from specmodel.cli import output as out
from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, guarded, remark
from specmodel.cli.options import Bound, DesignOrTrace, TraceBy
from specmodel.errors import UsageError
from specmodel.options import MOST

if TYPE_CHECKING:
    from specmodel.design import Design
    from specmodel.graphs.model import DrawnGraph
    from specmodel.graphs.sequence import Chart
    from specmodel.results import PropertyResult


class Show(enum.StrEnum):
    """The drawn graph."""

    states = enum.auto()
    trace = enum.auto()
    shortest = enum.auto()
    sequence = enum.auto()


@guarded
def graph(
    target: DesignOrTrace,
    *,
    show: Show | None = option(
        None,
        "states, trace, shortest (all shortest traces), or sequence (a chart of messages)."
        " [default: states; of a trace: trace]",
    ),
    by: list[str] | None = option(
        None, "States with equal values as one. Repeatable.", "--by", metavar="EXPR"
    ),
    by_depth: bool = option(False, "States by their depth.", "--by-depth"),
    around: str = option("", "The part around a state: the first that meets...", metavar="EXPR|N"),
    hops: int = option(1, "With --around: at most so many steps.", min=0, max=MOST),
    invariant: str = option("", "The property whose trace is drawn, of any kind.", metavar="NAME"),
    on: TraceBy = "",
    output: Path | None = option(
        None,
        "x.svg, .png, .pdf, .dot, .graphml, .json; a chart also .mmd. [default: DOT,"
        " a chart as Mermaid, to stdout]",
        "--output",
        "-o",
        metavar="FILE",
    ),
    most: int = option(1000, "Refuse to draw more nodes.", min=1, max=MOST),
    max_states: int = option(
        1_000_000, "Visit at most so many states, for a projection.", min=1, max=MOST
    ),
    bound: Bound,
) -> int:
    """Draw the states of a design, a projection or part of them, or a trace.

    SVG, PNG and PDF need the packages of `pip install 'specmodel[graph]'`, and no Graphviz.
    """
    from specmodel import api
    from specmodel.cli.progress import StatesProgress
    from specmodel.graphs import requests

    out.refuse_unwritable(output)
    form = _form(output)
    design, recorded = _loaded(target, on, bound, invariant)
    shown = show or (Show.states if recorded is None else Show.trace)
    wanted = requests.Wanted(tuple(by or ()), by_depth, around, hops, most, max_states)
    if shown is not Show.states and wanted != requests.Wanted(
        hops=hops, most=most, max_states=max_states
    ):
        raise UsageError("--by, --by-depth and --around are for --show states")
    if shown is Show.states:
        with StatesProgress() as line:
            drawn = requests.states_graph(design, wanted, line.update)
        _write_graph(drawn, form, output)
        return HOLDS
    found = recorded or requests.finding(design, invariant, api.check)
    if shown is Show.sequence:
        _write(_chart(requests.sequence_picture(design, found), form), output)
    elif shown is Show.trace:
        _write_graph(requests.trace_picture(design, found), form, output)
    elif not found.name:
        raise UsageError("the trace does not say what it shows: name a property (--invariant)")
    else:
        _write_graph(requests.shortest_picture(design, found, wanted.most), form, output)
    return HOLDS


FORMS = {
    **{f".{name}": name for name in ("dot", "svg", "png", "pdf", "graphml", "json")},
    ".gv": "dot",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
}
"""The form by the ending of a file's name."""


def _form(output: Path | None) -> str:
    """The form of a file's name; empty without a file."""
    if output is None:
        return ""
    if output.suffix.lower() not in FORMS:
        raise UsageError(f"{output}: write a file that ends in {', '.join(sorted(FORMS))}")
    return FORMS[output.suffix.lower()]


def _loaded(
    target: str, on: str, bound: Bound, invariant: str
) -> tuple[Design, PropertyResult | None]:
    """The design, and the trace if the target is the file of one."""
    given = bound.constants
    if not target.endswith(".itf.json"):
        if on:
            raise UsageError("--on is for a trace: give x.itf.json")
        return bound.load(target), None
    from specmodel.analysis.trace_files import design_of
    from specmodel.behaviour.replay import Replay
    from specmodel.results import PropertyResult
    from specmodel.traces.itf_read import about, read_itf, states_of

    with about(Path(target)):
        recorded = read_itf(Path(target))
        design = design_of(recorded, bound.named(on), given, bound.profile)
        replay = Replay(design, states_of(recorded, design.spec.domain), recorded.actions)
        trace = replay.trace(recorded.loop)
    name = invariant or recorded.property or ""
    rule = next((r for r in design.chosen([name])), None) if name else None
    reached = rule is None or rule.role == "reachable" or not replay.violates(rule.name)
    kind = rule.role if rule else ""
    return design, PropertyResult(name, kind, "holds" if reached else "violated", trace)


def _write_graph(drawn: DrawnGraph, form: str, output: Path | None) -> None:
    _write(_graph(drawn, form), output)
    if output is not None:
        remark(f"{drawn.title}: {len(drawn.nodes):,} nodes, {len(drawn.edges):,} edges in {output}")


def _graph(drawn: DrawnGraph, form: str) -> str | bytes:
    """A graph in a form. Raises UsageError for an unsupported form."""
    from specmodel.graphs import exchange, render
    from specmodel.graphs.dot import dot_text

    if form == "mermaid":
        raise UsageError("a graph is not written as Mermaid: use --show sequence for a chart")
    if form == "graphml":
        return exchange.graphml(drawn)
    if form == "json":
        return exchange.node_link_json(drawn)
    text = dot_text(drawn)
    return text if form in ("", "dot") else render.layout(text, form)


def _chart(drawn: Chart, form: str) -> str | bytes:
    """A chart in a form. Raises UsageError for an unsupported form."""
    from specmodel.graphs.render import converted
    from specmodel.graphs.sequence import mermaid
    from specmodel.graphs.sequence_svg import chart_svg

    if form in ("dot", "graphml", "json"):
        raise UsageError("a chart is written as .svg, .png, .pdf or .mmd (Mermaid)")
    return mermaid(drawn) if form in ("", "mermaid") else converted(chart_svg(drawn), form)


def _write(content: str | bytes, output: Path | None) -> None:
    if output is None:
        assert isinstance(content, str)
        out.emit(content.rstrip("\n").split("\n"))
    elif isinstance(content, str):
        out.write_file(output, content)
    else:
        out.write_bytes(output, content)
