"""Values of TLA+ that depend on a state: what is known of them, and nodes for the rest.

Every part of a value whose kind and keys are known is a Python object; only truths, numbers and
choices among known values are nodes. The functions that make values return a `KnownValue` where no
part depends on the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.values import SymbolicSeq
from specmodel.tla.values import (
    FALSE,
    TRUE,
    Boolean,
    Deferred,
    EvaluationError,
    FunctionValue,
    ModelValue,
    Value,
    function_of,
    ordered,
    pairs_of,
    settled,
)


class StateValue:
    """A value of TLA+ that may depend on the state."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class KnownValue(StateValue):
    """A value that does not depend on the state."""

    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class TruthOf(StateValue):
    """TRUE where the node is true, else FALSE."""

    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class NumberOf(StateValue):
    """An integer."""

    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceOf(StateValue):
    """One of some known values without parts: the node is its place among `options`."""

    options: tuple[Value, ...]
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class FunctionOf(StateValue):
    """A function whose arguments are among `keys`, in the order of TLA+'s values.

    `present` says which of them are arguments; None: all.
    """

    keys: tuple[Value, ...]
    parts: tuple[StateValue, ...]
    present: tuple[Node, ...] | None = None

    def part(self, key: Value) -> StateValue | None:
        """The value for an argument."""
        return self.parts[self.keys.index(key)] if key in self.keys else None


