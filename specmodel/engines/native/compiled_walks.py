"""What the kernel of random walks says of single states, compared with CPython."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from specmodel.engines.interpret.steps import Interpreter
from specmodel.kernel.columns import in_columns
from specmodel.kernel.walking import (
    FAILED_PROPERTY,
    FAILED_STEP,
    FIRST,
    MOVES_A_FUNCTION,
    OUTSIDE,
    WalkKernel,
)
from specmodel.results import SpecFailure
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import Difference, Facts, Truth, step_difference
from specmodel.selfcheck.run import Compiled


class CompiledWalks(Compiled):
    """The functions that say what a walk can do, do it, and look at where it has come."""

    def __init__(self, kernel: WalkKernel, interpreter: Interpreter, engine: str) -> None:
        self.kernel = kernel
        self.interpreter = interpreter
        self.engine = engine

    @property
    def how(self) -> Mapping[str, Any]:
        """How the kernel was made."""
        names = [rule.name for rule in self.kernel.program.chosen]
        return {"engine": self.engine, "code": "walks", "properties": names}

    def after(self, state: Words, moves: Sequence[int]) -> Iterator[Words]:
        """The states that moves lead to, one after the other."""
        for move in moves:
            state, _ = self._moved(state, move)
            yield state

    def differences(self, facts: Facts) -> Iterator[Difference]:
        """Where the kernel differs from CPython about a state."""
        yield from self._of_properties(facts)
        allowed, found = self._allowed(facts.words)
        failed = bool(found & 1 << FAILED_STEP)
        if failed != bool(facts.failing):
            failure = facts.outcomes[facts.failing[0]] if facts.failing else "no action fails"
            said = "the spec fails" if failed else "no action fails"
            yield Difference("the actions", None, failure, said)
        if failed or facts.failing:
            return  # the walk ends here, and nothing else is looked at
        for number, expected in enumerate(facts.outcomes):
            move = allowed.get(number)
            after, found = (None, 0) if move is None else self._moved(facts.words, move)
            if after != expected:
                yield step_difference(self.interpreter, number, expected, after)
            elif after is not None:
                step = str(self.interpreter.step(number))
                yield from self._of_step(facts, number, step, found)

    def differences_of_all(self, facts: Sequence[Facts]) -> Iterator[tuple[Facts, Difference]]:
        """Where it differs on states side by side: what is enabled in each."""
        states = [one.words for one in facts]
        columns, width = in_columns(self.kernel.program.layout.words, states)
        masks = (ctypes.c_uint64 * (self.kernel.mask_words * width))()
        found = (ctypes.c_uint64 * (self.kernel.found_words * width))()
        at, told = ctypes.addressof(masks), ctypes.addressof(found)
        self.kernel.enabled(ctypes.addressof(columns), width, 0, len(states), at, told)
        for place, one in enumerate(facts):
            if one.failing:
                continue
            for move, of in enumerate(self.kernel.moves):
                group, bit = divmod(move, MOVES_A_FUNCTION)
                said = bool(masks[group * width + place] >> bit & 1)
                if said != (one.outcomes[of.number] is not None):
                    yield one, step_difference(self.interpreter, of.number, not said, said)

    def _allowed(self, state: Words) -> tuple[dict[int, int], int]:
        """The moves that can be made, by the numbers of their bindings, and findings."""
        columns, width = in_columns(len(state), [state])
        masks = (ctypes.c_uint64 * (self.kernel.mask_words * width))()
        found = (ctypes.c_uint64 * (self.kernel.found_words * width))()
        at, told = ctypes.addressof(masks), ctypes.addressof(found)
        self.kernel.enabled(ctypes.addressof(columns), width, 0, 1, at, told)
        allowed = {
            move.number: place
            for place, move in enumerate(self.kernel.moves)
            if masks[place // MOVES_A_FUNCTION * width] >> place % MOVES_A_FUNCTION & 1
        }
        return allowed, self._bits(found, width)

    def _moved(self, state: Words, move: int) -> tuple[Words, int]:
        """The state that a move leads to, and what the step breaks."""
        columns, width = in_columns(len(state), [state])
        found = (ctypes.c_uint64 * (self.kernel.found_words * width))()
        self.kernel.apply(move, ctypes.addressof(columns), width, 0, 1, ctypes.addressof(found))
        return tuple(columns[w * width] for w in range(len(state))), self._bits(found, width)

    def _bits(self, found: Any, width: int) -> int:
        """The findings of the first lane, as one number."""
        return sum(found[w * width] << 64 * w for w in range(self.kernel.found_words))

    def _of_step(self, facts: Facts, number: int, step: str, found: int) -> Iterator[Difference]:
        """Which transition properties the step by a binding breaks."""
        failing = False
        for place, rule in enumerate(self.kernel.program.chosen):
            if rule.role == "transition":
                truth = dict(facts.stepped[rule.name])[number]
                failing |= isinstance(truth, SpecFailure)
                said = not found >> FIRST + place & 1
                if said != (truth is not False):
                    yield Difference(f"{rule.name} of the step {step}", rule.span, truth, said)
        yield from self._of_failures(f"a property of the step {step}", failing, found)

    def _of_failures(self, what: str, failing: bool, found: int) -> Iterator[Difference]:
        failed = bool(found >> FAILED_PROPERTY & 1)
        if failed != failing:
            told = ["the spec fails" if fails else "does not fail" for fails in (failing, failed)]
            yield Difference(what, None, *told)

    def _of_properties(self, facts: Facts) -> Iterator[Difference]:
        """What the state itself breaks or meets."""
        (words,) = self.kernel.judged([facts.words])
        found = sum(word << 64 * place for place, word in enumerate(words))
        failing = isinstance(facts.inside, SpecFailure)
        if not failing and bool(found >> OUTSIDE & 1) == facts.inside:
            bound = self.kernel.program.spec.bounds
            what, said = "whether it is within the constraints", not facts.inside
            yield Difference(what, bound[0].span if bound else None, facts.inside, said)
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
                    yield Difference(rule.name, rule.span, truth, said)
        yield from self._of_failures("a property", failing, found)
