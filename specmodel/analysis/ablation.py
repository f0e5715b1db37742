"""Shows which rules of a design carry weight: weakens each alone, and checks everything again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from specmodel.analysis.rules import ActionReplacement, Condition, conditions, replacements
from specmodel.analysis.saved_outcomes import searched
from specmodel.analysis.searches import SearchLimits, SearchOutcome, Task
from specmodel.analysis.tables import (
    FOUND,
    Kind,
    Row,
    Rows,
    constant_cells,
    constant_columns,
    rows_of,
)
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError, suggestion
from specmodel.model.model import Interpreted
from specmodel.results.plain import members
from specmodel.suite.targets import target_of

FEW = 1 << 20
GROWTH = 4
"""A weakened design is searched to its end up to FEW states, or GROWTH times the states of the
intact design. Beyond, it is searched only as long as a property is open.
"""

Effect = Literal["breaks", "changes", "fails", "undecided", "harmless", "redundant"]
"""The effect of weakening a rule: see `Ablation.effect`."""


@dataclass(frozen=True)
class Ablation:
    """A weakened rule, and the result."""

    number: int
    rule: Condition | ActionReplacement
    outcome: SearchOutcome
    effect: Effect


@dataclass(frozen=True)
class AblationTable:
    """The rules of a design weakened one at a time, compared with the design as it is.

    An ablation's `effect` is the first of these that is true:

    - `fails`: the spec itself fails without the rule, as where a value leaves its domain;
    - `breaks`: a property is violated that holds in the design as it is;
    - `undecided`: the search ended before it had visited everything;
    - `changes`: the verdict of a property changes otherwise, or the length of its trace;
    - `redundant`: the same states and steps, so other rules imply this one;
    - `harmless`: other or more steps are possible, and every property that held still holds.
    """

    design: Design
    intact: SearchOutcome
    ablations: tuple[Ablation, ...]

    def table(self) -> Any:
        """A row for each change and property, as a `pyarrow.Table` (docs/reference/json-series.md).

        Raises UsageError where pyarrow is not installed.
        """
        return ablation_rows(self).table()

    @property
    def spare(self) -> tuple[Ablation, ...]:
        """The conditions of guards that do not matter within these bounds."""
        return tuple(
            a
            for a in self.ablations
            if a.effect in ("redundant", "harmless") and isinstance(a.rule, Condition)
        )


CHANGE: Mapping[str, Kind] = {
    "change": "int64",
    "rule": "string",
    "function": "string",
    "text": "string",
    "by": "string",
    "actions": "strings",
    "file": "string",
    "line": "int64",
    "effect": "string",
}
"""The columns of a weakened rule, with their types in Arrow."""


def ablation_rows(found: AblationTable) -> Rows:
    """A row for each change and property; change 0 is the design as it is."""
    constants = constant_columns([found.design.values])
    design = {"design": found.design.name, **constant_cells(found.design.values, constants)}
    intact: tuple[Row, SearchOutcome] = ({"change": 0}, found.intact)
    return Rows(
        {"design": "string", **constants, **CHANGE, **FOUND},
        [
            {**design, **change, **cells}
            for change, outcome in (intact, *((_change(a), a.outcome) for a in found.ablations))
            for cells in rows_of(outcome)
        ],
    )


def _change(found: Ablation) -> Row:
    rule = found.rule
    row = members(found, "change=number effect actions=rule.actions")
    row |= members(rule, "file=span.file line=span.line")
    if isinstance(rule, Condition):
        return {**row, "rule": "condition", **members(rule, "function text")}
    return {**row, "rule": "replacement", "by": rule.new}


Planned = tuple[int, Condition | ActionReplacement, Task]
"""A rule to weaken, with its number and its search."""


def planned(
    design: Design,
    *,
    actions: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    engine: str = "native",
    limits: SearchLimits = SearchLimits(),
) -> tuple[Task, tuple[Planned, ...]]:
    """The searches of an ablation: of the design as it is, and without each rule.

    Rules are numbered from 1. `actions` leaves out the rules of other actions, and keeps the
    numbers. Raises UsageError for an unknown action or property, and for a design that was not
    loaded from a file.
    """
    known = [rule.name for rule in design.spec.rules]
    wanted = {name.replace("-", "_") for name in actions} or set(known)
    for name in sorted(wanted - set(known)):
        raise UsageError(f'{design.name} has no action "{name}"{suggestion(name, known)}')
    chosen = tuple(rule.name for rule in design.chosen(properties))
    values = design.values
    if isinstance(design.spec, Interpreted):  # only these can be given
        values = {name: value for name, value in values.items() if type(value) in (int, bool)}
    intact = Task(target_of(design), values, properties=chosen, engine=engine, limits=limits)
    rules = (*conditions(design.spec), *replacements(design.spec))
    return intact, tuple(
        (number, rule, _weakened(intact, rule))
        for number, rule in enumerate(rules, start=1)
        if wanted & set(rule.actions)
    )


def ablate(
    design: Design,
    *,
    actions: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    engine: str = "native",
    limits: SearchLimits = SearchLimits(),
    jobs: int = 1,
    master: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> AblationTable:
    """Weakens every rule of a design, one at a time, and checks its properties each time.

    The rules are the conditions of its actions' guards, and those of its actions that other designs
    of the same files replace. `jobs` searches run side by side (see `side_by_side`, also for
    `master`). `progress` gets the number of finished searches and of all. Raises the errors of
    `planned` and of a check, and SpecmodelError if the design fails as it is.
    """
    task, plan = planned(
        design, actions=actions, properties=properties, engine=engine, limits=limits
    )
    [intact] = searched([task], 1, master)
    if intact.failure:
        raise SpecmodelError(f"{design.name} itself fails: {intact.failure}")
    enough = max(FEW, GROWTH * intact.distinct)
    tasks = [replace(task, enough=enough) for _, _, task in plan]
    outcomes = searched(tasks, jobs, master, progress=progress)
    ablations = [
        Ablation(number, rule, outcome, _effect(outcome, intact))
        for (number, rule, _), outcome in zip(plan, outcomes, strict=True)
    ]
    return AblationTable(design, intact, tuple(ablations))


def _weakened(intact: Task, rule: Condition | ActionReplacement) -> Task:
    if isinstance(rule, Condition):
        return replace(intact, edits=rule.edits)
    return replace(intact, replacement=rule)


def _effect(outcome: SearchOutcome, intact: SearchOutcome) -> Effect:
    if outcome.failure:
        return "fails"
    before = {p.name: p for p in intact.properties}
    if any(p.verdict == "violated" != before[p.name].verdict for p in outcome.properties):
        return "breaks"
    if any(p.verdict == "incomplete" for p in (*outcome.properties, *intact.properties)):
        return "undecided"
    for found in outcome.properties:
        known = before[found.name]
        violated = "violated" in (found.verdict, known.verdict)
        if violated and (found.verdict, found.trace_length) != (known.verdict, known.trace_length):
            return "changes"
    same = (outcome.distinct, outcome.generated) == (intact.distinct, intact.generated)
    return "redundant" if same else "harmless"
