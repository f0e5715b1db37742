"""How a check ended, as one comparable value: everything but the engine and what was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from specmodel.design import Design
from specmodel.engines import interpret, native
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
