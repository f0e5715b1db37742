"""Binds the constants of a module to what its configuration says."""

from __future__ import annotations

from typing import Any

from specmodel.errors import SpecError, suggestion
from specmodel.tla.building import Builder
from specmodel.tla.configuration import Configuration, Given, Named, Replaced
from specmodel.tla.modules import Resolver
from specmodel.tla.nodes import Applied
from specmodel.tla.scopes import ConstantSymbol, NativeSymbol, OperatorSymbol, TlaSymbol
from specmodel.tla.values import ModelValue


class ConstantBinding:
    """Gives constants their values, and definitions what the configuration puts in their place."""

    def __init__(
        self, name: str, configuration: Configuration, resolver: Resolver, builder: Builder
    ) -> None:
        self.name = name
        self.configuration = configuration
        self.constants = resolver.constants
        self.root = resolver.root
        self.builder = builder
        self.passed_over: list[Named] = []
        """The names with a value that the module does not have."""

    def bind(self) -> None:
        """Binds all constants. Raises SpecError for those that have no value."""
        config = self.configuration
        for given in config.given:
            self.give(given)
        for replaced in config.replaced:
            self.replace(replaced)
        for constant in self.constants:
            if constant.value is None and constant not in self.builder.overrides:
                raise SpecError(
                    f"the constant {constant.name} has no value",
                    constant.span,
                    f"say CONSTANT {constant.name} = ... in {config.path.name}",
                )
        for replaced in config.replaced:
            self._refuse_changing(replaced)

    def _refuse_changing(self, replaced: Replaced) -> None:
        """Raises SpecError for a declared constant whose definition depends on the state."""
        symbol = None if replaced.module else self._symbol(replaced.name)
        if isinstance(symbol, ConstantSymbol) and not symbol.arity:
            other = replaced.other
            if self.builder.meaning(Applied(other.span, other.name), self.root, 0, False).level:
                what = f"{other.name} depends on the state, and {symbol.name} is a constant"
                raise SpecError(what, other.span, "", symbol.span)

    def _symbol(self, name: Named) -> TlaSymbol:
        found = self.root.find(name.name)
        if found is None:
            known = suggestion(name.name, [c.name for c in self.constants])
            raise SpecError(
                f"{self.name} has no constant {name.name}"
                f"{known if known.startswith('; did') else ''}",
                name.span,
            )
        return found

    def give(self, given: Given) -> None:
        """`name = value`."""
        if given.module:
            held = ConstantSymbol(given.name.name, given.name.span, 0, given.value)
            self.builder.module_overrides[(given.module, given.name.name)] = held
            return
        if self.root.find(given.name.name) is None:
            own = isinstance(given.value, ModelValue) and given.value.name == given.name.name
            if not own:  # `r1 = r1`: r1 is no constant, but a member of one
                self.passed_over.append(given.name)
            return
        symbol = self._symbol(given.name)
        arity = len(given.arguments or ())
        if isinstance(symbol, ConstantSymbol):
            if symbol.arity != arity:
                raise SpecError(f"{symbol.name} takes {symbol.arity} arguments", given.name.span)
            _set_value(symbol, given)
            return
        if not isinstance(symbol, OperatorSymbol) or symbol.arity != arity:
            raise SpecError(
                f"{given.name.name} is no constant or definition that can have a value",
                given.name.span,
            )
        held = self.builder.overrides.get(symbol)
        if not isinstance(held, ConstantSymbol):
            held = ConstantSymbol(symbol.name, symbol.span, arity)
            self.builder.overrides[symbol] = held
        _set_value(held, given)

    def replace(self, replaced: Replaced) -> None:
        """`name <- other`."""
        other = self.root.find(replaced.other.name)
        if other is None:
            raise SpecError(f"{self.name} defines no {replaced.other.name}", replaced.other.span)
        if replaced.module:
            self.builder.module_overrides[(replaced.module, replaced.name.name)] = other
            return
        symbol = self._symbol(replaced.name)
        if _arity(symbol) != _arity(other):
            raise SpecError(
                f"{replaced.other.name} and {replaced.name.name} have different numbers of "
                "parameters",
                replaced.other.span,
            )
        self.builder.overrides[symbol] = other


def _arity(symbol: TlaSymbol) -> int:
    if isinstance(symbol, NativeSymbol):
        return len(symbol.orders)
    if isinstance(symbol, OperatorSymbol | ConstantSymbol):
        return symbol.arity
    return 0


def _set_value(symbol: ConstantSymbol, given: Given) -> None:
    if given.arguments is None:
        symbol.value = given.value
    else:
        symbol.value = {**(symbol.value or {}), given.arguments: given.value}


def constants_of(resolver: Resolver) -> dict[str, Any]:
    """The values of the constants, but those that stand for themselves."""
    return {
        c.name: c.value
        for c in resolver.constants
        if c.value is not None
        and not c.arity
        and not (isinstance(c.value, ModelValue) and c.value.name == c.name)
    }
