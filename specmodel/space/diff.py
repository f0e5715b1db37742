"""Compares two spaces: the states and steps that only one of them has.

States are equal if their values are equal, so both spaces must have the same type of states. A step
goes from a state to a state. The name of its action does not count, because rival designs name the
same action differently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains.shapes import is_mapping
from specmodel.errors import UsageError
from specmodel.results import Progress
from specmodel.space.files import NONE, TRANSITIONS
from specmodel.space.run import SavedSpace
from specmodel.space.sql import Sql, sql, whole
from specmodel.space.ways import SavedState, ways


@dataclass(frozen=True)
class Example:
    """A shortest way to a difference: states, and the binding of one more step if the difference is
    that step.
    """

    path: tuple[SavedState, ...]
    last: int | None = None


@dataclass(frozen=True)
class ActionAlone:
    """The steps and states by an action that only one space has.

    `steps`, of which `parting` start in a state that both spaces have; `found` is the number of
    states missing in the other space that the action found first. `example` is of a parting step,
    if there is one.
    """

    name: str
    steps: int
    parting: int
    found: int
    example: Example | None


@dataclass(frozen=True)
class Side:
    """The steps and states that only this space has. `example` leads to the first of the states."""

    space: SavedSpace
    states: int
    steps: int
    actions: tuple[ActionAlone, ...]
    example: Example | None


@dataclass(frozen=True)
class SpaceDifference:
    """Two spaces: their common part, and the part of each alone.

    `moved` states are at another depth.
    """

    common: int
    common_steps: int
    moved: int
    sides: tuple[Side, Side]


def difference(
    first: str | Path,
    second: str | Path,
    *,
    verify: bool = True,
    spark: Any = None,
    progress: Callable[[Progress], None] | None = None,
) -> SpaceDifference:
    """The difference of two saved spaces, found on this machine, or by a `SparkSession`; `verify`
    as in `Space`.

    Raises UsageError if one of them is not a space, has no transitions, or has states of another
    type; DamagedRun; SpecmodelError if the disk is full.
    """
    spaces = SavedSpace(first, verify=verify), SavedSpace(second, verify=verify)
    for space in spaces:
        space.need_transitions()
    _refuse_unlike(*spaces)
    with sql(spark, progress) as database:
        return _difference(database, *spaces)


def _difference(database: Sql, a: SavedSpace, b: SavedSpace) -> SpaceDifference:
    database.tell("the states of both")
    for side, space in (("a", a), ("b", b)):
        whole(database, space, f"states_{side}")
        database.view(f"steps_{side}", space, TRANSITIONS)
    same = " and ".join(f"states_a.w{n} = states_b.w{n}" for n in range(a.manifest.words))
    database.keep(
        "common",
        "select states_a.id as a, states_b.id as b, states_a.level <> states_b.level as moved "
        f"from states_a join states_b on {same or 'true'}",
    )
    [(common, moved)] = database.rows(
        "select count(*), count(case when moved then 1 end) from common"
    )
    sides = _side(database, a, "a", "b"), _side(database, b, "b", "a")
    return SpaceDifference(
        common=common,
        common_steps=sum(level["generated"] for level in b.levels) - sides[1].steps,
        moved=moved,
        sides=sides,
    )


def _refuse_unlike(a: SavedSpace, b: SavedSpace) -> None:
    """Raises UsageError for spaces with different types of states."""
    apart = _apart(a.manifest.state, b.manifest.state, "")
    if apart:
        raise UsageError(
            f"{a.folder} and {b.folder} have states of different types: {apart}; save both spaces "
            "with the same constants, of designs with the same state"
        )
    if a.manifest.symmetry != b.manifest.symmetry:
        names = [", ".join(space.manifest.symmetry) or "none" for space in (a, b)]
        raise UsageError(
            f"{a.folder} is up to the names of {names[0]}, {b.folder} of {names[1]}: save both "
            "with --symmetry or both without"
        )


def _apart(a: Any, b: Any, where: str) -> str:
    """The first difference between two types of states; empty if there is none."""
    if is_mapping(a) and is_mapping(b):
        return _types_apart(a, b, where)
    return f"{where or 'the state'} is {a}, not {b}" if a != b else ""


def _types_apart(a: Mapping[str, Any], b: Mapping[str, Any], where: str) -> str:
    if a.get("type") == b.get("type") == "struct":
        fields = [{field["name"]: field["of"] for field in kinds["fields"]} for kinds in (a, b)]
        for name in dict.fromkeys([*fields[0], *fields[1]]):
            part = f"{where}.{name}" if where else name
            if name not in fields[0] or name not in fields[1]:
                return f"{part} is there in one of them only"
            apart = _apart(fields[0][name], fields[1][name], part)
            if apart:
                return apart
        return ""
    for key in dict.fromkeys([*a, *b]):
        if key not in ("name", "symmetric"):
            part = where if key in ("of", "key") else f"{key} of {where}"
            apart = _apart(a.get(key), b.get(key), part)
            if apart:
                return apart
    return ""


def _side(database: Sql, space: SavedSpace, here: str, there: str) -> Side:
    """What only the space `here` has. `there` is the other."""
    database.tell(f"the steps that only {space.folder} has")
    database.keep(
        "alone",
        f"select binding, level, source, source_there is not null as parting from "
        f"(select mine.*, source.{there} as source_there, case when mine.target < 0 then {NONE} "
        f"else target.{there} end as target_there from steps_{here} mine "
        f"left join common source on mine.source = source.{here} "
        f"left join common target on mine.target = target.{here}) where not exists "
        f"(select 1 from steps_{there} other "
        "where other.source = source_there and other.target = target_there)",
    )
    database.keep(
        "new",
        f"select id, level, binding from states_{here} left join common on id = common.{here} "
        f"where common.{here} is null",
    )
    firsts = {
        binding: (level, source, binding)
        for binding, level, source in database.rows(
            "select binding, level, min(source) from alone join (select binding, min(level) as "
            "level from alone where parting group by binding) using (binding, level) "
            "where parting group by binding, level"
        )
    }
    new = database.rows("select level, min(id) from new group by level order by level")
    paths = ways(database, space, [*new[:1], *(first[:2] for first in firsts.values())])
    counts = {
        binding: held
        for binding, *held in database.rows(
            "select binding, count(*), count(case when parting then 1 end) from alone "
            "group by binding"
        )
    }
    found = dict(database.rows("select binding, count(*) from new group by binding"))
    kinds: list[ActionAlone] = []
    for name in space.manifest.actions:
        mine = [n for n, held in enumerate(space.manifest.bindings) if held.action == name]
        steps, parting = (sum(counts[n][i] for n in mine if n in counts) for i in (0, 1))
        first = min((firsts[n] for n in mine if n in firsts), default=None)
        example = first and Example(paths[first[1]], first[2])
        if steps:
            new_states = sum(found.get(n, 0) for n in mine)
            kinds.append(ActionAlone(name, steps, parting, new_states, example))
    return Side(
        space,
        states=sum(found.values()),
        steps=sum(action.steps for action in kinds),
        actions=tuple(sorted(kinds, key=lambda action: -action.steps)),
        example=Example(paths[new[0][1]]) if new else None,
    )
