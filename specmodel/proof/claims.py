"""Claims: properties of every state, or of every step, that are to be proved."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.ir.expression import Expression, StateExpression
from specmodel.ir.symbolic.effects import Judgement
from specmodel.model.model import Rule
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Formula


@dataclass(frozen=True)
class Claim:
    """A property of states, or of steps if `states` is 2: a spec's own, or an expression."""

    name: str
    judgement: Judgement
    states: int = 1

    def holds(self, encoding: Encoding, depth: int) -> Formula:
        """The formula that the claim is true, and does not fail, at a depth."""
        logic = encoding.logic
        true = encoding.true(self.judgement, depth)
        return logic.both([true, logic.negate(encoding.failing(self.judgement, depth))])


def claim_of(encoding: Encoding, source: Rule | tuple[str, StateExpression]) -> Claim:
    """The claim of a property, or of an expression that has a name."""
    if isinstance(source, tuple):
        name, expression = source
        assert isinstance(expression, Expression), "only a typed one is encoded"
        return Claim(name, encoding.relation.condition(expression))
    return Claim(source.name, encoding.relation.judged(source), source.states)


@dataclass(frozen=True)
class ProofPlan:
    """The plan of a proof: goals and lemmas to prove, and properties to assume."""

    goals: tuple[Rule, ...]
    lemmas: tuple[Rule, ...]
    assumed: tuple[Rule, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every property in the plan."""
        return (*self.goals, *self.lemmas, *self.assumed)


def planned(
    design: Design,
    goals: Sequence[str] | None,
    lemmas: Sequence[str] | None,
    assumed: Sequence[str],
) -> ProofPlan:
    """The plan for properties by name.

    Without goals, these are all invariants that the design checks; without lemmas, these are the
    other invariants that it checks. Raises UsageError for a property that induction cannot prove.
    """
    given = tuple(design.chosen(assumed)) if assumed else ()
    _refuse_unfit(given, ("invariant",), "can be assumed")
    if goals:
        wanted = design.chosen(goals)
        _refuse_unfit(wanted, ("invariant", "transition"), "can be proved by induction")
    else:
        wanted = tuple(r for r in design.chosen(None) if r.role in ("invariant", "transition"))
        wanted = tuple(r for r in wanted if r not in given)
        if not wanted:
            raise UsageError(f"{design.name} checks no invariant: there is nothing to prove")
    if lemmas:
        helping = design.chosen(lemmas)
        _refuse_unfit(helping, ("invariant",), "can be a lemma")
    elif lemmas is None and goals:
        helping = tuple(r for r in design.chosen(None) if r.role == "invariant")
    else:
        helping = ()
    taken = {rule.name for rule in (*wanted, *given)}
    clash = [rule.name for rule in wanted if rule.name in {r.name for r in given}]
    if clash:
        raise UsageError(f"{clash[0]} is to be proved and assumed: it can be one of these")
    return ProofPlan(wanted, tuple(r for r in helping if r.name not in taken), given)


def _refuse_unfit(rules: Sequence[Rule], roles: Sequence[str], what: str) -> None:
    named = " or a ".join(f"{role} property" for role in roles)
    for rule in rules:
        if rule.role not in roles:
            raise UsageError(f"{rule.name} is of kind {rule.role}: only an {named} {what}")
