"""The options and properties that partial-order reduction cannot be combined with, and why."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.model.model import Rule
from specmodel.results import Options

STATE_ROLES = ("invariant", "reachable")
"""Kinds of properties of single states, which every order of independent steps leads to."""


def refuse_unreducible(design: Design, rules: Sequence[Rule], options: Options) -> None:
    """Raises UsageError where leaving out orders of steps would change the findings.

    `rules` are the properties to be checked.
    """
    if options.symmetry:
        raise UsageError("--partial-order and --symmetry are not made for each other: choose one")
    if options.coverage:
        raise UsageError(
            "--coverage counts all steps, and --partial-order leaves some out: choose one"
        )
    if design.spec.bounds:
        names = ", ".join(rule.name for rule in design.spec.bounds)
        raise UsageError(
            f"--partial-order cannot help {design.name}: the orders that it leaves out may be the "
            f"only ones that stay within its state constraints ({names})"
        )
    steps = [rule.name for rule in rules if rule.role not in STATE_ROLES]
    if steps:
        raise UsageError(
            f"--partial-order cannot help with {', '.join(steps)}, which looks at steps and not at "
            "states alone; name the properties to check with --invariant"
        )
