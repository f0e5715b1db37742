"""Blocks of 512 states with a bit for each: the result of a condition is a *mask* of 512 bits.

Comparisons work on eight states at a time and write a bit for each state to the *scratch*. The rest
is logic on masks (`specmodel.kernel.circuit`), so deciding whether a binding is enabled costs a few
instructions for 512 states. The scratch has places of LANES words, each for a mask: place 0 has the
states that exist, place 1 is empty, then come the comparisons, and users of a block may have
further places.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from specmodel.ir.layout import Layout
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.context import LINE, ContextLayout
from specmodel.kernel.emit import Emitter
from specmodel.kernel.masks import BLOCK
from specmodel.machine.words import LANES

ATOMS_A_FUNCTION = 192
"""Generating code takes more than linear time in the length of a function."""


def scratch_of(context: ContextLayout) -> str:
    """The instructions that find the scratch after a context, at the start of a cache line."""
    return f"""\
%beyond = getelementptr i64, ptr %context, i64 {context.size + LINE - 1}
  %beyond_at = ptrtoint ptr %beyond to i64
  %line_at = and i64 %beyond_at, {-8 * LINE}
  %scratch = inttoptr i64 %line_at to ptr"""


class BlockComparisons:
    """The comparisons that decide some conditions, and their places in the scratch.

    With `sizes`, they depend on the parameters of a loop: they are those of binding %nth.
    """

    def __init__(
        self, name: str, layout: Layout, nodes: Iterable[Node], sizes: Sequence[int] = ()
    ) -> None:
        self.layout = layout
        self.sizes = sizes
        atoms = _atoms(nodes)
        self.places = {node.id: place for place, node in enumerate(atoms, start=2)}
        parts = [atoms[i : i + ATOMS_A_FUNCTION] for i in range(0, len(atoms), ATOMS_A_FUNCTION)]
        self._parts = {f"{name}_compare_{number}": part for number, part in enumerate(parts)}

    @property
    def after(self) -> int:
        """The first place after those of comparisons."""
        return len(self.places) + 2

    def functions(self) -> list[str]:
        """The functions that make them, for the states of a block."""
        return [self._function(name, atoms) for name, atoms in self._parts.items()]

    def calls(self) -> str:
        """The calls that make all of them: for %eights vectors of states, from %at on."""
        return "\n  ".join(
            f"call void @{name}(ptr %in, i64 %stride, i64 %at, i64 %eights, ptr %scratch"
            f"{', i64 %nth' if self.sizes else ''})"
            for name in self._parts
        )

    def _function(self, name: str, atoms: Sequence[Node]) -> str:
        e = Emitter(self.layout)
        with each_vector(e, name, "ptr %in", self.sizes):
            e.load_words(e.new("getelementptr i64, ptr %in, i64 %from"), "%stride")
            for atom in atoms:
                target = mask_at(e, self.places[atom.id])
                e.line(f"store i8 {e.bits(e.value(atom))}, ptr {target}, align 1")
        return e.text()


@contextmanager
def each_vector(e: Emitter, name: str, columns: str, sizes: Sequence[int] = ()) -> Generator[None]:
    """A function that loops over the vectors of a block: %from is the first state of a vector.

    With the `sizes` of parameters, it is for binding %nth of a loop.
    """
    e.lines.append(
        f"define internal void @{name}({columns}, i64 %stride, i64 %at, i64 %eights, "
        f"ptr %scratch{', i64 %nth' if sizes else ''}) {{"
    )
    e.label("entry")
    e.bind(sizes, "%nth", name)
    e.line("br label %body")
    e.label("body")
    e.line("%i = phi i64 [ 0, %entry ], [ %i_next, %body ]")
    e.line(f"%from = add i64 %at, {e.new(f'mul i64 %i, {LANES}')}")
    e.line("%bits_at = getelementptr i8, ptr %scratch, i64 %i")
    yield
    e.line("%i_next = add i64 %i, 1")
    e.line("%more = icmp slt i64 %i_next, %eights")
    e.line("br i1 %more, label %body, label %done")
    e.label("done")
    e.line("ret void")
    e.lines.append("}\n")


def mask_at(e: Emitter, place: int) -> str:
    """The place of the current vector's bits in a mask."""
    return e.new(f"getelementptr i8, ptr %bits_at, i64 {place * BLOCK // 8}")


def _atoms(nodes: Iterable[Node]) -> list[Node]:
    """The comparisons in some conditions, in a fixed order."""
    found: dict[int, Node] = {}
    seen: set[int] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.id in seen or node.constant:
            continue
        seen.add(node.id)
        if all(arg.boolean for arg in node.args) and node.args:
            pending.extend(node.args)
        else:
            found[node.id] = node
    return [found[number] for number in sorted(found)]
