"""Symbolic execution of terms."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import (
    MOST_PLACES,
    BagDomain,
    Domain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    SparseMapDomain,
    StructDomain,
    TupleDomain,
)
from specmodel.errors import Span, SpecError
from specmodel.ir import nodes as ir
from specmodel.ir.effects import Effects
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.conversion import converted, lacking, quoted
from specmodel.ir.symbolic.elements import bounded, chunks, limited, spanned, widest
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.normal import normal, ranked
from specmodel.ir.symbolic.references import (
    AccessStep,
    Binding,
    Either,
    Held,
    Place,
    Present,
    Stop,
    element_of,
    mutable,
)
from specmodel.ir.symbolic.run import SymbolicRun
from specmodel.ir.symbolic.values import Composite, Scalar, SymbolicSeq, SymbolicSet, Value

HERE = "what is there"
"""The name of a statement's target, while the statement computes its new value."""


@dataclass(frozen=True)
class TermOperations:
    """The evaluation of operators and of folds, by name, for the terms that they are part of.

    `bound`: the result of a fold that is an element, or a new list or map; `stops`: see `stops.py`.
    """

    operators: Mapping[str, Callable[[Terms, ir.Apply], Value]]
    folds: Mapping[str, Callable[[Terms, ir.Each], Value]]
    bound: Callable[[Terms, ir.Each], Binding]
    stops: Callable[[Terms, ir.Generator], Iterator[Stop]]


