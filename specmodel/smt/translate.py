"""Nodes of a graph (`ir/symbolic/graph.py`) as z3 terms.

How numbers are written is a choice with two answers, `Bits` and `Ints`. Bits are exact as well:
every node has an interval, and gets as many bits as its values need. A set is a mask: bits, or one
bool a member.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from specmodel.domains import SetDomain
from specmodel.ir.layout import Leaf
from specmodel.ir.symbolic.graph import Node
from specmodel.smt.logic import Formula, Logic, Model


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

    # Leaves, as one way of writing numbers has them

    @classmethod
    def variable(cls, logic: Logic, name: str, leaf: Leaf) -> Formula:
        """A variable, or a tuple of several, for the code of a leaf."""
        raise NotImplementedError

    @classmethod
    def is_code(cls, logic: Logic, term: Formula, value: int, leaf: Leaf) -> Formula:
        """That the variable of a leaf has a certain code."""
        raise NotImplementedError

    @classmethod
    def within(cls, logic: Logic, term: Formula, leaf: Leaf) -> Formula:
        """That the variable of a leaf has a code of it."""
        raise NotImplementedError

    @classmethod
    def number(cls, model: Model, term: Formula) -> int:
        """The code that the variable of a leaf has in a model."""
        return model.number(term)

    @classmethod
    def parts(cls, term: Formula) -> tuple[Formula, ...]:
        """The z3 terms that the term of a leaf is made of."""
        return (term,)

    def fitted(self, node: Node, leaf: Leaf) -> Formula:
        """The term of a node that is a code of a leaf, of the sort of the leaf's variable."""
        raise NotImplementedError

    def choose(self, condition: Formula, then: Formula, other: Formula) -> Formula:
        """One of two terms of a leaf."""
        return self.logic.choose(condition, then, other)

    def same(self, term: Formula, other: Formula) -> Formula:
        """That two terms of a leaf are the same."""
        return term == other

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

    # Numbers, as one way of writing them has them

    def _constant(self, node: Node) -> Formula:
        """A number that is known."""
        raise NotImplementedError

    def _sum(self, node: Node) -> Formula:
        """A sum, difference or product."""
        raise NotImplementedError

    def _division(self, node: Node) -> Formula:
        """A quotient or rest, rounded down."""
        raise NotImplementedError

    def _masks(self, node: Node) -> Formula:
        """What two masks have in common, together, or apart."""
        raise NotImplementedError

    def _bit(self, node: Node) -> Formula:
        """Whether a mask has a bit."""
        raise NotImplementedError

    def _count(self, node: Node) -> Formula:
        """How many bits a mask has."""
        raise NotImplementedError

    def _truth(self, node: Node) -> Formula:
        """A truth value as 0 or 1."""
        raise NotImplementedError

    def _shift(self, node: Node) -> Formula:
        """A number shifted by a known number of bits."""
        raise NotImplementedError

    def _chosen(self, node: Node) -> Formula:
        """One of two numbers."""
        raise NotImplementedError

    def _equal(self, node: Node) -> Formula:
        """That two numbers are the same."""
        raise NotImplementedError

    def _less(self, node: Node) -> Formula:
        """That one number is below another."""
        raise NotImplementedError


