"""The guards of an action as its author wrote them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

_GUARDS = ("require", "require_some")


@dataclass(frozen=True)
class Guard:
    """The text of a guard's condition.

    `via` is the helper it stands in, empty for the action itself; `sometimes` says that it stands
    under an `if`.
    """

    text: str
    via: str = ""
    sometimes: bool = False


def guards(function: Callable[..., Any]) -> Iterator[Guard]:
    """The guards of a function and of the helpers it calls, in order, each once."""
    return iter(dict.fromkeys(_of(function, "", {function})))


def _of(function: Callable[..., Any], via: str, seen: set[Callable[..., Any]]) -> Iterator[Guard]:
    try:
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        return
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    branches = [n for n in ast.walk(tree) if isinstance(n, ast.If)]
    under_if = {id(n) for b in branches for s in b.body + b.orelse for n in ast.walk(s)}
    for call in sorted(calls, key=lambda c: (c.lineno, c.col_offset)):
        assert isinstance(call.func, ast.Name)
        name = call.func.id
        if name in _GUARDS:
            text = ast.get_source_segment(source, call.args[0]) if call.args else None
            text = " ".join((text or "").split())
            condition = text if name == "require" else f"{text} is not None"
            yield Guard(condition, via, id(call) in under_if)
            continue
        called = getattr(function, "__globals__", {}).get(name)
        if isinstance(called, FunctionType) and _is_spec_code(called) and called not in seen:
            seen.add(called)
            yield from _of(called, name, seen)


def _is_spec_code(function: FunctionType) -> bool:
    """Whether a function is part of a spec, rather than of the language or a library."""
    return function.__module__.startswith("_spec")
