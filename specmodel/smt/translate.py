"""Nodes of a graph (`ir/symbolic/graph.py`) as z3 terms: bools and bit-vectors.

Bit-vectors are exact: every node has an interval, and gets as many bits as its values need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from specmodel.ir.layout import Leaf
from specmodel.ir.symbolic.graph import Node
from specmodel.smt.logic import Formula, Logic


def width_of(low: int, high: int) -> int:
    """The bits that every number of an interval fits into; a sign is one of them if one is < 0."""
    if low >= 0:
        return max(1, high.bit_length())
    return max((-low - 1).bit_length(), high.bit_length()) + 1


class Translation:
    """Terms of the nodes of one graph, each made once. `leaves` has the terms of its leaves."""

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

    def each(self, nodes: Iterable[Node]) -> list[Formula]:
        """The terms of some nodes."""
        return [self(node) for node in nodes]

    def fitted(self, node: Node, leaf: Leaf) -> Formula:
        """The term of a node that is a code of a leaf, as wide as the leaf's variable."""
        self(node)
        return self._as(node, leaf.bits)

    # Nodes

    def _of(self, node: Node) -> Formula:
        return self._made[node.id]

    def _term(self, node: Node) -> Formula:
        match node.op:
            case "leaf":
                return self.leaves[node.value]
            case "const":
                return self._known(node) if node.boolean else self._constant(node)
            case "not":
                return self.logic.negate(self._of(node.args[0]))
            case "and":
                return self.logic.both(map(self._of, node.args))
            case "or":
                return self.logic.either(map(self._of, node.args))
            case "xor":
                return self.logic.differs(*map(self._of, node.args))
            case "select":
                if node.boolean:
                    return self.logic.choose(*map(self._of, node.args))
                return self._chosen(node)
            case "add" | "sub" | "mul":
                return self._sum(node)
            case "floordiv" | "mod":
                return self._division(node)
            case "band" | "bor" | "bxor":
                return self._masks(node)
            case "shl" | "shr":
                return self._shift(node)
            case "bit":
                return self._bit(node)
            case "popcount":
                return self._count(node)
            case "number":
                return self._truth(node)
            case "eq":
                return self._equal(node)
            case "lt":
                return self._less(node)
            case _:
                raise AssertionError(f"no term for {node.op}")

    def _known(self, node: Node) -> Formula:
        return self.logic.true if node.value else self.logic.false

    def _divisor(self, node: Node, term: Formula, zero: Formula, one: Formula) -> Formula:
        """A divisor, which counts as 1 where it is 0."""
        if not node.low <= 0 <= node.high:
            return term
        return self.logic.choose(term == zero, one, term)

    def _constant(self, node: Node) -> Formula:
        return self.logic.bits(node.value, width_of(node.value, node.value))

    def _as(self, node: Node, width: int) -> Formula:
        """The bits of a node, made as many as asked for."""
        if node.constant:
            return self.logic.bits(node.value, width)
        return self.logic.resized(self._of(node), width, node.low < 0)

    def _aligned(self, node: Node) -> tuple[Formula, Formula, bool]:
        """Both arguments, as wide as the wider needs, and whether they have a sign."""
        a, b = node.args
        low = min(a.low, b.low)
        width = width_of(low, max(a.high, b.high))
        return self._as(a, width), self._as(b, width), low < 0

    def _sum(self, node: Node) -> Formula:
        """A sum, difference or product."""
        # Modulo 2 to the width, which the exact result fits into.
        width = width_of(node.low, node.high)
        a, b = (self._as(arg, width) for arg in node.args)
        return a + b if node.op == "add" else a - b if node.op == "sub" else a * b

    def _division(self, node: Node) -> Formula:
        """A quotient or rest, rounded down."""
        logic, (a, b) = self.logic, node.args
        if a.low >= 0 and b.low >= 0:
            x, y, _ = self._aligned(node)
            y = self._divisor(b, y, logic.bits(0, y.size()), logic.bits(1, y.size()))
            divide = logic.unsigned_quotient if node.op == "floordiv" else logic.unsigned_rest
            return logic.resized(divide(x, y), width_of(node.low, node.high), False)
        # One bit more: the quotient of the lowest number and -1 has to fit as well.
        width = 1 + width_of(min(a.low, b.low, -1), max(a.high, b.high))
        x, y = self._as(a, width), self._as(b, width)
        zero, one = logic.bits(0, width), logic.bits(1, width)
        y = self._divisor(b, y, zero, one)
        rest = logic.signed_rest(x, y)
        below = logic.both([rest != zero, (rest < zero) != (y < zero)])
        if node.op == "floordiv":
            found = logic.choose(below, x / y - one, x / y)
        else:
            found = logic.choose(below, rest + y, rest)
        return logic.resized(found, width_of(node.low, node.high), True)

    def _masks(self, node: Node) -> Formula:
        """What two masks have in common, together, or apart."""
        width = width_of(node.low, node.high)
        a, b = (self._as(arg, width) for arg in node.args)
        return a & b if node.op == "band" else a | b if node.op == "bor" else a ^ b

    def _bit(self, node: Node) -> Formula:
        """A mask with one bit."""
        (position,) = node.args
        width = width_of(node.low, node.high)
        if not node.value:
            return self.logic.bits(1, width) << self._as(position, width)
        by = self._as(position, node.value.bit_length() - 1)  # modulo a power of two
        return self.logic.bits(1, width) << self.logic.resized(by, width, False)

    def _count(self, node: Node) -> Formula:
        """How many bits a mask has."""
        (mask,) = node.args
        width = width_of(node.low, node.high)
        total = self.logic.bits(0, width)
        for place in range(width_of(mask.low, mask.high)):
            bit = self.logic.bit_at(self._of(mask), place)
            total = total + self.logic.resized(bit, width, False)
        return total

    def _truth(self, node: Node) -> Formula:
        """A truth value as 0 or 1."""
        logic = self.logic
        return logic.choose(self._of(node.args[0]), logic.bits(1, 1), logic.bits(0, 1))

    def _shift(self, node: Node) -> Formula:
        """A number shifted by a known number of bits."""
        (a,) = node.args
        if node.op == "shl":
            width = width_of(node.low, node.high)
            return self._as(a, width) << node.value
        moved = self.logic.shifted_right(self._of(a), node.value)
        return self.logic.resized(moved, width_of(node.low, node.high), False)

    def _chosen(self, node: Node) -> Formula:
        """One of two numbers."""
        condition, then, other = node.args
        width = width_of(node.low, node.high)
        return self.logic.choose(self._of(condition), self._as(then, width), self._as(other, width))

    def _equal(self, node: Node) -> Formula:
        a, b, _ = self._aligned(node)
        return a == b

    def _less(self, node: Node) -> Formula:
        a, b, signed = self._aligned(node)
        return a < b if signed else self.logic.below(a, b)
