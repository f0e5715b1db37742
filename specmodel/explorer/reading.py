"""A behaviour of a design as the page, or an exported file, shows it."""

from __future__ import annotations

import inspect
import linecache
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from textwrap import dedent
from threading import Lock
from typing import Any

from specmodel.analysis.reasons import reasons_at
from specmodel.analysis.rival import Rival
from specmodel.behaviour.formulas import is_temporal
from specmodel.behaviour.replay import Replay
from specmodel.design import Design
from specmodel.domains import ScalarDomain
from specmodel.domains.records import Record
from specmodel.errors import Span, UsageError
from specmodel.explorer.behaviour_tree import BehaviourTree, TreeNode
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.branch import Branch
from specmodel.explorer.values import change_json, value_json
from specmodel.ir.expression import NoValueError, StateExpression
from specmodel.model.model import Expressions, Rule
from specmodel.results import Lasso, SpecFailure, Trace
from specmodel.results.plain import plain
from specmodel.traces.changes import Change, changes
from specmodel.traces.itf_read import ItfFile
from specmodel.traces.notation import Notation
from specmodel.views.abstract_states import AbstractStates
from specmodel.views.comparison_json import keys_of
from specmodel.views.drawer import Drawer
from specmodel.views.lasso import lasso_lines
from specmodel.views.summary import value_text

WIDE = 10_000
"""Columns of a text that the page breaks itself."""

LONGEST_WATCH = 2.0
"""Seconds after which the values of an expression computed so far are the answer."""


def file_and_line(span: Span | None) -> str | None:
    """A place in a source file by the file's name, without its folder, which is private."""
    return None if span is None else f"{Path(span.file).name}:{span.line}"