class Terms:
    """Evaluates the terms of a run; `call` runs a function of the model and returns its result."""

    def __init__(
        self, run: SymbolicRun, call: Callable[[ir.Call], Binding], operations: TermOperations
    ) -> None:
        self.operations = operations
        self.run = run
        self.graph = run.graph
        self.algebra = run.algebra
        self.call = call
        if self.graph.effects is None or self.graph.effects[0].helpers is not run.model.helpers:
            known = Effects(run.model.helpers)
            self.graph.effects = known, known.within_terms(run.model)
        self.effects: Effects = self.graph.effects[0]
        self.any_acts: bool = self.graph.effects[1]
        states = (run.model.state, *run.model.abstract)
        parts = (part for state in states for part in state.nested())
        self.sparse = {part.slot_key for part in parts if isinstance(part, SlottedDomain)}

    def value(self, term: ir.Term) -> Value:
        """The value of a term. Raises SpecError if it cannot be followed."""
        try:
            if self.any_acts and self.effects.acts(term):
                if mutable(term.type):
                    return self.run.read(self.binding(term), term.type, term.span)
                with self.in_turn(term) as named:
                    return self._METHODS[type(term)](self, named)
            return self._METHODS[type(term)](self, term)
        except SpecError as wrong:
            if wrong.span is not None:
                raise
            raise SpecError(wrong.message, term.span, wrong.hint) from None

    def truth(self, term: ir.Term) -> Node:
        """The node of a boolean term."""
        return _node(self.value(term))

    def integer(self, term: ir.Term) -> Node:
        return _node(self.value(term))

    @contextmanager
    def in_turn(self, term: ir.Term) -> Generator[ir.Term]:
        """Yields the term with its operands replaced by names, bound to the operands in turn.

        So all changes of the state by an operand are made before any operand is read, as in Python.
        Operands of `and` and `or`, which may not be evaluated, are not replaced.
        """
        names: list[str] = []

        def named(part: ir.Term) -> ir.Term:
            if isinstance(part, ir.Constant) or (isinstance(part, ir.Name) and part.name == HERE):
                return part
            names.append(f"operand {len(self.run.frame.names)}")
            self.run.frame.bind(names[-1], self.binding(part))
            return ir.Name(part.type, part.span, names[-1])

        def bound(part: ir.Term | None) -> ir.Term | None:
            return named(part) if part else None

        if isinstance(term, ir.Apply) and term.op not in ("and", "or"):
            term = replace(term, args=tuple(map(named, term.args)))
        elif isinstance(term, ir.At):
            term = replace(term, base=named(term.base), key=named(term.key))
        elif isinstance(term, ir.Slice):
            term = replace(term, base=named(term.base), low=bound(term.low), high=bound(term.high))
        elif isinstance(term, ir.Make):
            term = replace(term, items=tuple(map(named, term.items)))
        yield term
        for name in names:
            self.run.frame.names.pop(name, None)

    # References

    def binding(self, term: ir.Term) -> Binding:
        """The binding of a term: for a composite, a reference to a part, or a new value."""
        if not mutable(term.type):
            return self.value(term)
        if isinstance(term, ir.Name):
            return self._bound(term)
        if isinstance(term, ir.Get | ir.At) or (
            isinstance(term, ir.Apply) and term.op in ("the", "need", "sure")
        ):
            return self.target(term)
        if isinstance(term, ir.Call):
            return self.call(term)
        if isinstance(term, ir.Choose):
            return self._chosen(term, self.binding)
        since = self.run.changes.count
        if isinstance(term, ir.Constant):
            return Held(self._constant(term), since, frozen="a constant")
        if isinstance(term, ir.Apply) and term.op == "picked":
            return Held(self.value(term.args[0]), since, frozen="what was picked")
        if isinstance(term, ir.Apply) and term.op == "some":
            assert isinstance(term.type, OptionDomain)
            return Present(self.binding(term.args[0]), term.type.inner)
        if isinstance(term, ir.Each):
            return self.operations.bound(self, term)
        return self._new(term)

    def _new(self, term: ir.Term) -> Held:
        """A new composite, with the places of the parts that it does not copy."""
        since = self.run.changes.count
        if not self.any_acts or not self.effects.acts(term):
            return self._made(term, since)
        with self.in_turn(term) as named:
            return self._made(named, since)

    def _made(self, term: ir.Term, since: int) -> Held:
        run, own = self.run, True
        shared: list[tuple[Place, ...]] = []
        if isinstance(term, ir.Make):
            if not isinstance(term.type, StructDomain):  # structs copy what they are given
                shared = [run.parts(self.binding(i)) for i in term.items if mutable(i.type)]
        elif isinstance(term, ir.Slice) or (isinstance(term, ir.Apply) and term.op == "concat"):
            if mutable(element_of(term.type)):
                operands = [term.base] if isinstance(term, ir.Slice) else term.args
                shared = [run.elements(self.binding(o), o.type) for o in operands]
        else:  # a conversion, or an operator that may return its operand: the same object
            assert isinstance(term, ir.Apply)
            own, shared = False, [run.parts(self.binding(o)) for o in term.args if mutable(o.type)]
        aliases = dict.fromkeys(place for places in shared for place in places)
        return Held(self._METHODS[type(term)](self, term), since, tuple(aliases), own)

    def _chosen(self, term: ir.Choose, evaluated: Callable[[ir.Term], Binding]) -> Binding:
        """The bindings of both arms, each evaluated under its outcome of the condition."""
        condition = self.truth(term.condition)
        if condition.constant:
            return evaluated(term.then if condition.value else term.other)
        with self.run.assuming(condition):
            then = evaluated(term.then)
        with self.run.assuming(self.graph.negate(condition)):
            other = evaluated(term.other)
        return self.run.either(condition, then, other)

    def converted(self, term: ir.Apply, value: Value) -> Value:
        """A value converted to a term's type; fails where it has a None that the type lacks.

        For `as_sure`, Python would not fail: raises SpecError unless there is never such a None.
        """
        source, target = term.args[0].type, term.type
        none = lacking(self.algebra, value, source, target)
        what = quoted(term.args[0])
        if term.op == "as_sure" and not self.run.always(self.graph.negate(none)):
            hint = "test it before, or annotate the name: x: list[int | None] = ..."
            raise SpecError(f"{what} may have None where a value is wanted", term.span, hint)
        self.run.fail(none, f"{what} has None among its values", term.span)
        return converted(self.algebra, value, source, target)

    def target(self, term: ir.Term) -> Binding:
        """The binding of a path: a reference to the part that it leads to."""
        run = self.run
        if isinstance(term, ir.Get):
            base = self.binding(term.base)
            assert isinstance(term.base.type, StructDomain)
            field = list(term.base.type.fields).index(term.name)
            return run.step(base, AccessStep("field", field), term.base.span)
        if isinstance(term, ir.At):
            base = self.binding(term.base)
            seen: list[Value] = []

            def held() -> Value:
                seen.append(run.read(base, term.base.type, term.base.span))
                return seen[-1]

            index = self._position(term, held)
            kind = term.base.type
            step = "value" if isinstance(kind, SparseMapDomain) else "at"
            unkeyed = isinstance(kind, MapDomain) and kind.key.size == 0
            if unkeyed or (seen and isinstance(seen[-1], SymbolicSeq) and not seen[-1].parts):
                return self.nothing(term)  # it fails, since nothing is in an empty list or map
            return run.step(base, AccessStep(step, index=index), term.base.span)
        if isinstance(term, ir.Apply):
            base = self.binding(term.args[0])
            self.unwrapped(term, run.read(base, term.args[0].type, term.args[0].span))
            return run.step(base, AccessStep("the"), term.args[0].span)
        return self._bound(term) if isinstance(term, ir.Name) else self.binding(term)

    def _bound(self, term: ir.Name) -> Binding:
        frame = self.run.frame
        binding = frame.names.get(term.name)
        if binding is None:
            self.run.fail(self.graph.true, f"{term.name} has no value here", term.span)
            return self.nothing(term)
        if lacking := frame.unbound.get(term.name):
            self.run.fail(lacking, f"{term.name} has no value on this way to here", term.span)
        return binding

    def nothing(self, term: ir.Term) -> Binding:
        """Any binding, for a value that is never read."""
        nothing = self.algebra.zero(bounded(term.type, ()))
        if not mutable(term.type):
            return nothing
        return Held(nothing, self.run.changes.count, frozen="no value")

    def _position(self, term: ir.At, held: Callable[[], Value]) -> Node:
        """The index of a map's key or a sequence's element; fails where there is none."""
        g, run = self.graph, self.run
        if isinstance(term.base.type, MapDomain):
            key = self.value(term.key)
            domain = term.base.type.key
            outside = g.negate(self.algebra.inside(domain, key))
            run.fail(outside, f"{quoted(term.key)} is not a key of {domain}", term.span)
            return self.algebra.index(domain, key)
        if isinstance(term.base.type, SparseMapDomain):
            key, found = self.value(term.key), held()
            assert isinstance(found, SymbolicSeq)
            return self.slot_of(term.key, key, found, term.span)
        index = self.integer(term.key)
        found = held()
        assert isinstance(found, SymbolicSeq)
        negative = g.lt(index, g.int(0))
        if run.holds(negative):
            index = g.add(index, found.length)
        elif not run.holds(g.negate(negative)):
            index = g.select(negative, g.add(index, found.length), index)
        outside = g.either(g.lt(index, g.int(0)), g.le(found.length, index))
        run.fail(outside, f"{quoted(term.key)} is past the end of the list", term.span)
        return index

    def slot_of(self, term: ir.Term, key: Value, held: SymbolicSeq, span: Span | None) -> Node:
        """The slot of a map's key; fails where the map does not have the key."""
        g, same = self.graph, slots.same_keys(self.algebra, key, held)
        absent = g.negate(g.either(*same))
        if self.run.possible(absent):
            self.run.fail(absent, f"{quoted(term)} is not a key of the map", span)
        index = g.int(0)
        for i, here in enumerate(same):
            index = g.select(here, g.int(i), index)
        return index

    def unwrapped(self, term: ir.Apply, value: Value) -> None:
        """Requires that an optional is not None: by a guard for `need`, a failure for `the`.

        For `sure`, Python would go on with None: raises SpecError unless it is never None.
        """
        present = self.algebra.present(value)
        if term.op == "need":
            if self.run.pure:
                raise SpecError("a property has no guards", term.span, "test for None instead")
            self.run.guard(present, term.span)
        elif term.op == "sure":
            if not self.run.always(present):
                what = f"{quoted(term.args[0])} may be None here, which a value is wanted for"
                raise SpecError(what, term.span, "test it before, or write require_some(...)")
        else:
            absent = self.graph.negate(present)
            self.run.fail(absent, f"{quoted(term.args[0])} is None here", term.span)

    # One method for each kind of term

    def _constant(self, term: ir.Constant) -> Value:
        return self.algebra.constant(term.type, term.value)

    def _name(self, term: ir.Name) -> Value:
        binding = self._bound(term)
        return (
            binding if isinstance(binding, Value) else self.run.read(binding, term.type, term.span)
        )

    def _forked(self, term: ir.Term) -> bool:
        """Whether a path begins at a name that is bound to an `Either`."""
        while isinstance(term, ir.Get | ir.At):
            term = term.base
        return isinstance(term, ir.Name) and isinstance(self.run.frame.names.get(term.name), Either)

    def _get(self, term: ir.Get) -> Value:
        if self._forked(term):  # reads only this part of both sides
            return self.run.read(self.target(term), term.type, term.span)
        base = self.value(term.base)
        assert isinstance(base, Composite) and isinstance(term.base.type, StructDomain)
        return base.parts[list(term.base.type.fields).index(term.name)]

    def _at(self, term: ir.At) -> Value:
        base = self.value(term.base)
        if isinstance(term.base.type, BagDomain):
            assert isinstance(base, SymbolicSeq)
            return Scalar(slots.count(self.algebra, self.value(term.key), base))
        if isinstance(term.base.type, SparseMapDomain):
            assert isinstance(base, SymbolicSeq)
            key, other = self.value(term.key), self.algebra.stand_in(term.type)
            self.slot_of(term.key, key, base, term.span)
            return slots.value_of(self.algebra, key, base, other)
        index = self._position(term, lambda: base)
        assert isinstance(base, Composite | SymbolicSeq)
        if not base.parts:
            return self.algebra.zero(bounded(element_of(term.base.type), ()))
        return self.algebra.at_index(index, base.parts)

    def _slice(self, term: ir.Slice) -> Value:
        g, held = self.graph, self.value(term.base)
        assert isinstance(held, SymbolicSeq)
        if term.low is not None and term.high is None:
            first = self.integer(term.low)
            if first.constant and first.value >= 0:  # in a `while`, each round leaves fewer
                length = g.maximum(g.sub(held.length, first), g.int(0))
                return SymbolicSeq(length, held.parts[first.value :], None)
        low = self._bound_of_slice(term.low, held.length, g.int(0))
        high = self._bound_of_slice(term.high, held.length, held.length)
        length = g.maximum(g.sub(high, low), g.int(0))
        if low.constant:
            return SymbolicSeq(length, held.parts[low.value :], None)
        elements = [
            self.algebra.at_index(g.add(low, g.int(i)), held.parts) for i in range(len(held.parts))
        ]
        return SymbolicSeq(length, tuple(elements), None)

    def _bound_of_slice(self, term: ir.Term | None, length: Node, default: Node) -> Node:
        if term is None:
            return default
        g, index = self.graph, self.integer(term)
        negative = g.lt(index, g.int(0))
        if not self.run.holds(g.negate(negative)):
            from_end = g.maximum(g.add(index, length), g.int(0))
            if negative is g.true:
                return from_end
            index = g.select(negative, from_end, index)
        return g.minimum(index, length)

    def _choose(self, term: ir.Choose) -> Value:
        made = self._chosen(term, self.value)
        assert isinstance(made, Value)
        return made

    def _make(self, term: ir.Make) -> Value:
        items = [self.value(item) for item in term.items]
        if isinstance(term.type, StructDomain):
            fields = zip(term.type.fields.items(), items, strict=True)
            return Composite(
                tuple(
                    self.fitted(kind, item, f"{term.type.name}.{name}", term.span)
                    for (name, kind), item in fields
                )
            )
        if isinstance(term.type, SeqDomain):
            return SymbolicSeq(self.graph.int(len(items)), tuple(items), None)
        if isinstance(term.type, TupleDomain):
            return Composite(tuple(items))
        if isinstance(term.type, SparseMapDomain):
            held = [ranked(self.algebra, term.type.entry, item) for item in items]
            return slots.map_of(self.algebra, [(self.graph.true, item) for item in held])
        if isinstance(term.type, BagDomain):
            held = [ranked(self.algebra, term.type.element, item) for item in items]
            return slots.bag_of(self.algebra, [(self.graph.true, item) for item in held])
        assert isinstance(term.type, SetDomain)
        return self.set_of(
            term.type.element, [(self.graph.true, item) for item in items], term.span
        )

    def fitted(self, domain: Domain, value: Value, where: str, span: Span | None) -> Value:
        """A value in the normal form of a place's domain; fails where it is outside of it."""
        outside = self.graph.negate(self.algebra.inside(domain, value))
        self.run.fail(outside, f"{where} leaves its domain {domain}", span)
        return normal(self.algebra, domain, value)

    def set_of(
        self, element: Domain, items: Sequence[tuple[Node, Value]], span: Span | None
    ) -> SymbolicSet | SymbolicSeq:
        """The set of the items whose conditions are true."""
        kinds = [spanned(element, item) for _, item in items]
        room = reduce(widest, kinds) if kinds else bounded(element, ())
        if element in self.sparse or room.size > MOST_PLACES:
            made = slots.empty(self.algebra)
            for condition, item in items:
                member = ranked(self.algebra, element, item)
                made = slots.inserted(self.algebra, made, member, condition)
            return made
        element = limited(room)
        if not items:
            return SymbolicSet(element, tuple(self.graph.int(0) for _ in chunks(element)))
        masks: list[Node] | None = None
        for condition, item in items:
            index = self.algebra.index(element, item)
            found = self.algebra.sets.mask_of(element, index, condition)
            old = masks or [self.graph.int(0)] * len(found)
            masks = [self.graph.bor(a, b) for a, b in zip(old, found, strict=True)]
        return SymbolicSet(element, tuple(masks or ()))

    def _apply(self, term: ir.Apply) -> Value:
        return self.operations.operators[term.op](self, term)

    def _call(self, term: ir.Call) -> Value:
        return self.run.read(self.call(term), term.type, term.span)

    def _each(self, term: ir.Each) -> Value:
        fold = None if mutable(term.type) else self.operations.folds.get(term.kind)
        if fold is not None:
            return fold(self, term)
        return self.run.read(self.operations.bound(self, term), term.type, term.span)

    # Generators

    def each(
        self, generators: Sequence[ir.Generator], going: Sequence[Node] = ()
    ) -> Iterator[Node]:
        """Runs over generators: binds their names at each stop, and yields the stop's condition.

        Sources and conditions are evaluated under all of `going`, to which the caller may add.
        """
        if not generators:
            yield self.graph.true
            return
        first, rest, changes = generators[0], generators[1:], self.run.changes.count
        for present, bindings, leave in self.operations.stops(self, first):
            with self.run.assuming(present, *going):
                for name, binding in zip(first.names, bindings(), strict=True):
                    self.run.frame.bind(name, binding)
                inner = present
                if first.condition is not None:
                    inner = self.graph.both(present, self.truth(first.condition))
                if not rest and inner is present:  # it is on the path
                    yield inner
                elif inner is not self.graph.false:
                    with self.run.assuming(inner):
                        for innermost in self.each(rest, going):
                            yield self.graph.both(inner, innermost)
            if self.run.changes.count > changes:
                with self.run.assuming(present, *going):
                    leave()

    _METHODS: dict[type[ir.Term], Callable[[Terms, Any], Value]] = {
        ir.Constant: _constant,
        ir.Name: _name,
        ir.Get: _get,
        ir.At: _at,
        ir.Slice: _slice,
        ir.Choose: _choose,
        ir.Make: _make,
        ir.Apply: _apply,
        ir.Call: _call,
        ir.Each: _each,
    }


def _node(value: Value) -> Node:
    assert isinstance(value, Scalar)
    return value.node
