"""Ample sets: in which states some of the enabled steps are enough to find what is looked for.

Steps that do not touch each other lead to the same state in any order, and a search for a state may
leave all orders but one out. A set of bindings is ample in a state if (Peled; Valmari)

- one of them is enabled there, so that the search goes on;
- no binding outside of the set that touches what one in it does can happen before one in it: each
  has a guard that is false, and that only bindings of the set could make true;
- none of those enabled changes what a property looks at, or where the spec fails;
- those enabled cannot go round in circles, for ever putting off the others: each of them makes some
  part of the state grow that none of their kind makes shrink.

All of this but the first is decided once, from what bindings read and write; what is left is a
condition on the state for each set, which the kernel evaluates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from specmodel.dataclass import dataclass
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.reading import NodeValues
from specmodel.kernel.program import BoundAction, Program

MOST_SETS = 16
"""Every set costs the kernel a condition on each state."""

MOST_VALUES = 1 << 12
"""The greatest number of values of a part of the state that are compared one by one."""

Parts = dict[int, int]
"""Bits of leaves, by the leaf's number."""


@dataclass(frozen=True)
class Ample:
    """Bindings, by their numbers, that are an ample set in states where a condition holds."""

    bindings: frozenset[int]
    condition: Node


def ample_sets(program: Program, moves: Sequence[BoundAction]) -> list[Ample]:
    """The useful ample sets, smaller ones first; none if every state needs all of its steps.

    Only for programs without transition properties and constraints.
    """
    table = _BindingTable(program, moves)
    found: dict[frozenset[int], Ample] = {}
    for start in table.deferring:
        members = table.closed(start)
        if len(members) < len(moves) and members not in found:
            condition = table.condition(members)
            if condition is not program.graph.false:
                numbers = frozenset(moves[i].number for i in members)
                found[members] = Ample(numbers, condition)
    ordered = sorted(found.values(), key=lambda a: (len(a.bindings), sorted(a.bindings)))
    return ordered[:MOST_SETS]


def fewer_moves(program: Program, moves: Sequence[BoundAction]) -> tuple[list[BoundAction], Node]:
    """Moves that are enabled only where they are needed, and the states in which some are left out.

    In a state, the first ample set counts; without one, all moves are needed.
    """
    g = program.graph
    first: list[tuple[Ample, Node]] = []
    before: list[Node] = []
    for ample in ample_sets(program, moves):
        first.append((ample, g.both(ample.condition, *(g.negate(c) for c in before))))
        before.append(ample.condition)
    some = g.either(*before)
    restricted: list[BoundAction] = []
    for move in moves:
        mine = (here for ample, here in first if move.number in ample.bindings)
        restricted.append(replace(move, guard=g.both(move.guard, g.either(g.negate(some), *mine))))
    return restricted, some


def touched(node: Node) -> Parts:
    """The bits of leaves that a node depends on."""
    found: Parts = {}
    seen: set[int] = set()
    pending = [node]
    while pending:
        top = pending.pop()
        if top.id in seen:
            continue
        seen.add(top.id)
        if top.op == "leaf":
            _add(found, {top.value: _bits(top)})
        elif top.op == "band" and top.args[0].op == "leaf" and top.args[1].constant:
            _add(found, {top.args[0].value: _bits(top.args[0]) & top.args[1].value})
        else:
            pending.extend(top.args)
    return found


def changed(leaf: Node, after: Node) -> tuple[Parts, Parts]:
    """The bits of a leaf that change if it becomes a node, and the bits on which these depend."""
    full = _bits(leaf)
    if len(after.args) == 2 and after.args[0] is leaf and after.args[1].constant:
        bits = after.args[1].value
        if after.op in ("bor", "bxor"):
            return {leaf.value: bits & full}, {}
        if after.op == "band":
            return {leaf.value: full & ~bits}, {}
    return {leaf.value: full}, touched(after)


def _bits(leaf: Node) -> int:
    return (1 << leaf.high.bit_length()) - 1


def _add(parts: Parts, more: Parts) -> None:
    for leaf, bits in more.items():
        parts[leaf] = parts.get(leaf, 0) | bits


def _meet(a: Parts, b: Parts) -> bool:
    return any(bits & b.get(leaf, 0) for leaf, bits in a.items())


@dataclass(frozen=True)
class _Shape:
    """The reads and writes of a binding, and its guard as a conjunction."""

    move: BoundAction
    reads: Parts
    writes: Parts
    conjuncts: tuple[Node, ...]

    def touches(self, other: _Shape) -> bool:
        """Whether the two might not commute, or one might enable or disable the other."""
        return (
            _meet(self.writes, other.writes)
            or _meet(self.writes, other.reads)
            or _meet(self.reads, other.writes)
        )


