"""Translates graph nodes into LLVM IR over vectors of states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specmodel.ir.layout import Layout, LeafBits
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.instructions import BOOLS, INTS, Instructions, splat
from specmodel.machine.words import LANES

DEEPEST = 8
"""Nested choices up to this depth are made at their place; deeper ones are moved as a whole."""

Part = tuple[Node, int]
"""A node whose value goes into a word, and the lowest bit of its place."""

_BINARY = {"add": "add", "sub": "sub", "mul": "mul", "band": "and", "bor": "or", "bxor": "xor"}

_ONE, _ZERO = (Node(-1 - v, "const", (), v, v, v, False) for v in (1, 0))
"""The number of a bool, for any graph."""


def _side_by_side(node: Node) -> bool:
    """Whether a node is a sum of two numbers that have no bit in common."""
    if node.op != "add" or node.low < 0:
        return False
    a, b = map(_bits_of, node.args)
    return not a & b


def _bits_of(node: Node) -> int:
    """The bits that may be set in a number; all if it may be negative."""
    if node.constant or node.low < 0:
        return node.value if node.constant else -1
    if node.op == "shl":
        return _bits_of(node.args[0]) << node.value
    return (1 << node.high.bit_length()) - 1


def _fields(parts: Sequence[Part]) -> Iterator[Part]:
    """Parts of a word, with those apart that are several numbers side by side."""
    pending = [*reversed(parts)]
    while pending:
        node, shift = pending.pop()
        if _side_by_side(node):
            pending += [(arg, shift) for arg in node.args]
        elif node.op == "shl":
            pending.append((node.args[0], shift + node.value))
        else:
            yield node, shift


def reciprocal(number: Node, by: int) -> tuple[int, int, int] | None:
    """How a number is divided by multiplication, if its interval is small: the least quotient,
    a factor, and a shift to the right.

    No vector instruction divides. The factor is a little more than 2**shift / by; the error, times
    the greatest dividend, is too small to reach the next quotient.
    """
    if by < 1:
        return None
    first = number.low // by
    greatest = number.high - first * by
    shift = (by * (greatest + 1)).bit_length()
    factor = (1 << shift) // by + 1
    return (first, factor, shift) if (greatest * factor).bit_length() < 64 else None


class Emitter(Instructions):
    """The instructions of one function, and the register of each node."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._equations: dict[Node, dict[Node, LeafBits]] = {}
        self._within = 0

    # Nodes

    def value(self, node: Node) -> str:
        """The register (or constant) of a node, computed here if it is not known yet."""
        pending = [node]
        while pending:
            top = pending[-1]
            if self._known(top) is not None:
                pending.pop()
                continue
            missing = [a for a in self._needed(top) if self._known(a) is None]
            if missing:
                pending.extend(missing)
            else:
                self._scopes[-1][top.id] = self._emit(top)
                pending.pop()
        found = self._known(node)
        assert found is not None
        return found

    def _known(self, node: Node) -> str | None:
        if node.constant:
            if node.boolean:
                return f"splat (i1 {'true' if node.value else 'false'})"
            return splat(node.value)
        return self._found(node.id)

    def _needed(self, node: Node) -> tuple[Node, ...]:
        """The nodes whose values an instruction for a node needs."""
        if self._chosen(node):
            return ()
        if node.op == "not" and node.args[0].op in ("eq", "lt"):
            node = node.args[0]
        if node.op == "and":
            return tuple(arg for arg in node.args if arg not in self._alike(node))
        return () if self._field(node) or self._made_of_fields(node) else node.args

    def _emit(self, node: Node) -> str:
        op = node.op
        if op == "leaf":
            return self._leaf(node.value)
        if op == "parameter":
            return self.parameters[node.value]
        if (chosen := self._chosen(node)) is not None:
            return self._chosen_leaf(*chosen)
        if op in ("eq", "lt"):
            return self._compared(node, False)
        if op == "not" and node.args[0].op in ("eq", "lt"):
            return self._compared(node.args[0], True)
        if op == "and" and self._alike(node):
            return self._equal_fields(node)
        if self._made_of_fields(node):
            return self._within_a_word([(node, 0)])
        args = [self.value(a) for a in node.args]
        if op in _BINARY:
            return self.new(f"{_BINARY[op]} {INTS} {args[0]}, {args[1]}")
        if op in ("and", "or"):
            made = args[0]
            for arg in args[1:]:
                text = f"{op} {BOOLS} {made}, {arg}"
                found = self._found(text)
                if found is None:
                    found = self._scopes[-1][text] = self.new(text)
                made = found
            return made
        if op == "not":
            return self.new(f"xor {BOOLS} {args[0]}, splat (i1 true)")
        if op == "xor":
            return self.new(f"xor {BOOLS} {args[0]}, {args[1]}")
        if op == "select":
            kind = BOOLS if node.boolean else INTS
            return self.new(f"select {BOOLS} {args[0]}, {kind} {args[1]}, {kind} {args[2]}")
        if op == "number":
            return self.new(f"zext {BOOLS} {args[0]} to {INTS}")
        if op in ("shl", "shr"):
            name = "shl" if op == "shl" else "ashr"
            return self.new(f"{name} {INTS} {args[0]}, {splat(node.value)}")
        if op == "bit":
            return self._bit(node, 0)
        if op == "popcount":
            return self.new(f"call {INTS} @llvm.ctpop.v{LANES}i64({INTS} {args[0]})")
        assert op in ("floordiv", "mod"), op
        return self._divided(node, args)

    # Leaves, and comparisons of leaves at their place in the word

    def _field(self, node: Node) -> tuple[LeafBits, int] | None:
        """The leaf and its bits in a comparison with a constant, if the comparison needs nothing
        else.

        They are compared in place: all values there are less than 2**63.
        """
        if node.op not in ("eq", "lt") or not node.args[1].constant:
            return None
        a, b = node.args
        bits = -1
        if a.op == "band" and a.args[1].constant:
            a, bits = a.args[0], a.args[1].value
        if a.op != "leaf":
            return None
        slot = self.slots[a.value]
        if slot.shift + slot.bits > 63 or not 0 <= b.value <= slot.mask:
            return None
        return (slot, slot.mask & bits) if slot.mask & bits else None

    def _compared(self, node: Node, negated: bool) -> str:
        """A comparison, or its opposite."""
        equal = "ne" if negated else "eq"
        field = self._field(node)
        if field is None:
            a, b = (self.value(arg) for arg in node.args)
        else:
            slot, mask = field
            wanted = node.args[1].value
            if node.op == "eq" and wanted == mask and mask & (mask - 1) == 0:
                wanted, equal = 0, "eq" if negated else "ne"  # one bit, so one instruction
            a, b = self._kept(slot.word, mask << slot.shift), splat(wanted << slot.shift)
        kind = equal if node.op == "eq" else "sge" if negated else "slt"
        return self.new(f"icmp {kind} {INTS} {a}, {b}")

    def _alike(self, node: Node) -> dict[Node, LeafBits]:
        """The equations of a conjunction that several fields of a word can satisfy at once.

        Not nested: computing one needs values, and Python's stack is limited.
        """
        if self._within == DEEPEST:
            return {}
        if node not in self._equations:
            words: dict[int, dict[Node, LeafBits]] = {}
            for arg in node.args:
                if arg.op == "eq" and arg.args[0].op == "leaf" and self._known(arg) is None:
                    slot, other = self.slots[arg.args[0].value], arg.args[1]
                    fields = words.setdefault(slot.word, {})
                    fits = other.low >= 0 and other.high <= slot.mask
                    if fits and slot not in fields.values():
                        fields[arg] = slot
            several = [found for found in words.values() if len(found) > 1]
            self._equations[node] = several[0] if several else {}
        return self._equations[node]

    def _equal_fields(self, node: Node) -> str:
        """A conjunction in which some fields of a word are compared at once."""
        alike = self._alike(node)
        word = next(iter(alike.values())).word
        mask = sum(slot.mask << slot.shift for slot in alike.values())
        other = self._within_a_word([(arg.args[1], slot.shift) for arg, slot in alike.items()])
        made = self.new(f"icmp eq {INTS} {self._kept(word, mask)}, {other}")
        for arg in node.args:
            if arg not in alike:
                made = self.new(f"and {BOOLS} {made}, {self.value(arg)}")
        return made

    def _made_of_fields(self, node: Node) -> bool:
        """Whether a node is several numbers side by side, which are made at their places."""
        while node.op == "shl":
            node = node.args[0]
        return self._within < DEEPEST and _side_by_side(node)

    def _within_a_word(self, parts: Sequence[Part]) -> str:
        """As `joined`, in the middle of an instruction. Python's stack is limited."""
        self._within += 1
        made = self.joined(parts)
        self._within -= 1
        return made

    # Values made at their final place in the word

    def joined(self, parts: Sequence[Part], depth: int = 0) -> str:
        """Nodes, each shifted left to bits of its own, in one word.

        They are made at their final place. Choices with the same condition are made at once, and
        leaves that move equally move together.
        """
        key = tuple((node.id, shift) for node, shift in parts)
        found = self._found(key)
        if found is None:
            made = self._together(parts, depth)
            found = made[0] if made else splat(0)
            for other in made[1:]:
                found = self.new(f"or {INTS} {found}, {other}")
            self._scopes[-1][key] = found
        return found

    def _together(self, parts: Sequence[Part], depth: int) -> list[str]:
        """The parts of a word, to be joined."""
        made: list[str] = []
        fixed = 0
        leaves: dict[tuple[int, int], int] = {}
        choices: dict[Node, tuple[list[Part], list[Part]]] = {}
        for node, shift in _fields(parts):
            if node.constant:
                fixed |= node.value << shift
            elif node.op == "leaf":
                slot = self.slots[node.value]
                place = (slot.word, shift - slot.shift)
                leaves[place] = leaves.get(place, 0) | slot.mask << slot.shift
            elif self._chosen(node):
                made.append(self._moved(node, shift, depth))
            elif node.op in ("select", "number") and depth < DEEPEST:
                condition, a, b = node.args if node.op == "select" else (*node.args, _ONE, _ZERO)
                then, other = choices.setdefault(condition, ([], []))
                then.append((a, shift))
                other.append((b, shift))
            else:
                made.append(self._moved(node, shift, depth))
        for (word, by), mask in leaves.items():
            made.append(self._shifted(self._kept(word, mask), by))
        for condition, (then, other) in choices.items():
            a, b = self.joined(then, depth + 1), self.joined(other, depth + 1)
            made.append(self.new(f"select {BOOLS} {self.value(condition)}, {INTS} {a}, {INTS} {b}"))
        if fixed:
            made.append(splat(fixed))
        return made

    def _moved(self, node: Node, shift: int, depth: int) -> str:
        """The value of a node, shifted left."""
        if shift == 0:
            return self.value(node)
        if self._known(node) is None and depth < DEEPEST:
            if node.op in ("add", "sub", "band", "bor", "bxor"):
                a, b = (self.joined([(arg, shift)], depth + 1) for arg in node.args)
                return self.new(f"{_BINARY[node.op]} {INTS} {a}, {b}")
            if node.op == "bit":
                return self._bit(node, shift)
        return self._shifted(self.value(node), shift)

    def _shifted(self, made: str, by: int) -> str:
        """A register moved left, or right if that is negative."""
        if by == 0:
            return made
        return self.new(f"{'shl' if by > 0 else 'lshr'} {INTS} {made}, {splat(abs(by))}")

    def _bit(self, node: Node, shift: int) -> str:
        # Lanes without states may hold any position: a shift must stay within a word.
        within = (node.value or 64) - 1
        position = self.new(f"and {INTS} {self.value(node.args[0])}, {splat(within)}")
        return self.new(f"shl {INTS} {splat(1 << shift)}, {position}")

    def _divided(self, node: Node, args: Sequence[str]) -> str:
        """Division rounding down, and its remainder; a divisor of 0 (a failure) is taken as 1."""
        a, b = args
        by = node.args[1]
        if by.constant and by.value > 0 and by.value & (by.value - 1) == 0:
            if node.op == "mod":
                return self.new(f"and {INTS} {a}, {splat(by.value - 1)}")
            return self.new(f"ashr {INTS} {a}, {splat(by.value.bit_length() - 1)}")
        if by.constant and (known := reciprocal(node.args[0], by.value)) is not None:
            first, factor, shift = known
            moved = a if first == 0 else self.new(f"add {INTS} {a}, {splat(-first * by.value)}")
            product = self.new(f"mul {INTS} {moved}, {splat(factor)}")
            quotient = self.new(f"lshr {INTS} {product}, {splat(shift)}")
            if node.op == "mod":
                whole = self.new(f"mul {INTS} {quotient}, {b}")
                return self.new(f"sub {INTS} {moved}, {whole}")
            return quotient if first == 0 else self.new(f"add {INTS} {quotient}, {splat(first)}")
        if not by.constant:  # even if its interval excludes 0: lanes without states may hold 0
            bad = self.new(f"icmp eq {INTS} {b}, {splat(0)}")
            b = self.new(f"select {BOOLS} {bad}, {INTS} {splat(1)}, {INTS} {b}")
        rest = self.new(f"srem {INTS} {a}, {b}")
        inexact = self.new(f"icmp ne {INTS} {rest}, {splat(0)}")
        signs = self.new(f"xor {INTS} {rest}, {b}")
        apart = self.new(f"icmp slt {INTS} {signs}, {splat(0)}")
        off = self.new(f"and {BOOLS} {inexact}, {apart}")
        if node.op == "mod":
            up = self.new(f"add {INTS} {rest}, {b}")
            return self.new(f"select {BOOLS} {off}, {INTS} {up}, {INTS} {rest}")
        quotient = self.new(f"sdiv {INTS} {a}, {b}")
        down = self.new(f"add {INTS} {quotient}, {splat(-1)}")
        return self.new(f"select {BOOLS} {off}, {INTS} {down}, {INTS} {quotient}")

    # States

    def changed(self, before: Sequence[Node], after: Sequence[Node]) -> list[str]:
        """The words of a state of which some leaves have changed."""
        words = list(self.words)
        clear = [0] * len(words)
        parts: list[list[Part]] = [[] for _ in words]
        for slot, old, new in zip(self.layout.slots, before, after, strict=True):
            if new is not old:
                clear[slot.word] |= slot.mask << slot.shift
                parts[slot.word].append((new, slot.shift))
        for number, word in enumerate(words):
            if clear[number]:
                rest = self.new(f"and {INTS} {word}, {splat(~clear[number])}")
                words[number] = self.new(f"or {INTS} {rest}, {self.joined(parts[number])}")
        return words
