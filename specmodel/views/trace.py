"""A trace in the terminal: a line for each step, its changes, and pictures of the last states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from specmodel.dataclass import dataclass
from specmodel.domains import FreeValue, Map, SparseMap
from specmodel.domains.records import Record
from specmodel.ir.expression import NoValueError, StateExpression
from specmodel.ir.origins import within
from specmodel.model.model import Model
from specmodel.results import Trace
from specmodel.traces.changes import Change, changes
from specmodel.traces.notation import Notation
from specmodel.views.abstract_states import AbstractStates
from specmodel.views.drawer import Drawer
from specmodel.views.lanes import LanesText
from specmodel.views.page import Page
from specmodel.views.selection import ALL, TraceView
from specmodel.views.symbols import Symbols
from specmodel.views.wrapping import wrapped

DRAWN = 3
"""The number of last states that are drawn, unless all are."""

_INDENT = 8
_LEAST_ROOM = 20
_MOST_COLUMN = 0.5
"""The share of the width that the column of paths may take."""


@dataclass(frozen=True)
class _TracePair:
    """A line of a state: a place, its text, and whether it changed."""

    path: str
    text: str
    changed: bool = False


def trace_lines(trace: Trace, spec: Model, page: Page, broken: str = "") -> Iterator[Text]:
    """The lines of a trace, no wider than the page where values can be broken.

    States are numbered from 1, as their count is the length of the trace. `broken` names the
    property that the trace breaks: of a refinement, the abstract states are told too. Raises
    SpecError if the lanes of the spec do not fit its state.
    """
    yield from _TraceText(trace, spec, page, broken).lines()


class _TraceText:
    """Writes one trace."""

    def __init__(self, trace: Trace, spec: Model, page: Page, broken: str) -> None:
        self.trace = trace
        self.abstract = AbstractStates(spec, broken, trace.states)
        self.notation = Notation.of_spec(spec)
        self.width = page.width
        self.symbols = page.symbols
        self.view = view = page.view or TraceView()
        # States are drawn by declared lanes. Inferred lanes are for users who ask for all.
        wanted = spec.lanes is not None if not view.full else True
        self.drawer = Drawer(spec, self.notation) if wanted and view.only is ALL else None
        self.lanes = LanesText(page.symbols, page.width)

    def lines(self) -> Iterator[Text]:
        """The states one by one, then pictures of the last."""
        trace, full = self.trace, self.view.full
        pictures = list(self.drawer.pictures(trace)) if self.drawer else []
        for index in range(trace.length):
            lines = list(self._state(index))
            if full and pictures and pictures[index].rows:
                lines += [Text(), *self.lanes.lines(pictures[index]), Text()]
            yield from self._looped(index, lines)
        if trace.loop is not None:
            yield from self._back(trace.loop)
        if not pictures or not pictures[0].rows:
            return
        if not full:
            pictures = pictures[-DRAWN:]
            for picture in pictures:
                yield Text()
                yield Text(f"  state {picture.number}", "bold")
                yield from self.lanes.lines(picture)
        legend = self.lanes.legend(pictures)
        if legend.plain.strip():
            yield from (Text(), legend)

    def _state(self, index: int) -> Iterator[Text]:
        """A state's number, the step to it, and its lines."""
        digits = len(str(self.trace.length))
        number = (f"  {index + 1:>{digits}}", "bold")
        if index == 0:
            yield Text.assemble(number, f"  {self.view.start}")
        else:
            step = self.notation.step(self.trace.steps[index - 1])
            for part in wrapped(step, self.width - digits - 4):
                yield Text.assemble(number, "  ", (part, "bold cyan"))
                number = (" " * (digits + 2), "")
        pairs = self._variables(index) if index == 0 or self.view.full else self._changes(index)
        yield from self._pairs([*pairs, *self._abstract(index), *self._watched(index)])

    def _abstract(self, index: int) -> Iterator[_TracePair]:
        """The abstract state of a state, or the abstract step to it."""
        if index == 0:
            yield from (_TracePair(path, text) for path, text in self.abstract.first())
        else:
            yield from self._abstract_step(index - 1, index)

    def _abstract_step(self, start: int, end: int) -> Iterator[_TracePair]:
        """The abstract step between two states, and its changes."""
        if step := self.abstract.step(start, end):
            yield _TracePair(self.abstract.name, step)
            for change in self.abstract.changed(start, end):
                text = said(change, self.abstract.notation, self.symbols)
                yield _TracePair(change.path, text)

    def _variables(self, index: int) -> list[_TracePair]:
        """Every variable selected; a map of equal values is written once, as `log[*]`."""
        state = self.trace.states[index]
        before = self.trace.states[index - 1] if index else state
        changed = {change.path for change in changes(before, state)}
        return [
            _TracePair(path, f"= {text}", any(within(c, path.removesuffix("[*]")) for c in changed))
            for path, text in _whole(state, self.notation)
            if self.view.only.has(path)
        ]

    def _changes(self, index: int) -> list[_TracePair]:
        """The changes of a step within the selection."""
        return self._between(self.trace.states[index - 1], self.trace.states[index])

    def _between(self, before: Any, after: Any) -> list[_TracePair]:
        """The differences between two states within the selection."""
        found = list(changes(before, after))
        if not found:
            return [_TracePair("nothing changes", "")]
        shown = [change for change in found if self.view.only.has(change.path)]
        return [
            _TracePair(change.path, said(change, self.notation, self.symbols)) for change in shown
        ]

    def _watched(self, index: int) -> Iterator[_TracePair]:
        """The watched expressions; changed values are marked, and shown with the value before."""
        for expression in self.view.watches:
            now = self._value(expression, index)
            then = self._value(expression, index - 1) if index else now
            if now == then:
                yield _TracePair(expression.text, f"= {now}")
            else:
                yield _TracePair(expression.text, f"{then} {self.symbols.arrow} {now}", True)

    def _value(self, expression: StateExpression, index: int) -> str:
        try:
            return self.notation.value(expression.value(self.trace.states[index]))
        except NoValueError as none:
            return f"no value: {none}"

    def _pairs(self, pairs: Sequence[_TracePair]) -> Iterator[Text]:
        """Places and their texts, in two columns; long texts continue below their own column.

        A place that is too long for its column has a line of its own.
        """
        most = int(self.width * _MOST_COLUMN)
        column = max((len(t.path) for t in pairs if len(t.path) <= most), default=0)
        room = max(_LEAST_ROOM, self.width - _INDENT - column - 2)
        mark = f"{self.symbols.changed} "
        for each in pairs:
            sign = f"{mark:>{_INDENT}}" if each.changed else " " * _INDENT
            style = "bold" if each.changed else "dim"
            paths = wrapped(each.path, self.width - _INDENT)
            for part in paths[: -1 if len(paths[-1]) <= column else None]:
                yield Text(sign).append(part, style)
                sign = " " * _INDENT
            last = paths[-1] if len(paths[-1]) <= column else ""
            parts = wrapped(each.text, room)
            line = Text(sign).append(f"{last:<{column}}", style).append(f"  {parts[0]}")
            line.rstrip()
            yield line
            for more in parts[1:]:
                yield Text(" " * (_INDENT + column + 2) + more)

    # Behaviours without an end

    def _looped(self, index: int, lines: list[Text]) -> Iterator[Text]:
        """The lines of a state, with a bracket before the states of the cycle."""
        loop = self.trace.loop
        if loop is None or index < loop:
            yield from lines
            return
        if index == loop:
            yield Text(f"  {self.symbols.loop[0]} repeated for ever from here", "bold magenta")
        yield from self._bracketed(lines)

    def _bracketed(self, lines: Iterable[Text]) -> Iterator[Text]:
        for line in lines:
            plain = line.plain
            if plain[:2].strip():
                yield line
            else:
                rest = line[2:] if plain else Text()
                yield Text.assemble(("  ", ""), (self.symbols.loop[1], "bold magenta"), rest)

    def _back(self, loop: int) -> Iterator[Text]:
        """The step back to the first state of the cycle, if there is one, and its changes."""
        trace = self.trace
        if trace.back is not None:
            digits = len(str(trace.length))
            step = Text(" " * (digits + 4)).append(self.notation.step(trace.back), "bold cyan")
            changed = self._between(trace.states[-1], trace.states[loop])
            changed += self._abstract_step(trace.length - 1, loop)
            yield from self._bracketed([step, *self._pairs(changed)])
        stays = loop == self.trace.length - 1
        said = f"stays in state {loop + 1}" if stays else f"back to state {loop + 1}"
        yield Text(f"  {self.symbols.loop[2]} {said}, for ever", "bold magenta")


