"""What a search over packed states has found, and the verdicts and traces that come of it.

Of all that a level shows, the least counts; the way to it is found by whoever has the states. Every
trace is run again by the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from specmodel.design import Design
from specmodel.domains import ScalarDomain
from specmodel.engines.interpret.failures import (
    property_failure,
    step_failure,
    transition_failure,
)
from specmodel.engines.interpret.orbits import Orbits
from specmodel.engines.interpret.steps import Interpreter
from specmodel.kernel.context import (
    DEADLOCK,
    FIRST_PROPERTY,
    PROPERTY_FAILURE,
    STEP_FAILURE,
    Finding,
)
from specmodel.kernel.kernel import Kernel
from specmodel.lang.spec import Rule
from specmodel.results import DEADLOCK as DEADLOCK_NAME
from specmodel.results import PropertyResult, SpecFailure, Trace

Words = tuple[int, ...]

Path = Callable[[Words, int], Sequence[Words]]
"""States from an initial one to one of a level, each the least that leads to the next."""


@dataclass(frozen=True)
class Hit:
    """A finding and the level of its state."""

    finding: Finding
    level: int


class Findings:
    """The first hit of each record, by the record's number in a kernel's context."""

    def __init__(
        self,
        design: Design,
        rules: Sequence[Rule],
        kernel: Kernel,
        symmetric: Sequence[ScalarDomain],
        path: Path | None,
    ) -> None:
        """`rules` are those that the kernel looks at. `path`: None if hits are to have no trace."""
        self.design = design
        self.rules = tuple(rules)
        self.kernel = kernel
        self.symmetric = tuple(symmetric)
        self.interpreter = Interpreter(design.spec)
        self.hits: dict[int, Hit] = {}
        self.last = 0
        """The level whose states, or the steps to them, showed the last of the hits."""
        self.way: Sequence[Words] = ()
        """The states of the trace that was made last, before CPython has gone that way."""
        self._path = path

    def take(self, found: Mapping[int, Finding], level: int) -> None:
        """Takes in the findings of a level's states, and of the steps that led to it.

        Raises SpecFailure, with a trace, where the spec itself fails.
        """
        if STEP_FAILURE in found:
            raise self._step_failure(found[STEP_FAILURE], level - 1)
        if PROPERTY_FAILURE in found:
            raise self._property_failure(found[PROPERTY_FAILURE], level)
        for record, finding in found.items():
            if record not in self.hits:
                of_source = record == DEADLOCK or self._role(record) == "transition"
                self.hits[record] = Hit(finding, level - 1 if of_source else level)
                self.last = level

    def close(self) -> None:
        """Lets go of whoever has the states: there are no more traces."""
        self._path = None

    @property
    def violated(self) -> bool:
        """Whether something is wrong."""
        return any(self._role(record) != "reachable" for record in self.hits)

    def properties(
        self,
        chosen: Sequence[Rule],
        complete: bool,
        deadlock: bool,
        known: Mapping[str, PropertyResult],
    ) -> tuple[PropertyResult, ...]:
        """The verdicts on some properties; `known` has those that were decided elsewhere."""
        places = {rule.name: FIRST_PROPERTY + i for i, rule in enumerate(self.rules)}
        judged = [
            self._judged(places[rule.name], rule.name, rule.role, complete, rule)
            if rule.name in places
            else known.get(rule.name) or PropertyResult(rule.name, rule.role, "incomplete")
            for rule in chosen
        ]
        if deadlock:
            judged.append(self._judged(DEADLOCK, DEADLOCK_NAME, DEADLOCK_NAME, complete))
        return tuple(judged)

    def _judged(
        self, record: int, name: str, kind: str, complete: bool, rule: Rule | None = None
    ) -> PropertyResult:
        hit = self.hits.get(record)
        if hit is not None and self._path is None:
            return PropertyResult(name, kind, "holds" if kind == "reachable" else "violated")
        broken = rule if kind == "transition" else None
        trace = self._trace(hit, broken) if hit else None
        return PropertyResult.judged(name, kind, trace, complete)

    def _role(self, record: int) -> str:
        return "" if record < FIRST_PROPERTY else self.rules[record - FIRST_PROPERTY].role

    def _trace(self, hit: Hit, broken: Rule | None = None) -> Trace:
        """The way to a hit, and the step that breaks a transition property if it is one."""
        if self._path is None:
            raise StatesNeeded
        words = self.way = self._path(hit.finding.words, hit.level)
        states = [self.kernel.program.layout.unpack(w) for w in words]
        if not self.symmetric:
            return self.interpreter.behaviour(states, hit.finding.binding if broken else None)
        orbits = Orbits(self.interpreter, self._representative)
        trace = orbits.behaviour(states[0], words[1:])
        return orbits.breaking(trace, broken) if broken else trace

    def _representative(self, state: object) -> Words:
        (found,) = self.kernel.canonical_forms([self.kernel.program.layout.pack(state)])
        return found

    def _step_failure(self, finding: Finding, level: int) -> SpecFailure:
        return step_failure(self.interpreter, self._trace(Hit(finding, level)))

    def _property_failure(self, finding: Finding, level: int) -> SpecFailure:
        bounds = self.design.spec.bounds
        rule = [*self.rules, *bounds][finding.binding]
        if rule.role == "transition":
            trace = self._trace(Hit(finding, level - 1))
            return transition_failure(self.interpreter, trace, rule)
        trace = self._trace(Hit(finding, level))
        return property_failure(self.interpreter, trace, [rule, *bounds])


class StatesNeeded(Exception):  # noqa: N818 - asks for something
    """The spec fails, and there are no whole states to say how."""
