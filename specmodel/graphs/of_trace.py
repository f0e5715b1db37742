"""A behaviour as a graph: a chain of states, closed to a cycle if it is infinite."""

from __future__ import annotations

from typing import Any

from specmodel.design import Design
from specmodel.graphs.model import DrawnEdge, DrawnGraph, DrawnNode
from specmodel.model.model import Model
from specmodel.results import Trace
from specmodel.traces.changes import changes
from specmodel.traces.notation import Notation
from specmodel.views.abstract_states import AbstractStates
from specmodel.views.drawer import Drawer
from specmodel.views.lanes import LanesText
from specmodel.views.symbols import UNICODE

WIDTH = 96
"""Columns of the text in a node."""


class StateText:
    """Writes states and steps for nodes and edges."""

    def __init__(self, spec: Model) -> None:
        self.notation = Notation.of_spec(spec)
        self.drawer = Drawer(spec, self.notation)
        self.lanes = LanesText(UNICODE, WIDTH)

    def lines(self, state: Any, previous: Any | None = None) -> tuple[str, ...]:
        """A state as lanes, with new values marked."""
        found = [line.plain for line in self.lanes.lines(self.drawer.picture(state, previous))]
        indent = min((len(line) - len(line.lstrip()) for line in found if line), default=0)
        return tuple(line[indent:].rstrip() for line in found)


def changed_variables(before: Any, after: Any) -> tuple[str, ...]:
    """The variables of the state that differ, in order."""
    names = [change.path.partition(".")[0].partition("[")[0] for change in changes(before, after)]
    return tuple(dict.fromkeys(names))


def trace_graph(design: Design, trace: Trace, violated: str = "") -> DrawnGraph:
    """The graph of a trace.

    A `violated` property is violated in the last state, or by the whole behaviour if it is
    infinite. If it is a refinement, each state says what the step to it is in the abstract
    design.
    """
    text = StateText(design.spec)
    states = trace.states
    abstract = AbstractStates(design.spec, violated, states)

    def lines(number: int) -> tuple[str, ...]:
        before = number - 2
        held = text.lines(states[number - 1], states[before] if number > 1 else None)
        said = abstract.step(before, number - 1) if number > 1 else ""
        return (*held, f"{abstract.name} {said}") if said else held

    nodes = [
        DrawnNode(
            str(number),
            str(number),
            lines(number),
            depth=number,
            initial=number == 1,
            violating=bool(violated) and trace.loop is None and number == len(states),
        )
        for number in range(1, len(states) + 1)
    ]
    edges = [
        DrawnEdge(
            str(number),
            str(number + 1),
            step.action,
            (text.notation.step(step),),
            changed_variables(states[number - 1], states[number]),
        )
        for number, step in enumerate(trace.steps, start=1)
    ]
    cycle: tuple[str, ...] = ()
    if trace.loop is not None:
        cycle = tuple(node.id for node in nodes[trace.loop :])
        step = trace.back
        said = text.notation.step(step) if step else "nothing changes any more"
        changed = changed_variables(states[-1], states[trace.loop])
        action = step.action if step else ""
        edges.append(DrawnEdge(cycle[-1], cycle[0], action, (said,), changed, back=True))
    of = f", violates {violated}" if violated else ""
    title = f"{design.name}: {len(states)} states{of}"
    actions = tuple(rule.name for rule in design.spec.rules)
    claim = f"✗ {violated} is false of this behaviour" if violated and cycle else ""
    return DrawnGraph(title, actions, tuple(nodes), tuple(edges), cycle, claim)
