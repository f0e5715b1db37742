"""Decides whether two designs have the same states and steps under a map, by a search.

The map is a function from the states of a design to those of a TLA+ module. The search visits the
reachable states of the design and compares, in each, its steps with those of the module in the
state that the map gives. Where nothing differs, the map is a bijection between the reachable
states of both that keeps initial states and steps: a strong bisimulation by a function (Milner,
Communication and Concurrency, 1989).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from specmodel.analysis.comparison import load_rivals
from specmodel.behaviour.steps import Interpreter
from specmodel.companions import run_companion
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import Span, SpecError, UsageError, described, span_of_traceback
from specmodel.model.model import Interpreted
from specmodel.options import Options, Progress
from specmodel.results import SpecFailure, Step, Trace
from specmodel.suite.targets import load_configured, load_target
from specmodel.traces.changes import Change, changes

BETWEEN = 0.2
"""Seconds between reports of progress."""


@dataclass(frozen=True)
class StateMap:
    """The functions of a map's file.

    `state` gives for a state of the mapped design, and its constants, a dict of the variables of
    the module. `configuration`, if it is there, gives the module's configuration for these
    constants, as a text.
    """

    file: Path
    state: Callable[[Any, Mapping[str, Value]], Any]
    configuration: Callable[[Mapping[str, Value]], str] | None

    @classmethod
    def read(cls, file: Path) -> StateMap:
        """The map in a file. Raises UsageError if there is none."""
        module = run_companion(file, "map")
        state = getattr(module, "state", None)
        if not callable(state):
            raise UsageError(f"{file} has no function state(s, constants)")
        return cls(file, state, getattr(module, "configuration", None))

    def called(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of one of the functions. Raises SpecError at the place where it fails."""
        try:
            return function(*arguments)
        except Exception as wrong:
            file = function.__code__.co_filename
            place = span_of_traceback(wrong.__traceback__, lambda name: name == file)
            message = wrong.message if isinstance(wrong, SpecError) else described(wrong)
            raise SpecError(message, place or self.place) from None

    @property
    def place(self) -> Span:
        """The line of `state`."""
        code = self.state.__code__
        return Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 3)


@dataclass(frozen=True)
class NearestStep:
    """The step of a design that comes nearest to a wanted one, and where the states after both
    differ: `before` is the wanted value, `after` that of this step."""

    step: Step
    differences: tuple[Change, ...]


@dataclass(frozen=True)
class MapDifference:
    """The first difference between two designs under a map.

    `kind` is "initial" (an initial state of one that the other has not), "step", "failure" (a step
    of one that fails), "constraint" (a state within the constraints of one), or "alike" (two states
    for which the map gives one). `only` is the place, 0 or 1, of the design that has what the other
    lacks. `traces` lead each design to the difference; None where it has no state there. `nearest`
    is for a step, if the other design has any.
    """

    kind: Literal["initial", "step", "failure", "constraint", "alike"]
    only: int
    traces: tuple[Trace | None, Trace | None]
    nearest: NearestStep | None = None
    failure: str = ""


@dataclass(frozen=True)
class Correspondence:
    """The comparison of a design with another one that a map leads to.

    `designs` are the module that the map leads to, and the mapped design. `states`, `steps` and
    `depth` are what was compared within the state constraints, `stopped` the limit that ended the
    search (empty: nothing was left out).
    """

    designs: tuple[Design, Design]
    states: int
    steps: int
    depth: int
    stopped: str
    seconds: float
    mismatch: MapDifference | None = None

    @property
    def verdict(self) -> Literal["equal", "different", "unknown"]:
        """Unknown if a limit was reached before a difference was found."""
        if self.mismatch is not None:
            return "different"
        return "unknown" if self.stopped else "equal"


