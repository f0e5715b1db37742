"""Graphs in the DOT language, laid out by the amount of text."""

from __future__ import annotations

from collections.abc import Iterator

from specmodel.graphs.model import DrawnEdge, DrawnGraph, DrawnNode
from specmodel.views.palette import SHADES

MOST_DETAILED = 60
"""Up to this number of nodes, each has all of its lines, and edges are labelled."""

CROWDED = 250
"""Above this number of nodes, each is a dot with its number, in a row for its depth."""

_MOST_LABELS = 4
_BROAD = 300
"""The greatest number of characters side by side that is easy to read."""

_INK, _PALE, _BAD, _START = "#222222", "#8a8a8a", "#d55e00", "#eef5fb"
_CLAIM = "#b84a00"  # darker than _BAD: it is a text
_FONT = "Courier"
"""A font whose widths Graphviz knows even if it is not installed.

All fonts in which pictures are shown (`MONO` of `render.py`) have its widths, so that no text is
wider than its place: labels would lie on edges, and titles be cut off.
"""

_STYLES = ("solid", "dashed", "dotted")
_LINES = {"solid": "━━━━", "dashed": "━ ━ ━", "dotted": "• • • •"}


def dot_text(graph: DrawnGraph) -> str:
    """The graph as DOT: actions by colour and line, initial and violating states marked."""
    return "\n".join(_Dot(graph).lines()) + "\n"


