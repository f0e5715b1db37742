"""The uses of the parts of a state: which are written, and which decide anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from specmodel.dataclass import dataclass
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.reading import leaves_read
from specmodel.kernel.program import Program


@dataclass
class Uses:
    """The leaves of a state, by number, by their uses.

    `written`: some action changes them. `guarding`: the guards of some action depend on them.
    `judged`: a property or constraint depends on them. `feeding` has for each leaf the leaves whose
    next value depends on it. `shrinking`: some action may decrease them.
    """

    written: set[int] = field(default_factory=set[int])
    guarding: set[int] = field(default_factory=set[int])
    judged: set[int] = field(default_factory=set[int])
    shrinking: set[int] = field(default_factory=set[int])
    feeding: dict[int, set[int]] = field(default_factory=dict[int, set[int]])

    def behind(self, leaves: Iterable[int]) -> set[int]:
        """All leaves on which these depend, directly or not, themselves included."""
        found: set[int] = set()
        pending = list(leaves)
        sources: dict[int, set[int]] = {}
        for source, fed in self.feeding.items():
            for leaf in fed:
                sources.setdefault(leaf, set()).add(source)
        while pending:
            leaf = pending.pop()
            if leaf not in found:
                found.add(leaf)
                pending.extend(sources.get(leaf, ()))
        return found


def uses(program: Program) -> Uses:
    """The uses of the leaves of a program's states, with its constants and properties."""
    found = Uses()
    for move in program.moves(loops=True):
        found.guarding |= leaves_read([move.guard])
        for leaf, (before, after) in enumerate(zip(program.leaves, move.after, strict=True)):
            if after is not before:
                found.written.add(leaf)
                if _growth(after, before) is None:
                    found.shrinking.add(leaf)
                for source in leaves_read([after]):
                    found.feeding.setdefault(source, set()).add(leaf)
    judged = leaves_read(_judgements(program))
    found.judged = {leaf % len(program.leaves) for leaf in judged}
    return found


def _growth(after: Node, before: Node) -> int | None:
    """A lower bound on the increase of a value in a step, None if it may decrease.

    If the operations alone do not show the increase, the value counts as decreasing.
    """
    if after is before:
        return 0
    if after.op == "add":
        for one, other in (after.args, after.args[::-1]):
            least = _growth(one, before)
            if least is not None and least + other.low >= 0:
                return least + other.low
    if after.op == "select":
        condition, yes, no = after.args
        if condition.op == "lt" and condition.args == (no, yes):
            return _growth(no, before)  # the greater of the two
        least = [_growth(yes, before), _growth(no, before)]
        known = [n for n in least if n is not None]
        return min(known) if len(known) == len(least) else None
    return None


def _judgements(program: Program) -> Iterable[Node]:
    """The nodes of properties and constraints; leaves after a step have numbers of their own."""
    states = len(program.leaves)
    after: Sequence[Node] = [
        program.graph.leaf(states + i, leaf.high) for i, leaf in enumerate(program.leaves)
    ]
    judged = [j for role in ("invariant", "reachable") for _, j in program.judged(role)]
    judged += [j for _, j in program.stepped(after)]
    judged += program.bounds()
    for judgement in judged:
        yield judgement.node
        for failure in judgement.failures:
            yield failure.node
