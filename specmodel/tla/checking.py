"""`specmodel check` of a TLA+ module."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.options import DEFAULT_ENGINE, Options
from specmodel.results import Result
from specmodel.tla.binders import AMBIGUOUS
from specmodel.tla.liveness import rule_of
from specmodel.tla.model import TlaModel, TlaRule, design_of
from specmodel.tla.recursion import deeply
from specmodel.tla.search import search

_ENGINES = (DEFAULT_ENGINE, "interpret")
_FOLLOWED = (
    "properties", "keep_going", "deadlock", "max_states", "max_depth", "timeout", "engine",
    "remark", "progress",
)  # fmt: skip


_INSTEAD = {
    "symmetry": "write SYMMETRY in the configuration",
    "workers": "one worker searches",
    "self_check": "Python alone evaluates it",
}
"""What to do instead of an option, or why there is none."""


def unsupported(flag: str, hint: str = "") -> UsageError:
    """The error about an option that is not followed."""
    return UsageError(f"{flag} is not supported for a TLA+ module{hint and f'; {hint}'}")


def load_module(path: Path, config: Path | None = None) -> Design:
    """The design of a module with its configuration. Raises UsageError, SpecError."""
    if not path.exists():
        raise UsageError(f"there is no file {path}")
    AMBIGUOUS.clear()
    try:
        return deeply(lambda: design_of(path, config))
    except RecursionError:
        raise UsageError(f"an expression of {path} is too deeply nested") from None


def check_module(design: Design, given: Mapping[str, Any]) -> tuple[Design, Result]:
    """Searches all states of a module; returns the design as reports need it, and the result.

    `given` are fields of `Options`. Raises UsageError for one that is not followed, and SpecFailure
    with a trace where an expression has no value.
    """
    defaults = {f.name: f.default for f in dataclasses.fields(Options)}
    for name, value in given.items():
        if name not in _FOLLOWED and value is not None and value != defaults.get(name):
            hint = _INSTEAD.get(name, "")
            raise unsupported(f"--{name.replace('_', '-')}", hint)
    engine = given.get("engine", DEFAULT_ENGINE)
    if engine not in _ENGINES:
        raise UsageError(f"a TLA+ module is searched by the engine interpret, not {engine}")
    held = {name: value for name, value in given.items() if value is not None}
    held |= {"workers": 1, "self_check": 0, "engine": "interpret"}
    held["properties"] = tuple(held.get("properties") or ()) or None
    options = Options(**held)
    remark: Callable[[str], None] | None = options.remark
    spec = design.spec.specification if isinstance(design.spec, TlaModel) else None
    if spec is not None and spec.symmetry and given.get("symmetry") is False:
        raise unsupported("--no-symmetry", "leave SYMMETRY out of the configuration")
    if remark is not None and spec is not None and spec.configuration.one("ALIAS"):
        remark("ALIAS is not followed: traces show the variables")
    try:
        result = search(design, options)
    finally:
        for span in sorted(AMBIGUOUS):
            where = f"{Path(span.file).name}:{span.line}"
            if remark is not None:
                remark(
                    f"a CHOOSE has several candidates with names: TLC may take another ({where})"
                )
    for rule in design.chosen(options.properties):
        claim = rule.claim if isinstance(rule, TlaRule) else None
        if remark is not None and claim is not None and claim.undecided:
            for why in claim.undecided:
                assert why.span is not None
                place = f"{Path(why.span.file).name}:{why.span.line}"
                remark(f"{rule.name} is not decided: {why.message} ({place})")
    return reported(design, result), result


def reported(design: Design, result: Result) -> Design:
    """The design for reports, which explain temporal properties alone."""
    lassos = {found.name: found.lasso for found in result.properties if found.lasso is not None}
    rules = [
        rule_of(claim, rule.name)
        for rule in design.spec.properties
        if isinstance(rule, TlaRule) and rule.claim and rule.name in lassos
        for claim in rule.claim.temporal
        if claim.text == lassos[rule.name].claim
    ]
    assert isinstance(design.spec, TlaModel)
    return dataclasses.replace(design, spec=dataclasses.replace(design.spec, properties=rules))
