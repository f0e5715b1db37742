"""SYMMETRY in compiled code: of the states that permutations make of each other, the least.

The least state of an orbit is the one whose leaves come first, so the same state is found on known
and on unknown states.
"""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    FunctionOf,
    KnownValue,
    MembersOf,
    PairsOf,
    SequenceOf,
    StateValue,
)
from specmodel.tla.symmetry import Permutation, permuted
from specmodel.tla.values import Value, order_key, settled

MOST_COMPILED = 750
"""The most permutations that are compiled: each has a function."""


def renamed(algebra: ValueAlgebra, value: StateValue, permutation: Permutation) -> StateValue:
    """A value with other names of model values."""

    def of(known: Value) -> Value:
        return permuted(known, permutation, {})

    if isinstance(value, KnownValue):
        return KnownValue(of(settled(value.value)))
    held = algebra.open(value)
    if isinstance(held, ChoiceOf):
        return ChoiceOf(tuple(map(of, held.options)), held.node)
    if isinstance(held, SequenceOf):
        return SequenceOf(
            held.length, tuple(renamed(algebra, item, permutation) for item in held.items)
        )
    if isinstance(held, FunctionOf):
        present = held.present or (None,) * len(held.keys)
        entries = [
            (of(key), renamed(algebra, part, permutation), there)
            for key, part, there in zip(held.keys, held.parts, present, strict=True)
        ]
        entries.sort(key=lambda entry: order_key(entry[0]))
        there = tuple(entry[2] for entry in entries if entry[2] is not None)
        return FunctionOf(
            tuple(entry[0] for entry in entries),
            tuple(entry[1] for entry in entries),
            there if held.present is not None else None,
        )
    if isinstance(held, PairsOf):
        pairs = ((c, renamed(algebra, pair, permutation)) for c, pair in held.pairs.members)
        return PairsOf(MembersOf(tuple(pairs), True))
    if isinstance(held, MembersOf):
        members = ((c, renamed(algebra, m, permutation)) for c, m in held.members)
        return MembersOf(tuple(members), held.distinct)
    if isinstance(held, CasesOf):
        return CasesOf(tuple((c, renamed(algebra, arm, permutation)) for c, arm in held.arms))
    return held  # a number or a truth


def permutations_of(symmetry: Sequence[Permutation]) -> list[Permutation]:
    """The permutations in one order. Raises NotCompiled for too many."""
    if len(symmetry) > MOST_COMPILED:
        raise NotCompiled(f"SYMMETRY with more than {MOST_COMPILED} permutations is not compiled")
    return sorted(symmetry, key=lambda one: sorted((a.order, str(b)) for a, b in one.items()))
