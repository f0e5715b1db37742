"""Refinement of an abstract design: which initial states break it, and why a step does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.behaviour.failures import failure_after
from specmodel.behaviour.steps import Interpreter
from specmodel.domains import Position
from specmodel.domains.records import Record
from specmodel.model.model import Rule, abstract_name
from specmodel.results import SpecFailure, Trace
from specmodel.results.explanation import Explanation
from specmodel.traces.changes import changes
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences

MOST_TOLD = 12
"""The most bindings of an abstract action that a report explains as not matching the step."""


def misbegun(interpreter: Interpreter, rules: Sequence[Rule]) -> dict[str, Trace]:
    """The least initial state that breaks each refinement, as a trace, by the property's name.

    Raises SpecFailure, with the state, where a refinement fails in an initial state.
    """
    refinements = [rule for rule in rules if rule.refined is not None]
    if not refinements or not interpreter.spec.begins:
        return {}
    copy, index = interpreter.domain.copy, interpreter.domain.index
    initial = sorted(map(copy, interpreter.initial()), key=index)
    found: dict[str, Trace] = {}
    for state in initial:
        trace = Trace((state,), ())
        for rule in refinements:
            try:
                if not interpreter.holds(rule, state):
                    found.setdefault(rule.name, trace)
            except SpecFailure as failure:
                raise failure_after(trace, failure) from failure
    return found


def why_false(interpreter: Interpreter, rule: Rule, states: Sequence[Any]) -> Explanation:
    """Why a property is false of a state or of the step between two.

    Of a refinement, why no action of the abstract design makes the step.
    """
    if rule.refined is None:
        return interpreter.explained(rule, states)
    mapped = [interpreter.abstract(rule, state) for state in states]
    abstract = interpreter.refined(rule)
    if len(mapped) == 1:
        return _not_initial(abstract, mapped[0])
    return _no_step(abstract, *mapped)


def _not_initial(abstract: Interpreter, state: Record) -> Explanation:
    """Why a state is no initial state of the abstract design."""
    starts = map(abstract.domain.copy, abstract.initial())
    nearest = sorted(starts, key=lambda start: len(list(changes(start, state))))[:MOST_TOLD]
    parts = [_told(f"it may start with {_wanted(abstract, start, state)}") for start in nearest]
    write = Notation.of_spec(abstract.spec).value
    held = ", ".join(f"{name} = {write(value)}" for name, value in vars(state).items())
    return _told(f"{abstract_name(abstract.spec)} does not start with {held}", parts)


def _no_step(abstract: Interpreter, before: Any, after: Any) -> Explanation:
    """Why no action of the abstract design leads from a state to another."""
    parts: list[Explanation] = []
    for action in abstract.spec.rules:
        numbers = [
            n
            for n, (rule, _) in enumerate(abstract.bindings)
            if rule is action and _picks_something(abstract, n, before)
        ]
        if not numbers:
            parts.append(_told(f"{action.name} cannot happen: it has nothing to pick"))
        possible = {n: abstract.successor(before, n) for n in numbers}
        numbers.sort(key=lambda n: possible[n] is None)  # those that can happen come first
        shown = numbers[:MOST_TOLD]
        parts += [_told(_other_step(abstract, n, before, possible[n], after)) for n in shown]
        if len(numbers) > MOST_TOLD:
            more = len(numbers) - MOST_TOLD
            parts.append(_told(f"{action.name} with {more:,} more bindings: not this step either"))
    write = Notation.of_spec(abstract.spec).value
    step = "; ".join(
        f"{c.path} changes from {write(c.before)} to {write(c.after)}"
        for c in changes(before, after)
    )
    return _told(f"no step of {abstract_name(abstract.spec)}: {step}", parts)


def _picks_something(abstract: Interpreter, number: int, state: Any) -> bool:
    """Whether each place that a binding picks from holds a value in a state."""
    rule, arguments = abstract.bindings[number]
    shown = rule.shown(state, arguments)
    return all("picked" in vars(held) for held in shown if isinstance(held, Position))


def _other_step(
    abstract: Interpreter, number: int, before: Any, possible: Any | None, after: Any
) -> str:
    """Why a binding of an abstract action is not the step from a state to another."""
    notation = Notation.of_spec(abstract.spec)
    step = notation.step(abstract.step(number, before))
    if possible is not None:
        return f"{step} leads to {_wanted(abstract, possible, after)}"
    guards = abstract.guarded(number, before).false
    false = dict.fromkeys(Sentences(notation).why(guard.why) for guard in guards)
    return f"{step} cannot happen: {'; '.join(false)}" if false else f"{step} cannot happen"


def _wanted(abstract: Interpreter, found: Any, wanted: Any) -> str:
    """In which places an abstract state is not the one wanted, with what each of them has there."""
    write = Notation.of_spec(abstract.spec).value
    return "; ".join(
        f"{c.path} = {write(c.before)}, not {write(c.after)}" for c in changes(found, wanted)
    )


def _told(text: str, parts: Sequence[Explanation] = ()) -> Explanation:
    return Explanation(text, False, parts=tuple(parts), operator="refinement")
