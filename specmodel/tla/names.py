"""The meanings of names, after the configuration has replaced definitions."""

from __future__ import annotations

from specmodel.errors import Span, SpecError
from specmodel.tla.calling import near, wrong_count
from specmodel.tla.logic import BUILT_IN
from specmodel.tla.modules import Resolver
from specmodel.tla.nodes import Applied
from specmodel.tla.scopes import InstanceSymbol, ModuleScope, TermSymbol, TlaScope, TlaSymbol


class NameTable:
    """Finds the symbols of names.

    `overrides` are the definitions that a configuration puts in place of others, and
    `module_overrides` those within one module.
    """

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.overrides: dict[TlaSymbol, TlaSymbol] = {}
        self.module_overrides: dict[tuple[str, str], TlaSymbol] = {}

    def find(self, name: str, span: Span, scope: TlaScope) -> TlaSymbol | None:
        """The meaning of a name, after the configuration has replaced it; None for a built-in."""
        found = scope.find(name)
        if self.module_overrides:
            other = self.module_overrides.get((scope.module, name))
            if other is not None:
                return other
        if found is None:
            if name in BUILT_IN:
                return None
            if name in scope.known():
                what = f"{name} is used before it is defined"
                raise SpecError(what, span, "a definition sees those before it")
            known = [n for n in scope.known() if n[0].isalpha()] if name[0].isalpha() else []
            raise SpecError(f"{name} has no meaning here{near(name, known)}", span)
        return self.overrides.get(found, found)

    def resolved(self, term: Applied, scope: TlaScope, depth: int) -> TlaSymbol | None:
        """The symbol of an applied operator, with the instances before it.

        None for a built-in operator.
        """
        if not term.path:
            return self.find(term.name, term.span, scope)
        content: TlaScope = scope
        for component in term.path:
            instance = self.find(component.name, component.span, content)
            if not isinstance(instance, InstanceSymbol):
                raise SpecError(f"{component.name} is no instance of a module", component.span)
            content = self._content(instance, component, scope, depth)
        assert isinstance(content, ModuleScope)
        found = content.own(term.name)
        if found is None or term.name in content.local | content.declared:
            names = [symbol.name for symbol in content.instantiated()]
            inst = "!".join(part.name for part in term.path)
            raise SpecError(f"{inst} defines no {term.name}{near(term.name, names)}", term.span)
        other = self.module_overrides.get((content.module, term.name))
        return self.overrides.get(found, found) if other is None else other

    def _content(
        self, instance: InstanceSymbol, component: Applied, scope: TlaScope, depth: int
    ) -> ModuleScope:
        parameters = instance.unit.parameters
        if len(parameters) != len(component.arguments):
            raise wrong_count(component, len(parameters))
        if instance.content is not None:
            return instance.content
        symbols = [
            TermSymbol(p.name, p.span, argument, scope, p.arity)
            for p, argument in zip(parameters, component.arguments, strict=True)
        ]
        return self.resolver.instance(instance.unit, instance.scope.over(*symbols), depth)
