"""Which rules of a design carry weight: each is weakened alone, and everything is checked again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from specmodel.analysis.rules import Condition, Replacement, conditions, replacements
from specmodel.analysis.searches import Limits, Outcome, Task, search, side_by_side
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError
from specmodel.lang.constants import Value
from specmodel.suite.targets import target_of

FEW = 1 << 20
GROWTH = 4
"""A weakened design is searched to its end up to FEW states, or GROWTH times those of the intact one;
beyond, only as long as a property is open."""

Effect = Literal["breaks", "changes", "fails", "undecided", "harmless", "idle"]
"""What weakening a rule does: see `Ablation.effect`."""


@dataclass(frozen=True)
class Ablation:
    """A rule, weakened, and what was found then. `task` makes that search again."""

    number: int
    rule: Condition | Replacement
    task: Task
    outcome: Outcome
    effect: Effect


@dataclass(frozen=True)
class AblationTable:
    """The rules of a design weakened one at a time, beside the design as it is.

    An ablation's `effect` is, the first of these that is so:

    - `fails`: the spec itself fails without the rule, as where a value leaves its domain;
    - `breaks`: a property is violated that holds in the design as it is;
    - `undecided`: the search was given up before it had seen everything;
    - `changes`: the verdict of a property changes otherwise, or how soon it is violated;
    - `idle`: the very same states and steps, so that other rules say the same;
    - `harmless`: more can happen, or other things, and everything that held still does.
    """

    design: str
    constants: Mapping[str, Value]
    intact: Outcome
    ablations: tuple[Ablation, ...]

    @property
    def spare(self) -> tuple[Ablation, ...]:
        """The guards' conditions that do not matter within these bounds."""
        return tuple(
            a
            for a in self.ablations
            if a.effect in ("idle", "harmless") and isinstance(a.rule, Condition)
        )


def tasks_of(
    design: Design,
    *,
    actions: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    engine: str = "native",
    limits: Limits = Limits(),
) -> list[tuple[Condition | Replacement | None, Task]]:
    """The searches of an ablation, that of the intact design first (with no rule).

    `actions` restricts it to the rules of these. Raises UsageError for an unknown action or
    property, and for a design that was not loaded from a file.
    """
    known = [rule.name for rule in design.spec.rules]
    for name in actions:
        if name.replace("-", "_") not in known:
            raise UsageError(f'{design.name} has no action "{name}"; known: {", ".join(known)}')
    wanted = {name.replace("-", "_") for name in actions} or set(known)
    chosen = tuple(rule.name for rule in design.chosen(properties))
    target, constants = target_of(design), design.values

    def task(edits: Condition | None = None, other: Replacement | None = None) -> Task:
        changed = edits.edits if edits else ()
        return Task(target, constants, changed, other, chosen, engine, limits)

    found: list[tuple[Condition | Replacement | None, Task]] = [(None, task())]
    found += [(c, task(c)) for c in conditions(design.spec) if wanted & set(c.actions)]
    found += [(r, task(None, r)) for r in replacements(design.spec) if r.old in wanted]
    return found


def ablate(
    design: Design,
    *,
    actions: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    engine: str = "native",
    limits: Limits = Limits(),
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> AblationTable:
    """Weaken every rule of a design, one at a time, and check its properties each time.

    The rules are the conditions of its actions' guards, and its actions that other designs of the
    same files have others for. `jobs` searches run side by side (see `side_by_side`); `progress` is
    told how many of how many are done. Raises what `tasks_of` and a check do.
    """
    planned = tasks_of(design, actions=actions, properties=properties, engine=engine, limits=limits)
    intact = search(planned[0][1])
    if intact.failure:
        raise SpecmodelError(f"{design.name} itself fails: {intact.failure}")
    enough = max(FEW, GROWTH * intact.distinct)
    tasks = [replace(task, enough=enough) for _, task in planned[1:]]
    outcomes: dict[int, Outcome] = {0: intact}
    for number, outcome in side_by_side(tasks, jobs):
        outcomes[number + 1] = outcome
        if progress:
            progress(len(outcomes), len(planned))
    ablations = [
        Ablation(number, rule, task, outcomes[number], _effect(outcomes[number], intact))
        for number, (rule, task) in enumerate(planned)
        if rule is not None
    ]
    return AblationTable(design.name, design.values, intact, tuple(ablations))


def _effect(outcome: Outcome, intact: Outcome) -> Effect:
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
    return "idle" if same else "harmless"
