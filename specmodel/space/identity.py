"""The identity of a search: the values that must be equal if one run continues another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from specmodel.design import Design
from specmodel.ir.digest import digest
from specmodel.kernel.kernel import Kernel
from specmodel.results import Options
from specmodel.version import __version__


def identity_of(design: Design, options: Options, kernel: Kernel) -> dict[str, Any]:
    """The identity: values, as in JSON, by names that a message can use."""
    layout = kernel.program.layout
    return {
        "design": design.name,
        "constants": design.values,
        "properties": [rule.name for rule in design.chosen(options.properties)],
        "deadlock": design.spec.deadlock if options.deadlock is None else options.deadlock,
        "symmetry": [found.name for found in kernel.symmetric],
        "partial order": kernel.program.partial_order,
        "specmodel": __version__,
        "model": digest(kernel.program.model),
        "layout": [[slot.word, slot.shift, slot.bits] for slot in layout.slots],
    }


def difference(saved: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The first difference between two identities; empty if they are equal."""
    for what in [*now, *(key for key in saved if key not in now)]:
        if saved.get(what) != now.get(what):
            return _apart(what, saved.get(what), now.get(what))
    return ""


def _apart(what: str, before: Any, now: Any) -> str:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        was = cast(Mapping[str, Any], before)
        is_now = cast(Mapping[str, Any], now)
        apart = [k for k in dict.fromkeys([*was, *is_now]) if was.get(k) != is_now.get(k)]
        return f"{what} {_settings(was, apart)}, not {_settings(is_now, apart)}"
    if what == "model":
        return "the design has been changed since"
    return f"{what} {_shown(before)}, not {_shown(now)}"


def _settings(values: Mapping[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name}={_shown(values[name])}" for name in names if name in values) or "none"


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, cast(Sequence[Any], value))) or "none"
    return value if isinstance(value, str) else json.dumps(value)
