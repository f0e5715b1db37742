"""The facts about behaviours without end that violate temporal claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specmodel.behaviour.formulas import Formula
from specmodel.liveness.judge import Behaviour
from specmodel.results import Step
from specmodel.results.lasso import Lasso, Neglected
from specmodel.tla.claims import TemporalClaim
from specmodel.tla.liveness import TlaGraph, rule_of
from specmodel.tla.named_steps import TlaTuple, steps_from
from specmodel.tla.specification import Specification
from specmodel.tla.written import argument


def facts(
    spec: Specification, claim: TemporalClaim, graph: TlaGraph, behaviour: Behaviour
) -> Lasso:
    """The facts about a behaviour that violates a claim."""
    states = [graph.states[number] for number in behaviour.states]
    demands = (*spec.fairness, *claim.given)
    return Lasso(
        tuple(graph.met(each, claim.span, behaviour) for each in demands),
        tuple(_neglected(spec, states, behaviour.loop)),
        {name: argument(value) for name, value in claim.arguments.items()},
        graph.since(claim, behaviour),
        behaviour.smallest,
        claim.text,
        graph.truths(claim, behaviour),
        claim.role,
    )


def violated(
    spec: Specification, claims: Sequence[TemporalClaim], states: Sequence[TlaTuple], loop: int
) -> Lasso | None:
    """The facts about a behaviour that violates the first of some claims that it does.

    None if it violates none. The state after the last is that at `loop`.
    """
    numbers: dict[TlaTuple, int] = {}
    path = [numbers.setdefault(state, len(numbers)) for state in states]
    following: list[list[int]] = [[] for _ in numbers]
    for before, after in zip(path, (*path[1:], path[loop]), strict=True):
        following[before].append(after)
    graph = TlaGraph.of(list(numbers), following, [len(numbers)], lambda: None)
    for claim in claims:
        formula = Formula(rule_of(claim, claim.text), ())
        behaviour = Behaviour(formula, tuple(path), loop, True)
        allowed = all(graph.satisfies(each, claim, behaviour) for each in spec.assumed) and all(
            graph.met(each, claim.span, behaviour).how != "neglected" for each in claim.given
        )
        if allowed and not graph.satisfies(claim.whole(), claim, behaviour):
            return facts(spec, claim, graph, behaviour)
    return None


def _neglected(spec: Specification, states: Sequence[TlaTuple], loop: int) -> Iterator[Neglected]:
    """The steps that could change the state on a cycle, and are never made."""
    cycle = states[loop:]
    enabled: dict[str, tuple[Step, list[int]]] = {}
    taken: set[str] = set()
    for place, (before, after) in enumerate(zip(cycle, (*cycle[1:], cycle[0]), strict=True)):
        for step, found in steps_from(spec, before):
            text = repr(step)
            places = enabled.setdefault(text, (step, []))[1]
            if found != before and loop + place not in places:
                places.append(loop + place)
            if found == after != before:
                taken.add(text)
    for text, (step, places) in enabled.items():
        if places and text not in taken:
            remedy = "weak" if len(places) == len(cycle) else "strong"
            yield Neglected(step.action, step.arguments, tuple(places), remedy)
