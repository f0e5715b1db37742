"""Lowers a spec: every function it lists, and every function those call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from specmodel.domains import Domain
from specmodel.ir.effects import Effects
from specmodel.ir.nodes import Function, Lowered
from specmodel.lang.lowering.functions import FunctionLowering
from specmodel.lang.lowering.source import FunctionSource
from specmodel.lang.spec import PythonRule, Spec


def lower(spec: Spec) -> Lowered:
    """The IR of a spec.

    Raises Unsupported for Python that the language does not have, SpecError for types that do not
    fit, both with the place.
    """
    return SpecLowering().model(spec)


def picks_of(rule: PythonRule) -> dict[str, Domain]:
    """The names that an action gives to what it picks, each with what it chooses by.

    Raises Unsupported and SpecError as `lower` does.
    """
    parameters = list(SpecLowering().rule(rule).parameters.items())
    return dict(parameters[rule.states + len(rule.declared) :])


class SpecLowering:
    """Lowers each function once; a helper is known by its name, made unique where two share one."""

    def __init__(self) -> None:
        self.lowered: dict[Callable[..., Any], Function | None] = {}
        self.helpers: dict[str, Function] = {}
        self.effects = Effects(self.helpers)

    def model(self, spec: Spec) -> Lowered:
        """The IR of a spec; helpers that are lowered later are in it too."""
        actions = {rule.name: self.rule(rule) for rule in spec.rules}
        properties = {r.name: (r.role, self.rule(r)) for r in spec.properties}
        before = {r.name: r.antecedent for r in spec.properties}
        antecedents = {n: self.rule(r) for n, r in before.items() if r is not None}
        constraints = {r.name: self.rule(r) for r in spec.bounds}
        return Lowered(spec.domain, actions, properties, antecedents, constraints, self.helpers)

    def rule(self, rule: PythonRule) -> Function:
        """The IR of an action, property or constraint."""
        action = rule.role == "action"
        return FunctionLowering(FunctionSource(rule.function), self, action).function()

    def helper(self, function: Callable[..., Any]) -> Function:
        """The IR of a called function. Raises RecursionError if it calls itself."""
        if function in self.lowered:
            known = self.lowered[function]
            if known is None:
                raise RecursionError(f"{function.__name__} calls itself")
            return known
        self.lowered[function] = None
        made = FunctionLowering(FunctionSource(function), self).function()
        if made.name in self.helpers:
            name = f"{made.name}_{sum(h.startswith(made.name) for h in self.helpers) + 1}"
            made = Function(name, made.parameters, made.result, made.body, made.span)
        self.lowered[function] = made
        self.helpers[made.name] = made
        return made
