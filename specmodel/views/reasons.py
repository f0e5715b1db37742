"""Why an action can or cannot happen in a state, and why properties do not hold there, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from specmodel.analysis.reasons import Reasons, Truth
from specmodel.analysis.rival import Attempt
from specmodel.dataclass import dataclass
from specmodel.ir.guards import Guard
from specmodel.results.explanation import Explanation
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences
from specmodel.views.explanation import explanation_lines
from specmodel.views.page import Page
from specmodel.views.replay_sentences import placed
from specmodel.views.wrapping import fitted

MOST_WHOLE = 3
"""Up to this number of bindings are shown in full; of more, each has a line with a reason."""


@dataclass(frozen=True)
class _Row:
    """A condition with its value in words, and its depth in others."""

    depth: int
    holds: bool | None
    text: str
    said: str
    reads: tuple[str, ...] = ()


class ReasonsText:
    """Writes the explanation of a state of a trace."""

    def __init__(self, reasons: Reasons, page: Page) -> None:
        self.reasons = reasons
        self.width = page.width
        self.symbols = page.symbols
        self.notation = Notation.of_spec(reasons.design.spec)
        self.sentences = Sentences(self.notation)

    def lines(self) -> Iterator[Text]:
        """The state, then the actions, then the properties."""
        for line in self._lines():
            yield from fitted(line, self.width)

    def _lines(self) -> Iterator[Text]:
        reached = f", reached by {self.reasons.step}" if self.reasons.step else ""
        yield Text(f"State {self.reasons.number}{reached}", "bold")
        yield Text()
        if self.reasons.readings:
            yield from self._readings(self.reasons.readings)
        for truth in self.reasons.truths:
            yield from self._truth(truth)
        steps = ", ".join(map(self.notation.step, self.reasons.enabled))
        yield Text(f"What can happen there: {steps or 'nothing'}")

    def _readings(self, readings: Sequence[Attempt]) -> Iterator[Text]:
        whole = len(readings) <= MOST_WHOLE
        for reading in readings:
            can = reading.guarded.enabled and reading.step in self.reasons.enabled
            step = self.notation.step(reading.step)
            if whole:
                yield Text.assemble((step, "bold"), f" {'can' if can else 'cannot'} happen:")
                yield from self._guards(reading, can)
                yield Text()
            else:
                mark, style = self._mark(can)
                first = next(iter(reading.guarded.false), None)
                reason = f"   {self.sentences.why(first.why)}" if first else ""
                yield Text.assemble((f"  {mark} ", style), step, (reason, "dim"))
        if not whole:
            yield Text()

    def _guards(self, reading: Attempt, can: bool) -> Iterator[Text]:
        pairs = [(g, r) for g in reading.guarded.guards for r in _rows(g.why, 0, self.sentences)]
        room = max((2 * row.depth + len(row.text) for _, row in pairs), default=0)
        room = min(room, 60)
        last: Guard | None = None
        for guard, row in pairs:
            mark, style = self._mark(row.holds)
            indent = " " * (2 + 2 * row.depth)
            where = "" if guard is last else placed(guard.via, guard.why.span)
            last = guard
            line = Text(indent).append(f"{mark} ", style)
            line.append(f"{row.text:<{room - 2 * row.depth}}").append(f"   {row.said}", "bold")
            line.append(where, "dim")
            line.rstrip()
            yield line
            if row.holds is False:
                for place in row.reads:
                    yield Text(f"{indent}    {place}{self._written(place)}", "dim")
        if not reading.guarded.complete:
            yield Text(f"  {self._open(reading)}", "dim")
        elif reading.guarded.enabled and not can:
            yield Text("  but a state constraint is false: no search goes on from this state")
        elif not pairs:
            yield Text("  it has no guards")

    def _open(self, reading: Attempt) -> str:
        if reading.guarded.failure:
            return f"the spec fails there: {reading.guarded.failure}"
        return "what is required after that cannot be evaluated here"

    def _truth(self, truth: Truth) -> Iterator[Text]:
        if truth.why is None:
            words = "is met here" if truth.kind == "reachable" else "holds"
            yield Text.assemble((truth.name, "bold"), f" {words}")
        else:
            words = "is not met here" if truth.kind == "reachable" else "is false"
            yield Text.assemble((truth.name, "bold"), f" {words}:")
            yield from explanation_lines(truth.why, self.notation, self.symbols, note=self._written)
        yield Text()

    def _written(self, place: str) -> str:
        """The state in which a place got its value."""
        number = self.reasons.writers.get(place)
        if number is None:
            return ""
        if number == 1:
            return "   so from the start"
        step = self.reasons.steps[number - 1]
        return f"   since state {number}{f', {step}' if step else ''}"

    def _mark(self, holds: bool | None) -> tuple[str, str]:
        if holds is None:
            return self.symbols.unknown, "yellow"
        return (self.symbols.true, "blue") if holds else (self.symbols.false, "red")


def _rows(why: Explanation, depth: int, sentences: Sentences) -> Iterator[_Row]:
    """A condition; its parts, if it has any, are below it."""
    parts = why.parts
    if why.operator == "call" and len(parts) == 1 and parts[0].operator == "and":
        parts = parts[0].parts
    elif why.operator != "and":
        reads = tuple(dict.fromkeys(why.reads))
        yield _Row(depth, why.value, why.text, sentences.why(why), reads)
        return
    yield _Row(depth, why.value, why.text, "")
    for part in parts:
        yield from _rows(part, depth + 1, sentences)
