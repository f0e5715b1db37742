"""Where the states of a design come from, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from specmodel.analysis.profile import Profile, Variable
from specmodel.engines.native.census import Estimate
from specmodel.results.plain import json_text, members
from specmodel.views.summary import searched_line

BAR = 40
"""Columns of the bar of the largest level."""


def profile_lines(found: Profile) -> Iterator[Text]:
    """The lines of the report: levels, variables, actions, advice."""
    yield from level_lines(found.result.levels)
    yield Text()
    yield from _variables(found)
    yield Text()
    if found.actions:
        yield from _actions(found)
        yield Text()
    if found.advice:
        yield Text("Advice", "bold")
        for advice in found.advice:
            yield Text.assemble("  ", (advice.about, "bold cyan"), f" {advice.text}")
        yield Text()
    yield searched_line(found.design, found.result)


def level_lines(sizes: Sequence[int]) -> Iterator[Text]:
    """How many states each level has, as a bar chart."""
    yield Text("Levels", "bold")
    largest, width = max(sizes, default=1), len(f"{max(sizes, default=0):,}")
    for number, size in enumerate(sizes, start=1):
        bar = "#" * max(1, round(BAR * size / largest))
        yield Text(f"  {number:>3}  {size:>{width},}  {bar}")


def _variables(found: Profile) -> Iterator[Text]:
    names = max(len(v.name) + 2 * v.nested for v in found.variables)
    yield Text(
        f"{'Variables':<{names + 2}}  {'bits':>5} {'values':>12} {'times':>8} {'entropy':>8}",
        "bold",
    )
    for variable in found.variables:
        name = f"{'  ' * variable.nested}{variable.name}"
        yield Text(
            f"  {name:<{names}}  {variable.bits:>5} {_number(variable.values):>12} "
            f"{_times(variable):>8} {variable.entropy:>8.2f}"
        )


def _number(estimate: Estimate) -> str:
    if estimate.exact:
        return f"{round(estimate.value):,}"
    return f"~{round(estimate.value, 2 - len(str(int(estimate.value)))):,.0f}"


def _times(variable: Variable) -> str:
    return f"{variable.factor:.2f}" if variable.without.exact else f"~{variable.factor:.1f}"


def _actions(found: Profile) -> Iterator[Text]:
    names = max(len(a.name) for a in found.actions)
    yield Text(f"{'Actions':<{names + 2}}  {'fired':>12} {'without it':>12} {'times':>8}", "bold")
    for action in found.actions:
        times = found.result.counts[0] / action.without if action.without else 0.0
        yield Text(
            f"  {action.name:<{names}}  {action.fired:>12,} {action.without:>12,} {times:>8.2f}"
        )


def profile_json(found: Profile) -> str:
    """The profile as one JSON object (docs/reference/json-profile.md)."""
    told = members(found.result, "design constants complete stopped? distinct levels")
    told["variables"] = [_variable_object(variable) for variable in found.variables]
    return json_text({**told, **members(found, "actions advice")})


def _variable_object(variable: Variable) -> dict[str, Any]:
    return {
        "name": variable.name,
        "domain": str(variable.domain),
        "bits": variable.bits,
        "values": round(variable.values.value),
        "exact": variable.values.exact,
        "without": round(variable.without.value),
        "times": round(variable.factor, 4),
        "entropy": round(variable.entropy, 4),
    }
