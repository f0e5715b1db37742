"""Faults in symmetry."""

from __future__ import annotations

from tests.planted.fault import (
    COMPILED,
    COUNTED,
    ORBITS,
    REFUSALS,
    RENAMED,
    SORTED,
    VIEWED,
    Fault,
)

SLOTS = (
    Fault(
        "slots are not sorted after a renaming",
        "kernel/canonical.py",
        "        _exchange(e, moved, exchange)",
        "        pass",
        (SORTED,),
    ),
    Fault(
        "leaves with different numbers of bits are compared as one",
        "ir/symmetry/swaps.py",
        " if runs and one.bits == other.bits else None",
        " if runs else None",
        (SORTED,),
    ),
    Fault(
        "slots are sorted whatever alternative a union has",
        "ir/symmetry/swaps.py",
        ", Equals(slot.word, slot.in_word, number << slot.shift))",
        ")",
        (SORTED,),
    ),
    Fault(
        "slots of actors count as ordered",
        "ir/symmetry/check.py",
        "isinstance(kind, SlottedDomain | SetDomain | MapDomain)",
        "isinstance(kind, SetDomain | MapDomain)",
        (REFUSALS,),
    ),
    Fault(
        "two members may give a key two values",
        "ir/symmetry/check.py",
        'if term.kind == "entries" and not self._tells_apart(term.body, loop):',
        "if False:",
        (REFUSALS,),
    ),
    Fault(
        "renamed values need no place in the types",
        "tla/symbolic/sampling.py",
        "zip(self.spec.symmetry, self._renamed, strict=True)",
        "zip((), ())",
        (RENAMED,),
    ),
    Fault(
        "the least state is that of all variables, not of the view",
        "ir/symbolic/order.py",
        "for place in layout.order:",
        "for place in range(len(a)):",
        (VIEWED,),
    ),
    Fault(
        "the evaluator has the least state, not the least view",
        "tla/search.py",
        "        if view is None:",
        "        if view is None or self.orbits is not None:",
        (COUNTED,),
    ),
    Fault(
        "values with the same hash have no order",
        "tla/symmetry.py",
        "min(found, key=order_key)",
        "found.pop()",
        (ORBITS,),
    ),
    Fault(
        "the order in which variables are compared is not that of their orbit",
        "tla/symmetry.py",
        "key=_size_in(state)",
        "key=lambda place: hash(state[place])",
        (ORBITS,),
    ),
    Fault(
        "the first successors of a block stay as they are",
        "kernel/expanding.py",
        "for j in range(context.count, count, LANES):",
        "for j in range(context.count + LANES, count, LANES):",
        (COMPILED,),
    ),
)
