"""Sets that depend on a state, as their possible members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.graph import Node
from specmodel.tla import lazily
from specmodel.tla.symbolic.applying import ValueFunctions
from specmodel.tla.symbolic.merging import FoundSlots, once
from specmodel.tla.symbolic.operations import NOTHING
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    KnownValue,
    MembersOf,
    RuleSet,
    StateValue,
    members_of,
)
from specmodel.tla.values import (
    EvaluationError,
    Value,
    order_key,
    ordered,
    settled,
)


class ValueSets(ValueFunctions):
    """Filters and unions of sets."""

    def filtered(
        self, held: StateValue, test: Callable[[StateValue], Node], lazily_too: bool = True
    ) -> StateValue:
        """The members of a set that pass a test."""

        def make(arm: StateValue) -> StateValue:
            if isinstance(arm, RuleSet) and lazily_too:
                rule = arm

                def has(x: StateValue) -> Node:
                    inside = rule.has(x)
                    with self.path.assuming(inside):
                        return self.graph.both(inside, test(x))

                return RuleSet(
                    has,
                    lambda: self.filtered(rule.members(), test),
                )
            source = arm if isinstance(arm, MembersOf) else self.as_members(arm)
            kept: list[tuple[Node, StateValue]] = []
            for there, value in source.members:
                if not self.path.possible(there):
                    continue
                with self.path.assuming(there):
                    kept.append((self.graph.both(there, test(value)), value))
            made = None
            if source.parallel:
                made = once(lambda: self._kept_slots(source, kept))
            return members_of(kept, source.distinct, made)

        return self.by_kinds(held, make)

    def _kept_slots(
        self, source: MembersOf, kept: Sequence[tuple[Node, StateValue]]
    ) -> FoundSlots | None:
        """The slots of a stored set without some of its members."""
        found = source.slots() if source.slots is not None else None
        if found is None or len(source.members) != len(found[2].parts):
            return None
        g, (stored, fits, held) = self.graph, found
        stays = {id(member): there for there, member in kept}
        conditions = [stays.get(id(member), g.false) for _, member in source.members]
        gone = [i for i, c in enumerate(conditions) if c is g.false]
        if len(gone) == 1 and all(
            c is there for c, (there, _) in zip(conditions, source.members, strict=True)
            if c is not g.false
        ):  # fmt: skip
            here = [g.true if i == gone[0] else g.false for i in range(len(conditions))]
            return stored, fits, slots.removed(self.domains, held, here)
        return stored, fits, slots.kept(self.domains, held, conditions)

    def union(self, a: StateValue, b: StateValue) -> StateValue:
        """The union of two sets."""
        if isinstance(self.open(a), RuleSet) or isinstance(self.open(b), RuleSet):
            g = self.graph

            def has(x: StateValue) -> Node:
                one = self.member(x, a, None)
                with self.path.assuming(g.negate(one)):
                    return g.either(one, self.member(x, b, None))

            return RuleSet(
                has,
                lambda: self._joined(self.as_members(a), self.as_members(b)),
            )
        return self.by_kinds(
            a, lambda one: self.by_kinds(b, lambda other: self._joined(one, other))
        )

    def _joined(self, a: StateValue, b: StateValue) -> StateValue:
        g = self.graph
        if not isinstance(a, MembersOf) or not isinstance(b, MembersOf):
            self.path.fail(g.true, "the union of a value that is no set", None)
            return NOTHING
        found: dict[Any, list[Any]] = {}
        for held in (a, b):
            for there, value in held.members:
                key = ("known", value.value) if isinstance(value, KnownValue) else id(value)
                entry = found.setdefault(key, [g.false, value])
                entry[0] = g.either(entry[0], there)
        known = [entry[1].value for entry in found.values() if isinstance(entry[1], KnownValue)]
        distinct = len(known) == len(found) or (
            a.distinct and b.distinct and (not a.members or not b.members)
        )
        if len(known) > 1:
            try:
                ordered(frozenset(known))
            except EvaluationError as wrong:
                raise NotCompiled(f"a set of values of different kinds: {wrong.message}") from None
        return members_of(
            [(there, value) for there, value in found.values()],
            distinct,
            once(lambda: self._joined_slots(a, b)) if a.slots or b.slots else None,
        )

    def _joined_slots(self, a: MembersOf, b: MembersOf) -> FoundSlots | None:
        """The slots of the union of two sets."""
        if a.slots is None:
            a, b = b, a
        found = a.slots() if a.slots is not None else None
        return found and self.with_members(*found, b.members)

    def known_members(self, held: StateValue) -> tuple[Value, ...]:
        """The members of a set that does not depend on the state."""
        value = self.constant(held)
        return ordered(lazily.finite(value))

    def constant(self, held: StateValue) -> Value:
        """A value that does not depend on the state. Raises NotCompiled."""
        if isinstance(held, KnownValue):
            return settled(held.value)
        opened_value = self.open(held)
        if isinstance(opened_value, RuleSet):
            return self.constant(opened_value.members())
        raise NotCompiled("a domain of a set of functions depends on the state")


def least_first(members: Iterable[tuple[Node, StateValue]]) -> list[tuple[Node, StateValue]]:
    """Known members in TLA+'s order. Raises NotCompiled for others."""
    found = list(members)
    if len(found) > 1 and not all(isinstance(m, KnownValue) for _, m in found):
        raise NotCompiled("a CHOOSE among values that depend on the state")
    return sorted(found, key=_place)


def _place(member: tuple[Node, StateValue]) -> tuple[Any, ...]:
    _, value = member
    return order_key(settled(value.value)) if isinstance(value, KnownValue) else ()
