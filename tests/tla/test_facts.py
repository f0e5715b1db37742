"""What follows from the conditions of a path: never more than what is so, and at least this."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.tla.symbolic.facts import PathFacts
from tests.ir.test_graph import HIGHEST, Builder, Made

EVERY = list(product(*(range(high + 1) for high in HIGHEST)))
"""All assignments of the leaves."""


def facts_of(conditions: list[Node]) -> PathFacts:
    facts = PathFacts()
    for condition in conditions:
        facts.add(condition)
    return facts


@given(st.data())
def test_what_is_found_is_so(draw: st.DataObject) -> None:
    """A condition is refused or known only if every assignment that fits the others says so; and
    what a condition says is gone when it is taken back.
    """
    builder = Builder(draw, EVERY)
    for _ in range(draw.draw(st.integers(4, 20))):
        builder.step()
    facts, held = PathFacts(), list[Made]()
    for _ in range(draw.draw(st.integers(1, 12))):
        if held and draw.draw(st.integers(0, 2)) == 0:
            facts.pop()
            held.pop()
        else:
            held.append(builder.pick(builder.bools))
            facts.add(held[-1].node)
        fits = [all(row) for row in zip(*(h.values for h in held), strict=True)]
        fits = fits or [True] * len(EVERY)
        assert not (facts.impossible and any(fits))
        anew = facts_of([h.node for h in held])
        assert (len(facts), facts.impossible) == (len(held), anew.impossible)
        if facts.impossible:
            continue
        for made in builder.bools:
            values = {value for value, fit in zip(made.values, fits, strict=True) if fit}
            known = facts.truth(made.node)
            assert known is None or values <= {known}
            assert facts.allow(made.node) or 1 not in values
            assert (known, facts.allow(made.node)) == (
                anew.truth(made.node), anew.allow(made.node)
            )  # fmt: skip


g = Graph()
X, Y = g.leaf(0, 3), g.leaf(1, 3)
A, B, C = (g.eq(g.leaf(2 + i, 1), g.int(1)) for i in range(3))
IS = [g.eq(X, g.int(i)) for i in range(4)]
LATE = g.eq(g.leaf(5, 1), g.int(1))
"""The last part of a clause, as it was made last."""


@pytest.mark.parametrize(
    ("conditions", "refused"),
    [
        ([A], g.negate(A)),
        ([g.either(A, B), g.negate(A)], g.negate(B)),
        ([g.either(A, B, C), g.negate(g.both(B, C)), g.negate(A), B], C),
        ([g.either(A, g.both(B, C)), g.negate(A)], g.negate(C)),
        ([g.negate(g.both(A, B))], g.both(A, B)),
        ([IS[1]], IS[2]),
        ([g.negate(IS[0]), g.negate(IS[1]), g.negate(IS[2])], g.negate(IS[3])),
        ([IS[2]], g.lt(X, g.int(2))),
        ([g.lt(X, g.int(2))], IS[2]),
        ([g.either(IS[0], A), IS[1]], g.negate(A)),
        ([g.either(g.both(IS[0], B), A), IS[1]], g.negate(A)),
        ([g.either(IS[0], IS[2], LATE), IS[1]], g.negate(LATE)),
        ([A, g.negate(g.eq(X, Y))], g.eq(X, Y)),
    ],
)
def test_what_is_found(conditions: list[Node], refused: Node) -> None:
    """Each way in which a condition contradicts others, in any order."""
    for order in (conditions, conditions[::-1]):
        facts = facts_of(order)
        assert not facts.impossible and not facts.allow(refused)
        facts.add(refused)
        assert facts.impossible
        facts.pop()
        assert not facts.impossible
        assert len(facts) == len(order)
    for each in (*conditions, refused):
        assert PathFacts().allow(each)
