"""How deep recursive operators may call themselves in compiled code.

Nothing in a module says how often an operator calls itself on values of the state: the walk up a
tree ends for other reasons than the definition shows. So compiled code has a number of calls in one
another, and a search that needs more begins again with more of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from specmodel.errors import Span

FIRST_DEPTH = 4
"""How often an operator may call itself to begin with."""

KNOWN_CALLS = 8
"""How often an operator may call itself under the same conditions, as on known values, for each
call that counts."""

CUT = "an operator calls itself more often than compiled code has it"
"""The message of the failure in compiled code; its place is the operator's definition."""

Depths = Mapping[Span, int]
"""How often operators may call themselves, by their definitions, where that is not FIRST_DEPTH."""

NO_DEPTHS: Depths = MappingProxyType({})


class RecursionDepths:
    """The calls of recursive operators that are being evaluated.

    Calls under further conditions count: a recursion on known values mostly ends by itself.
    """

    def __init__(self, depths: Depths) -> None:
        self._depths = depths
        self._calls: dict[Span, list[int]] = {}
        """The numbers of conditions that held when an operator was called."""

    def enter(self, operator: Span, conditions: int) -> bool:
        """Begins a call, which `leave` ends; False if it is one too many."""
        calls = self._calls.setdefault(operator, [])
        most = self._depths.get(operator, FIRST_DEPTH)
        if len({*calls, conditions}) > most + 1 or len(calls) > KNOWN_CALLS * most:
            return False
        calls.append(conditions)
        return True

    def leave(self, operator: Span) -> None:
        """Ends the last call."""
        self._calls[operator].pop()
