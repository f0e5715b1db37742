"""The profile of a state space, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from specmodel.analysis.profile import Profile, VariableProfile
from specmodel.engines.native.profile_counts import Estimate
from specmodel.results.plain import json_text, members
from specmodel.views.forms import bars, figures, sections
from specmodel.views.summary import searched_line


def profile_lines(found: Profile) -> Iterator[Text]:
    """The lines of the report: levels, variables, actions, advice."""
    levels = dict(enumerate(found.result.levels, start=1))
    yield from sections(bars("Levels", levels), _variables(found), _actions(found), _advice(found))
    yield searched_line(found.design, found.result)


def _variables(found: Profile) -> Iterator[Text]:
    rows = [
        (f"{'  ' * v.nested}{v.name}", v.bits, _number(v.values), _times(v), f"{v.entropy:.2f}")
        for v in found.variables
    ]
    yield from figures("Variables", "bits:5, values:12, times:8, entropy:8", rows)


def _number(estimate: Estimate) -> str:
    if estimate.exact:
        return f"{round(estimate.value):,}"
    return f"~{round(estimate.value, 2 - len(str(int(estimate.value)))):,.0f}"


def _times(variable: VariableProfile) -> str:
    return f"{variable.factor:.2f}" if variable.without.exact else f"~{variable.factor:.1f}"


def _actions(found: Profile) -> Iterator[Text]:
    states, _ = found.result.counts
    rows = [
        (a.name, a.fired, a.without, f"{states / a.without if a.without else 0:.2f}")
        for a in found.actions
    ]
    if rows:
        yield from figures("Actions", "fired:12, without it:12, times:8", rows)


def _advice(found: Profile) -> Iterator[Text]:
    if found.advice:
        yield Text("Advice", "bold")
    for advice in found.advice:
        yield Text.assemble("  ", (advice.about, "bold cyan"), f" {advice.text}")


def profile_json(found: Profile) -> str:
    """The profile as one JSON object (docs/reference/json-profile.md)."""
    content = members(found.result, "design constants complete stopped? distinct levels")
    content["variables"] = [_variable_object(variable) for variable in found.variables]
    return json_text({**content, **members(found, "actions advice")})


def _variable_object(variable: VariableProfile) -> dict[str, Any]:
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
