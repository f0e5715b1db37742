"""Bindings whose effects differ in constants alone share the code of their effect.

A module of TLA+ may have a thousand possible steps, and those of one action mostly do the same with
other names and numbers. LLVM would take a millisecond and more for each. So the constants in which
they differ become parameters, whose values for each binding are in a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from specmodel.dataclass import dataclass
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.replacing import remade
from specmodel.kernel import program
from specmodel.kernel.program import BoundAction


@dataclass(frozen=True)
class EffectShape:
    """The effect of some bindings: of the first of them, with parameters for constants.

    The row of a binding in the table are the values of its parameters.
    """

    move: BoundAction
    table: tuple[tuple[int, ...], ...] = ()
    numbers: tuple[int, ...] = ()
    """The numbers of the bindings that share it; none of a binding that has code of its own."""


def shared(
    graph: Graph, leaves: Sequence[Node], moves: Iterable[BoundAction]
) -> tuple[list[EffectShape], list[BoundAction]]:
    """The shapes of the effects of moves, and the moves with their places in them."""
    alike: dict[object, list[tuple[BoundAction, _Skeleton]]] = {}
    shapes: list[EffectShape] = []
    placed: list[BoundAction] = []
    for move in moves:
        if move.sizes:
            shapes.append(EffectShape(move))
            placed.append(move)
            continue
        skeleton = _Skeleton(leaves, move.after)
        alike.setdefault(skeleton.key, []).append((move, skeleton))
    for found in alike.values():
        if len(found) == 1 or len(found) * len(found[0][1].nodes) <= program.MOST_REPEATED:
            shapes += [EffectShape(move) for move, _ in found]
            placed += [move for move, _ in found]
            continue
        first, skeleton = found[0]
        columns = list(zip(*(each.constants for _, each in found), strict=True))
        varying = list(dict.fromkeys(column for column in columns if len(set(column)) > 1))
        place = {column: number for number, column in enumerate(varying)}
        parameters = [
            graph.parameter(place[column], max(column)) if column in place else None
            for column in columns
        ]
        after = skeleton.filled(graph, leaves, parameters)
        rows = tuple(zip(*varying, strict=True)) if varying else ((),) * len(found)
        numbers = tuple(move.number for move, _ in found)
        shapes.append(EffectShape(replace(first, after=after), rows, numbers))
        placed += [
            replace(move, function=first.number, instance=instance)
            for instance, (move, _) in enumerate(found)
        ]
    placed.sort(key=lambda move: move.number)
    return shapes, placed


class _Skeleton:
    """The nodes of an effect with a place for each constant. Equal `key`s are equal but for these.

    A constant is an operand of a node, or a leaf itself.
    """

    def __init__(self, leaves: Sequence[Node], after: Sequence[Node]) -> None:
        self.after = after
        self.nodes: list[Node] = []
        self.constants: list[int] = []
        self._places: dict[int, int] = {}
        key: list[object] = []
        for number, (old, new) in enumerate(zip(leaves, after, strict=True)):
            if new is not old:
                self._add(new, key)
                key.append((number, self._operand(new)))
        self.key = tuple(key)

    def _add(self, root: Node, key: list[object]) -> None:
        """Adds the nodes below a node, operands first."""
        pending = [root]
        while pending:
            node = pending[-1]
            lacking = [a for a in node.args if not a.constant and a.id not in self._places]
            if lacking:
                pending += lacking
                continue
            pending.pop()
            if node.constant or node.id in self._places:
                continue
            key.append((node.op, node.value, node.boolean, *map(self._operand, node.args)))
            self._places[node.id] = len(self.nodes)
            self.nodes.append(node)

    def _operand(self, node: Node) -> object:
        if not node.constant:
            return self._places[node.id]
        if node.boolean or node.value < 0:
            return node.boolean, node.value
        self.constants.append(node.value)
        return None

    def filled(
        self, graph: Graph, leaves: Sequence[Node], parameters: Sequence[Node | None]
    ) -> tuple[Node, ...]:
        """The leaves after the effect, with parameters in the places of some constants."""
        rest, made = iter(parameters), list[Node]()

        def operand(node: Node) -> Node:
            if not node.constant:
                return made[self._places[node.id]]
            if node.boolean or node.value < 0:
                return node
            return next(rest) or node

        after, added = list(self.after), 0
        for number, (old, new) in enumerate(zip(leaves, self.after, strict=True)):
            if new is old:
                continue
            while added < self._end(new):
                node = self.nodes[added]
                args = [operand(arg) for arg in node.args]
                same = all(a is b for a, b in zip(args, node.args, strict=True))
                made.append(node if same else remade(graph, node, args))
                added += 1
            after[number] = operand(new)
        return tuple(after)

    def _end(self, root: Node) -> int:
        """The number of nodes that were added up to a root."""
        return 0 if root.constant else self._places[root.id] + 1
