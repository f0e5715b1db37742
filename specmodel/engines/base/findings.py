"""The findings of a search over states, and the verdicts and traces that follow from them.

Of all findings of a level, the least counts. The engine, which has the states, finds the way to it.
The interpreter runs every trace again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from specmodel.behaviour.failures import (
    property_failure,
    step_failure,
    transition_failure,
)
from specmodel.behaviour.orbits import Orbits
from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.kernel.context import (
    DEADLOCK,
    FIRST_PROPERTY,
    PROPERTY_FAILURE,
    STEP_FAILURE,
    NotedState,
)
from specmodel.model.model import Rule
from specmodel.results import DEADLOCK as DEADLOCK_NAME
from specmodel.results import PropertyResult, SpecFailure, Trace

Words = tuple[int, ...]
"""A state as an engine represents it: packed words, or only its place in the canonical order."""

Path = Callable[[Words, int], Sequence[Words]]
"""States from an initial one to one of a level, each the least that leads to the next."""


Noted = tuple[int, Words, int, int]
"""A hit as a checkpoint keeps it: its record, the state's words, the binding, the level."""


@dataclass(frozen=True)
class Hit:
    """A finding and the level of its state."""

    finding: NotedState
    level: int


class Findings:
    """The first hit of each record, by the record's number in a kernel's context."""

    def __init__(
        self,
        interpreter: Interpreter,
        rules: Sequence[Rule],
        unpack: Callable[[Words], Any],
        path: Path | None,
        orbit_of: Callable[[Any], Words] | None = None,
    ) -> None:
        """`rules` are those that the search looks at. `path`: None if hits are to have no trace.

        `orbit_of` gives the words of a state's orbit, where these are what is searched.
        """
        self.rules = tuple(rules)
        self.interpreter = interpreter
        self.hits: dict[int, Hit] = {}
        self.last = 0
        """The last level whose states, or the steps to them, gave a hit."""
        self.way: Sequence[Words] = ()
        """The states of the trace that was made last, before CPython has gone that way."""
        self.begun: Mapping[str, Trace] = {}
        """The initial states that break refinements, of which saved spaces tell too."""
        self._unpack = unpack
        self._path = path
        self._orbit_of = orbit_of
        self._records = {rule.name: FIRST_PROPERTY + i for i, rule in enumerate(rules)}
        self._records[DEADLOCK_NAME] = DEADLOCK

    def take(self, found: Mapping[int, NotedState], level: int) -> None:
        """Records the findings in a level's states, and in the steps that led to them.

        Raises SpecFailure, with a trace, where the spec itself fails.
        """
        if STEP_FAILURE in found:
            trace = self._trace(Hit(found[STEP_FAILURE], level - 1))
            raise step_failure(self.interpreter, trace)
        if PROPERTY_FAILURE in found:
            raise self._property_failure(found[PROPERTY_FAILURE], level)
        for record, finding in found.items():
            if record not in self.hits:
                of_source = record == DEADLOCK or self._role(record) == "transition"
                self.hits[record] = Hit(finding, level - 1 if of_source else level)
                self.last = level

    def noted(self) -> Iterator[Noted]:
        """The hits, as `restore` takes them."""
        for record, hit in self.hits.items():
            yield record, hit.finding.words, hit.finding.binding, hit.level

    def misbegun(self, pack: Callable[[Any], Words]) -> Iterator[tuple[str, Words]]:
        """The names of refinements that an initial state breaks, with the words of that state."""
        for name, trace in self.begun.items():
            yield name, (self._orbit_of or pack)(trace.states[0])

    def restore(self, noted: Iterable[Noted]) -> None:
        """Restores the hits of the search that this search continues."""
        for record, words, binding, level in noted:
            self.hits[record] = Hit(NotedState(tuple(words), binding), level)

    def close(self) -> None:
        """Releases the engine, which has the states: no more traces can be made."""
        self._path = None

    @property
    def violated(self) -> bool:
        """Whether a property is violated."""
        return any(self._role(record) != "reachable" for record in self.hits)

    def verdict(self, name: str, kind: str, complete: bool) -> PropertyResult:
        """The verdict on one of the properties, or on deadlock."""
        record = self._records[name]
        hit = self.hits.get(record)
        if hit is not None and self._path is None:
            return PropertyResult(name, kind, "holds" if kind == "reachable" else "violated")
        broken = self.rules[record - FIRST_PROPERTY] if kind == "transition" else None
        trace = self._trace(hit, broken) if hit else None
        return PropertyResult.judged(name, kind, trace, complete)

    def _role(self, record: int) -> str:
        return "" if record < FIRST_PROPERTY else self.rules[record - FIRST_PROPERTY].role

    def _trace(self, hit: Hit, broken: Rule | None = None) -> Trace:
        """The way to a hit, and the step that breaks a transition property if it is one."""
        if self._path is None:
            raise StatesNeeded
        words = self.way = self._path(hit.finding.words, hit.level)
        if self._orbit_of is None:
            states = [self._unpack(w) for w in words]
            return self.interpreter.behaviour(states, hit.finding.binding if broken else None)
        orbits = Orbits(self.interpreter, self._orbit_of)
        trace = orbits.behaviour(self._unpack(words[0]), words[1:])
        return orbits.breaking(trace, broken) if broken else trace

    def _property_failure(self, finding: NotedState, level: int) -> SpecFailure:
        bounds = self.interpreter.spec.bounds
        rule = [*self.rules, *bounds][finding.binding]
        if rule.role == "transition":
            trace = self._trace(Hit(finding, level - 1))
            return transition_failure(self.interpreter, trace, rule)
        trace = self._trace(Hit(finding, level))
        return property_failure(self.interpreter, trace, [rule, *bounds])


class StatesNeeded(Exception):  # noqa: N818 - asks for something
    """The spec fails, and the search has no whole states to make a trace of."""
