"""What the makers of single expressions ask of the builder of all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from specmodel.errors import Span
from specmodel.tla.nodes import Applied, LetTerm, Term
from specmodel.tla.scopes import Meaning, OperatorSymbol, Run, Scope, Symbol, VariableSymbol


class Variables(Protocol):
    """The variables of the root module, in order."""

    variables: list[VariableSymbol]


class Maker(Protocol):
    """Makes functions of expressions; `building.Builder` says what each method does."""

    @property
    def resolver(self) -> Variables: ...
    def meaning(self, term: Term, scope: Scope, depth: int, primed: bool) -> Meaning: ...
    def resolved(self, term: Applied, scope: Scope, depth: int) -> Symbol | None: ...
    def placed(self, symbol: OperatorSymbol, term: Applied, scope: Scope) -> Scope: ...
    def enabled(self, term: Term, scope: Scope, depth: int, primed: bool) -> Meaning: ...
    def expansion(self, symbol: OperatorSymbol, span: Span) -> AbstractContextManager[None]: ...
    def in_place(
        self, symbol: OperatorSymbol, term: Applied, scope: Scope, depth: int, primed: bool
    ) -> bool: ...
    def let_scope(
        self, term: LetTerm, scope: Scope, depth: int, primed: bool, lazy: int
    ) -> tuple[Scope, list[Run]]: ...
    def call_term(
        self,
        operator: Term,
        seen: Scope,
        term: Applied,
        scope: Scope,
        depth: int,
        primed: bool,
        make: Callable[[Term, Scope, int, bool], Any],
    ) -> Any: ...
