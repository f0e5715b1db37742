"""Symbolic execution of refinements: whether an abstract design has a step between two states.

A function of the concrete design computes the abstract states before and after a concrete step.
The second is compared with the successor that each binding of each abstract action gives the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from specmodel.ir import nodes as ir
from specmodel.ir.symbolic.effects import Effect
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.run import SymbolicRun
from specmodel.ir.symbolic.terms import Terms

RunAction = Callable[[ir.Lowered, Graph, ir.Function, Sequence[Node], Sequence[Any]], Effect]
"""Runs an action with one binding on the leaves of a state."""


def refined(run: SymbolicRun, terms: Terms, statement: ir.Refine, run_action: RunAction) -> Node:
    """The condition that a step of the abstract design leads from one of its states to another."""
    g = run.graph
    before, after = (_abstract(run, terms, term) for term in (statement.before, statement.after))
    found = g.both(*map(g.eq, before, after))
    for name in statement.actions:
        if found is g.true:
            return found
        for effect in _abstract_effects(run, statement, name, before, run_action):
            for failure in effect.failures:
                missing = g.both(g.negate(found), failure.node)
                run.fail(missing, failure.message, failure.span)
            enabled = [guard.node for guard in effect.guards]
            found = g.either(found, g.both(*enabled, *map(g.eq, effect.leaves, after)))
    return found


def _abstract(run: SymbolicRun, terms: Terms, call: ir.Call) -> tuple[Node, ...]:
    """The leaves of the abstract state of a state; computed once for the state before all steps."""
    state = terms.value(call.args[0])
    key = (id(call), id(state))
    known = run.graph.abstract_states.get(key)
    if known is None:
        first = len(run.failures)
        value = terms.value(call)
        value = terms.fitted(call.type, value, "the abstract state", call.span)
        leaves: list[Node] = []
        run.algebra.packed(call.type, value, leaves)
        known = (call, state), tuple(leaves), run.failures[first:]
        run.graph.abstract_states[key] = known
    else:
        run.failures += known[2]
    return known[1]


def _abstract_effects(
    run: SymbolicRun,
    statement: ir.Refine,
    name: str,
    before: tuple[Node, ...],
    run_action: RunAction,
) -> Sequence[Effect]:
    """The effects of the bindings of an abstract action that may be enabled in a state.

    All steps begin in the same state, so the effects are computed once. Computed for each step, the
    102 bindings of Voting took 145 s of the compilation of Paxos.
    """
    model = replace(run.model, state=statement.before.type)
    function, g = model.helpers[name], run.graph
    key = (id(function), *(leaf.id for leaf in before))
    known = g.abstract_effects.get(key)
    if known is None:
        _, *domains = function.parameters.values()
        bindings = product(*(tuple(domain.values()) for domain in domains))
        made = [run_action(model, g, function, before, args) for args in bindings]
        made = [e for e in made if e.failures or g.false not in [c.node for c in e.guards]]
        known = g.abstract_effects[key] = function, made
    return known[1]
