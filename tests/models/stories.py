"""Stories: scenarios of tickets as steps by kind, told by one design after the other."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.behaviour.replay import Replay
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.results import Step, Trace
from specmodel.traces.notation import Notation


def told(design: Design, story: Sequence[str]) -> Trace:
    """The behaviour of a design in which a story happens, as far as the design can go along.

    Each line is a step, `fetch(follower=r2)`, named by its kind: designs have their own versions.
    """
    interpreter = Interpreter(design.spec)
    kinds = {rule.name: design.spec.kind_of(rule) for rule in design.spec.rules}
    states, steps = [next(interpreter.initial())], list[Step]()
    for line in story:
        for number, state in interpreter.successors(states[-1]):
            step = interpreter.step(number)
            if Notation().step(step).replace(step.action, kinds[step.action], 1) == line:
                states.append(design.spec.domain.copy(state))
                steps.append(step)
                break
        else:
            break
    return Trace(tuple(states), tuple(steps))


def violated_at_end(design: Design, trace: Trace) -> set[str]:
    """The invariants that are false in a trace's last state."""
    replay = Replay(design, trace.states)
    names = [rule.name for rule in design.spec.properties if rule.role == "invariant"]
    return {name for name in names if replay.violates(name)}
