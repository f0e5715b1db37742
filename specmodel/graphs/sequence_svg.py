"""Message-sequence charts as SVG, with a layout of our own: no other program is needed."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import atan2, degrees

from specmodel.graphs.arrows import MessageArrow
from specmodel.graphs.render import MONO
from specmodel.graphs.sequence import Chart, Event
from specmodel.views.palette import SHADES, shade

_LEFT, _COLUMN, _ROW, _TOP = 60, 190, 46, 74
_CHANGES, _LINE, _MOST_CHANGES = 420, 13, 3
_INK, _PALE, _BAD, _MESSAGE = "#222222", "#767676", "#b84a00", "#1f5f8b"
_MOST_TEXT = 44
"""Characters of the text of an arrow; the rest is under the mouse pointer."""


def chart_svg(chart: Chart) -> str:
    """The picture of a chart."""
    return "\n".join(_Svg(chart).lines()) + "\n"


class _Svg:
    """Draws one chart: time runs down, a row for each step."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.columns = {name: number for number, name in enumerate(chart.lifelines)}
        actions = dict.fromkeys(event.action for event in chart.events)
        self.colours = {a: SHADES[n % len(SHADES)] for n, a in enumerate(actions)}
        widest = max((len(event.label) for event in chart.events), default=0)
        self.column = max(_COLUMN, min(400, int(widest * 7.3) + 24))
        self.right = _LEFT + self.column * max(1, len(chart.lifelines))
        last = chart.lifelines[-1]
        if any(a.source == last and a.target in (last, "") for a in chart.messages):
            self.right += self.column  # its arrows go to the right, where their texts are
        y = float(_TOP + 20)
        self.rows: dict[int, float] = {1: y}
        lines = self._sent(1)
        for event in chart.events:
            y += max(_ROW, 20 + _LINE * lines)
            self.rows[event.number] = y
            lines = max(min(len(event.changes), _MOST_CHANGES + 1), self._sent(event.number))
        self.end = y + max(34, 14 + _LINE * lines) + (0 if chart.loop is None else 20)
        self.width = self.right + _CHANGES
        self.height = self.end + (34 if chart.violated else 12)

    def _sent(self, number: int) -> int:
        """How many arrows begin in a state: there is a line for the text of each."""
        return sum(arrow.sent == number for arrow in self.chart.messages)

    def x(self, name: str) -> float:
        return _LEFT + self.column * (self.columns[name] + 0.5)

    def lines(self) -> Iterator[str]:
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
            f'font-family="{MONO}" role="img">'
        )
        yield f"<title>{escape(self.chart.title)}</title>"
        yield f'<rect width="{self.width:.0f}" height="{self.height:.0f}" fill="white"/>'
        yield _text(_LEFT, 24, self.chart.title, 16, weight="bold")
        yield from self._lifelines()
        yield from self._loop()
        yield from self._arrows()
        for event in self.chart.events:
            yield f"<g><title>{escape(chr(10).join([event.label, *event.changes]))}</title>"
            yield from self._event(event)
            yield "</g>"
        if self.chart.violated:
            y = self.end + 14
            yield _line(_LEFT - 40, y - 16, self.right, y - 16, _BAD, 2)
            yield _text(_LEFT, y + 4, f"✗ {self.chart.claim}", 13, _BAD, "bold")
        yield "</svg>"

    def _lifelines(self) -> Iterator[str]:
        for name in self.chart.lifelines:
            x = self.x(name)
            yield _line(x, _TOP, x, self.end, "#bbbbbb", 1)
            yield (
                f'<rect x="{x - 40:.1f}" y="{_TOP - 30}" width="80" height="26" rx="5" '
                f'fill="#f2f2f2" stroke="{_INK}"/>'
            )
            yield _text(x, _TOP - 12, name, 13, weight="bold", anchor="middle")
        for run in self.chart.leaderships:
            x, top = self.x(run.lifeline), self.rows[run.first]
            following = [y for n, y in self.rows.items() if n > run.last]
            bottom = min(following, default=self.end)
            colour = shade(run.epoch) if run.epoch is not None and run.epoch >= 0 else _INK
            dash = ' stroke-dasharray="5 4"' if run.stale else ""
            said = f"{run.lifeline} leads" + ("" if run.epoch is None else f", epoch {run.epoch}")
            yield (
                f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" '
                f'stroke="{colour}" stroke-width="7" stroke-opacity="0.55"{dash}>'
                f"<title>{escape(said)}{' (stale)' if run.stale else ''}</title></line>"
            )
            epoch = "" if run.epoch is None else f" e{run.epoch}"
            mark = "☆" if run.stale else "★"
            yield _text(x - 9, top + 14, f"{mark}{epoch}", 11, _PALE, anchor="end")

    def _loop(self) -> Iterator[str]:
        """A bracket beside the states of the cycle."""
        if self.chart.loop is None:
            return
        top, bottom, x = self.rows[self.chart.loop] + 10, self.end - 24, 14
        yield (
            f'<path d="M {x + 8} {top:.1f} H {x} V {bottom:.1f} H {x + 8}" fill="none" '
            f'stroke="#8a3c78" stroke-width="2"/>'
        )
        yield _text(x + 4, bottom + 14, f"back to {self.chart.loop}, for ever", 11, "#8a3c78")

    def _arrows(self) -> Iterator[str]:
        """The messages: from the row of the step that sends to that of the step that takes."""
        begun: dict[int, int] = {}
        for arrow in self.chart.messages:
            place = begun[arrow.sent] = begun.get(arrow.sent, -1) + 1
            said = f"{arrow.text}\n{arrow.history}"
            yield f"<g><title>{escape(said)}</title>"
            yield from self._arrow(arrow, place)
            yield "</g>"

    def _arrow(self, arrow: MessageArrow, place: int) -> Iterator[str]:
        """An arrow, its text on line `place` below the row in which it begins."""
        x1, y1 = self.x(arrow.source), self.rows[arrow.sent]
        line = y1 + 18 + _LINE * place
        x2 = self.x(arrow.target) if arrow.target else x1 + self.column
        y2 = line if arrow.ended is None else self.rows[arrow.ended]
        bend = x1 + 0.3 * self.column if x1 == x2 else (x1 + x2) / 2
        if arrow.fate == "flying" or not arrow.target:  # it arrives nowhere: a short one
            x2 = bend = x1 + (0.45 * self.column if x2 >= x1 else -0.45 * self.column)
        elif arrow.fate == "lost":
            x2 = x1 + 0.75 * (x2 - x1) if x1 != x2 else bend
        dash = "6 4" if arrow.fate != "taken" or arrow.again or arrow.copied else ""
        colour = _BAD if arrow.fate == "lost" else _MESSAGE
        style = f'fill="none" stroke="{colour}" stroke-width="1.6"'
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        straight = x1 != x2
        path = (
            f"L {x2:.1f} {y2:.1f}"
            if straight
            else (f"C {bend:.1f} {y1:.1f} {bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}")
        )
        yield f'<path d="M {x1:.1f} {y1:.1f} {path}" {style}{dashed}/>'
        yield f'<circle cx="{x1:.1f}" cy="{y1:.1f}" r="2.5" fill="{colour}"/>'
        angle = degrees(atan2(y2 - y1, x2 - x1)) if straight else 180.0
        end = f'transform="translate({x2:.1f} {y2:.1f}) rotate({angle:.1f})"'
        if arrow.fate == "lost":
            yield f'<path d="M -5 -5 L 5 5 M -5 5 L 5 -5" {end} {style}/>'
        elif arrow.fate == "flying":
            yield f'<path d="M -8 -5 L 0 0 L -8 5" {end} {style}/>'
        else:
            yield f'<path d="M 0 0 L -9 -4.5 V 4.5 z" {end} fill="{colour}"/>'
        if not arrow.again:
            part = min(1.0, (line - y1) / (y2 - y1)) if straight and y2 != y1 else 0.0
            x = x1 + part * (x2 - x1) if straight else bend
            copied = " (a copy)" if arrow.copied else ""
            text = _cut(arrow.text + copied, _MOST_TEXT)
            left = x2 < x1
            side, anchor = (x - 6, "end") if left else (x + 6, "start")
            yield _text(side, line, text, 10, colour, anchor=anchor, outlined=True)

    def _event(self, event: Event) -> Iterator[str]:
        y, colour = self.rows[event.number], self.colours[event.action]
        yield _text(_LEFT - 14, y + 4, self.chart.named(event.number), 12, _PALE, "bold", "end")
        if event.kind == "message":
            start = self.x(event.source)
            for target in event.targets:
                end = self.x(target)
                back = 9 if end > start else -9
                yield _line(start, y, end - back, y, colour, 2)
                yield (f'<path d="M {end:.1f} {y:.1f} l {-back} -5 v 10 z" fill="{colour}"/>')
            yield f'<circle cx="{start:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
            middle = (start + self.x(event.targets[0])) / 2
        else:
            places = sorted(self.x(name) for name in event.targets)
            if len(places) > 1:
                yield _line(places[0], y, places[-1], y, colour, 1.5, "3 3")
            for x in places:
                yield (
                    f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" '
                    f'fill="{colour}" stroke="{_INK}"/>'
                )
            middle = (places[0] + places[-1]) / 2
        yield _text(middle, y - 9, event.label, 12, anchor="middle", outlined=True)
        top = y - 8
        shown = event.changes[:_MOST_CHANGES]
        for number, change in enumerate(shown):
            yield _text(self.right + 10, top + number * _LINE, _cut(change), 10, _PALE)
        if len(event.changes) > len(shown):
            more = f"and {len(event.changes) - len(shown)} more"
            yield _text(self.right + 10, top + len(shown) * _LINE, more, 10, _PALE)


def _cut(text: str, most: int = 64) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: float, dash: str = ""
) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    size: int,
    colour: str = _INK,
    weight: str = "normal",
    anchor: str = "start",
    outlined: bool = False,
) -> str:
    outline = ' stroke="white" stroke-width="3" paint-order="stroke"' if outlined else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
        f'text-anchor="{anchor}" xml:space="preserve"{outline}>{escape(text)}</text>'
    )
