"""Turns graph nodes into LLVM IR over vectors of states.

Every value is a vector with a lane a state: `<8 x i64>` for ints, `<8 x i1>` for bools. LLVM splits
them into whatever the machine has, so the same text runs with AVX-512, AVX2, NEON or nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from specmodel.ir.layout import Layout
from specmodel.ir.symbolic.graph import Node

LANES = 8
INTS = f"<{LANES} x i64>"
BOOLS = f"<{LANES} x i1>"

_BINARY = {"add": "add", "sub": "sub", "mul": "mul", "band": "and", "bor": "or", "bxor": "xor"}

DECLARATIONS = f"""\
declare {INTS} @llvm.ctpop.v{LANES}i64({INTS})
declare {INTS} @llvm.experimental.vector.compress.v{LANES}i64({INTS}, {BOOLS}, {INTS})
declare i8 @llvm.ctpop.i8(i8)
"""


def splat(value: int) -> str:
    """A constant in every lane. Words are unsigned; LLVM wants them signed."""
    value &= (1 << 64) - 1
    return f"splat (i64 {value - (1 << 64) if value >> 63 else value})"


class Emitter:
    """The instructions of one function, and which node is in which register.

    Registers of the straight path are good everywhere after; those made in a `scope` end with it.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.words: list[str] = []
        self.block = ""
        self._scopes: list[dict[int, str]] = [{}]
        self._names = 0

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """Begins a block; `block` is the one being written, as a phi needs to know it."""
        self.block = name
        self.lines.append(f"{name}:")

    def new(self, text: str) -> str:
        """A register holding the result of an instruction."""
        self._names += 1
        name = f"%x{self._names}"
        self.lines.append(f"  {name} = {text}")
        return name

    @contextmanager
    def only_if(self, condition: str, name: str) -> Generator[None]:
        """Instructions that run where an i1 is true. What they compute is not known afterwards."""
        self.line(f"br i1 {condition}, label %{name}, label %{name}_end")
        self.label(name)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.line(f"br label %{name}_end")
        self.label(f"{name}_end")

    def load_words(self, base: str, stride: str) -> None:
        """The words of the block of states at a pointer; from word to word it is `stride`."""
        self._scopes, self.words = [{}], []
        at = base
        for word in range(self.layout.words):
            if word:
                at = self.new(f"getelementptr i64, ptr {at}, i64 {stride}")
            self.words.append(self.new(f"load {INTS}, ptr {at}, align 8"))

    def store_words(self, words: Sequence[str], base: str, stride: str) -> None:
        """Stores the words of a block of states at a pointer, as `load_words` finds them."""
        at = base
        for number, word in enumerate(words):
            if number:
                at = self.new(f"getelementptr i64, ptr {at}, i64 {stride}")
            self.line(f"store {INTS} {word}, ptr {at}, align 8")

    # Nodes

    def value(self, node: Node) -> str:
        """The register (or constant) of a node, computed here if it is not yet."""
        pending = [node]
        while pending:
            top = pending[-1]
            if self._known(top) is not None:
                pending.pop()
                continue
            missing = [a for a in top.args if self._known(a) is None]
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
        for scope in reversed(self._scopes):
            if node.id in scope:
                return scope[node.id]
        return None

    def _emit(self, node: Node) -> str:
        op = node.op
        if op == "leaf":
            return self._leaf(node.value)
        args = [self.value(a) for a in node.args]
        if op in _BINARY:
            return self.new(f"{_BINARY[op]} {INTS} {args[0]}, {args[1]}")
        if op in ("and", "or"):
            made = args[0]
            for arg in args[1:]:
                made = self.new(f"{op} {BOOLS} {made}, {arg}")
            return made
        if op == "not":
            return self.new(f"xor {BOOLS} {args[0]}, splat (i1 true)")
        if op == "xor":
            return self.new(f"xor {BOOLS} {args[0]}, {args[1]}")
        if op == "eq":
            return self.new(f"icmp eq {INTS} {args[0]}, {args[1]}")
        if op == "lt":
            return self.new(f"icmp slt {INTS} {args[0]}, {args[1]}")
        if op == "select":
            kind = BOOLS if node.boolean else INTS
            return self.new(f"select {BOOLS} {args[0]}, {kind} {args[1]}, {kind} {args[2]}")
        if op == "number":
            return self.new(f"zext {BOOLS} {args[0]} to {INTS}")
        if op in ("shl", "shr"):
            name = "shl" if op == "shl" else "ashr"
            return self.new(f"{name} {INTS} {args[0]}, {splat(node.value)}")
        if op == "bit":
            position = self.new(f"and {INTS} {args[0]}, {splat(63)}")
            return self.new(f"shl {INTS} {splat(1)}, {position}")
        if op == "popcount":
            return self.new(f"call {INTS} @llvm.ctpop.v{LANES}i64({INTS} {args[0]})")
        assert op in ("floordiv", "mod"), op
        return self._divided(node, args)

    def _leaf(self, number: int) -> str:
        slot = self.layout.slots[number]
        made = self.words[slot.word]
        if slot.shift:
            made = self.new(f"lshr {INTS} {made}, {splat(slot.shift)}")
        if slot.shift + slot.bits < 64:
            made = self.new(f"and {INTS} {made}, {splat(slot.mask)}")
        return made

    def _divided(self, node: Node, args: Sequence[str]) -> str:
        """Division rounding down, and its remainder; a divisor of 0 (a failure) is taken as 1."""
        a, b = args
        by = node.args[1]
        if by.constant and by.value > 0 and by.value & (by.value - 1) == 0:
            if node.op == "mod":
                return self.new(f"and {INTS} {a}, {splat(by.value - 1)}")
            return self.new(f"ashr {INTS} {a}, {splat(by.value.bit_length() - 1)}")
        if by.low <= 0 <= by.high:
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
        fixed = [0] * len(words)
        parts: list[list[str]] = [[] for _ in words]
        for slot, old, new in zip(self.layout.slots, before, after, strict=True):
            if new is old:
                continue
            clear[slot.word] |= slot.mask << slot.shift
            if new.constant:
                fixed[slot.word] |= new.value << slot.shift
                continue
            part = self.value(new)
            if slot.shift:
                part = self.new(f"shl {INTS} {part}, {splat(slot.shift)}")
            parts[slot.word].append(part)
        for number, word in enumerate(words):
            if not clear[number]:
                continue
            made = self.new(f"and {INTS} {word}, {splat(~clear[number])}")
            for part in parts[number]:
                made = self.new(f"or {INTS} {made}, {part}")
            if fixed[number]:
                made = self.new(f"or {INTS} {made}, {splat(fixed[number])}")
            words[number] = made
        return words

    def compress_into(
        self, words: Sequence[str], mask: str, base: str, stride: str, at: str
    ) -> None:
        """Stores a mask's lanes side by side from an entry on; up to LANES entries are written."""
        target = self.new(f"getelementptr i64, ptr {base}, i64 {at}")
        for number, word in enumerate(words):
            if number:
                target = self.new(f"getelementptr i64, ptr {target}, i64 {stride}")
            kept = self.new(
                f"call {INTS} @llvm.experimental.vector.compress.v{LANES}i64"
                f"({INTS} {word}, {BOOLS} {mask}, {INTS} poison)"
            )
            self.line(f"store {INTS} {kept}, ptr {target}, align 8")

    def bits(self, mask: str) -> str:
        """A mask of lanes as an i8."""
        return self.new(f"bitcast {BOOLS} {mask} to i8")
