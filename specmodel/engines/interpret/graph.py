"""The graph of states for temporal properties, by running every action on every state again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np

from specmodel.behaviour.formulas import constraints, formulas, predicates
from specmodel.behaviour.steps import Interpreter
from specmodel.liveness.graph import Poll, StateGraph, bit_columns, kinds_of
from specmodel.model.model import Rule


def state_graph(
    interpreter: Interpreter,
    levels: Sequence[Sequence[int]],
    rules: Iterable[Rule],
    poll: Poll,
) -> StateGraph:
    """The graph of a finished search. States are given by their keys, level by level, in order.

    Raises SpecFailure where a property fails.
    """
    keys = list(chain.from_iterable(levels))
    number = {key: i for i, key in enumerate(keys)}
    fair = constraints(interpreter.spec, interpreter.bindings)
    kinds, takes = kinds_of(fair, len(interpreter.bindings))
    wanted = predicates(f for rule in rules for f in formulas(rule))
    truth = np.zeros((len(wanted), len(keys)), np.bool_)
    enabled = np.zeros((len(keys), bit_columns(len(fair))), np.uint64)
    starts, targets, taken = [0], list[int](), list[int]()
    index: Callable[[Any], int] = interpreter.domain.index
    for source, key in enumerate(keys):
        poll()
        state = interpreter.domain.at(key)
        for column, part in enumerate(wanted):
            truth[column, source] = interpreter.holds(part.rule, state, *part.arguments)
        for binding, successor in interpreter.successors(state):
            reached = index(successor)
            if reached == key:
                continue
            enabled[source] |= takes[kinds[binding]]
            if reached in number:
                targets.append(number[reached])
                taken.append(int(kinds[binding]))
        starts.append(len(targets))
    return StateGraph(
        levels=np.array([0, *accumulate(map(len, levels))], np.int64),
        starts=np.array(starts, np.int64),
        targets=np.array(targets, np.int32),
        kinds=np.array(taken, np.uint16),
        takes=takes,
        enabled=enabled,
        constraints=fair,
        truth=dict(zip(wanted, truth, strict=True)),
    )
