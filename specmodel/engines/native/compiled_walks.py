"""The results of a walk kernel for single states, compared with CPython."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.kernel.walking import (
    FAILED_PROPERTY,
    FAILED_STEP,
    FIRST,
    OUTSIDE,
    WalkKernel,
)
from specmodel.results import SpecFailure
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import CheckDifference, Facts, Truth, step_difference
from specmodel.selfcheck.run import CompiledPaths


class CompiledWalks(CompiledPaths):
    """The functions that find a state's enabled bindings, take one, and check the next state."""

    def __init__(self, kernel: WalkKernel, interpreter: Interpreter, engine: str) -> None:
        self.kernel = kernel
        self.interpreter = interpreter
        self.engine = engine

    @property
    def how(self) -> Mapping[str, Any]:
        """How the kernel was made."""
        names = [rule.name for rule in self.kernel.program.chosen]
        return {"engine": self.engine, "code": "walks", "properties": names}

    def after(self, state: Words, bindings: Sequence[int]) -> Iterator[Words]:
        """The states that bindings lead to, one after the other."""
        for binding in bindings:
            state, _ = self.kernel.applied(binding, state)
            yield state

    def differences(self, facts: Facts) -> Iterator[CheckDifference]:
        """The first difference between the kernel and CPython for a state."""
        yield from self._of_properties(facts)
        ((mask, found),) = self._allowed([facts.words])
        failed = bool(found >> FAILED_STEP & 1)
        if failed != bool(facts.failing):
            failure = facts.outcomes[facts.failing[0]] if facts.failing else "no action fails"
            said = "the spec fails" if failed else "no action fails"
            yield CheckDifference("the actions", None, failure, said)
        if failed or facts.failing:
            return  # the walk ends here, so the kernel checks nothing else
        for number, expected in enumerate(facts.outcomes):
            after, broken = None, ()
            if mask >> number & 1:
                after, broken = self.kernel.applied(number, facts.words)
            if after != expected:
                yield step_difference(self.interpreter, number, expected, after)
            elif after is not None:
                step = str(self.interpreter.step(number))
                yield from self._of_step(facts, number, step, _number(broken))

    def differences_of_all(self, facts: Sequence[Facts]) -> Iterator[tuple[Facts, CheckDifference]]:
        """Where the kernel differs on states side by side: the enabled bindings of each."""
        allowed = self._allowed([one.words for one in facts])
        for one, (mask, _) in zip(facts, allowed, strict=True):
            for number, outcome in enumerate(() if one.failing else one.outcomes):
                said = bool(mask >> number & 1)
                if said != (outcome is not None):
                    yield one, step_difference(self.interpreter, number, not said, said)

    def _allowed(self, states: Sequence[Words]) -> list[tuple[int, int]]:
        """For each of some states: a bit for each enabled binding, and the findings."""
        masks, found = self.kernel.allowed(states)
        return list(zip(map(_number, masks), map(_number, found), strict=True))

    def _of_step(
        self, facts: Facts, number: int, step: str, found: int
    ) -> Iterator[CheckDifference]:
        """The transition properties that the step by a binding violates."""
        failing = False
        for place, rule in enumerate(self.kernel.program.chosen):
            if rule.role == "transition":
                truth = dict(facts.stepped[rule.name])[number]
                failing |= isinstance(truth, SpecFailure)
                said = not found >> FIRST + place & 1
                if said != (truth is not False):
                    yield CheckDifference(f"{rule.name} of the step {step}", rule.span, truth, said)
        yield from self._of_failures(f"a property of the step {step}", failing, found)

    def _of_failures(self, what: str, failing: bool, found: int) -> Iterator[CheckDifference]:
        failed = bool(found >> FAILED_PROPERTY & 1)
        if failed != failing:
            answers = [
                "the spec fails" if fails else "does not fail" for fails in (failing, failed)
            ]
            yield CheckDifference(what, None, *answers)

    def _of_properties(self, facts: Facts) -> Iterator[CheckDifference]:
        """The properties that the state itself violates or meets."""
        (words,) = self.kernel.judged([facts.words])
        found = _number(words)
        failing = isinstance(facts.inside, SpecFailure)
        if not failing and bool(found >> OUTSIDE & 1) == facts.inside:
            bound = self.kernel.program.spec.bounds
            what, said = "whether it is within the constraints", not facts.inside
            yield CheckDifference(what, bound[0].span if bound else None, facts.inside, said)
        for place, rule in enumerate(self.kernel.program.chosen):
            seen = facts.inside is True if rule.role == "reachable" else not failing
            if rule.name not in facts.truths or (not seen and rule.role == "reachable"):
                continue
            truth: Truth = facts.truths[rule.name]
            if isinstance(truth, SpecFailure):
                failing |= seen
            elif seen:
                noted = bool(found >> FIRST + place & 1)
                said = noted if rule.role == "reachable" else not noted
                if said != truth:
                    yield CheckDifference(rule.name, rule.span, truth, said)
        yield from self._of_failures("a property", failing, found)


def _number(words: Words) -> int:
    """Words as one number, the first lowest."""
    return sum(word << 64 * place for place, word in enumerate(words))
