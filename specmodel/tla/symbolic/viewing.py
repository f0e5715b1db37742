"""A VIEW that is a tuple of variables."""

from __future__ import annotations

from specmodel.tla.nodes import Applied, TlaTerm, TupleLiteral
from specmodel.tla.scopes import TlaScope, VariableSymbol
from specmodel.tla.specification import Specification
from specmodel.tla.symbolic.definitions import definition_of


def viewed_variables(spec: Specification) -> set[int] | None:
    """The variables that the VIEW has; none without a VIEW. None if it has more than variables.

    The level of a state is in no view.
    """

    def of(term: TlaTerm, scope: TlaScope) -> set[int] | None:
        if isinstance(term, TupleLiteral):
            parts = [of(item, scope) for item in term.items]
            return None if None in parts else set[int]().union(*filter(None, parts))
        if not isinstance(term, Applied) or term.arguments:
            return None
        symbol = spec.builder.resolved(term, scope, 0)
        if isinstance(symbol, VariableSymbol):
            return {symbol.index}
        inner = definition_of(symbol)
        return None if inner is None else of(*inner)

    name = spec.configuration.one("VIEW")
    if name is None and spec.level is not None:
        return {*range(spec.level.index)}
    return set() if name is None else of(spec.term(name), spec.root) or None
