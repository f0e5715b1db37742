"""Finds modules and resolves them: EXTENDS, INSTANCE, nested modules, definitions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

from specmodel.errors import Span, SpecError, suggestion
from specmodel.tla.community import COMMUNITY
from specmodel.tla.nodes import (
    AssumeUnit,
    ConstantUnit,
    InstanceUnit,
    ModuleUnit,
    OperatorUnit,
    Parameter,
    RecursiveUnit,
    Unit,
    VariableUnit,
)
from specmodel.tla.parsing import parse_file
from specmodel.tla.scopes import (
    ConstantSymbol,
    InstanceSymbol,
    Instantiation,
    ModuleScope,
    OperatorSymbol,
    TermSymbol,
    TlaScope,
    TlaSymbol,
    VariableSymbol,
)
from specmodel.tla.standard import standard_module, standard_modules

Declared = Callable[[Parameter, bool], TlaSymbol]
"""The symbol of a declared constant (False) or variable (True)."""


SHIPPED_MODULES = Path(__file__).with_name("shipped_modules")
"""A folder of community modules. Some of their operators are in Python, in `community.py`."""


class Library:
    """The modules of a folder, each parsed once. `files` are those that were read.

    The expressions at `dropped` places are read as TRUE.
    """

    def __init__(self, root: Path, dropped: Sequence[Span] = ()) -> None:
        self.folder = root.parent
        self.dropped = list(dropped)
        self.files: list[Path] = []
        self.parsed: dict[str, ModuleUnit] = {}
        self.root = self._read(root, root.stem)

    def has(self, name: str) -> bool:
        """Whether a module is in a file that was read, or in a file of its name."""
        return name in self.parsed or (self.folder / f"{name}.tla").is_file()

    def community(self, name: str) -> ModuleUnit | None:
        """A module of SHIPPED_MODULES; None if it has none, or the folder has its own."""
        path = SHIPPED_MODULES / f"{name}.tla"
        return None if self.has(name) or not path.is_file() else _community(path)

    def module(self, name: str, span: Span) -> ModuleUnit:
        """A module that is no standard module. Raises SpecError if there is none."""
        if name not in self.parsed:
            path = self.folder / f"{name}.tla"
            if not path.is_file():
                folders = (self.folder, SHIPPED_MODULES)
                there = [path.stem for folder in folders for path in folder.glob("*.tla")]
                known = suggestion(name, [*there, *standard_modules()])
                raise SpecError(
                    f"there is no module {name} in {self.folder}, and specmodel does not have it"
                    f"{known if len(known) < 200 else ''}",
                    span,
                )
            self._read(path, name)
        return self.parsed[name]

    def _read(self, path: Path, name: str) -> ModuleUnit:
        self.files.append(path)
        here = [s for s in self.dropped if Path(s.file).resolve() == path.resolve()]
        found = parse_file(path, here)
        self.dropped = [span for span in self.dropped if span not in here]
        for module in found:
            self.parsed.setdefault(module.name, module)
        if name not in {module.name for module in found}:
            first = found[0]
            raise SpecError(
                f"the module in {path.name} is called {first.name}, not {name}",
                first.span,
                "a module has the name of its file",
            )
        return self.parsed[name]


@functools.cache
def _community(path: Path) -> ModuleUnit:
    return parse_file(path)[0]


class Resolver:
    """Resolves modules: makes the symbols of their names.

    `variables` are those of the root module, in order. `assumptions` are its ASSUMEs and those of
    modules it extends. `checked` has each module that was read, and the names that its first user
    gives it. `recursive` says whether an operator so far may call itself.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.variables: list[VariableSymbol] = []
        self.constants: list[ConstantSymbol] = []
        self.assumptions: list[tuple[AssumeUnit, TlaScope]] = []
        self.scopes: dict[str, ModuleScope] = {}
        self.checked: dict[ModuleUnit, ModuleScope] = {}
        self.open: list[str] = []
        self.recursive = False
        loading = _Loading(self, self._declare, 0, None)
        loading.scopes = self.scopes
        self.root = loading.module(library.root, None)

    def _declare(self, found: Parameter, variable: bool) -> TlaSymbol:
        if variable:
            made = VariableSymbol(found.name, found.span, len(self.variables))
            self.variables.append(made)
            return made
        constant = ConstantSymbol(found.name, found.span, found.arity)
        self.constants.append(constant)
        return constant

    def instance(self, unit: InstanceUnit, scope: TlaScope, depth: int) -> ModuleScope:
        """The names of a module for an INSTANCE, seen from `scope`.

        `depth` is the number of values that are bound there. Raises SpecError.
        """
        return self._instance(Instantiation(unit, scope, depth), free=False)

    def freed(self, made: Instantiation) -> Instantiation:
        """The same modules with variables of their own: their places follow those of the root."""
        if made.freed is None:
            made.freed = Instantiation(made.unit, made.scope, made.depth)
            self._instance(made.freed, free=True)
        return made.freed

    def _instance(self, instance: Instantiation, free: bool) -> ModuleScope:
        unit, scope, depth = instance.unit, instance.scope, instance.depth
        given = {name: term for name, term in unit.substitutions}
        nested = scope.submodule(unit.module)
        declared: set[str] = set()

        def declare(found: Parameter, variable: bool) -> TlaSymbol:
            declared.add(found.name)
            if variable:
                instance.variables.append(found.name)
                if free:
                    place = len(self.variables) + len(instance.variables) - 1
                    return VariableSymbol(found.name, found.span, place)
            term = given.get(found.name)
            if term is not None:
                return TermSymbol(found.name, term.span, term, scope, found.arity)
            outer = scope.find(found.name)
            if outer is None:
                raise SpecError(
                    f"INSTANCE {unit.module} says nothing of its "
                    f"{'variable' if variable else 'constant'} {found.name}",
                    unit.span,
                    f"write WITH {found.name} <- ...",
                    found.span,
                )
            return outer

        loading = _Loading(self, declare, depth, None if nested is None else nested[1])
        loading.instance = instance
        if nested is not None:
            made = loading.module(nested[0], nested[1])
        else:
            made = loading.named(unit.module, unit.span)
        for name, term in unit.substitutions:
            if name not in declared:
                raise SpecError(
                    f"{unit.module} declares no constant or variable {name}"
                    f"{suggestion(name, declared)}",
                    term.span,
                )
        return made


