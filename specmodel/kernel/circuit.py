"""Logic on masks, as a table of gates that a small native function runs.

The conditions on states are logic on a few comparisons, and can have thousands of lines. Compiling
them would take longer than everything else, and they run only once for 512 states. So they are
data: gates that each join two masks by *and*, each negated or not. All other logic consists of
these gates (an and-inverter graph), and equal gates are one. `specmodel.kernel.masks` runs them.

A *literal* is twice the number of a mask, and 1 more for its negation. Masks of states and
comparisons are numbered by their places in the scratch. Gates continue the numbering, but have a
place only while their masks are needed: so few places stay in the fastest cache. Outputs have
places of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from specmodel.dataclass import dataclass
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.point_conditions import Path
from specmodel.kernel.blocks import BlockComparisons
from specmodel.kernel.context import ContextLayout
from specmodel.kernel.masks import BLOCK
from specmodel.kernel.tables import table
from specmodel.machine.words import LANES

LIVE, NONE, ALL = 0, 2, 3
"""The literals of the states that exist, of no states, and of all bits."""


@dataclass(frozen=True)
class Placed:
    """Gates as they run: two literals of places, and the place of the result."""

    gates: tuple[tuple[int, int, int], ...]
    after: int

    @classmethod
    def of(cls, first: int, gates: Sequence[tuple[int, int]], outputs: Sequence[int]) -> Placed:
        """Places for numbered gates: outputs from `first` on, then as many as necessary.

        An output that is a negation, or that repeats another, takes a further gate; a gate that no
        output depends on takes none.
        """
        pinned: dict[int, int] = {}
        copies: list[tuple[int, int]] = []
        for place, literal in enumerate(outputs, first):
            gate = literal // 2 - first
            if literal % 2 or gate < 0 or gate in pinned:
                copies.append((literal, place))
            else:
                pinned[gate] = place
        last = _last_uses(first, gates, [*pinned, *(copy // 2 - first for copy, _ in copies)])
        places = dict(pinned)
        free: list[int] = []
        after = first + len(outputs)

        def placed(literal: int) -> int:
            gate = literal // 2 - first
            return literal if gate < 0 else 2 * places[gate] + literal % 2

        made: list[tuple[int, int, int]] = []
        for number, (a, b) in enumerate(gates):
            if number not in last:
                continue
            operands = placed(a), placed(b)
            for operand in {a // 2 - first, b // 2 - first}:
                if last.get(operand) == number:
                    free.append(places[operand])
            if number not in places:
                if not free:
                    free.append(after)
                    after += 1
                places[number] = free.pop()
            made.append((*operands, places[number]))
        made += [(placed(literal), ALL, place) for literal, place in copies]
        return cls(tuple(made), after)


def _last_uses(first: int, gates: Sequence[tuple[int, int]], kept: Iterable[int]) -> dict[int, int]:
    """For each needed gate, the last gate that depends on it; for kept ones, none."""
    last = {gate: len(gates) for gate in kept if gate >= 0}
    for number in range(len(gates) - 1, -1, -1):
        if number in last:
            for operand in (literal // 2 - first for literal in gates[number]):
                if operand >= 0:
                    last.setdefault(operand, number)
    return last


class Circuit:
    """Gates on the comparisons of a block, and the masks that are wanted afterwards."""

    def __init__(self, name: str, comparisons: BlockComparisons) -> None:
        self.name = name
        self.comparisons = comparisons
        self.gates: list[tuple[int, int]] = []
        self.notes: list[tuple[int, int, int, int]] = []
        self._outputs: list[int] = []
        self._known: dict[tuple[int, int], int] = {}
        self._nodes: dict[int, int] = {}

    def output(self, literal: int) -> int:
        """A place of its own for a mask, numbered in the order of the calls."""
        self._outputs.append(literal)
        return self.comparisons.after + len(self._outputs) - 1

    @cached_property
    def placed(self) -> Placed:
        """The gates with their places, once no gate will be added."""
        return Placed.of(self.comparisons.after, self.gates, self._outputs)

    @property
    def after(self) -> int:
        """The first place after those of the gates."""
        return self.placed.after

    def both(self, a: int, b: int) -> int:
        """The literal that is true where two are."""
        a, b = min(a, b), max(a, b)
        if NONE in (a, b) or a ^ b == 1:
            return NONE
        if ALL in (a, b) or a == b:
            return a if b == ALL else b
        found = self._known.get((a, b))
        if found is None:
            found = self._known[a, b] = 2 * (self.comparisons.after + len(self.gates))
            self.gates.append((a, b))
        return found

    def either(self, a: int, b: int) -> int:
        return self.both(a ^ 1, b ^ 1) ^ 1

    def negate(self, a: int) -> int:
        return a ^ 1

    def any_of(self, literals: Iterable[int]) -> int:
        found = NONE
        for literal in literals:
            found = self.either(found, literal)
        return found

    def all_of(self, literals: Iterable[int]) -> int:
        found = ALL
        for literal in literals:
            found = self.both(found, literal)
        return found

    def select(self, condition: int, a: int, b: int) -> int:
        return self.either(self.both(condition, a), self.both(condition ^ 1, b))

    def path(self, path: Path) -> int:
        """The literal of a path: all of its conditions hold. Paths share their common prefixes."""
        return self.all_of(map(self.node, path))

    def node(self, node: Node) -> int:
        """The literal of a node: the node is true."""
        if node.constant:
            return ALL if node.value else NONE
        if node.id not in self._nodes:
            self._nodes[node.id] = self._node(node)
        return self._nodes[node.id]

    def _node(self, node: Node) -> int:
        place = self.comparisons.places.get(node.id)
        if place is not None:
            return 2 * place
        args = [self.node(arg) for arg in node.args]
        if node.op == "not":
            return args[0] ^ 1
        if node.op == "xor":
            return self.select(args[0], args[1] ^ 1, args[1])
        if node.op == "select":
            return self.select(args[0], args[1], args[2])
        assert node.op in ("and", "or"), node.op
        return self.all_of(args) if node.op == "and" else self.any_of(args)

    def note(
        self, context: ContextLayout, mask: int, record: int, binding: int, wanted: int | None
    ) -> None:
        """Notes the states of a mask, if the `wanted` record is looked for."""
        if mask != NONE:
            index = 0 if wanted is None else context.record(wanted)
            self.notes.append((self.output(mask), context.record(record), binding, index))

    def tables(self) -> str:
        """The gates and notes as constants of the module."""
        gates = [
            n
            for a, b, place in self.placed.gates
            for n in (_operand(a) | _operand(b) << 32, place * LANES)
        ]
        notes = [number for note in self.notes for number in note]
        return table(f"{self.name}_gates", gates) + table(f"{self.name}_notes", notes)

    def run(self) -> str:
        """The call that runs all gates."""
        return (
            f"call void @run_gates(ptr @{self.name}_gates, i64 {len(self.placed.gates)}, "
            "ptr %scratch)"
        )

    def tell(self) -> str:
        """The call that notes the findings in the block at %at."""
        return (
            f"call void @note_found(ptr @{self.name}_notes, i64 {len(self.notes)}, ptr %in, "
            "i64 %stride, i64 %at, ptr %scratch, ptr %context)"
        )

    def by_blocks(
        self,
        header: str,
        begin: str,
        first: str,
        then: str,
        end: str,
        bindings: int = 1,
        scratch: int = 0,
    ) -> str:
        """A function that runs the gates block by block and does `then` in each, and its scratch.

        The current block is at %at, the first at `first`; `begin` comes before all, `end` after.
        Each block is run for this number of bindings of a loop, %nth after %nth. What `end` calls
        needs so many words of scratch.
        """
        return f"""\
{self.tables()}
define {header} {{
entry:
  {begin}
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i_next, %next ]
  %left = sub i64 %n, %i
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %body, label %done
body:
  %at = add i64 {first}, %i
  %size = call i64 @llvm.smin.i64(i64 %left, i64 {BLOCK})
  %eights = call i64 @begin_block(i64 %size, ptr %scratch)
  br label %binding
binding:
  %nth = phi i64 [ 0, %body ], [ %nth_next, %binding ]
  {self.comparisons.calls()}
  {self.run()}
  {then}
  %nth_next = add i64 %nth, 1
  %again = icmp slt i64 %nth_next, {bindings}
  br i1 %again, label %binding, label %next
next:
  %i_next = add i64 %i, {BLOCK}
  br label %head
done:
  {end}
}}

define i64 @scratch_of_{self.name}() {{
  ret i64 {max(self.after * LANES, scratch)}
}}
"""


def _operand(literal: int) -> int:
    """A literal of a place as `masks.run_gates` takes it."""
    return literal // 2 * LANES + literal % 2
