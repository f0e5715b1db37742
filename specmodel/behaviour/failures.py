"""The failure at the end of a trace, where a search has found that the spec fails."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.behaviour.formulas import Predicate
from specmodel.behaviour.steps import Interpreter
from specmodel.model.model import Rule
from specmodel.results import SpecFailure, Trace


def step_failure(interpreter: Interpreter, trace: Trace) -> SpecFailure:
    """The failure of the first binding that fails in the last state."""
    try:
        for _ in interpreter.successors(trace.states[-1]):
            pass
    except SpecFailure as failure:
        return failure_after(trace, failure)
    raise AssertionError(f"no step fails in {trace.states[-1]}")


def property_failure(interpreter: Interpreter, trace: Trace, rules: Sequence[Rule]) -> SpecFailure:
    """The failure of the first of some properties and constraints that fails in the last state."""
    for rule in rules:
        try:
            interpreter.holds(rule, trace.states[-1])
        except SpecFailure as failure:
            return failure_after(trace, failure)
    raise AssertionError(f"{rules[0].name} does not fail in {trace.states[-1]}")


def transition_failure(interpreter: Interpreter, trace: Trace, rule: Rule) -> SpecFailure:
    """The failure of a transition property in the first step from the last state where it fails."""
    before = trace.states[-1]
    for number, after in interpreter.successors(before):
        try:
            interpreter.holds(rule, before, after)
        except SpecFailure as failure:
            return failure_after(trace.extended(interpreter.step(number, before), after), failure)
    raise AssertionError(f"{rule.name} fails in no step from {before}")


def predicate_failure(interpreter: Interpreter, trace: Trace, part: Predicate) -> SpecFailure:
    """The failure of a part of a temporal property in the last state."""
    try:
        interpreter.holds(part.rule, trace.states[-1], *part.arguments)
    except SpecFailure as failure:
        return failure_after(trace, failure)
    raise AssertionError(f"{part.rule.name} does not fail in {trace.states[-1]}")


def failure_after(trace: Trace, failure: SpecFailure) -> SpecFailure:
    """A failure with the trace that leads to it."""
    return SpecFailure(
        failure.message, failure.span, failure.hint, trace=trace, where=failure.where
    )
