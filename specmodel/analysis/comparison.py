"""Compares designs: verdicts, the differences in their actions, counterexamples on rivals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from specmodel.analysis.differences import ActionDifference, differences
from specmodel.analysis.recording import recording_of
from specmodel.analysis.rival import Replayed, replay
from specmodel.analysis.tables import FOUND, Rows, constant_cells, constant_columns, rows_of
from specmodel.analysis.trace_files import load_at
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError, suggestion
from specmodel.model.model import Interpreted
from specmodel.results import Result, Trace


@dataclass(frozen=True)
class Meeting:
    """A counterexample of one design, replayed on another.

    `design` and `rival` are positions among the compared designs, `properties` are those that the
    trace violates. `replayed` is None if the two have no state in common; then `reason` says why.
    """

    design: int
    rival: int
    properties: tuple[str, ...]
    trace: Trace
    replayed: Replayed | None
    reason: str = ""


@dataclass(frozen=True)
class Comparison:
    """Designs with their results, in the given order, their differences, and the replays."""

    designs: tuple[Design, ...]
    results: tuple[Result, ...]
    differences: tuple[ActionDifference, ...]
    meetings: tuple[Meeting, ...]

    def table(self) -> Any:
        """A row for each design and property, as a `pyarrow.Table` (docs/reference/json-series.md).

        Raises UsageError where pyarrow is not installed.
        """
        return comparison_rows(self).table()

    @property
    def complete(self) -> bool:
        """Whether every search was complete."""
        return all(result.complete for result in self.results)

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that were checked of some design."""
        return tuple(dict.fromkeys(p.name for result in self.results for p in result.properties))


def comparison_rows(found: Comparison) -> Rows:
    """A row for each design and property; the constants that any design has are columns."""
    constants = constant_columns(result.constants for result in found.results)
    return Rows(
        {"design": "string", **constants, **FOUND},
        [
            {"design": result.design, **constant_cells(result.constants, constants), **cells}
            for result in found.results
            for cells in rows_of(result)
        ],
    )


def load_rivals(targets: Sequence[str], constants: Mapping[str, Value]) -> tuple[Design, ...]:
    """Loads designs to compare; each takes those of the constants that it has.

    Raises UsageError for a constant that no design has, for one that two designs have with
    different values, and for a design named twice; and the errors of a load.
    """
    designs = _named_apart([load_at(target, constants) for target in targets])
    known = {name for design in designs for name in design.constants}
    for name in constants:
        if name not in known:
            raise UsageError(f'no design has a constant "{name}"{suggestion(name, known)}')
    seen: dict[str, Design] = {}
    for design in designs:
        if design.name in seen:
            raise UsageError(f"{design.name} is given twice")
        for other in seen.values():
            _refuse_unequal(design, other)
        seen[design.name] = design
    return tuple(designs)


def _named_apart(designs: Sequence[Design]) -> list[Design]:
    """The designs; configurations of one module have the names of their files beside its own."""
    count = Counter(design.name for design in designs)
    return [
        replace(design, name=f"{design.name}:{design.files[-1].name}")
        if count[design.name] > 1 and isinstance(design.spec, Interpreted)
        else design
        for design in designs
    ]


def chosen(
    designs: Sequence[Design], names: Sequence[str] | None
) -> dict[str, tuple[str, ...] | None]:
    """The properties to check of each design, by its name: those of the named ones that it has.

    None stands for the design's own choice. Raises UsageError for a property that no design has,
    and for a design that has none of them.
    """
    if not names:
        return {design.name: None for design in designs}
    found: dict[str, list[str]] = {design.name: [] for design in designs}
    for name in names:
        wrong: list[UsageError] = []
        for design in designs:
            try:
                found[design.name] += [rule.name for rule in design.chosen([name])]
            except UsageError as unknown:
                wrong.append(unknown)
        if len(wrong) == len(designs):
            raise wrong[0]
    for design, mine in found.items():
        if not mine:
            raise UsageError(f"{design} has none of the properties {', '.join(names)}")
    return {design: tuple(mine) for design, mine in found.items()}


def compare(designs: Sequence[Design], check: Callable[[], Iterable[Result]]) -> Comparison:
    """Checks designs and replays the counterexamples of each on the others.

    `check` runs the searches of all, in order. Each explores the whole space, so every property has
    its own shortest counterexample.
    """
    results = tuple(check())
    meetings: list[Meeting] = []
    for number, result in enumerate(results):
        for trace, names in _counterexamples(result):
            for rival in range(len(designs)):
                if rival != number:
                    meetings.append(_meeting(designs, number, rival, names, trace))
    return Comparison(tuple(designs), results, differences(designs), tuple(meetings))


def _refuse_unequal(design: Design, other: Design) -> None:
    for name, value in design.values.items():
        if name in other.constants and other.constants[name].value != value:
            # A constant of a module may have a value that only its configuration can give.
            written = isinstance(design.spec, Interpreted)
            how = "" if written else f", as in --set {name}={str(value).lower()}"
            raise UsageError(
                f"{other.name} has {name} = {other.constants[name].value} and {design.name} has"
                f" {value}: give both the same{how}"
            )


def _counterexamples(result: Result) -> list[tuple[Trace, tuple[str, ...]]]:
    """The traces of violated properties, each once."""
    found: list[tuple[Trace, tuple[str, ...]]] = []
    for held in result.properties:
        if held.verdict != "violated" or held.trace is None:
            continue
        for position, (trace, names) in enumerate(found):
            if trace.steps == held.trace.steps and trace.states == held.trace.states:
                found[position] = (trace, (*names, held.name))
                break
        else:
            found.append((held.trace, (held.name,)))
    return found


def _meeting(
    designs: Sequence[Design], number: int, rival: int, names: tuple[str, ...], trace: Trace
) -> Meeting:
    recording = recording_of(designs[number], trace, names[0])
    try:
        return Meeting(number, rival, names, trace, replay(recording, designs[rival]))
    except UsageError as wrong:
        return Meeting(number, rival, names, trace, None, str(wrong))
