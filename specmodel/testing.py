"""Assertions about designs, for tests of your own: they fail with the trace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from specmodel import api
from specmodel.analysis.rival import Rival
from specmodel.conformance.logs.report import validation_lines
from specmodel.conformance.logs.validation import ValidatedLog
from specmodel.conformance.report import conformance_lines
from specmodel.conformance.verdicts import ConformanceReport
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError, suggestion
from specmodel.regression.vacuity import vacuities
from specmodel.results import Result, Trace
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences
from specmodel.views.page import Page
from specmodel.views.summary import report, verdict_line
from specmodel.views.symbols import ASCII
from specmodel.views.trace import trace_lines

PAGE = Page(100, ASCII)


def assert_holds(
    target: str | Path | Design,
    /,
    *properties: str,
    vacuous: bool = False,
    **arguments: Any,
) -> Result:
    """Asserts that properties of a design hold in its whole state space; returns the result.

    Without names, these are the properties that the design checks. `arguments` are those of
    `specmodel.check`: constants, `workers`, `engine`, limits. Fails with the counterexample; and,
    unless `vacuous`, if nothing was checked or no action ever fired. A search that a limit ended
    early fails too. Raises the errors of `check`.
    """
    __tracebackhide__ = True
    design, result = _checked(target, properties, arguments)
    if result.verdict != "holds":
        raise AssertionError(_shown(design, result))
    reasons = [] if vacuous else list(vacuities(result))
    if reasons:
        raise AssertionError(f"{design.name} holds, but {'; '.join(reasons)}")
    return result


def assert_violated(
    target: str | Path | Design,
    /,
    *properties: str,
    length: int | None = None,
    **arguments: Any,
) -> Trace | None:
    """Asserts that properties of a design are violated; returns the shortest counterexample.

    With several names each must be violated, without one some property must be; the trace is that
    of the first (None for a `reachable` property, which has no trace if no state meets it).
    `length` is that of the shortest counterexample, in states. `arguments` are those of
    `specmodel.check`. Fails with the result of the check, and with the trace if only its length
    differs.
    """
    __tracebackhide__ = True
    arguments = {"keep_going": len(properties) > 1, **arguments}
    design, result = _checked(target, properties, arguments)
    violated = [found for found in result.properties if found.verdict == "violated"]
    kept = [found.name for found in result.properties if found.verdict != "violated"]
    if not violated or (properties and kept):
        raise AssertionError(
            f"{', '.join(kept) or 'no property'} is not violated:\n"
            f"{verdict_line(design, result).plain}"
        )
    first = violated[0]
    if length not in (None, first.trace_length):
        text = f"{first.name} is violated by a trace of {first.trace_length} states, not {length}"
        lines = trace_lines(first.trace, design.spec, PAGE) if first.trace else ()
        raise AssertionError("\n".join([f"{text}:", *(line.plain for line in lines)]))
    return first.trace


def assert_behaviour(
    target: str | Path | Design, /, *steps: str, violates: str = "", **constants: Any
) -> Trace:
    """Asserts that some steps can happen in turn, from an initial state; returns the trace.

    A step is written as in reports: `"fetch(follower=r2, leader=r1)"`, arguments in order.
    `violates` names a property that is false at the end. Fails at the first step that cannot
    happen, with the conditions that are false there. Raises the errors of `specmodel.load`.
    """
    __tracebackhide__ = True
    design = target if isinstance(target, Design) else api.load(target, **constants)
    rival = Rival(design)
    starts = [[state] for state in rival.interpreter.initial()]
    taken: list[int] = []
    for text in steps:
        number = rival.interpreter.number_of(text, starts[0][-1])
        if number is None:
            known = suggestion(text, rival.interpreter.texts)
            raise UsageError(f'{design.name} has no step "{text}"{known}')
        longer: list[list[Any]] = []
        for states in starts:
            after = rival.interpreter.successor(states[-1], number)
            if after is not None:
                longer.append([*states, after])
        if not longer:
            where = f"step {len(taken) + 1}, {text}, cannot happen"
            guards = rival.attempt(number, starts[0][-1]).guarded.false
            sentences = Sentences(Notation.of_spec(design.spec))
            raise AssertionError("\n  ".join([where, *(sentences.why(g.why) for g in guards)]))
        starts = longer
        taken.append(number)
    trace = Trace(tuple(starts[0]), tuple(map(rival.interpreter.step, taken, starts[0])))
    if violates:
        rule = design.stated([violates])[0]
        if rival.interpreter.holds(rule, *trace.states[-rule.states :]):
            raise AssertionError(f"{rule.name} holds after these {len(steps)} steps")
    return trace


def assert_conforms(
    target: str | Path | Design, binding: str | Path, /, **arguments: Any
) -> ConformanceReport:
    """Asserts that software follows behaviours of a design; returns the report.

    `arguments` are those of `specmodel.conform`. A loss that the software reports is no failure.
    Fails with the report if a play parted, lost, or cannot be compared. Raises the errors of
    `conform`.
    """
    __tracebackhide__ = True
    report = api.conform(target, binding, **arguments)
    assert_conformed(report)
    return report


def assert_conformed(report: ConformanceReport) -> None:
    """Fails with the report unless each play was followed or its loss reported."""
    __tracebackhide__ = True
    if report.verdict != "passed":
        raise AssertionError("\n".join(line.plain for line in conformance_lines(report)))


def assert_validates(
    target: str | Path | Design,
    logs: str | Path | Sequence[str | Path],
    binding: str | Path,
    /,
    **arguments: Any,
) -> ValidatedLog:
    """Asserts that the events of logs are a behaviour of a design; returns the report.

    `arguments` are those of `specmodel.validate`. Fails with the report. Raises the errors of
    `validate`.
    """
    __tracebackhide__ = True
    report = api.validate(target, logs, binding, **arguments)
    if report.verdict != "passed":
        raise AssertionError("\n".join(line.plain for line in validation_lines([report])))
    return report


def workers() -> int | None:
    """Threads for a check within a test: one where several tests run side by side."""
    return 1 if os.environ.get("PYTEST_XDIST_WORKER") else None


def _checked(
    target: str | Path | Design, properties: tuple[str, ...], arguments: dict[str, Any]
) -> tuple[Design, Result]:
    __tracebackhide__ = True
    if isinstance(target, Design):
        design = target
    else:
        options = set(api.check.__kwdefaults__ or {})
        constants = {name: arguments.pop(name) for name in list(arguments) if name not in options}
        design = api.load(target, **constants)
    arguments.setdefault("workers", workers())
    result = api.check(design, properties=properties or None, **arguments)
    if result.stopped == "interrupted":
        raise SpecmodelError(f"the check of {design.name} was interrupted")
    return design, result


def _shown(design: Design, result: Result) -> str:
    lines = [line.plain for line in report(design, result, PAGE)]
    return "\n".join([lines[-1], "", *lines[:-1]])