class _Dot:
    """Writes one graph."""

    def __init__(self, graph: DrawnGraph) -> None:
        self.graph = graph
        self.size = len(graph.nodes)
        self.detailed = self.size <= MOST_DETAILED
        self.crowded = self.size > CROWDED
        used = {edge.action for edge in graph.edges}
        self.looks = {
            action: (SHADES[number % len(SHADES)], _STYLES[number // len(SHADES) % len(_STYLES)])
            for number, action in enumerate(graph.actions)
        }
        self.stays: dict[str, list[str]] = {}
        for edge in filter(self._stays, graph.edges):
            self.stays.setdefault(edge.source, []).extend(self._label_lines(edge))
        self.used = [action for action in graph.actions if action in used]

    def lines(self) -> Iterator[str]:
        yield "digraph {"
        yield f"  graph [label={_quoted(self.graph.title)}, labelloc=t, fontname={_FONT},"
        if self.crowded:
            yield '    fontsize=48, rankdir=TB, ranksep="1.2 equally", nodesep=0.08, splines=line,'
            yield "    outputorder=edgesfirst, nslimit=2, nslimit1=2];"
        else:
            yield f"    fontsize=16, rankdir={self._direction()}, ranksep=0.45, nodesep=0.3,"
            yield "    newrank=true];"
        yield f"  node [fontname={_FONT}, fontsize={9 if self.detailed else 11},"
        yield f"    color={_quoted(_INK)}, fontcolor={_quoted(_INK)},"
        yield '    shape=box, style="rounded,filled", fillcolor=white, margin="0.11,0.07"];'
        yield f"  edge [fontname={_FONT}, fontsize=9, arrowsize=0.7];"
        yield from (self._node(node) for node in self.graph.nodes)
        yield from (self._edge(edge) for edge in self.graph.edges if not self._stays(edge))
        if self.graph.cycle:
            label = _quoted(f"for ever\n{self.graph.claim}".strip())
            inside = " ".join(f"{_quoted(name)};" for name in self.graph.cycle)
            yield f"  subgraph cluster_cycle {{ graph [label={label}, fontsize=11, labelloc=b,"
            yield f'    color="{_BAD}", fontcolor="{_CLAIM}", style="rounded,dashed"]; {inside} }}'
        if self.crowded:
            yield from self._ranks()
        if not self.detailed:
            yield from self._legend()
        yield "}"

    def _direction(self) -> str:
        """Down the page, or from left to right if many wide nodes would be side by side."""
        rows: dict[int, int] = {}
        for node in self.graph.nodes if self.detailed else ():
            rows[node.depth] = rows.get(node.depth, 0) + 1
        widest = max((len(line) for node in self.graph.nodes for line in node.lines), default=0)
        return "LR" if max(rows.values(), default=0) * widest > _BROAD else "TB"

    def _stays(self, edge: DrawnEdge) -> bool:
        """Whether a node has the label of its step: on the edge it would cover a loop's label."""
        return self.detailed and edge.source == edge.target and not edge.back

    def _node(self, node: DrawnNode) -> str:
        given = {"tooltip": "\n".join([node.label, *node.lines, *self.stays.get(node.id, ())])}
        if self.crowded:
            given |= {"label": node.label, "shape": "ellipse", "margin": "0.02,0.01"}
            given |= {"fontsize": "9", "width": "0.3", "height": "0.2"}
        elif not self.detailed:
            given |= {"label": self._short(node), "shape": "ellipse", "margin": "0.04,0.02"}
        if node.initial:
            given |= {"penwidth": "2", "fillcolor": _START}
        if node.violating:
            given |= {"color": _BAD, "penwidth": "3", "peripheries": "2"}
        attributes = [f"{name}={_quoted(value)}" for name, value in given.items()]
        if self.detailed:
            attributes.append(f'label="{self._whole(node)}"')
        return f"  {_quoted(node.id)} [{', '.join(attributes)}];"

    def _whole(self, node: DrawnNode) -> str:
        """A node's number over its lines and the steps that stay in it, aligned to the left."""
        many = f"   {node.states:,} states" if node.states > 1 else ""
        head = f"{node.label}{many}{'   ✗ violating' if node.violating else ''}"
        stays = [f"↺ {line}" for line in _few(tuple(self.stays.get(node.id, ())))]
        return "".join(f"{_escaped(line)}\\l" for line in [head, *node.lines, *stays])

    def _short(self, node: DrawnNode) -> str:
        lines = node.lines if node.states > 1 or len(node.lines) <= 2 else ()
        many = [f"{node.states:,} states"] if node.states > 1 else []
        return "\n".join([*(lines or (node.label,)), *many])

    def _edge(self, edge: DrawnEdge) -> str:
        colour, style = self.looks.get(edge.action, (_PALE, "solid"))
        lines = self._label_lines(edge)
        tooltip = "\n".join([*lines, *([", ".join(edge.changed)] if edge.changed else [])])
        given = {"color": colour, "style": "dashed" if edge.back else style}
        given |= {"tooltip": tooltip, "edgetooltip": tooltip}
        if edge.back:
            given["constraint"] = "false"
        if self.detailed:
            changed = [f"[{', '.join(edge.changed)}]"] if edge.changed else []
            # A space on each side keeps labels off the edges.
            given["label"] = "\n".join(f" {line} " for line in [*_few(lines), *changed])
        if edge.steps > 1 and not edge.labels:
            given["penwidth"] = str(1 + min(3.0, len(str(edge.steps)) * 0.5))
        if self.crowded:
            given |= {"arrowsize": "0.4", "penwidth": "0.7"}
        ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
        return f"  {ends} [{', '.join(f'{k}={_quoted(v)}' for k, v in given.items())}];"

    def _label_lines(self, edge: DrawnEdge) -> tuple[str, ...]:
        """The label of an edge: its steps, or the action and how often."""
        if edge.labels or not edge.action:
            return edge.labels
        times = f" ×{edge.steps:,}" if edge.steps > 1 else ""  # noqa: RUF001 - a multiplication sign
        return (f"{edge.action}{times}",)

    def _ranks(self) -> Iterator[str]:
        """A row for each depth, the numbers of the depths beside them."""
        rows: dict[int, list[str]] = {}
        for node in self.graph.nodes:
            rows.setdefault(node.depth, []).append(node.id)
        depths = sorted(rows)
        for depth in depths:
            name = f"depth {depth}"
            yield f'  {_quoted(name)} [shape=plaintext, style="", fontsize=28];'
            inside = " ".join(f"{_quoted(i)};" for i in rows[depth])
            yield f"  {{rank=same; {_quoted(name)}; {inside}}}"
        chain = " -> ".join(_quoted(f"depth {depth}") for depth in depths)
        if len(depths) > 1:
            yield f"  {chain} [style=invis, weight=100];"

    def _legend(self) -> Iterator[str]:
        """The actions with their colours and lines, in a row at the bottom."""
        size = 28 if self.crowded else 11
        row: list[str] = []
        for action in self.used:
            colour, style = self.looks[action]
            row.append(f"legend {action}")
            label = f"{_LINES[style]} {action}"
            yield (
                f"  {_quoted(row[-1])} [label={_quoted(label)}, fontcolor={_quoted(colour)}, "
                f'shape=plaintext, style="", fontsize={size}];'
            )
        if row:
            yield f"  {{rank=sink; {' '.join(f'{_quoted(name)};' for name in row)}}}"


def _few(lines: tuple[str, ...]) -> list[str]:
    more = [f"and {len(lines) - _MOST_LABELS} more"] if len(lines) > _MOST_LABELS + 1 else []
    return [*lines[: _MOST_LABELS if more else None], *more]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _quoted(text: str) -> str:
    lines = _escaped(text).replace("\n", "\\n")
    return f'"{lines}"'
