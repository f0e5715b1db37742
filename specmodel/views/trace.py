"""A trace in the terminal: a line a step, what the step changed, the last states drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from specmodel.domains import Map
from specmodel.lang.spec import Spec
from specmodel.lang.struct import Struct
from specmodel.results import Trace
from specmodel.views.changes import Change, changes
from specmodel.views.lanes import Lane
from specmodel.views.notation import Notation
from specmodel.views.symbols import Symbols

DRAWN = 3
"""How many of the last states are drawn as lanes."""

_INDENT = 8
_LEAST_ROOM = 20


def trace_lines(trace: Trace, spec: Spec, width: int, symbols: Symbols) -> Iterator[Text]:
    """The lines of a trace, at most `width` columns where values can be broken.

    States are numbered from 1, as their count is the length of the trace.
    """
    notation = Notation.of_spec(spec)
    digits = len(str(trace.length))
    yield Text.assemble((f"  {1:>{digits}}", "bold"), "  initial state")
    yield from _pairs(list(_whole(trace.states[0], notation)), width)
    for number, step in enumerate(trace.steps, start=1):
        before, after = trace.states[number - 1], trace.states[number]
        yield Text.assemble(
            (f"  {number + 1:>{digits}}", "bold"), "  ", (notation.step(step), "bold cyan")
        )
        found = [(c.path, _told(c, notation, symbols)) for c in changes(before, after)]
        yield from _pairs(found or [("nothing changes", "")], width)
    if trace.loop is not None:
        yield Text(f"  and back to state {trace.loop + 1}, for ever", "bold magenta")
    if spec.lanes is not None:
        lane = Lane(spec, notation, symbols)
        first = max(0, trace.length - DRAWN)
        yield Text()
        for number in range(first, trace.length):
            previous = trace.states[number - 1] if number else None
            yield Text(f"  state {number + 1}", "bold")
            yield from lane.draw(trace.states[number], previous)
            yield Text()
        yield lane.legend()


def _whole(state: Struct, notation: Notation) -> Iterator[tuple[str, str]]:
    """Every variable of a state; a map whose values are all equal is written once."""
    for name, held in vars(state).items():
        if isinstance(held, Map):
            values = list(held.values())
            if len(values) > 1 and all(v == values[0] for v in values):
                yield f"{name}[*]", f"= {notation.value(values[0])}"
            else:
                for key, value in held.items():
                    yield f"{name}[{notation.value(key)}]", f"= {notation.value(value)}"
        else:
            yield name, f"= {notation.value(held)}"


def _told(change: Change, notation: Notation, symbols: Symbols) -> str:
    write = notation.value
    before, after = change.before, change.after
    if change.kind == "members":
        gained = [f"+{write(v)}" for v in after if v not in before]
        lost = [f"-{write(v)}" for v in before if v not in after]
        return f"{' '.join(gained + lost)}   {symbols.arrow} {write(after)}"
    if change.kind == "appended":
        return f"append {_listed(after[len(before) :], notation)}"
    if change.kind == "truncated":
        cut = _listed(before[len(after) :], notation)
        return f"truncate to {len(after)}, losing {cut}"
    return f"{write(before)} {symbols.arrow} {write(after)}"


def _listed(values: Sequence[Any], notation: Notation) -> str:
    return ", ".join(map(notation.value, values))


def _pairs(pairs: list[tuple[str, str]], width: int) -> Iterator[Text]:
    """Paths and what is said of them, in two columns; long values go on below their own column."""
    column = max(len(path) for path, _ in pairs)
    room = max(_LEAST_ROOM, width - _INDENT - column - 2)
    for path, told in pairs:
        parts = textwrap.wrap(told, room, break_on_hyphens=False) or [""]
        line = Text(" " * _INDENT).append(f"{path:<{column}}", "dim").append(f"  {parts[0]}")
        line.rstrip()
        yield line
        for more in parts[1:]:
            yield Text(" " * (_INDENT + column + 2) + more)
