"""A TLA+ module as a model and a design: what the driver and the reports of a search need of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from specmodel.constants import DeclaredConstant
from specmodel.design import Design
from specmodel.domains.records import Record
from specmodel.errors import Span, SpecError
from specmodel.tla.specification import Specification, TlaProperty, constants_of, names_of_actions
from specmodel.tla.values import FunctionValue, Value, order_key, text_of


class WrittenValue:
    """A value of TLA+ in a trace: it is written in TLA+'s notation."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __repr__(self) -> str:
        return text_of(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrittenValue) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class TlaState(Record):
    """A state of a trace: its places and their values. `variables` are the values undivided."""

    __slots__ = ("variables",)
    variables: Mapping[str, Value]


DOMAIN = TlaState.declare({})
"""The values of a TLA+ state have no declared domains."""


def shown_states(
    variables: Sequence[str], states: Sequence[tuple[Value, ...]]
) -> tuple[TlaState, ...]:
    """The states of a trace as reports show them.

    A variable that is a function with the same domain in all states has a place for each argument.
    """
    made: list[TlaState] = []
    divided = [_common_keys([state[i] for state in states]) for i in range(len(variables))]
    for state in states:
        shown = object.__new__(TlaState)
        object.__setattr__(shown, "variables", dict(zip(variables, state, strict=True)))
        for name, value, keys in zip(variables, state, divided, strict=True):
            if keys is None:
                vars(shown)[name] = WrittenValue(value)
                continue
            for key in keys:
                text = f".{key}" if isinstance(key, str) else f"[{text_of(key)}]"
                vars(shown)[f"{name}{text}"] = WrittenValue(value.pairs[key])
        made.append(shown)
    return tuple(made)


def _common_keys(values: Sequence[Value]) -> list[Value] | None:
    first = values[0]
    if not isinstance(first, FunctionValue):
        return None
    keys = first.pairs.keys()
    if any(not isinstance(v, FunctionValue) or v.pairs.keys() != keys for v in values):
        return None
    return sorted(keys, key=order_key)


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

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        """None: the search computes the steps itself."""
        yield from ()

    def label(self, arguments: Sequence[Any]) -> str:
        """The name."""
        return self.name

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments."""
        return tuple(arguments)

    def run(self, *arguments: Any) -> NoReturn:
        """Raises SpecError: only a search evaluates TLA+."""
        raise _unavailable(self.name)


def _unavailable(what: str) -> SpecError:
    return SpecError(f"{what}: this is not supported for a TLA+ module yet")


@dataclass(frozen=True)
class TlaModel:
    """The model of a module with its configuration."""

    specification: Specification
    rules: tuple[TlaRule, ...]
    properties: tuple[TlaRule, ...]
    deadlock: bool
    domain: Any = DOMAIN
    parent: None = None
    begins: bool = True
    bounds: tuple[Any, ...] = ()
    fairness: tuple[Any, ...] = ()
    lanes: None = None
    binding_counts: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def name(self) -> str:
        """The name of the module."""
        return self.specification.name

    @property
    def start(self) -> TlaRule:
        """The initial predicate."""
        return TlaRule("Init", "init")

    @property
    def code(self) -> NoReturn:
        """Raises SpecError: there is no typed form."""
        raise _unavailable("the typed form")

    def kind_of(self, rule: Any) -> str:
        """The role of a rule."""
        return rule.role

    def type_of(self, place: Any, what: str) -> None:
        """None: values have no types."""
        return

    def expressions(self) -> NoReturn:
        """Raises SpecError: expressions over the state are not parsed."""
        raise _unavailable("an expression over the state")

    def asking(self, role: str, name: str, text: str, what: str, holds: bool = True) -> NoReturn:
        """Raises SpecError."""
        raise _unavailable("a further property")

    def starting_in(self, state: Any) -> NoReturn:
        """Raises SpecError."""
        raise _unavailable("another initial state")

    def without(self, *names: str) -> TlaModel:
        """The same model without some properties or actions."""
        return replace(
            self,
            rules=tuple(rule for rule in self.rules if rule.name not in names),
            properties=tuple(rule for rule in self.properties if rule.name not in names),
        )


def design_of(path: Path, config: Path | None) -> Design:
    """The design of a module. Raises UsageError, SpecError."""
    spec = Specification(path, config)
    spans = {action.name: action.span for action in spec.actions}
    model = TlaModel(
        spec,
        tuple(TlaRule(name, "action", spans[name]) for name in names_of_actions(spec.actions)),
        tuple(TlaRule(c.name, c.kind, c.span, claim=c) for c in spec.claims),
        spec.configuration.deadlock,
    )
    constants = {
        name: _constant(name, value)
        for name, value in constants_of(spec).items()
        if len(text_of(value)) <= _LONGEST
    }
    return Design(spec.name, model, constants, path=path, files=spec.files)


_LONGEST = 16
"""The longest text of a constant that reports repeat."""


def _constant(name: str, value: Value) -> DeclaredConstant:
    """A constant for reports: its value is shown as text."""
    held: Any = value if isinstance(value, int) else text_of(value)
    return DeclaredConstant(name, held, None, None, "", held)
