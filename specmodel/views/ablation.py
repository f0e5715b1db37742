"""A design with its rules weakened one at a time, as text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from rich.text import Text

from specmodel.analysis.ablation import Ablation, AblationTable
from specmodel.analysis.rules import ActionReplacement, Condition
from specmodel.analysis.searches import Judged, SearchOutcome
from specmodel.errors import Span
from specmodel.suite.catalog import shipped
from specmodel.views.forms import cut
from specmodel.views.page import Page
from specmodel.views.summary import bounds, count

_STYLES = {"breaks": "red", "fails": "magenta", "undecided": "yellow", "changes": "red"}

_LONGEST_LABEL = 72

_SPARE = (
    ("redundant", "Redundant within these bounds: the same states and steps without"),
    ("harmless", "Harmless to leave out within these bounds: more can happen, nothing breaks"),
)


def ablation_lines(found: AblationTable, page: Page) -> Iterator[Text]:
    """The lines of the report: the table by actions, then the conditions that do not matter."""
    design, intact = found.design, found.intact
    yield Text.assemble((design.name, "bold"), f" at {bounds(design.constants) or 'no constants'}")
    yield Text()
    labels = [_label(a) for a in found.ablations]
    column = min(max(map(len, labels), default=0), max(page.width // 2, 40), _LONGEST_LABEL)
    held = ", ".join(p.name for p in intact.properties if p.verdict == "holds")
    whole = f"holds {held}" if held else ""
    yield Text(f"{'':<{column}}  {'states':>11}", "dim")
    yield _row("as it is", column, intact, f"{whole}{_violated(intact, intact)}")
    for function, group in groupby(found.ablations, _place):
        yield Text(f"  {function}", "bold cyan")
        for ablation in group:
            difference = _difference(ablation, intact, page)
            style = _STYLES.get(ablation.effect, "")
            yield _row(_label(ablation), column, ablation.outcome, difference, style)
    yield Text()
    for effect, title in _SPARE:
        spare = [a for a in found.spare if a.effect == effect]
        if spare:
            yield Text(title, "bold")
            for ablation in spare:
                yield Text(f"{ablation.number:>5}  {_place(ablation)}: {described(ablation.rule)}")
    broken = sum(a.effect == "breaks" for a in found.ablations)
    changes = count(len(found.ablations), "change")
    yield Text.assemble((design.name, "bold"), f": {broken} of {changes} break a property")


def described(rule: Condition | ActionReplacement) -> str:
    """A rule on one line, with the predicate that a condition is part of."""
    if isinstance(rule, ActionReplacement):
        added = f" with {', '.join(rule.added)}" if rule.added else ""
        return f"{rule.new} instead{added}"
    return f"{rule.text} (in {rule.within})" if rule.within else rule.text


def change_line(design: str, rule: Condition | ActionReplacement) -> Text:
    """The change of a design, and its place, for the line before its report."""
    if isinstance(rule, ActionReplacement):
        what = f" with {rule.new} in the place of {rule.old}"
        what += f", and {', '.join(rule.added)}" if rule.added else ""
    else:
        what = f" without the condition {described(rule)} in {rule.function}"
    return Text.assemble((design, "bold"), f"{what}   {placed(rule.span)}")


def placed(span: Span) -> str:
    """A place, relative to the current directory or to that of the shipped models."""
    path = Path(span.file)
    for folder in (Path.cwd(), shipped().parent):
        if path.is_relative_to(folder):
            return f"{path.relative_to(folder).as_posix()}:{span.line}"
    return f"{path}:{span.line}"


def _row(label: str, column: int, outcome: SearchOutcome, difference: str, style: str = "") -> Text:
    states = f"{outcome.distinct:,}{'' if outcome.complete else '+'}"
    shown = "-" if outcome.failure else states
    return Text(f"{cut(label, column):<{column}}  {shown:>11}  ").append(difference, style)


def _difference(ablation: Ablation, intact: SearchOutcome, page: Page) -> str:
    """The effect of a change, with the properties that it makes false."""
    outcome = ablation.outcome
    if outcome.failure:
        return f"fails: {outcome.failure}"
    mark = f"{page.symbols.false} " if ablation.effect == "breaks" else ""
    return f"{mark}{ablation.effect}{_violated(outcome, intact)}"


def _violated(outcome: SearchOutcome, intact: SearchOutcome) -> str:
    """The violated properties with the lengths of their counterexamples, and the undecided ones."""
    difference = [
        f"{p.name} ({'no state meets it' if p.trace_length is None else p.trace_length})"
        for p in outcome.properties
        if p.verdict == "violated"
    ]
    difference += [f"{p.name} (holds now)" for p in outcome.properties if _mended(p, intact)]
    difference += [
        f"{p.name} (not decided)" for p in outcome.properties if p.verdict == "incomplete"
    ]
    return f" {', '.join(difference)}" if difference else ""


def _mended(found: Judged, intact: SearchOutcome) -> bool:
    return found.verdict == "holds" and intact[found.name].verdict == "violated"


def _place(ablation: Ablation) -> str:
    """The function of a rule, and the actions that it guards, if those are others."""
    rule = ablation.rule
    if isinstance(rule, ActionReplacement):
        return f"{rule.old}, replaced"
    if rule.actions == (rule.function,):
        return rule.function
    return f"{rule.function}, for {', '.join(rule.actions)}"


def _label(ablation: Ablation) -> str:
    rule = ablation.rule
    if isinstance(rule, ActionReplacement):
        return f"  {ablation.number:>3}  by {rule.new}{''.join(f' + {n}' for n in rule.added)}"
    return f"  {ablation.number:>3}  {'  ' * rule.depth}{rule.text}"
