"""Conversion of symbolic values between a union and its alternatives.

All alternatives of a union share the same leaves, so unions are selected, compared and packed leaf
by leaf.
"""

from __future__ import annotations

from specmodel.domains import Domain, UnionDomain
from specmodel.domains.unions import alternatives_of
from specmodel.ir.layout import leaves_of, payload_of
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.values import SymbolicUnion, Value


def united(algebra: Algebra, value: Value, source: Domain, target: UnionDomain) -> SymbolicUnion:
    """A value of an alternative, or of a union of fewer alternatives, as a value of a union."""
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
    """The value of a union as a value of the alternative with number `tag`.

    In states where the union has another tag, the leaves may have any codes. They are cut to the
    alternative's bounds, because the interval of a node has to be true in every state.
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
