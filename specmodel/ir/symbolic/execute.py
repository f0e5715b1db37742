"""Runs actions and properties of a model symbolically.

An action with its binding becomes a guard and, for each leaf of the state that it changes, a node;
a property becomes one boolean node. Loops and calls are unrolled, branches merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from specmodel.errors import SpecError
from specmodel.ir import nodes as ir
from specmodel.ir.symbolic.frames import Failure, Guard, Run
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.operators import appended
from specmodel.ir.symbolic.places import Binding, Place, Snapshot, declared, mutable
from specmodel.ir.symbolic.terms import Terms
from specmodel.ir.symbolic.values import Scalar, Seq, Value


@dataclass(frozen=True)
class Effect:
    """An action with one binding: guards, failures, and all leaves of the state after it.

    A leaf it leaves alone is the very node it was before. A failure counts where its node is true;
    those with fewer `guards` than there are must be looked for whether or not the action is
    enabled.
    """

    guards: tuple[Guard, ...]
    failures: tuple[Failure, ...]
    leaves: tuple[Node, ...]


@dataclass(frozen=True)
class Judgement:
    """A property: whether it holds, and where looking at it fails."""

    node: Node
    failures: tuple[Failure, ...]


def run_action(
    model: ir.Model,
    graph: Graph,
    function: ir.Function,
    leaves: Sequence[Node],
    args: Sequence[Any],
) -> Effect:
    """An action on a state given by its leaves, with arguments that are constants or symbolic."""
    run = Run(model, graph, pure=False)
    after = Execution(run).action(function, leaves, args)
    return Effect(tuple(run.guards), tuple(run.failures), after)


def run_property(
    model: ir.Model,
    graph: Graph,
    function: ir.Function,
    states: Sequence[Sequence[Node]],
    args: Sequence[Any] = (),
) -> Judgement:
    """A property of one state, or of two for a transition, each given by its leaves.

    `args` are constant arguments for the parameters after those.
    """
    run = Run(model, graph, pure=True)
    node = Execution(run).property(function, states, args)
    return Judgement(node, tuple(run.failures))


class Execution:
    """Statements and calls of a run; `terms` evaluates its terms."""

    def __init__(self, run: Run, terms: type[Terms] = Terms) -> None:
        self.run = run
        self.graph = run.graph
        self.terms = terms(run, self.call)

    def action(
        self, function: ir.Function, leaves: Sequence[Node], args: Sequence[Any]
    ) -> tuple[Node, ...]:
        """Runs an action on a state given by its leaves; all leaves of the state after it."""
        run, kind = self.run, self.run.model.state
        before = run.algebra.state(kind, leaves)
        state = self._state(before)
        self.body(function, [state, *self._arguments(function, args)])
        out: list[Node] = []
        run.algebra.packed(kind, run.world.slots[state.slot], out, (before, list(leaves)))
        return tuple(out)

    def property(
        self,
        function: ir.Function,
        states: Sequence[Sequence[Node]],
        args: Sequence[Any] = (),
    ) -> Node:
        """Runs a property on states given by their leaves, with constant arguments; its truth."""
        run = self.run
        values = [run.algebra.state(run.model.state, leaves) for leaves in states]
        places = [self._state(value) for value in values]
        result = run.read(self.body(function, [*places, *self._arguments(function, args)]))
        node = getattr(result, "node", None)
        if not isinstance(node, Node) or not node.boolean:
            raise SpecError(f"{function.name} does not give a bool", function.span)
        return node

    def _arguments(self, function: ir.Function, args: Sequence[Any]) -> list[Value]:
        """Arguments for the last parameters of a function; symbolic ones are taken as they are."""
        domains = list(function.parameters.values())[-len(args) :] if args else []
        return [
            arg if isinstance(arg, Value) else self.run.algebra.constant(domain, arg)
            for domain, arg in zip(domains, args, strict=True)
        ]

    def _state(self, value: Value) -> Place:
        """A place for a state."""
        place = self.run.new_slot(value, self.run.model.state)
        self.run.states.add(place.slot)
        return place

    def body(self, function: ir.Function, args: Sequence[Binding]) -> Binding:
        """Runs a function's body in a frame of its own; its result, if it has one."""
        run = self.run
        run.world.frames.append(run.new_frame(dict(zip(function.parameters, args, strict=True))))
        self.block(function.body)
        frame = run.world.frames.pop()
        if function.result is None:
            return Scalar(self.graph.true)
        if frame.result is None or not run.always(frame.returned):
            what = f"{function.name} may end without returning a value"
            raise SpecError(what, function.span, "return one on every way")
        if frame.sources:
            alone = len(frame.sources) == 1 and not frame.fresh
            return frame.sources[0] if alone else Snapshot(frame.result, frame.sources)
        return frame.result

    def call(self, term: ir.Call) -> Binding:
        function = self.run.model.helpers[term.function]
        return self.body(function, [self.terms.binding(arg) for arg in term.args])

    def block(self, statements: Sequence[ir.Statement]) -> None:
        """Runs statements; what follows a possible return or break runs where there was none."""
        for number, statement in enumerate(statements):
            self.one(statement)
            frame = self.run.frame
            ended = self.graph.either(frame.returned, frame.broke, frame.again)
            if ended is self.graph.false:
                continue
            if ended is self.graph.true:
                return
            rest = statements[number + 1 :]
            if rest:
                self.run.branch(
                    self.graph.negate(ended), partial(self._resumed, rest), lambda: None
                )
            return

    def arm(self, statement: ir.If, holds: bool) -> None:
        """The statements that run if a condition holds, or those that do if it does not."""
        self.block(statement.then if holds else statement.other)

    def _resumed(self, statements: Sequence[ir.Statement]) -> None:
        frame, no = self.run.frame, self.graph.false
        frame.returned = frame.broke = frame.again = no
        self.block(statements)

    def one(self, statement: ir.Statement) -> None:
        """Runs a statement."""
        run = self.run
        if isinstance(statement, ir.Require):
            if run.pure:
                hint = "return False, or use a condition"
                raise SpecError("a property has no guards", statement.span, hint)
            run.guard(self.terms.truth(statement.condition), statement.span)
        elif isinstance(statement, ir.Bind):
            run.frame.bind(statement.name, self._bound(statement.value))
        elif isinstance(statement, ir.Store):
            self._store(statement)
        elif isinstance(statement, ir.If):
            condition = self.terms.truth(statement.condition)
            arm = partial(self.arm, statement)
            run.branch(condition, partial(arm, True), partial(arm, False))
        elif isinstance(statement, ir.For):
            self._loop(statement)
        elif isinstance(statement, ir.Perform):
            self.call(statement.call)
        elif isinstance(statement, ir.Return):
            self._return(statement)
        elif isinstance(statement, ir.Leave):
            if statement.again:
                run.frame.again = self.graph.true
            else:
                run.frame.broke = self.graph.true

    def _bound(self, term: ir.Term) -> Binding:
        """What a local name stands for; a new composite gets a slot, to be changed in place."""
        binding = self.terms.binding(term)
        if isinstance(binding, Value) and mutable(term.type):
            return self.run.new_slot(binding, term.type)
        return binding

    def _return(self, statement: ir.Return) -> None:
        frame = self.run.frame
        if statement.value is not None:
            binding = self.terms.binding(statement.value)
            frame.result = self.run.read(binding)
            frame.fresh = not isinstance(binding, Place)
            frame.sources = (
                (binding,)
                if isinstance(binding, Place)
                else binding.sources
                if isinstance(binding, Snapshot)
                else ()
            )
        frame.returned = self.graph.true

    def _store(self, statement: ir.Store) -> None:
        run, target = self.run, statement.target
        place = self.terms.place(target)
        if place is None:
            hint = "assign through the state itself"
            raise SpecError("it is not certain which place this changes", target.span, hint)
        if run.pure and place.slot in run.states:
            raise SpecError("a property does not change the state", statement.span)
        domain, bounded = declared(run.domains[place.slot], place.steps)
        value, term = self._stored(statement), statement.value
        if bounded or (place.slot in run.states and place.steps):
            where = target.span.text() if target.span else "the value"
            if isinstance(term, ir.Apply) and term.op == "append" and term.args[0] == target:
                where = f"{where} after append"
            value = self.terms.fitted(domain, value, where, statement.span)
        run.write(place, value, statement.span, statement.inside)

    def _stored(self, statement: ir.Store) -> Value:
        """The value to store. An append in place keeps what lies past the end of the list blank."""
        term = statement.value
        if isinstance(term, ir.Apply) and term.op == "append" and term.args[0] == statement.target:
            held, item = self.terms.value(term.args[0]), self.terms.value(term.args[1])
            assert isinstance(held, Seq)
            grown = appended(self.terms, held, item, self.graph.true)
            return Seq(grown.length, grown.elements, held.blank)
        return self.terms.value(term)

    def _loop(self, statement: ir.For) -> None:
        run, g = self.run, self.graph
        outer = (run.frame.broke, run.frame.again)
        run.frame.broke = g.false
        for present, bindings in list(self.terms.sourced(statement.generator)):
            run.frame.again = g.false
            ended = g.either(run.frame.returned, run.frame.broke)
            going = g.both(present, g.negate(ended))
            if ended is g.true:
                break

            def once(bindings: tuple[Binding, ...] = bindings) -> None:
                frame = run.frame
                frame.returned = frame.broke = g.false
                for name, binding in zip(statement.generator.names, bindings, strict=True):
                    frame.bind(name, binding)
                self.block(statement.body)

            run.branch(going, once, lambda: None)
        run.frame.broke, run.frame.again = outer
