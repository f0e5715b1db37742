"""What the folds of `Each` do: quantifiers, sums, extremes, comprehensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from specmodel.domains import MapDomain, SetDomain
from specmodel.ir import nodes as ir
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.operators import appended
from specmodel.ir.symbolic.terms import Terms
from specmodel.ir.symbolic.values import Composite, Scalar, SymbolicSeq, Value

Fold = Callable[[Terms, ir.Each], Value]


def _quantified(every: bool) -> Fold:
    def fold(terms: Terms, term: ir.Each) -> Value:
        g = terms.graph
        found: list[Node] = []
        going: list[Node] = []
        for present in _each(terms, term, going):
            if every:
                found.append(g.either(g.negate(present), terms.truth(term.body)))
            else:
                found.append(g.both(present, terms.truth(term.body)))
            if not term.eager:
                going.append(found[-1] if every else g.negate(found[-1]))
        return Scalar(g.both(*found) if every else g.either(*found))

    return fold


def _sum(terms: Terms, term: ir.Each) -> Value:
    g, total = terms.graph, terms.graph.int(0)
    for present in _each(terms, term):
        total = g.add(total, g.select(present, terms.integer(term.body), g.int(0)))
    return Scalar(total)


def _count(terms: Terms, term: ir.Each) -> Value:
    g, total = terms.graph, terms.graph.int(0)
    for present in _each(terms, term):
        total = g.add(total, g.number(g.both(present, terms.truth(term.body))))
    return Scalar(total)


def _extreme(name: str) -> Fold:
    def fold(terms: Terms, term: ir.Each) -> Value:
        g = terms.graph
        some, best = g.false, g.int(0)
        default = terms.integer(term.default) if term.default is not None else None
        for present in _each(terms, term):
            candidate = terms.integer(term.body)
            if some is g.false:
                best = candidate
            else:
                better = getattr(g, name)(best, candidate)
                best = g.select(present, g.select(some, better, candidate), best)
            some = g.either(some, present)
        if default is not None:
            return Scalar(g.select(some, best, default))
        terms.run.fail(g.negate(some), f"{term.kind} of nothing", term.span)
        return Scalar(best)

    return fold


def _set(terms: Terms, term: ir.Each) -> Value:
    assert isinstance(term.type, SetDomain)
    items = [(present, terms.value(term.body)) for present in _each(terms, term)]
    return terms.set_of(term.type.element, items, term.span)


def _list(terms: Terms, term: ir.Each, item: Callable[[], Value]) -> Value:
    held = SymbolicSeq(terms.graph.int(0), (), None)
    for present in _each(terms, term):
        held = appended(terms, held, item(), present)
    return held


def _map(terms: Terms, term: ir.Each, item: Callable[[], Value]) -> Value:
    assert isinstance(term.type, MapDomain)
    return Composite(tuple(item() for _ in _each(terms, term)))


def _each(terms: Terms, term: ir.Each, going: Sequence[Node] = ()) -> Iterator[Node]:
    """Runs over the generators in a scope of their own, as long as all of `going` holds."""
    frame = terms.run.frame
    names, unbound = dict(frame.names), dict(frame.unbound)
    for present in terms.each(term.generators, going):
        with terms.run.assuming(present, *going):
            yield present
    frame.names, frame.unbound = names, unbound


FOLDS: dict[str, Fold] = {
    "all": _quantified(every=True),
    "any": _quantified(every=False),
    "sum": _sum,
    "count": _count,
    "min": _extreme("minimum"),
    "max": _extreme("maximum"),
    "set": _set,
}

COLLECTED: dict[str, Callable[[Terms, ir.Each, Callable[[], Value]], Value]] = {
    "list": _list,
    "map": _map,
}
"""Those that give a list or a map, from a function that gives each item."""
