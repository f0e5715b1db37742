"""Statistics of a saved space: levels, actions, variables, and the ways to violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.ir.variables import variables_of
from specmodel.results import Progress
from specmodel.space.files import STATES, TRANSITIONS, VIOLATIONS
from specmodel.space.run import SavedSpace
from specmodel.space.sql import Sql, sql, whole

BITS = 60
"""Bits of a column of flags."""


@dataclass(frozen=True)
class LevelStatistics:
    """The states at a depth, and the steps out of them; None if the steps are not saved."""

    states: int
    generated: int | None


@dataclass(frozen=True)
class ActionStatistics:
    """An action: how often it fires, and how many states it found first.

    None stands for figures that are not saved: no verdicts yet, no parents of states.
    """

    name: str
    fired: int | None
    found: int | None


@dataclass(frozen=True)
class VariableStatistics:
    """A part of the state: the numbers of its values, and of distinct states without it."""

    name: str
    nested: bool
    bits: int
    values: int
    without: int


@dataclass(frozen=True)
class BeforeStatistics:
    """An action on the way to violations of a property.

    `last` is the share of the ways that end with it, `on` that of those that have it at all, and
    `elsewhere` that of the ways to all states.
    """

    action: str
    last: float
    on: float
    elsewhere: float


@dataclass(frozen=True)
class BrokenStatistics:
    """A violated property: the number of states that violate it, and the least depth.

    `entries` are those found from a state that does not violate it; `before` are the actions on the
    shortest ways to the entries, most significant first. Both are empty if states have no parents.
    """

    name: str
    states: int
    depth: int
    entries: int
    before: tuple[BeforeStatistics, ...]


@dataclass(frozen=True)
class Statistics:
    """The figures of `specmodel stats`.

    `degrees` are the numbers of states by their number of steps.

    `transitions` and `degrees` are None if steps are not saved. Levels whose steps are not known do
    not count for `degrees`.
    """

    design: str
    constants: Mapping[str, Value]
    engine: str
    symmetry: tuple[str, ...]
    complete: bool
    states: int
    transitions: int | None
    levels: tuple[LevelStatistics, ...]
    degrees: Mapping[int, int] | None
    actions: tuple[ActionStatistics, ...]
    variables: tuple[VariableStatistics, ...]
    broken: tuple[BrokenStatistics, ...]


def statistics(
    space: SavedSpace,
    *,
    spark: Any = None,
    progress: Callable[[Progress], None] | None = None,
) -> Statistics:
    """The statistics of a space, counted on this machine, or by a `SparkSession`.

    Raises DamagedRun, UsageError for a store that cannot be read, and SpecmodelError if the disk is
    full.
    """
    with sql(spark, progress) as database:
        return _SpaceCounts(space, database).statistics()


class _SpaceCounts:
    """Counts the rows of a space."""

    def __init__(self, space: SavedSpace, database: Sql) -> None:
        self.space, self.manifest, self.sql = space, space.manifest, database
        database.tell("the states")
        whole(database, space, "states")
        database.view("violations", space, VIOLATIONS)

    def statistics(self) -> Statistics:
        """All figures."""
        space, manifest = self.space, self.manifest
        saved = manifest.transitions
        return Statistics(
            design=manifest.design,
            constants=manifest.constants,
            engine=manifest.engine,
            symmetry=manifest.symmetry,
            complete=space.complete,
            states=space.size,
            transitions=sum(level["generated"] for level in space.levels) if saved else None,
            levels=tuple(
                LevelStatistics(level["states"], level["generated"] if saved else None)
                for level in space.levels
            ),
            degrees=self._degrees() if saved else None,
            actions=tuple(self._actions()),
            variables=tuple(self._variables()),
            broken=tuple(self._broken()),
        )

    def _degrees(self) -> dict[int, int]:
        self.sql.tell("the steps of each state")
        self.sql.view("transitions", self.space, TRANSITIONS)
        found = dict(
            self.sql.rows(
                "select steps, count(*) from "
                "(select count(*) as steps from transitions group by source) group by steps"
            )
        )
        expanded = (held for held in self.space.levels if held.get("expanded", True))
        if stuck := sum(held["states"] for held in expanded) - sum(found.values()):
            found[0] = stuck
        return dict(sorted(found.items()))

    def _actions(self) -> Iterator[ActionStatistics]:
        found: Counter[str] = Counter()
        for binding, count in self.sql.rows("select binding, count(*) from states group by 1"):
            if binding >= 0:
                found[self.manifest.bindings[int(binding)].action] += count
        for name in self.manifest.actions:
            first = found[name] if self.manifest.parents else None
            yield ActionStatistics(name, self.space.fired(name), first)

    def _variables(self) -> Iterator[VariableStatistics]:
        layout = self.manifest.layout
        everything = range(len(layout.leaves))
        for variable in variables_of(layout.domain):
            self.sql.tell(f"values of {variable.name}")
            yield VariableStatistics(
                variable.name,
                variable.nested,
                sum(layout.slots[leaf].bits for leaf in variable.leaves),
                self._different(variable.leaves),
                self._different(sorted(set(everything) - set(variable.leaves))),
            )

    def _different(self, leaves: Sequence[int]) -> int:
        """The number of distinct values that some leaves take together."""
        masks = [0] * self.manifest.words
        for leaf in leaves:
            slot = self.manifest.layout.slots[leaf]
            masks[slot.word] |= slot.mask << slot.shift
        parts = [
            f"w{word} & cast({mask - (mask >> 63 << 64)} as bigint) as p{word}"
            for word, mask in enumerate(masks)
            if mask
        ]
        if not parts:
            return 1
        [(count,)] = self.sql.rows(
            f"select count(*) from (select distinct {', '.join(parts)} from states)"
        )
        return count

    # The ways to violations

    def _broken(self) -> Iterator[BrokenStatistics]:
        """The violated properties of states."""
        found = self.sql.rows(
            "select property, count(distinct state), min(level) from violations "
            "where binding < 0 group by property order by property"
        )
        if not found:
            return
        ways = _Ways(self.space, self.sql) if self.manifest.parents else None
        for number, states, level in found:
            name = self.manifest.properties[int(number)].name
            entries = ways.entries[number] if ways else 0
            before = () if ways is None else tuple(ways.before(number))
            yield BrokenStatistics(name, states, level + 1, entries, before)


class _Ways:
    """The actions on the shortest ways to all states, and to those that enter a violation.

    Counts of ways are by action; of those to entries, by the number of the property and action.
    """

    def __init__(self, space: SavedSpace, database: Sql) -> None:
        self.space, self.sql = space, database
        self.names = space.manifest.actions
        number = {name: place for place, name in enumerate(self.names)}
        self.action_of = [number[binding.action] for binding in space.manifest.bindings]
        self.everywhere: Counter[int] = Counter()
        self.on: Counter[tuple[int, int]] = Counter()
        self.last: Counter[tuple[int, int]] = Counter()
        self.entries: Counter[int] = Counter()
        database.keep(
            "entries",
            "select property, id from states join (select distinct property, state as id from "
            "violations where binding < 0) using (id) left join (select distinct property, state "
            "as parent, 1 as inside from violations where binding < 0) using (property, parent) "
            "where inside is null",
        )
        with_entries = set[int]()
        for prop, level, binding, count in database.rows(
            "select property, level, binding, count(*) from entries join states using (id) "
            "group by property, level, binding"
        ):
            with_entries.add(level)
            self.entries[prop] += count
            if binding >= 0:
                self.last[prop, self.action_of[binding]] += count
        for level in range(len(space.levels)):
            database.tell(f"ways to states of depth {level + 1}")
            database.view("here", space, STATES, level)
            database.keep(f"flags{level}", self._flags(level))
            if level:
                database.drop(f"flags{level - 1}")
            self._count(f"flags{level}", level in with_entries)

    def _flags(self, level: int) -> str:
        """A query for the states of a level, with a bit for each action: whether the way has it."""
        columns = range(0, len(self.names), BITS)
        if not level:
            none = "".join(f", cast(0 as bigint) as f{low}" for low in columns)
            return f"select id{none} from here"
        own = [
            (binding, *(1 << action - low if 0 <= action - low < BITS else 0 for low in columns))
            for binding, action in enumerate(self.action_of)
        ]
        names = ", ".join(f"own{low}" for low in columns)
        flags = "".join(f", before.f{low} | own{low} as f{low}" for low in columns)
        return (
            f"select here.id{flags} from here join flags{level - 1} before "
            "on here.parent = before.id join "
            f"(values {', '.join(map(str, own))}) as own (binding, {names}) "
            "on here.binding = own.binding"
        )

    def _count(self, flags: str, entries: bool) -> None:
        """Counts the ways to the states of a level, and to the entries among them, if any."""
        if not self.names:
            return
        sums = ", ".join(
            f"sum((f{number - number % BITS} >> {number % BITS}) & 1)"
            for number in range(len(self.names))
        )
        [counts] = self.sql.rows(f"select {sums} from {flags}")
        self.everywhere.update(dict(enumerate(map(int, counts))))
        asked = f"select property, {sums} from entries join {flags} using (id) group by property"
        for prop, *counts in self.sql.rows(asked) if entries else []:
            self.on.update({(prop, number): int(held) for number, held in enumerate(counts)})

    def before(self, prop: int) -> Iterator[BeforeStatistics]:
        """The actions on the ways into the violation of a property, most significant first."""
        found = [
            BeforeStatistics(
                name,
                self.last[prop, number] / self.entries[prop],
                self.on[prop, number] / self.entries[prop],
                self.everywhere[number] / self.space.size,
            )
            for number, name in enumerate(self.names)
            if self.on[prop, number]
        ]
        yield from sorted(found, key=lambda way: (-way.last, way.elsewhere - way.on, way.action))
