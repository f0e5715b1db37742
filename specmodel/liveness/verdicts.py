"""The verdicts on temporal properties, as results with behaviours that a person can follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from specmodel.engines.interpret.steps import Interpreter
from specmodel.lang.spec import Rule
from specmodel.liveness.formulas import formulas
from specmodel.liveness.graph import Poll, StateGraph
from specmodel.liveness.judge import judge
from specmodel.liveness.lasso import closed, described, failing_since
from specmodel.results import PropertyResult


def verdicts(
    graph: StateGraph,
    rules: Iterable[Rule],
    interpreter: Interpreter,
    state_at: Callable[[int], Any],
    poll: Poll,
) -> dict[str, PropertyResult]:
    """The result of each of some temporal properties, by name.

    `state_at` gives the state of a number of the graph. Behaviours are run again by the
    interpreter, and found to be fair, before anyone sees them.
    """
    found: dict[str, PropertyResult] = {}
    for rule in rules:
        behaviour = judge(graph, formulas(rule), poll)
        if behaviour is None:
            found[rule.name] = PropertyResult(rule.name, rule.role, "holds")
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
