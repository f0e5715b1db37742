"""Evaluates terms in a symbolic run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from specmodel.domains import (
    Domain,
    IntDomain,
    MapDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
)
from specmodel.errors import Span, SpecError
from specmodel.ir import nodes as ir
from specmodel.ir.lowering.types import NOTHING
from specmodel.ir.symbolic.frames import Run
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.places import Binding, Dead, Place, Snapshot, Step, mutable
from specmodel.ir.symbolic.sets import bounded
from specmodel.ir.symbolic.values import Map, Scalar, Seq, Set, Struct, Value

LONGEST_LOOP = 4096
LARGEST_SET_DOMAIN = 4096


class Terms:
    """The terms of a run; `call` runs a function of the model and gives its result's binding."""

    def __init__(self, run: Run, call: Callable[[ir.Call], Binding]) -> None:
        self.run = run
        self.graph = run.graph
        self.algebra = run.algebra
        self.call = call

    def value(self, term: ir.Term) -> Value:
        """What a term is worth."""
        method = self._METHODS[type(term)]
        return method(self, term)

    def truth(self, term: ir.Term) -> Node:
        """What a boolean term is worth."""
        return _node(self.value(term))

    def integer(self, term: ir.Term) -> Node:
        return _node(self.value(term))

    # Bindings and places

    def binding(self, term: ir.Term) -> Binding:
        """What a name bound to a term means: a place if it is part of a state, else its value."""
        if not mutable(term.type):
            return self.value(term)
        place = self.place(term)
        if place is not None:
            return place
        if isinstance(term, ir.Name):
            return self._bound(term)
        if isinstance(term, ir.Call):
            return self.call(term)
        before = dict(self.run.world.slots)
        value = self.value(term)
        if isinstance(term, ir.Choose):
            with self.run.once_more(before):
                return self._chosen(term, value)
        return value

    def _chosen(self, term: ir.Choose, value: Value) -> Binding:
        """A choice that has a value, with the places that it may be of."""
        condition = self.truth(term.condition)
        if condition.constant:
            return self.binding(term.then if condition.value else term.other)
        with self.run.assuming(condition):
            a = self.binding(term.then)
        with self.run.assuming(self.graph.negate(condition)):
            b = self.binding(term.other)
        sources = [
            s
            for side in (a, b)
            for s in ((side,) if isinstance(side, Place) else getattr(side, "sources", ()))
        ]
        return Snapshot(value, tuple(sources)) if sources else value

    def place(self, term: ir.Term) -> Place | None:
        """The place of a term that is a path, or None."""
        if isinstance(term, ir.Name):
            binding = self._bound(term)
            return binding if isinstance(binding, Place) else None
        if isinstance(term, ir.Get):
            base = self.place(term.base)
            if base is None:
                return None
            assert isinstance(term.base.type, StructDomain)
            return base.then(Step("field", list(term.base.type.fields).index(term.name)))
        if isinstance(term, ir.At):
            base = self.place(term.base)
            return (
                base.then(Step("at", index=self._position(term, self.run.read(base))))
                if base
                else None
            )
        if isinstance(term, ir.Apply) and term.op in ("the", "need"):
            base = self.place(term.args[0])
            if base is None:
                return None
            self.unwrapped(term, self.run.read(base))
            return base.then(Step("the"))
        return None

    def _bound(self, term: ir.Name) -> Binding:
        frame = self.run.frame
        binding = frame.names.get(term.name)
        if binding is None:
            binding = self.algebra.zero(_small(term.type))
            self.run.fail(self.graph.true, f"{term.name} has no value here", term.span)
        elif lacking := frame.unbound.get(term.name):
            self.run.fail(lacking, f"{term.name} has no value on this way to here", term.span)
        if isinstance(binding, Dead):
            where = f" at line {binding.replaced.line}" if binding.replaced else ""
            # A name that the lowering made up is told by what it stands for.
            known = term.name if term.name.isidentifier() or not term.span else term.span.text()
            message = f"{known} refers to a part of the state that was replaced{where}"
            raise SpecError(message, term.span, "read that part of the state again")
        return binding

    def _position(self, term: ir.At, held: Value) -> Node:
        """The index of a map's key or a sequence's element, failing where there is none."""
        g, run = self.graph, self.run
        if isinstance(term.base.type, MapDomain):
            key = self.value(term.key)
            domain = term.base.type.key
            outside = g.negate(self.algebra.inside(domain, key))
            run.fail(outside, f"{_quoted(term.key)} is not a key of {domain}", term.span)
            return self.algebra.index(domain, key)
        assert isinstance(held, Seq)
        index = self.integer(term.key)
        negative = g.lt(index, g.int(0))
        if run.holds(negative):
            index = g.add(index, held.length)
        elif not run.holds(g.negate(negative)):
            index = g.select(negative, g.add(index, held.length), index)
        outside = g.either(g.lt(index, g.int(0)), g.le(held.length, index))
        run.fail(outside, f"{_quoted(term.key)} is past the end of the list", term.span)
        return index

    def unwrapped(self, term: ir.Apply, value: Value) -> None:
        """Requires an optional to be there: a guard for `need`, else a failure."""
        present = self.algebra.present(value)
        if term.op == "need":
            if self.run.pure:
                raise SpecError("a property has no guards", term.span, "test for None instead")
            self.run.guard(present, term.span)
        else:
            absent = self.graph.negate(present)
            self.run.fail(absent, f"{_quoted(term.args[0])} is None here", term.span)

    # One method a kind of term

    def _constant(self, term: ir.Constant) -> Value:
        if term.type is ir.NONE:
            raise SpecError("the type of this None is unknown", term.span)
        return self.algebra.constant(term.type, term.value)

    def _name(self, term: ir.Name) -> Value:
        return self.run.read(self._bound(term))

    def _get(self, term: ir.Get) -> Value:
        base = self.value(term.base)
        assert isinstance(base, Struct) and isinstance(term.base.type, StructDomain)
        return base.fields[list(term.base.type.fields).index(term.name)]

    def _at(self, term: ir.At) -> Value:
        base = self.value(term.base)
        index = self._position(term, base)
        if isinstance(base, Map):
            return self.algebra.at_index(index, base.values)
        assert isinstance(base, Seq)
        if not base.elements:
            assert isinstance(term.base.type, SeqDomain)
            return self.algebra.zero(_small(term.base.type.element))
        return self.algebra.at_index(index, base.elements)

    def _slice(self, term: ir.Slice) -> Value:
        g, held = self.graph, self.value(term.base)
        assert isinstance(held, Seq)
        low = self._bound_of_slice(term.low, held.length, g.int(0))
        high = self._bound_of_slice(term.high, held.length, held.length)
        length = g.maximum(g.sub(high, low), g.int(0))
        if low.constant:
            return Seq(length, held.elements[low.value :], False)
        elements = [
            self.algebra.at_index(g.add(low, g.int(i)), held.elements)
            for i in range(len(held.elements))
        ]
        return Seq(length, tuple(elements), False)

    def _bound_of_slice(self, term: ir.Term | None, length: Node, default: Node) -> Node:
        if term is None:
            return default
        g, index = self.graph, self.integer(term)
        negative = g.lt(index, g.int(0))
        if not self.run.holds(g.negate(negative)):
            from_end = g.maximum(g.add(index, length), g.int(0))
            index = g.select(negative, from_end, index)
        return g.minimum(index, length)

    def _choose(self, term: ir.Choose) -> Value:
        condition = self.truth(term.condition)
        if condition.constant:
            return self.value(term.then if condition.value else term.other)
        with self.run.assuming(condition):
            then = self.value(term.then)
        with self.run.assuming(self.graph.negate(condition)):
            other = self.value(term.other)
        return self.algebra.select(condition, then, other)

    def _make(self, term: ir.Make) -> Value:
        items = [self.value(item) for item in term.items]
        if isinstance(term.type, StructDomain):
            fields = zip(term.type.fields.items(), items, strict=True)
            return Struct(
                tuple(
                    self.fitted(kind, item, f"{term.type.name}.{name}", term.span)
                    for (name, kind), item in fields
                )
            )
        if isinstance(term.type, SeqDomain):
            return Seq(self.graph.int(len(items)), tuple(items), True)
        assert isinstance(term.type, SetDomain)
        return self.set_of(
            term.type.element, [(self.graph.true, item) for item in items], term.span
        )

    def fitted(self, domain: Domain, value: Value, where: str, span: Span | None) -> Value:
        """A value made to fit the domain of the place it goes to, failing where it does not."""
        outside = self.graph.negate(self.algebra.inside(domain, value))
        self.run.fail(outside, f"{where} leaves its domain {domain}", span)
        return self.normal(domain, value)

    def normal(self, domain: Domain, value: Value) -> Value:
        """A value as places of a domain hold it: set masks and list capacities of that domain."""
        if isinstance(value, Set) and isinstance(domain, SetDomain):
            return self.algebra.sets.over(value, domain.element)
        if isinstance(value, Seq) and isinstance(domain, SeqDomain):
            kept = [self.normal(domain.element, e) for e in value.elements[: domain.capacity]]
            if len(kept) < domain.capacity:
                kept += [self.algebra.zero(domain.element)] * (domain.capacity - len(kept))
            if tuple(kept) == value.elements:
                return value
            return Seq(value.length, tuple(kept), value.blank)
        if isinstance(value, Struct) and isinstance(domain, StructDomain):
            pairs = zip(domain.fields.values(), value.fields, strict=True)
            fields = tuple(self.normal(d, v) for d, v in pairs)
            same = all(a is b for a, b in zip(fields, value.fields, strict=True))
            return value if same else Struct(fields)
        if isinstance(value, Map) and isinstance(domain, MapDomain):
            values = tuple(self.normal(domain.value, v) for v in value.values)
            same = all(a is b for a, b in zip(values, value.values, strict=True))
            return value if same else Map(values)
        return value

    def set_of(
        self, element: Domain, items: Sequence[tuple[Node, Value]], span: Span | None
    ) -> Set:
        """The set of the items whose condition holds."""
        if isinstance(element, IntDomain):
            nodes = [_node(item) for _, item in items]
            element = bounded(element, [n.low for n in nodes] + [n.high for n in nodes])
        if element.size > LARGEST_SET_DOMAIN:
            what = f"a set over {element.size} possible elements is too large"
            raise SpecError(what, span, "bound the ints that it may hold")
        if element is NOTHING or not items:
            return Set(element, (self.graph.int(0),) if element.size else ())
        masks: list[Node] | None = None
        for condition, item in items:
            index = self.algebra.index(element, item)
            found = self.algebra.sets.mask_of(element, index, condition)
            old = masks or [self.graph.int(0)] * len(found)
            masks = [self.graph.bor(a, b) for a, b in zip(old, found, strict=True)]
        return Set(element, tuple(masks or ()))

    def _apply(self, term: ir.Apply) -> Value:
        from specmodel.ir.symbolic.operators import OPERATORS

        return OPERATORS[term.op](self, term)

    def _call(self, term: ir.Call) -> Value:
        return self.run.read(self.call(term))

    def _each(self, term: ir.Each) -> Value:
        from specmodel.ir.symbolic.folds import FOLDS

        return FOLDS[term.kind](self, term)

    # Generators

    def each(self, generators: Sequence[ir.Generator]) -> Iterator[Node]:
        """Runs over generators; at each stop the names are bound, under the condition it yields."""
        if not generators:
            yield self.graph.true
            return
        first, rest = generators[0], generators[1:]
        for present, bindings in self.sourced(first):
            for name, binding in zip(first.names, bindings, strict=True):
                self.run.frame.bind(name, binding)
            with self.run.assuming(present):
                if first.condition is not None:
                    present = self.graph.both(present, self.truth(first.condition))
                if present is self.graph.false:
                    continue
                with self.run.assuming(present):
                    for inner in self.each(rest):
                        yield self.graph.both(present, inner)

    def sourced(self, generator: ir.Generator) -> Iterator[tuple[Node, tuple[Binding, ...]]]:
        """What a source yields, each with the condition that it does."""
        g, source = self.graph, generator.source
        if source.kind == "domain":
            assert source.domain is not None
            for value in source.domain.values():
                yield g.true, (self.algebra.constant(source.domain, value),)
        elif source.kind == "range":
            low, high = self.integer(source.terms[0]), self.integer(source.terms[1])
            if high.high - low.low > LONGEST_LOOP:
                raise SpecError("this loop has no small bound", source.terms[1].span)
            for number in range(low.low, high.high):
                node = g.int(number)
                present = g.both(g.le(low, node), g.lt(node, high))
                if present is not g.false:
                    yield present, (Scalar(node),)
        else:
            yield from self._parts(source)

    def _parts(self, source: ir.Source) -> Iterator[tuple[Node, tuple[Binding, ...]]]:
        g, term = self.graph, source.terms[0]
        before = dict(self.run.world.slots)
        held = self.value(term)
        with self.run.once_more(before):
            place = self.place(term) if mutable(term.type) else None
        if isinstance(held, Set):
            for i in range(held.element.size):
                present = self.algebra.sets.member_at(held, i)
                if present is not g.false:
                    value = held.element.at(i)
                    yield present, (self.algebra.constant(held.element, value),)
            return

        def part(i: int, value: Value, domain: Any) -> Binding:
            if place is not None and mutable(domain):
                return place.then(Step("at", index=g.int(i)))
            return value

        if isinstance(held, Seq):
            assert isinstance(term.type, SeqDomain)
            for i, value in enumerate(held.elements):
                present = g.lt(g.int(i), held.length)
                if present is not g.false:
                    found = part(i, value, term.type.element)
                    pair = (Scalar(g.int(i)), found)
                    yield present, pair if source.kind == "enumerate" else (found,)
            return
        assert isinstance(held, Map) and isinstance(term.type, MapDomain)
        for i, value in enumerate(held.values):
            key = self.algebra.constant(term.type.key, term.type.keys[i])
            found = part(i, value, term.type.value)
            yields = {"keys": (key,), "values": (found,), "items": (key, found)}
            yield g.true, yields[source.kind]

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


def _small(domain: Domain) -> Domain:
    """A domain to take a stand-in value from, where none is looked at."""
    return IntDomain(0, 0) if isinstance(domain, IntDomain) else domain


def _quoted(term: ir.Term) -> str:
    return f"`{term.span.text()}`" if term.span else "this"
