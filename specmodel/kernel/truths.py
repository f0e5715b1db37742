"""A native function that writes which of some conditions hold in states, as bits of words.

Condition b is bit `b % BITS` of output column `b // BITS`. The columns have the stride and the
places of the states; up to LANES - 1 entries past the end are overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from specmodel.ir.symbolic.effects import Judgement
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.blocks import BlockComparisons, each_vector, mask_at
from specmodel.kernel.circuit import NONE, Circuit
from specmodel.kernel.emit import Emitter
from specmodel.kernel.instructions import BOOLS, INTS, splat
from specmodel.kernel.program import Program

BITS = 64


class Truths(Circuit):
    """The function `name`, which writes the conditions given by `write` for a batch of states."""

    def __init__(self, name: str, program: Program, nodes: Iterable[Node]) -> None:
        super().__init__(name, BlockComparisons(name, program.layout, nodes))
        self._functions = self.comparisons.functions()
        self._calls: list[str] = []

    def write(self, nodes: Sequence[Node], columns: str, beside: bool = False) -> None:
        """Writes to columns in which states nodes are true, or adds to the bits there."""
        for column, first in enumerate(range(0, max(1, len(nodes)), BITS)):
            e, name = Emitter(self.comparisons.layout), f"{self.name}_{columns}_{column}"
            with each_vector(e, name, "ptr %columns"):
                skip = e.new(f"add i64 %from, {e.new(f'mul i64 %stride, {column}')}")
                at = e.new(f"getelementptr i64, ptr %columns, i64 {skip}")
                word = e.new(f"load {INTS}, ptr {at}, align 8") if beside else splat(0)
                for bit, node in enumerate(nodes[first : first + BITS]):
                    if (mask := self.node(node)) != NONE:
                        lanes = e.new(f"load i8, ptr {mask_at(e, self.output(mask))}, align 1")
                        true = e.new(f"bitcast i8 {lanes} to {BOOLS}")
                        one, no = f"{INTS} {splat(1 << bit)}", f"{INTS} {splat(0)}"
                        word = e.new(
                            f"or {INTS} {word}, {e.new(f'select {BOOLS} {true}, {one}, {no}')}"
                        )
                e.line(f"store {INTS} {word}, ptr {at}, align 8")
            self._functions.append("\n".join(e.lines))
            self._calls.append(
                f"call void @{name}(ptr %{columns}, i64 %stride, i64 %at, i64 %eights, "
                "ptr %scratch)"
            )

    def text(self, parameters: str, begin: str = "", then: str = "") -> str:
        """The text of the function, which has these parameters after the states."""
        function = self.by_blocks(
            f"i64 @{self.name}(ptr %in, i64 %stride, i64 %start, i64 %n, {parameters})",
            begin=begin,
            first="%start",
            then="\n  ".join([*self._calls, then]),
            end="ret i64 %n",
        )
        return "\n".join([*self._functions, function])


def deciding(judgement: Judgement) -> list[Node]:
    """The nodes that decide a property."""
    return [judgement.node, *(f.node for f in judgement.failures)]
