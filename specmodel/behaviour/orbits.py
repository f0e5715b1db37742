"""Searches of orbits: the interchangeable sets, and the way back to real states.

States that differ only in the names of interchangeable actors form an orbit. A symmetric search
visits the least state of each orbit. A property that holds there holds in the whole orbit, and a
step that is possible there is possible, under other names, everywhere in the orbit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.behaviour.failures import failure_after
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.domains import ScalarDomain
from specmodel.domains.renaming import renamed, renamings_of, scalar_sets, swaps_of
from specmodel.errors import SpecError, UsageError
from specmodel.model.model import Rule
from specmodel.results import SpecFailure, Trace

MOST_RENAMINGS = 40_320
"""8! = 40,320: with more, finding the least state of an orbit takes longer than it saves."""

Key = Any
"""The key of an orbit."""


def interchangeable(design: Design, rules: Sequence[Rule]) -> tuple[ScalarDomain, ...]:
    """The symmetric sets whose members occur in states, once it is certain that they are symmetric.

    `rules` are the properties to be checked. Raises UsageError if there is no symmetric set or if
    there are too many renamings, and SpecError, with the place, where the spec distinguishes
    members.
    """
    # Imported for symmetric searches only, because symbolic execution takes a while to import.
    from specmodel.ir.symmetry.check import refuse_asymmetric
    from specmodel.ir.symmetry.swaps import order_of

    spec = design.spec
    found = {s: s for s in scalar_sets(spec.domain) if s.symmetric}
    sets = tuple(found)
    if not sets:
        raise UsageError(
            f"{design.name} has no symmetry: no scalar set in its state is declared with "
            "symmetric=True"
        )
    if order_of(sets) > MOST_RENAMINGS:
        sizes = ", ".join(f"{s} has {s.size} members" for s in sets)
        raise UsageError(
            f"{design.name} has {order_of(sets):,} ways to rename its actors ({sizes}): more than "
            f"{MOST_RENAMINGS:,} are too many for a symmetric search"
        )
    refuse_asymmetric(spec.code, [rule.name for rule in rules], sets)
    _refuse_asymmetric_start(Interpreter(spec), sets)
    return sets


def _refuse_asymmetric_start(interpreter: Interpreter, sets: Sequence[ScalarDomain]) -> None:
    """Checks the initial states one by one, because any Python code may make them."""
    domain, start = interpreter.domain, interpreter.spec.start
    initial = {domain.index(state): state for state in interpreter.initial()}
    for state in initial.values():
        for swap in swaps_of(sets):
            if domain.index(renamed(domain, state, swap)) not in initial:
                ((changed, images),) = swap.items()
                a, b = (changed.members[i] for i in range(changed.size) if images[i] != i)
                raise SpecError(
                    f"{start.name} is not symmetric in {changed}: it gives {state!r}, but not the "
                    f"same with {a!r} and {b!r} exchanged",
                    start.span,
                    "give every member the same part, or one initial state for each: "
                    f"def {start.name}(first: {changed})",
                )


class Orbits:
    """Real behaviours through orbits. `key_of` gives the orbit of a state."""

    def __init__(self, interpreter: Interpreter, key_of: Callable[[Any], Key]) -> None:
        self.interpreter = interpreter
        self.key_of = key_of

    def behaviour(self, start: Any, keys: Sequence[Key]) -> Trace:
        """The trace from an initial state through orbits, by the first binding into each.

        Raises ValueError if no binding leads from one to the next, SpecFailure if an earlier
        binding fails: in a state that the search visited only under other names.
        """
        trace = Trace((start,), ())
        for key in keys:
            try:
                trace = self.extended(trace, key)
            except SpecFailure as failure:
                raise failure_after(trace, failure) from None
        return trace

    def breaking(self, trace: Trace, rule: Rule) -> Trace:
        """A trace with one more step, by the first binding for which a property does not hold."""
        before = trace.states[-1]
        for number, after in self.interpreter.successors(before):
            if not self.interpreter.holds(rule, before, after):
                return trace.extended(self.interpreter.step(number, before), after)
        raise ValueError(f"every step from {before} satisfies {rule.name}")

    def extended(self, trace: Trace, key: Key, rule: Rule | None = None) -> Trace:
        """A trace with one more step, by the first binding (of an action) into an orbit.

        Raises ValueError if there is none, and SpecFailure if one before it fails.
        """
        for number, state in self.interpreter.successors(trace.states[-1]):
            action, _ = self.interpreter.bindings[number]
            if self.key_of(state) == key and rule in (None, action):
                return trace.extended(self.interpreter.step(number, trace.states[-1]), state)
        raise ValueError(f"no action leads from {trace.states[-1]} to the orbit {key}")


def least_index(interpreter: Interpreter, sets: Sequence[ScalarDomain], state: Any) -> int:
    """The place in the canonical order of the least state of an orbit: by trying every renaming."""
    domain = interpreter.domain
    return min(domain.index(renamed(domain, state, renaming)) for renaming in renamings_of(sets))
