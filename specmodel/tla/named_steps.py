"""The steps of a module as traces name them: actions with the values of their parameters."""

from __future__ import annotations

from collections.abc import Iterator

from specmodel.results import Step
from specmodel.tla.specification import Specification
from specmodel.tla.values import EvaluationError, Value
from specmodel.tla.written import argument

TlaTuple = tuple[Value, ...]


def steps_from(spec: Specification, before: TlaTuple) -> Iterator[tuple[Step, TlaTuple]]:
    """The steps out of a state, and the states that they lead to. What fails is left out."""
    blank: TlaTuple = (None,) * len(spec.variables)
    for action in spec.actions:
        try:
            for context, found in action.successors(before, blank):
                held = action.arguments(context, before)
                written = {name: argument(value) for name, value in held.items()}
                yield Step(action.name, written), found
        except (EvaluationError, RecursionError):
            continue


def step_between(spec: Specification, before: TlaTuple, after: TlaTuple) -> Step:
    """The first step that leads from a state to another."""
    steps = (step for step, found in steps_from(spec, before) if found == after)
    return next(steps, Step("Next", {}))
