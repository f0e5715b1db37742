"""Driving a model from the page: enabled steps, reasons for others, the steps on a rival."""

from __future__ import annotations

from threading import Lock
from typing import Any

from specmodel.analysis.recording import recording_of
from specmodel.analysis.rival import Replayed, replay
from specmodel.analysis.trace_files import load_at
from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import DesignReading, file_and_line
from specmodel.explorer.values import change_json
from specmodel.results import SpecFailure
from specmodel.results.plain import members, plain
from specmodel.suite.catalog import catalog, find
from specmodel.traces.changes import changes
from specmodel.views.comparison_json import keys_of
from specmodel.views.replay_sentences import ReplaySentences


class Driving:
    """Everything that the page can do with a design beyond reading a behaviour of it."""

    def __init__(self, reading: DesignReading) -> None:
        self.reading = reading
        self.design = reading.design
        self._rivals: dict[str, DesignReading] = {}
        self._replayed: dict[tuple[str, str], Replayed] = {}
        self._loading = Lock()

    def moves(self, branch: Branch, number: int) -> dict[str, Any]:
        """Every binding of every action in a state: whether it is enabled, and what it would do.

        That is its changes, the properties that turn false, and the equal state that the behaviour
        or the recorded trace already has.
        """
        rival, notation = self.reading.rival, self.reading.notation
        nodes = self.reading.tree.nodes(branch, number)
        state = nodes[-1].state
        shared = min(branch.number, number) if branch.kind == "t" else 0  # with the recorded trace
        branched = {node.state: node.number for node in reversed(nodes[shared:])}
        groups: dict[str, dict[str, Any]] = {}
        for rule in self.design.spec.rules:
            groups[rule.name] = {"action": rule.name, "bindings": []}
        for binding in rival.interpreter.numbers_in(state):
            rule = rival.interpreter.rule_of(binding, state)
            group = groups[rule.name]
            step = rival.interpreter.step(binding, state)
            row: dict[str, Any] = {
                "binding": binding,
                "arguments": [[n, notation.value(v)] for n, v in step.arguments.items()],
            }
            try:
                successor = rival.interpreter.successor(state, binding)
            except SpecFailure as wrong:
                row["failure"] = wrong.message
            else:
                if successor is not None:
                    changed = changes(state, successor)
                    row["changes"] = [change_json(change, notation) for change in changed]
                    row["breaks"] = self.reading.broken_by(nodes, successor)
                    row["same"] = self._same(successor, shared, branched)
            group["bindings"].append(row)
        return {"number": number, "explored": rival.explored(state), "groups": [*groups.values()]}

    def _same(self, state: Any, shared: int, branched: dict[Any, int]) -> str:
        """Which state of a behaviour, or else of the recorded trace, equals a state.

        The behaviour has the first `shared` states of the trace, and the `branched` by number.
        """
        recorded = self.reading.tree.numbers.get(state)
        if recorded is not None and recorded <= shared:
            return f"the same as state {recorded}"
        if state in branched:
            return f"the same as state {branched[state]}"
        return f"the same as state {recorded} of the trace" if recorded is not None else ""

    def reasons(self, branch: Branch, number: int, action: str) -> list[dict[str, Any]]:
        """The guards of each binding of an action in a state, with their values.

        Raises UsageError for an unknown action.
        """
        reading = self.reading
        state = reading.tree.nodes(branch, number)[-1].state
        found: list[dict[str, Any]] = []
        if all(rule.name != action for rule in self.design.spec.rules):
            raise UsageError(f"{self.design.name} has no action {action}")
        for binding in reading.rival.interpreter.numbers_in(state):
            if reading.rival.interpreter.rule_of(binding, state).name == action:
                attempt = plain(reading.rival.attempt(binding, state), reading.keys)
                shown = ("text", "place", "value", "said")
                attempt["guards"] = [{k: g[k] for k in shown} for g in attempt["guards"]]
                found.append({"binding": binding, **attempt})
        return found

    def rivals(self) -> list[dict[str, str]]:
        """The designs to compare with, those of the same files first."""
        own = set(self.design.files)
        documents = [d for d in catalog().designs.values() if d.name != self.design.name]
        documents.sort(key=lambda d: (d.spec_file.resolve() not in own, d.name))
        return [
            {
                "name": d.name,
                "question": d.question,
                "near": "yes" if d.spec_file.resolve() in own else "",
            }
            for d in documents
        ]

    def compare(self, branch: Branch, rival: str) -> dict[str, Any]:
        """The steps of a behaviour on another design, as far as they can happen there.

        Raises UsageError if the two have no state in common, and what a load does.
        """
        found = self._replay(branch, rival)
        keys = keys_of(found.design.spec, True, file_and_line)
        rows: list[dict[str, Any]] = []
        state = 1
        for moment in found.moments:
            state += moment.step is not None
            rows.append({**plain(moment, keys), "there": state})
        return {
            "design": found.design.name,
            "branch": str(self._rival(rival).tree.branch_of(found.trace)),
            "headline": ReplaySentences(found).headline(),
            "rows": rows,
            **members(found, "blocked differs=parting.number", keys),
        }

    def rival(self, branch: Branch, rival: str, first: int, count: int = 1) -> list[dict[str, Any]]:
        """States of a behaviour of another design, as in `DesignReading.frames`."""
        return self._rival(rival).frames(branch, first, count)

    def _rival(self, name: str) -> DesignReading:
        """The reading of another design, at the same constants.

        It is found by its name alone: a request can name no file to run. Raises UsageError for a
        name that no design has, and the errors of a load.
        """
        with self._loading:  # constants are bound for one load at a time
            if name not in self._rivals:
                known = find(name)
                self._rivals[name] = DesignReading(load_at(str(known.path), self.design.values))
            return self._rivals[name]

    def _replay(self, branch: Branch, rival: str) -> Replayed:
        key = (str(branch), rival)
        if key not in self._replayed:
            trace = self.reading.tree.trace(branch)
            recorded = self.reading.recorded
            name = recorded.property if recorded is not None else ""
            recording = recording_of(self.design, trace, name)
            self._replayed[key] = replay(recording, self._rival(rival).design)
        return self._replayed[key]
