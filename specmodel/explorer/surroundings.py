"""The states around a trace with their steps, so that a file without a server can explore."""

from __future__ import annotations

import base64
import gzip
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.driving import Driving
from specmodel.explorer.reading import DesignReading

Told = Callable[[int, int], None]
"""Gets how many states are done, and how many there are to be."""


class Surroundings:
    """Some states with all their steps: those of a trace from its last on, then those around it.

    A state has a number, and is there once, however many behaviours lead to it. So a step has what
    its two states determine, and nothing of the behaviour before them.
    """

    def __init__(self, reading: DesignReading, watches: Mapping[str, Any], most: int) -> None:
        """`most` is the number of states whose steps are wanted."""
        self.reading = reading
        self.driving = Driving(reading)
        self.watches = watches
        self.most = most
        self.numbers: dict[Any, int] = {}
        self.steps: dict[int, Any] = {}
        self.reasons: dict[int, Any] = {}

    def document(self, told: Told | None = None) -> dict[str, Any]:
        """What the page needs to take steps; docs/internals has its form.

        The guards of all bindings are there for the states of the trace only: those of one state
        take ten times as long as all else about it.
        """
        start = self.reading.start
        own = [start.prefix(length) for length in range(1, start.length + 1)]
        trace = [self._number(branch) for branch in own]
        waiting = deque(reversed(own))
        while waiting and len(self.steps) < self.most:
            branch = waiting.popleft()
            number = self._number(branch)
            if number in self.steps:
                continue
            self.steps[number] = self._moves(branch)
            if number in trace:
                self.reasons[number] = self._reasons(branch)
            bindings = [row for group in self.steps[number]["groups"] for row in group["bindings"]]
            waiting.extend(branch.then(row["binding"]) for row in bindings if "to" in row)
            if told is not None:
                told(len(self.steps), self.most)
        return {"trace": trace, "steps": self.steps, "reasons": self.reasons}

    def _number(self, branch: Branch) -> int:
        state = self.reading.tree.nodes(branch)[-1].state
        return self.numbers.setdefault(state, len(self.numbers))

    def _moves(self, branch: Branch) -> dict[str, Any]:
        """Every binding in the last state; of one that can happen, what it leads to."""
        try:
            moves = self.driving.moves(branch, branch.length)
        except UsageError as wrong:
            return {"groups": [], "explored": True, "ends": str(wrong)}
        for group in moves["groups"]:
            for row in group["bindings"]:
                if "changes" in row:
                    row |= self._leads(branch.then(row["binding"]))
        return moves

    def _leads(self, after: Branch) -> dict[str, Any]:
        reading, length = self.reading, after.length
        (step,) = reading.spine(after, length)["steps"]
        (frame,) = reading.frames(after, length)
        found = {"to": self._number(after), "step": step, "frame": frame}
        if reading.wrong_in(step["truths"]):
            found["why"] = {**reading.why(after, length), "written": {}}
        if self.watches:
            found["watches"] = {t: reading.watch(after, t, length)[0] for t in self.watches}
        return found

    def _reasons(self, branch: Branch) -> dict[str, Any]:
        actions = [group["action"] for group in self.steps[self._number(branch)]["groups"]]
        return {name: self.driving.reasons(branch, branch.length, name) for name in actions}


def packed(document: Mapping[str, Any]) -> str:
    """A document as the page unpacks it: JSON, compressed, in Base64. It repeats itself a lot."""
    text = json.dumps(document, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")