class Bits(Translation):
    """Numbers as bit-vectors, each node's as wide as its interval needs."""

    @classmethod
    def variable(cls, logic: Logic, name: str, leaf: Leaf) -> Formula:
        return logic.bits_variable(name, leaf.bits)

    @classmethod
    def is_code(cls, logic: Logic, term: Formula, value: int, leaf: Leaf) -> Formula:
        return term == logic.bits(value, leaf.bits)

    @classmethod
    def within(cls, logic: Logic, term: Formula, leaf: Leaf) -> Formula:
        if leaf.size == 1 << leaf.bits:
            return logic.true
        return logic.below(term, logic.bits(leaf.size, leaf.bits))

    def fitted(self, node: Node, leaf: Leaf) -> Formula:
        self(node)
        return self._as(node, leaf.bits)

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
        # Modulo 2 to the width, which the exact result fits into.
        width = width_of(node.low, node.high)
        a, b = (self._as(arg, width) for arg in node.args)
        return a + b if node.op == "add" else a - b if node.op == "sub" else a * b

    def _division(self, node: Node) -> Formula:
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
        width = width_of(node.low, node.high)
        a, b = (self._as(arg, width) for arg in node.args)
        return a & b if node.op == "band" else a | b if node.op == "bor" else a ^ b

    def _bit(self, node: Node) -> Formula:
        (position,) = node.args
        width = width_of(node.low, node.high)
        if not node.value:
            return self.logic.bits(1, width) << self._as(position, width)
        by = self._as(position, node.value.bit_length() - 1)  # modulo a power of two
        return self.logic.bits(1, width) << self.logic.resized(by, width, False)

    def _count(self, node: Node) -> Formula:
        (mask,) = node.args
        width = width_of(node.low, node.high)
        total = self.logic.bits(0, width)
        for place in range(width_of(mask.low, mask.high)):
            bit = self.logic.bit_at(self._of(mask), place)
            total = total + self.logic.resized(bit, width, False)
        return total

    def _truth(self, node: Node) -> Formula:
        logic = self.logic
        return logic.choose(self._of(node.args[0]), logic.bits(1, 1), logic.bits(0, 1))

    def _shift(self, node: Node) -> Formula:
        (a,) = node.args
        if node.op == "shl":
            width = width_of(node.low, node.high)
            return self._as(a, width) << node.value
        moved = self.logic.shifted_right(self._of(a), node.value)
        return self.logic.resized(moved, width_of(node.low, node.high), False)

    def _chosen(self, node: Node) -> Formula:
        condition, then, other = node.args
        width = width_of(node.low, node.high)
        return self.logic.choose(self._of(condition), self._as(then, width), self._as(other, width))

    def _equal(self, node: Node) -> Formula:
        a, b, _ = self._aligned(node)
        return a == b

    def _less(self, node: Node) -> Formula:
        a, b, signed = self._aligned(node)
        return a < b if signed else self.logic.below(a, b)


