"""What functions do with what they are given: which change something, which use a struct whole.

Where none of its parts changes anything, a term may be evaluated in any order, and more than once.
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

    def within_terms(self, model: ir.Lowered) -> bool:
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

    def whole(self, name: str, parameter: str) -> ir.Term | None:
        """A use of a parameter as a whole, by a function or one that it hands it to, if any.

        To take a field of it is none.
        """
        found = (
            self._whole(term, parameter)
            for statement in statements(self.helpers[name].body)
            for term in terms(statement)
        )
        return next((use for use in found if use is not None), None)

    def _whole(self, term: ir.Term, parameter: str) -> ir.Term | None:
        if isinstance(term, ir.Name):
            return term if term.name == parameter else None
        for number, part in enumerate(parts(term)):
            named = isinstance(part, ir.Name) and part.name == parameter
            if named and isinstance(term, ir.Get):
                continue
            if named and isinstance(term, ir.Call):
                use = self.whole(term.function, [*self.helpers[term.function].parameters][number])
            else:
                use = self._whole(part, parameter)
            if use is not None:
                return use
        return None