def load_mapped(
    target: str, other: str, found: StateMap, constants: Mapping[str, Value]
) -> tuple[Design, Design]:
    """The module that a map leads to, and the mapped design at constants.

    Raises the errors of a load.
    """
    if found.configuration is None:
        one, mapped = load_rivals([target, other], constants)
        if not isinstance(one.spec, Interpreted):
            hint = "a design in Python refines another one with @refines"
            raise UsageError(f"a map leads to a TLA+ module, and {one.name} is none: {hint}")
        _refuse_module(mapped)
        return one, mapped
    mapped = load_target(other, constants)
    _refuse_module(mapped)
    text = found.called(found.configuration, mapped.values)
    if not isinstance(text, str):
        raise UsageError(f"configuration of {found.file} gives no text")
    named = found.file.with_name(f"configuration of {found.file.name}")
    return load_configured(target, named, text), mapped


def _refuse_module(mapped: Design) -> None:
    # The model values of two modules have no values in common, whatever their names.
    if isinstance(mapped.spec, Interpreted):
        raise UsageError(f"a map is of a design in Python, and {mapped.name} is a TLA+ module")


def correspondence(
    one: Design, mapped: Design, found: StateMap, options: Options
) -> Correspondence:
    """Compares a module with a design whose states a map takes to it.

    Followed of the options: `max_states`, `timeout`, `progress`. A state that is outside the state
    constraint of a design is not gone on from. Raises SpecError where the map fails.
    """
    return _PairedSearch(one, mapped, found, options).run()


