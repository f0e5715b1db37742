"""Explains why an action can or cannot happen in a state of a trace, and why a property is false.

Each deciding value comes with the step that wrote it last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from specmodel.analysis.recording import call_of
from specmodel.analysis.rival import Attempt, Rival
from specmodel.behaviour.refinement import why_false
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError, suggestion
from specmodel.ir.origins import places
from specmodel.model.model import Rule
from specmodel.results import SpecFailure, Step
from specmodel.results.explanation import Explanation
from specmodel.traces.itf_read import ItfFile, states_of


@dataclass(frozen=True)
class Truth:
    """Whether a property holds in a state (a transition property: of the step to it), and why.

    `why` is None if it holds.
    """

    name: str
    kind: str
    holds: bool
    why: Explanation | None


@dataclass(frozen=True)
class Reasons:
    """The explanation of a state of a trace.

    `number` is the state's, from 1, `step` the step that led to it as text (empty: unknown, or the
    first). `readings` are the bindings asked for, `enabled` all steps that can happen; `truths` the
    properties asked for. `writers` has, for each place that one of these reads, the number of the
    state in which the place got its value.
    """

    design: Design
    number: int
    step: str
    steps: tuple[str, ...]
    readings: tuple[Attempt, ...]
    enabled: tuple[Step, ...]
    truths: tuple[Truth, ...]
    writers: Mapping[str, int]


def reasons(
    recorded: ItfFile,
    design: Design,
    number: int | None = None,
    action: str = "",
    properties: Sequence[str] | None = None,
) -> Reasons:
    """Explains a state of a recorded trace by the rules of a design.

    `number` is the state's, from 1; None: the last. `action` is a name or kind, with or without
    arguments. `properties` are those to explain: by default all that the design checks, or none if
    an action is given. Raises UsageError for a wrong number, action or property, and for states
    that are not of the design; SpecFailure if a property fails there.
    """
    states = states_of(recorded, design.spec.domain)
    place = len(states) if number is None else number
    if not 1 <= place <= len(states):
        raise UsageError(f"{recorded.path} has the states 1 to {len(states)}, not {place}")
    chosen = () if action and not properties else design.stated(properties)
    names = tuple(rule.name for rule in chosen)
    return reasons_at(Rival(design), states[:place], recorded.actions, action, names)


def reasons_at(
    rival: Rival,
    states: Sequence[Any],
    steps: Sequence[str],
    action: str = "",
    properties: Sequence[str] = (),
) -> Reasons:
    """Explains the last of some states of a behaviour by the rules of a design.

    `steps` are those that led to each state, as text, at least as many as there are states. The
    other arguments are as in `reasons`, but only the named properties are explained.
    """
    place, state = len(states), states[-1]
    readings = (
        tuple(rival.attempt(n, state) for n in _asked(rival, action, state)) if action else ()
    )
    rules = rival.design.stated(properties) if properties else ()
    about = rival.interpreter.about
    truths = tuple(_truth(rival, rule, held) for rule in rules if (held := about(rule, states)))
    read = [guard.why for reading in readings for guard in reading.guarded.guards]
    read += [truth.why for truth in truths if truth.why is not None]
    return Reasons(
        rival.design,
        place,
        steps[place - 1],
        tuple(steps),
        readings,
        _enabled(rival, state),
        truths,
        _writers(states, dict.fromkeys(p for why in read for p in _reads(why))),
    )


def _enabled(rival: Rival, state: Any) -> tuple[Step, ...]:
    """The steps that can happen, without those that fail or that leave the constraints."""
    found: list[Step] = []
    for number in rival.interpreter.numbers_in(state) if rival.explored(state) else ():
        with suppress(SpecFailure):
            if rival.interpreter.successor(state, number) is not None:
                found.append(rival.interpreter.step(number, state))
    return tuple(found)


def _asked(rival: Rival, text: str, state: Any) -> tuple[int, ...]:
    """The bindings that a user's text describes."""
    name, arguments = call_of(text)
    name = name.replace("-", "_")
    rules = [r for r in rival.spec.rules if name in (r.name, rival.kinds[r.name])]
    if not rules:
        known = {*rival.kinds, *rival.kinds.values()}
        raise UsageError(f'{rival.design.name} has no action "{name}"{suggestion(name, known)}')
    named = _with_names(rules[0], arguments, text)
    found = rival.bindings(name, named, state)
    if not found:
        raise UsageError(f'"{text}" is no binding: {_domains(rules[0])}')
    return found


def _with_names(rule: Rule, arguments: Sequence[tuple[str, str]], text: str) -> dict[str, str]:
    parameters = list(rule.parameters)
    if len(arguments) > len(parameters):
        raise UsageError(f'"{text}" has too many arguments: {_domains(rule)}')
    found: dict[str, str] = {}
    for position, (name, value) in enumerate(arguments):
        name = name or parameters[position]
        if name not in parameters:
            raise UsageError(f'"{text}": no parameter is called "{name}"; {_domains(rule)}')
        found[name] = value
    return found


def _domains(rule: Rule) -> str:
    inner = ", ".join(f"{name}: {domain}" for name, domain in rule.parameters.items())
    return f"it is {rule.name}({inner})"


def _truth(rival: Rival, rule: Rule, states: Sequence[Any]) -> Truth:
    holds = rival.interpreter.holds(rule, *states)
    why = None if holds else why_false(rival.interpreter, rule, states)
    return Truth(rule.name, rule.role, holds, why)


def _reads(why: Explanation) -> list[str]:
    """The places that the leaves of a truth tree read."""
    if not why.parts:
        return list(why.reads)
    return [place for part in why.parts for place in _reads(part)]


def _writers(states: Sequence[Any], read: Mapping[str, None]) -> dict[str, int]:
    """The number of the state in which each place got the value it has in the last one."""
    held = [dict(places(state)) for state in states]
    missing = object()
    found: dict[str, int] = {}
    for name in read:
        if name not in held[-1]:
            continue  # a place of the state before a step, which a transition property reads too
        last = len(held)
        while last > 1 and _same(held[last - 2].get(name, missing), held[-1].get(name, missing)):
            last -= 1
        found[name] = last
    return found


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b