class _BindingTable:
    """The bindings of a program, which of them touch each other, and the writers of each part."""

    def __init__(self, program: Program, moves: Sequence[BoundAction]) -> None:
        self.graph: Graph = program.graph
        self.leaves = program.leaves
        self.shapes = [self._shape(move) for move in moves]
        self.watched = self._watched(program)
        count = range(len(moves))
        self.touching = [
            [u for u in count if u != t and self.shapes[t].touches(self.shapes[u])] for t in count
        ]

    def _shape(self, move: BoundAction) -> _Shape:
        reads, writes = touched(move.guard), Parts()
        for failure in (move.early_failure, move.late_failure):
            _add(reads, touched(failure))
        for leaf, after in zip(self.leaves, move.after, strict=True):
            if after is not leaf:
                written, read = changed(leaf, after)
                _add(writes, written)
                _add(reads, read)
        guard = move.guard
        conjuncts = guard.args if guard.op == "and" else (guard,)
        return _Shape(move, reads, writes, conjuncts)

    def _watched(self, program: Program) -> Parts:
        """The bits that decide whether a property holds, or where something fails."""
        found: Parts = {}
        for role in ("invariant", "reachable"):
            for _, judgement in program.judged(role):
                _add(found, touched(judgement.node))
                for failure in judgement.failures:
                    _add(found, touched(failure.node))
        for shape in self.shapes:
            move = shape.move
            _add(found, touched(move.early_failure))
            if move.late_failure is not self.graph.false:
                _add(found, touched(self.graph.both(move.guard, move.late_failure)))
        return found

    # Progress

    @cached_property
    def deferring(self) -> list[int]:
        """Bindings that may be done before others: they change nothing that is watched, and cannot
        cycle.

        Each of them moves some leaf in a direction that none of them reverses.
        """
        kept = [t for t, s in enumerate(self.shapes) if not _meet(s.writes, self.watched)]
        while True:
            ways: dict[int, set[int]] = defaultdict(lambda: {1, -1})
            for t in kept:
                for leaf in self.shapes[t].writes:
                    ways[leaf] &= self.directions[t][leaf][0]
            rest = [
                t
                for t in kept
                if any(ways[leaf] & self.directions[t][leaf][1] for leaf in self.shapes[t].writes)
            ]
            if rest == kept:
                return kept
            kept = rest

    @cached_property
    def directions(self) -> list[dict[int, tuple[set[int], set[int]]]]:
        """For each binding and leaf it writes: the possible directions, and the certain ones."""
        return [{leaf: self._moved(s, leaf) for leaf in s.writes} for s in self.shapes]

    def _moved(self, shape: _Shape, number: int) -> tuple[set[int], set[int]]:
        """1: it never falls (and always rises); -1: it never rises (and always falls)."""
        leaf, after = self.leaves[number], shape.move.after[number]
        alone = [c for c in shape.conjuncts if set(touched(c)) == {number}]
        if set(touched(after)) <= {number} and leaf.high < MOST_VALUES:
            differences: set[int] = set()
            for value in range(leaf.high + 1):
                reading = NodeValues(_Alone(number, value))
                if all(reading(c) for c in alone):
                    difference = reading(after) - value
                    differences.add((difference > 0) - (difference < 0))
            at_most = {way for way in (1, -1) if -way not in differences}
            return at_most, {way for way in at_most if 0 not in differences}
        if after.args and after.args[0] is leaf and after.op in ("bor", "band"):
            return ({1} if after.op == "bor" else {-1}), set()
        return set(), set()

    # Sets

    def closed(self, start: int) -> frozenset[int]:
        """The least set with a binding such that what touches it from outside can be held back."""
        members = {start}
        while True:
            joining = {
                u
                for t in members
                for u in self.touching[t]
                if u not in members and not self._barriers(u, members)
            }
            if not joining:
                return frozenset(members)
            members |= joining

    def _barriers(self, number: int, members: Collection[int]) -> list[Node]:
        """The conditions of a binding's guard that only members can make true."""
        return [
            c
            for c in self.shapes[number].conjuncts
            if not c.constant and self._writers(touched(c)) <= set(members)
        ]

    def _writers(self, parts: Parts) -> set[int]:
        return {t for t, shape in enumerate(self.shapes) if _meet(shape.writes, parts)}

    def condition(self, members: frozenset[int]) -> Node:
        """The condition under which a closed set is ample."""
        g = self.graph
        deferring = members & set(self.deferring)
        outside = {u for t in members for u in self.touching[t]} - members
        return g.both(
            g.either(*self._guards(sorted(deferring))),
            *(g.negate(guard) for guard in self._guards(sorted(members - deferring))),
            *(
                g.either(*(g.negate(c) for c in self._barriers(u, members)))
                for u in sorted(outside)
            ),
        )

    def _guards(self, numbers: Iterable[int]) -> list[Node]:
        return [self.shapes[t].move.guard for t in numbers]


class _Alone(Sequence[int]):
    """Leaves: one has a value, and no other is read."""

    def __init__(self, number: int, value: int) -> None:
        self.number = number
        self.value = value

    def __getitem__(self, index: int) -> int:  # type: ignore[override] - never a slice
        assert index == self.number
        return self.value

    def __len__(self) -> int:
        return self.number + 1
