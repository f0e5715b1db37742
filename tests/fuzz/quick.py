"""A spec's graphs against CPython, state by state and without machine code: cheap enough for all
specs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.errors import BoundExceeded
from specmodel.ir.layout import codes_of
from specmodel.ir.symbolic.execute import run_action, run_property
from specmodel.ir.symbolic.reading import NodeValues
from specmodel.kernel.program import Program
from specmodel.model.model import Model, Rule
from specmodel.results import SpecFailure
from tests.fuzz.verdict import Verdict
from tests.kernel.reference import mixed_states, reachable_states

ROLES = ("invariant", "reachable")


class Graphs:
    """The graphs of a spec beside its interpreter. Raises SpecError if the spec is refused."""

    def __init__(self, spec: Model) -> None:
        self.spec = spec
        self.interpreter = Interpreter(spec)
        self.program = program = Program(spec, spec.properties)
        self.effects = [
            run_action(
                program.model, program.graph, program.model.actions[r.name], program.leaves, a
            )
            for r, a in program.bindings
        ]
        self.judged = {
            rule.name: self._property(program.model.properties[rule.name][1], program.leaves)
            for rule in spec.properties
            if rule.role in ROLES
        }
        for rule in spec.bounds:
            function = program.model.constraints[rule.name]
            self.judged[rule.name] = self._property(function, program.leaves)
        self.stepped = [program.stepped(effect.leaves) for effect in self.effects]

    def _property(self, function: Any, *leaves: Any) -> Any:
        return run_property(self.program.model, self.program.graph, function, list(leaves))

    def differences(self, states: list[Any]) -> Iterator[Verdict]:
        """Where graphs and CPython part, in some states."""
        rules = [r for r in (*self.spec.properties, *self.spec.bounds) if r.name in self.judged]
        for state in states:
            read = NodeValues(list(codes_of(self.spec.domain, state)))
            for number in range(len(self.effects)):
                after = yield from self.step(state, number, read)
                if after is not None:
                    for place, judgement in self.stepped[number]:
                        rule = self.program.chosen[place]
                        yield from self.truth(rule, judgement, read, state, after)
            for rule in rules:
                yield from self.truth(rule, self.judged[rule.name], read, state)

    def step(self, state: Any, number: int, read: Any) -> Iterator[Verdict]:
        """Compares a binding in a state; gives the state after it, if there is one."""
        effect, step = self.effects[number], partial(self.interpreter.step, number)
        enabled = all(read(guard.node) for guard in effect.guards)
        failing = any(read(failure.node) for failure in effect.failures)
        try:
            after = self.interpreter.successor(state, number)
        except (SpecFailure, BoundExceeded) as failure:
            if not failing and not _unreached(*self.interpreter.bindings[number]):
                found = "enabled" if enabled else "disabled"
                yield _parted(f"step fails, not {found}", step(), state, str(failure))
            return None
        if failing:
            yield _parted("step does not fail", step(), state)
        elif enabled != (after is not None):
            yield _parted(f"step enabled: {after is not None}", step(), state)
        elif after is not None:
            codes = [read(leaf) for leaf in effect.leaves]
            if codes != list(codes_of(self.spec.domain, after)):
                yield _parted("step leads elsewhere", step(), state, after)
        return after

    def truth(self, rule: Rule, judgement: Any, read: Any, *states: Any) -> Iterator[Verdict]:
        """Compares what a property says of a state, or of a step."""
        failing = any(read(failure.node) for failure in judgement.failures)
        try:
            holds = self.interpreter.holds(rule, *states)
        except SpecFailure as failure:
            if not failing:
                yield _parted("property fails, not known", rule.name, *states, failure.message)
            return
        if failing:
            yield _parted("property does not fail", rule.name, *states)
        elif bool(read(judgement.node)) != holds:
            yield _parted("property's truth", rule.name, *states, holds)


def _unreached(rule: Rule, arguments: tuple[Any, ...]) -> bool:
    """Whether a binding may have values for picks that it does not reach.

    It is no step, but CPython may fail before it ends; then the binding without them fails too.
    """
    held = zip(rule.parameters, arguments, strict=True)
    picks = {name for name, one in getattr(rule, "picked", {}).items() if one.open}
    return any(name in picks and value is not None for name, value in held)


def _parted(what: str, where: object, *more: object) -> Verdict:
    """A difference: in a step or a property, in a state, and what CPython says there."""
    return Verdict("difference", what, ": ".join(map(str, (where, *more))))


def compare_graphs(spec: Model, seed: int, most: int = 24, more: int = 12) -> Verdict:
    """Compares in the first states of a search, in mixtures of them, and in states at random."""
    graphs = Graphs(spec)
    draw = random.Random(seed)
    states = reachable_states(spec, most)[: 2 * most]
    states += mixed_states(spec, states, more, draw)
    states += [spec.domain.at(draw.randrange(spec.domain.size)) for _ in range(more)]
    try:
        return next(graphs.differences(states), Verdict("agree"))
    except RecursionError:  # the plain reading's, not the product's
        return Verdict("endless", "a reading goes too deep")
