"""The initial states of a module, all at once, where there are too many for the evaluator.

The initial predicate is read as an action is (`steps`), but a variable may be any member of a set.
The member is written with leaves, whose codes are the choices. So each way through the predicate
gives conditions and the values of the variables, as functions of these codes. All codes are tried,
leaf after leaf, many at a time; those that a condition on the first leaves excludes are left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, prod
from typing import Any

import numpy as np

from specmodel.dataclass import dataclass
from specmodel.errors import SpecError
from specmodel.ir.layout import Layout
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.reading import leaves_read
from specmodel.tla import nodes as syntax
from specmodel.tla.nodes import TlaTerm
from specmodel.tla.pausing import poll
from specmodel.tla.scopes import TlaScope
from specmodel.tla.specification import Specification
from specmodel.tla.symbolic.arrays import Columns
from specmodel.tla.symbolic.compiled import CompiledModule
from specmodel.tla.symbolic.concrete import Codes
from specmodel.tla.symbolic.definitions import definition_of
from specmodel.tla.symbolic.evaluate import TlaEvaluator
from specmodel.tla.symbolic.evaluation import BoundSymbol
from specmodel.tla.symbolic.packed import PackedStates
from specmodel.tla.symbolic.path import EvaluationPath, NotCompiled
from specmodel.tla.symbolic.sampling import TypeExceeded
from specmodel.tla.symbolic.steps import StepFinder
from specmodel.tla.symbolic.storage import stored
from specmodel.tla.symbolic.stored_functions import struct_of
from specmodel.tla.symbolic.types import TlaType, joined, type_of_members
from specmodel.tla.symbolic.values import KnownValue, StateValue
from specmodel.tla.values import TRUE, Value

TlaTuple = tuple[Value, ...]

BATCH = 1 << 18
"""Codes that are tried at a time."""

MOST_TRIED = 1 << 34
"""The most combinations of codes that are tried."""

LONGEST = 10.0
"""The most seconds in which the ways through an initial predicate are found."""

MOST_WAYS = 1_000
"""The most ways through an initial predicate."""

SHOWN = 200
"""States that do not fit the types, of which these are widened; states that are evaluated again."""


@dataclass(frozen=True)
class InitialWay:
    """A way through the initial predicate: its conditions, and the values of the variables.

    Both depend on the codes of `leaves`.
    """

    leaves: tuple[int, ...]
    conditions: tuple[Node, ...]
    values: tuple[StateValue, ...]


class LimitedEvaluator(TlaEvaluator):
    """Evaluates for LONGEST seconds. Then it raises NotCompiled."""

    until = 0.0

    def value(self, term: TlaTerm, scope: TlaScope, primed: bool = False) -> StateValue:
        self.until = self.until or time.perf_counter() + LONGEST
        if time.perf_counter() > self.until:
            raise NotCompiled("the initial predicate is too large", term.span)
        return super().value(term, scope, primed)


class InitialFinder(StepFinder):
    """Finds the ways through an initial predicate, and the types of what a set gives."""

    primed = True

    def __init__(self, evaluator: TlaEvaluator) -> None:
        super().__init__(evaluator)
        self.sizes: list[int] = []
        """The number of codes of each leaf."""
        self.chosen: list[int] = []
        """The leaves of the present way."""
        self.types: dict[int, TlaType] = {}

    def _any_of(
        self, index: int, term: TlaTerm, scope: TlaScope
    ) -> Iterator[tuple[Node, StateValue]]:
        before, found = len(self.chosen), self._any_member(index, term, scope)
        yield from super()._any_of(index, term, scope) if found is None else [found]
        del self.chosen[before:]

    def _any_member(
        self, index: int, term: TlaTerm, scope: TlaScope
    ) -> tuple[Node, StateValue] | None:
        """Any member of a set, and the condition that it is one; None for a set that is listed."""
        if isinstance(term, syntax.SetFilter):
            bound, *more = term.bounds
            name, *others = bound.names
            if more or others or bound.pattern or bound.members is None:
                return None
            base = self._any_member(index, bound.members, scope)
            if base is None:
                return None
            inside, value = base
            inner = scope.over(BoundSymbol(name, bound.spans[0], value))
            with self.path.assuming(inside):
                return self.graph.both(inside, self.evaluator.holds(term.body, inner)), value
        if isinstance(term, syntax.Applied):
            symbol = self.evaluator.builder.resolved(term, scope, 0)
            inner = definition_of(symbol)
            if inner is not None:
                return self._any_member(index, *inner)
        held = self._known(term, scope)
        kind = None if held is None else type_of_members(held)
        if kind is None:
            return None
        self.types[index] = joined(self.types.get(index, kind), kind)
        same, value = self._any_value(kind)
        with self.path.assuming(same):
            inside = self.evaluator.member(value, KnownValue(held), term.span)
        return self.graph.both(same, inside), value

    def _known(self, term: TlaTerm, scope: TlaScope) -> Value:
        """The value of a term that depends on nothing; None for any other."""
        try:
            made = self.evaluator.builder.meaning(term, scope, 0, False)
            return made.run((), None, None) if made.closed and made.level == 0 else None
        except SpecError:
            return None

    def _any_value(self, kind: TlaType) -> tuple[Node, StateValue]:
        """Any value of a type, and the condition that its codes are the ones that it has."""
        g, domains, first = self.graph, self.evaluator.domains, len(self.sizes)
        storage = stored(kind, "it")
        sizes = [leaf.size for leaf in Layout(struct_of("one", {"it": storage.domain})).leaves]
        leaves = [g.leaf(first + number, size - 1) for number, size in enumerate(sizes)]
        self.sizes += sizes
        self.chosen += range(first, len(self.sizes))
        value = storage.read(self.evaluator, domains.unpacked(storage.domain, iter(leaves)))
        made: list[Node] = []
        domains.packed(storage.domain, storage.written(self.evaluator, value)[1], made)
        return g.both(*map(g.eq, made, leaves)), value


class InitialStates:
    """The ways to the initial states of a module, of which some are known. Raises NotCompiled."""

    def __init__(self, spec: Specification, known: Sequence[TlaTuple]) -> None:
        self.spec = spec
        self.known = known
        graph, blank = Graph(), [None] * len(spec.variables)
        self.evaluator = evaluator = LimitedEvaluator(spec.builder, EvaluationPath(graph), blank)
        evaluator.now = evaluator.after  # the variables have no primes
        evaluator.definitions, evaluator.functions_made = {}, {}
        self.finder = InitialFinder(evaluator)
        self.ways: list[InitialWay] = []
        for _ in self.finder.through(spec.initial):
            values = tuple(value for value in evaluator.after if value is not None)
            if spec.level is not None:
                values = (*values, KnownValue(1))
            if len(values) < len(spec.variables):
                raise NotCompiled("an initial state has no value of a variable")
            if len(self.ways) == MOST_WAYS:
                raise NotCompiled(f"more than {MOST_WAYS:,} ways to initial states")
            way = InitialWay(tuple(self.finder.chosen), tuple(evaluator.path.conditions), values)
            self.ways.append(way)
        evaluator.until = inf
        self._refuse_failures()

    def _refuse_failures(self) -> None:
        """Raises NotCompiled if some expression has no value: the evaluator says which."""
        for node, message, span in self.evaluator.path.failures:
            for _ in self._tried([node], sorted(leaves_read([node]))):
                raise NotCompiled(message, span)

    def sample(self) -> Iterator[TlaTuple]:
        """Some of the initial states of each way."""
        for way in self.ways:
            for codes in self._tried(way.conditions, way.leaves):
                count = _length(codes)
                for at in range(0, count, -(-count // SHOWN)):
                    yield self._state(way, codes, at)
                break

    def packed(self, module: CompiledModule) -> PackedStates:
        """The initial states. Raises TypeExceeded, NotCompiled."""
        found = PackedStates(module, self._rows(module))
        self._refuse_others(found)
        return found

    def _refuse_others(self, found: PackedStates) -> None:
        """Raises AssertionError where the evaluator finds other initial states, in a sample."""
        for state in found[:: max(1, len(found) // SHOWN)]:
            for term, scope in () if found.module.permutations else self.spec.initial:
                run = self.spec.builder.meaning(term, scope, 0, False).run
                if run((), state, None) is not TRUE:
                    raise AssertionError(f"this is no initial state: {state}")
        for state in self.known[:: max(1, len(self.known) // SHOWN)]:
            if found.module.canonical(state) not in found:
                raise AssertionError(f"this is an initial state: {state}")

    def _rows(self, module: CompiledModule) -> Any:
        """The words of the initial states, a row each."""
        found: list[Any] = []
        for way in self.ways:
            fits, own = module.written(self.evaluator, way.values)
            leaves = module.least(self.evaluator, way.values, own)
            outside = self.evaluator.graph.negate(fits)
            for codes in self._tried(way.conditions, way.leaves):
                columns, count = Columns(codes), _length(codes)
                wrong = np.flatnonzero(columns.truth(outside, count))
                if len(wrong):
                    raise TypeExceeded([self._state(way, codes, at) for at in wrong[:SHOWN]])
                rows = np.zeros((count, module.layout.words), np.uint64)
                for slot, leaf in zip(module.layout.slots, leaves, strict=True):
                    placed = columns.numbers(leaf, count).astype(np.uint64)
                    rows[:, slot.word] |= placed << np.uint64(slot.shift)
                found.append(rows)
        if not found:
            return np.zeros((0, module.layout.words), np.uint64)
        return np.concatenate(found)

    def _state(self, way: InitialWay, codes: Mapping[int, Any], at: int) -> TlaTuple:
        given = [int(codes[n][at]) if n in codes else 0 for n in range(len(self.finder.sizes))]
        known = Codes(given)
        return tuple(map(known.value, way.values))

    def _tried(
        self, conditions: Sequence[Node], leaves: Sequence[int]
    ) -> Iterator[Mapping[int, Any]]:
        """The codes of some leaves under which conditions are true, by leaf, in batches."""
        sizes = [self.finder.sizes[leaf] for leaf in leaves]
        if prod(sizes) > MOST_TRIED:
            raise NotCompiled(f"more than {MOST_TRIED:,} candidates for initial states")
        stages: list[list[Node]] = [[] for _ in range(len(leaves) + 1)]
        for condition in _conjuncts(conditions):
            needed = leaves_read([condition])
            stages[max((leaves.index(leaf) + 1 for leaf in needed), default=0)].append(condition)

        def kept(stage: int, codes: dict[int, Any], count: int) -> dict[int, Any] | None:
            for condition in stages[stage]:
                inside = Columns(codes).truth(condition, count)
                codes = {leaf: column[inside] for leaf, column in codes.items()}
                count = int(inside.sum())
            return codes if count else None

        def further(stage: int, codes: dict[int, Any], count: int) -> Iterator[dict[int, Any]]:
            if stage == len(leaves):
                yield codes
                return
            leaf, size = leaves[stage], sizes[stage]
            for start in range(0, count * size, BATCH):
                poll()
                places = np.arange(start, min(start + BATCH, count * size))
                before = {number: column[places // size] for number, column in codes.items()}
                found = kept(stage + 1, {**before, leaf: places % size}, len(places))
                if found is not None:
                    yield from further(stage + 1, found, _length(found))

        if kept(0, {}, 1) is not None:
            yield from further(0, {}, 1)


def _conjuncts(conditions: Iterable[Node]) -> Iterator[Node]:
    for condition in conditions:
        yield from condition.args if condition.op == "and" else (condition,)


def _length(codes: Mapping[int, Any]) -> int:
    return len(next(iter(codes.values()))) if codes else 1
