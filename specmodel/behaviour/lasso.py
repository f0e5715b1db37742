"""A lasso, run again under CPython: its steps, its fairness, the actions it never takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

from specmodel.behaviour.formulas import Constraint, Formula, constraints, formulas
from specmodel.behaviour.steps import Interpreter
from specmodel.model.model import Rule
from specmodel.results import Trace
from specmodel.results.lasso import Fulfilled, How, Lasso, Neglected


def closed(interpreter: Interpreter, states: Sequence[Any], loop: int) -> Trace:
    """The trace through states, the last of which leads back to that at `loop`, or stays there.

    Raises ValueError if no action leads from one of them to the next, or back.
    """
    trace = interpreter.behaviour(states)
    back = None
    if loop != len(states) - 1:
        back = interpreter.behaviour([states[-1], states[loop]]).steps[0]
    return Trace(trace.states, trace.steps, loop, back)


def failing_since(interpreter: Interpreter, formula: Formula, trace: Trace) -> int | None:
    """The index of the state from which on a trace with a loop violates a formula; None: it does
    not.

    For `eventually_always` it is the first state of the cycle in which the goal is false; for the
    fairness of an abstract design, the first in which its action is enabled.
    """
    loop = trace.loop
    assert loop is not None
    if formula.mapping is not None:
        mapped = [interpreter.abstract(formula.mapping, state) for state in trace.states]
        trace = Trace(tuple(mapped), (), loop)
        interpreter = interpreter.refined(formula.mapping)
    if formula.fair is not None:
        wanted = sorted(formula.fair.bindings)
        enabled, taken = _on_cycle(trace, partial(_outcomes, interpreter, wanted))
        met = _fulfilled(formula.fair, enabled, taken, loop)
        return met.state if met.how == "neglected" else None
    rule, arguments = formula.rule, formula.arguments
    good = [interpreter.holds(rule, state, *arguments) for state in trace.states]
    settled = range(loop, trace.length)
    if rule.role == "eventually_always":
        return next((i for i in settled if not good[i]), None)
    if any(good[i] for i in settled):
        return None
    since = next(i for i in range(trace.length) if not any(good[i:]))
    if rule.role == "eventually":
        return 0 if since == 0 else None
    if rule.role == "always_eventually":
        return loop
    assert formula.cause is not None
    cause = formula.cause.rule
    begun = (interpreter.holds(cause, state, *arguments) for state in trace.states[since:])
    return next((since + i for i, true in enumerate(begun) if true), None)


def breaks(interpreter: Interpreter, rule: Rule, trace: Trace) -> Lasso | None:
    """The facts about a trace with a loop that violates a temporal property; None: it does not.

    This does not check that the trace is fair.
    """
    for formula in formulas(rule):
        since = failing_since(interpreter, formula, trace)
        if since is not None:
            return described(interpreter, trace, formula, since)
    return None


def described(
    interpreter: Interpreter, trace: Trace, formula: Formula, since: int, smallest: bool = True
) -> Lasso:
    """The facts about a trace with a loop that violates a formula from a state on.

    A step that changes nothing does not count.
    """
    assert trace.loop is not None
    enabled, taken = _on_cycle(trace, interpreter.successors)
    return Lasso(
        tuple(
            _fulfilled(constraint, enabled, taken, trace.loop)
            for constraint in constraints(interpreter.spec, interpreter.bindings)
        ),
        tuple(_neglected(interpreter, enabled, taken, trace.loop)),
        formula.named_arguments,
        since,
        smallest,
        formula.claim,
    )


def _on_cycle(
    trace: Trace, outcomes: Callable[[Any], Iterable[tuple[int, Any]]]
) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
    """For each state of the cycle, the bindings that would change it, and those that the step to
    the next state takes; `outcomes` are bindings and the states that they lead to.
    """
    assert trace.loop is not None
    enabled: list[frozenset[int]] = []
    taken: list[frozenset[int]] = []
    for index in range(trace.loop, trace.length):
        before = trace.states[index]
        after = trace.states[index + 1 if index + 1 < trace.length else trace.loop]
        changing = [(n, state == after) for n, state in outcomes(before) if state != before]
        enabled.append(frozenset(number for number, _ in changing))
        taken.append(frozenset(number for number, there in changing if there))
    return enabled, taken


def _outcomes(
    interpreter: Interpreter, wanted: Sequence[int], state: Any
) -> Iterator[tuple[int, Any]]:
    """The enabled ones of given bindings, each with its successor."""
    for number in wanted:
        following = interpreter.successor(state, number)
        if following is not None:
            yield number, following


def _fulfilled(
    constraint: Constraint,
    enabled: Sequence[frozenset[int]],
    taken: Sequence[frozenset[int]],
    loop: int,
) -> Fulfilled:
    def met(how: How, state: int | None) -> Fulfilled:
        arguments = dict(constraint.arguments)
        return Fulfilled(constraint.strength, constraint.action, arguments, how, state)

    for place, numbers in enumerate(taken):
        if numbers & constraint.bindings:
            return met("taken", loop + place)
    has = [bool(numbers & constraint.bindings) for numbers in enabled]
    if not any(has):
        return met("never enabled", None)
    if not constraint.strong and not all(has):
        return met("not enabled", loop + has.index(False))
    return met("neglected", loop + has.index(True))


def _neglected(
    interpreter: Interpreter,
    enabled: Sequence[frozenset[int]],
    taken: Sequence[frozenset[int]],
    loop: int,
) -> list[Neglected]:
    never = frozenset[int]().union(*enabled) - frozenset[int]().union(*taken)
    found: list[Neglected] = []
    for number in sorted(never):
        states = tuple(loop + i for i, numbers in enumerate(enabled) if number in numbers)
        remedy: Literal["weak", "strong"] = "weak" if len(states) == len(enabled) else "strong"
        step = interpreter.step(number)
        found.append(Neglected(step.action, step.arguments, states, remedy))
    return found
