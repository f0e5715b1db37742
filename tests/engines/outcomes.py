"""How a check ended, as one comparable value: everything but the engine and what was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from specmodel.design import Design
from specmodel.engines import interpret, native, smt
from specmodel.results import Options, Result, SpecFailure, Trace

Check = Callable[[Design, Options], Result]

ENGINES: dict[str, Check] = {"interpret": interpret.check, "native": native.check}


@dataclass(frozen=True)
class Failed:
    """A search that ended because the spec itself failed."""

    message: str
    where: str
    span: str
    trace: tuple[Any, ...] | None


def outcome(check: Check, design: Design, options: Options) -> dict[str, Any] | Failed:
    """What a check says of a design."""
    try:
        return said(check(design, options))
    except SpecFailure as failure:
        return Failed(failure.message, failure.where, str(failure.span), steps_of(failure.trace))


def said(result: Result) -> dict[str, Any]:
    """The contents of a result."""
    return {
        "verdict": result.verdict,
        "complete": result.complete,
        "stopped": result.stopped,
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "coverage": dict(result.coverage),
        "properties": [(p.name, p.kind, p.verdict, steps_of(p.trace)) for p in result.properties],
    }


def steps_of(trace: Trace | None) -> tuple[Any, ...] | None:
    """A trace as states and steps in turn."""
    if trace is None:
        return None
    return (*map(repr, trace.states), *map(str, trace.steps))


def agreed(design: Design, depth: int) -> dict[str, Any] | Failed:
    """What CPython says of a design up to a depth; asserts that native code says the same, with one
    worker and with two."""
    wanted = outcome(interpret.check, design, Options(keep_going=True, max_depth=depth))
    for workers in (1, 2):
        options = Options(keep_going=True, max_depth=depth, workers=workers)
        assert outcome(native.check, design, options) == wanted
    return wanted


def agreed_by_smt(design: Design, depth: int) -> None:
    """Asserts that Z3 finds the same properties violated as CPython, up to a depth."""
    found = [check(design, Options(max_depth=depth)) for check in (interpret.check, smt.check)]
    wanted, violated = ({p.name for p in f.properties if p.verdict == "violated"} for f in found)
    assert violated == wanted
