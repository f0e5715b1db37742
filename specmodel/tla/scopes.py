"""The meanings of the names of a module.

A definition sees the names before it only. Constants and variables of an instance stand for terms
of the module that instantiates it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span, SpecError
from specmodel.tla.nodes import BoundNames, InstanceUnit, ModuleUnit, Parameter, TlaTerm
from specmodel.tla.values import Value

Run = Callable[[Any, Any, Any], Any]
"""Evaluates an expression: of the bound values, the state, and the next state as far as known."""


Call = (
    Callable[[], Value]
    | Callable[[Value], Value]
    | Callable[[Value, Value], Value]
    | Callable[[Value, Value, Value], Value]
    | Callable[[Value, Value, Value, Value], Value]
)
"""Computes the value of an operator of its computed arguments."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """An expression that can be evaluated.

    `level` is 0 of a constant, 1 of what depends on the state, 2 of what depends on a step.
    `closed`: no bound value occurs in it. `passed` gives what is passed for an argument: the value,
    or what computes it when it is used; None if the expression has to be computed for it.
    """

    run: Run
    level: int
    closed: bool
    passed: Run | None = None


@dataclass(eq=False)
class TlaSymbol:
    """The meaning of a name, and the place of its definition."""

    name: str
    span: Span | None = field(repr=False)


@dataclass(eq=False)
class VariableSymbol(TlaSymbol):
    """A variable of the model: `index` is its place in a state."""

    index: int


@dataclass(eq=False)
class ConstantSymbol(TlaSymbol):
    """A declared constant, and its value in the configuration."""

    arity: int
    value: Value = None


@dataclass(eq=False)
class SlotSymbol(TlaSymbol):
    """A bound value: `slot` is its place among the bound values.

    `lazy`: it may be computed when it is read. `term` is the definition of a LET name, for a prime
    over it, seen from `scope`. `arity`: it is an operator. `owner` is the operator of which it is
    the parameter `number`.
    """

    slot: int
    lazy: bool = False
    level: int = 0
    primed: bool = False
    term: TlaTerm | None = None
    scope: TlaScope | None = None
    arity: int = 0
    owner: OperatorSymbol | None = None
    number: int = 0


@dataclass(eq=False)
class TermSymbol(TlaSymbol):
    """A name that stands for a term or an operator, seen from another scope."""

    term: TlaTerm
    scope: TlaScope
    arity: int = 0


@dataclass(eq=False)
class OperatorSymbol(TlaSymbol):
    """A defined operator, or a function if it has `bounds`.

    `base` is the number of bound values that it shares with its surroundings. `codes` keeps what
    was made of its body, by whether it is primed and whether it is an action.
    """

    parameters: tuple[Parameter, ...]
    body: TlaTerm | None
    scope: TlaScope
    base: int
    bounds: tuple[BoundNames, ...] = ()
    recursive: bool = False
    local: bool = False
    community: bool = False
    codes: dict[Any, Any] = field(default_factory=dict[Any, Any])
    primed_parameters: set[int] = field(default_factory=set[int])

    @property
    def arity(self) -> int:
        """The number of its parameters."""
        return len(self.parameters)


@dataclass(eq=False)
class NativeSymbol(TlaSymbol):
    """An operator of a standard module. `orders` are the arities of its parameters.

    `call` computes its value of computed arguments; `build` makes it of terms, where they are not
    all evaluated. `reads` is the variable that it has the value of.
    """

    orders: tuple[int, ...]
    call: Callable[..., Value] | None
    build: Callable[..., Meaning] | None = None
    reads: VariableSymbol | None = None
    community: bool = False


@dataclass(eq=False)
class RefusedSymbol(TlaSymbol):
    """An operator of a standard module that is refused where it is used."""

    why: str


@dataclass(eq=False)
class InstanceSymbol(TlaSymbol):
    """`name(parameters) == INSTANCE ...`; `content` if it has no parameters."""

    unit: InstanceUnit
    scope: TlaScope
    content: ModuleScope | None
    local: bool = False


@dataclass(eq=False)
class Instantiation:
    """An INSTANCE, seen from `scope` with `depth` bound values, and what it has made.

    That is the names of its module and of those it extends, and the names of their variables.
    """

    unit: InstanceUnit
    scope: TlaScope
    depth: int
    modules: list[ModuleScope] = field(default_factory=list["ModuleScope"])
    variables: list[str] = field(default_factory=list[str])
    freed: Instantiation | None = None
    """The same with variables of its own, once it is made."""


class TlaScope:
    """Names over those of a surrounding scope."""

    __slots__ = ("module", "names", "parent")

    def __init__(self, parent: TlaScope | None, module: str, *symbols: TlaSymbol) -> None:
        self.parent = parent
        self.module = module
        self.names = {symbol.name: symbol for symbol in symbols}

    def find(self, name: str) -> TlaSymbol | None:
        """The meaning of a name in this scope; None if it has none."""
        scope: TlaScope | None = self
        while scope is not None:
            found = scope.own(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def own(self, name: str) -> TlaSymbol | None:
        """The meaning of a name in this scope, without the scopes around it."""
        return self.names.get(name)

    def known(self) -> Iterator[str]:
        """All names that stand for something here."""
        yield from self.names
        if self.parent is not None:
            yield from self.parent.known()

    def inner(self, *symbols: TlaSymbol) -> TlaScope:
        """This scope with further names. Raises SpecError for a name that is taken."""
        for symbol in symbols:
            taken = self.find(symbol.name)
            if taken is not None and not getattr(taken, "community", False):
                raise SpecError(
                    f"{symbol.name} has a meaning here already",
                    symbol.span,
                    "choose another name",
                    taken.span,
                )
        return TlaScope(self, self.module, *symbols)

    def over(self, *symbols: TlaSymbol) -> TlaScope:
        """This scope with further names, which hide others."""
        return TlaScope(self, self.module, *symbols)

    @property
    def home(self) -> ModuleScope | None:
        """The names of the module that this is a scope of."""
        return None if self.parent is None else self.parent.home

    def within(self, home: ModuleScope) -> TlaScope:
        """This scope in a module with the same names."""
        assert self.parent is not None
        return TlaScope(self.parent.within(home), self.module, *self.names.values())

    def submodule(self, name: str) -> tuple[ModuleUnit, TlaScope] | None:
        """A module that is nested around here."""
        return None if self.parent is None else self.parent.submodule(name)


class ModuleScope(TlaScope):
    """The names of a module, in the order of their introduction. Not all of them are exported.

    `declared` are the constants and variables of an instance, which stand for terms of another
    module; `instance` is what made it.
    """

    __slots__ = ("declared", "instance", "local", "positions", "submodules")

    def __init__(self, parent: TlaScope | None, module: str) -> None:
        super().__init__(parent, module)
        self.positions: dict[str, int] = {}
        self.local: set[str] = set()
        self.declared: set[str] = set()
        self.instance: Instantiation | None = None
        self.submodules: dict[str, tuple[ModuleUnit, TlaScope]] = {}

    def add(self, symbol: TlaSymbol, local: bool = False) -> None:
        """Adds a name. Raises SpecError if it is taken."""
        taken = self.names.get(symbol.name)
        if taken is not None and self._yields(taken, symbol):
            del self.names[symbol.name], self.positions[symbol.name]
        elif taken is not None:
            if _same(taken, symbol):
                return
            raise SpecError(
                f"{symbol.name} is defined already", symbol.span, "choose another name", taken.span
            )
        self.names[symbol.name] = symbol
        self.positions[symbol.name] = len(self.positions)
        if local:
            self.local.add(symbol.name)

    def _yields(self, one: TlaSymbol, other: TlaSymbol) -> bool:
        """Whether a name of a community module, of which this package has its own idea, yields."""
        return getattr(one, "community", False) and not (
            isinstance(other, NativeSymbol) or getattr(other, "community", False)
        )

    def yield_names(self) -> None:
        """Lets all names yield to those of a user's module."""
        for name, symbol in self.names.items():
            if isinstance(symbol, OperatorSymbol | NativeSymbol):
                self.names[name] = replace(symbol, community=True)

    @property
    def home(self) -> ModuleScope:
        return self

    def within(self, home: ModuleScope) -> TlaScope:
        return home

    def view(self) -> TlaScope:
        """The scope of a definition at this place."""
        return ModuleView(self, len(self.positions))

    def exported(self) -> Iterator[TlaSymbol]:
        """The symbols that a module gets that extends this one."""
        for name, symbol in self.names.items():
            if name not in self.local:
                yield symbol

    def instantiated(self) -> Iterator[TlaSymbol]:
        """The symbols that a module gets that instantiates this one."""
        return (symbol for symbol in self.exported() if symbol.name not in self.declared)

    def submodule(self, name: str) -> tuple[ModuleUnit, TlaScope] | None:
        return self.submodules.get(name) or super().submodule(name)


