"""Leaves that the parameter of a loop chooses, as loads: all states of a vector have the same one.

A possible step of a TLA+ module may take the member in any slot of a set. Each leaf of the member
is a choice among as many leaves as there are slots, and its place is looked up in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from specmodel.ir.layout import LeafBits
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.tables import table

Chosen = tuple[int, tuple[int, ...]]
"""The number of a parameter, and the leaf that each of its values chooses."""


def chosen_leaves(node: Node) -> Chosen | None:
    """The parameter and the leaves of a choice among leaves, one for each value; None of others."""
    found, parameter = list[int](), node
    while node.op == "select":
        condition, leaf, rest = node.args
        if condition.op != "eq" or condition.args[0].op != "parameter" or leaf.op != "leaf":
            return None
        number, value = condition.args
        if (found and number is not parameter) or not value.constant or value.value != len(found):
            return None
        found.append(leaf.value)
        parameter, node = number, rest
    if not found or node.op != "leaf" or parameter.high != len(found):
        return None
    return parameter.value, (*found, node.value)


class LeafTables:
    """The tables of the words and shifts of chosen leaves, and the instructions that read them.

    A place depends on a binding alone: `ahead` adds an instruction that runs once for a binding.
    """

    def __init__(self, name: str, codes: Sequence[str], ahead: Callable[[str], str]) -> None:
        """`codes` are the registers of the parameters, which are numbers."""
        self.name = name
        self.codes = codes
        self.ahead = ahead
        self.texts: list[str] = []
        self._read: dict[tuple[int, tuple[int, ...]], str] = {}

    def shift(self, parameter: int, slots: Sequence[LeafBits]) -> str:
        """The register of the shift of the chosen leaf."""
        return self._value(parameter, tuple(slot.shift for slot in slots))

    def word(self, parameter: int, slots: Sequence[LeafBits]) -> str:
        """The register of the number of the chosen leaf's word."""
        return self._value(parameter, tuple(slot.word for slot in slots))

    def _value(self, parameter: int, values: tuple[int, ...]) -> str:
        key = parameter, values
        if key not in self._read:
            name = f"{self.name}_places_{len(self.texts)}"
            self.texts.append(table(name, values))
            place = self.ahead(f"getelementptr i64, ptr @{name}, i64 {self.codes[parameter]}")
            self._read[key] = self.ahead(f"load i64, ptr {place}, align 8")
        return self._read[key]
