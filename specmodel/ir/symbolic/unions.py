"""Symbolic values of unions: made of a value of an alternative, and turned back into one.

The leaves of all alternatives lie in the same places, so that unions are chosen, compared and
packed leaf by leaf.
"""

from __future__ import annotations

from specmodel.domains import Domain, UnionDomain
from specmodel.domains.unions import alternatives_of
from specmodel.ir.layout import leaves_of, payload_of
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.values import SymbolicUnion, Value


def united(algebra: Algebra, value: Value, source: Domain, target: UnionDomain) -> SymbolicUnion:
    """A value of an alternative, or of a union of some alternatives, as one of a union."""
    g, known = algebra.graph, alternatives_of(source)
    tags = [target.alternatives.index(part) for part in known]
    if isinstance(value, SymbolicUnion):
        tag, codes = g.int(tags[-1]), list(value.codes)
        for number, moved in enumerate(tags[:-1]):
            tag = g.select(g.eq(value.tag, g.int(number)), g.int(moved), tag)
    else:
        tag, codes = g.int(tags[0]), list[Node]()
        algebra.packed(known[0], value, codes)
    missing = len(payload_of(target)) - len(codes)
    return SymbolicUnion(tag, (*codes, *[g.int(0)] * missing))


def narrowed(algebra: Algebra, domain: UnionDomain, value: SymbolicUnion, tag: int) -> Value:
    """The value of an alternative that a union is, where its tag is that of the alternative.

    Elsewhere its leaves may have any codes: they are kept within bounds, as the bounds of a node
    have to be true in every state.
    """
    part = domain.alternatives[tag]
    sizes = [leaf.size for leaf in leaves_of(part)]
    codes = [
        _within(algebra.graph, code, size) for code, size in zip(value.codes, sizes, strict=False)
    ]
    return algebra.unpacked(part, iter(codes))


def _within(graph: Graph, code: Node, size: int) -> Node:
    if code.low < 0:
        code = graph.maximum(code, graph.int(0))
    return graph.minimum(code, graph.int(size - 1)) if code.high >= size else code


def index_of(algebra: Algebra, domain: UnionDomain, value: SymbolicUnion) -> Node:
    """The index of a value in the union's domain."""
    g, found = algebra.graph, algebra.graph.int(0)
    for tag, (part, start) in enumerate(zip(domain.alternatives, domain.starts, strict=True)):
        if part.size:
            own = algebra.index(part, narrowed(algebra, domain, value, tag))
            here = g.eq(value.tag, g.int(tag))
            found = g.select(here, g.add(own, g.int(start)), found)
    return found
