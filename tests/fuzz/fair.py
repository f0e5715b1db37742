"""Temporal properties by their definition, on the graph that the interpreter walks: slow and plain.

A behaviour ends up in a set of states each of which it meets again and again, so each of them can
be reached from each other one in the set; a single state counts, where a behaviour stays. Instead
of trying all sets, the largest ones are taken apart: a set in which a constraint is owed and never
taken holds no fair behaviour that meets all of it, but a part without the states where the
constraint is enabled may.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import networkx as nx

from specmodel.behaviour.steps import Interpreter
from specmodel.model.model import LIVENESS, Model, Rule

Group = frozenset[int]


@dataclass
class Walked:
    """The reachable states within the constraints, by number, and the steps that change something.

    `enabled` are bindings that change something in a state, be it by leaving the constraints.
    """

    states: list[Any] = field(default_factory=list[Any])
    starts: set[int] = field(default_factory=set[int])
    edges: set[tuple[int, int, int]] = field(default_factory=set[tuple[int, int, int]])
    enabled: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])


def walk(spec: Model, interpreter: Interpreter) -> Walked:
    """Explores a spec, which has to be small."""
    found, numbers = Walked(), dict[str, int]()

    def enter(state: Any) -> int | None:
        if not interpreter.inside(state):
            return None
        key = repr(state)
        if key not in numbers:
            numbers[key] = len(found.states)
            found.states.append(spec.domain.copy(state))
        return numbers[key]

    for state in interpreter.initial():
        if (number := enter(state)) is not None:
            found.starts.add(number)
    for source in iter(range(10**9)):
        if source >= len(found.states):
            return found
        for binding, after in interpreter.successors(found.states[source]):
            if after == found.states[source]:
                continue
            found.enabled.add((source, binding))
            if (target := enter(after)) is not None:
                found.edges.add((source, binding, target))
    raise AssertionError


def judged_by_search(spec: Model) -> dict[str, bool]:
    """For each temporal property, whether some fair behaviour breaks it."""
    interpreter = Interpreter(spec)
    walked = walk(spec, interpreter)
    fairness = fairness_of(spec, interpreter)
    found: dict[str, bool] = {}
    for rule in spec.properties:
        if rule.role == "refinement":
            found[rule.name] = _refinement_broken(rule, walked, fairness, interpreter)
        elif rule.role in LIVENESS:
            found[rule.name] = any(
                _broken(rule, arguments, walked, walked.states, fairness, interpreter)
                for arguments in rule.bindings()
            )
    return found


def _refinement_broken(
    rule: Rule, walked: Walked, fairness: list[tuple[bool, Group]], interpreter: Interpreter
) -> bool:
    """Whether some fair behaviour breaks what an abstract design claims of the abstract states."""
    abstract, spec = interpreter.refined(rule), rule.refined
    assert spec is not None
    mapped = [interpreter.abstract(rule, state) for state in walked.states]
    for strong, bindings in fairness_of(spec, abstract):
        moves: list[list[Any]] = []
        for state in mapped:
            after = [abstract.successor(state, binding) for binding in sorted(bindings)]
            moves.append([other for other in after if other is not None and other != state])
        left = {(a, b, c) for a, b, c in walked.edges if mapped[c] not in moves[a]}
        enabled = {number for number, following in enumerate(moves) if following}
        within = frozenset(range(len(mapped)) if strong else enabled)
        if _fair_sets(replace(walked, edges=left), fairness, within, strong, enabled):
            return True
    return any(
        _broken(claim, arguments, walked, mapped, fairness, abstract)
        for claim in spec.properties
        if claim.role in LIVENESS and claim.refined is None
        for arguments in claim.bindings()
    )


def fairness_of(spec: Model, interpreter: Interpreter) -> list[tuple[bool, Group]]:
    """Each constraint: whether it is strong, and the bindings of which one has to be taken."""
    found: list[tuple[bool, Group]] = []
    for wanted in spec.fairness:
        groups: dict[tuple[Any, ...], set[int]] = {} if wanted.per else {(): set()}
        for number, (rule, arguments) in enumerate(interpreter.bindings):
            if rule.name in wanted.names:
                named = dict(zip(rule.parameters, arguments, strict=True))
                groups.setdefault(tuple(named[p] for p in wanted.per), set()).add(number)
        found += [(wanted.strength == "strong", frozenset(g)) for g in groups.values()]
    return found


def _broken(
    rule: Rule,
    arguments: tuple[Any, ...],
    walked: Walked,
    states: list[Any],
    fairness: list[tuple[bool, Group]],
    interpreter: Interpreter,
) -> bool:
    """Whether some fair behaviour breaks a property; `states` are judged in place of those walked,
    each in its place."""

    def where(judge: Rule) -> set[int]:
        rows = enumerate(states)
        return {i for i, s in rows if interpreter.holds(judge, s, *arguments)}

    everything = set(range(len(states)))
    bad = everything - where(rule)
    within = everything if rule.role == "eventually_always" else bad
    recurring = _fair_sets(
        walked, fairness, frozenset(within), rule.role == "eventually_always", bad
    )
    if rule.role in ("always_eventually", "eventually_always"):
        return bool(recurring)
    begins = walked.starts & bad
    if rule.role == "leads_to":
        assert rule.antecedent is not None
        begins = where(rule.antecedent) & bad
    graph = _graph(walked, frozenset(bad))
    reached = set(begins)
    for start in begins:
        reached |= nx.descendants(graph, start)
    return any(group & reached for group in recurring)


def _graph(walked: Walked, states: Group) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(states)
    graph.add_edges_from((a, b) for a, _, b in walked.edges if a in states and b in states)
    return graph


def _fair_sets(
    walked: Walked, fairness: list[tuple[bool, Group]], within: Group, meets: bool, bad: set[int]
) -> list[Group]:
    """Sets of states that a fair behaviour can meet again and again, each and no others.

    Every fair behaviour within ends up in a part of one of them, from which it can be prolonged to
    all of it. With `meets`, one of the `bad` states has to be among them.
    """
    found: list[Group] = []
    for part in nx.strongly_connected_components(_graph(walked, within)):
        states = frozenset(part)
        for single in states:
            owed = [c for c in fairness if any((single, b) in walked.enabled for b in c[1])]
            if not owed and (not meets or single in bad):
                found.append(frozenset({single}))
        if len(states) == 1:
            continue
        inner = {b for a, b, c in walked.edges if a in states and c in states}
        lost, rest = False, states
        for strong, bindings in fairness:
            if bindings & inner:
                continue
            has = {s for s in states if any((s, b) in walked.enabled for b in bindings)}
            if strong:
                rest -= has
            elif has == states:
                lost = True
        if lost or (meets and not states & bad):
            continue
        if rest == states:
            found.append(states)
        elif rest:
            found += _fair_sets(walked, fairness, rest, meets, bad)
    return found
