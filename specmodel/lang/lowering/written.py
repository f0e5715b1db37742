"""The interface of specs for the lowering: their rules, with the Python functions of the author."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from specmodel.domains import Domain
from specmodel.lang.struct import Struct
from specmodel.model.model import Model, Rule


class WrittenRule(Rule, Protocol):
    """A rule that is a Python function. `declared` are its parameters without the picks."""

    @property
    def function(self) -> Callable[..., Any]: ...
    @property
    def declared(self) -> Mapping[str, Domain]: ...
    @property
    def antecedent(self) -> WrittenRule | None: ...
    @property
    def refined(self) -> WrittenSpec | None: ...


class WrittenSpec(Model, Protocol):
    """A spec whose rules are Python functions of a struct."""

    @property
    def state(self) -> type[Struct]: ...
    @property
    def start(self) -> WrittenRule: ...
    @property
    def rules(self) -> tuple[WrittenRule, ...]: ...
    @property
    def properties(self) -> tuple[WrittenRule, ...]: ...
    @property
    def bounds(self) -> tuple[WrittenRule, ...]: ...
