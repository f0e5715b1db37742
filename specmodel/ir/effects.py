"""Which terms change something, by a function that they call.

Where none of its parts does, a term may be evaluated in any order, and more than once.
"""

from __future__ import annotations

from collections.abc import Mapping

from specmodel.ir import nodes as ir
from specmodel.ir.children import parts, statements, terms


class Effects:
    """Knows of the terms of a model which change something; looks at each once."""

    def __init__(self, helpers: Mapping[str, ir.Function]) -> None:
        self.helpers = helpers
        self.functions: dict[str, bool] = {}
        self.known: dict[int, tuple[ir.Term, bool]] = {}

    def within_terms(self, model: ir.Model) -> bool:
        """Whether any function of a model calls one that changes something within a term."""
        checked = [function for _, function in model.properties.values()]
        bounds = [*model.antecedents.values(), *model.constraints.values()]
        functions = [*model.actions.values(), *model.helpers.values(), *checked, *bounds]
        return any(
            any(map(self.acts, parts(term) if isinstance(statement, ir.Perform) else [term]))
            for function in functions
            for statement in statements(function.body)
            for term in terms(statement)
        )

    def acts(self, term: ir.Term) -> bool:
        """Whether evaluating a term may change a part of a state or of a local value."""
        known = self.known.get(id(term))
        if known is None:
            found = (isinstance(term, ir.Call) and self.changes(term.function)) or any(
                map(self.acts, parts(term))
            )
            known = self.known[id(term)] = (term, found)
        return known[1]

    def changes(self, name: str) -> bool:
        """Whether a function changes what it is given, or may."""
        if name not in self.functions:
            self.functions[name] = True  # for a function that calls itself, which is refused
            self.functions[name] = any(
                isinstance(statement, ir.Store) or any(map(self.acts, terms(statement)))
                for statement in statements(self.helpers[name].body)
            )
        return self.functions[name]
