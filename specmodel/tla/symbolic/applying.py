"""Functions, truths and numbers that depend on a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla import lazily
from specmodel.tla.symbolic.comparing import MOST_LISTED, ValueComparing
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    AnyFunction,
    CasesOf,
    ChoiceOf,
    FunctionOf,
    FunctionRule,
    KnownValue,
    NumberOf,
    PairsOf,
    StateValue,
    TruthOf,
    members_of,
    parts_of_pair,
)
from specmodel.tla.values import (
    FALSE,
    TRUE,
    Boolean,
    EvaluationError,
    ModelValue,
    Value,
    function_of,
    settled,
    text_of,
)


class ValueFunctions(ValueComparing):
    """Application and domains of functions, and the nodes of truths and numbers."""

    def apply(self, function: StateValue, argument: StateValue, span: Span | None) -> StateValue:
        """The value of a function for an argument; fails outside of its domain."""
        if isinstance(function, KnownValue) and isinstance(argument, KnownValue):
            try:
                found = lazily.at(function.value, settled(argument.value))
            except EvaluationError as wrong:
                self.path.refuse(wrong, span)
                return NOTHING
            if found is None:
                self._outside(self.graph.true, argument, span)
                return NOTHING
            return KnownValue(found)
        if isinstance(function, FunctionRule):
            part = function.at(argument)
            if part is None:
                self._outside(self.graph.true, argument, span)
                return NOTHING
            return part
        if isinstance(function, KnownValue) and isinstance(function.value, lazily.DeferredFunction):
            return self._on_candidates(function, argument, span)
        return self.by_kinds(function, lambda held: self._applied(held, argument, span))

    def _on_candidates(
        self, function: KnownValue, argument: StateValue, span: Span | None
    ) -> StateValue:
        """A known function that is not computed, at each value that an argument may have."""
        g, arms = self.graph, list[tuple[Node, StateValue]]()
        for here, value in self.candidates(argument, span):
            if self.path.possible(here):
                with self.path.assuming(here):
                    arms.append((here, self.apply(function, KnownValue(value), span)))
        self._outside(g.negate(g.either(*(here for here, _ in arms))), argument, span)
        return self.merged(arms)

    def candidates(self, value: StateValue, span: Span | None) -> list[tuple[Node, Value]]:
        """The known values that a value may be, with their conditions. Raises NotCompiled."""
        g, held = self.graph, self.open(value)
        if isinstance(value, KnownValue):
            return [(g.true, settled(value.value))]
        if isinstance(held, NumberOf) and held.node.high - held.node.low < MOST_LISTED:
            numbers = range(held.node.low, held.node.high + 1)
            return [(g.eq(held.node, g.int(n)), n) for n in numbers]
        if isinstance(held, ChoiceOf):
            return [(g.eq(held.node, g.int(i)), v) for i, v in enumerate(held.options)]
        if isinstance(held, TruthOf):
            return [(held.node, TRUE), (g.negate(held.node), FALSE)]
        if isinstance(held, CasesOf):
            return [
                (g.both(condition, here), known)
                for condition, arm in held.arms
                for here, known in self.candidates(arm, span)
            ]
        if isinstance(held, FunctionOf) and held.present is None:
            found: list[tuple[Node, dict[Value, Value]]] = [(g.true, {})]
            for key, part in zip(held.keys, held.parts, strict=True):
                options = self.candidates(part, span)
                if len(options) * len(found) > MOST_LISTED:
                    break
                found = [
                    (g.both(there, here), {**pairs, key: known})
                    for there, pairs in found
                    for here, known in options
                ]
            else:
                return [(there, function_of(pairs)) for there, pairs in found]
        raise NotCompiled("a value has too many candidates here", span)

    def _outside(self, condition: Node, argument: StateValue, span: Span | None) -> None:
        if self.path.possible(condition):
            known = isinstance(argument, KnownValue)
            shown = text_of(argument.value, 60) if known else "the argument"
            self.path.fail(condition, f"{shown} is not in the function's domain", span)

    def _applied(self, function: StateValue, argument: StateValue, span: Span | None) -> StateValue:
        g = self.graph
        if not isinstance(function, AnyFunction):
            self.path.fail(g.true, "a value that is no function is applied", span)
            return NOTHING
        if isinstance(argument, KnownValue) and not isinstance(function, PairsOf):
            known, key = self.as_function(function), settled(argument.value)
            found = known.part(key)
            if found is None:
                self._outside(g.true, argument, span)
                return NOTHING
            self._outside(g.negate(self.has_key(known, key)), argument, span)
            return found
        if isinstance(function, PairsOf) and (pair := self.pair_at(function, argument)):
            there, part = pair
            self._outside(g.negate(there), argument, span)
            return part
        arms: list[tuple[Node, StateValue]] = []
        for there, key, part in self.entries(function):
            if key is argument and not self.path.possible(g.negate(there)):
                return part
            with self.path.assuming(there):
                here = g.both(there, self.equal(argument, key, span))
            if self.path.possible(here):
                arms.append((here, part))
        self._outside(g.negate(g.either(*(here for here, _ in arms))), argument, span)
        return self.merged(arms)

    def pair_at(self, function: PairsOf, argument: StateValue) -> tuple[Node, StateValue] | None:
        """The value for an argument that was taken by its slot, and whether it is one."""
        pairs = function.pairs.by_slot
        slot = self.slot_in(argument, function.arguments().by_slot) if pairs else None
        if pairs is None or slot is None:
            return None
        there, pair = pairs.at(slot)
        return there, parts_of_pair(pair)[1]

    def domain(self, function: StateValue, span: Span | None) -> StateValue:
        """The domain of a function."""
        if isinstance(function, KnownValue):
            try:
                return KnownValue(lazily.domain_of(function.value))
            except EvaluationError as wrong:
                self.path.refuse(wrong, span)
                return NOTHING

        def make(held: StateValue) -> StateValue:
            if isinstance(held, PairsOf):
                return held.arguments()
            if not isinstance(held, AnyFunction):
                self.path.fail(self.graph.true, "DOMAIN of a value that is no function", span)
                return NOTHING
            return members_of([(there, key) for there, key, _ in self.entries(held)], True)

        return self.by_kinds(function, make)

    def truth(self, value: StateValue, span: Span | None) -> Node:
        """The node of a truth value; fails for any other."""

        def of(held: StateValue) -> Node:
            if isinstance(held, TruthOf):
                return held.node
            if isinstance(held, ChoiceOf) and any(isinstance(v, Boolean) for v in held.options):
                held = self.split(held)
                return self.on_kinds(held, of)
            self.path.fail(self.graph.true, "a value is neither TRUE nor FALSE", span)
            return self.graph.false

        return self.on_kinds(value, of)

    def split(self, value: ChoiceOf) -> StateValue:
        """A choice, by the kinds of its options."""
        g = self.graph
        held: list[tuple[int, Any]] = list(enumerate(value.options))
        numbers: list[tuple[int, int]] = [(i, v) for i, v in held if v.__class__ is int]
        truths = [(i, v) for i, v in held if isinstance(v, Boolean)]
        arms: list[tuple[Node, StateValue]] = []
        if numbers:
            node = g.int(numbers[-1][1])
            for i, v in reversed(numbers[:-1]):
                node = g.select(g.eq(value.node, g.int(i)), g.int(v), node)
            arms.append((self._one_of(value, numbers), NumberOf(node)))
        if truths:
            true = [g.eq(value.node, g.int(i)) for i, v in truths if v is TRUE]
            arms.append((self._one_of(value, truths), TruthOf(g.either(*true))))
        others = [i for i, v in enumerate(value.options) if isinstance(v, str | ModelValue)]
        if not arms:
            return value
        if others:
            there = self._one_of(value, [(i, None) for i in others])
            node = g.int(len(others) - 1)
            for place, i in reversed(list(enumerate(others[:-1]))):
                node = g.select(g.eq(value.node, g.int(i)), g.int(place), node)
            arms.append((there, ChoiceOf(tuple(value.options[i] for i in others), node)))
        return arms[0][1] if len(arms) == 1 else CasesOf(tuple(arms))

    def _one_of(self, value: ChoiceOf, options: Sequence[tuple[int, Any]]) -> Node:
        g = self.graph
        return g.either(*(g.eq(value.node, g.int(i)) for i, _ in options))

    def number(self, value: StateValue, span: Span | None) -> Node:
        """The node of an integer; fails for any other value."""
        g = self.graph
        value = self.open(value)
        if isinstance(value, NumberOf):
            return value.node
        if isinstance(value, ChoiceOf):
            value = self.split(value)
            if isinstance(value, NumberOf):
                return value.node
        if isinstance(value, CasesOf):
            found = list[tuple[Node, Node]]()
            for condition, arm in value.arms:
                if self.path.possible(condition):
                    with self.path.assuming(condition):
                        found.append((condition, self.number(arm, span)))
            if not found:
                return g.int(0)
            node = found[-1][1]
            for condition, other in reversed(found[:-1]):
                node = g.select(condition, other, node)
            return node
        self.path.fail(g.true, "a value is no integer", span)
        return g.int(0)