class DesignReading(Behaviours):
    """The reading of the behaviours of a design.

    Any number of threads may use it at once. Raises UsageError if the recorded trace is not of the
    design.
    """

    def __init__(self, design: Design, recorded: ItfFile | None = None) -> None:
        super().__init__(recorded)
        self.design = design
        self.spec = design.spec
        self.rival = Rival(design)
        self.tree = BehaviourTree(self.rival, recorded)
        self.notation = Notation.of_spec(design.spec)
        self.drawer = Drawer(design.spec, self.notation)
        self.keys = keys_of(design.spec, True, file_and_line)
        self.actors = _actors(design)
        self._reading = Lock()  # evaluating an expression notes the functions that it has called
        checked = {rule.name for rule in design.chosen(None)}
        if recorded is not None and recorded.property:
            checked.add(recorded.property)
        rules = [rule for rule in design.spec.properties if rule.name in checked]
        self.rules = tuple(rule for rule in rules if not is_temporal(rule))
        self.temporal = tuple(rule for rule in rules if is_temporal(rule))

    def _about(self) -> dict[str, Any]:
        design = self.design
        return {
            **super()._about(),
            "design": design.name,
            "question": design.question,
            "source": design.source,
            "constants": [
                {"name": name, "value": value_text(c.value), "doc": c.doc}
                for name, c in design.constants.items()
            ],
            "actors": list(self.actors),
            "actions": [
                {
                    "name": r.name,
                    "kind": self.rival.kinds[r.name],
                    "summary": r.summary,
                    **_source(r),
                }
                for r in self.spec.rules
            ],
            "properties": [
                {"name": r.name, "kind": r.role, "summary": r.summary} for r in self.rules
            ],
            "temporal": [{"name": r.name, "kind": r.role} for r in self.temporal],
            "lasso": self.lasso,
            "charts": bool(self.drawer.lanes or self.drawer.messages),
        }

    @cached_property
    def lasso(self) -> dict[str, Any] | None:
        """The temporal property that a recorded lasso violates, and how."""
        if self.recorded is None or self.recorded.loop is None:
            return None
        states = [node.state for node in self.tree.nodes(self.start)]
        replay = Replay(self.design, states, self.recorded.actions)
        try:
            trace = replay.trace(self.recorded.loop)
        except UsageError:
            return None  # steps that the design does not allow have their own message
        found = replay.lasso(self.recorded.property, trace)
        if found is None:
            return None
        name = self.recorded.property
        return {"property": name, "lines": self.lasso_lines(name, trace, found)}

    def lasso_lines(self, name: str, trace: Trace, lasso: Lasso) -> list[str]:
        """The explanation of a lasso that violates a property."""
        rule = next(rule for rule in self.spec.properties if rule.name == name)
        lines = lasso_lines(rule, trace, lasso, self.notation, WIDE)
        return [line.plain for line in lines if line.plain]

    def why(self, branch: Branch, number: int, name: str = "") -> dict[str, Any]:
        """Why invariants and transition properties are false in a state, or why one property is.

        Each deciding place has the number of the state in which it got its value. Raises UsageError
        for an unknown property.
        """
        nodes = self.tree.nodes(branch, number)
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

    def wrong_in(self, truths: str) -> bool:
        """Whether a property is false or fails, by the truths of all in a state."""
        roles = (rule.role for rule in self.rules)
        return any(t in "0!" and r != "reachable" for t, r in zip(truths, roles, strict=True))

    def _false(self, nodes: Sequence[TreeNode]) -> list[str]:
        """The parts to explain in the last state: those that are false or fail."""
        truths = [(r, self._truth(r, nodes, len(nodes) - 1)) for r in self.rules]
        return [rule.name for rule, truth in truths if truth in "0!" and rule.role != "reachable"]

    def broken_by(self, nodes: Sequence[TreeNode], successor: Any) -> list[str]:
        """The names of the properties that turn false, or fail, on the way to a successor."""
        states = [*nodes[-2:], TreeNode(len(nodes) + 1, successor)]  # no rule is about more
        after = len(states) - 1
        return [
            rule.name
            for rule in self.rules
            if rule.role != "reachable"
            and (truth := self._truth(rule, states, after)) in "0!"
            and truth != self._truth(rule, states, after - 1)
        ]

    def watch(self, branch: Branch, text: str, first: int, count: int = 1) -> list[str]:
        """The values of an expression over the state in some states, from number `first`.

        If this takes long, the values in the first of these states, at least in one. Raises
        ExpressionError for a text that is not an expression of the spec, or that is too large.
        """
        nodes, indices = self.part(branch, first, count)
        with self._reading:
            expression = self.expressions.read(text, "watch")
        end = time.monotonic() + LONGEST_WATCH
        found: list[str] = []
        for index in indices:
            if found and time.monotonic() > end:
                break
            found.append(self._value(expression, nodes[index].state))
        return found

    @cached_property
    def expressions(self) -> Expressions:
        """The parser of expressions over the state."""
        return self.spec.expressions()

    def _value(self, expression: StateExpression, state: Any) -> str:
        try:
            return self.notation.value(expression.value(state))
        except NoValueError as wrong:
            return f"none: {wrong}"

    def _states(self, branch: Branch, upto: int) -> Sequence[TreeNode]:
        return self.tree.nodes(branch, upto)

    def _step(self, states: Sequence[TreeNode], index: int) -> dict[str, Any]:
        node = states[index]
        found: dict[str, Any] = {
            "number": node.number,
            "label": self._label(node),
            "truths": "".join(self._truth(rule, states, index) for rule in self.rules),
        }
        if node.fault:
            found["fault"] = node.fault
        if index:
            found.update(self._step_taken(node, states[index - 1]))
        return found

    def _step_taken(self, node: TreeNode, before: TreeNode) -> dict[str, Any]:
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

    def _truth(self, rule: Rule, states: Sequence[TreeNode], index: int) -> str:
        """`1` true, `0` false, `-` does not apply, `!` the spec fails."""
        interpreter = self.rival.interpreter
        held = interpreter.about(rule, [node.state for node in states[: index + 1]])
        if not held:
            return "-"
        try:
            return "1" if interpreter.holds(rule, *held) else "0"
        except SpecFailure:
            return "!"

    def _label(self, node: TreeNode) -> str:
        return node.text if node.step is None else self.notation.step(node.step)

    def _variables(self, state: TreeNode) -> Mapping[str, Any]:
        record: Record = state.state
        return vars(record)

    def _frame(self, states: Sequence[TreeNode], index: int) -> dict[str, Any]:
        """A state in full; its picture is the drawing of `specmodel.views.drawing`."""
        node = states[index]
        before = states[index - 1].state if index else None
        between = () if before is None else changes(before, node.state)
        drawn = self.drawer.lanes and self.drawer.picture(node.state, before, node.number)
        return {
            "number": node.number,
            "state": value_json(node.state, self.notation),
            "changes": [change_json(change, self.notation) for change in between],
            "picture": drawn and asdict(drawn),
            "abstract": list(self._abstract(before, node.state)),
        }

    def _abstract(self, before: Any, state: Any) -> Iterator[dict[str, Any]]:
        """The state of the abstract design of each refinement, and the abstract step to it."""
        states = [state] if before is None else [before, state]
        for rule in self.spec.properties:
            found = AbstractStates(self.spec, rule.name, states)
            if len(found.states) < len(states):
                continue
            yield {
                "name": found.name,
                "step": "" if before is None else found.step(0, 1),
                "state": value_json(found.states[-1], found.notation),
                "changes": [
                    change_json(change, found.notation)
                    for change in found.changed(0, len(states) - 1)
                ],
            }


def _source(rule: Rule) -> dict[str, str]:
    """The source of an action, and its place; empty without a file."""
    span = rule.span
    lines = [] if span is None else linecache.getlines(span.file)[span.line - 1 :]
    if span is None or not lines:
        return {}
    # The place of a function is its first line; another place is that of the whole action.
    named = (span.line, span.column) == (span.end_line, span.end_column)
    whole = inspect.getblock(lines) if named else lines[: span.end_line - span.line + 1]
    return {
        "source": dedent("".join(whole)).rstrip(),
        "place": f"{Path(span.file).name}:{span.line}",
    }


def _actors(design: Design) -> tuple[str, ...]:
    """The members of the scalar sets that the actions are about."""
    domains = [d for rule in design.spec.rules for d in rule.parameters.values()]
    sets = {id(d): d for d in domains if isinstance(d, ScalarDomain)}
    return tuple(repr(member) for domain in sets.values() for member in domain.members)
