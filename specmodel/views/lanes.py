"""Logs drawn as lanes: a row an actor, a column an offset.

         0       1       hw  epoch  role
r1 *  [m0@e0]^[m1@e0]     1  0      leader
r2    [m0@e0] ~~~~~~~     1  0 -> 1 follows r1    truncated to 1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from specmodel.domains import Map
from specmodel.errors import SpecError
from specmodel.lang.spec import Lanes, Spec
from specmodel.views.notation import Notation
from specmodel.views.symbols import Symbols

_SHADES = ("blue", "yellow", "cyan", "magenta", "green", "red")


@dataclass(frozen=True)
class _Row:
    """What is drawn of one actor. Fields that the lanes do not name are None."""

    actor: Any
    log: list[Any]
    high_watermark: Any
    epoch: Any
    leader: Any
    isr: Any

    @property
    def leads(self) -> bool:
        return self.leader is self.actor


class Lane:
    """Draws states of a spec with lanes. Raises SpecError if a path does not fit the state."""

    def __init__(self, spec: Spec, notation: Notation, symbols: Symbols) -> None:
        assert spec.lanes is not None
        self.lanes: Lanes = spec.lanes
        self.notation = notation
        self.symbols = symbols

    def draw(self, state: Any, previous: Any | None = None) -> Iterator[Text]:
        """The lanes of a state; what is new since the previous state is marked."""
        rows = self._rows(state)
        olds = self._rows(previous) if previous is not None else rows
        reference = self._reference(rows)
        columns = max(len(r.log) for r in [*rows, *olds])
        cells = [self._cell(e) for r in [*rows, *olds] for e in r.log]
        wide = max([3, *map(len, cells)])
        names = max(len(repr(r.actor)) for r in rows)
        facts = [self._facts(row, old, rows) for row, old in zip(rows, olds, strict=True)]
        widths = {title: max(len(title), *(len(f[title]) for f in facts)) for title in facts[0]}
        yield self._header(names, columns, wide, widths)
        for row, old, fact in zip(rows, olds, facts, strict=True):
            line = Text("    ").append(f"{row.actor!r:<{names}}", "bold")
            line.append(f" {self._crown(row, rows)}  ")
            line.append_text(self._cells(row, old, columns, wide))
            line.append("   ")
            for title, width in widths.items():
                line.append(f"{fact[title]:<{width}}  ")
            line.append(self._notes(row, old, reference), "bold")
            line.rstrip()
            yield line
        for path in self.lanes.status:
            yield Text(f"    {path}: {self.notation.phrase(_at(state, path, None))}")

    def legend(self) -> Text:
        """What the marks mean."""
        marks: list[str] = []
        if self.lanes.leader:
            marks.append(f"{self.symbols.leader} leads")
            if self.lanes.epoch:
                marks.append(f"{self.symbols.stale_leader} leads under an older epoch")
        if self.lanes.high_watermark:
            marks.append(f"{self.symbols.high_watermark} high watermark")
        marks.append(f"{self.symbols.truncated * 3} truncated")
        return Text(f"  {'   '.join(marks)}", "dim")

    def _rows(self, state: Any) -> list[_Row]:
        lanes = self.lanes
        rows: list[_Row] = []
        for actor in lanes.actor:
            paths = (lanes.high_watermark, lanes.epoch, lanes.leader, lanes.isr)
            held = [_at(state, path, actor) if path else None for path in paths]
            rows.append(_Row(actor, list(_at(state, lanes.log, actor)), *held))
        return rows

    def _reference(self, rows: list[_Row]) -> _Row | None:
        """The leader of the newest epoch, whose log the others are compared with."""
        leaders = [row for row in rows if row.leads]
        if not leaders or not self.lanes.epoch:
            return leaders[0] if len(leaders) == 1 else None
        return max(leaders, key=lambda row: row.epoch)

    def _crown(self, row: _Row, rows: list[_Row]) -> str:
        if not row.leads:
            return " "
        return self.symbols.stale_leader if self._stale(row, rows) else self.symbols.leader

    def _stale(self, row: _Row, rows: list[_Row]) -> bool:
        return bool(self.lanes.epoch) and any(
            other.epoch > row.epoch for other in rows if other.leads
        )

    def _cell(self, entry: Any) -> str:
        return f"[{self.notation.value(entry)}]"

    def _shade(self, entry: Any) -> str:
        held = getattr(entry, self.lanes.shade, None) if self.lanes.shade else None
        return _SHADES[held % len(_SHADES)] if isinstance(held, int) else ""

    def _cells(self, row: _Row, old: _Row, columns: int, wide: int) -> Text:
        text = Text()
        for offset in range(columns + 1):
            at_mark = bool(self.lanes.high_watermark) and row.high_watermark == offset
            text.append(self.symbols.high_watermark if at_mark else " ", "bold")
            if offset == columns:
                break
            if offset < len(row.log):
                fresh = offset >= len(old.log) or old.log[offset] != row.log[offset]
                style = f"{'bold ' if fresh else ''}{self._shade(row.log[offset])}".strip()
                text.append(f"{self._cell(row.log[offset]):<{wide}}", style)
            elif offset < len(old.log):
                text.append(self.symbols.truncated * wide, "dim")
            else:
                text.append(" " * wide)
        return text

    def _facts(self, row: _Row, old: _Row, rows: list[_Row]) -> dict[str, str]:
        """The columns right of the log, by title."""
        facts: dict[str, str] = {}
        if self.lanes.high_watermark:
            facts["hw"] = self._moved(old.high_watermark, row.high_watermark)
        if self.lanes.epoch:
            facts["epoch"] = self._moved(old.epoch, row.epoch)
        if self.lanes.leader:
            stale = " (stale)" if row.leads and self._stale(row, rows) else ""
            follows = "-" if row.leader is None else f"follows {self.notation.value(row.leader)}"
            facts["role"] = f"leader{stale}" if row.leads else follows
        if self.lanes.isr:
            facts["isr"] = self.notation.value(row.isr)
        return facts

    def _moved(self, old: Any, new: Any) -> str:
        write = self.notation.value
        return write(new) if old == new else f"{write(old)}{self.symbols.arrow}{write(new)}"

    def _notes(self, row: _Row, old: _Row, reference: _Row | None) -> str:
        notes: list[str] = []
        kept = _common(old.log, row.log)
        if kept < len(old.log):
            notes.append(f"truncated to {kept}")
        if reference is not None and reference is not row:
            same = _common(row.log, reference.log)
            if same < min(len(row.log), len(reference.log)):
                notes.append(
                    f"{self.symbols.differs} differs from {reference.actor!r} at offset {same}"
                )
        return ", ".join(notes)

    def _header(self, names: int, columns: int, wide: int, widths: dict[str, int]) -> Text:
        offsets = "".join(f" {offset:^{wide}}" for offset in range(columns))
        titles = "".join(f"{title:<{width}}  " for title, width in widths.items())
        line = Text(f"    {'':<{names}}    {offsets}    {titles}", "dim")
        line.rstrip()
        return line


def _common(left: list[Any], right: list[Any]) -> int:
    """The length of the common prefix."""
    for position, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return position
    return min(len(left), len(right))


def _at(state: Any, path: str, actor: Any) -> Any:
    """The value at a path of fields; a map on the way is entered at the actor."""
    value = state
    for part in path.split("."):
        if not hasattr(value, part):
            raise SpecError(f'lanes: "{path}" does not lead anywhere: no field {part}')
        value = getattr(value, part)
        if actor is not None and isinstance(value, Map):
            if actor not in value:
                raise SpecError(f'lanes: "{path}" is not indexed by {type(actor).__name__}')
            value = value[actor]
    return value
