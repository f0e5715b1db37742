"""The states of an abstract design beside those of a trace that violates a refinement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.domains.records import Record
from specmodel.model.model import Model, abstract_name
from specmodel.results import SpecFailure
from specmodel.traces.changes import Change, changes
from specmodel.traces.notation import Notation


class AbstractStates:
    """The abstract states of a trace, in the abstract design of a refinement."""

    def __init__(self, spec: Model, name: str, states: Sequence[Any]) -> None:
        """`name` is that of a property. Unless it is a refinement, there is nothing to tell."""
        self.states: list[Record] = []
        rule = next((rule for rule in spec.properties if rule.name == name and rule.refined), None)
        if rule is None or rule.refined is None:
            return
        interpreter = Interpreter(spec)
        self.abstract = interpreter.refined(rule)
        self.notation = Notation.of_spec(rule.refined)
        self.name = abstract_name(rule.refined)
        for state in states:
            try:
                self.states.append(interpreter.abstract(rule, state))
            except SpecFailure:  # the report says where it fails
                return

    def first(self) -> Iterator[tuple[str, str]]:
        """Each variable of the first abstract state: its place, and its value."""
        for path, held in vars(self.states[0]).items() if self.states else ():
            yield f"{self.name}.{path}", f"= {self.notation.value(held)}"

    def step(self, start: int, end: int) -> str:
        """The abstract step between two states of the trace, given by their indexes, as text.

        Empty if nothing is known of it.
        """
        if max(start, end) >= len(self.states):
            return ""
        before, after = self.states[start], self.states[end]
        if before == after:
            return "stays as it is"
        for number, found in self.abstract.successors(before):
            if found == after:
                return self.notation.step(self.abstract.step(number, before))
        return "has no such step"

    def changed(self, start: int, end: int) -> Iterator[Change]:
        """The changes that the abstract step between two states of the trace makes."""
        if max(start, end) < len(self.states):
            yield from changes(self.states[start], self.states[end], self.name)
