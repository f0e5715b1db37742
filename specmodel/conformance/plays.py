"""The traces that are played: files, scenarios, counterexamples, walks, a covering set."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from specmodel.analysis.checking import check
from specmodel.behaviour.formulas import is_temporal
from specmodel.behaviour.replay import Replay
from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.binding import PlayBinding
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines.interpret.walking import InterpretedWalks
from specmodel.errors import UsageError, suggestion
from specmodel.results import Step, Trace
from specmodel.traces.itf_read import about, read_itf, states_of
from specmodel.walks.plan import WalkPlan

COUNTEREXAMPLES = "counterexamples"
COVERING = "covering"

MOST_COVERED = 20_000
"""The greatest number of states that are searched for a covering set: some seconds in CPython."""

STAGE = "stage:"


@dataclass(frozen=True)
class TraceToPlay:
    """A trace with its name and title. `nudges` has for a number of steps what the stage is asked
    to do after them, in order."""

    name: str
    title: str
    trace: Trace
    nudges: Mapping[int, tuple[str, ...]]


@dataclass(frozen=True)
class ChosenTraces:
    """The traces to play, and the actions that a covering set leaves out."""

    traces: tuple[TraceToPlay, ...]
    uncovered: tuple[str, ...] = ()


def chosen_traces(
    design: Design,
    binding: PlayBinding,
    wanted: Sequence[str],
    *,
    covering: bool = False,
    walks: int = 0,
    depth: int = 20,
    seed: int = 0,
) -> ChosenTraces:
    """The traces to play.

    `wanted` are ITF files, scenarios of the binding, properties (the shortest counterexample of
    each), or `counterexamples` for those of all properties that the design checks. Without any
    choice: the scenarios of the binding, or else a covering set. Raises UsageError for an unknown
    name, and the errors of a check.
    """
    found: list[TraceToPlay] = []
    uncovered: tuple[str, ...] = ()
    if not wanted and not walks and not covering:
        wanted = list(binding.scenarios)
        covering = not wanted
    for what in wanted:
        found += _wanted(design, binding, what)
    if covering:
        covers, uncovered = _covering(design)
        found += [_named(f"{COVERING} {n}", t) for n, t in enumerate(covers, start=1)]
    if walks:
        made = _walks(design, walks, depth, seed)
        found += [_named(f"walk {n}", t) for n, t in enumerate(made, start=1)]
    return ChosenTraces(tuple(found), uncovered)


def _named(name: str, trace: Trace, title: str = "") -> TraceToPlay:
    return TraceToPlay(name, title or f"{trace.length} states", trace, {})


def _wanted(design: Design, binding: PlayBinding, what: str) -> list[TraceToPlay]:
    if what in binding.scenarios:
        return [_scenario(design, binding, what)]
    if what.endswith(".json"):
        return [_file(design, Path(what))]
    if what == COUNTEREXAMPLES:
        found = _counterexamples(design, None)
        if not found:
            raise UsageError(f"{design.name} has no counterexample: it holds")
        return found
    known = [*binding.scenarios, COUNTEREXAMPLES, *(r.name for r in design.spec.properties)]
    if what.replace("-", "_") not in known:
        raise UsageError(
            f'"{what}" is no trace to play: give an x.itf.json file, a scenario of the binding or'
            f" a property{suggestion(what, known)}"
        )
    found = _counterexamples(design, (what,))
    if not found:
        raise UsageError(f"{design.name} has no counterexample to {what}: it holds")
    return found


def _scenario(design: Design, binding: PlayBinding, name: str) -> TraceToPlay:
    scenario = binding.scenarios[name]
    for constant, value in scenario.constants.items():
        if design.values.get(constant) != value:
            raise UsageError(f"scenario {name} needs --set {constant}={int(value)}")
    interpreter = Interpreter(design.spec)
    paths: list[list[Any]] = [[state] for state in interpreter.initial()]
    steps: list[Step] = []
    nudges: dict[int, tuple[str, ...]] = {}
    for text in scenario.steps:
        if text.startswith(STAGE):
            asked = text.removeprefix(STAGE).strip()
            nudges[len(steps)] = (*nudges.get(len(steps), ()), asked)
            continue
        number = interpreter.number_of(text, paths[0][-1])
        if number is None:
            known = suggestion(text, interpreter.texts)
            raise UsageError(f'scenario {name}: {design.name} has no step "{text}"{known}')
        longer = [[*path, interpreter.successor(path[-1], number)] for path in paths]
        paths = [path for path in longer if path[-1] is not None]
        if not paths:
            raise UsageError(
                f"scenario {name}: step {len(steps) + 1}, {text}, cannot happen in {design.name}"
            )
        steps.append(interpreter.step(number, paths[0][-2]))
    return TraceToPlay(name, scenario.title, Trace(tuple(paths[0]), tuple(steps)), nudges)


def _file(design: Design, file: Path) -> TraceToPlay:
    recorded = read_itf(file)
    with about(file):
        replay = Replay(design, states_of(recorded, design.spec.domain), recorded.actions)
        trace = replay.trace()
    name = file.name.removesuffix(".json").removesuffix(".itf")
    return _named(name, trace, recorded.property and f"counterexample to {recorded.property}")


def _counterexamples(design: Design, names: Sequence[str] | None) -> list[TraceToPlay]:
    rules = design.chosen(names)
    stated = tuple(r.name for r in rules if not is_temporal(r) and r.role != "reachable")
    if names and not stated:
        raise UsageError(f"{names[0]} is no invariant and no transition property: no trace ends it")
    result = check(design, properties=stated, keep_going=True)
    return [
        _named(found.name, found.trace, f"counterexample to {found.name}")
        for found in result.properties
        if found.verdict == "violated" and found.trace is not None
    ]


def _walks(design: Design, number: int, depth: int, seed: int) -> list[Trace]:
    plan = WalkPlan(walks=number, depth=depth, seed=seed)
    walker = InterpretedWalks(design, (), plan, frozenset())
    found: list[Trace] = []
    for walk in range(number):
        way = walker.path(walk)
        found.append(_along(walker.interpreter, walker.initial[way.initial], way.bindings))
    return found


def _along(interpreter: Interpreter, initial: Any, numbers: Sequence[int]) -> Trace:
    states, steps = [initial], list[Step]()
    for number in numbers:
        steps.append(interpreter.step(number, states[-1]))
        states.append(interpreter.successor(states[-1], number))
    return Trace(tuple(states), tuple(steps))


def _covering(design: Design) -> tuple[list[Trace], tuple[str, ...]]:
    """Shortest traces that together take every action, and the actions that none was found for.

    An action whose shortest trace is long comes first: its trace takes other actions on the way.
    """
    interpreter = Interpreter(design.spec)
    came: dict[Any, tuple[Any, int] | None] = dict.fromkeys(interpreter.initial())
    waiting = deque(came)
    first: dict[str, tuple[Any, int]] = {}
    actions = {rule.name for rule in design.spec.rules}
    while waiting and len(came) < MOST_COVERED and len(first) < len(actions):
        state = waiting.popleft()
        if not interpreter.inside(state):
            continue
        for number, successor in interpreter.successors(state):
            first.setdefault(interpreter.bindings[number][0].name, (state, number))
            after = design.spec.domain.copy(successor)
            if after not in came:
                came[after] = (state, number)
                waiting.append(after)
    traces: list[Trace] = []
    taken: set[str] = set()
    for action, (state, number) in reversed(first.items()):
        if action in taken:
            continue
        numbers = [number]
        while (before := came[state]) is not None:
            state, number = before
            numbers.append(number)
        traces.append(_along(interpreter, state, numbers[::-1]))
        taken |= {step.action for step in traces[-1].steps}
    return traces, tuple(sorted(actions - first.keys()))
