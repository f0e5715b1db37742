"""Constants of a spec: plain ints and bools, bound when the spec module is loaded.

    replicas = constant("replicas", 3, low=1, high=6, doc="brokers holding the partition")

The value is an ordinary int (or bool), so bounds such as `log_size - 1` are ordinary expressions
and every function runs under CPython as it stands. Each binding of constants is a fresh instance of
the spec's modules (see `specmodel.lang.loading`); imported in the usual way, a module has its
defaults.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import overload

from specmodel.dataclass import dataclass
from specmodel.errors import SpecError, UsageError, suggestion

Value = int | bool


MOST_DIGITS = 18
"""The greatest number of digits of a constant: states have no numbers beyond 62 bits."""


def integer(text: str) -> int | None:
    """The integer of a decimal text; None for any other text and for too many digits."""
    return int(text) if re.fullmatch(rf"\s*[+-]?[0-9]{{1,{MOST_DIGITS}}}\s*", text) else None


def value_of(text: str) -> Value | None:
    """The value of a text: an integer, true or false; None for any other text."""
    word = text.strip().lower()
    return word == "true" if word in ("true", "false") else integer(text)


@dataclass(frozen=True)
class DeclaredConstant:
    """A declared constant: its default, limits (ints only, both included) and bound value."""

    name: str
    default: Value
    low: int | None
    high: int | None
    doc: str
    value: Value


@dataclass
class Bindings:
    """The constants given by the user and those declared while the spec's modules run."""

    given: Mapping[str, Value]
    declared: dict[str, DeclaredConstant] = field(default_factory=dict[str, DeclaredConstant])

    def unknown(self) -> UsageError | None:
        """The error for given constants that no module declared, if there are any."""
        for name in self.given:
            if name not in self.declared:
                return UsageError(
                    f'no constant is called "{name}"{suggestion(name, self.declared)}'
                )
        return None


_active: list[Bindings] = []


@contextmanager
def binding(given: Mapping[str, Value]) -> Generator[Bindings]:
    """While open, `constant` returns these values and records what is declared."""
    bindings = Bindings(given)
    _active.append(bindings)
    try:
        yield bindings
    finally:
        _active.pop()


@overload
def constant(name: str, default: bool, *, doc: str = "") -> bool: ...
@overload
def constant(
    name: str, default: int, *, low: int | None = None, high: int | None = None, doc: str = ""
) -> int: ...
def constant(
    name: str, default: Value, *, low: int | None = None, high: int | None = None, doc: str = ""
) -> Value:
    """Declares a constant and returns its value: the bound one, or else the default.

    Raises UsageError when the given value has the wrong type or is outside low..high.
    """
    bindings = _active[-1] if _active else Bindings({})
    if type(default) not in (int, bool):
        raise SpecError(f"constant {name} has the default {default!r}: it is an int or a bool")
    value = bindings.given.get(name, default)
    if isinstance(default, bool) and not isinstance(value, bool):
        raise UsageError(f"constant {name} is true or false, not {value!r}")
    if not isinstance(default, bool):
        if type(value) is not int:  # values come from files and command lines, not only from code
            raise UsageError(f"constant {name} is an integer, not {value!r}")
        if abs(value) >= 10**MOST_DIGITS:
            wrong = UsageError if name in bindings.given else SpecError
            raise wrong(f"constant {name} has more than {MOST_DIGITS} digits")
        if (low is not None and value < low) or (high is not None and value > high):
            limits = f"{'' if low is None else low}..{'' if high is None else high}"
            if name not in bindings.given:
                raise SpecError(f"constant {name}: its default {value} is outside {limits}")
            raise UsageError(f"constant {name} = {value} is outside {limits}")
    declared = DeclaredConstant(name, default, low, high, doc, value)
    if bindings.declared.get(name, declared) != declared:
        raise SpecError(f"constant {name} is declared twice, differently")
    bindings.declared[name] = declared
    return value
