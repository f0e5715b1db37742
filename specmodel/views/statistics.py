"""What a saved space is made of, as text and as JSON (docs/reference/json-space.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from specmodel.lang.constants import Value
from specmodel.results.plain import json_text, plain
from specmodel.space.statistics import Broken, Statistics
from specmodel.views.profile import level_lines
from specmodel.views.summary import count, value_text
from specmodel.views.wrapping import fitted

BAR = 40

TELLING = 0.1
"""By how much an action has to be on more of the ways into violations than on others."""


def statistics_lines(found: Statistics, width: int) -> Iterator[Text]:
    """The lines of the report: levels, degrees, actions, variables, ways to violations."""
    yield from level_lines([level.states for level in found.levels])
    yield Text()
    if found.degrees is not None:
        yield from _degrees(found.degrees)
        yield Text()
    yield from _actions(found)
    yield Text()
    yield from _variables(found)
    yield Text()
    for broken in found.broken:
        yield from _broken(broken)
        yield Text()
    yield from fitted(_seen(found), width)


def statistics_json(found: Statistics) -> str:
    """The statistics as one JSON object."""
    told = {**plain(found), "depth": len(found.levels)}
    if found.degrees is not None:
        told["degrees"] = [{"steps": n, "states": k} for n, k in found.degrees.items()]
    return json_text(told)


def space_line(
    design: str, constants: Mapping[str, Value], states: int, steps: int | None, depth: int
) -> str:
    """`kip320 at replicas=3: 737,794 states, 1,929,154 transitions, depth 26`."""
    held = [f"{name}={value_text(v)}" for name, v in constants.items() if v is not False]
    bounds = ", ".join(held)
    at = f" at {bounds}" if bounds else ""
    taken = "" if steps is None else f", {count(steps, 'transition')}"
    return f"{design}{at}: {count(states, 'state')}{taken}, depth {depth}"


def _seen(found: Statistics) -> Text:
    depth = len(found.levels)
    seen = space_line(found.design, found.constants, found.states, found.transitions, depth)
    alike = f", up to the names of {', '.join(found.symmetry)}" if found.symmetry else ""
    style = "" if found.complete else "yellow"
    return Text(f"{seen}{alike}, {'complete' if found.complete else 'incomplete'}", style)


def _degrees(degrees: Mapping[int, int]) -> Iterator[Text]:
    yield Text("Steps out of a state", "bold")
    largest, width = max(degrees.values()), len(f"{max(degrees.values()):,}")
    for steps, states in degrees.items():
        bar = "#" * max(1, round(BAR * states / largest))
        yield Text(f"  {steps:>3}  {states:>{width},}  {bar}")
    total = sum(degrees.values())
    mean = sum(steps * states for steps, states in degrees.items()) / total
    yield Text(f"  {mean:.2f} on average")


def _actions(found: Statistics) -> Iterator[Text]:
    """Those that find most states first."""
    names = max([len("Actions"), *(len(a.name) + 2 for a in found.actions)])
    fired = sum(action.fired or 0 for action in found.actions)
    head = f"{'fired':>12} {'share':>7} {'new states':>12} {'share':>7}"
    yield Text(f"{'Actions':<{names}}  {head}", "bold")
    for action in sorted(found.actions, key=lambda a: (-(a.found or 0), -(a.fired or 0))):
        figures = f"{_figure(action.fired, fired)} {_figure(action.found, found.states)}"
        yield Text(f"  {action.name:<{names - 2}}  {figures}".rstrip())


def _variables(found: Statistics) -> Iterator[Text]:
    names = max([len("Variables"), *(len(v.name) + 2 + 2 * v.nested for v in found.variables)])
    head = f"{'Variables':<{names}}  {'bits':>5} {'values':>12} {'without it':>12} {'times':>8}"
    yield Text(head, "bold")
    for variable in found.variables:
        name = f"{'  ' * variable.nested}{variable.name}"
        yield Text(
            f"  {name:<{names - 2}}  {variable.bits:>5} {variable.values:>12,} "
            f"{variable.without:>12,} {found.states / variable.without:>8.2f}"
        )


def _broken(broken: Broken) -> Iterator[Text]:
    yield Text.assemble(
        (f"{broken.name}", "bold red"),
        f" is broken by {count(broken.states, 'state')}, first at depth {broken.depth}",
    )
    if not broken.before:
        return
    names = max(len(way.action) for way in broken.before)
    yield Text(f"  The ways into {count(broken.entries, 'of these state')}:")
    yield Text(f"  {'':<{names}}  {'last step':>9} {'on the way':>10} {'to any state':>12}", "bold")
    for way in broken.before:
        if not way.last and way.on < way.elsewhere + TELLING:
            continue  # it is on most ways, wherever they lead
        yield Text(
            f"  {way.action:<{names}}  {way.last:>9.0%} {way.on:>10.0%} {way.elsewhere:>12.0%}"
        )


def _figure(part: int | None, whole: int) -> str:
    """A number with its share; nothing for one that is not on record."""
    if part is None:
        return f"{'':>12} {'':>7}"
    return f"{part:>12,} {f'{part / whole:.1%}' if whole else '':>7}"