class _Loading:
    """Resolves a module and those that it extends, with one meaning for what they declare."""

    def __init__(
        self, resolver: Resolver, declare: Declared, base: int, outer: TlaScope | None
    ) -> None:
        self.resolver = resolver
        self.declare = declare
        self.base = base
        self.outer = outer
        self.scopes: dict[str, ModuleScope] = {}
        self.instance: Instantiation | None = None
        self.open: list[str] = []

    def named(self, name: str, span: Span) -> ModuleScope:
        """The names of a module by its name."""
        if name in self.scopes:
            return self.scopes[name]
        library = self.resolver.library
        community = library.community(name)
        if community is not None:
            return self.module(community, None, span, community=True)
        standard = standard_module(name)
        if standard is not None and not (name in COMMUNITY and library.has(name)):
            self.scopes[name] = standard
            return standard
        return self.module(library.module(name, span), None, span)

    def module(
        self,
        unit: ModuleUnit,
        outer: TlaScope | None,
        span: Span | None = None,
        community: bool = False,
    ) -> ModuleScope:
        """The names of a module, nested in `outer` if it is nested.

        A `community` module of this package has the operators in Python, too, and its names yield
        to those of a user.
        """
        if unit.name in self.open or (outer is None and unit.name in self.resolver_open):
            raise SpecError(f"{unit.name} extends or instantiates itself", span or unit.span)
        self.open.append(unit.name)
        self.resolver_open.append(unit.name)
        scope = ModuleScope(outer, unit.name)
        if self.instance is not None:
            scope.instance = self.instance
            self.instance.modules.append(scope)
        native = standard_module(unit.name) if community else None
        for symbol in native.exported() if native is not None else ():
            scope.add(symbol)
        for name, place in unit.extends:
            extended = self.named(name, place)
            for symbol in extended.exported():
                scope.add(symbol)
            scope.declared |= extended.declared
            for inner, held in extended.submodules.items():
                scope.submodules.setdefault(inner, held)
        for held in unit.units:
            self.unit(held, scope)
        for symbol in scope.names.values():
            if isinstance(symbol, OperatorSymbol) and symbol.body is None:
                raise SpecError(f"{symbol.name} is declared RECURSIVE and not defined", symbol.span)
        self.open.pop()
        self.resolver_open.pop()
        if community:
            scope.yield_names()
        else:
            self.resolver.checked.setdefault(unit, scope)
        if outer is None:
            self.scopes[unit.name] = scope
        return scope

    @property
    def resolver_open(self) -> list[str]:
        """The modules that are being resolved."""
        return self.resolver.open

    def unit(self, unit: Unit, scope: ModuleScope) -> None:
        """Adds the names of a unit."""
        if isinstance(unit, ConstantUnit | VariableUnit):
            variable = isinstance(unit, VariableUnit)
            for found in unit.names if isinstance(unit, VariableUnit) else unit.constants:
                symbol = self.declare(found, variable)
                if self.instance:
                    scope.names[found.name] = symbol
                    scope.positions.setdefault(found.name, len(scope.positions))
                    scope.declared.add(found.name)
                else:
                    scope.add(symbol)
        elif isinstance(unit, AssumeUnit):
            if not self.instance:
                self.resolver.assumptions.append((unit, scope.view()))
            if unit.name:
                view = scope.view()
                scope.add(OperatorSymbol(unit.name, unit.span, (), unit.body, view, self.base))
        elif isinstance(unit, ModuleUnit):
            if scope.submodule(unit.name) is not None:
                raise SpecError(f"there are two modules {unit.name}", unit.span)
            scope.submodules[unit.name] = (unit, scope.view())
        elif isinstance(unit, InstanceUnit) and not unit.name:
            made = self.resolver.instance(unit, scope.view(), self.base)
            for symbol in made.instantiated():
                scope.add(symbol, unit.local)
        else:
            for symbol in defined(unit, scope, scope.view(), self.base, self.resolver):
                scope.add(symbol)
            if isinstance(unit, OperatorUnit | InstanceUnit) and unit.local:
                scope.local.add(unit.name)


