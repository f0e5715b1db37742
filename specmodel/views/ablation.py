"""A design with its rules weakened one at a time, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rich.text import Text

from specmodel.analysis.ablation import Ablation, AblationTable
from specmodel.analysis.rules import Condition, Replacement
from specmodel.analysis.searches import Judged, Outcome
from specmodel.errors import Span
from specmodel.lang.constants import Value
from specmodel.views.summary import count, value_text
from specmodel.views.symbols import Symbols

_STYLES = {"breaks": "red", "fails": "magenta", "undecided": "yellow", "changes": "red"}

_LEAST_LABEL = 30

_SPARE = (
    ("redundant", "Redundant within these bounds: the same states and steps without"),
    ("harmless", "Without effect on the properties within these bounds, though more can happen"),
)


def ablation_lines(found: AblationTable, width: int, symbols: Symbols) -> Iterator[Text]:
    """The lines of the report: the table by actions, then the conditions that do not matter."""
    yield Text.assemble((found.design, "bold"), f" at {settings(found.constants)}")
    yield Text()
    names = [p.name for p in found.intact.properties]
    columns = [max(6, len(name)) for name in names]
    rest = sum(columns) + 2 * len(columns) + 12 + 11
    table = _Table(columns, max(_LEAST_LABEL, width - rest), symbols)
    yield table.heading(names)
    yield table.row("as it is", found.intact, "")
    for function, group in groupby(found.ablations, _place):
        yield Text(f"  {function}", "bold cyan")
        for ablation in group:
            yield table.row(_label(ablation), ablation.outcome, ablation.effect)
    yield Text()
    for effect, title in _SPARE:
        spare = [a for a in found.spare if a.effect == effect]
        if spare:
            yield Text(f"{title}:", "bold")
            for ablation in spare:
                yield Text(
                    f"  {ablation.number:>3}  {_place(ablation)}: {described(ablation.rule)}"
                )
    broken = sum(a.effect == "breaks" for a in found.ablations)
    carrying = f"{broken} of {count(len(found.ablations), 'change')} break a property"
    yield Text.assemble((found.design, "bold"), f": {carrying}")


def settings(constants: Mapping[str, Value]) -> str:
    """Constants on one line."""
    return ", ".join(f"{n}={value_text(v)}" for n, v in constants.items()) or "no constants"


def described(rule: Condition | Replacement) -> str:
    """A rule on one line, with the predicate that a condition is part of."""
    if isinstance(rule, Replacement):
        company = f" with {', '.join(rule.added)}" if rule.added else ""
        return f"{rule.new} instead{company}"
    return f"{rule.text} (in {rule.within})" if rule.within else rule.text


def change_line(design: str, rule: Condition | Replacement) -> Text:
    """What was changed of a design, and where, before its report."""
    if isinstance(rule, Replacement):
        what = f" with {rule.new} in the place of {rule.old}"
        what += f", and {', '.join(rule.added)}" if rule.added else ""
    else:
        what = f" without the condition {described(rule)} in {rule.function}"
    return Text.assemble((design, "bold"), f"{what}   {placed(rule.span)}")


def placed(span: Span) -> str:
    """A place, below the current directory without that."""
    path, here = Path(span.file), Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return f"{shown}:{span.line}"


class _Table:
    """Rows of a label, a cell for each property, states, and what the change does."""

    def __init__(self, columns: Sequence[int], label: int, symbols: Symbols) -> None:
        self.columns = columns
        self.label = label
        self.symbols = symbols

    def heading(self, names: Sequence[str]) -> Text:
        cells = "  ".join(f"{n:<{w}}" for n, w in zip(names, self.columns, strict=True))
        return Text(f"{'':<{self.label}}  {cells}  {'states':>10}  effect", "dim")

    def row(self, label: str, outcome: Outcome, effect: str) -> Text:
        line = Text(f"{_cut(label, self.label):<{self.label}}  ")
        style = _STYLES.get(effect, "")
        if outcome.failure:
            return line.append(f"the spec fails: {outcome.failure}", style)
        for found, width in zip(outcome.properties, self.columns, strict=True):
            cell = f"{cell_of(found, self.symbols):<{width}}  "
            line.append(cell, "red" if found.verdict == "violated" else "")
        states = f"{outcome.distinct:,}{'' if outcome.complete else '+'}"
        return line.append(f"{states:>10}").append(f"  {effect}" if effect else "", style)


def cell_of(found: Judged, symbols: Symbols) -> str:
    """A verdict in short: a mark, and the states of the counterexample if there is one."""
    marks = {"holds": symbols.true, "violated": symbols.false, "incomplete": symbols.unknown}
    mark = marks[found.verdict]
    violated = found.verdict == "violated" and found.trace_length is not None
    return f"{mark} {found.trace_length}" if violated else mark


def _place(ablation: Ablation) -> str:
    """The function that a rule stands in, and whose actions it guards, if those are others."""
    rule = ablation.rule
    if isinstance(rule, Replacement):
        return rule.old
    if rule.actions == (rule.function,):
        return rule.function
    return f"{rule.function}, for {', '.join(rule.actions)}"


def _label(ablation: Ablation) -> str:
    rule = ablation.rule
    if isinstance(rule, Replacement):
        return f"  {ablation.number:>3}  by {rule.new}{''.join(f' + {n}' for n in rule.added)}"
    return f"  {ablation.number:>3}  {'  ' * rule.depth}{rule.text}"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3].rstrip()}..."
