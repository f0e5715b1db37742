"""Conditions on many states at once: the nodes of a graph, computed from columns of codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from specmodel.ir.layout import LeafBits
from specmodel.ir.symbolic.graph import MOST_BITS, Node
from specmodel.ir.symbolic.traversal import operands_first

Column = Any
"""An array with a number for each state, or one number for all of them."""


def _selected(test: Column, a: Column, b: Column) -> Column:
    chosen: Column = np.where(test, a, b)  # pyright: ignore[reportUnknownVariableType]
    return chosen  # pyright: ignore[reportUnknownVariableType]


def _divisor(b: Column) -> Column:
    return _selected(b == 0, 1, b)


Binary = Callable[[Any, Any], Any]

_OPERATIONS: dict[str, Binary] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // _divisor(b),
    "mod": lambda a, b: a % _divisor(b),
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
    "xor": lambda a, b: a != b,
    "eq": lambda a, b: a == b,
    "lt": lambda a, b: a < b,
}


def leaf_columns(words: Any, slots: Sequence[LeafBits]) -> list[Column]:
    """The codes of each leaf in states, whose words are the rows of an array."""
    return [
        ((words[s.word] >> np.uint64(s.shift)) & np.uint64(s.mask)).astype(np.int64) for s in slots
    ]


class Columns:
    """The numbers of nodes on many states; `leaves` has the codes of each leaf by its number."""

    def __init__(self, leaves: Sequence[Column] | Mapping[int, Column]) -> None:
        self.leaves = leaves
        self._known: dict[int, Column] = {}

    def truth(self, node: Node, size: int) -> Any:
        """Whether a condition is true, for each of `size` states."""
        return np.broadcast_to(np.asarray(self._of(node), np.bool_), (size,))

    def numbers(self, node: Node, size: int) -> Any:
        """The number of a node, for each of `size` states."""
        return np.broadcast_to(np.asarray(self._of(node), np.int64), (size,))

    def _of(self, node: Node) -> Column:
        known = self._known
        for top in operands_first([node], known):
            known[top.id] = self._computed(top, [known[arg.id] for arg in top.args])
        return known[node.id]

    def _computed(self, node: Node, args: list[Column]) -> Column:
        op = node.op
        if op == "const":
            return bool(node.value) if node.boolean else np.int64(node.value)
        if op == "leaf":
            return self.leaves[node.value]
        if op == "select":
            return _selected(*args)
        if op in ("and", "or"):
            found: Any = args[0]
            for other in args[1:]:
                found = found & other if op == "and" else found | other
            return found
        if op == "not":
            return np.logical_not(args[0])
        if op == "number":
            return np.asarray(args[0], np.int64)
        if op == "shl":
            return args[0] << np.int64(node.value)
        if op == "shr":
            return args[0] >> np.int64(node.value)
        if op == "bit":
            return np.int64(1) << (args[0] % np.int64(node.value or MOST_BITS))
        if op == "popcount":
            return _bits_set(np.asarray(args[0], np.int64))
        return _OPERATIONS[op](*args)


def _bits_set(mask: Any) -> Any:
    """The number of bits of masks of at most 62 bits."""
    found = np.zeros_like(mask)
    for place in range(62):
        found += mask >> np.int64(place) & np.int64(1)
    return found
