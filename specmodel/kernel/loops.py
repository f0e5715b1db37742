"""Actions with many bindings: their code is written once, and runs in a loop over the bindings.

A loop's parameters are nodes of the graph that no state decides. Each function gets the number of
a binding within the loop, and makes the parameters of it (`Emitter.bind`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.replacing import GivenParameters
from specmodel.ir.symbolic.traversal import dependencies
from specmodel.kernel import program
from specmodel.kernel.chosen import chosen_leaves
from specmodel.kernel.context import STEP_FAILURE
from specmodel.kernel.function import KernelFunction
from specmodel.kernel.instructions import BOOLS, INTS
from specmodel.kernel.program import BoundAction
from specmodel.machine.words import LANES

CHEAP = 40
"""The nodes of a condition that is decided before others."""


class LoopGuards(KernelFunction):
    """The function that decides for each binding of a loop which states of a block enable it.

    The masks of the bindings lie in the scratch one after the other, from place `masks` on. Notes
    the failures of steps, unless there are none to be found.
    """

    def text_of(self, move: BoundAction, masks: int, failures: bool) -> str:
        """The text of the function `called`; %failed is a mask of its own."""
        e, graph = self.e, self.graph
        early = move.early_failure if failures else graph.false
        late = move.late_failure if failures else graph.false
        failure = graph.either(early, graph.both(move.guard, late))
        e.lines.append(
            f"define internal void @{called(move)}(ptr %in, i64 %stride, i64 %at, i64 %eights, "
            "ptr %scratch, ptr %context) {"
        )
        e.label("entry")
        e.line(f"%failed = alloca {INTS}, align 8")
        e.line(f"%first = getelementptr {INTS}, ptr %scratch, i64 {masks}")
        e.line("br label %binding")
        e.label("binding")
        e.line("%k = phi i64 [ 0, %entry ], [ %k_next, %next ]")
        e.line(f"%mask = getelementptr {INTS}, ptr %first, i64 %k")
        for mask in ("%mask", "%failed"):
            e.line(f"store {INTS} zeroinitializer, ptr {mask}, align 8")
        e.bind(move.sizes, "%k", called(move))
        e.line("br label %body")
        e.label("body")
        e.line("%i = phi i64 [ 0, %binding ], [ %i_next, %body_end ]")
        e.line(f"%from = add i64 %at, {e.new(f'mul i64 %i, {LANES}')}")
        e.load_words(e.new("getelementptr i64, ptr %in, i64 %from"), "%stride")
        lanes = e.new(f"load i8, ptr {self._byte('%scratch')}, align 1")
        live = e.new(f"bitcast i8 {lanes} to {BOOLS}")
        decided = {"%mask": graph.both(move.guard, graph.negate(failure)), "%failed": failure}
        for node in decided_first(decided.values()):
            live = e.new(f"and {BOOLS} {live}, {e.value(node)}")
        with e.only_if(e.new(f"icmp ne i8 {e.bits(live)}, 0"), "any"):
            for mask, node in decided.items():
                held = e.new(f"and {BOOLS} {live}, {e.value(node)}")
                e.line(f"store i8 {e.bits(held)}, ptr {self._byte(mask)}, align 1")
        e.line("br label %body_end")
        e.label("body_end")
        e.line("%i_next = add i64 %i, 1")
        e.line("%more = icmp slt i64 %i_next, %eights")
        e.line("br i1 %more, label %body, label %told")
        e.label("told")
        if failure is not graph.false:
            number = e.new(f"add i64 %k, {move.number}")
            record = self.pointer(self.program.context.record(STEP_FAILURE))
            e.line(
                f"call void @note_block(ptr {record}, ptr %in, i64 %stride, i64 %at, ptr %failed, "
                f"i64 {number})"
            )
        e.line("br label %next")
        e.label("next")
        e.line("%k_next = add i64 %k, 1")
        e.line(f"%again = icmp slt i64 %k_next, {move.count}")
        e.line("br i1 %again, label %binding, label %done")
        e.label("done")
        e.line("ret void")
        return self.text()

    def _byte(self, mask: str) -> str:
        """The place of the current vector's bits in a mask."""
        return self.e.new(f"getelementptr i8, ptr {mask}, i64 %i")


def divided_guards(
    graph: Graph, moves: Sequence[BoundAction]
) -> tuple[list[BoundAction], list[BoundAction]]:
    """The moves whose guards are a loop, and the bindings of all others, each for itself.

    Gates decide guards of many states at once, and those of all bindings share their comparisons.
    So they are written for each binding of a loop if that takes few nodes.
    """
    alike: dict[tuple[int, ...], list[BoundAction]] = {}
    for move in moves:
        if move.sizes:
            alike.setdefault(move.sizes, []).append(move)
    loops: set[int] = set()
    for sizes, some in alike.items():
        nodes = [n for m in some for n in (m.guard, m.early_failure, m.late_failure)]
        if prod(sizes) * _size(nodes) > program.MOST_GUARDS:
            loops |= {move.number for move in some}
    others = [move for move in moves if move.number not in loops]
    return [move for move in moves if move.number in loops], every_binding(graph, others)


def every_binding(graph: Graph, moves: Sequence[BoundAction]) -> list[BoundAction]:
    """The guards and failures of all bindings of loops, each for itself, and the other moves."""
    written, given = list[BoundAction](), dict[tuple[int, ...], GivenParameters]()
    for move in moves:
        if not move.sizes:
            written.append(move)
            continue
        nodes = [move.guard, move.early_failure, move.late_failure]
        for place, values in enumerate(product(*map(range, move.sizes))):
            made = given.setdefault(values, GivenParameters(graph, values))
            guard, early, late = made(nodes)
            number = move.number + place
            written.append(
                replace(move, number=number, guard=guard, early_failure=early, late_failure=late)
            )
    return written


def decided_first(conditions: Iterable[Node]) -> list[Node]:
    """Conjuncts that some conditions share, and that cost little: most states fail one of them."""
    shared: dict[int, Node] | None = None
    for condition in conditions:
        if not condition.constant:
            own = _conjuncts(condition)
            shared = own if shared is None else {n: c for n, c in shared.items() if n in own}
    return [node for node in (shared or {}).values() if _size([node]) <= CHEAP]


def _conjuncts(node: Node) -> dict[int, Node]:
    """The conditions that hold wherever a condition holds, as far as its form shows them."""
    if node.op == "or":
        first, *others = map(_conjuncts, node.args)
        return {n: c for n, c in first.items() if all(n in other for other in others)}
    return {arg.id: arg for arg in (node.args if node.op == "and" else (node,))}


def _size(nodes: Iterable[Node]) -> int:
    """The number of nodes that some depend on; a leaf that a parameter chooses counts as one."""

    def operands(node: Node) -> Iterable[Node]:
        return () if chosen_leaves(node) else node.args

    return sum(1 for _ in dependencies(nodes, operands))


def called(move: BoundAction) -> str:
    """The name of the function of a loop's guards."""
    return f"guards_{move.number}"


def calls(moves: Sequence[BoundAction]) -> str:
    """The calls of the functions of the guards of loops."""
    return "\n  ".join(
        f"call void @{called(move)}(ptr %in, i64 %stride, i64 %at, i64 %eights, ptr %scratch, "
        "ptr %context)"
        for move in moves
    )
