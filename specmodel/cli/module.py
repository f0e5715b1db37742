"""What commands say of TLA+ modules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from specmodel.design import Design
from specmodel.tla.overview import ModuleOverview, overview_of
from specmodel.views.forms import padded
from specmodel.views.summary import count


def module_overview(design: Design) -> Iterator[Text]:
    """The lines of `specmodel show Module.tla`. Raises SpecFailure."""
    found = overview_of(design)
    yield Text(design.name, "bold")
    yield Text(f"  module         {design.files[0]}")
    yield Text(f"  configuration  {design.files[-1]}")
    yield from _section("constants", [(name, f"= {value}") for name, value in found.constants])
    rows = [
        (held.name, "" if held.bits is None else count(held.bits, "bit"), held.type)
        for held in found.variables
    ]
    yield from _section(_state_title(found), rows)
    yield Text(f"  {_seen(found)}", "dim")
    actions = [
        (name, "" if steps is None else count(steps, "possible step"), _place(design, name))
        for name, steps in found.steps
    ]
    yield from _section("actions", actions)
    properties = [(rule.name, rule.role) for rule in design.spec.properties]
    yield from _section("properties", properties)
    if found.evaluated is not None:
        where = found.evaluated.span
        place = f" ({Path(where.file).name}:{where.line})" if where else ""
        yield Text()
        yield Text(f"states are evaluated one by one: {found.evaluated.message}{place}")


def _state_title(found: ModuleOverview) -> str:
    if found.words is None:
        return "variables"
    bits = sum(held.bits or 0 for held in found.variables)
    return f"variables: {bits} bits, packed in {count(found.words, 'word')} of 64"


def _seen(found: ModuleOverview) -> str:
    states = count(found.states, "state")
    if found.complete:
        return f"these are all values: there are {states}"
    return f"values of {states}: a search widens them"


def _place(design: Design, name: str) -> str:
    """The place of an action's definition."""
    rule = next(rule for rule in design.spec.rules if rule.name == name)
    return f"{Path(rule.span.file).name}:{rule.span.line}" if rule.span else ""


def _section(title: str, rows: Sequence[tuple[str, ...]]) -> Iterator[Text]:
    if not rows:
        return
    yield Text()
    yield Text(title, "bold")
    for row in padded(rows):
        yield Text(f"  {'  '.join(filter(None, row))}".rstrip())
