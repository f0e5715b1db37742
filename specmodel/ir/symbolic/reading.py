"""The meaning of graph nodes: each operation on Python's ints, and values of nodes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence

from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.traversal import dependencies, operands_first


def _and(a: int, b: int) -> int:
    return a & b


def _or(a: int, b: int) -> int:
    return a | b


def _xor(a: int, b: int) -> int:
    return a ^ b


def _quotient(a: int, b: int) -> int:
    return a // (b or 1)


def _rest(a: int, b: int) -> int:
    return a % (b or 1)


def _all(*args: int) -> int:
    return int(all(args))


def _any(*args: int) -> int:
    return int(any(args))


def _chosen(condition: int, a: int, b: int) -> int:
    return a if condition else b


OPERATIONS: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": _quotient,
    "mod": _rest,
    "band": _and,
    "bor": _or,
    "bxor": _xor,
    "popcount": int.bit_count,
    "number": int,
    "eq": operator.eq,
    "lt": operator.lt,
    "xor": _xor,
    "not": operator.not_,
    "and": _all,
    "or": _any,
    "select": _chosen,
}
"""The operations as functions, without shifts and `bit`, whose nodes also have a number."""


class NodeValues:
    """The values of nodes for given values of the leaves, and of the parameters of a loop."""

    def __init__(self, leaves: Sequence[int], parameters: Sequence[int] = ()) -> None:
        self.leaves = leaves
        self.parameters = parameters
        self.known: dict[int, int] = {}

    def __call__(self, node: Node) -> int:
        known = self.known
        for top in operands_first([node], known):
            known[top.id] = self._computed(top, [known[arg.id] for arg in top.args])
        return known[node.id]

    def _computed(self, node: Node, args: Sequence[int]) -> int:
        if node.op == "const":
            return node.value
        if node.op == "leaf":
            return self.leaves[node.value]
        if node.op == "parameter":
            return self.parameters[node.value]
        if node.op == "shl":
            return args[0] << node.value
        if node.op == "shr":
            return args[0] >> node.value
        if node.op == "bit":
            return 1 << (args[0] % node.value if node.value else args[0])
        return int(OPERATIONS[node.op](*args))


def leaves_read(nodes: Iterable[Node]) -> set[int]:
    """The numbers of the leaves that the values of nodes depend on."""
    return {node.value for node in dependencies(nodes) if node.op == "leaf"}
