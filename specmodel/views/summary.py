"""The text report of a check. It ends with the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.text import Text

from specmodel.constants import DeclaredConstant, Value
from specmodel.design import Design
from specmodel.domains.found import Bound
from specmodel.errors import FoundPlace
from specmodel.results import DEADLOCK, PropertyResult, Result, SelfCheck
from specmodel.results.coverage import Point
from specmodel.views.forms import sections, verdicts
from specmodel.views.page import Page, colour
from specmodel.views.points import never

_STOPPED = {
    "violation": "stopped at the first violation",
    "interrupted": "interrupted",
    "timeout": "stopped at the time limit",
    "max-states": "stopped at the limit of states",
    "max-depth": "stopped at the limit of depth",
    "max-memory": "stopped at the limit of memory",
    "disk-full": "stopped as the disk is full",
    "unknown": "stopped at a question without an answer",
}


def report(design: Design, result: Result, page: Page) -> Iterator[Text]:
    """The lines of the report: counterexamples, properties, warnings, figures, verdict."""
    for found in result.properties:
        if found.verdict == "violated" and found.trace is not None:
            yield from counterexample(design, found, page)
    if len(result.properties) > 1:
        yield from property_lines(result.properties, page)
        yield Text()
    if result.reduced is not None:
        yield Text(_reduction(result))
    for warning in warnings(result):
        yield Text(f"warning: {warning}", "yellow")
    yield Text(_figures(result), "dim")
    if result.self_check is not None:
        yield Text(self_check_text(result.self_check), "dim")
    if result.bounds:
        yield Text(f"bounds found: {bounds_text(result.bounds)}", "dim")
    if result.checkpoint is not None:
        yield Text(f"to go on: the same command{_with(result)}")
    yield verdict_line(design, result)


def _with(result: Result) -> str:
    """The options that continue a search; a run on Spark continues without any."""
    if result.engine == "spark":
        return " with --continue" if result.stopped == "violation" else ""
    return f" with --checkpoint {result.checkpoint} --resume"


def counterexample(design: Design, found: PropertyResult, page: Page) -> Iterator[Text]:
    """The trace of a violated property, and the reason why the property is false at its end."""
    # These imports cost 40 ms, and most runs find nothing.
    from specmodel.views.explanation import explained
    from specmodel.views.lasso import shape
    from specmodel.views.trace import trace_lines

    assert found.trace is not None
    of = f"to {found.name} ({found.kind})"
    if found.kind == DEADLOCK:
        of = "with a state that has no successor"
    length = count(found.trace.length, "state")
    round_ = f", {shape(found.trace)}" if found.trace.loop is not None else ""
    yield Text.assemble(("Counterexample", "bold"), f" {of}, {length}{round_}:")
    yield Text()
    yield from sections(
        trace_lines(found.trace, design.spec, page, found.name),
        explained(design.spec, found, page),
    )


def property_lines(properties: Sequence[PropertyResult], page: Page) -> Iterator[Text]:
    """A line for each property: its verdict."""
    rows: list[tuple[str, Sequence[str], str]] = []
    for found in properties:
        words = "not decided" if found.verdict == "incomplete" else found.verdict
        if found.trace_length is not None:
            what = ": reached in" if found.kind == "reachable" else " in"
            words += f"{what} {count(found.trace_length, 'state')}"
        elif found.kind == "reachable" and found.verdict == "violated":
            words += ": no state meets it"
        rows.append((found.verdict, (found.name, found.kind), words))
    yield from verdicts(rows, page)


def warnings(result: Result) -> Iterator[str]:
    """The reasons why a verdict is vacuous: actions that never happened, nothing to check."""
    if result.complete:
        idle = [name for name, fired in result.coverage.items() if fired == 0]
        if idle:
            yield f"never fired: {', '.join(idle)}"
        for count in result.unmet:
            yield unmet_text(count.point)
        for found in result.properties:
            if found.vacuous:
                part = "part of " if found.kind == "refinement" else ""
                yield f"{part}{found.name} says nothing: {found.vacuous}"
    if not result.properties:
        yield "no property was checked"
    for question in result.undecided:
        yield f"no answer: {question}; try a longer --query-timeout, smaller constants, or native"


def unmet_text(point: Point) -> str:
    """An antecedent that was never true, with its property and place."""
    where = f"{Path(point.span.file).name}:{point.span.line}"
    return f"part of {point.rule} says nothing: {never(point)} ({where})"


def self_check_text(done: SelfCheck) -> str:
    """The extent of the comparison of a run with CPython."""
    states, steps = count(done.states, "state"), count(done.steps, "step")
    return f"self-check: {states}, {steps} agree with CPython"


def bounds_text(bounds: Mapping[FoundPlace, Bound]) -> str:
    """The bounds that searches have found wide enough: `S.term 0..3, S.log up to 4`."""
    return ", ".join(
        f"{place.name} up to {high}" if place.counted else f"{place.name} {low}..{high}"
        for place, (low, high) in bounds.items()
    )


def _reduction(result: Result) -> str:
    """The effect of partial-order reduction."""
    states, _ = result.counts
    if not result.reduced:
        return (
            "partial-order reduction: no help, every state needed all of its steps "
            "(they touch each other, or what the properties look at)"
        )
    return (
        f"partial-order reduction: {result.reduced:,} of {count(states, 'state')} needed "
        "only some of their steps; counterexamples need not be shortest"
    )


def _figures(result: Result) -> str:
    engine = f"{result.engine}, {count(result.workers, 'worker')}"
    if result.distinct is None:
        parts = [f"{result.seconds:.2f} s", engine]
    else:
        rate = result.distinct / result.seconds if result.seconds > 0 else 0.0
        seconds = f"{result.seconds:.2f} s ({rate:,.0f} states/s)"
        parts = [f"{result.generated:,} generated", seconds, engine]
    if result.compile_seconds >= 0.005:
        made = "compiled" if result.distinct is not None else "formulas made"
        parts.append(f"{made} in {result.compile_seconds:.2f} s")
    if result.memory:
        parts.append(f"{result.memory / (1 << 20):,.0f} MB")
    if result.disk:
        parts.append(f"{result.disk / (1 << 20):,.0f} MB on disk")
    if result.resumed:
        parts.append(f"resumed at {count(result.resumed, 'state')}")
    if result.saved is not None:
        parts.append(f"saved in {result.saved}")
    return ", ".join(parts)


def verdict_line(design: Design, result: Result) -> Text:
    """The verdict with its extent: `kip320 holds weak_isr up to replicas=3: ...`."""
    held = bounds(design.constants, result.constants)
    up_to, at = (f" {word} {held}" if held else "" for word in ("up to", "at"))
    alike = f" up to the names of {', '.join(result.symmetry)}" if result.symmetry else ""
    seen = extent(result, alike)
    names = {
        verdict: ", ".join(p.name for p in result.properties if p.verdict == verdict)
        for verdict in ("holds", "violated", "incomplete")
    }
    stopped = ending(result.stopped)
    if result.verdict == "holds":
        what = f"holds {names['holds']}" if names["holds"] else "has been explored"
        text = f"{what}{up_to}: {seen}, complete{_but_for(result)}"
    elif result.verdict == "violated":
        lengths = [p.trace_length for p in result.properties if p.verdict == "violated"]
        found = [n for n in lengths if n is not None]
        length = f"{counterexamples(found)}; " if found else ""
        at_end = f"complete{_but_for(result)}" if result.complete else stopped
        text = f"violates {names['violated']}{at}: {length}{seen}, {at_end}"
    else:
        what = (
            f"no violation of {names['incomplete']} seen" if names["incomplete"] else "no verdict"
        )
        text = f"incomplete, {what}{up_to}: {seen}, {stopped}"
    return concluded(result.design, text, result.verdict)


def concluded(design: str, text: str, verdict: str) -> Text:
    """A design and its result, in the colour of the verdict."""
    return Text.assemble((design, "bold"), " ", (text, f"bold {colour(verdict)}"))


def counterexamples(lengths: Sequence[int]) -> str:
    """`counterexample of 11 states`, `counterexamples of 9 and 11 states`."""
    plural = "s" if len(lengths) > 1 else ""
    *others, last = map(str, sorted(set(lengths)))
    each = f"{', '.join(others)} and {last}" if others else last
    return f"counterexample{plural} of {each} state{'' if each == '1' else 's'}"


def ending(stopped: str) -> str:
    """Why a search ended early: `stopped at the limit of depth`."""
    return _STOPPED.get(stopped, stopped)


def extent(result: Result, alike: str = "") -> str:
    """The extent of a search: `1,957 states, depth 12`, `paths of up to 10 states`."""
    if result.distinct is None:
        return f"paths of up to {count(result.depth, 'state')}"
    return f"{count(result.distinct, 'state')}{alike}, depth {result.depth}"


def searched_line(design: Design, result: Result) -> Text:
    """The extent of a search: the design, its bounds, states, and whether it was complete."""
    limits = bounds(design.constants, result.constants)
    seen = extent(result)
    at_end = "complete" if result.complete else ending(result.stopped)
    style = "" if result.complete else "bold yellow"
    at = f" at {limits}" if limits else ""
    return Text.assemble((result.design, "bold"), (f"{at}: {seen}, {at_end}", style))


def _but_for(result: Result) -> str:
    """The chance of an omission with fingerprints."""
    if not result.omission:
        return ""
    return f" but for a chance of {result.omission:.1e} that a state was missed"


def bounds(known: Mapping[str, DeclaredConstant], values: Mapping[str, Value] | None = None) -> str:
    """Every number, and the switches that are not at their default; empty if there are none.

    `known` are a design's constants, `values` replace their present values.
    """
    if values is None:
        values = {name: constant.value for name, constant in known.items()}
    return ", ".join(
        f"{name}={value_text(value)}"
        for name, value in values.items()
        if not isinstance(value, bool) or name not in known or value != known[name].default
    )


def value_text(value: Value) -> str:
    """A constant as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def count(number: int, what: str) -> str:
    """`1 state`, `2 states`, `1,957 states`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
