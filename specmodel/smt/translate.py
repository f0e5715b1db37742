"""The nodes of a graph (`ir/symbolic/graph.py`) as Z3's terms: bools and bit-vectors.

Bit-vectors do not overflow: a node has an interval, and gets the bits that its values need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from specmodel.ir.layout import Leaf
from specmodel.ir.symbolic.graph import Node
from specmodel.smt.logic import Formula, Logic

_OPERATORS: dict[str, Callable[[Formula, Formula], Formula]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
}
"""Operations computed modulo 2 ** width: the result is exact, because it fits into the width."""


def width_of(low: int, high: int) -> int:
    """The bits that the numbers of an interval need, with one for the sign if one is negative."""
    if low >= 0:
        return max(1, high.bit_length())
    return max((-low - 1).bit_length(), high.bit_length()) + 1


class Translation:
    """The terms of one graph's nodes, each made once. `leaves` has the terms of the leaves."""

    def __init__(self, logic: Logic, leaves: Mapping[int, Formula]) -> None:
        self.logic = logic
        self.leaves = leaves
        self._made: dict[int, Formula] = {}

    def __call__(self, node: Node) -> Formula:
        """The term of a node."""
        made, pending = self._made, [node]
        while pending:  # not by recursion: graphs are deep
            last = pending[-1]
            missing = [arg for arg in last.args if arg.id not in made]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            if last.id not in made:
                made[last.id] = self._term(last)
        return made[node.id]

    def fitted(self, node: Node, leaf: Leaf) -> Formula:
        """The term of a node that is a code of a leaf, with the width of the leaf's variable."""
        self(node)
        return self._as(node, leaf.bits)

    # Nodes

    def _of(self, node: Node) -> Formula:
        return self._made[node.id]

    def _term(self, node: Node) -> Formula:
        logic = self.logic
        if node.constant and node.boolean:
            return logic.true if node.value else logic.false
        width = width_of(node.low, node.high)
        if node.op in _OPERATORS:
            a, b = (self._as(arg, width) for arg in node.args)
            return _OPERATORS[node.op](a, b)
        match node.op:
            case "leaf":
                return self.leaves[node.value]
            case "const":
                return logic.bits(node.value, width)
            case "not":
                return logic.negate(self._of(node.args[0]))
            case "and":
                return logic.both(map(self._of, node.args))
            case "or":
                return logic.either(map(self._of, node.args))
            case "xor":
                return logic.z3.Xor(*map(self._of, node.args))
            case "select":
                condition, *ways = node.args
                made = (self._of(w) if node.boolean else self._as(w, width) for w in ways)
                return logic.choose(self._of(condition), *made)
            case "floordiv" | "mod":
                return self._division(node, width)
            case "shl":
                return self._as(node.args[0], width) << node.value
            case "shr":
                held = self._of(node.args[0])
                if node.value >= held.size():  # Z3 would take the distance modulo 2 ** width
                    return logic.bits(0, width)
                return logic.resized(logic.z3.LShR(held, node.value), width, False)
            case "bit":
                return self._bit(node, width)
            case "popcount":
                return self._count(node, width)
            case "number":
                return logic.as_bits([self._of(node.args[0])])
            case "eq":
                a, b, _ = self._aligned(node)
                return a == b
            case "lt":
                a, b, signed = self._aligned(node)
                return a < b if signed else logic.below(a, b)
            case _:
                raise AssertionError(f"no term for {node.op}")

    def _as(self, node: Node, width: int) -> Formula:
        """The term of a number, with `width` bits."""
        if node.constant:
            return self.logic.bits(node.value, width)
        return self.logic.resized(self._of(node), width, node.low < 0)

    def _aligned(self, node: Node) -> tuple[Formula, Formula, bool]:
        """Both arguments with the same width, and whether they are signed."""
        a, b = node.args
        low = min(a.low, b.low)
        width = width_of(low, max(a.high, b.high))
        return self._as(a, width), self._as(b, width), low < 0

    def _division(self, node: Node, width: int) -> Formula:
        """A quotient rounded down, or its remainder; a divisor of 0 is replaced by 1."""
        logic, z3, (a, b) = self.logic, self.logic.z3, node.args
        signed = min(a.low, b.low) < 0
        # One more bit if signed: the quotient of the lowest number and -1 has to fit as well.
        inner = width_of(min(a.low, b.low), max(a.high, b.high)) + signed
        x, y = self._as(a, inner), self._as(b, inner)
        zero, one = logic.bits(0, inner), logic.bits(1, inner)
        if b.low <= 0 <= b.high:
            y = logic.choose(y == zero, one, y)
        if not signed:
            found = z3.UDiv(x, y) if node.op == "floordiv" else z3.URem(x, y)
            return logic.resized(found, width, False)
        rest = z3.SRem(x, y)  # the remainder of a division that rounds towards 0
        below = logic.both([rest != zero, (rest < zero) != (y < zero)])
        if node.op == "floordiv":
            found = logic.choose(below, x / y - one, x / y)
        else:
            found = logic.choose(below, rest + y, rest)
        return logic.resized(found, width, True)

    def _bit(self, node: Node, width: int) -> Formula:
        """A mask with one bit set, at the position that the argument gives."""
        (position,) = node.args
        if not node.value:
            return self.logic.bits(1, width) << self._as(position, width)
        by = self._as(position, node.value.bit_length() - 1)  # position modulo `node.value`
        return self.logic.bits(1, width) << self.logic.resized(by, width, False)

    def _count(self, node: Node, width: int) -> Formula:
        """The number of bits set in a mask."""
        (mask,) = node.args
        total = self.logic.bits(0, width)
        for place in range(width_of(mask.low, mask.high)):
            bit = self.logic.z3.Extract(place, place, self._of(mask))
            total = total + self.logic.resized(bit, width, False)
        return total