class _PairedSearch:
    """The search. Numbers 0 and 1 are the module that the map leads to and the mapped design."""

    def __init__(self, one: Design, mapped: Design, found: StateMap, options: Options) -> None:
        self.designs, self.map, self.options = (one, mapped), found, options
        self.one, self.mapped = Interpreter.of(one.spec), Interpreter.of(mapped.spec)
        self.parents: dict[Any, Any] = {}
        self.stands: dict[int, tuple[Any, ...]] = {}
        self.fresh: list[Any] = []
        self.states = self.steps = self.depth = 0
        self.stopped = ""
        self.started = self.told = time.monotonic()

    def run(self) -> Correspondence:
        """The comparison, level by level."""
        mismatch = None
        try:
            mismatch = self.one.deeply(lambda: self.mapped.deeply(self._searched))
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        return Correspondence(
            self.designs, self.states, self.steps, self.depth, self.stopped,
            time.monotonic() - self.started, mismatch,
        )  # fmt: skip

    def _searched(self) -> MapDifference | None:
        """The first mismatch, if there is one and no limit comes first."""
        found = self._begin()
        while found is None and self.fresh:
            level, self.fresh = self.fresh, []
            self.depth += 1
            for place, key in enumerate(level):
                if self._limited(len(level) - place):
                    return None
                found = self._compared(key)
                if found is not None:
                    break
        return found

    def _limited(self, left: int) -> bool:
        """Whether a limit is reached; tells the progress meanwhile."""
        now, options = time.monotonic(), self.options
        if options.max_states is not None and self.states >= options.max_states:
            self.stopped = "max-states"
        elif options.timeout is not None and now - self.started > options.timeout:
            self.stopped = "timeout"
        elif options.progress is not None and now - self.told > BETWEEN:
            self.told = now
            spent = now - self.started
            options.progress(Progress(self.states, self.steps, self.depth, left, spent, 0))
        return bool(self.stopped)

    # The map

    def _image(self, state: Any) -> Any:
        """The state that the map gives. Raises SpecError."""
        made = self.map.called(self.map.state, state, self.designs[1].values)
        domain, name = self.one.domain, self.designs[0].name
        try:
            if not isinstance(made, dict):
                raise SpecError("it is no dict of the variables")
            return domain.cls(**cast(dict[str, Any], made))
        except SpecError as wrong:
            message = f"this gives no state of {name}: {wrong.message}"
            raise SpecError(message, self.map.place, wrong.hint) from None

    def _enter(self, state: Any, image: Any, parent: Any) -> Any | None:
        """Takes in a state that is new; gives the key of another one with the same image."""
        key = self.mapped.key(state)
        if key in self.parents:
            return None
        self.parents[key] = parent
        self.fresh.append(key)
        wanted = self.one.key(image)
        place = hash(wanted)
        known = self.stands.get(place, ())
        self.stands[place] = (*known, key)
        for other in known:
            if self.one.key(self._image(self.mapped.keyed(other))) == wanted:
                return other
        return None

    # Comparing

    def _begin(self) -> MapDifference | None:
        """Compares the initial states."""
        wanted = {self.one.key(state): state for state in self.one.initial()}
        seen = set[Hashable]()
        for state in self.mapped.initial():
            image = self._image(state)
            key = self.one.key(image)
            if key not in wanted:
                return MapDifference("initial", 1, (Trace((image,), ()), Trace((state,), ())))
            seen.add(key)
            if (other := self._enter(state, image, None)) is not None:
                return self._alike(state, other)
        for key, state in wanted.items():
            if key not in seen:
                return MapDifference("initial", 0, (Trace((state,), ()), None))
        return None

    def _compared(self, key: Any) -> MapDifference | None:
        """Compares the steps from a state, and takes in the states after them."""
        state = self.mapped.keyed(key)
        image = self._image(state)
        inside = [self.one.inside(image), self.mapped.inside(state)]
        if inside[0] != inside[1] and self.one.bounded and self.mapped.bounded:
            return MapDifference("constraint", inside.index(True), self._paths(key))
        if not all(inside):
            return None
        self.states += 1
        theirs, their_failure = _after(self.one, image)
        mine, my_failure = _after(self.mapped, state)
        if bool(their_failure) != bool(my_failure):
            only = 0 if their_failure else 1
            failure = their_failure or my_failure
            return MapDifference("failure", only, self._paths(key), failure=failure)
        if my_failure:
            return None
        wanted = {self.one.key(after): (number, after) for number, after in theirs}
        seen = set[Hashable]()
        for number, after in mine:
            self.steps += 1
            stands = self._image(after)
            held = self.one.key(stands)
            if held not in wanted:
                return self._lacking(key, 1, (number, after), stands, theirs)
            seen.add(held)
            if (other := self._enter(after, stands, key)) is not None:
                return self._alike(after, other)
        for held, (number, after) in wanted.items():
            if held not in seen:
                images = [(n, self._image(made)) for n, made in mine]
                return self._lacking(key, 0, (number, after), after, images)
        return None

    def _lacking(
        self,
        key: Any,
        only: int,
        taken: tuple[int, Any],
        wanted: Any,
        others: Sequence[tuple[int, Any]],
    ) -> MapDifference:
        """The mismatch of a step of one design, beside the nearest of the other's steps.

        `wanted` and the states of `others` are of the module.
        """
        paths = list(self._paths(key))
        steps = self.one if only == 0 else self.mapped
        paths[only] = steps.behaviour(paths[only].states, taken[0])
        other, before = (self.mapped, paths[1]) if only == 0 else (self.one, paths[0])
        nearest = None
        if others:
            number, after = min(others, key=lambda each: len(list(changes(wanted, each[1]))))
            step = other.step(number, before.states[-1])
            nearest = NearestStep(step, tuple(changes(wanted, after)))
        return MapDifference("step", only, (paths[0], paths[1]), nearest)

    def _alike(self, state: Any, other: Any) -> MapDifference:
        key = self.mapped.key(state)
        return MapDifference("alike", 1, (self._paths(other)[1], self._paths(key)[1]))

    def _paths(self, key: Any) -> tuple[Trace, Trace]:
        """The behaviours of both designs to a state."""
        keys = list(self._back(key))[::-1]
        states = [self.mapped.keyed(each) for each in keys]
        images = [self._image(state) for state in states]
        return self.one.behaviour(images), self.mapped.behaviour(states)

    def _back(self, key: Any) -> Iterator[Any]:
        while key is not None:
            yield key
            key = self.parents[key]


def _after(steps: Interpreter, state: Any) -> tuple[list[tuple[int, Any]], str]:
    """The steps from a state, and the failure of the first that has one."""
    try:
        return list(steps.successors(state)), ""
    except SpecFailure as failure:
        return [], f"{failure.where}: {failure.message}"
