"""A design: a spec bound to constants, with a name and its expectations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from specmodel.constants import DeclaredConstant, Value
from specmodel.dataclass import dataclass
from specmodel.errors import UsageError, suggestion
from specmodel.model.model import LIVENESS, Model, Rule


@dataclass(frozen=True)
class Design:
    """The input of an engine. `checks` names the properties checked by default; empty means all.

    `symmetry` says whether searches take states that differ only in the names of symmetric actors
    for one, unless told otherwise.

    `expect` and `profiles` come from the design's YAML file, unread here. `states` is the number of
    states of a search, if the file states it for these constants: a hint for reserving memory.
    `path` is that file, or the Python file if there is none; `files` are the sources of the spec.
    `weights` are of actions, for random walks; actions without a weight have 1.
    """

    name: str
    spec: Model
    constants: Mapping[str, DeclaredConstant]
    checks: tuple[str, ...] = ()
    symmetry: bool = False
    question: str = ""
    source: str = ""
    path: Path | None = None
    files: tuple[Path, ...] = ()
    expect: Mapping[str, Any] = field(default_factory=dict[str, Any])
    profiles: Mapping[str, Any] = field(default_factory=dict[str, Any])
    states: int | None = None
    weights: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def values(self) -> dict[str, Value]:
        """The constants by name."""
        return {name: constant.value for name, constant in self.constants.items()}

    def replace_spec(self, spec: Model) -> None:
        """Makes the design that of a spec that differs in the bounds found of its values only."""
        object.__setattr__(self, "spec", spec)

    def chosen(self, names: Sequence[str] | None) -> tuple[Rule, ...]:
        """The properties to check: those named, or else the design's own choice.

        Names may be written in any style: weak_isr, weak-isr, WeakIsr. Raises UsageError with
        suggestions for an unknown one.
        """
        known = {_plain(rule.name): rule for rule in self.spec.properties}
        found: dict[str, Rule] = {}
        for name in names or self.checks:
            rule = known.get(_plain(name))
            if rule is None:
                listed = [r.name for r in known.values()]
                raise UsageError(f'{self.name} has no property "{name}"{suggestion(name, listed)}')
            found[rule.name] = rule
        return tuple(found.values()) or tuple(known.values())

    def stated(self, names: Sequence[str] | None) -> tuple[Rule, ...]:
        """The properties of states and steps among those that `chosen` returns.

        Raises UsageError for a named temporal property: no state or step decides it.
        """
        found = self.chosen(names)
        for rule in found if names else ():
            if rule.role in LIVENESS:
                raise UsageError(f"{rule.name} is about behaviours, not about a state of one")
        return tuple(rule for rule in found if rule.role not in LIVENESS)


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()
