"""A drawn state as text: a row an actor, a column an offset.

         0        1        hw  epoch  role
r1 *   +[m0@e0]^ [m1@e0]   1   0      leader
r2      [m0@e0]  ~~~~~~~   1   0->1   follows r1    truncated to 1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from specmodel.views.drawer import ABSENT, HERE
from specmodel.views.drawing import ActorRow, Cell, Cursor, Fact, Flight, Picture
from specmodel.views.palette import shade
from specmodel.views.symbols import Symbols
from specmodel.views.wrapping import packed, wrapped

_INDENT = 4
_LEAST_CELL = 6
_SHORT = 24
"""A fact whose two texts are longer together shows only its present value."""

_PENDING = "pending"
_NOTHING = ("", "-", "none", "None", "{}", "[]", ABSENT)


class LanesText:
    """Writes pictures in at most `width` columns, as long as an actor and a cell fit."""

    def __init__(self, symbols: Symbols, width: int) -> None:
        self.symbols = symbols
        self.width = width

    def lines(self, picture: Picture) -> Iterator[Text]:
        """The lines of a picture."""
        if picture.rows:
            yield from _LaneTable(picture, self.symbols, self.width).lines()
        for fact in picture.status:
            yield from self._paragraph(f"{fact.title}: {fact.value}")
        if picture.requests:
            text = "; ".join(f"{r.epoch}: {r.text}" for r in picture.requests)
            yield from self._paragraph(f"requests: {text}")
        if picture.messages is not None:
            yield from self._messages(picture.messages)

    def _messages(self, messages: Sequence[Flight]) -> Iterator[Text]:
        """The messages in flight, a line for each pair of ends."""
        channels: dict[str, list[str]] = {}
        for flight in messages:
            ends = (flight.sources, flight.targets)
            source, target = (each[0] if len(each) == 1 else _several(each) for each in ends)
            arrow = f"{source} {self.symbols.arrow} {target}".strip() if source or target else ""
            mark = self.symbols.new if flight.count > flight.before else ""
            copies = f" ({flight.count} copies)" if flight.count > 1 else ""
            channels.setdefault(arrow, []).append(f"{mark}{flight.text}{copies}")
        if not channels:
            yield from self._paragraph("messages: none")
            return
        yield Text(" " * _INDENT + "messages:")
        column = max(map(len, channels)) + 2 if any(channels) else 0
        for arrow, texts in channels.items():
            indent = _INDENT + 2 + column
            head = f"{'':<{_INDENT + 2}}{arrow:<{column}}"
            for part in wrapped("; ".join(texts), max(self.width - indent, _LEAST_CELL)):
                yield Text(head + part)
                head = " " * indent

    def _paragraph(self, text: str) -> Iterator[Text]:
        for number, part in enumerate(wrapped(text, self.width - _INDENT - 2)):
            yield Text(" " * (_INDENT + (2 if number else 0)) + part)

    def legend(self, pictures: Sequence[Picture]) -> Text:
        """The meaning of the marks that occur in pictures; empty if there are none."""
        rows = [row for picture in pictures for row in picture.rows]
        cells = [cell for row in rows for cell in row.cells]
        signs = self.symbols
        marked = bool(cells) and any(row.high_watermark is not None for row in rows)
        stale = any(row.leads == "stale" for row in rows)
        sent = any(f.count > f.before for p in pictures for f in p.messages or ())
        marks = (
            (any(row.leads for row in rows), f"{signs.leader} leads"),
            (stale, f"{signs.stale_leader} leads under an older epoch"),
            (marked, f"{signs.high_watermark} high watermark"),
            (any(c.mark == "new" for c in cells) or sent, f"{signs.new} new"),
            (any(c.mark == "truncated" for c in cells), f"{signs.truncated * 3} truncated"),
            (any(c.divergent for c in cells), f"{signs.differs} logs part here"),
        )
        return Text("  " + "   ".join(said for there, said in marks if there), "dim")


def _several(actors: Sequence[str]) -> str:
    """A set of actors; empty if there are none."""
    return f"{{{', '.join(actors)}}}" if actors else ""


class _LaneTable:
    """The rows of one picture."""

    def __init__(self, picture: Picture, symbols: Symbols, width: int) -> None:
        self.picture = picture
        self.symbols = symbols
        self.width = width
        self.cursors = [c for c in picture.cursors if c.offset is not None]
        titles = [len(cursor.title) for cursor in self.cursors]
        self.names = max([*titles, *(len(row.actor) for row in picture.rows)])
        self.mark_width = 2 if any(row.leads for row in picture.rows) else 0
        self.facts = [self._fact_texts(row) for row in picture.rows]
        self._fit_cells()

    def _fit_cells(self) -> None:
        """The width of a cell, and the first offset for which there is room."""
        texts = [len(cell.text) + 2 for row in self.picture.rows for cell in row.cells]
        columns, room = self.picture.columns, self.width - self._start - 1
        self.cell = max([3, *texts])
        if columns and columns * (self.cell + 1) > room:
            self.cell = max(_LEAST_CELL, room // columns - 1)
        self.first = max(0, columns - max(1, room // (self.cell + 1))) if columns else 0

    @property
    def _start(self) -> int:
        """The column in which the lanes start."""
        return _INDENT + self.names + self.mark_width + 2

    @property
    def _end(self) -> int:
        """The column in which the lanes end."""
        columns = self.picture.columns - self.first
        return self._start + (columns * (self.cell + 1) + 1 if columns else 0)

    def lines(self) -> Iterator[Text]:
        titles = self._titles()
        widths = {t: max(len(t), *(len(f[t]) for f in self.facts)) for t in titles}
        end = self._end + sum(width + 2 for width in widths.values())
        beside = end <= self.width
        yield from self._header(widths if beside else {})
        for cursor in self.cursors:
            yield self._cursor(cursor)
        for row, facts in zip(self.picture.rows, self.facts, strict=True):
            line = self._head(row)
            if beside:
                line.append("  ".join(["", *(f"{facts[t]:<{w}}" for t, w in widths.items())]))
            notes = ", ".join(self._notes(row))
            line.rstrip()
            column = max(len(line.plain) + 3, end + 2 if beside else 0)
            fits = column + len(notes) <= self.width
            if notes and fits:
                line.append(" " * (column - len(line.plain))).append(notes, "bold")
            yield line
            more = [] if beside else [f"{t} {facts[t]}" for t in titles if facts[t] not in _NOTHING]
            more += [notes] if notes and not fits else []
            indent = " " * (_INDENT + self.names + 2)
            for part in packed(more, self.width - len(indent)):
                yield Text(indent + part)

    def _titles(self) -> list[str]:
        """The titles of the columns; a column without any value is left out."""
        first = self.picture.rows[0].facts
        return [
            fact.title
            for number, fact in enumerate(first)
            if fact.kind in ("high_watermark", "epoch", "leader", "isr", "role")
            or any(
                row.facts[number].value not in _NOTHING or row.facts[number].changed
                for row in self.picture.rows
            )
        ] + ([_PENDING] if any("pending" in row.requests for row in self.picture.rows) else [])

    def _fact_texts(self, row: ActorRow) -> dict[str, str]:
        """The texts about an actor, by title."""
        text = {fact.title: self._fact(fact) for fact in row.facts}
        pairs = zip(self.picture.requests, row.requests, strict=True)
        pending = [str(request.epoch) for request, state in pairs if state == "pending"]
        return {**text, _PENDING: ", ".join(pending) or "-"}

    def _fact(self, fact: Fact) -> str:
        now, then = fact.value, fact.before
        if fact.kind == "members":
            marks = {HERE: self.symbols.true, ABSENT: "-"}
            now, then = marks[now], marks[then]
        short = len(now) + len(then) <= _SHORT or fact.kind == "members"
        return now if now == then or not short else f"{then}{self.symbols.arrow}{now}"

    def _header(self, widths: dict[str, int]) -> Iterator[Text]:
        offsets = range(self.first, self.picture.columns)
        line = " " * self._start + "".join(f" {offset:^{self.cell}}" for offset in offsets)
        titles = "  ".join(["", *(f"{title:<{width}}" for title, width in widths.items())])
        line = f"{line:<{self._end}}{titles}".rstrip()
        if line:
            yield Text(line, "dim")

    def _cursor(self, cursor: Cursor) -> Text:
        assert cursor.offset is not None
        line = f"{'':<{_INDENT}}{cursor.title:<{self.names}}"
        place = self._start + (cursor.offset - self.first) * (self.cell + 1)
        return Text(f"{line:<{max(place, len(line) + 1)}}{self.symbols.cursor}", "bold")

    def _head(self, row: ActorRow) -> Text:
        """The name and the lane of an actor."""
        crowns = {"leader": self.symbols.leader, "stale": self.symbols.stale_leader, "": " "}
        line = Text(" " * _INDENT).append(f"{row.actor:<{self.names}}", "bold")
        if self.mark_width:
            line.append(f" {crowns[row.leads]}")
        line.append("  ")
        if self.picture.columns > self.first:
            for offset in range(self.first, self.picture.columns):
                self._append_cell(line, row, offset)
            at_end = row.high_watermark == self.picture.columns
            line.append(self.symbols.high_watermark if at_end else " ", "bold")
        return line

    def _append_cell(self, line: Text, row: ActorRow, offset: int) -> None:
        cell = row.cells[offset] if offset < len(row.cells) else None
        line.append(self._gap(row, cell, offset), "bold")
        if cell is None:
            line.append(" " * self.cell)
        elif cell.mark == "truncated":
            line.append(self.symbols.truncated * self.cell, "dim")
        else:
            style = "" if cell.shade is None else shade(cell.shade)
            text = self._elided(cell.text, self.cell - 2)
            weight = "bold " if cell.mark == "new" else ""
            line.append(f"{f'[{text}]':<{self.cell}}", f"{weight}{style}".strip())

    def _gap(self, row: ActorRow, cell: Cell | None, offset: int) -> str:
        """The mark before a cell; there is room for the most important one."""
        if row.high_watermark == offset:
            return self.symbols.high_watermark
        if cell is not None and cell.divergent:
            return self.symbols.differs
        return self.symbols.new if cell is not None and cell.mark == "new" else " "

    def _elided(self, text: str, room: int) -> str:
        mark = self.symbols.ellipsis
        return text if len(text) <= room else text[: max(0, room - len(mark))] + mark

    def _notes(self, row: ActorRow) -> Iterator[str]:
        if row.truncated_to is not None:
            yield f"truncated to {row.truncated_to}"
        if row.divergence is not None:
            yield f"{self.symbols.differs} differs from {row.compared} at offset {row.divergence}"