def defined(
    unit: Unit, own: TlaScope, scope: TlaScope, base: int, resolver: Resolver
) -> Sequence[TlaSymbol]:
    """The symbols that a definition adds; `own` has those that RECURSIVE declared before.

    A definition sees `scope`. Raises SpecError.
    """
    if isinstance(unit, RecursiveUnit):
        for found in unit.operators:
            _refuse_taken(found.name, found.span, scope)
        resolver.recursive = True
        return [
            OperatorSymbol(
                found.name,
                found.span,
                tuple(Parameter(f"{found.name}#{i}", 0, found.span) for i in range(found.arity)),
                None,
                scope,
                base,
                recursive=True,
            )
            for found in unit.operators
        ]
    if isinstance(unit, InstanceUnit):
        content = None
        if not unit.parameters:
            content = resolver.instance(unit, scope, base)
        return [InstanceSymbol(unit.name, unit.span, unit, scope, content, unit.local)]
    assert isinstance(unit, OperatorUnit)
    declared = own.find(unit.name)
    if isinstance(declared, OperatorSymbol) and declared.body is None:
        if declared.arity != len(unit.parameters):
            raise SpecError(
                f"{unit.name} has {len(unit.parameters)} parameters, and RECURSIVE says "
                f"{declared.arity}",
                unit.span,
                "",
                declared.span,
            )
        declared.parameters, declared.body, declared.scope = unit.parameters, unit.body, scope
        declared.bounds = unit.bounds
        return []
    return [
        OperatorSymbol(
            unit.name,
            unit.span,
            unit.parameters,
            unit.body,
            scope,
            base,
            bounds=unit.bounds,
            local=unit.local,
        )
    ]


def _refuse_taken(name: str, span: Span, scope: TlaScope) -> None:
    taken = scope.find(name)
    if taken is not None and not getattr(taken, "community", False):
        raise SpecError(
            f"{name} has a meaning here already", span, "choose another name", taken.span
        )
