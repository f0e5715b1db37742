"""The verdicts on temporal properties, as results with behaviours that a person can follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from specmodel.behaviour.formulas import formulas
from specmodel.behaviour.lasso import closed, described, failing_since
from specmodel.behaviour.steps import Interpreter
from specmodel.liveness.graph import Poll, StateGraph
from specmodel.liveness.judge import judge
from specmodel.liveness.refined import judge_refinement
from specmodel.model.model import Rule
from specmodel.results import PropertyResult


def verdicts(
    graph: StateGraph,
    rules: Iterable[Rule],
    interpreter: Interpreter,
    state_at: Callable[[int], Any],
    poll: Poll,
) -> dict[str, PropertyResult]:
    """The result of each of some temporal properties, by name.

    `state_at` gives the state with a number of the graph. The interpreter runs behaviours again,
    and their fairness is checked, before they are reported.
    """
    found: dict[str, PropertyResult] = {}
    for rule in rules:
        if rule.refined is None:
            behaviour, vacuous = judge(graph, formulas(rule), poll), _vacuous(graph, rule)
        else:
            behaviour, vacuous = judge_refinement(graph, rule, interpreter, state_at, poll)
        if behaviour is None:
            found[rule.name] = PropertyResult(rule.name, rule.role, "holds", vacuous=vacuous)
            continue
        trace = closed(interpreter, [state_at(n) for n in behaviour.states], behaviour.loop)
        since = failing_since(interpreter, behaviour.formula, trace)
        if since is None:
            raise AssertionError(f"the behaviour does not fail {rule.name}")
        lasso = described(interpreter, trace, behaviour.formula, since, behaviour.smallest)
        if not lasso.fair:
            raise AssertionError(f"the behaviour that fails {rule.name} is not fair")
        found[rule.name] = PropertyResult(rule.name, rule.role, "violated", trace, lasso)
    return found


def _vacuous(graph: StateGraph, rule: Rule) -> str:
    """Why a property that holds is vacuous: no reachable state has its antecedent."""
    causes = [formula.cause for formula in formulas(rule) if formula.cause is not None]
    if not causes or any(graph.truth[cause].any() for cause in causes):
        return ""
    return f"{causes[0].rule.name} is true in no state"
