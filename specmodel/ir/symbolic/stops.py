"""The stops of generators: the values of a domain, numbers of a range, elements of a collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specmodel.domains import Domain, MapDomain, SeqDomain, SetDomain, SparseMapDomain
from specmodel.errors import Span, SpecError
from specmodel.ir import nodes as ir
from specmodel.ir.symbolic.references import (
    AccessStep,
    Binding,
    Bound,
    Held,
    Stop,
    is_union,
    mutable,
)
from specmodel.ir.symbolic.terms import Terms
from specmodel.ir.symbolic.values import Scalar, SymbolicSeq, SymbolicSet, Value, first

LONGEST_LOOP = 4096
"""The most numbers of a range that a loop may go through."""

MEMBER = "a member of a set or a key"
"""The name, in messages, of a value that a spec may not change during a loop."""

Whole = Callable[[Binding, Domain, Span | None], Binding]
"""Replaces the list or map that a generator goes through, given its type and its source place."""


def stops(terms: Terms, generator: ir.Generator, whole: Whole | None = None) -> Iterator[Stop]:
    """The stops of a generator. Call the functions of a stop while its condition is on the path.

    `whole` may replace the list or map that the generator goes through. Raises SpecError for a
    range that is too long.
    """
    g, source = terms.graph, generator.source
    if source.kind == "domain":
        assert source.domain is not None
        for value in source.domain.values():
            made = terms.algebra.constant(source.domain, value)
            yield g.true, _always(_fixed(terms, made, source.domain)), _nothing
    elif source.kind == "range":
        low, high = terms.integer(source.terms[0]), terms.integer(source.terms[1])
        if high.high - low.low > LONGEST_LOOP:
            raise SpecError("this loop has no small bound", source.terms[1].span)
        for number in range(low.low, high.high):
            node = g.int(number)
            present = g.both(g.le(low, node), g.lt(node, high))
            if present is not g.false:
                yield present, _always(Scalar(node)), _nothing
    elif mutable(source.terms[0].type):
        yield from _elements(terms, source, whole)
    else:
        held, kind = terms.value(source.terms[0]), source.terms[0].type
        assert isinstance(kind, SetDomain)
        if isinstance(held, SymbolicSeq):
            yield from _members(terms, kind.element, held)
            return
        assert isinstance(held, SymbolicSet)
        for i in range(held.element.size):
            present = terms.algebra.sets.member_at(held, i)
            if present is not g.false:
                value = terms.algebra.member(held.element, i, kind.element)
                yield present, _always(_fixed(terms, value, kind.element)), _nothing


def _members(terms: Terms, element: Domain, held: SymbolicSeq) -> Iterator[Stop]:
    """The stops at the members of a set that is kept in slots."""
    g, since = terms.graph, terms.run.changes.count
    for i, part in enumerate(held.parts):
        present = g.lt(g.int(i), held.length)
        if present is not g.false:
            fixed = Held(part, since, frozen=MEMBER) if mutable(element) else part
            yield present, _always(fixed), _nothing


def _fixed(terms: Terms, made: Value, domain: Domain) -> Binding:
    """A value known now, which no one may change."""
    if not mutable(domain):
        return made
    return Held(made, terms.run.changes.count, frozen=MEMBER)


def _elements(terms: Terms, source: ir.Source, whole: Whole | None) -> Iterator[Stop]:
    """The stops at the elements of a list, or the keys and values of a map, read at each stop."""
    g, run, term = terms.graph, terms.run, source.terms[0]
    base = run.taken(terms.binding(term), term.span)
    if whole is not None:
        base = whole(base, term.type, term.span)
    held = run.read(base, term.type, term.span)

    way = "value" if isinstance(term.type, SparseMapDomain) else "at"

    def part(i: int, domain: Domain) -> Binding:
        found = run.step(base, AccessStep(way, index=g.int(i)), term.span)
        if is_union(domain):
            return run.kept(found, domain, term.span)
        return found if mutable(domain) else run.read(found, domain, term.span)

    def leave() -> None:
        run.check_length(base, term.span)

    if isinstance(term.type, SparseMapDomain):
        assert isinstance(held, SymbolicSeq)
        kind = term.type
        for i, entry in enumerate(held.parts):
            present = g.lt(g.int(i), held.length)
            at = first(entry)
            key = Held(at, run.changes.count, frozen=MEMBER) if mutable(kind.key) else at
            if present is g.false:
                continue
            if source.kind == "values":
                yield present, lambda i=i: (part(i, kind.value),), leave
            elif source.kind == "items":
                yield present, lambda i=i, key=key: (key, part(i, kind.value)), leave
            else:
                yield present, _always(key), leave
        return
    if isinstance(held, SymbolicSeq):
        assert isinstance(term.type, SeqDomain)
        element = term.type.element
        for i in range(len(held.parts)):
            present = g.lt(g.int(i), held.length)
            if present is g.false:
                continue
            if source.kind == "enumerate":
                yield present, lambda i=i: (Scalar(g.int(i)), part(i, element)), leave
            else:
                yield present, lambda i=i: (part(i, element),), leave
        return
    assert isinstance(term.type, MapDomain)
    kind = term.type
    for i, at in enumerate(kind.keys):
        key = _fixed(terms, terms.algebra.constant(kind.key, at), kind.key)
        if source.kind == "values":
            yield g.true, lambda i=i: (part(i, kind.value),), leave
        elif source.kind == "items":
            yield g.true, lambda i=i, key=key: (key, part(i, kind.value)), leave
        else:
            yield g.true, _always(key), leave


def _always(*bindings: Binding) -> Bound:
    return lambda: bindings


def _nothing() -> None:
    pass