@dataclass(frozen=True, slots=True, eq=False)
class SequenceOf(StateValue):
    """The first `length` of some items."""

    length: Node
    items: tuple[StateValue, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BySlot:
    """The members of a set that lie in slots of the state, and a member by its slot's number.

    `at` gives the member with the condition that it is one. No two members are equal.
    """

    members: tuple[StateValue, ...]
    at: Callable[[Node], tuple[Node, StateValue]]


Slots = Callable[[], tuple[Any, Node, SymbolicSeq] | None]
"""The slots of a set: their stored type, the condition that all members fit, and the slots."""


@dataclass(frozen=True, slots=True, eq=False)
class MembersOf(StateValue):
    """A set: possible members, each with the condition that it is one.

    If it is `distinct`, no two that are members are equal. `slots` gives the same set as sorted
    slots, if it was made of a set that the state has so. If it is `parallel`, the set is the
    state's own: each member is what the slot at its place has.
    """

    members: tuple[tuple[Node, StateValue], ...]
    distinct: bool
    slots: Slots | None = field(default=None)
    parallel: bool = field(default=False)
    arguments_of: PairsOf | None = field(default=None)
    """The function whose arguments the members are, pair by pair."""
    by_slot: BySlot | None = field(default=None)


@dataclass(frozen=True, slots=True, eq=False)
class PairsOf(StateValue):
    """A function whose arguments depend on the state: the set of its pairs <<argument, value>>.

    No two that are members have equal arguments.
    """

    pairs: MembersOf

    def entries(self) -> list[tuple[Node, StateValue, StateValue]]:
        """Each argument with its condition and its value."""
        return [(there, *parts_of_pair(pair)) for there, pair in self.pairs.members]

    def arguments(self) -> MembersOf:
        """The domain."""
        members = tuple((there, key) for there, key, _ in self.entries())
        pairs = self.pairs.by_slot
        if pairs is None:
            return MembersOf(members, True, arguments_of=self)

        def at(slot: Node) -> tuple[Node, StateValue]:
            there, pair = pairs.at(slot)
            return there, parts_of_pair(pair)[0]

        keys = tuple(parts_of_pair(pair)[0] for pair in pairs.members)
        return MembersOf(members, True, arguments_of=self, by_slot=BySlot(keys, at))


AnyFunction = FunctionOf | SequenceOf | PairsOf


@dataclass(frozen=True, slots=True, eq=False)
class CasesOf(StateValue):
    """One of several values of different kinds; exactly one of the conditions is true."""

    arms: tuple[tuple[Node, StateValue], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet(StateValue):
    """A set that is given by a test of membership; `members` lists its possible members."""

    has: Callable[[StateValue], Node]
    members: Callable[[], StateValue]


@dataclass(frozen=True, slots=True, eq=False)
class FunctionRule(StateValue):
    """A function whose values are computed when they are used.

    `at` gives the value for an argument, None outside of the domain; `whole` all of them.
    """

    at: Callable[[StateValue], StateValue | None]
    whole: Callable[[], StateValue]


TRUE_VALUE, FALSE_VALUE = KnownValue(TRUE), KnownValue(FALSE)


def truth_of(node: Node) -> StateValue:
    """The truth value of a node."""
    if node.constant:
        return TRUE_VALUE if node.value else FALSE_VALUE
    return TruthOf(node)


def number_of(node: Node) -> StateValue:
    """The integer of a node."""
    return KnownValue(node.value) if node.constant else NumberOf(node)


def choice_of(options: Sequence[Value], node: Node) -> StateValue:
    """The option at the place that a node has."""
    if node.constant:
        return KnownValue(options[node.value])
    return ChoiceOf(tuple(options), node)


def function_with(
    keys: Sequence[Value],
    parts: Sequence[StateValue],
    present: Sequence[Node] | None = None,
) -> StateValue:
    """The function with values for keys, which have TLA+'s order."""
    if present is not None:
        kept = [
            (k, p, there)
            for k, p, there in zip(keys, parts, present, strict=True)
            if not (there.constant and not there.value)
        ]
        keys, parts = [k for k, _, _ in kept], [p for _, p, _ in kept]
        present = [there for _, _, there in kept]
        if all(there.constant for there in present):
            present = None
    if present is None and all(isinstance(part, KnownValue) for part in parts):
        held = [part.value for part in parts if isinstance(part, KnownValue)]
        if not any(isinstance(value, Deferred) for value in held):
            return KnownValue(function_of(dict(zip(keys, held, strict=True))))
    return FunctionOf(tuple(keys), tuple(parts), None if present is None else tuple(present))


def sequence_of(length: Node, items: Sequence[StateValue]) -> StateValue:
    """The first `length` of some items."""
    if length.constant:
        size = length.value
        return function_with(range(1, size + 1), items[:size])
    return SequenceOf(length, tuple(items[: length.high]))


def members_of(
    members: Iterable[tuple[Node, StateValue]],
    distinct: bool,
    slots: Slots | None = None,
    arguments_of: PairsOf | None = None,
    by_slot: BySlot | None = None,
) -> StateValue:
    """The set of the members whose conditions hold."""
    kept = [(c, m) for c, m in members if not (c.constant and not c.value)]
    if all(c.constant and isinstance(m, KnownValue) for c, m in kept):
        known = [m.value for _, m in kept if isinstance(m, KnownValue)]
        with suppress(EvaluationError):  # a member without an end
            return KnownValue(frozenset(map(settled, known)))
    distinct = distinct or len(kept) < 2
    return MembersOf(tuple(kept), distinct, slots, arguments_of=arguments_of, by_slot=by_slot)


def parts_of_pair(pair: StateValue) -> tuple[StateValue, StateValue]:
    """The argument and the value of a pair."""
    if isinstance(pair, FunctionOf):
        return pair.parts[0], pair.parts[1]
    assert isinstance(pair, KnownValue)
    known: Any = pair.value
    return KnownValue(known[0]), KnownValue(known[1])


def pairs_with(pairs: Iterable[tuple[Node, StateValue]], slots: Slots | None = None) -> StateValue:
    """The function with the pairs whose conditions hold; no two have equal arguments then."""
    made = members_of(pairs, True, slots)
    if isinstance(made, KnownValue):
        known: Any = made.value
        return KnownValue(function_of(dict(known)))
    assert isinstance(made, MembersOf)
    return PairsOf(made)


def pair_of(argument: StateValue, value: StateValue) -> StateValue:
    """A pair of a function."""
    return function_with((1, 2), (argument, value))


def opened(value: StateValue, graph: Graph) -> StateValue:
    """A known value with its parts as values of their own, for operations on parts."""
    if not isinstance(value, KnownValue):
        return value
    held = value.value
    if held.__class__ is int:
        return NumberOf(graph.int(held))
    if isinstance(held, Boolean):
        return TruthOf(graph.true if held is TRUE else graph.false)
    if isinstance(held, str | ModelValue):
        return ChoiceOf((held,), graph.int(0))
    if isinstance(held, tuple | FunctionValue):
        pairs: dict[Value, Value] = pairs_of(held)
        keys = ordered(frozenset(pairs))
        return FunctionOf(keys, tuple(KnownValue(pairs[key]) for key in keys))
    if held.__class__ is frozenset:
        return MembersOf(tuple((graph.true, KnownValue(m)) for m in ordered(held)), True)
    return value


def is_sequence(value: StateValue) -> bool:
    """Whether a value is a sequence, or a function with the domain 1..n."""
    if isinstance(value, SequenceOf):
        return True
    if isinstance(value, KnownValue):
        return isinstance(value.value, tuple)
    return (
        isinstance(value, FunctionOf)
        and value.present is None
        and value.keys == tuple(range(1, len(value.keys) + 1))
    )
