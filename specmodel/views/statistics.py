"""The statistics of a saved space, as text and as JSON (docs/reference/json-space.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from specmodel.constants import Value
from specmodel.results.plain import json_text, plain
from specmodel.space.statistics import BrokenStatistics, Statistics
from specmodel.views.forms import bars, figures, sections
from specmodel.views.page import Page
from specmodel.views.summary import count, value_text
from specmodel.views.wrapping import fitted

TELLING = 0.1
"""The least difference between an action's share of the ways into violations and its share of other
ways to be shown.
"""


def statistics_lines(found: Statistics, page: Page) -> Iterator[Text]:
    """The lines of the report: levels, degrees, actions, variables, ways to violations."""
    levels = {number: level.states for number, level in enumerate(found.levels, start=1)}
    yield from sections(
        bars("Levels", levels),
        _degrees(found.degrees or {}),
        _actions(found),
        _variables(found),
        *map(_broken, found.broken),
    )
    yield from fitted(_seen(found), page.width)


def statistics_json(found: Statistics) -> str:
    """The statistics as one JSON object."""
    content = {**plain(found), "depth": len(found.levels)}
    if found.degrees is not None:
        content["degrees"] = [{"steps": n, "states": k} for n, k in found.degrees.items()]
    return json_text(content)


def space_line(
    design: str, constants: Mapping[str, Value], states: int, steps: int | None, depth: int
) -> str:
    """`kip320 at replicas=3: 737,794 states, 1,929,154 transitions, depth 26`."""
    taken = "" if steps is None else f", {count(steps, 'transition')}"
    return f"{named(design, constants)}: {count(states, 'state')}{taken}, depth {depth}"


def named(design: str, constants: Mapping[str, Value]) -> str:
    """A design with its constants, without switches that are off: `kip320 at replicas=3`."""
    held = [f"{name}={value_text(v)}" for name, v in constants.items() if v is not False]
    return f"{design} at {', '.join(held)}" if held else design


def _seen(found: Statistics) -> Text:
    depth = len(found.levels)
    seen = space_line(found.design, found.constants, found.states, found.transitions, depth)
    alike = f", up to the names of {', '.join(found.symmetry)}" if found.symmetry else ""
    style = "" if found.complete else "yellow"
    return Text(f"{seen}{alike}, {'complete' if found.complete else 'incomplete'}", style)


def _degrees(degrees: Mapping[int, int]) -> Iterator[Text]:
    if not degrees:
        return
    yield from bars("Steps out of a state", degrees)
    total = sum(degrees.values())
    mean = sum(steps * states for steps, states in degrees.items()) / total
    yield Text(f"  {mean:.2f} on average")


def _actions(found: Statistics) -> Iterator[Text]:
    """The actions that find most states first."""
    fired = sum(action.fired or 0 for action in found.actions)
    rows = [
        (action.name, *_share(action.fired, fired), *_share(action.found, found.states))
        for action in sorted(found.actions, key=lambda a: (-(a.found or 0), -(a.fired or 0)))
    ]
    yield from figures("Actions", "fired:12, share:7, new states:12, share:7", rows)


def _variables(found: Statistics) -> Iterator[Text]:
    rows = [
        (
            f"{'  ' * v.nested}{v.name}",
            v.bits,
            v.values,
            v.without,
            f"{found.states / v.without:.2f}",
        )
        for v in found.variables
    ]
    yield from figures("Variables", "bits:5, values:12, without it:12, times:8", rows)


def _broken(broken: BrokenStatistics) -> Iterator[Text]:
    yield Text.assemble(
        (f"{broken.name}", "bold red"),
        f" is broken by {count(broken.states, 'state')}, first at depth {broken.depth}",
    )
    if not broken.before:
        return
    yield Text(f"  The ways into {count(broken.entries, 'of these state')}:")
    names = max(len(way.action) for way in broken.before)
    rows = [
        (f"{way.action:<{names}}", f"{way.last:.0%}", f"{way.on:.0%}", f"{way.elsewhere:.0%}")
        for way in broken.before
        # The other actions are on most ways to any state.
        if way.last or way.on >= way.elsewhere + TELLING
    ]
    yield from figures("", "last step:9, on the way:10, to any state:12", rows)


def _share(part: int | None, whole: int) -> tuple[int | str, str]:
    """A number with its share; empty if it is not saved."""
    return ("", "") if part is None else (part, f"{part / whole:.1%}" if whole else "")
