"""Types of variables, from states that the evaluator visits."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence

from specmodel.errors import BoundExceeded, FoundPlace, Span, SpecError
from specmodel.tla.specification import Specification
from specmodel.tla.symbolic.call_depths import FIRST_DEPTH, NO_DEPTHS, Depths
from specmodel.tla.symbolic.types import SetType, TlaType, alike, joined, type_of
from specmodel.tla.symmetry import permuted
from specmodel.tla.values import Value

TlaTuple = tuple[Value, ...]

WALK_SECONDS = 0.5
WALK_LENGTH = 60


class FoundExceeded(BoundExceeded):
    """What was found of a module does not do for a state.

    `states` have values outside of the types.
    """

    states: tuple[TlaTuple, ...] = ()

    def __init__(self) -> None:
        super().__init__(FoundPlace("a variable", False, None), 0, 0)

    def widen(self, finder: TypeFinder) -> None:
        """Has a finder know what does."""
        raise NotImplementedError


class TypeExceeded(FoundExceeded):
    """A state has a value outside of the types that were found: `states` widen them."""

    def __init__(self, states: Sequence[TlaTuple]) -> None:
        super().__init__()
        self.states = tuple(states)

    def widen(self, finder: TypeFinder) -> None:
        finder.take(self.states)


class DepthExceeded(FoundExceeded):
    """A recursive operator, defined at `span`, has more calls in one another than was compiled."""

    def __init__(self, span: Span) -> None:
        super().__init__()
        self.span = span

    def widen(self, finder: TypeFinder) -> None:
        calls = 2 * finder.depths.get(self.span, FIRST_DEPTH)
        finder.depths = {**finder.depths, self.span: calls}


class TypeFinder:
    """The types of a module's variables, joined of all states that it is given.

    `depths` are those of recursive operators.

    The values that SYMMETRY makes of others have the types of their variables, too: the least state
    of an orbit is found among states that no step leads to.
    """

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self.types: list[TlaType | None] = [None] * len(spec.variables)
        self.known: list[dict[Value, None]] = [{} for _ in spec.variables]
        self.depths: Depths = NO_DEPTHS
        self.random = random.Random(1)
        self._renamed: list[dict[Value, Value]] = [{} for _ in spec.symmetry]

    def take(self, states: Iterable[TlaTuple]) -> None:
        """Widens the types for some states."""
        for state in states:
            for place, value in enumerate(state):
                seen = self.known[place]
                if value in seen or value is None:
                    continue
                for each in self._orbit(value):
                    seen[each] = None
                    if not self._of_known(each, self.types[place]):
                        self.widen(place, type_of(each))

    def _orbit(self, value: Value) -> Iterator[Value]:
        """The values that SYMMETRY makes of one."""
        yield value
        for permutation, kept in zip(self.spec.symmetry, self._renamed, strict=True):
            yield permuted(value, permutation, kept)

    def _of_known(self, value: Value, held: TlaType | None) -> bool:
        """Whether a value is a set of members that the type has, which is seen at once."""
        if value.__class__ is not frozenset or not isinstance(held, SetType):
            return False
        return len(value) <= held.most and value <= held.known

    def widen(self, place: int, held: TlaType) -> None:
        """Widens the type of a variable."""
        before = self.types[place]
        self.types[place] = held if before is None else joined(before, held)

    def make_alike(self) -> None:
        """Widens the types of states for what others have had: see `alike`."""
        self.types = [*alike([held for held in self.types if held is not None])]

    def walk(self, starts: Sequence[TlaTuple], seconds: float = WALK_SECONDS) -> None:
        """Widens the types for the states of random walks from some states."""
        until = time.perf_counter() + seconds
        blank: TlaTuple = (None,) * len(self.spec.variables)
        while starts and time.perf_counter() < until:
            state = self.random.choice(starts)
            for _ in range(WALK_LENGTH):
                if time.perf_counter() > until or not self._inside(state):
                    break
                following = self._following(state, blank)
                self.take(following)
                if not following:
                    break
                state = self.random.choice(following)

    def _inside(self, state: TlaTuple) -> bool:
        try:
            return all(bool(run((), state, None)) for _, run, _ in self.spec.constraints)
        except (SpecError, RecursionError):
            return False

    def _following(self, state: TlaTuple, blank: TlaTuple) -> list[TlaTuple]:
        found: list[TlaTuple] = []
        try:
            for action in self.spec.actions:
                found += [after for _, after in action.successors(state, blank)]
        except (SpecError, RecursionError):
            return []
        return [after for after in found if None not in after]
