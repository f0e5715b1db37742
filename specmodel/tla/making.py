"""The interface of the builder for the makers of single expressions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from specmodel.errors import Span
from specmodel.tla.nodes import Applied, LetTerm, TlaTerm
from specmodel.tla.scopes import Meaning, OperatorSymbol, Run, TlaScope, TlaSymbol, VariableSymbol


class Variables(Protocol):
    """The variables of the root module, in order."""

    variables: list[VariableSymbol]


class Maker(Protocol):
    """Makes functions of expressions; `building.Builder` says what each method does."""

    made: list[tuple[OperatorSymbol, Any]]

    @property
    def resolver(self) -> Variables: ...
    def meaning(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> Meaning: ...
    def resolved(self, term: Applied, scope: TlaScope, depth: int) -> TlaSymbol | None: ...
    def placed(self, symbol: OperatorSymbol, term: Applied, scope: TlaScope) -> TlaScope: ...
    def enabled(self, term: TlaTerm, scope: TlaScope, depth: int, primed: bool) -> Meaning: ...
    def expansion(self, symbol: OperatorSymbol, span: Span) -> AbstractContextManager[None]: ...
    def in_place(
        self, symbol: OperatorSymbol, term: Applied, scope: TlaScope, depth: int, primed: bool
    ) -> bool: ...
    def let_scope(
        self, term: LetTerm, scope: TlaScope, depth: int, primed: bool, lazy: int
    ) -> tuple[TlaScope, list[Run]]: ...
    def call_term(
        self,
        operator: TlaTerm,
        seen: TlaScope,
        term: Applied,
        scope: TlaScope,
        depth: int,
        primed: bool,
        make: Callable[[TlaTerm, TlaScope, int, bool], Any],
    ) -> Any: ...
