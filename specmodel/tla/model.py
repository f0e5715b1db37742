"""A TLA+ module as a model and a design: what the driver and the reports of a search need of it."""

from __future__ import annotations

import linecache
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NoReturn, Self

from specmodel.constants import DeclaredConstant
from specmodel.dataclass import dataclass
from specmodel.domains import StructDomain
from specmodel.errors import Span, SpecError
from specmodel.tla.constants import constants_of
from specmodel.tla.expressions import ModuleExpressions
from specmodel.tla.specification import Specification, TlaProperty, names_of_actions
from specmodel.tla.values import FALSE, TRUE, Value, text_of
from specmodel.tla.written import WrittenDomain


@dataclass(frozen=True, eq=False)
class TlaRule:
    """A property or an action: a `Rule` that cannot be run alone."""

    name: str
    role: str
    span: Span | None = None
    states: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    summary: str = ""
    antecedent: TlaRule | None = None
    refined: None = None
    claim: TlaProperty | None = None

    def bindings(self) -> NoReturn:
        """Raises SpecError: its bindings are those of a state, which the interpreter knows."""
        raise SpecError(f"{self.name} is of a TLA+ module, which this does not take yet")

    def label(self, arguments: Sequence[Any]) -> str:
        """The name."""
        return self.name

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments."""
        return tuple(arguments)

    def run(self, *arguments: Any) -> NoReturn:
        """Raises SpecError: only a search evaluates TLA+."""
        raise SpecError(f"{self.name} is of a TLA+ module, which this does not take yet")


def _unavailable(name: str) -> SpecError:
    return SpecError(f"{name} is a TLA+ module, which this does not take yet")


@dataclass(frozen=True)
class TlaModel:
    """The model of a module with its configuration.

    `starts` are its initial states, if they are not those of the module.
    """

    specification: Specification
    rules: tuple[TlaRule, ...]
    properties: tuple[TlaRule, ...]
    deadlock: bool
    domain: StructDomain
    starts: tuple[Any, ...] | None = None
    parent: None = None
    bounds: tuple[Any, ...] = ()
    fairness: tuple[Any, ...] = ()
    lanes: None = None
    binding_counts: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def name(self) -> str:
        """The name of the module."""
        return self.specification.name

    @property
    def begins(self) -> bool:
        """Whether the initial states are the module's."""
        return self.starts is None

    @property
    def start(self) -> TlaRule:
        """The initial predicate."""
        return TlaRule("Init", "init")

    @property
    def code(self) -> NoReturn:
        """Raises SpecError: there is no typed form."""
        raise _unavailable(self.name)

    def kind_of(self, rule: Any) -> str:
        """The name of a rule."""
        return rule.name

    def type_of(self, place: Any, what: str) -> None:
        """None: values have no types."""
        return

    def expressions(self) -> ModuleExpressions:
        """The reader of expressions over the state, in TLA+."""
        return ModuleExpressions(self.specification, self.domain.cls)

    def asking(self, role: str, name: str, text: str, what: str, holds: bool = True) -> Self:
        """The same model with one more invariant, true where an expression is `holds`.

        `what` names its origin in messages. Raises ExpressionError.
        """
        asked = self.specification.asking(name, text, what, holds)
        return replace(self, specification=asked, properties=properties_of(asked))

    def starting_in(self, state: Any) -> Self:
        """The same model with one initial state."""
        return replace(self, starts=(state,))

    def without(self, *names: str) -> Self:
        """The same model without some properties or actions."""
        return replace(
            self,
            rules=tuple(rule for rule in self.rules if rule.name not in names),
            properties=tuple(rule for rule in self.properties if rule.name not in names),
        )


def rules_of(spec: Specification) -> tuple[TlaRule, ...]:
    """The actions of a module, with the names of their parameters."""
    rules: list[TlaRule] = []
    for name in names_of_actions(spec.actions):
        parts = [action for action in spec.actions if action.name == name]
        parameters = {given: WrittenDomain() for part in parts for given, _ in part.parameters}
        place = parts[0].definition
        summary = comment_at(place)
        rules.append(TlaRule(name, "action", place, parameters=parameters, summary=summary))
    return tuple(rules)


def properties_of(spec: Specification) -> tuple[TlaRule, ...]:
    """The properties and invariants of a configuration."""
    return tuple(
        TlaRule(c.name, c.kind, c.span, states=2 if c.steps else 1, claim=c) for c in spec.claims
    )


def comment_at(span: Span) -> str:
    """The comment on the lines before a definition, on one line."""
    found: list[str] = []
    for number in range(span.line - 1, 0, -1):
        line = linecache.getline(span.file, number).strip()
        text = _COMMENT.fullmatch(line)
        if text is None:
            break
        found.append(text[1] or text[2] or "")
    return " ".join(" ".join(reversed(found)).split())


_COMMENT = re.compile(r"\\\*+ ?(.*)|\(\*+ ?(.*?) ?\*+\)")


def constants_told(spec: Specification) -> dict[str, DeclaredConstant]:
    """The constants that reports repeat."""
    return {
        name: _constant(name, value)
        for name, value in constants_of(spec.resolver).items()
        if len(text_of(value)) <= _LONGEST
    }


_LONGEST = 16
"""The longest text of a constant that reports repeat."""


def _constant(name: str, value: Value) -> DeclaredConstant:
    """A constant for reports: its value is shown as text."""
    held: Any = value if isinstance(value, int) else text_of(value)
    if value is TRUE or value is FALSE:
        held = value is TRUE
    return DeclaredConstant(name, held, None, None, "", held)
