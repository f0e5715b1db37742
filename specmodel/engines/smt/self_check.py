"""The self-check of a search for paths: its formulas in known states, compared with CPython."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from specmodel.ir.symbolic.effects import Judgement
from specmodel.model.model import Rule
from specmodel.results import SpecFailure, Trace
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import (
    CheckDifference,
    Facts,
    Reference,
    Truth,
    step_difference,
)
from specmodel.selfcheck.run import Compiled
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Formula, Substitution


def states_of(
    reference: Reference, found: Sequence[Trace], depth: int, wanted: int
) -> Iterator[Words]:
    """States of traces, then states of behaviours of each length: `wanted` in all.

    Their hashes select them, so they are the same each time.
    """
    for trace in found:
        yield from (reference.packing.pack(state) for state in trace.states[-2:])
    interpreter = reference.interpreter
    level = {reference.packing.pack(state): state for state in interpreter.initial()}
    seen: set[Words] = set()
    for number in range(depth):
        most = -(-wanted * (number + 1) // depth) - len(seen)
        kept = sorted(level, key=lambda words: (hash(words), words))[:most]
        yield from kept
        seen.update(kept)
        following: dict[Words, Any] = {}
        for words in kept:
            for _, outcome in interpreter.outcomes(level[words]):
                if not isinstance(outcome, SpecFailure) and _inside(reference, outcome):
                    following[reference.packing.pack(outcome)] = outcome
        level = {words: state for words, state in following.items() if words not in seen}
        if not level:
            return


def _inside(reference: Reference, state: Any) -> bool:
    try:
        return reference.interpreter.inside(state)
    except SpecFailure:
        return False


class CompiledFormulas(Compiled):
    """The terms of the solver's assertions, with known values for their variables."""

    def __init__(self, encoding: Encoding, reference: Reference, rules: Sequence[Rule]) -> None:
        self.encoding = encoding
        self.relation = encoding.relation
        self.logic = encoding.logic
        self.reference = reference
        self.rules = tuple(rules)
        bindings = reference.interpreter.bindings
        numbers = {(rule.name, repr(values)): n for n, (rule, values) in enumerate(bindings)}
        self.numbers = [
            numbers[move.rule.name, repr(tuple(move.bound.values()))] for move in encoding.moves
        ]
        self.of_states = [rule for rule in rules if rule.states == 1]
        self.of_steps = [rule for rule in rules if rule.role == "transition"]
        self.bounds = list(reference.spec.bounds)
        self._known: dict[tuple[int, int], Formula] = {}
        self._changed: dict[int, tuple[list[int], Formula]] = {}

    @property
    def how(self) -> Mapping[str, Any]:
        """How the formulas were made."""
        return {
            "engine": "smt",
            "code": "formulas",
            "properties": [rule.name for rule in self.rules],
        }

    @cached_property
    def _of_states(self) -> Formula:
        """A bit for each fact about a state: moves, then properties."""
        term = self.encoding.term
        asked = [term(n) for move in self.encoding.moves for n in (move.guard, move.failure)]
        for rule in [*self.of_states, *self.bounds]:
            asked += self._bits_of(self.relation.judged(rule))
        return self.logic.as_bits([*asked, self.logic.true])

    def _bits_of(self, judgement: Judgement) -> list[Formula]:
        """Whether a property is true, and whether the spec fails in it."""
        failures = self.relation.graph.either(*(f.node for f in judgement.failures))
        return [self.encoding.term(judgement.node), self.encoding.term(failures)]

    def differences(self, facts: Facts) -> Iterator[CheckDifference]:
        """The first difference between the formulas and CPython for a state."""
        now = self._constants(facts.words)
        put = self._replacement(now)
        bits = self.logic.number(put(self._of_states))
        said: dict[int, tuple[int, bool, bool]] = {}
        for place, number in enumerate(self.numbers):
            said[number] = place, bool(bits & 1), bool(bits & 2)
            bits >>= 2
        last: tuple[int, int, Words] | None = None
        interpreter, failed = self.reference.interpreter, set[str]()
        for number, expected in enumerate(facts.outcomes):
            place, enabled, fails = said.get(number, (0, False, False))
            if fails or isinstance(expected, SpecFailure):
                rule, _ = interpreter.bindings[number]
                if fails and isinstance(expected, SpecFailure):
                    failed.add(rule.name)
                elif rule.name not in failed:  # a later binding may have a pick out of its reach
                    answer = "the spec fails" if fails else "the spec does not fail"
                    yield step_difference(interpreter, number, expected, answer)
                continue
            after = self._after(facts, place, put) if enabled else None
            if after != expected:
                yield step_difference(interpreter, number, expected, after)
            elif after is not None:
                last = place, number, after
                if self.of_steps:
                    yield from self._of_step(facts, number, [*now, *self._constants(after)])
        if last is not None:
            place, number, after = last
            whole = self.encoding.step_between(place, now, self._constants(after))
            if not self.logic.truth(whole):
                yield step_difference(interpreter, number, after, "not a step of the formula")
        yield from self._of_properties(facts, bits)

    def _of_properties(self, facts: Facts, bits: int) -> Iterator[CheckDifference]:
        """Properties and constraints of the state, whose truth is in the bits."""
        inside: list[Any] = []
        for rule in [*self.of_states, *self.bounds]:
            said = self._answer(bits)
            bits >>= 2
            if rule.role == "constraint":
                inside.append(said)
            else:
                yield from self._truth(rule.name, rule, facts.truths[rule.name], said)
        if self.bounds:
            failing = "the spec fails" in inside
            said = "the spec fails" if failing else all(held is True for held in inside)
            yield from self._truth("the constraints", self.bounds[0], facts.inside, said)

    def _of_step(
        self, facts: Facts, number: int, values: Sequence[Formula]
    ) -> Iterator[CheckDifference]:
        """Transition properties of the step by a binding."""
        put = self._replacement(values)
        for rule in self.of_steps:
            asked = self.logic.as_bits(self._bits_of(self.relation.judged(rule)))
            said = self._answer(self.logic.number(put(asked)))
            what = f"{rule.name} of the step {self.reference.interpreter.step(number)}"
            yield from self._truth(what, rule, dict(facts.stepped[rule.name])[number], said)

    def _answer(self, bits: int) -> Any:
        """The verdict that two bits give for a property."""
        return "the spec fails" if bits & 2 else bool(bits & 1)

    def _truth(self, what: str, rule: Rule, truth: Truth, said: Any) -> Iterator[CheckDifference]:
        expected = "the spec fails" if isinstance(truth, SpecFailure) else truth
        if expected != said:
            yield CheckDifference(what, rule.span, truth, said)

    def _after(self, facts: Facts, place: int, put: Substitution) -> Words:
        """The state that a move leads to."""
        leaves, slots = self.relation.layout.leaves, self.relation.layout.slots
        if place not in self._changed:
            nodes = self.encoding.moves[place].after
            changed = [i for i, node in enumerate(nodes) if node is not self.relation.now[i]]
            terms = [self.encoding.term.fitted(nodes[i], leaves[i]) for i in changed]
            joined = self.logic.joined([*terms, self.logic.bits(0, 1)])
            self._changed[place] = changed, joined
        changed, term = self._changed[place]
        bits, words = self.logic.number(put(term)), list(facts.words)
        for leaf in changed:
            slot = slots[leaf]
            code = bits & slot.mask
            words[slot.word] = words[slot.word] & ~(slot.mask << slot.shift) | code << slot.shift
            bits >>= slot.bits
        return tuple(words)

    def _constants(self, words: Words) -> list[Formula]:
        """The values of the leaves of a state."""
        slots = self.relation.layout.slots
        return [
            self._constant(words[slot.word] >> slot.shift & slot.mask, slot.bits) for slot in slots
        ]

    def _constant(self, value: int, width: int) -> Formula:
        """A number as bits, cached: making it takes z3 longer than using it."""
        if (value, width) not in self._known:
            self._known[value, width] = self.logic.bits(value, width)
        return self._known[value, width]

    def _replacement(self, values: Sequence[Formula]) -> Substitution:
        """The function that replaces the first leaves by values."""
        pairs = list(zip(self.encoding.template, values, strict=False))
        return self.logic.replacement(pairs)
