"""Which functions and terms change an object, and which functions use a whole struct.

If no part of a term changes an object, its parts may be evaluated in any order, and repeatedly.
"""

from __future__ import annotations

from collections.abc import Mapping

from specmodel.ir import nodes as ir
from specmodel.ir.children import parts, statements, terms


class Effects:
    """Tells which terms and functions of a model change an object; examines each once."""

    def __init__(self, helpers: Mapping[str, ir.Function]) -> None:
        self.helpers = helpers
        self.functions: dict[str, bool] = {}
        self.known: dict[int, tuple[ir.Term, bool]] = {}

    def within_terms(self, model: ir.Lowered) -> bool:
        """Whether a function of a model calls, within a term, a function that changes an object."""
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
        """Whether the evaluation of a term may change a part of a state or of a local value."""
        known = self.known.get(id(term))
        if known is None:
            found = (isinstance(term, ir.Call) and self.changes(term.function)) or any(
                map(self.acts, parts(term))
            )
            known = self.known[id(term)] = (term, found)
        return known[1]

    def changes(self, name: str) -> bool:
        """Whether a function may change an object that it gets as an argument."""
        if name not in self.functions:
            self.functions[name] = True  # for a function that calls itself, which is refused
            self.functions[name] = any(
                isinstance(statement, ir.Store) or any(map(self.acts, terms(statement)))
                for statement in statements(self.helpers[name].body)
            )
        return self.functions[name]

    def whole(self, name: str, parameter: str) -> ir.Term | None:
        """A term that uses a whole parameter, in a function or its callees; None if there is none.

        A term that takes a field of the parameter does not use the whole parameter.
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
