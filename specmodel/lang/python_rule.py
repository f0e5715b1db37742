"""The rules of a spec: a function with its role, its parameters and its picks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import field
from functools import wraps
from itertools import product
from math import prod
from typing import Any, TypeVar, get_type_hints

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, Position, SlottedDomain
from specmodel.errors import Span, SpecError
from specmodel.lang.annotations import domain_of, enumerated, import_of, slotted_name
from specmodel.lang.lowering.written import WrittenSpec
from specmodel.lang.picking import Pick, picks, run_picking, taken
from specmodel.lang.rules import REFINES, WHEN
from specmodel.model.model import MOST_WRITTEN

MOST_BINDINGS = 1 << 20
"""The bindings of an action: a state may have as many successors, which are in memory at once."""

Function = Callable[..., Any]

T = TypeVar("T")
S = TypeVar("S")


def once(method: Callable[[S], T]) -> Callable[[S], T]:
    """The method, called once for each object; its result is kept.

    For use with `property`: a type checker does not accept a `cached_property` for a model.
    """
    name = f"_{method.__name__}"

    @wraps(method)
    def remembered(self: S) -> T:
        held = vars(self)
        if name not in held:
            held[name] = method(self)
        return held[name]

    return remembered


@dataclass(frozen=True)
class PythonRule:
    """A function of a spec with its name and the domains of its parameters after the state."""

    function: Function = field(repr=False)
    role: str

    @property
    def name(self) -> str:
        own = self.function.__name__
        return f"{own}_liveness" if self.role == "refinement" else own

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def span(self) -> Span:
        """The first line of the function."""
        code = self.function.__code__
        return Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)

    @property
    def antecedent(self) -> PythonRule | None:
        """The antecedent of a `leads_to` property, with the same parameters; else None."""
        when = getattr(self.function, WHEN, None)
        return None if when is None else PythonRule(when, "antecedent")

    @property
    def refined(self) -> WrittenSpec | None:
        """The abstract design of a refinement; None for other functions."""
        said = self.role in ("transition", "refinement")
        return getattr(self.function, REFINES, None) if said else None

    @property
    @once
    def states(self) -> int:
        """The number of leading parameters that are states."""
        return {"init": 0, "transition": 2}.get(self.role, 1)

    @property
    @once
    def picked(self) -> dict[str, Pick]:
        """The names of an action's picks, with their choices: values or indexes."""
        if self.role != "action" or not picks(self.function):
            return {}
        from specmodel.lang.lowering.model import picks_of  # only picks need the lowering

        return picks_of(self)

    @property
    @once
    def parameters(self) -> dict[str, Domain]:
        """The parameters after the state and then the picks, with their domains."""
        found = self.declared | {name: choice.domain for name, choice in self.picked.items()}
        most = MOST_BINDINGS if self.role == "action" else MOST_WRITTEN
        if prod(d.size for d in found.values()) > most:
            sizes = " x ".join(f"{d.size:,} of {name}" for name, d in found.items())
            raise SpecError(
                f"{self.name} has more than {most:,} bindings: {sizes}",
                self.span,
                "take smaller ranges, or take a value that the state has: x = pick(s.messages)",
            )
        return found

    @property
    @once
    def declared(self) -> dict[str, Domain]:
        """The parameters that the function declares after the state, with their domains."""
        names = list(inspect.signature(self.function).parameters)
        try:
            hints = get_type_hints(self.function, include_extras=True)
        except NameError as wrong:
            what = f"{self.name}: {wrong.name} is not defined"
            raise SpecError(what, self.span, import_of(wrong)) from None
        found: dict[str, Domain] = {}
        for name in names[1 if self.refined else self.states :]:
            if name not in hints:
                raise SpecError(f"{self.name}: parameter {name} has no annotation", self.span)
            try:
                found[name] = _enumerable(hints[name], f"{self.name}: parameter {name}")
            except SpecError as wrong:
                raise SpecError(wrong.message, wrong.span or self.span, wrong.hint) from None
        return found

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        """All combinations of parameter values; the last parameter varies fastest."""
        return product(*(tuple(d.values()) for d in self.parameters.values()))

    def run(self, *arguments: Any) -> Any:
        """Calls the function under CPython with the arguments of a binding; returns its result."""
        if not self.picked:
            return self.function(*arguments)
        return run_picking(self.function, *self._split(arguments))

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of a binding; a `Position` also has its element in a state."""
        if not any(isinstance(held, Position) for held in arguments):
            return tuple(arguments)
        values = taken(self.function, *self._split((copy(state), *arguments)))
        found = list(arguments)
        for number, value in values.items():
            place = len(self.declared) + number
            if isinstance(found[place], Position):
                found[place] = found[place].holding(value)
        return tuple(found)

    def _split(self, arguments: Sequence[Any]) -> tuple[Sequence[Any], list[tuple[Pick, Any]]]:
        """The arguments of the function's call, and the choices of its picks."""
        own = self.states + len(self.declared)
        return arguments[:own], list(zip(self.picked.values(), arguments[own:], strict=True))

    def label(self, arguments: Sequence[Any]) -> str:
        """The text of the rule with a binding: `fetch(follower=r2, leader=r1)`."""
        pairs = zip(self.parameters, arguments, strict=True)
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


def _enumerable(annotation: Any, where: str) -> Domain:
    """The domain of a parameter. Raises SpecError for a domain that cannot be enumerated."""
    domain = domain_of(annotation, where)
    if inner := next((d for d in domain.nested() if isinstance(d, SlottedDomain)), None):
        kind = slotted_name(inner).split()[0]
        what = f"{where}: there are too many {kind}s to make a step of each"
        part = "key" if kind == "map" else "member"
        raise SpecError(what, hint=f"pick a {part} in the action: x = pick(s.{kind})")
    return enumerated(domain, where)
