"""Shows traces as the ALIAS of a configuration has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from specmodel.results import Result, Simulation, SpecFailure, Trace
from specmodel.tla.scopes import Run
from specmodel.tla.specification import Specification
from specmodel.tla.values import EvaluationError, FunctionValue, Value, settled
from specmodel.tla.written import WrittenValue, state_domain, values_of

TlaTuple = tuple[Value, ...]


Told = TypeVar("Told", Result, Simulation)


def aliased_result(spec: Specification, result: Told) -> Told:
    """A result with its traces as the ALIAS shows them."""
    if spec.alias is None:
        return result
    properties = [
        found if found.trace is None else replace(found, trace=aliased(spec, found.trace))
        for found in result.properties
    ]
    return replace(result, properties=tuple(properties))


def aliased_failure(spec: Specification, failure: SpecFailure) -> SpecFailure:
    """A failure with its trace as the ALIAS shows it."""
    trace = failure.trace
    if spec.alias is None or trace is None:
        return failure
    return SpecFailure(
        failure.message, failure.span, failure.hint,
        trace=aliased(spec, trace), where=failure.where,
    )  # fmt: skip


def aliased(spec: Specification, trace: Trace) -> Trace:
    """A trace whose states are the ALIAS's records. The trace itself unless all are alike.

    The successor of the last state is that at the loop, or itself.
    """
    count = len(spec.variables) - (spec.level is not None)
    states = [values_of(state)[:count] for state in trace.states]
    after = [*states[1:], states[-1 if trace.loop is None else trace.loop]]
    assert spec.alias is not None
    found = _records(spec.alias, states, after)
    if found is None:
        return trace
    names, records = found
    build = state_domain(names).build
    shown = tuple(build(list(map(WrittenValue, record))) for record in records)
    return replace(trace, states=shown)


def _records(
    alias: Run, states: Sequence[TlaTuple], after: Sequence[TlaTuple]
) -> tuple[list[str], list[TlaTuple]] | None:
    found: list[TlaTuple] = []
    names: list[str] = []
    for level, (state, following) in enumerate(zip(states, after, strict=True), 1):
        try:
            value = settled(alias((), (*state, level), (*following, level + 1)))
        except (EvaluationError, RecursionError):
            return None
        if not isinstance(value, FunctionValue) or not all(
            isinstance(key, str) for key in value.pairs
        ):
            return None
        names = names or list(value.pairs)
        if value.pairs.keys() != set(names):
            return None
        found.append(tuple(value.pairs[name] for name in names))
    return names, found
