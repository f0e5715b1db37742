"""What temporal formulas come to: claims, demands, and formulas over predicates.

A claim is a conjunct for one value of its parameters: `<>P`, `[]<>P`, `<>[]P`, `P ~> Q`,
`[]<><<A>>_v`, `WF_v(A)` or `SF_v(A)`, for predicates P and Q of a state, or a formula of another
form. A demand is what a behaviour satisfies: the fairness of the specification, or the antecedent
of `demands => claim`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.liveness.linear_time import (
    Always,
    AnyOf,
    Atomic,
    Eventually,
    LinearFormula,
)
from specmodel.tla.nodes import TlaTerm
from specmodel.tla.scopes import Run, TlaScope
from specmodel.tla.values import Value

Bound = tuple[Value, ...]

NOT_FOLLOWED = "all states were searched; not all properties are decided"
"""Why a check has no verdict if a property is not followed."""


@dataclass(frozen=True, eq=False)
class PlacedRun:
    """The function of an expression, with the expression and its bound values.

    `form` is "" for the value of the expression, "enabled" for ENABLED of it, "not" for its
    negation.
    """

    run: Run
    term: TlaTerm
    scope: TlaScope
    bound: Bound
    form: str = ""

    def __call__(self, c: Any, s: Any, n: Any) -> Value:
        return self.run(self.bound, s, n)


@dataclass(frozen=True, eq=False)
class TemporalAtom:
    """A predicate of a state, or of a step (`box`: `[A]_v`, else `<<A>>_v`), in a formula."""

    run: PlacedRun
    step: bool = False
    box: bool = False

    @property
    def text(self) -> str:
        """It as the module has it."""
        written = text_at(self.run.term.span)
        return {"": written, "enabled": f"ENABLED {written}", "not": f"~({written})"}[self.run.form]


@dataclass(frozen=True, eq=False)
class TlaDemand:
    """What a behaviour satisfies: a step that `taken` is true of, again and again, unless `enabled`
    is false again and again (`strong`: unless it is false from some state on).

    Without `taken` there is no such step; without `enabled` it is true in all states.
    """

    strong: bool
    action: str
    arguments: Mapping[str, Value]
    enabled: PlacedRun | None
    taken: PlacedRun | None
    fairness: bool = True
    """Whether it is WF or SF, not a formula of that meaning."""

    @property
    def strength(self) -> str:
        return "strong" if self.strong else "weak"

    @property
    def formula(self) -> LinearFormula:
        """It as a formula."""
        idle = [] if self.enabled is None else [Atomic(TemporalAtom(self.enabled), False)]
        taken = [] if self.taken is None else [Atomic(TemporalAtom(self.taken, True), True)]
        wait = (
            Eventually(Always(AnyOf((*idle,))))
            if self.strong
            else Always(Eventually(AnyOf((*idle,))))
        )
        return AnyOf((wait, *(Always(Eventually(each)) for each in taken)))


@dataclass(frozen=True, eq=False)
class TemporalClaim:
    """A claim about behaviours that satisfy `given`.

    `role` is "eventually", "always_eventually", "eventually_always" or "leads_to" (from `cause`),
    each about `goal`; "demand", about `demand`; or "formula", which is `formula`. Or it is about no
    whole behaviour: "state" (the first state), "always" or "step".
    """

    role: str
    span: Span
    arguments: Mapping[str, Value]
    goal: PlacedRun | None = None
    cause: PlacedRun | None = None
    demand: TlaDemand | None = None
    formula: LinearFormula | None = None
    given: tuple[TlaDemand, ...] = ()

    @property
    def text(self) -> str:
        """It as the module has it."""
        return text_at(self.span)

    def whole(self) -> LinearFormula:
        """It as a formula, without what is given."""
        if self.demand is not None:
            return self.demand.formula
        if self.formula is not None:
            return self.formula
        assert self.goal is not None
        goal = Atomic(TemporalAtom(self.goal), True)
        if self.cause is not None:
            return Always(AnyOf((Atomic(TemporalAtom(self.cause), False), Eventually(goal))))
        if self.role == "eventually":
            return Eventually(goal)
        always = self.role == "always_eventually"
        return Always(Eventually(goal)) if always else Eventually(Always(goal))


def text_at(span: Span) -> str:
    """A formula as the module has it, on one line."""
    return " ".join(span.text().split())
