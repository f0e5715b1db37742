"""Symbolic execution of the folds of `Each`: quantifiers, sums, extremes, comprehensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from specmodel.domains import BagDomain, MapDomain, SetDomain, SparseMapDomain
from specmodel.ir import nodes as ir
from specmodel.ir.symbolic import slots
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.normal import ranked
from specmodel.ir.symbolic.operators import appended
from specmodel.ir.symbolic.order import first_less
from specmodel.ir.symbolic.references import Binding, Held, Place, mutable
from specmodel.ir.symbolic.terms import Terms
from specmodel.ir.symbolic.values import Composite, Scalar, SymbolicSeq, Value

_Names = dict[str, Binding]
_Unbound = dict[str, Node]

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
            met = found[-1] if every else g.negate(found[-1])
            if not term.eager and met is not g.true:
                going.append(met)
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


def _bag(terms: Terms, term: ir.Each) -> Value:
    assert isinstance(term.type, BagDomain)
    algebra, kind = terms.algebra, term.type.element
    bodies = ((present, terms.value(term.body)) for present in _each(terms, term))
    return slots.bag_of(algebra, [(there, ranked(algebra, kind, item)) for there, item in bodies])


def _list(terms: Terms, term: ir.Each, item: Callable[[], Value]) -> Value:
    held = SymbolicSeq(terms.graph.int(0), (), None)
    for present in _each(terms, term):
        held = appended(terms, held, item(), present)
    return held


def _in_order(descending: bool) -> Callable[[Terms, ir.Each, Callable[[], Value]], Value]:
    def fold(terms: Terms, term: ir.Each, item: Callable[[], Value]) -> Value:
        g, algebra = terms.graph, terms.algebra
        items = [(present, item()) for present in _each(terms, term)]
        held = SymbolicSeq(g.int(0), (), None)  # of items, each with its keys
        for present, value in items:
            element = Held(value, terms.run.changes.count) if mutable(term.body.type) else value
            with terms.run.assuming(present):
                keys = _keys(terms, term, element, (terms.run.frame.names, terms.run.frame.unbound))
            before: list[Node] = []
            for i, entry in enumerate(held.parts):
                assert isinstance(entry, Composite)
                pair = (entry.parts[1:], keys) if descending else (keys, entry.parts[1:])
                after = first_less(algebra, list(zip(*pair, strict=True)))
                before.append(g.both(g.lt(g.int(i), held.length), g.negate(after)))
            held = slots.placed(algebra, held, Composite((value, *keys)), before, present)
        parts = tuple(entry.parts[0] for entry in held.parts if isinstance(entry, Composite))
        return SymbolicSeq(held.length, parts, None)

    return fold


def _keys(
    terms: Terms, term: ir.Each, element: Binding, outer: tuple[_Names, _Unbound]
) -> tuple[Value, ...]:
    """The key of an element. It is evaluated with `outer`, the names outside of the generators."""
    if term.key is None:
        return ()
    frame, (names, unbound) = terms.run.frame, outer
    inner = frame.names, frame.unbound
    frame.names, frame.unbound = dict(names), dict(unbound)
    frame.bind(term.key.name, element)
    found = tuple(map(terms.value, term.key.terms))
    frame.names, frame.unbound = inner
    return found


_Candidate = tuple[Node, Binding, tuple[Value, ...]]
"""An element of a fold: whether it is there, the element, and its keys."""


def chosen(terms: Terms, term: ir.Each) -> Binding:
    """The element of a `first`, `least` or `greatest`, as a reference to its place."""
    g, run = terms.graph, terms.run
    outer = dict(run.frame.names), dict(run.frame.unbound)
    default = terms.binding(term.default) if term.default is not None else None
    candidates, none = list[_Candidate](), list[Node]()
    for present in _each(terms, term, none):
        element = compared = terms.binding(term.body)
        if term.key is not None and term.key.element is not term.body:
            compared = terms.binding(term.key.element)
        candidates.append((present, element, _keys(terms, term, compared, outer)))
        if term.kind == "first":
            none.append(g.negate(present))
    known = [_known(keys) for *_, keys in candidates]
    if all(keys is not None for keys in known):
        # Python's sort keeps the order of equal ones, also in reverse.
        down = term.kind == "greatest"
        ranked = sorted(range(len(known)), key=lambda n: known[n] or (), reverse=down)
        candidates = [(*candidates[n][:2], ()) for n in ranked]
    while len(candidates) > 1:  # in pairs, so that no condition is nested deeply
        pairs = zip(candidates[::2], candidates[1::2], strict=False)
        rest = candidates[len(candidates) & ~1 :]
        candidates = [*(_better(terms, term, *pair) for pair in pairs), *rest]
    some, best, _ = candidates[0] if candidates else (g.false, terms.nothing(term), ())
    if default is not None:
        return run.either(some, best, default)
    run.fail(g.negate(some), f"{term.kind} of nothing", term.span)
    return best


def _known(keys: Sequence[Value]) -> tuple[int, ...] | None:
    """The numbers of an element's keys if they are the same in every state."""
    nodes = [key.node for key in keys if isinstance(key, Scalar)]
    if len(nodes) < len(keys) or not all(node.constant for node in nodes):
        return None
    return tuple(int(node.value) for node in nodes)


