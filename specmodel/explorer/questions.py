"""The page's questions: the parameters of the answering function, from a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import Parameter, signature
from math import isfinite
from typing import Any

from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch

NAMES = {"first": "from", "number": "state", "rival": "with", "name": "property", "form": "as"}
"""The names of parameters in a request, where they differ."""


def asked_of(answer: Callable[..., Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function: branches, texts, and numbers, by the types of its parameters.

    Raises UsageError for a missing argument, and for a value of another type.
    """
    found: dict[str, Any] = {}
    for name, parameter in signature(answer, eval_str=True).parameters.items():
        key = NAMES.get(name, name)
        text = str(asked.get(key, ""))
        if text:
            found[name] = _READERS[parameter.annotation](key, text)
        elif parameter.default is Parameter.empty:
            raise UsageError(f"{key} is missing")
    return found


def _number(key: str, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise UsageError(f"{key} is a number from 1 on")
    return int(text)


def _seconds(key: str, text: str) -> float:
    with suppress(ValueError):
        if isfinite(number := float(text)):
            return number
    raise UsageError(f"{key} is a number")


_READERS: Mapping[Any, Callable[[str, str], Any]] = {
    str: lambda key, text: text,
    Branch: lambda key, text: Branch.parse(text),
    int: _number,
    float: _seconds,
}
