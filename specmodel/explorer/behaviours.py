"""The page's view of behaviours, with or without their design."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.constants import value_of
from specmodel.explorer.branch import Branch
from specmodel.traces.itf_read import ItfFile

VERSION = 1
"""Increases when a key of the document is removed or changes its meaning."""

MOST_NAME = 2_000
"""Characters of the name of what a page is about."""

HALVES = re.compile("[\ud800-\udfff]")
"""Halves of surrogate pairs: texts of a trace may hold one alone, which UTF-8 cannot write."""

MOST_AT_ONCE = 500
"""The greatest number of states in one answer."""


class Behaviours(ABC):
    """Behaviours as the page shows them: of a recorded trace, of a design, or both."""

    def __init__(self, recorded: ItfFile | None) -> None:
        self.recorded = recorded

    @property
    def start(self) -> Branch:
        """The first behaviour: the recorded trace, or else an initial state."""
        return Branch("i", 0) if self.recorded is None else Branch("t", len(self.recorded.states))

    def about(self) -> dict[str, Any]:
        """The title of the page, and the data that is the same for all states.

        `of` names what the page is about: numbers in a link mean the same in any page with that
        name. It is the design, its constants, as far as they can be set, and the trace.
        """
        about = self._about()
        values = [
            f"{held['name']}={held['value']}"
            for held in about["constants"]
            if value_of(held["value"]) is not None
        ]
        name = " ".join(filter(None, [about["design"], *values, about["trace"]]))
        return {**about, "of": HALVES.sub("\ufffd", name)[:MOST_NAME]}

    def _about(self) -> dict[str, Any]:
        recorded = self.recorded
        return {
            "version": VERSION,
            "question": "",
            "source": "",
            "constants": [],
            "actors": [],
            "properties": [],
            "temporal": [],
            "trace": None if recorded is None else recorded.path.name,
            "violates": "" if recorded is None else recorded.property,
            "lasso": None,
            "charts": False,
            "notice": "",
            "start": str(self.start),
        }

    def spine(self, branch: Branch, first: int, count: int = 1) -> dict[str, Any]:
        """The steps to some states, from number `first`: names, actors, truths of properties."""
        states, indices = self.part(branch, first, count)
        return {
            "branch": str(branch),
            "length": branch.length,
            "loop": self.recorded.loop if self.recorded and branch == self.start else None,
            "first": max(1, first),
            "steps": [self._step(states, i) for i in indices],
        }

    def frames(self, branch: Branch, first: int, count: int = 1) -> list[dict[str, Any]]:
        """Some states in full, from number `first`, with what changed on the way to each."""
        states, indices = self.part(branch, first, count)
        since = self._since(states, indices.start) if indices else {}
        found: list[dict[str, Any]] = []
        for index in indices:
            if index > indices.start:
                since = self._since(states, index, since)
            found.append({**self._frame(states, index), "since": since})
        return found

    def _since(
        self, states: Sequence[Any], index: int, before: Mapping[str, int] | None = None
    ) -> dict[str, int]:
        """For each variable, the number of the state in which it got the value that it has.

        `before` is the same for the state before.
        """
        here = self._variables(states[index])
        if before is not None:
            old = self._variables(states[index - 1])
            return {
                n: before[n] if n in old and old[n] == v else index + 1 for n, v in here.items()
            }
        found: dict[str, int] = {}
        left = dict(here)
        for earlier in range(index - 1, -1, -1):
            old = self._variables(states[earlier])
            for name in [n for n, v in left.items() if n not in old or old[n] != v]:
                found[name] = earlier + 2
                del left[name]
            if not left:
                break
        return {name: found.get(name, 1) for name in here}

    def why(self, branch: Branch, number: int, name: str = "") -> dict[str, Any]:
        """Why properties are false in a state, or why one property is; empty without a design."""
        self._states(branch, number)
        return {"failure": "", "properties": [], "written": {}}

    def part(self, branch: Branch, first: int, count: int) -> tuple[Sequence[Any], range]:
        """The states up to the last of those asked for, and the indices of these."""
        states = self._states(branch, min(branch.length, first + min(count, MOST_AT_ONCE) - 1))
        return states, range(max(1, first) - 1, len(states))

    @abstractmethod
    def _states(self, branch: Branch, upto: int) -> Sequence[Any]:
        """The first states of a behaviour. Raises UsageError if there is none with that name."""

    @abstractmethod
    def _step(self, states: Sequence[Any], index: int) -> dict[str, Any]:
        """The step to a state."""

    @abstractmethod
    def _variables(self, state: Any) -> Mapping[str, Any]:
        """The variables of one of the states, with their values."""

    @abstractmethod
    def _frame(self, states: Sequence[Any], index: int) -> dict[str, Any]:
        """A state in full."""
