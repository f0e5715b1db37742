"""A spec's transition relation and properties, as graphs over leaves.

The leaves of the graph are numbered: first the leaves of a state, then the leaves of the next
state. `smt/encoding.py` gives them variables of Z3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import (
    BagDomain,
    Domain,
    OptionDomain,
    ProductDomain,
    SeqDomain,
    SlottedDomain,
    UnionDomain,
)
from specmodel.ir import nodes as ir
from specmodel.ir.expression import STATE, Expression
from specmodel.ir.layout import Layout, Leaf, codes_of, leaves_of, payload_of, value_of, width
from specmodel.ir.symbolic.effects import Judgement
from specmodel.ir.symbolic.execute import run_action, run_property
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.model.model import Model, Rule, refuse_unrolled


@dataclass(frozen=True)
class ActionRelation:
    """A move: an action with one binding.

    `bound` has its arguments by name. `guard` is the condition under which it is enabled, `failure`
    the condition under which the spec fails over it. `after` has the leaves of the next state; a
    leaf that the move does not change is the same node as before.
    """

    rule: Rule
    bound: dict[str, Any]
    guard: Node
    failure: Node
    after: tuple[Node, ...]

    def __str__(self) -> str:
        return self.rule.label(tuple(self.bound.values())) if self.bound else self.rule.name


class Relation:
    """The graphs of a spec. Raises SpecError for an action or property that has no graph.

    The nodes are made in `graph`, if given: there, equal nodes of several specs are one node.
    """

    def __init__(self, spec: Model, graph: Graph | None = None) -> None:
        self.spec = spec
        self.layout = Layout(spec.domain)
        self.model: ir.Lowered = spec.code
        self.graph = graph or Graph()
        self.leaves: list[Leaf] = [*self.layout.leaves, *self.layout.leaves]
        self.now = [self._leaf(i) for i in range(self.width)]
        self.next = [self._leaf(self.width + i) for i in range(self.width)]
        self._judged: dict[str, Judgement] = {}

    @property
    def width(self) -> int:
        """The number of leaves of a state."""
        return len(self.layout.leaves)

    def _leaf(self, number: int) -> Node:
        return self.graph.leaf(number, self.leaves[number].size - 1)

    # Steps

    @cached_property
    def moves(self) -> tuple[ActionRelation, ...]:
        """All moves, except the ones that are disabled in every state by constants alone."""
        found = chain.from_iterable(self.bindings_of(rule) for rule in self.spec.rules)
        no = self.graph.false
        return tuple(move for move in found if move.guard is not no or move.failure is not no)

    def bindings_of(self, rule: Rule) -> list[ActionRelation]:
        """The moves of an action, one for each binding, in the order of the bindings."""
        made: list[ActionRelation] = []
        function = self.model.actions[rule.name]
        refuse_unrolled(rule, prod(domain.size for domain in rule.parameters.values()))
        for values in rule.bindings():
            effect = run_action(self.model, self.graph, function, self.now, values)
            guard = self.graph.both(*(g.node for g in effect.guards))
            failure = self.graph.either(*(f.node for f in effect.failures))
            bound = dict(zip(rule.parameters, values, strict=True))
            made.append(ActionRelation(rule, bound, guard, failure, effect.leaves))
        return made

    # Properties

    def judged(self, rule: Rule) -> Judgement:
        """The judgement of a property or constraint. A transition property also reads `next`."""
        if rule.name not in self._judged:
            if rule.role == "constraint":
                function = self.model.constraints[rule.name]
            else:
                function = self.model.properties[rule.name][1]
            self._judged[rule.name] = self._judgement(self.model, function)
        return self._judged[rule.name]

    def condition(self, expression: Expression) -> Judgement:
        """The judgement of a boolean expression over the state (`ExpressionReader.condition`)."""
        term = expression.term
        body = (ir.Return(term.span, term),)
        parameters: dict[str, Domain] = {STATE: self.spec.domain}
        function = ir.Function("the expression", parameters, ir.BOOL, body, term.span)
        return self._judgement(expression.model, function)

    def _judgement(self, model: ir.Lowered, function: ir.Function) -> Judgement:
        states = [self.now, self.next][: len(function.parameters)]
        return run_property(model, self.graph, function, states)

    # Values

    def codes(self, state: Any) -> list[int]:
        """The codes of a state's leaves."""
        return list(codes_of(self.spec.domain, state))

    def state(self, codes: Sequence[int]) -> Any:
        """The state whose leaves have these codes."""
        return value_of(self.spec.domain, iter(codes))

    def canonical(self) -> Node:
        """The condition: leaves that are in their ranges encode a value in its one canonical form.

        The leaves of an absent optional and of the places after the end of a list are 0.
        """
        return self.graph.both(*_blanks(self.graph, self.spec.domain, iter(self.now)))


