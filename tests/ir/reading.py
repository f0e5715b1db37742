"""A plain reading of graph nodes: what each operation means, in Python's ints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from specmodel.ir.symbolic.graph import Node

OPERATIONS: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // (b or 1),
    "mod": lambda a, b: a % (b or 1),
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
    "bit": lambda a: 1 << (a & 63),
    "popcount": lambda a: a.bit_count(),
    "number": int,
    "eq": lambda a, b: int(a == b),
    "lt": lambda a, b: int(a < b),
    "xor": lambda a, b: a ^ b,
    "not": lambda a: 1 - a,
    "and": lambda *args: int(all(args)),
    "or": lambda *args: int(any(args)),
    "select": lambda condition, a, b: a if condition else b,
}


class Reading:
    """The values of nodes where the leaves have some values."""

    def __init__(self, leaves: Sequence[int]) -> None:
        self.leaves = leaves
        self.known: dict[int, int] = {}

    def __call__(self, node: Node) -> int:
        if node.id not in self.known:
            self.known[node.id] = self._computed(node)
        return self.known[node.id]

    def _computed(self, node: Node) -> int:
        if node.op == "const":
            return node.value
        if node.op == "leaf":
            return self.leaves[node.value]
        args = [self(arg) for arg in node.args]
        if node.op == "shl":
            return args[0] << node.value
        if node.op == "shr":
            return args[0] >> node.value
        return OPERATIONS[node.op](*args)