def _whole(state: Record, notation: Notation) -> Iterator[tuple[str, str]]:
    """Every variable of a state; a map whose values are all equal is written once."""
    for name, held in vars(state).items():
        if isinstance(held, Map) and not isinstance(held, SparseMap):
            values = list(held.values())
            if len(values) > 1 and all(v == values[0] for v in values):
                yield f"{name}[*]", notation.value(values[0])
            else:
                for key, value in held.items():
                    yield f"{name}[{notation.value(key)}]", notation.value(value)
        elif isinstance(held, FreeValue) and held.kind:
            for key, value in held.parts().items():
                yield name + held.place(key), notation.value(value)
        else:
            yield name, notation.value(held)


def said(change: Change, notation: Notation, symbols: Symbols) -> str:
    write = notation.value
    before, after = change.before, change.after
    if change.kind == "members":
        gained = [f"+{write(v)}" for v in change.gained]
        lost = [f"-{write(v)}" for v in change.lost]
        return f"{' '.join(gained + lost)}   {symbols.arrow} {write(after)}"
    if change.kind == "appended":
        return f"append {_listed(after[len(before) :], notation)}"
    if change.kind == "truncated":
        cut = _listed(before[len(after) :], notation)
        return f"truncate to {len(after)}, losing {cut}"
    return f"{write(before)} {symbols.arrow} {write(after)}"


def _listed(values: Sequence[Any], notation: Notation) -> str:
    return ", ".join(map(notation.value, values))
