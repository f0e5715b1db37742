"""The behaviours that the page has shown, as a tree of states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from threading import Lock
from typing import Any

from specmodel.analysis.rival import Rival
from specmodel.behaviour.replay import Replay
from specmodel.dataclass import dataclass
from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch
from specmodel.results import SpecFailure, Step, Trace
from specmodel.traces.changes import changes
from specmodel.traces.itf_read import ItfFile, states_of
from specmodel.traces.notation import Notation

MOST_KEPT = 500
"""States beside those of the shown behaviour that are kept. Others are computed again."""


@dataclass(slots=True)
class TreeNode:
    """A state with the step that led to it.

    `number` is its place in the behaviour, from 1. `binding` and `step` are None for the first, and
    for a recorded step that the design does not allow: then `fault` says why, and `text` is the
    step's text in the recording.
    """

    number: int
    state: Any
    binding: int | None = None
    step: Step | None = None
    text: str = ""
    fault: str = ""
    children: dict[int, TreeNode] = field(default_factory=dict[int, "TreeNode"])


class BehaviourTree:
    """Behaviours of a design, by the names of their branches. Recent states are kept.

    Any number of threads may use it at once: a node is complete when it is put into the tree.
    """

    def __init__(self, rival: Rival, recorded: ItfFile | None = None) -> None:
        """Raises UsageError if the recorded states are not of the design, or if there are none."""
        self.rival = rival
        self.interpreter = rival.interpreter
        self.initial = [TreeNode(1, s) for s in self.interpreter.initial()]
        if not self.initial:
            raise UsageError(f"{rival.design.name} has no initial state")
        self.recorded: list[TreeNode] = []
        self.loop: int | None = None
        if recorded is not None:
            states = states_of(recorded, rival.spec.domain)
            self.recorded = [TreeNode(n, state) for n, state in enumerate(states, start=1)]
            for node, text in zip(self.recorded, recorded.actions, strict=True):
                node.text = text
            self.loop = recorded.loop
            self._check_start()
        self._kept = 0
        self._resolved = 1
        self._resolving = Lock()

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """The recorded states, each with the number of the first that equals it."""
        return {node.state: node.number for node in reversed(self.recorded)}

    def nodes(self, branch: Branch, upto: int | None = None) -> list[TreeNode]:
        """The states of a behaviour, or its first ones.

        Raises UsageError for a name whose choices are impossible.
        """
        if branch.kind == "t" and not 1 <= branch.number <= len(self.recorded):
            raise UsageError(f"the trace has {len(self.recorded)} states, not {branch.number}")
        if upto is not None and upto < branch.length:
            branch = branch.prefix(max(1, upto))
        if branch.kind == "t":
            self._resolve(branch.number)
            path = self.recorded[: branch.number]
        elif branch.number < len(self.initial):
            path = [self.initial[branch.number]]
        else:
            known = len(self.initial)
            raise UsageError(
                "there is one initial state, i0"
                if known == 1
                else f"there are {known} initial states, i0 to i{known - 1}"
            )
        for choice in branch.choices:
            path.append(self._child(path[-1], choice))
        if self._kept > MOST_KEPT + len(path):
            self._keep_only(path, branch.choices)
        return path

    def trace(self, branch: Branch) -> Trace:
        """A behaviour as a trace.

        Raises UsageError if the design does not allow one of its steps.
        """
        nodes = self.nodes(branch)
        for node in nodes:
            if node.fault:
                raise UsageError(f"state {node.number}: {node.fault}")
        states = tuple(node.state for node in nodes)
        if self.loop is not None and branch == Branch("t", len(self.recorded)):
            replay = Replay(self.rival.design, states, [node.text for node in nodes])
            return replay.trace(self.loop)
        return Trace(states, tuple(node.step for node in nodes[1:] if node.step is not None))

    def branch_of(self, trace: Trace) -> Branch:
        """The branch of a trace of the design that starts in one of its initial states."""
        start = next(i for i, n in enumerate(self.initial) if n.state == trace.states[0])
        return self.extended(Branch("i", start), trace)

    def extended(self, branch: Branch, trace: Trace) -> Branch:
        """The branch that continues with a trace from its last state."""
        taken = map(self.interpreter.number_taken, trace.steps, trace.states, trace.states[1:])
        return branch.then(*taken)

    def _child(self, node: TreeNode, choice: int) -> TreeNode:
        found = node.children.get(choice)
        if found is None:
            if choice not in self.interpreter.numbers_in(node.state):
                raise UsageError(f"there is no binding {choice}: has the design changed?")
            state = self.interpreter.successor(node.state, choice)
            if state is None:
                step = Notation().step(self.interpreter.step(choice, node.state))
                raise UsageError(
                    f"{step} cannot happen in state {node.number}: has the design changed?"
                )
            made = TreeNode(node.number + 1, state)
            self._took(node.state, made, choice)
            found = node.children.setdefault(choice, made)
            self._kept += 1
        return found

    def _keep_only(self, path: list[TreeNode], choices: Sequence[int]) -> None:
        """Forgets all states of branches that are not on a path that ends with some choices."""
        for root in (*self.initial, *self.recorded):
            root.children = {}
        branched = path[len(path) - len(choices) - 1 :]
        for node in branched:
            node.children = {}
        for node, choice, after in zip(branched, choices, branched[1:], strict=False):
            node.children[choice] = after
        self._kept = len(choices)

    def _took(self, before: Any, node: TreeNode, binding: int) -> None:
        node.binding = binding
        node.step = self.interpreter.step(binding, before)

    def _check_start(self) -> None:
        first = self.recorded[0]
        if all(first.state != node.state for node in self.initial):
            first.fault = f"this is no initial state of {self.rival.design.name}"

    def _resolve(self, upto: int) -> None:
        """Finds the bindings of recorded steps, as far as they are needed: a trace may be long."""
        while self._resolved < upto:
            with self._resolving:  # for one step, so that no other thread waits for more
                if self._resolved < upto:
                    before, after = self.recorded[self._resolved - 1 : self._resolved + 1]
                    self._identify(before, after)
                    self._resolved += 1

    def _identify(self, before: TreeNode, after: TreeNode) -> None:
        state: Any = None
        named = self.interpreter.numbers_of(after.text, before.state)
        for number in named:
            try:
                state = self.interpreter.successor(before.state, number) or state
            except SpecFailure as wrong:
                after.fault = f"the spec fails at this step: {wrong.message}"
                return
            if state == after.state:
                self._took(before.state, after, number)
                return
        if named:
            if state is None:
                after.fault = f"{self.rival.design.name} does not allow this step here"
            else:
                write = Notation.of_spec(self.rival.spec).value
                first = next(changes(state, after.state))
                after.fault = (
                    f"by {self.rival.design.name} this step leads elsewhere: {first.path} would be"
                    f" {write(first.before)}, not {write(first.after)}"
                )
        elif after.text:
            after.fault = f"{self.rival.design.name} has no step of this name"
        else:
            found = (n for n, s in self.interpreter.successors(before.state) if s == after.state)
            binding = next(found, None)
            if binding is None:
                after.fault = f"no step of {self.rival.design.name} leads here"
            else:
                self._took(before.state, after, binding)
