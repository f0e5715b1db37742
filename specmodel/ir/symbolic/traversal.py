"""Goes through the nodes that some nodes depend on, without recursion: graphs are deep."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from operator import attrgetter

from specmodel.ir.symbolic.graph import Node


def operands_first(nodes: Iterable[Node], known: Container[int]) -> Iterator[Node]:
    """Some nodes and those that they depend on, operands first, without those that are `known`.

    The caller makes each of them known, by its id, before it asks for the next.
    """
    pending = list(nodes)
    while pending:
        node = pending[-1]
        if node.id not in known:
            lacking = [arg for arg in node.args if arg.id not in known]
            if lacking:
                pending += lacking
                continue
            yield node
        pending.pop()


def dependencies(
    nodes: Iterable[Node], operands: Callable[[Node], Iterable[Node]] = attrgetter("args")
) -> Iterator[Node]:
    """Some nodes and those that they depend on, each once."""
    seen, pending = set[int](), list(nodes)
    while pending:
        node = pending.pop()
        if node.id not in seen:
            seen.add(node.id)
            yield node
            pending += operands(node)