def _better(terms: Terms, term: ir.Each, one: _Candidate, two: _Candidate) -> _Candidate:
    """The one of two candidates that a fold gives: the first if they are equal."""
    g, run, algebra = terms.graph, terms.run, terms.algebra
    pair = (one[2], two[2]) if term.kind == "greatest" else (two[2], one[2])
    before = first_less(algebra, list(zip(*pair, strict=True)))
    second = g.both(two[0], g.either(g.negate(one[0]), before))
    keys = tuple(algebra.select(second, b, a) for a, b in zip(one[2], two[2], strict=True))
    return g.either(one[0], two[0]), run.either(second, two[1], one[1]), keys


def _map(terms: Terms, term: ir.Each, item: Callable[[], Value]) -> Value:
    assert isinstance(term.type, MapDomain)
    return Composite(tuple(item() for _ in _each(terms, term)))


def _entries(terms: Terms, term: ir.Each, item: Callable[[], Value]) -> Value:
    assert isinstance(term.type, SparseMapDomain)
    algebra, kind = terms.algebra, term.type.entry
    entries = [(present, ranked(algebra, kind, item())) for present in _each(terms, term)]
    return slots.map_of(algebra, entries)


def _each(terms: Terms, term: ir.Each, going: Sequence[Node] = ()) -> Iterator[Node]:
    """Runs over the generators in a scope of their own, while all of `going` are true."""
    frame = terms.run.frame
    names, unbound = dict(frame.names), dict(frame.unbound)
    yield from terms.each(term.generators, going)
    frame.names, frame.unbound = names, unbound


FOLDS: dict[str, Fold] = {
    "all": _quantified(every=True),
    "any": _quantified(every=False),
    "sum": _sum,
    "count": _count,
    "min": _extreme("minimum"),
    "max": _extreme("maximum"),
    "set": _set,
    "bag": _bag,
}

COLLECTED: dict[str, Callable[[Terms, ir.Each, Callable[[], Value]], Value]] = {
    "list": _list,
    "map": _map,
    "sorted": _in_order(descending=False),
    "descending": _in_order(descending=True),
    "entries": _entries,
}
"""The folds whose result is a list or a map, made of the items that a function returns."""


def bound(terms: Terms, term: ir.Each) -> Binding:
    """The result of a fold that is one of the elements, or a new list or map."""
    if term.kind in ("first", "least", "greatest"):
        return chosen(terms, term)
    run = terms.run
    since, aliases = run.changes.count, dict[Place, None]()

    def item() -> Value:
        made = terms.binding(term.body)
        aliases.update(dict.fromkeys(run.parts(made)))
        return run.read(made, term.body.type, term.body.span)

    value = COLLECTED[term.kind](terms, term, item)
    return Held(value, since, tuple(aliases))
