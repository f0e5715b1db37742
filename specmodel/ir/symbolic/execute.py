"""Symbolic execution of actions and properties: statements and calls.

An action with a binding becomes guards and a node for each leaf of the next state. A property
becomes one boolean node. Loops and calls are unrolled, branches are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from specmodel.domains import MapDomain, SeqDomain, SparseMapDomain
from specmodel.errors import Defect, Disabled, SpecError
from specmodel.ir import compile_progress
from specmodel.ir import nodes as ir
from specmodel.ir.children import statements
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.effects import Effect, Judgement
from specmodel.ir.symbolic.folds import FOLDS, bound
from specmodel.ir.symbolic.frames import Slot
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.normal import ranked
from specmodel.ir.symbolic.operators import OPERATORS, appended
from specmodel.ir.symbolic.references import (
    AccessStep,
    Binding,
    Either,
    Held,
    Place,
    Ref,
    declared,
    mutable,
)
from specmodel.ir.symbolic.refinement import refined
from specmodel.ir.symbolic.run import SymbolicRun
from specmodel.ir.symbolic.stops import Bound, stops
from specmodel.ir.symbolic.terms import HERE, TermOperations, Terms
from specmodel.ir.symbolic.values import Composite, Scalar, SymbolicSeq, Value

MOST_ROUNDS = 40
"""The most rounds of a `while`: each round is a recursive call within the round before it."""


def run_action(
    model: ir.Lowered,
    graph: Graph,
    function: ir.Function,
    leaves: Sequence[Node],
    args: Sequence[Any],
) -> Effect:
    """The effect of an action on the leaves of a state, with constant or symbolic arguments."""
    if (body := function.graphed) is not None:
        return body.effect(graph, leaves, args)
    run = SymbolicRun(model, graph, pure=False)
    after = Execution(run).action(function, leaves, args)
    return Effect(tuple(run.guards), tuple(run.failures), after)


def run_property(
    model: ir.Lowered,
    graph: Graph,
    function: ir.Function,
    states: Sequence[Sequence[Node]],
    args: Sequence[Any] = (),
) -> Judgement:
    """The judgement of a property on the leaves of one state, or of two for a transition property.

    `args` are constant arguments for the other parameters.
    """
    if (body := function.graphed) is not None:
        return body.judgement(graph, states)
    run = SymbolicRun(model, graph, pure=True)
    node = Execution(run).property(function, states, args)
    return Judgement(node, tuple(run.failures))


OPERATIONS = TermOperations(OPERATORS, FOLDS, bound, stops)
"""How the terms of every run are evaluated."""


class Execution:
    """Executes the statements and calls of a run; `terms` evaluates its terms."""

    def __init__(self, run: SymbolicRun, terms: type[Terms] = Terms) -> None:
        self.run = run
        self.graph = run.graph
        self.terms = terms(run, self.call, OPERATIONS)

    def action(
        self, function: ir.Function, leaves: Sequence[Node], args: Sequence[Any]
    ) -> tuple[Node, ...]:
        """Runs an action on the leaves of a state; all leaves of the next state."""
        run, kind = self.run, self.run.model.state
        before = run.algebra.state(kind, leaves)
        state = self._state(before)
        try:
            self.body(function, [state, *self._arguments(function, args)])
        except Disabled:  # a guard is false in every state: the statements after it never run
            return tuple(leaves)
        out: list[Node] = []
        after = run.world.slots[state.place.slot]
        run.algebra.packed(kind, after, out, (before, list(leaves)))
        return tuple(out)

    def property(
        self,
        function: ir.Function,
        states: Sequence[Sequence[Node]],
        args: Sequence[Any] = (),
    ) -> Node:
        """Runs a property on the leaves of states, with constant arguments; its boolean node."""
        run = self.run
        values = [run.algebra.state(run.model.state, leaves) for leaves in states]
        places = [self._state(value) for value in values]
        given = [*places, *self._arguments(function, args)]
        result = run.read(self.body(function, given), ir.BOOL, function.span)
        node = getattr(result, "node", None)
        if not isinstance(node, Node) or not node.boolean:
            raise SpecError(f"{function.name} does not give a bool", function.span)
        return node

    def _arguments(self, function: ir.Function, args: Sequence[Any]) -> list[Binding]:
        """Bindings of the last parameters of a function, from constants or symbolic values."""
        domains = list(function.parameters.values())[-len(args) :] if args else []
        values = [
            arg if isinstance(arg, Value) else self.run.algebra.constant(domain, arg)
            for domain, arg in zip(domains, args, strict=True)
        ]
        return [
            Held(value, 0, frozen="an argument of the action") if mutable(domain) else value
            for domain, value in zip(domains, values, strict=True)
        ]

    def _state(self, value: Value) -> Ref:
        """A new slot for a state."""
        return self.run.new_slot(value, Slot(self.run.model.state, state=True))

    def body(self, function: ir.Function, args: Sequence[Binding]) -> Binding:
        """Runs a function's body in a new frame; its result, or true if it has none."""
        run = self.run
        kept = [
            arg if isinstance(arg, Value) else run.kept(arg, domain)
            for arg, domain in zip(args, function.parameters.values(), strict=True)
        ]
        run.world.frames.append(run.new_frame(dict(zip(function.parameters, kept, strict=True))))
        self.block(function.body)
        frame = run.world.frames.pop()
        if function.result is None:
            return Scalar(self.graph.true)
        if frame.result is None or not run.always(frame.returned):
            what = f"{function.name} may end without returning a value"
            raise SpecError(what, function.span, "return one on every way")
        return frame.result

    def call(self, term: ir.Call) -> Binding:
        function = self.run.model.helpers[term.function]
        return self.body(function, [self.terms.binding(arg) for arg in term.args])

    def block(
        self, statements: Sequence[ir.Statement], then: Callable[[], None] | None = None
    ) -> None:
        """Runs statements, then `then`.

        The statements after a possible return or break run under the condition that there was none.
        """
        for number, statement in enumerate(statements):
            compile_progress.look(statement.span)
            self.one(statement)
            frame = self.run.frame
            ended = self.graph.either(frame.returned, frame.broke, frame.again)
            if ended is self.graph.false:
                continue
            if ended is self.graph.true:
                return
            if (rest := statements[number + 1 :]) or then:
                self._going_on(self.graph.negate(ended), partial(self.block, rest, then))
            return
        if then is not None:
            then()

    def _going_on(self, condition: Node, then: Callable[[], None]) -> None:
        """Runs `then` under the condition that the function, the loop and its round go on."""
        run, g, frame = self.run, self.graph, self.run.frame
        before = (frame.returned, frame.broke, frame.again)
        frame.returned = frame.broke = frame.again = g.false
        run.branch(condition, then, lambda: None)
        frame = run.frame
        frame.returned = g.either(before[0], frame.returned)
        frame.broke = g.either(before[1], frame.broke)
        frame.again = g.either(before[2], frame.again)

    def arm(self, statement: ir.If, holds: bool) -> None:
        """Runs one branch of an `if`: the one for a condition that is true or false."""
        self.block(statement.then if holds else statement.other)

    def one(self, statement: ir.Statement) -> None:
        """Runs a statement. Raises Defect for an exception that specmodel does not expect."""
        try:
            self._one(statement)
        except SpecError as wrong:
            if wrong.span is not None:
                raise
            raise type(wrong)(wrong.message, statement.span, wrong.hint) from None
        except Disabled:
            raise
        except Exception as wrong:
            raise Defect.of(wrong, statement.span) from wrong

    def _one(self, statement: ir.Statement) -> None:
        run = self.run
        if isinstance(statement, ir.Require):
            if run.pure:
                hint = "return False, or use a condition"
                raise SpecError("a property has no guards", statement.span, hint)
            run.guard(self.terms.truth(statement.condition), statement.span)
            if run.guards[-1].node is self.graph.false:
                raise Disabled
        elif isinstance(statement, ir.Bind):
            value = statement.value
            run.frame.bind(
                statement.name, run.kept(self.terms.binding(value), value.type, statement.span)
            )
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
        elif isinstance(statement, ir.Refine):
            run.frame.result = Scalar(self.refined(statement))
            run.frame.returned = self.graph.true
        elif isinstance(statement, ir.Leave):
            if statement.again:
                run.frame.again = self.graph.true
            else:
                run.frame.broke = self.graph.true

    def refined(self, statement: ir.Refine) -> Node:
        """The condition that a step of the abstract design leads from one state to another."""
        return refined(self.run, self.terms, statement, run_action)

    def _return(self, statement: ir.Return) -> None:
        frame = self.run.frame
        if statement.value is not None:
            frame.result = self.terms.binding(statement.value)
        frame.returned = self.graph.true

    def _store(self, statement: ir.Store) -> None:
        """Stores a value; `ir.Store` defines the order of evaluation."""
        term = statement.value
        at, assign = statement.target, statement.how == "assign"
        if assign and isinstance(at, ir.At) and isinstance(at.base.type, SparseMapDomain):
            self._put_key(at, statement)
            return
        if assign:
            value = self.terms.binding(term)
            self._put(self.terms.target(statement.target), statement, lambda _: value)
            return
        self.run.frame.bind(HERE, self.terms.target(statement.target))
        target = self.run.frame.names[HERE]
        if not mutable(statement.target.type):
            self.run.frame.bind(
                HERE, self.run.read(target, statement.target.type, statement.target.span)
            )
        made = _with_here(term, statement.target)
        if statement.how == "update":
            value = self.terms.binding(made)
            self._check_element(target, statement.target)
            self._put(target, statement, lambda _: value)
        else:
            self._put_inside(target, statement, made)
        self.run.frame.names.pop(HERE, None)

    def _put_key(self, at: ir.At, statement: ir.Store) -> None:
        """Stores a value at a key of a map with a capacity.

        A key that is always in the map keeps its slot; any other key may move the slots of the map.
        """
        run, kind, value = self.run, at.base.type, self.terms.binding(statement.value)
        assert isinstance(kind, SparseMapDomain)
        base, key = self.terms.target(at.base), self.terms.value(at.key)
        key = ranked(run.algebra, kind.key, key)
        held = run.read(base, kind, at.base.span)
        assert isinstance(held, SymbolicSeq)
        known = self.graph.either(*slots.same_keys(run.algebra, key, held))
        if not run.possible(self.graph.negate(known)):
            index = self.terms.slot_of(at.key, key, held, at.span)
            place = run.step(base, AccessStep("value", index=index), at.base.span)
            self._put(place, statement, lambda _: value)
            return

        def made(there: Binding) -> Binding:
            old = run.read(there, kind, at.base.span)
            new = run.read(value, statement.value.type, statement.value.span)
            assert isinstance(old, SymbolicSeq)
            return Held(
                slots.put(run.algebra, old, Composite((key, new)), self.graph.true),
                run.changes.count,
            )

        whole = ir.Apply(kind, statement.value.span, "put", (at.base, at.key, statement.value))
        self._put(base, replace(statement, target=at.base, value=whole, how="shift"), made)

    def _put_inside(self, target: Binding, statement: ir.Store, term: ir.Term) -> None:
        """Changes a list in place. The operands are evaluated before the list is read."""
        run = self.run
        with self.terms.in_turn(term) as named:

            def changed(there: Binding) -> Binding:
                # Without aliases: the elements that the list has already keep their places.
                held = run.read(there, statement.target.type, statement.target.span)
                run.frame.bind(HERE, Held(held, run.changes.count))
                return self._grown(named) or self.terms.binding(named)

            if statement.how == "join":  # Python stores the list again, where it was
                self._check_element(target, statement.target)
            self._put(target, statement, changed)

    def _check_element(self, target: Binding, place: ir.Term) -> None:
        """Raises SpecError if the value that is stored may have changed an element's place."""
        counted = False
        if isinstance(place, ir.At) and isinstance(place.base.type, SeqDomain):
            key = place.key
            counted = isinstance(key, ir.Constant | ir.Name) and self.terms.integer(key).low >= 0
        self.run.check_element(target, place.span, counted)

    def _grown(self, term: ir.Term) -> Binding | None:
        """The list of an `append`, whose elements past the end stay blank; None for other terms."""
        if not (isinstance(term, ir.Apply) and term.op == "append"):
            return None
        held, item = (self.terms.value(arg) for arg in term.args)
        assert isinstance(held, SymbolicSeq)
        grown = appended(self.terms, held, item, self.graph.true)
        aliases = self.run.parts(self.terms.binding(term.args[1]))
        made = SymbolicSeq(grown.length, grown.parts, held.blank)
        return Held(made, self.run.changes.count, aliases)

    def _put(
        self, target: Binding, statement: ir.Store, made: Callable[[Binding], Binding]
    ) -> None:
        """Stores in a target the value that `made` returns for it."""
        run, span = self.run, statement.span
        if not isinstance(target, Ref) and not run.possible():
            return
        if isinstance(target, Either):
            run.branch(
                target.condition,
                partial(self._put, target.then, statement, made),
                partial(self._put, target.other, statement, made),
            )
            return
        if not isinstance(target, Ref):
            frozen = target.frozen if isinstance(target, Held) else ""
            what = f"this is {frozen or 'no part of a state or of a local value'}: it cannot change"
            raise SpecError(what, statement.target.span, "make a new value")
        place, slot = target.place, run.slots[target.place.slot]
        if run.pure and slot.state:
            raise SpecError("a property does not change the state", span)
        domain, bounded = declared(slot.domain, place.steps)
        if statement.how == "assign" and not (bounded or slot.state):
            self._refuse_new_key(target, statement.target)
        binding = made(target)
        value = run.read(binding, statement.value.type, statement.value.span)
        aliases: tuple[Place, ...] = ()
        if bounded or (slot.state and place.steps):
            where = statement.target.span.text() if statement.target.span else "the value"
            if isinstance(statement.value, ir.Apply) and statement.value.op == "append":
                where = f"{where} after append"
            value = self.terms.fitted(domain, value, where, span)
        elif mutable(domain):
            aliases = run.parts(binding)
        how = statement.how
        if how == "join":
            how = "grow"
            if bounded or slot.state:  # the list itself grows, then a copy of it replaces it
                run.changes.add(place, "grow", run.path, span)
                how = "assign"
        elif how == "update":
            how = "assign"
        run.write(target, value, how, aliases, statement.target.span, span)

    def _refuse_new_key(self, target: Ref, term: ir.Term) -> None:
        """Raises SpecError if a local map may not have a key: Python would add the key."""
        if not (isinstance(term, ir.At) and isinstance(term.base.type, MapDomain)):
            return
        g, index, keys = self.graph, target.place.steps[-1].index, term.base.type.key
        assert index is not None
        if not self.run.holds(g.both(g.le(g.int(0), index), g.lt(index, g.int(keys.size)))):
            what = f"this may be no key of the map, whose keys are {keys}: Python would add it"
            raise SpecError(what, term.key.span, "test for it before, or use a narrower range")

    def _while(self, statement: ir.For, rounds: int) -> None:
        """Runs a loop while its condition may be true; each round within the round before it.

        So a name that counts rounds is a constant, and the condition becomes false.
        """
        run, g, condition = self.run, self.graph, statement.generator.condition
        assert condition is not None
        if rounds == MOST_ROUNDS:
            what = f"as far as its condition tells, this loop may go on after {MOST_ROUNDS} rounds"
            hint = "count the rounds, as in while i < len(s.log), or loop over range(...)"
            raise SpecError(what, condition.span, hint)

        following = partial(self._while, statement, rounds + 1)
        inside = statements(statement.body)
        again = any(isinstance(part, ir.Leave) and part.again for part in inside)

        def once() -> None:
            if not again:
                self.block(statement.body, following)
                return
            self.block(statement.body)  # a counter is a constant only if no round ends early
            run.frame.again = g.false
            over = g.either(run.frame.returned, run.frame.broke)
            if over is not g.true:
                self._going_on(g.negate(over), following)

        self._going_on(self.terms.truth(condition), once)

    def _loop(self, statement: ir.For) -> None:
        run, g = self.run, self.graph
        outer, changes = (run.frame.broke, run.frame.again), run.changes.count
        run.frame.broke = g.false
        if statement.generator.source.kind == "while":
            run.frame.again = g.false
            self._while(statement, 0)
            run.frame.broke, run.frame.again = outer
            return
        for present, bindings, leave in stops(self.terms, statement.generator, run.kept):
            run.frame.again = g.false
            ended = g.either(run.frame.returned, run.frame.broke)
            going = g.both(present, g.negate(ended))
            if ended is g.true:
                break

            def once(bound: Bound = bindings, leave: Callable[[], None] = leave) -> None:
                for name, binding in zip(statement.generator.names, bound(), strict=True):
                    run.frame.bind(name, binding)
                self.block(statement.body)
                if run.changes.count == changes:
                    return
                gone = g.either(run.frame.returned, run.frame.broke)
                if gone is not g.true:
                    with run.assuming(g.negate(gone)):
                        leave()

            self._going_on(going, once)
        run.frame.broke, run.frame.again = outer


def _with_here(term: ir.Term, target: ir.Term) -> ir.Term:
    """A term whose first part, the target, is replaced by the name HERE."""
    if term is target:
        return ir.Name(term.type, term.span, HERE)
    if isinstance(term, ir.Slice):
        return replace(term, base=_with_here(term.base, target))
    if isinstance(term, ir.Apply):
        return replace(term, args=(_with_here(term.args[0], target), *term.args[1:]))
    return term
