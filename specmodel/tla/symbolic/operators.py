"""Operators on values that depend on a state: built-in ones, and those of the standard modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.lazily import STRING
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.values import (
    FALSE_VALUE,
    TRUE_VALUE,
    AnyFunction,
    CasesOf,
    ChoiceOf,
    FunctionOf,
    KnownValue,
    MembersOf,
    PairsOf,
    SequenceOf,
    StateValue,
    function_with,
    number_of,
    sequence_of,
    truth_of,
)
from specmodel.tla.values import FALSE, GREATEST, LEAST, TRUE

Given = Sequence[StateValue]


class SymbolicOperators(ValueAlgebra):
    """The common part of operators on values."""

    def fitting(self, node: Node, span: Span | None) -> StateValue:
        """An integer; fails beyond TLC's 32 bits.

        A result beyond is replaced by some integer of 32 bits, which no step uses. So intervals do
        not grow from operation to operation.
        """
        g = self.graph
        if node.low < LEAST or node.high > GREATEST:
            beyond = g.either(g.lt(node, g.int(LEAST)), g.lt(g.int(GREATEST), node))
            self.path.fail(beyond, "a number has more than 32 bits", span)
            first = 0 if node.low >= 0 else LEAST
            within = g.mod(g.add(node, g.int(-first)), g.int(GREATEST - first + 1))
            node = g.add(within, g.int(first))
        return number_of(node)

    # Functions

    def updated(
        self,
        held: StateValue,
        keys: Sequence[StateValue],
        new: Callable[[StateValue], StateValue],
        span: Span | None,
    ) -> StateValue:
        """A function with another value at a path; a missing argument is left out."""
        if not keys:
            return new(held)
        return self.by_kinds(held, lambda arm: self._updated(arm, keys, new, span))

    def _updated(
        self,
        held: StateValue,
        keys: Sequence[StateValue],
        new: Callable[[StateValue], StateValue],
        span: Span | None,
    ) -> StateValue:
        g, (wanted, *rest) = self.graph, keys
        if not isinstance(held, AnyFunction):
            self.path.fail(g.true, "EXCEPT of a value that is no function", span)
            return NOTHING
        made, values = list[StateValue](), list[tuple[Node, StateValue]]()
        if isinstance(held, PairsOf) and (pair := self.pair_at(held, wanted)):
            there, old = pair
            with self.path.assuming(there):
                value = self.updated(old, rest, new, span)
            for _, key, old in held.entries():
                here = g.both(there, self.equal(wanted, key, span))
                made.append(self.select(here, value, old))
            return self.with_parts(held, made, wanted, lambda: value)
        for there, key, old in self.entries(held):
            with self.path.assuming(there):
                here = g.both(there, self.equal(wanted, key, span))
            if not self.path.possible(here):
                made.append(old)
                continue
            with self.path.assuming(here):
                values.append((here, self.updated(old, rest, new, span)))
            made.append(self.select(here, values[-1][1], old))
        if isinstance(held, SequenceOf):
            return sequence_of(held.length, made)
        if isinstance(held, FunctionOf):
            return function_with(held.keys, made, held.present)
        return self.with_parts(held, made, wanted, lambda: self.merged(values))

    def of_sequence(self, value: StateValue, span: Span | None) -> SequenceOf:
        """A sequence; fails for any other value."""
        g, held = self.graph, self.open(value)
        arms = held.arms if isinstance(held, CasesOf) else ((g.true, held),)
        found: list[tuple[Node, StateValue]] = []
        for condition, arm in arms:
            if not self.path.possible(condition):
                continue
            arm, fits = self.open(arm), g.false
            if isinstance(arm, ChoiceOf) and any(isinstance(v, str) for v in arm.options):
                raise NotCompiled("a string as a sequence is not compiled", span)
            with self.path.assuming(condition):
                if isinstance(arm, AnyFunction):
                    fits, arm = self.sequence_form(arm)
                self.path.fail(g.negate(fits), "a value is no sequence", span)
            if fits is not g.false:
                found.append((condition, arm))
        if not found:
            return SequenceOf(g.int(0), ())
        return self.as_sequence(self.merged(found))


def _equals(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.equal(given[0], given[1], span))


def _differs(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.graph.negate(algebra.equal(given[0], given[1], span)))


def _in(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.member(given[0], given[1], span))


def _not_in(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.graph.negate(algebra.member(given[0], given[1], span)))


def _subset(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return truth_of(algebra.subset(given[0], given[1], span))


def _union(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.union(given[0], given[1])


def _common(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    return algebra.filtered(given[0], lambda x: algebra.member(x, given[1], span))


def _difference(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    g, (held, taken) = algebra.graph, map(algebra.open, given)
    one = taken.members[0] if isinstance(taken, MembersOf) and len(taken.members) == 1 else None
    own = algebra.own_members(held, taken)
    if own is not None:
        return algebra.filtered(held, lambda x: g.negate(own.get(id(x), g.false)), one)
    return algebra.filtered(held, lambda x: g.negate(algebra.member(x, taken, span)), one)


def _equivalent(algebra: SymbolicOperators, given: Given, span: Span | None) -> StateValue:
    a, b = (algebra.truth(value, span) for value in given)
    return truth_of(algebra.graph.eq(a, b))


BUILT_IN_OPERATORS: dict[str, Callable[[Any, Any, Span | None], StateValue]] = {
    "=": _equals,
    "#": _differs,
    "\\in": _in,
    "\\notin": _not_in,
    "\\subseteq": _subset,
    "\\cup": _union,
    "\\cap": _common,
    "\\": _difference,
    "\\equiv": _equivalent,
    "SUBSET": lambda algebra, given, span: algebra.powerset(given[0]),
    "DOMAIN": lambda algebra, given, span: algebra.domain(given[0], span),
    "TRUE": lambda algebra, given, span: TRUE_VALUE,
    "FALSE": lambda algebra, given, span: FALSE_VALUE,
    "BOOLEAN": lambda algebra, given, span: KnownValue(frozenset([TRUE, FALSE])),
    "STRING": lambda algebra, given, span: KnownValue(STRING),
}
"""The built-in operators whose arguments are all evaluated."""
