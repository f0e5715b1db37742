"""Formulas that exclude behaviours equivalent to others, so that a solver need not refute each.

Two behaviours are equivalent if they differ only in the names of symmetric actors, or in the order
of neighbouring steps that do not interfere. One of them is kept: the one whose moves, as numbers,
come first in lexicographic order. It has the same length and, up to names, the same last state, so
a violation is found at the same depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

from specmodel.domains import PositionDomain, ScalarDomain, SlottedDomain
from specmodel.domains.renaming import Renaming, involves, renamed, renamings_of, swaps_of
from specmodel.ir.symbolic.reading import leaves_read
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Formula
from specmodel.smt.relation import ActionRelation, Relation

MOST_RENAMINGS = 24
"""With more renamings, only swaps of two actors are excluded: formulas grow with their number."""


class NamesBroken:
    """Formulas: no renaming of the actors of symmetric sets makes a behaviour's moves come earlier.

    The sets have to be symmetric in the spec and in the property that is checked. Nothing is
    excluded if a move picks from slots that renaming sorts anew: its image depends on the state.
    """

    def __init__(self, encoding: Encoding, sets: Sequence[ScalarDomain]) -> None:
        self.encoding = encoding
        self.logic = encoding.logic
        if _picks_from_slots(encoding, sets):
            sets = ()
        orders = prod(factorial(found.size) for found in sets)
        renamings = renamings_of(sets) if orders <= MOST_RENAMINGS else swaps_of(sets)
        images = (_images(encoding.moves, renaming) for renaming in renamings)
        self.images = [found for found in images if found and found != sorted(found)]

    def step(self, depth: int) -> list[Formula]:
        """The formulas about the step from a depth."""
        logic, found = self.logic, list[Formula]()
        moves = self.encoding.choice(depth).moves
        for number, images in enumerate(self.images):
            before = logic.true if depth == 1 else self._alike(number, depth)
            later = [moves[i] for i, image in enumerate(images) if image < i]
            found.append(logic.implies(before, logic.negate(logic.either([logic.false, *later]))))
            changed = [moves[i] for i, image in enumerate(images) if image != i]
            same = logic.both([before, logic.negate(logic.either(changed))])
            found.append(self._alike(number, depth + 1) == same)
        return found

    def _alike(self, number: int, depth: int) -> Formula:
        """The variable: each move before a depth is its own image under a renaming."""
        return self.logic.bool_variable(f"alike under renaming {number} @{depth}")


def _picks_from_slots(encoding: Encoding, sets: Sequence[ScalarDomain]) -> bool:
    """Whether a move may pick from slots whose order depends on the names of the sets' members."""
    sorted_anew = any(
        isinstance(part, SlottedDomain) and involves(part.slot_key, sets)
        for part in encoding.relation.spec.domain.nested()
    )
    rules = {move.rule for move in encoding.moves} if sorted_anew else ()
    held = (part for r in rules for d in r.parameters.values() for part in d.nested())
    return any(isinstance(part, PositionDomain) for part in held)


def _images(moves: Sequence[ActionRelation], renaming: Renaming) -> list[int] | None:
    """The number of the image of each move under a renaming; None if an image is not a move."""
    numbers = {(m.rule.name, tuple(m.bound.values())): i for i, m in enumerate(moves)}
    found: list[int] = []
    for move in moves:
        pairs = zip(move.rule.parameters.values(), move.bound.values(), strict=True)
        image = (move.rule.name, tuple(renamed(d, v, renaming) for d, v in pairs))
        if image not in numbers:
            return None
        found.append(numbers[image])
    return found


class OrdersBroken:
    """Formulas: of two neighbouring steps that do not interfere, the earlier move comes first."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.logic = encoding.logic
        touched = [_touched(encoding.relation, move) for move in encoding.moves]
        self.later = [
            [j for j in range(i + 1, len(touched)) if _apart(touched[i], touched[j])]
            for i in range(len(touched))
        ]

    def steps(self, depth: int) -> list[Formula]:
        """The formulas about the step from a depth, at least 2, and the step before it."""
        logic, found = self.logic, list[Formula]()
        before, moves = self.encoding.choice(depth - 1).moves, self.encoding.choice(depth).moves
        for move, later in zip(moves, self.later, strict=True):
            if later:
                wrong = logic.either(before[i] for i in later)
                found.append(logic.negate(logic.both([move, wrong])))
        return found


def _touched(relation: Relation, move: ActionRelation) -> tuple[frozenset[int], frozenset[int]]:
    """The leaves of the state that a move reads, and those that it writes."""
    writes = [i for i, old in enumerate(relation.now) if move.after[i] is not old]
    looked_at = [move.guard, move.failure, *(move.after[i] for i in writes)]
    reads = {i for i in leaves_read(looked_at) if i < relation.width}
    return frozenset(reads), frozenset(writes)


def _apart(
    one: tuple[frozenset[int], frozenset[int]], other: tuple[frozenset[int], frozenset[int]]
) -> bool:
    """Whether neither of two moves writes a leaf that the other reads or writes."""
    (reads, writes), (others_reads, others_writes) = one, other
    return not (writes & (others_reads | others_writes) or others_writes & reads)
