"""Results and traces in a notebook: the usual drawings, shown by IPython.

The values themselves have no code for this: their types are registered by name with IPython's
formatters, which import nothing until one of them is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specmodel.analysis.comparison import Comparison
    from specmodel.graphs.model import DrawnGraph
    from specmodel.graphs.sequence import Chart
    from specmodel.lang.spec import Spec
    from specmodel.results import PropertyResult, Result, Trace

_WIDTH = 110
_MARKS = {"holds": "✓", "violated": "✗", "incomplete": "?"}


def register(shell: Any) -> None:
    """Lets an IPython shell show results, traces, comparisons, graphs and charts."""
    shown = (
        ("text/html", "specmodel.results.result", "Result", result_html),
        ("text/html", "specmodel.results.result", "PropertyResult", property_html),
        ("text/html", "specmodel.results.trace", "Trace", trace_html),
        ("text/markdown", "specmodel.analysis.comparison", "Comparison", _comparison),
        ("image/svg+xml", "specmodel.graphs.model", "DrawnGraph", graph_svg),
        ("image/svg+xml", "specmodel.graphs.sequence", "Chart", _chart),
    )
    for kind, module, name, show in shown:
        shell.display_formatter.formatters[kind].for_type_by_name(module, name, show)


def register_if_interactive() -> None:
    """As `register`, for the shell of this process, if it is IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        register(shell)


def result_html(result: Result) -> str:
    """The verdict, the properties, and the traces of those violated."""
    from specmodel.views.summary import extent, warnings

    seen = extent(result)
    whole = "complete" if result.complete else result.stopped
    head = f"<b>{escape(result.design)}: {result.verdict}</b>, {seen}, {escape(whole)}"
    rows = "".join(f"<tr>{_property_cells(found)}</tr>" for found in result.properties)
    notes = "".join(f"<p>warning: {escape(text)}</p>" for text in warnings(result))
    traces = "".join(
        property_html(found)
        for found in result.properties
        if found.verdict == "violated" and found.trace is not None
    )
    return f"<div><p>{head}</p><table>{rows}</table>{notes}{traces}</div>"


def _property_cells(found: PropertyResult) -> str:
    length = "" if found.trace is None else f"in {found.trace.length} states"
    cells = (_MARKS[found.verdict], found.name, found.kind, found.verdict, length)
    return "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in cells)


def property_html(found: PropertyResult) -> str:
    """The verdict on a property, with its trace."""
    violated = found.name if found.verdict == "violated" else ""
    shown = "" if found.trace is None else _traced(found.trace, violated)
    return f"<div><table><tr>{_property_cells(found)}</tr></table>{shown}</div>"


def trace_html(trace: Trace) -> str:
    """A trace as a chart of messages, with its states below."""
    return _traced(trace, "")


def _traced(trace: Trace, violated: str) -> str:
    from specmodel.graphs.sequence import chart
    from specmodel.graphs.sequence_svg import chart_svg
    from specmodel.views.page import Page
    from specmodel.views.selection import TraceView
    from specmodel.views.symbols import UNICODE
    from specmodel.views.trace import trace_lines

    spec = next(_specs(trace.states[0]), None)
    if spec is None:
        steps = "\n".join(f"{n:>4}  {step}" for n, step in enumerate(trace.steps, start=2))
        return f"<pre>{escape(steps)}</pre>"
    lines = trace_lines(trace, spec, Page(_WIDTH, UNICODE, TraceView(full=True)))
    text = escape("\n".join(line.plain for line in lines))
    details = f"<details><summary>{trace.length} states</summary><pre>{text}</pre></details>"
    title = f"{trace.length} states" + (f", violates {violated}" if violated else "")
    return f"{chart_svg(chart(spec, trace, title, violated))}{details}"


def _specs(state: Any) -> Iterator[Spec]:
    """The specs over a state's type: one that the module of the state, or one beside it, has."""
    from specmodel.lang.packages import modules_beside
    from specmodel.lang.spec import Spec

    for module in modules_beside(type(state).__module__).values():
        for value in list(vars(module).values()):
            if isinstance(value, Spec) and value.state is type(state):
                yield value


def _comparison(found: Comparison) -> str:
    from specmodel.views.comparison_markdown import comparison_markdown

    return "\n".join(comparison_markdown(found))


def graph_svg(graph: DrawnGraph) -> str:
    """A graph as SVG. Raises UsageError if the package for the layout is not installed."""
    from specmodel.graphs.dot import dot_text
    from specmodel.graphs.render import layout_svg

    return layout_svg(dot_text(graph))


def _chart(found: Chart) -> str:
    from specmodel.graphs.sequence_svg import chart_svg

    return chart_svg(found)
