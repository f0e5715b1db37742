"""Temporal properties and fairness with their parameters filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import frozen
from specmodel.model.model import LIVENESS, Fair, Model, Rule

Bindings = Sequence[tuple[Rule, tuple[Any, ...]]]
"""Every binding of a spec's actions, in the order of their numbers in engines."""


@dataclass(frozen=True)
class Predicate:
    """A rule with these arguments after the state, as a predicate on states.

    `of` is the property that it is part of.
    """

    rule: Rule
    arguments: tuple[Any, ...]
    of: str


def invariants(rules: Iterable[Rule]) -> list[Predicate]:
    """The rules, of some, that must be true in every state."""
    return [Predicate(rule, (), rule.name) for rule in rules if rule.role == "invariant"]


@dataclass(frozen=True)
class Formula:
    """A temporal property for one value of each of its parameters.

    With a `mapping`, a refinement, it is about the abstract states: a temporal property of the
    abstract design or, with `fair`, one of its fairness constraints (`rule` is then the mapping).
    """

    rule: Rule
    arguments: tuple[Any, ...]
    mapping: Rule | None = None
    fair: Constraint | None = None

    @property
    def claim(self) -> str:
        """The formula about the abstract design, as text; empty without a mapping."""
        if self.fair is not None:
            return f"{self.fair.strength} fairness of {self.fair.action}"
        return self.rule.name if self.mapping is not None else ""

    @property
    def named_arguments(self) -> dict[str, Any]:
        """The values of its parameters."""
        if self.fair is not None:
            return dict(self.fair.arguments)
        return dict(zip(self.rule.parameters, self.arguments, strict=True))

    @property
    def goal(self) -> Predicate:
        """The predicate that has to become true."""
        return Predicate(self.rule, self.arguments, self.rule.name)

    @property
    def cause(self) -> Predicate | None:
        """The antecedent of a `leads_to`."""
        before = self.rule.antecedent
        return None if before is None else Predicate(before, self.arguments, self.rule.name)


@dataclass(frozen=True)
class Constraint:
    """A fairness constraint on behaviours: some bindings, of which any one satisfies it.

    They are those of `action` (or several, joined by "or") with these arguments, if it has any.
    """

    strength: str
    action: str
    bindings: frozenset[int]
    arguments: tuple[tuple[str, Any], ...] = ()

    @property
    def strong(self) -> bool:
        """Whether the fairness is strong: bindings enabled again and again must be taken."""
        return self.strength == "strong"

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.arguments)
        return f"{self.strength} fairness of {self.action}{f'({inner})' if inner else ''}"


def is_temporal(rule: Rule) -> bool:
    """Whether a property is about behaviours, not states or steps."""
    return rule.role in LIVENESS


def formulas(rule: Rule) -> list[Formula]:
    """A temporal property for each binding of its parameters: the rule holds if all of these do.

    For a refinement: the fairness of the abstract design, then each of its temporal properties.
    """
    if rule.refined is None:
        return [Formula(rule, arguments) for arguments in rule.bindings()]
    abstract = rule.refined
    fairness = constraints(abstract, bindings(abstract))
    stated = [each for each in abstract.properties if is_temporal(each) and each.refined is None]
    return [
        *(Formula(rule, (), rule, each) for each in fairness),
        *(Formula(each, held, rule) for each in stated for held in each.bindings()),
    ]


def bindings(spec: Model) -> Bindings:
    """Every binding of the actions of a spec."""
    return [
        (rule, tuple(map(frozen, arguments)))
        for rule in spec.rules
        for arguments in rule.bindings()
    ]


def predicates(wanted: Iterable[Formula]) -> list[Predicate]:
    """The predicates on the states of the design itself that decide some formulas."""
    own = [f for f in wanted if f.mapping is None]
    parts = [part for f in own for part in (f.goal, f.cause) if part is not None]
    return list(dict.fromkeys(parts))


def constraints(spec: Model, bindings: Bindings) -> tuple[Constraint, ...]:
    """The fairness of a spec, one constraint for each value of its `per` parameters."""
    return tuple(c for wanted in spec.fairness for c in _filled(wanted, bindings))


def _filled(wanted: Fair, bindings: Bindings) -> list[Constraint]:
    names = " or ".join(wanted.names)
    found: dict[tuple[tuple[str, Any], ...], set[int]] = {} if wanted.per else {(): set()}
    for number, (rule, arguments) in enumerate(bindings):
        if rule.name in wanted.names:
            held = dict(zip(rule.parameters, arguments, strict=True))
            found.setdefault(tuple((n, held[n]) for n in wanted.per), set()).add(number)
    return [Constraint(wanted.strength, names, frozenset(n), per) for per, n in found.items()]
