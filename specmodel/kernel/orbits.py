"""The least state of an orbit, where a front end says what permutations make of a state.

An effect makes a state, and its properties are judged of this state. After all steps of a block,
`least_of_orbit` puts the least states of their orbits in the places of the successors, with a
function for each permutation: effects are called for a few states, and this for LANES at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.order import least_leaves
from specmodel.kernel.function import KernelFunction
from specmodel.kernel.parts import HEAD
from specmodel.kernel.program import Program
from specmodel.machine.words import LANES

LEAST = "@least_of_orbit(ptr %out, i64 %out_stride)"
"""Puts the least states of the orbits of LANES states in their places."""

_FUNCTIONS = 12
"""The permutations of a module. A module is compiled while the next is written."""

_RENAMED = "(ptr %out, i64 %out_stride, ptr %raw)"


def orbit_modules(program: Program) -> Iterator[str]:
    """The modules of `least_of_orbit`; none if states stand for themselves."""
    if not program.orbit:
        return
    numbered = enumerate(program.orbit)
    while some := list(islice(numbered, _FUNCTIONS)):
        yield "\n".join([HEAD, *(_Renamed(program).text_of(*renamed) for renamed in some)])
    yield "\n".join([HEAD, _Least(program).whole()])


class _Renamed(KernelFunction):
    """Puts what a permutation makes of states in the place of others, where it comes first."""

    def text_of(self, number: int, renamed: Sequence[Node]) -> str:
        """The text of the function; `renamed` are the leaves of what becomes of a second state."""
        e, layout, best = self.e, self.program.layout, self.program.leaves
        e.lines.append(f"define hidden void @renamed_{number}{_RENAMED} {{")
        e.label("entry")
        e.load_step(("%out", "%out_stride"), ("%raw", str(LANES)))
        least = least_leaves(self.graph, [best, renamed], layout)
        e.store_words(e.changed(best, least)[: layout.words], "%out", "%out_stride")
        e.line("ret void")
        return self.text()


class _Least(KernelFunction):
    """Keeps a copy of the states for all permutations."""

    def whole(self) -> str:
        """The text of the function."""
        e, count = self.e, len(self.program.orbit)
        e.lines += [f"declare hidden void @renamed_{n}{_RENAMED}" for n in range(count)]
        e.lines.append(f"define hidden i64 {LEAST} {{")
        e.label("entry")
        e.line(f"%raw = alloca [{self.program.layout.words * LANES} x i64], align 64")
        e.load_words("%out", "%out_stride")
        e.store_words(e.words, "%raw", str(LANES))
        for number in range(count):
            e.line(f"call void @renamed_{number}{_RENAMED}")
        e.line("ret i64 0")
        return self.text()
