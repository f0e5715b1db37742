"""A behaviour of a design as the page shows it: what an exported file holds, too."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from specmodel.analysis.reasons import reasons_at
from specmodel.analysis.rival import Rival
from specmodel.design import Design
from specmodel.domains import ScalarDomain
from specmodel.errors import Span, UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.lines import Lines, Node
from specmodel.explorer.values import change_json, value_json
from specmodel.ir.expression import Expression, ExpressionReader, NoValueError
from specmodel.lang.spec import Rule
from specmodel.liveness.formulas import is_temporal
from specmodel.replay import Replay
from specmodel.results import SpecFailure
from specmodel.results.plain import plain
from specmodel.views.changes import Change, changes
from specmodel.views.comparison_json import keys_of
from specmodel.views.drawer import Drawer
from specmodel.views.itf.read import ItfFile
from specmodel.views.lasso import lasso_lines
from specmodel.views.notation import Notation

VERSION = 1
"""Raised when a key of the document changes its meaning or goes."""

WIDE = 10_000
"""Columns of a text that the page breaks itself."""

MOST_AT_ONCE = 500
"""The most states that one answer tells of."""

LONGEST_WATCH = 2.0
"""Seconds after which the values of an expression that are there are an answer."""


def file_and_line(span: Span | None) -> str | None:
    """A place in a source file by the file's name: where it lies is nobody else's business."""
    return None if span is None else f"{Path(span.file).name}:{span.line}"


class Reading:
    """What can be read of behaviours of a design.

    Any number of threads may ask at once. Raises UsageError if the recorded trace is not of the
    design.
    """

    def __init__(self, design: Design, recorded: ItfFile | None = None) -> None:
        self.design = design
        self.spec = design.spec
        self.recorded = recorded
        self.rival = Rival(design)
        self.lines = Lines(self.rival, recorded)
        self.notation = Notation.of_spec(design.spec)
        self.drawer = Drawer(design.spec, self.notation)
        self.keys = keys_of(design.spec, True, file_and_line)
        self.actors = _actors(design)
        self._reading = Lock()  # what reads an expression notes the functions that it has met
        checked = {rule.name for rule in design.chosen(None)}
        if recorded is not None and recorded.property:
            checked.add(recorded.property)
        self.rules = tuple(
            rule
            for rule in design.spec.properties
            if rule.name in checked and not is_temporal(rule)
        )

    @property
    def start(self) -> Branch:
        """The behaviour to begin with."""
        return self.lines.start

    def about(self) -> dict[str, Any]:
        """What is shown, and everything that is the same for all states."""
        design, recorded = self.design, self.recorded
        return {
            "version": VERSION,
            "design": design.name,
            "question": design.question,
            "source": design.source,
            "constants": [
                {"name": name, "value": str(c.value).lower(), "doc": c.doc}
                for name, c in design.constants.items()
            ],
            "actors": list(self.actors),
            "actions": [
                {"name": r.name, "kind": self.rival.kinds[r.name], "summary": r.summary}
                for r in self.spec.rules
            ],
            "properties": [
                {"name": r.name, "kind": r.role, "summary": r.summary} for r in self.rules
            ],
            "trace": None if recorded is None else recorded.path.name,
            "violates": "" if recorded is None else recorded.property,
            "lasso": self.lasso,
            "notice": "",
            "start": str(self.start),
        }

    @cached_property
    def lasso(self) -> dict[str, Any] | None:
        """What is to be said of a recorded trace that goes on for ever and so breaks a property."""
        if self.recorded is None or self.recorded.loop is None:
            return None
        states = [node.state for node in self.lines.nodes(self.start)]
        replay = Replay(self.design, states, self.recorded.actions)
        try:
            trace = replay.trace(self.recorded.loop)
        except UsageError:
            return None  # the steps that the design does not allow say so themselves
        found = replay.lasso(self.recorded.property, trace)
        if found is None:
            return None
        rule = next(r for r in self.spec.properties if r.name == self.recorded.property)
        lines = lasso_lines(rule, trace, found, self.notation, WIDE)
        return {"property": rule.name, "lines": [line.plain for line in lines if line.plain]}

    def spine(self, branch: Branch, first: int, count: int) -> dict[str, Any]:
        """The steps to some states, from number `first`: names, actors, truths of properties."""
        last = min(branch.length, first + min(count, MOST_AT_ONCE) - 1)
        nodes = self.lines.nodes(branch, last)
        begin = max(1, first) - 1
        return {
            "branch": str(branch),
            "length": branch.length,
            "loop": self.lines.loop_of(branch),
            "first": begin + 1,
            "steps": [self._step(nodes, i) for i in range(begin, len(nodes))],
        }

    def frames(self, branch: Branch, first: int, count: int) -> list[dict[str, Any]]:
        """Some states in full, from number `first`, with what changed on the way to each."""
        last = min(branch.length, first + min(count, MOST_AT_ONCE) - 1)
        nodes = self.lines.nodes(branch, last)
        return [self._frame(nodes, i) for i in range(max(1, first) - 1, len(nodes))]

    def why(self, branch: Branch, number: int, name: str = "") -> dict[str, Any]:
        """Why invariants and transition properties are false in a state, or why a property is.

        Each place that decides has the number of the state in which it got its value. Raises
        UsageError for an unknown property.
        """
        nodes = self.lines.nodes(branch, number)
        names = [name] if name else self._false(nodes)
        try:
            found = reasons_at(
                self.rival, [n.state for n in nodes], list(map(self._label, nodes)), "", names
            )
        except SpecFailure as wrong:
            return {"failure": f"{wrong.where}: {wrong.message}", "properties": [], "written": {}}
        return {
            "failure": "",
            "properties": plain(found.truths, self.keys),
            "written": dict(found.writers),
        }

    def _false(self, nodes: Sequence[Node]) -> list[str]:
        """What is to be explained of the last state: what is false, or fails."""
        told = [(r, self._truth(r, nodes, len(nodes) - 1)) for r in self.rules]
        return [rule.name for rule, truth in told if truth in "0!" and rule.role != "reachable"]

    def watch(self, branch: Branch, text: str, first: int, count: int) -> list[str]:
        """The values of an expression over the state in some states, from number `first`.

        If they take long it is the values in the first of them, one at least. Raises
        ExpressionError for what is no expression of the spec, or too large a one.
        """
        last = min(branch.length, first + min(count, MOST_AT_ONCE) - 1)
        nodes = self.lines.nodes(branch, last)
        with self._reading:
            expression = self.expressions.read(text, "watch")
        end = time.monotonic() + LONGEST_WATCH
        found: list[str] = []
        for node in nodes[max(1, first) - 1 :]:
            if found and time.monotonic() > end:
                break
            found.append(self._value(expression, node.state))
        return found

    @cached_property
    def expressions(self) -> ExpressionReader:
        """Reads expressions over the state."""
        return ExpressionReader(self.spec)

    def _value(self, expression: Expression, state: Any) -> str:
        try:
            return self.notation.value(expression.value(state))
        except NoValueError as wrong:
            return f"none: {wrong}"

    def _step(self, nodes: Sequence[Node], index: int) -> dict[str, Any]:
        node = nodes[index]
        found: dict[str, Any] = {
            "number": node.number,
            "label": self._label(node),
            "truths": "".join(self._truth(rule, nodes, index) for rule in self.rules),
        }
        if node.fault:
            found["fault"] = node.fault
        if index:
            found.update(self._step_taken(node, nodes[index - 1]))
        return found

    def _step_taken(self, node: Node, before: Node) -> dict[str, Any]:
        found: dict[str, Any] = {"changed": list(self._touched(changes(before.state, node.state)))}
        if node.step is not None:
            texts = [self.notation.value(v) for v in node.step.arguments.values()]
            found["action"] = node.step.action
            found["named"] = [text for text in texts if text in self.actors]
            found["binding"] = node.binding
        return found

    def _touched(self, found: Iterator[Change]) -> Iterator[str]:
        """The actors that own a changed place: the first index of its path names one."""
        indices = {match[1] for c in found if (match := re.search(r"\[(.+?)\]", c.path))}
        return (actor for actor in self.actors if actor in indices)

    def _truth(self, rule: Rule, nodes: Sequence[Node], index: int) -> str:
        """`1` true, `0` false, `-` does not apply, `!` the spec fails."""
        if index + 1 < rule.states:
            return "-"
        held = [node.state for node in nodes[index + 1 - rule.states : index + 1]]
        try:
            return "1" if self.rival.interpreter.holds(rule, *held) else "0"
        except SpecFailure:
            return "!"

    def _label(self, node: Node) -> str:
        return node.text if node.step is None else self.notation.step(node.step)

    def _frame(self, nodes: Sequence[Node], index: int) -> dict[str, Any]:
        node = nodes[index]
        found: dict[str, Any] = {
            "number": node.number,
            "state": value_json(node.state, self.notation),
            "changes": [],
            "picture": self._picture(nodes, index),
        }
        if index:
            between = changes(nodes[index - 1].state, node.state)
            found["changes"] = [change_json(c, self.notation) for c in between]
        return found

    def _picture(self, nodes: Sequence[Node], index: int) -> dict[str, Any] | None:
        """The drawing of a state, as `specmodel.views.drawing` has it."""
        if self.drawer.lanes is None:
            return None
        before = nodes[index - 1].state if index else None
        return asdict(self.drawer.picture(nodes[index].state, before, nodes[index].number))


def _actors(design: Design) -> tuple[str, ...]:
    """The members of the scalar sets that the actions are about."""
    domains = [d for rule in design.spec.rules for d in rule.parameters.values()]
    sets = {id(d): d for d in domains if isinstance(d, ScalarDomain)}
    return tuple(repr(member) for domain in sets.values() for member in domain.members)
