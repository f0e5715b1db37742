"""The instructions of a native function, as LLVM IR text: words of states, and leaves in them.

Every value is a vector with a lane for each state: `<8 x i64>` for ints, `<8 x i1>` for bools. LLVM
splits the vectors for the machine, so the same text runs with AVX-512, AVX2, NEON or without
vectors.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import replace

from specmodel.ir.layout import Layout, LeafBits
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.chosen import LeafTables, chosen_leaves
from specmodel.machine.words import LANES

INTS = f"<{LANES} x i64>"
BOOLS = f"<{LANES} x i1>"

DECLARATIONS = f"""\
declare {INTS} @llvm.ctpop.v{LANES}i64({INTS})
declare {INTS} @llvm.experimental.vector.compress.v{LANES}i64({INTS}, {BOOLS}, {INTS})
declare i8 @llvm.ctpop.i8(i8)
declare i64 @llvm.smin.i64(i64, i64)
"""


def splat(value: int) -> str:
    """A constant in every lane. Words are unsigned; LLVM wants them signed."""
    value &= (1 << 64) - 1
    return f"splat (i64 {value - (1 << 64) if value >> 63 else value})"


class Instructions:
    """The instructions of one function, and the registers that it has.

    Registers of the straight path are valid everywhere after; those made in a `scope` end with it.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.slots: Sequence[LeafBits] = layout.slots
        """The bits of each leaf in the `words`."""
        self.lines: list[str] = []
        self.words: list[str] = []
        self.parameters: list[str] = []
        """The registers of the parameters of a loop over bindings."""
        self.binding = ""
        """The register of the number of the binding, if a table has it."""
        self.tables: LeafTables | None = None
        """The places of the leaves that the parameters of a loop choose."""
        self.block = ""
        self._scopes: list[dict[Hashable, str]] = [{}]
        self._names = 0

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def text(self) -> str:
        """The text of the function, after its tables."""
        return "\n".join([*(self.tables.texts if self.tables else ()), *self.lines])

    def label(self, name: str) -> None:
        """Begins a basic block; a phi needs its name, `block`."""
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
        """Instructions that run only if an i1 is true. Their values are not known afterwards."""
        self.line(f"br i1 {condition}, label %{name}, label %{name}_end")
        self.label(name)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.line(f"br label %{name}_end")
        self.label(f"{name}_end")

    def load_words(self, base: str, stride: str) -> None:
        """The words of the block of states at a pointer; `stride` is the distance of two words."""
        self._scopes, self.words = [{}], []
        self._base, self._stride = base, stride
        at = base
        for word in range(self.layout.words):
            if word:
                at = self.new(f"getelementptr i64, ptr {at}, i64 {stride}")
            self.words.append(self.new(f"load {INTS}, ptr {at}, align 8"))

    def load_step(self, states: tuple[str, str], after: tuple[str, str]) -> None:
        """The words of a block of states and of their successors, whose leaves follow theirs.

        Of both, the pointer and the distance of two words.
        """
        self.load_words(*states)
        before = self.words
        self.load_words(*after)
        self.words = [*before, *self.words]
        words = self.layout.words
        self.slots = [*self.slots, *(replace(s, word=words + s.word) for s in self.slots)]

    def store_words(self, words: Sequence[str], base: str, stride: str) -> None:
        """Stores the words of a block of states at a pointer, as `load_words` finds them."""
        at = base
        for number, word in enumerate(words):
            if number:
                at = self.new(f"getelementptr i64, ptr {at}, i64 {stride}")
            self.line(f"store {INTS} {word}, ptr {at}, align 8")

    def bind(self, sizes: Sequence[int], binding: str, name: str) -> None:
        """Makes the parameters of a binding of a loop: its digits, the last parameter's lowest.

        `name` is that of the function, which the block is the first of that a binding runs.
        """
        rest, codes = binding, list[str]()
        for size in reversed(sizes):
            codes.append(self.new(f"urem i64 {rest}, {size}"))
            rest = self.new(f"udiv i64 {rest}, {size}")
        self.parameters = [self._splat(code) for code in reversed(codes)]
        self._ahead = len(self.lines)
        if codes:
            self.tables = LeafTables(name, codes[::-1], self._once)

    def _once(self, text: str) -> str:
        """As `new`, where the parameters are made."""
        self._names += 1
        name = f"%x{self._names}"
        self.lines.insert(self._ahead, f"  {name} = {text}")
        self._ahead += 1
        return name

    def load_parameters(self, table: str, width: int, row: str) -> None:
        """Makes the parameters of a row of a table, and the binding's number, which is the last."""
        start = self.new(f"mul i64 {row}, {width}")
        made: list[str] = []
        for column in range(width):
            at = self.new(f"add i64 {start}, {column}")
            place = self.new(f"getelementptr i64, ptr @{table}, i64 {at}")
            made.append(self.new(f"load i64, ptr {place}, align 8"))
        self.binding = made.pop()
        self.parameters = [self._splat(code) for code in made]

    def _splat(self, code: str) -> str:
        """A number in every lane."""
        one = self.new(f"insertelement {INTS} poison, i64 {code}, i64 0")
        zeros = f"<{LANES} x i32> zeroinitializer"
        return self.new(f"shufflevector {INTS} {one}, {INTS} poison, {zeros}")

    def _found(self, key: Hashable) -> str | None:
        for scope in reversed(self._scopes):
            if key in scope:
                return scope[key]
        return None

    # Leaves

    def _leaf(self, number: int) -> str:
        slot = self.slots[number]
        made = self.words[slot.word]
        if slot.shift + slot.bits < 64:
            made = self._kept(slot.word, slot.mask << slot.shift)
        return self.new(f"lshr {INTS} {made}, {splat(slot.shift)}") if slot.shift else made

    def _kept(self, word: int, mask: int) -> str:
        """Some bits of a word of the state."""
        key = (word, mask)
        found = self._found(key)
        if found is None:
            found = self.new(f"and {INTS} {self.words[word]}, {splat(mask)}")
            self._scopes[-1][key] = found
        return found

    def _chosen(self, node: Node) -> tuple[int, list[LeafBits]] | None:
        """The parameter and the places of a choice among leaves, all of one size."""
        found = chosen_leaves(node) if self.tables is not None and node.op == "select" else None
        if found is None:
            return None
        slots = [self.slots[number] for number in found[1]]
        words = self.layout.words
        fits = all(slot.bits == slots[0].bits and slot.word < words for slot in slots)
        return (found[0], slots) if fits else None

    def _chosen_leaf(self, parameter: int, slots: Sequence[LeafBits]) -> str:
        assert self.tables is not None
        word, shift = self.tables.word(parameter, slots), self.tables.shift(parameter, slots)
        key = "word", word
        held = self._found(key)
        if held is None:
            offset = self.new(f"mul i64 {word}, {self._stride}")
            place = self.new(f"getelementptr i64, ptr {self._base}, i64 {offset}")
            held = self._scopes[-1][key] = self.new(f"load {INTS}, ptr {place}, align 8")
        moved = self.new(f"lshr {INTS} {held}, {self._splat(shift)}")
        return self.new(f"and {INTS} {moved}, {splat(slots[0].mask)}")

    # Lanes

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
