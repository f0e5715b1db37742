"""The text report of a simulation. It never says that a property holds: walks cannot show that."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.text import Text

from specmodel.design import Design
from specmodel.results import Guarantee, Simulation, Touched
from specmodel.views.page import Page
from specmodel.views.summary import (
    bounds,
    concluded,
    count,
    counterexample,
    counterexamples,
    property_lines,
    self_check_text,
)

_MOST_NAMED = 6
"""Up to this number of the bindings that were never taken are named."""


def report(design: Design, found: Simulation, page: Page) -> Iterator[Text]:
    """The lines of the report: counterexamples, properties, coverage, visited part, outcome."""
    for judged in found.properties:
        if judged.verdict == "violated":
            yield from counterexample(design, judged, page)
    if found.properties:
        yield from property_lines(found.properties, page)
        yield Text()
    yield from _coverage(found)
    yield Text()
    for head, text in _facts(found):
        lines = textwrap.wrap(text, max(30, page.width - 10), break_on_hyphens=False)
        yield Text.assemble((f"{head:<8}  ", "bold"), lines[0])
        yield from (Text(f"{'':<10}{line}") for line in lines[1:])
    if not found.properties:
        yield Text("warning: no property was looked at", "yellow")
    yield Text(_figures(found), "dim")
    if found.self_check is not None:
        yield Text(self_check_text(found.self_check), "dim")
    yield outcome_line(design, found)


def outcome_line(design: Design, found: Simulation) -> Text:
    """The outcome: `kip320: nothing found in 100,000 walks at replicas=3, ...`."""
    held = bounds(design.constants, found.constants)
    at = f" at {held}" if held else ""
    walks = f"{count(found.walks, 'walk')} of up to {count(found.depth, 'state')}"
    if found.violated:
        violated = [p for p in found.properties if p.verdict == "violated"]
        names = ", ".join(p.name for p in violated)
        lengths = counterexamples([p.trace_length or 0 for p in violated])
        text = f"violates {names}{at}: {lengths}, from walk {found.walk:,} of seed {found.seed}"
    else:
        sought = [p.name for p in found.properties if p.kind != "reachable"]
        what = f"no violation of {', '.join(sought)} seen" if sought else "nothing was looked for"
        stopped = "interrupted after " if found.stopped == "interrupted" else ""
        text = f"{what}{at}: {stopped}{walks}, not complete"
    return concluded(found.design, text, found.verdict)


def _coverage(found: Simulation) -> Iterator[Text]:
    """How often walks took each action."""
    names = max(map(len, found.coverage), default=0)
    yield Text("Steps by action", "bold")
    for name, taken in found.coverage.items():
        part = f"{taken / found.steps:7.2%}" if taken else "  never"
        yield Text(f"  {name:<{names}}  {taken:>14,}  {part}", "" if taken else "yellow")


def _facts(found: Simulation) -> Iterator[tuple[str, str]]:
    """Further facts, by their heading."""
    cut = count(found.cut, "walk") if found.cut else "no walk"
    yield (
        "walks",
        f"{count(found.walks, 'walk')}, {count(found.steps, 'step')}; the longest had "
        f"{count(found.longest, 'state')}; {cut} cut off at {count(found.depth, 'state')}; "
        f"{found.strategy}, seed {found.seed}",
    )
    idle = [name for name, taken in found.bindings.items() if not taken]
    if idle:
        more = f" and {len(idle) - _MOST_NAMED} more" if len(idle) > _MOST_NAMED else ""
        named = ", ".join(idle[:_MOST_NAMED]) + more
        yield "idle", f"{len(idle)} of {count(len(found.bindings), 'binding')} never taken: {named}"
    if found.walk is not None and found.walk_length is not None:
        short = [p for p in found.properties if p.verdict == "violated"]
        proved = all(p.name in found.shortest for p in short)
        lengths = ", ".join(str(p.trace_length) for p in short)
        yield (
            "shrunk",
            f"from {found.walk_length} to {lengths} states, "
            + ("as short as any" if proved else "there may be shorter ones"),
        )
    yield "touched", _touched(found.touched)
    if found.guarantee is not None:
        yield "pct", _promise(found.guarantee, found.cut)


def _touched(known: Touched) -> str:
    about = "" if known.share == 1 else "about "
    parts = [f"{about}{count(known.states, 'different state')} visited"]
    if known.new_a_walk is not None:
        parts.append(f"one more walk is expected to visit {_number(known.new_a_walk)} new ones")
    if known.least is not None:
        parts.append(
            f"such walks can visit an estimated {known.least:,.0f} at least: "
            "states that hardly any walk comes to leave no mark in an estimate"
        )
    else:
        parts.append(f"no estimate of how many there are: {known.unknown}")
    return "; ".join(parts)


def _promise(promise: Guarantee, cut: int) -> str:
    steps = count(promise.steps, "step")
    if cut:
        return (
            f"no promise can be made: {count(cut, 'walk')} went on for more than {steps}, and the "
            "bound of Burckhardt et al. (2010) is for behaviours that end"
        )
    return (
        f"if every behaviour ends within {steps}, as these walks did: a bug of depth "
        f"{promise.order} is met by a walk with a probability of at least 1 in "
        f"{1 / promise.a_walk:,.0f}, by one of these with at least {promise.at_all:.2%} "
        "(Burckhardt et al. 2010)"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def _figures(found: Simulation) -> str:
    rate = found.steps / found.seconds if found.seconds > 0 else 0.0
    parts = [
        f"{found.seconds:.2f} s ({rate:,.0f} steps/s)",
        f"{found.engine}, {count(found.workers, 'worker')}",
    ]
    if found.compile_seconds >= 0.005:
        parts.append(f"made ready in {found.compile_seconds:.2f} s")
    if found.saved is not None:
        parts.append(f"saved in {found.saved}")
    return ", ".join(parts)
