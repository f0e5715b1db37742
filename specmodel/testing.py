"""Assertions about designs, for tests of your own: they fail with the trace."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from specmodel import api
from specmodel.design import Design
from specmodel.errors import SpecmodelError
from specmodel.regression.vacuity import hollow
from specmodel.results import Result, Trace
from specmodel.views.summary import report, verdict_line
from specmodel.views.symbols import ASCII
from specmodel.views.trace import trace_lines

WIDTH = 100


def assert_holds(
    target: str | Path | Design,
    /,
    *properties: str,
    vacuous: bool = False,
    **arguments: Any,
) -> Result:
    """Assert that properties of a design hold in its whole state space; gives the result.

    Without names it is the properties that the design checks. `arguments` are those of
    `specmodel.check`: constants, `workers`, `engine`, limits. Fails with the counterexample; and,
    unless `vacuous`, if nothing was checked or no action ever fired. A search that a limit cut
    short fails too. Raises what `check` does.
    """
    __tracebackhide__ = True
    design, result = _checked(target, properties, arguments)
    if result.verdict != "holds":
        raise AssertionError(_shown(design, result))
    reasons = [] if vacuous else list(hollow(result))
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
    """Assert that properties of a design are violated; gives the shortest counterexample.

    With several names each must be violated, without one some property must be; the trace is that
    of the first (None for a `reachable` property: that no state meets it has no trace). `length` is
    that of the shortest counterexample, in states. `arguments` are those of `specmodel.check`.
    Fails with how the check ended, and with the trace if only its length is another.
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
        told = f"{first.name} is violated by a trace of {first.trace_length} states, not {length}"
        lines = trace_lines(first.trace, design.spec, WIDTH, ASCII) if first.trace else ()
        raise AssertionError("\n".join([f"{told}:", *(line.plain for line in lines)]))
    return first.trace


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
    lines = [line.plain for line in report(design, result, WIDTH, ASCII)]
    return "\n".join([lines[-1], "", *lines[:-1]])
