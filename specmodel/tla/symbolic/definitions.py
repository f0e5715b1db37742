"""Definitions that are put in the place of their names."""

from __future__ import annotations

from specmodel.tla import nodes as syntax
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import OperatorSymbol, TermSymbol, TlaScope, TlaSymbol
from specmodel.tla.symbolic.evaluation import LazySymbol


def definition_of(symbol: TlaSymbol | None) -> tuple[TlaTerm, TlaScope] | None:
    """The term that a name without parameters stands for."""
    if isinstance(symbol, TermSymbol | LazySymbol) and not getattr(symbol, "arity", 0):
        return symbol.term, symbol.scope
    if isinstance(symbol, OperatorSymbol) and placeable(symbol) and not symbol.parameters:
        assert symbol.body is not None
        return symbol.body, symbol.scope
    return None


def placeable(symbol: OperatorSymbol) -> bool:
    """Whether an operator's body can be put in its place."""
    return symbol.body is not None and not symbol.recursive and not symbol.bounds


def divided(body: TlaTerm) -> bool:
    """Whether an operator's body is divided into actions of its own."""
    if isinstance(body, syntax.Junction):
        return body.operator == "\\/"
    if isinstance(body, syntax.Quantification):
        return body.quantifier == "\\E"
    return isinstance(body, Applied)
