"""The results of a search kernel for single states, compared with those of CPython."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from specmodel.domains.renaming import renamed, renamings_of
from specmodel.engines.native.loop.fields import BLOCK
from specmodel.kernel.columns import in_columns
from specmodel.kernel.context import (
    DEADLOCK,
    FIRST_PROPERTY,
    PROPERTY_FAILURE,
    STEP_FAILURE,
    Context,
)
from specmodel.kernel.kernel import Kernel
from specmodel.results import SpecFailure
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import CheckDifference, Facts, Reference, step_difference
from specmodel.selfcheck.run import Compiled

FAILS = "the spec fails"
ONE_OF = "a step of {}"


class CompiledSearch(Compiled):
    """The functions of a kernel with which a search expands, checks and inserts states."""

    def __init__(self, kernel: Kernel, reference: Reference, engine: str = "native") -> None:
        self.kernel = kernel
        self.reference = reference
        self.engine = engine
        self.program = kernel.program
        counts = Counter(rule.name for rule, _ in self.program.bindings)
        self._first = list(accumulate((counts[r.name] for r in self.program.spec.rules), initial=0))
        self._renamings = list(renamings_of(kernel.symmetric)) if kernel.symmetric else []

    @property
    def how(self) -> Mapping[str, Any]:
        """How the kernel was made."""
        return {
            "engine": self.engine,
            "code": "search",
            "properties": [rule.name for rule in self.program.chosen],
            "symmetry": bool(self.kernel.symmetric),
            "partial_order": self.program.partial_order,
        }

    def differences(self, facts: Facts) -> Iterator[CheckDifference]:
        """The first difference between the kernel and CPython for a state."""
        context = self.kernel.context()
        found = self.kernel.successors([facts.words], context)
        yield from self._of_steps(facts, found, context)
        yield from self._of_stepped(facts, context)
        context = self.kernel.context()
        self.kernel.look([facts.words], context)
        yield from self._of_properties(facts, context)
        if self.kernel.keep is not None:
            yield from self._of_constraints(facts)
        if self._renamings:
            yield from self._of_orbits(facts)

    def differences_of_all(self, facts: Sequence[Facts]) -> Iterator[tuple[Facts, CheckDifference]]:
        """Where the kernel differs on states side by side.

        There it computes each binding for many states at once.
        """
        if self.program.partial_order or not facts:
            return
        found = self.kernel.successors([one.words for one in facts], self.kernel.context())
        steps = iter(found)
        for start in range(0, len(facts), BLOCK):
            block = facts[start : start + BLOCK]
            for number in range(len(self.program.bindings)):
                for one in block:
                    outcome = one.outcomes[number]
                    if isinstance(outcome, tuple):
                        got = next(steps, None)
                        if got != outcome:
                            yield one, self._step(number, outcome, got)
                            return
        if (more := next(steps, None)) is not None:
            yield facts[-1], CheckDifference("a step", None, None, more)

    # Steps

    def _of_steps(
        self, facts: Facts, found: list[Words], context: Context
    ) -> Iterator[CheckDifference]:
        """The bindings that are enabled or fail, and the states they lead to."""
        expected, fired = facts.steps, context.fired()
        of_actions = [0] * len(fired)
        for number, _ in expected:
            of_actions[self._action(number)] += 1
        same = [words for _, words in expected] == found and of_actions == fired
        if not same:
            for action, (start, stop) in enumerate(pairwise(accumulate(fired, initial=0))):
                yield from self._of_action(facts, action, found[start:stop])
        noted = context.finding(STEP_FAILURE)
        said = [] if noted is None else [noted.binding]
        if said != facts.failing[:1]:
            number = min(said + facts.failing[:1])
            yield self._step(number, facts.outcomes[number], FAILS if number in said else None)
        stuck = context.finding(DEADLOCK) is not None
        if stuck == bool(expected):
            yield CheckDifference("whether no action can happen", None, not expected, stuck)

    def _action(self, number: int) -> int:
        """The number of a binding's action."""
        return next(a for a, end in enumerate(self._first[1:]) if number < end)

    def _of_action(
        self, facts: Facts, action: int, found: list[Words]
    ) -> Iterator[CheckDifference]:
        """The first binding of an action whose enabling or target differs from CPython's."""
        first, end = self._first[action : action + 2]
        expected = [(n, words) for n, words in facts.steps if first <= n < end]
        fewer = self.program.partial_order  # then the kernel takes only some of the steps
        at = 0
        for number, words in expected:
            if at < len(found) and found[at] == words:
                at += 1
            elif not fewer:
                there = len(found) == len(expected)
                yield self._step(number, words, found[at] if there else None)
                return
        if at < len(found):
            after = [n for n, words in expected if words in found[:at]]
            enabled = {n for n, _ in expected}
            others = [n for n in range(max(after, default=first - 1) + 1, end) if n not in enabled]
            if len(others) == 1:
                yield self._step(others[0], facts.outcomes[others[0]], found[at])
            else:
                rule = self.program.spec.rules[action]
                yield CheckDifference(ONE_OF.format(rule.name), rule.span, None, found[at])

    def _step(self, number: int, expected: Any, found: Any) -> CheckDifference:
        return step_difference(self.reference.interpreter, number, expected, found)

    def _of_stepped(self, facts: Facts, context: Context) -> Iterator[CheckDifference]:
        """The transition properties that a step violates, and those that fail in it."""
        if self.program.partial_order:
            return
        failing: list[int] = []
        for number, rule in enumerate(self.program.chosen):
            if rule.role == "transition":
                truths = facts.stepped[rule.name]
                failing += [number for _, truth in truths if isinstance(truth, SpecFailure)]
                broken = next((n for n, truth in truths if truth is False), None)
                found = context.finding(FIRST_PROPERTY + number)
                said = None if found is None else found.binding
                if said != broken:
                    step = str(
                        self.reference.interpreter.step(
                            min(n for n in (said, broken) if n is not None)
                        )
                    )
                    what = f"{rule.name} of the step {step}"
                    yield CheckDifference(what, rule.span, broken is None, said is None)
        yield from self._of_failures(failing, context)

    def _of_failures(self, failing: list[int], context: Context) -> Iterator[CheckDifference]:
        """The first property that fails."""
        found = context.finding(PROPERTY_FAILURE)
        said, expected = None if found is None else found.binding, min(failing, default=None)
        if said != expected:
            number = min(n for n in (said, expected) if n is not None)
            rule = [*self.program.chosen, *self.program.spec.bounds][number]
            answers = [FAILS if n == number else "does not fail" for n in (expected, said)]
            yield CheckDifference(rule.name, rule.span, *answers)

    # States

    def _of_properties(self, facts: Facts, context: Context) -> Iterator[CheckDifference]:
        """The invariants and reachable properties that are true, and those that fail."""
        failing: list[int] = []
        for number, rule in enumerate(self.program.chosen):
            if rule.name not in facts.truths:
                continue
            truth = facts.truths[rule.name]
            if isinstance(truth, SpecFailure):
                failing.append(number)
                continue
            noted = context.finding(FIRST_PROPERTY + number) is not None
            said = noted if rule.role == "reachable" else not noted
            if said != truth:
                yield CheckDifference(rule.name, rule.span, truth, said)
        yield from self._of_failures(failing, context)

    def _of_constraints(self, facts: Facts) -> Iterator[CheckDifference]:
        """Whether the state and its successors are within the constraints.

        Also the invariants of successors outside.
        """
        assert self.kernel.keep is not None
        context = self.kernel.context()
        found = [facts.words, *(words for _, words in facts.steps)]
        insides = [facts.inside, *facts.kept]
        columns, width = in_columns(self.program.layout.words, found)
        kept = self.kernel.keep(ctypes.addressof(columns), width, len(found), context.address)
        ends = ((w * width, w * width + kept) for w in range(self.program.layout.words))
        said = list(zip(*(columns[low:high] for low, high in ends), strict=True))
        expected = [w for w, inside in zip(found, insides, strict=True) if inside is True]
        bound = self.program.spec.bounds[0]
        if said != expected:
            yield CheckDifference("the states within the constraints", bound.span, expected, said)
        beyond = [w for w, inside in zip(found, insides, strict=True) if inside is False]
        failing = [
            (w, len(self.program.chosen))
            for w, inside in zip(found, insides, strict=True)
            if isinstance(inside, SpecFailure)
        ]
        for number, rule in enumerate(self.program.chosen):
            truths = facts.outside.get(rule.name)
            if rule.role == "invariant" and truths is not None:
                failed = (isinstance(truth, SpecFailure) for truth in truths)
                failing += [(w, number) for w, fails in zip(beyond, failed, strict=True) if fails]
                broken = any(truth is False for truth in truths)
                noted = context.finding(FIRST_PROPERTY + number) is not None
                if broken != noted:
                    what = f"{rule.name} of a state outside the constraints"
                    yield CheckDifference(what, rule.span, not broken, not noted)
        # The kernel notes the failure of the least state, of several states.
        yield from self._of_failures([number for _, number in sorted(failing)[:1]], context)

    def _of_orbits(self, facts: Facts) -> Iterator[CheckDifference]:
        """The least states of the successors' orbits, where these differ from the successors."""
        if not facts.steps:
            return
        words = facts.steps[-1][1]
        domain, layout = self.program.spec.domain, self.program.layout
        state = layout.unpack(words)
        (said,) = self.kernel.canonical_forms([words])
        least = min(layout.pack(renamed(domain, state, names)) for names in self._renamings)
        if said != least:
            yield CheckDifference("the least of the states with other names", None, least, said)