class Ints(Translation):
    """Numbers as integers, which have no bounds of their own; a set's mask as one bool a member."""

    @classmethod
    def variable(cls, logic: Logic, name: str, leaf: Leaf) -> Formula:
        if isinstance(leaf.domain, SetDomain):
            return tuple(logic.bool_variable(f"{name} bit {i}") for i in range(leaf.bits))
        return logic.int_variable(name)

    @classmethod
    def is_code(cls, logic: Logic, term: Formula, value: int, leaf: Leaf) -> Formula:
        if isinstance(leaf.domain, SetDomain):
            return logic.both(
                bit if value >> i & 1 else logic.negate(bit) for i, bit in enumerate(term)
            )
        return term == value

    @classmethod
    def within(cls, logic: Logic, term: Formula, leaf: Leaf) -> Formula:
        if isinstance(leaf.domain, SetDomain):
            return logic.true
        return logic.both([term >= 0, term < leaf.size])

    @classmethod
    def number(cls, model: Model, term: Formula) -> int:
        if isinstance(term, tuple):
            bits = cast("tuple[Formula, ...]", term)
            return sum(model.truth(bit) << i for i, bit in enumerate(bits))
        return model.number(term)

    @classmethod
    def parts(cls, term: Formula) -> tuple[Formula, ...]:
        return cast("tuple[Formula, ...]", term) if isinstance(term, tuple) else (term,)

    def fitted(self, node: Node, leaf: Leaf) -> Formula:
        self(node)
        return (
            self._mask(node, leaf.bits) if isinstance(leaf.domain, SetDomain) else self._int(node)
        )

    def choose(self, condition: Formula, then: Formula, other: Formula) -> Formula:
        if not isinstance(then, tuple):
            return self.logic.choose(condition, then, other)
        pairs = zip(self.parts(then), self.parts(other), strict=True)
        return tuple(self.logic.choose(condition, x, y) for x, y in pairs)

    def same(self, term: Formula, other: Formula) -> Formula:
        pairs = zip(self.parts(term), self.parts(other), strict=True)
        return self.logic.both(x == y for x, y in pairs)

    def _constant(self, node: Node) -> Formula:
        return self.logic.int(node.value)

    def _is_mask(self, node: Node) -> bool:
        return isinstance(self._of(node), tuple)

    def _int(self, node: Node) -> Formula:
        """A node as an integer."""
        if not self._is_mask(node):
            return self._of(node)
        logic, total = self.logic, self.logic.int(0)
        for place, bit in enumerate(self.parts(self._of(node))):
            total = total + logic.choose(bit, logic.int(1 << place), logic.int(0))
        return total

    def _mask(self, node: Node, width: int) -> tuple[Formula, ...]:
        """A node as bools, from the lowest bit on, as many as asked for."""
        logic = self.logic
        if node.constant:
            return tuple(logic.true if node.value >> i & 1 else logic.false for i in range(width))
        if node.op == "number":
            bits = (self._of(node.args[0]),)
        elif self._is_mask(node):
            bits = self.parts(self._of(node))
        else:
            bits = tuple(self._of(node) / (1 << i) % 2 == 1 for i in range(width))
        return (*bits, *[logic.false] * (width - len(bits)))[:width]

    def _sum(self, node: Node) -> Formula:
        a, b = map(self._int, node.args)
        return a + b if node.op == "add" else a - b if node.op == "sub" else a * b

    def _division(self, node: Node) -> Formula:
        # z3 rounds so that the rest is never below 0: down, if the divisor is above it.
        a, b = map(self._int, node.args)
        b = self._divisor(node.args[1], b, self.logic.int(0), self.logic.int(1))
        quotient = a / b
        if node.args[1].low < 0:
            quotient = self.logic.choose(b > 0, quotient, (-a) / (-b))
        return quotient if node.op == "floordiv" else a - b * quotient

    def _masks(self, node: Node) -> Formula:
        logic, width = self.logic, width_of(node.low, node.high)
        a, b = (self._mask(arg, width) for arg in node.args)
        pairs = zip(a, b, strict=True)
        if node.op == "band":
            return tuple(logic.both(pair) for pair in pairs)
        if node.op == "bor":
            return tuple(logic.either(pair) for pair in pairs)
        return tuple(logic.differs(x, y) for x, y in pairs)

    def _bit(self, node: Node) -> Formula:
        place = self._int(node.args[0])
        if node.value:
            place = place % node.value
        return tuple(place == at for at in range(width_of(node.low, node.high)))

    def _count(self, node: Node) -> Formula:
        (mask,) = node.args
        logic, total = self.logic, self.logic.int(0)
        for bit in self._mask(mask, width_of(mask.low, mask.high)):
            total = total + logic.choose(bit, logic.int(1), logic.int(0))
        return total

    def _truth(self, node: Node) -> Formula:
        logic = self.logic
        return logic.choose(self._of(node.args[0]), logic.int(1), logic.int(0))

    def _shift(self, node: Node) -> Formula:
        (a,) = node.args
        width = width_of(node.low, node.high)
        if node.op == "shl":
            return (*[self.logic.false] * node.value, *self._mask(a, width - node.value))
        return self._mask(a, width + node.value)[node.value :]

    def _chosen(self, node: Node) -> Formula:
        condition, *ways = node.args
        if node.low >= 0 and any(map(self._is_mask, ways)):
            width = width_of(node.low, node.high)
            then, other = (self._mask(way, width) for way in ways)
        else:
            then, other = map(self._int, ways)
        return self.choose(self._of(condition), then, other)

    def _equal(self, node: Node) -> Formula:
        a, b = node.args
        if self._is_mask(a) or self._is_mask(b):
            width = width_of(min(a.low, b.low), max(a.high, b.high))
            return self.same(self._mask(a, width), self._mask(b, width))
        return self._of(a) == self._of(b)

    def _less(self, node: Node) -> Formula:
        a, b = map(self._int, node.args)
        return a < b
