"""Strongly connected components, in machine Python.

Source: David J. Pearce, A space-efficient algorithm for finding strongly connected components
(Information Processing Letters, 2016), with the recursion on an explicit stack. It reads each edge
once, in any order, and allows several edges from one state to another.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from specmodel.liveness.graph import Bools, Places, States
from specmodel.machine.build import Code, build
from specmodel.machine.language import i64, lshr, machine, ptr

OUTSIDE = 1 << 62
"""The mark of a state outside the part: more than any index."""

HALF = (1 << 32) - 1


@machine
def entry(array: ptr, index: i64) -> i64:
    """An element of an array of unsigned 32-bit integers."""
    return lshr(array[index >> 1], (index & 1) << 5) & HALF


@machine
def mark_components(
    n: i64, starts: ptr, targets: ptr, marks: ptr, path: ptr, edges: ptr, roots: ptr, waiting: ptr
) -> i64:
    """Numbers the components of the states whose mark is 0, from n - 1 down; returns their number.

    A live state's mark is the least index on the path that it is known to reach. `path` are the
    states being visited, `edges` their next edges, `roots` whether they reach no earlier one;
    `waiting` are states whose component is still open. Each has room for n words.
    """
    index = 1
    component = n + n
    held = 0
    for start in range(n):
        if marks[start] == 0:
            depth = 0
            path[0] = start
            edges[0] = starts[start]
            roots[0] = 1
            marks[start] = index
            index += 1
            while depth >= 0:
                state = path[depth]
                edge = edges[depth]
                if edge < starts[state + 1]:
                    to = entry(targets, edge)
                    mark = marks[to]
                    if mark == 0:
                        depth += 1
                        path[depth] = to
                        edges[depth] = starts[to]
                        roots[depth] = 1
                        marks[to] = index
                        index += 1
                    else:
                        if mark < marks[state]:
                            marks[state] = mark
                            roots[depth] = 0
                        edges[depth] = edge + 1
                else:
                    if roots[depth] != 0:
                        index -= 1
                        least = marks[state]
                        while held > 0 and least <= marks[waiting[held - 1]]:
                            held -= 1
                            marks[waiting[held]] = component
                            index -= 1
                        marks[state] = component
                        component -= 1
                    else:
                        waiting[held] = state
                        held += 1
                    depth -= 1
    return n + n - component


def components(starts: Places, targets: States, within: Bools) -> NDArray[np.int64]:
    """The number of the component of each state within a part of the graph; -1 for the others.

    The edges of state i lead to `targets[starts[i]]` to `targets[starts[i + 1] - 1]`. Numbers are
    from 0 and in no particular order. Components of one state count.
    """
    size = len(within)
    marks = np.where(within, 0, OUTSIDE).astype(np.int64)
    rooms = [np.empty(size, np.int64) for _ in range(4)]
    arrays = (starts, targets, marks, *rooms)
    count = _code()[mark_components](size, *(array.ctypes.data for array in arrays))
    return np.where(within, 2 * size - marks, -1) if count else np.full(size, -1)


@functools.cache
def _code() -> Code:
    return build([mark_components], {})
