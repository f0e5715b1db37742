"""The graph of scalar operations that symbolic execution makes.

Equal operations are one node. Nodes are simplified as they are made. Each integer has an interval
of possible values. So the constant arguments of a binding turn a general action into few nodes.

A node is its operation, its operands and at most one number. Its meaning and its interval depend on
these alone (`INTERVALS`), not on the place that makes it. An interval contains the value for all
leaves within their ranges, also where the value is never read, because intervals decide how other
nodes are simplified.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from specmodel.errors import SpecError
from specmodel.ir.symbolic.intervals import INTERVALS

MOST_BITS = 32
"""The most bits of a mask that `bit` makes. A power of two."""

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
"""The range in which compiled arithmetic is exact; a node that may leave it is refused."""


class Node:
    """An operation on scalars, with its interval from `low` to `high`: 0 to 1 for a bool."""

    __slots__ = ("args", "boolean", "high", "id", "low", "op", "value")

    def __init__(
        self,
        number: int,
        op: str,
        args: tuple[Node, ...],
        value: int,
        low: int,
        high: int,
        boolean: bool,
    ) -> None:
        self.id = number
        self.op = op
        self.args = args
        self.value = value
        self.low = low
        self.high = high
        self.boolean = boolean

    @property
    def constant(self) -> bool:
        return self.op == "const"

    def __repr__(self) -> str:
        if self.op == "const":
            return str(bool(self.value) if self.boolean else self.value)
        if self.op in ("leaf", "parameter"):
            return f"{self.op}{self.value}"
        extra = f" {self.value}" if self.op in ("shl", "shr", "bit") and self.value else ""
        return f"({self.op}{extra} {' '.join(map(repr, self.args))})"


class Graph:
    """Makes nodes. Raises SpecError for a node whose value may not fit into 64 bits."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Node] = {}
        self._ints: dict[int, Node] = {}
        self._count = 0
        self.states: dict[tuple[int, ...], list[tuple[Any, Any]]] = {}
        """Values of states by their leaves, each with its domain: see `Algebra.state`."""
        self.members: dict[tuple[int, int], tuple[Any, Any, dict[int, Any]]] = {}
        """Values of domains by their index, as values of types: see `Algebra.member`."""
        self.bits: dict[tuple[int, int], Node] = {}
        """Whether a mask has a bit, by the mask's number: see `Sets.member_at`."""
        self.narrowed: dict[tuple[int, ...], Any] = {}
        """Values of alternatives by their types and their codes: see `operators`."""
        self.effects: Any = None
        """The `Effects` of the model that runs on this graph, and its `within_terms`."""
        self.abstract_states: dict[tuple[int, int], tuple[Any, tuple[Node, ...], list[Any]]] = {}
        self.abstract_effects: dict[tuple[int, ...], tuple[Any, list[Any]]] = {}
        """The abstract states and effects that `refinement` keeps."""
        self.true = self._known_as(("const", True, 1), 1, 1, 1, True)
        self.false = self._known_as(("const", True, 0), 0, 0, 0, True)

    def _known_as(
        self, key: tuple[object, ...], value: int, low: int, high: int, boolean: bool
    ) -> Node:
        """The node without operands for a key."""
        node = self._known.get(key)
        if node is None:
            self._count += 1
            node = Node(self._count, str(key[0]), (), value, low, high, boolean)
            self._known[key] = node
        return node

    def _make(self, op: str, args: tuple[Node, ...], boolean: bool, value: int = 0) -> Node:
        """The node of an operation on operands."""
        if len(args) == 2:
            key = (op, boolean, value, args[0].id, args[1].id)
        else:
            key = (op, boolean, value, *[a.id for a in args])
        node = self._known.get(key)
        if node is None:
            low, high = (0, 1) if boolean or op == "number" else INTERVALS[op](value, *args)
            if low < LOWEST or high > HIGHEST:
                raise SpecError("this can grow beyond 62 bits", None, "bound its parts")
            self._count += 1
            node = Node(self._count, op, args, value, low, high, boolean)
            self._known[key] = node
        return node

    # Integers

    def int(self, value: int) -> Node:
        node = self._ints.get(value)
        if node is None:
            node = self._known_as(("const", False, value), value, value, value, False)
            self._ints[value] = node
        return node

    def leaf(self, number: int, high: int) -> Node:
        """The code of a leaf of the state, 0..high."""
        return self._known_as(("leaf", number, high), number, 0, high, False)

    def parameter(self, number: int, high: int) -> Node:
        """The code of a part of an action's arguments, 0..high, that a loop over bindings gives."""
        return self._known_as(("parameter", number, high), number, 0, high, False)

    def add(self, a: Node, b: Node) -> Node:
        if a.constant:
            a, b = b, a
        if b.constant:
            if a.constant:
                return self.int(a.value + b.value)
            if b.value == 0:
                return a
            if a.op == "add" and a.args[1].constant:
                return self.add(a.args[0], self.int(a.args[1].value + b.value))
        elif a.id > b.id:
            a, b = b, a
        return self._make("add", (a, b), False)

    def sub(self, a: Node, b: Node) -> Node:
        if b.constant:
            return self.add(a, self.int(-b.value))
        if a is b:
            return self.int(0)
        return self._make("sub", (a, b), False)

    def mul(self, a: Node, b: Node) -> Node:
        if a.constant:
            a, b = b, a
        if b.constant:
            if a.constant:
                return self.int(a.value * b.value)
            if b.value in (0, 1):
                return a if b.value else b
        return self._make("mul", (a, b), False)

    def floordiv(self, a: Node, b: Node) -> Node:
        """The quotient rounded down; a divisor of 0, whose result is never read, becomes 1."""
        if a.constant and b.constant:
            return self.int(a.value // (b.value or 1))
        if b.constant and b.value in (0, 1):
            return a
        return self._make("floordiv", (a, b), False)

    def mod(self, a: Node, b: Node) -> Node:
        """The remainder with the sign of the divisor; a divisor of 0 becomes 1."""
        if b.constant and (a.constant or b.value == 0):
            return self.int(a.value % (b.value or 1))
        if a.low >= 0 and a.high < b.low:
            return a
        return self._make("mod", (a, b), False)

    def minimum(self, a: Node, b: Node) -> Node:
        if a.high <= b.low:
            return a
        return self.select(self.lt(b, a), b, a)

    def maximum(self, a: Node, b: Node) -> Node:
        if a.low >= b.high:
            return a
        return self.select(self.lt(a, b), b, a)

    # Bit masks, which are never negative

    def band(self, a: Node, b: Node) -> Node:
        return self._bits("band", a, b)

    def bor(self, a: Node, b: Node) -> Node:
        return self._bits("bor", a, b)

    def bxor(self, a: Node, b: Node) -> Node:
        return self._bits("bxor", a, b)

    def _bits(self, op: str, a: Node, b: Node) -> Node:
        if a.constant and b.constant:
            x, y = a.value, b.value
            return self.int(x & y if op == "band" else x | y if op == "bor" else x ^ y)
        if a.constant or (not b.constant and a.id > b.id):
            a, b = b, a
        assert a.low >= 0 and b.low >= 0, (a, b)
        if b.constant:
            if b.value == 0:
                return b if op == "band" else a
            full = (1 << a.high.bit_length()) - 1
            if op == "band" and b.value & full == full:
                return a
            if a.op == op and a.args[1].constant:
                return self._bits(op, a.args[0], self._bits(op, a.args[1], b))
        if a is b:
            return self.int(0) if op == "bxor" else a
        return self._make(op, (a, b), False)

    def shift_left(self, a: Node, by: int) -> Node:
        if a.constant:
            return self.int(a.value << by)
        return a if by == 0 else self._make("shl", (a,), False, by)

    def shift_right(self, a: Node, by: int) -> Node:
        assert a.low >= 0, a
        if a.constant:
            return self.int(a.value >> by)
        return a if by == 0 else self._make("shr", (a,), False, by)

    def bit(self, position: Node, width: int) -> Node:
        """A mask of at most MOST_BITS bits, with one bit set at a position 0..width-1.

        If the position may be outside 0..MOST_BITS-1, it is taken modulo the node's number: the
        least power of two that is at least the width. Otherwise the node's number is 0.
        """
        exact = position.low >= 0 and position.high < MOST_BITS
        wraps = 0 if exact else 1 << (width - 1).bit_length()
        if wraps == 1:
            return self.int(1)
        if position.constant:
            return self.int(1 << position.value % (wraps or MOST_BITS))
        return self._make("bit", (position,), False, wraps)

    def popcount(self, a: Node) -> Node:
        assert a.low >= 0, a
        if a.constant:
            return self.int(a.value.bit_count())
        return self._make("popcount", (a,), False)

    def number(self, a: Node) -> Node:
        """A bool as 0 or 1."""
        if a.constant:
            return self.int(a.value)
        if a.op == "eq" and a.args[1] is self.int(1) and a.args[0].low == 0 and a.args[0].high == 1:
            return a.args[0]
        return self._make("number", (a,), False)

    # Selection

    def select(self, condition: Node, a: Node, b: Node) -> Node:
        """`a` where the condition is true, else `b`; both are ints or both are bools."""
        if condition.constant:
            return a if condition.value else b
        if a is b:
            return a
        if condition.op == "not":
            condition, a, b = condition.args[0], b, a
        if a.boolean:
            if a.constant or b.constant:
                if a.constant:
                    return (
                        self.either(condition, b)
                        if a.value
                        else self.both(self.negate(condition), b)
                    )
                return (
                    self.either(self.negate(condition), a) if b.value else self.both(condition, a)
                )
            return self._make("select", (condition, a, b), True)
        if a.op == "select" and a.args[0] is condition:
            a = a.args[1]
        if b.op == "select" and b.args[0] is condition:
            b = b.args[2]
        return self._make("select", (condition, a, b), False)

    # Comparisons

    def eq(self, a: Node, b: Node) -> Node:
        if a.boolean:
            return self.negate(self.differs(a, b))
        if a is b:
            return self.true
        if a.constant:
            a, b = b, a
        if a.high < b.low or b.high < a.low:
            return self.false
        if b.constant:
            if a.constant:
                return self.true if a.value == b.value else self.false
            if a.op == "add" and a.args[1].constant:
                return self.eq(a.args[0], self.int(b.value - a.args[1].value))
            if a.op == "select" and (a.args[1].constant or a.args[2].constant):
                then, other = self.eq(a.args[1], b), self.eq(a.args[2], b)
                if then.constant or other.constant:
                    return self.select(a.args[0], then, other)
            if a.op == "number":
                return a.args[0] if b.value else self.negate(a.args[0])
            if a.op == "popcount" and b.value == 0:
                return self.eq(a.args[0], b)
            if a.low == 0 and a.high == 1 and b.value == 0:
                return self.negate(self.eq(a, self.int(1)))
            if a.low == a.high:
                return self.true
        elif a.id > b.id:
            a, b = b, a
        return self._make("eq", (a, b), True)

    def differs(self, a: Node, b: Node) -> Node:
        """The exclusive or of two bools."""
        if a is b:
            return self.false
        if b.constant:
            a, b = b, a
        if a.constant:
            return self.negate(b) if a.value else b
        if (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a):
            return self.true
        if a.id > b.id:
            a, b = b, a
        return self._make("xor", (a, b), True)

    def lt(self, a: Node, b: Node) -> Node:
        if a.high < b.low:
            return self.true
        if a.low >= b.high or a is b:
            return self.false
        if a.constant:
            return self.negate(self.lt(b, self.int(a.value + 1)))
        if b.constant:
            if a.op == "add" and a.args[1].constant:
                return self.lt(a.args[0], self.int(b.value - a.args[1].value))
            if b.value == a.low + 1:
                return self.eq(a, self.int(a.low))
            if b.value == a.high:
                return self.negate(self.eq(a, b))
            if a.op == "select" and (a.args[1].constant or a.args[2].constant):
                then, other = self.lt(a.args[1], b), self.lt(a.args[2], b)
                if then.constant or other.constant:
                    return self.select(a.args[0], then, other)
        (x, more), (y, other) = self._apart(a), self._apart(b)
        if x is y:
            return self.true if more < other else self.false
        if more and other:
            return self.lt(x, self.add(y, self.int(other - more)))
        return self._make("lt", (a, b), True)

    def _apart(self, a: Node) -> tuple[Node, int]:
        """A number without what is added to it, and that."""
        return (a.args[0], a.args[1].value) if a.op == "add" and a.args[1].constant else (a, 0)

    def le(self, a: Node, b: Node) -> Node:
        return self.negate(self.lt(b, a))

    # Logic

    def negate(self, a: Node) -> Node:
        if a.constant:
            return self.false if a.value else self.true
        if a.op == "not":
            return a.args[0]
        return self._make("not", (a,), True)

    def both(self, *args: Node) -> Node:
        """The conjunction of any number of bools."""
        return self._junction("and", args, self.true, self.false)

    def either(self, *args: Node) -> Node:
        """The disjunction of any number of bools."""
        return self._junction("or", args, self.false, self.true)

    def _junction(self, op: str, args: Sequence[Node], unit: Node, zero: Node) -> Node:
        if len(args) == 2:  # often, and of two there is often nothing to join
            a, b = args
            if a is unit or b is zero or a is b:
                return b
            if b is unit or a is zero:
                return a
        kept: dict[int, Node] = {}
        pending = list(args)
        while pending:
            arg = pending.pop()
            if arg is zero:
                return zero
            if arg is unit:
                continue
            if arg.op == op:
                pending.extend(arg.args)
            else:
                kept[arg.id] = arg
        dual = "or" if op == "and" else "and"
        changed = len(kept) > 1
        while changed:
            changed = False
            fixed = _fixed(op, kept.values())
            for arg in list(kept.values()):
                if arg.op == "not" and self._covered(arg.args[0], op, kept, fixed):
                    return zero
                truth = _truth(arg, fixed) if fixed else None
                if truth is not None:
                    if truth is not (op == "and"):
                        return zero
                    del kept[arg.id]
                elif arg.op == dual:
                    rest = self._propagated(arg, kept, fixed, op == "and")
                    if rest is None:
                        del kept[arg.id]
                    elif len(rest) < len(arg.args):
                        del kept[arg.id]
                        reduced = self._junction(dual, rest, zero, unit)
                        if reduced is zero:
                            return zero
                        for part in reduced.args if reduced.op == op else (reduced,):
                            kept[part.id] = part
                        changed = True
        if not kept:
            return unit
        ordered = [kept[i] for i in sorted(kept)]
        return ordered[0] if len(ordered) == 1 else self._make(op, tuple(ordered), True)

    def _covered(self, node: Node, op: str, kept: dict[int, Node], fixed: dict[int, Fixed]) -> bool:
        """Whether a node is among the arguments, itself or by its parts, if a like junction.

        A part may have been left out, as one that the number that another is settles.
        """
        every = op == "and"
        return node.id in kept or (
            node.op == op and all(a.id in kept or _truth(a, fixed) is every for a in node.args)
        )

    def _propagated(
        self, inner: Node, kept: dict[int, Node], fixed: dict[int, Fixed], every: bool
    ) -> list[Node] | None:
        """The arguments of a dual junction that its siblings leave open; None: it is implied."""
        rest: list[Node] = []
        for part in inner.args:
            truth = _truth(part, fixed) if fixed else None
            if part.id in kept or truth is every:
                return None
            negated = part.args[0].id if part.op == "not" else self._negation(part)
            if negated not in kept and truth is None:
                rest.append(part)
        return rest

    def _negation(self, node: Node) -> int:
        known = self._known.get(("not", True, 0, node.id))
        return known.id if known else -1


Fixed = tuple[Node, int]
"""The equation that says which number another is, and that number."""


def _fixed(op: str, args: Iterable[Node]) -> dict[int, Fixed]:
    """The numbers that matter for one value alone, as all of some conditions say that they have it,
    or any of them that they have not.
    """
    found: dict[int, Fixed] = {}
    for arg in args:
        equation = arg if op == "and" else arg.args[0] if arg.op == "not" else arg
        if equation.op == "eq" and equation.args[1].constant and (op == "and" or arg.op == "not"):
            found.setdefault(equation.args[0].id, (equation, equation.args[1].value))
    return found


def _truth(condition: Node, fixed: dict[int, Fixed]) -> bool | None:
    """The value of a comparison with a constant, for a number that is known to have one value. None
    for any other condition, and for the condition that makes it known.
    """
    comparison = condition.args[0] if condition.op == "not" else condition
    if comparison.op not in ("eq", "lt") or not comparison.args[1].constant:
        return None
    equation, value = fixed.get(comparison.args[0].id, (comparison, 0))
    if equation is comparison:
        return None
    other = comparison.args[1].value
    holds = value == other if comparison.op == "eq" else value < other
    return holds is (condition is comparison)
