"""Values that a front end holds as they are, in a notation of its own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from specmodel.domains.domain import Domain


class FreeValue:
    """A value of a front end's own language, which never changes. Its repr is its notation."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """The kind of its parts: "record" if they have names, "map" for other keys; else empty."""
        return ""

    def parts(self) -> Mapping[str, FreeValue]:
        """Its parts, by their names or keys as text; none if its `kind` is empty."""
        return {}

    def plain(self) -> Any:
        """The value as JSON has it: keys are text, and sets are lists in order."""
        return repr(self)

    def place(self, key: str) -> str:
        """What a part adds to the place of the value."""
        return f".{key}" if self.kind == "record" else f"[{key}]"


class FreeDomain(Domain):
    """All values of a front end's language: only its own interpreter takes them."""

    @cached_property
    def immutable(self) -> bool:
        return True

    def store(self, value: Any, where: str) -> Any:
        return value

    def encode(self, value: Any) -> Any:
        """A value as an ITF expression."""
        raise NotImplementedError

    def decode(self, expression: Any, where: str) -> Any:
        """The value of an ITF expression. Raises UsageError, naming `where`, for anything else."""
        raise NotImplementedError
