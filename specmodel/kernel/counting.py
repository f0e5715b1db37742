"""The native code that counts the points of a spec's code over batches of states, as LLVM IR text.

    count_steps(in, stride, n, counters, scratch)
        Counts n states that are expanded, each with every binding: actions, transition properties.
    count_states(in, stride, n, counters, scratch)
        Counts n states that are looked at: invariants and reachable properties.
    scratch_of_steps(), scratch_of_states()
        The words of scratch that these need.

Batches are columns, as for `specmodel.kernel.module`; reading goes up to LANES - 1 states past the
end. Each counter is a vector of LANES words, whose sum counts.

This is a pass of its own over states at hand, so that the search's own code knows nothing of it. It
is logic on masks (`specmodel.kernel.circuit`): what is counted, for each binding, costs a few
instructions for 512 states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import prod
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.ir.points import Points
from specmodel.ir.symbolic.execute import run_action
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.point_conditions import (
    NeededGuard,
    PointConditions,
    action_conditions,
    graphed_conditions,
    property_conditions,
)
from specmodel.kernel.blocks import BlockComparisons
from specmodel.kernel.circuit import LIVE, NONE, Circuit
from specmodel.kernel.counters import Counters, counters_of
from specmodel.kernel.parts import HEAD
from specmodel.kernel.program import Program
from specmodel.kernel.tables import table
from specmodel.machine.words import LANES
from specmodel.model.model import Rule


@dataclass(frozen=True)
class Case:
    """Conditions to count; of an action, together with the transition properties of its steps."""

    conditions: PointConditions
    after: tuple[PointConditions, ...] = ()


class Counting:
    """The module that counts the points of a program. Raises SpecError for an unsupported part."""

    def __init__(self, program: Program, points: Points) -> None:
        self.program = program
        self.points = points
        self.counters = counters_of(points)

    def text(self) -> str:
        """The LLVM IR of a module with both passes."""
        made = [HEAD]
        written, loops = list[Case](), list[_Pass]()
        for sizes, case in self._steps():
            if sizes:
                name = f"loop_{len(loops)}"
                loops.append(self._pass(name, [case], sizes))
            else:
                written.append(case)
        for one in (
            *loops,
            self._pass("steps", written, (), loops),
            self._pass("states", self.states),
        ):
            made += [*one.comparisons.functions(), one.text()]
        return "\n".join(made)

    def _pass(
        self,
        name: str,
        cases: Sequence[Case],
        sizes: Sequence[int] = (),
        loops: Sequence[_Pass] = (),
    ) -> _Pass:
        nodes = deciding_cases(cases)
        comparisons = BlockComparisons(name, self.program.layout, nodes, sizes)
        return _Pass(name, comparisons, self.counters, cases, loops)

    def one_pass(self, name: str, comparisons: BlockComparisons, cases: Sequence[Case]) -> str:
        """The functions that count some cases, without the comparisons."""
        return _Pass(name, comparisons, self.counters, cases).text()

    @cached_property
    def states(self) -> list[Case]:
        """The cases of checked states."""
        return [
            Case(conditions)
            for rule in self.program.chosen
            if rule.role != "transition"
            for conditions in self._of_property(rule.name, (self.program.leaves,))
        ]

    def _of_property(
        self, name: str, states: Sequence[Sequence[Node]]
    ) -> Iterator[PointConditions]:
        """The conditions of a property that has points; none of another one."""
        program, points = self.program, self.points
        if name in points.keys:
            yield property_conditions(points, program.graph, name, states)
        elif name in points.firsts:
            _, function = points.model.properties[name]
            yield from graphed_conditions(points, program.graph, function, states)

    def _steps(self) -> Iterator[tuple[tuple[int, ...], Case]]:
        """Every binding that counts for some point, or many as a loop with parameters of sizes."""
        program, points = self.program, self.points
        transitions = [
            r.name
            for r in program.chosen
            if r.role == "transition" and (r.name in points.keys or r.name in points.firsts)
        ]

        def counted(rule: Rule, arguments: Sequence[Any]) -> Case:
            function = points.model.actions[rule.name]
            if function.graphed is None:
                conditions = action_conditions(
                    points, program.graph, rule.name, program.leaves, arguments
                )
            else:
                effect = run_action(
                    points.model, program.graph, function, program.leaves, arguments
                )
                needs = tuple(NeededGuard(-1, (), guard.node) for guard in effect.guards)
                conditions = PointConditions((), needs, (), effect.leaves)
            states = (program.leaves, conditions.after)
            return Case(
                conditions, tuple(c for t in transitions for c in self._of_property(t, states))
            )

        for rule in program.spec.rules:
            function = points.model.actions[rule.name]
            for conditions in graphed_conditions(
                points, program.graph, function, (program.leaves,)
            ):
                yield (), Case(conditions)
            if rule.name in points.keys or transitions:
                yield from program.by_bindings(rule, counted)


class _Pass(Circuit):
    """The functions of one pass: comparisons, then gates, then counts, block by block."""

    def __init__(
        self,
        name: str,
        comparisons: BlockComparisons,
        counters: Counters,
        cases: Sequence[Case],
        loops: Sequence[_Pass] = (),
    ) -> None:
        super().__init__(name, comparisons)
        self.loops = loops
        self.counters = counters
        self.counted: list[tuple[int, int]] = []
        for case in cases:
            happens = self._case(case.conditions, LIVE)
            for conditions in case.after:
                self._case(conditions, happens)

    def text(self) -> str:
        """All functions except the comparisons."""
        rows = table(f"{self.name}_counted", [n for row in self.counted for n in row])
        taken = "(ptr %in, i64 %stride, i64 %n, ptr %counters, ptr %scratch)"
        calls = [f"call void @count_{loop.name}{taken}" for loop in self.loops]
        return rows + self.by_blocks(
            f"void @count_{self.name}{taken}",
            begin="",
            first="0",
            then=f"call void @count_masks(ptr @{self.name}_counted, i64 {len(self.counted)}, "
            "ptr %counters, ptr %scratch)",
            end="\n  ".join([*calls, "ret void"]),
            bindings=prod(self.comparisons.sizes),
            scratch=max((loop.after * LANES for loop in self.loops), default=0),
        )

    def _case(self, conditions: PointConditions, live: int) -> int:
        """Counts points in some states; returns the states in which every guard holds."""
        held = [live]
        lacking: list[int] = []
        for need in conditions.needs:
            lacks = self.both(self.path(need.path), self.negate(self.node(need.node)))
            lacking.append(lacks)
            held.append(self.both(held[-1], self.negate(lacks)))
        false: dict[int, int] = {}
        for lacking_guard in conditions.lacking:
            mask = self.both(live, self.path(lacking_guard.path))
            false[lacking_guard.point] = self.either(false.get(lacking_guard.point, NONE), mask)
        reached: dict[int, int] = {}
        for reached_point in conditions.reached_points:
            mask = self.both(held[reached_point.guards], self.path(reached_point.path))
            reached[reached_point.point] = self.either(reached.get(reached_point.point, NONE), mask)
        for point, mask in reached.items():
            self._count(point, mask)
        for place, need in enumerate(conditions.needs):
            mask = self.both(held[place], lacking[place])
            false[need.point] = self.either(false.get(need.point, NONE), mask)
        for point, mask in false.items():
            if point >= 0:
                self._count(self.counters.false(point), mask)
        self._alone(conditions, lacking, live)
        return held[-1]

    def _alone(self, conditions: PointConditions, lacking: Sequence[int], live: int) -> None:
        """Counts for each guard the states where only this guard is false before the spec fails."""
        blocks: dict[int, int] = {}
        for place, need in enumerate(conditions.needs):
            failed = self.any_of(
                self.node(n) for guards, n in conditions.failures if guards <= place
            )
            mask = self.both(lacking[place], self.negate(failed))
            blocks[need.point] = self.either(blocks.get(need.point, NONE), mask)
        once, twice = NONE, NONE
        for mask in blocks.values():
            twice = self.either(twice, self.both(once, mask))
            once = self.either(once, mask)
        single = self.both(live, self.negate(twice))
        for point, mask in blocks.items():
            if point >= 0:
                self._count(self.counters.alone(point), self.both(single, mask))

    def _count(self, counter: int, mask: int) -> None:
        if mask == NONE:
            return
        self.counted.append((self.output(mask), counter))


def deciding_cases(cases: Iterable[Case]) -> Iterator[Node]:
    """All nodes that decide which points the cases count."""
    for case in cases:
        for conditions in (case.conditions, *case.after):
            for reached_point in (*conditions.reached_points, *conditions.lacking):
                yield from reached_point.path
            for need in conditions.needs:
                yield from (*need.path, need.node)
            for _, node in conditions.failures:
                yield node