def _blanks(graph: Graph, domain: Domain, leaves: Iterator[Node]) -> list[Node]:
    """The conditions that unused leaves are 0. Takes the leaves of a domain from `leaves`."""
    if domain.scalar:
        next(leaves)
        return []
    if isinstance(domain, OptionDomain):
        there = graph.eq(next(leaves), graph.int(1))
        return _unless(graph, there, domain.inner, leaves)
    if isinstance(domain, SlottedDomain):
        return _slots(graph, domain, [next(leaves) for _ in range(width(domain))])
    if isinstance(domain, SeqDomain):
        length, found = next(leaves), list[Node]()
        for place in range(domain.capacity):
            there = graph.lt(graph.int(place), length)
            slot = [next(leaves) for _ in range(width(domain.element))]
            found += _unless(graph, there, domain.element, iter(slot))
        return found
    if isinstance(domain, UnionDomain):
        return _others(graph, domain, next(leaves), leaves)
    if isinstance(domain, ProductDomain):
        return [blank for part in domain.places for blank in _blanks(graph, part, leaves)]
    for _ in leaves_of(domain):  # the masks of a set, all of which are used
        next(leaves)
    return []


def _slots(graph: Graph, domain: SlottedDomain, leaves: Sequence[Node]) -> list[Node]:
    """The conditions that the entries of a slotted value are in the order of their keys, and that a
    bag has no more copies than its capacity."""
    found, size = _blanks(graph, domain.slots, iter(leaves)), width(domain.entry)
    there = [graph.lt(graph.int(place), leaves[0]) for place in range(domain.capacity)]
    starts = range(1, len(leaves), size)
    keys = [leaves[start : start + width(domain.slot_key)] for start in starts]
    for place in range(1, domain.capacity):
        ordered = _less(graph, keys[place - 1], keys[place])
        found.append(graph.either(graph.negate(there[place]), ordered))
    if isinstance(domain, BagDomain):
        total = graph.int(0)
        for here, start in zip(there, starts, strict=True):
            copies = graph.add(leaves[start + size - 1], graph.int(1))
            total = graph.add(total, graph.select(here, copies, graph.int(0)))
        found.append(graph.le(total, graph.int(domain.capacity)))
    return found


def _less(graph: Graph, a: Sequence[Node], b: Sequence[Node]) -> Node:
    """The condition that the leaves of a value come before the leaves of another value."""
    found = graph.false
    for x, y in reversed([*zip(a, b, strict=True)]):
        found = graph.either(graph.lt(x, y), graph.both(graph.eq(x, y), found))
    return found


def _unless(graph: Graph, there: Node, domain: Domain, leaves: Iterator[Node]) -> list[Node]:
    """The conditions that the leaves of a domain are 0 unless `there`, and else are canonical."""
    taken = [next(leaves) for _ in leaves_of(domain)]
    zero = [graph.either(there, graph.eq(leaf, graph.int(0))) for leaf in taken]
    return [*zero, *_blanks(graph, domain, iter(taken))]


def _others(graph: Graph, domain: UnionDomain, tag: Node, leaves: Iterator[Node]) -> list[Node]:
    """The conditions that the leaves of a union are codes of the alternative of its tag."""
    found = list[Node]()
    taken = [next(leaves) for _ in payload_of(domain)]
    for number, part in enumerate(domain.alternatives):
        other = graph.negate(graph.eq(tag, graph.int(number)))
        sizes = [leaf.size for leaf in leaves_of(part)]
        past = [1] * (len(taken) - len(sizes))
        within = [
            graph.lt(leaf, graph.int(size))
            for leaf, size in zip(taken, [*sizes, *past], strict=True)
        ]
        inner = _blanks(graph, part, iter(taken[: len(sizes)]))
        found += [graph.either(other, condition) for condition in (*within, *inner)]
    return found
