"""Lowering of a spec: all functions that it lists, and all functions that they call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from specmodel.errors import SpecError
from specmodel.ir.effects import Effects
from specmodel.ir.nodes import BOOL, OPEN, Call, Function, Lowered, Name, Refine
from specmodel.lang.lowering.functions import FunctionLowering
from specmodel.lang.lowering.source import FunctionSource
from specmodel.lang.lowering.written import WrittenRule, WrittenSpec
from specmodel.lang.picking import Pick, picks


def lower(spec: WrittenSpec) -> Lowered:
    """The IR of a spec.

    Raises Unsupported for Python that is not part of the language, and SpecError for types that do
    not fit, both with the place.
    """
    return SpecLowering().model(spec)


def picks_of(rule: WrittenRule) -> dict[str, Pick]:
    """The names of an action's picks, with their choices.

    Raises Unsupported and SpecError as `lower` does.
    """
    lowering = FunctionLowering(FunctionSource(rule.function), SpecLowering(), True)
    lowering.function()
    return {name.removesuffix(OPEN): choice for name, choice in lowering.picks.made.items()}


class SpecLowering:
    """Lowers each function once. A helper is stored by its name, changed if two have the same."""

    def __init__(self) -> None:
        self.lowered: dict[Callable[..., Any], Function | None] = {}
        self.helpers: dict[str, Function] = {}
        self.picks: dict[str, dict[str, Pick]] = {}
        self.effects = Effects(self.helpers)

    def model(self, spec: WrittenSpec) -> Lowered:
        """The IR of a spec. Helpers that are lowered later are added to it."""
        actions = {rule.name: self.rule(rule) for rule in spec.rules}
        stated = [r for r in spec.properties if r.role != "refinement"]
        properties = {r.name: (r.role, self._property(r, spec)) for r in stated}
        for rule in spec.properties:
            if rule.role == "refinement":
                self._check_liveness(rule)
        before = {r.name: r.antecedent for r in spec.properties}
        antecedents = {n: self.rule(r) for n, r in before.items() if r is not None}
        constraints = {r.name: self.rule(r) for r in spec.bounds}
        refined = {r.refined.domain: None for r in spec.properties if r.refined}
        return Lowered(
            spec.domain,
            actions,
            properties,
            antecedents,
            constraints,
            self.helpers,
            tuple(refined),
        )

    def rule(self, rule: WrittenRule) -> Function:
        """The IR of an action, property or constraint."""
        lowering = FunctionLowering(FunctionSource(rule.function), self, rule.role == "action")
        made = lowering.function()
        if lowering.picks.made and not picks(rule.function):
            what = f"{rule.name} calls a function that picks in a way that its steps do not show"
            raise SpecError(what, made.span, "call the function by its name")
        return made

    def _property(self, rule: WrittenRule, spec: WrittenSpec) -> Function:
        """The IR of a property; a refinement's consists of its function and abstract actions."""
        abstract = rule.refined
        if abstract is None:
            return self.rule(rule)
        made = self.helper(rule.function)
        if self.picks_of(made.name):
            what = f"{made.name} gives one abstract state for each state: it picks nothing"
            raise SpecError(what, made.span, "pick in an abstract action")
        assert made.result is not None
        before, after = (
            Call(made.result, made.span, made.name, (Name(spec.domain, made.span, name),))
            for name in ("before", "after")
        )
        actions = tuple(self._named(self.rule(action)).name for action in abstract.rules)
        parameters = {"before": spec.domain, "after": spec.domain}
        body = Refine(made.span, before, after, actions)
        return Function(rule.name, parameters, BOOL, (body,), made.span)

    def _check_liveness(self, rule: WrittenRule) -> None:
        """Raises Unsupported or SpecError for functions that a refinement about liveness calls.

        CPython runs them, so that they need no IR; but they have to be functions of the language,
        which change nothing and give the same result each time.
        """
        assert rule.refined is not None
        self.helper(rule.function)
        lower(rule.refined)

    def _named(self, made: Function) -> Function:
        """Adds a function to the helpers, under a unique name; returns it."""
        if made.name in self.helpers:
            name = f"{made.name}_{sum(h.startswith(made.name) for h in self.helpers) + 1}"
            made = Function(name, made.parameters, made.result, made.body, made.span)
        self.helpers[made.name] = made
        return made

    def helper(self, function: Callable[..., Any]) -> Function:
        """The IR of a called function. Raises RecursionError if it calls itself."""
        if function in self.lowered:
            known = self.lowered[function]
            if known is None:
                raise RecursionError(f"{function.__name__} calls itself")
            return known
        self.lowered[function] = None
        lowering = FunctionLowering(FunctionSource(function), self, picking=True, called=True)
        made = self._named(lowering.function())
        self.lowered[function], self.picks[made.name] = made, lowering.picks.made
        return made

    def picks_of(self, helper: str) -> Mapping[str, Pick]:
        """The choices of the picks in a helper, by the names of its parameters."""
        return self.picks.get(helper, {})