class ModuleView(TlaScope):
    """The first names of a module."""

    __slots__ = ("limit", "whole")

    def __init__(self, whole: ModuleScope, limit: int) -> None:
        super().__init__(whole.parent, whole.module)
        self.whole = whole
        self.limit = limit

    @property
    def home(self) -> ModuleScope:
        return self.whole

    def within(self, home: ModuleScope) -> TlaScope:
        return ModuleView(home, self.limit)

    def own(self, name: str) -> TlaSymbol | None:
        found = self.whole.names.get(name)
        if found is None or self.whole.positions[name] >= self.limit:
            return None
        return found

    def known(self) -> Iterator[str]:
        yield from self.whole.names
        if self.parent is not None:
            yield from self.parent.known()

    def submodule(self, name: str) -> tuple[ModuleUnit, TlaScope] | None:
        return self.whole.submodule(name)


def names_of(bounds: Sequence[BoundNames]) -> Iterator[tuple[str, Span]]:
    """The names of some bounds."""
    for bound in bounds:
        yield from zip(bound.names, bound.spans, strict=True)


def _same(one: TlaSymbol, other: TlaSymbol) -> bool:
    """Whether two symbols are the same, which a module may get by two ways."""
    if one is other:
        return True
    if isinstance(one, NativeSymbol | RefusedSymbol):
        return isinstance(other, NativeSymbol | RefusedSymbol)
    if isinstance(one, OperatorSymbol) and isinstance(other, OperatorSymbol):
        return one.body is not None and one.body is other.body
    if isinstance(one, InstanceSymbol) and isinstance(other, InstanceSymbol):
        return one.unit is other.unit
    return False
