"""Compiles machine Python: translates it, compiles it, and caches the code."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from specmodel.machine import objects
from specmodel.machine.language import is_machine, is_module, is_structure
from specmodel.machine.texts import text_digest

TRANSLATORS = ("language.py", "operations.py", "signatures.py", "translate.py")
"""The files beside this one that translate sources."""

LEVEL, PASSES = 2, 2
"""The levels at which the code of `build` is compiled."""

KINDS = {"i64": "i", "ptr": "p", "None": ""}
"""Types of machine Python, as `objects.KINDS` has them."""

T = TypeVar("T")


class Code:
    """Machine functions in memory: `code[f]` is f, to be called with addresses for pointers."""

    def __init__(self, loaded: objects.LoadedCode, entries: Sequence[Callable[..., Any]]) -> None:
        self.loaded = loaded
        self._callables = {entry: _callable(loaded, entry) for entry in entries}

    def __getitem__(self, entry: Callable[..., T]) -> Callable[..., T]:
        return self._callables[entry]

    def address(self, entry: Callable[..., Any]) -> int:
        """The address of a function, for others to call."""
        return self.loaded.address(entry.__name__)


def _callable(loaded: objects.LoadedCode, entry: Callable[..., Any]) -> Callable[..., Any]:
    known = entry.__globals__
    *takes, gives = (
        "p" if is_structure(known.get(kind)) else KINDS[kind]
        for kind in entry.__annotations__.values()
    )
    return loaded.function(entry.__name__, "".join(takes), gives)


def build(
    entries: Sequence[Callable[..., Any]],
    constants: Mapping[str, int],
    target: objects.Target | None = None,
) -> Code:
    """Code in which `entries` can be called, for this machine unless another target is given."""
    target = target or objects.host(LEVEL, PASSES)
    key = _key(entries, constants)
    return Code(objects.load(target, key, lambda: [_text(entries, constants)]), entries)


def build_object(
    entries: Sequence[Callable[..., Any]], constants: Mapping[str, int], target: objects.Target
) -> bytes:
    """An object file in which other modules of a target can call `entries`.

    It is compiled with few passes: more of them make no faster code of little functions.
    """
    key = _key(entries, constants)
    few = replace(target, level=LEVEL, passes=1)
    return objects.load_object(few, key, lambda: _text(entries, constants))


def _text(entries: Sequence[Callable[..., Any]], constants: Mapping[str, int]) -> str:
    from specmodel.machine.translate import translate  # not needed if the code is in the cache

    return translate(entries, constants)


def _key(entries: Sequence[Callable[..., Any]], constants: Mapping[str, int]) -> str:
    names = " ".join(entry.__name__ for entry in entries)
    values = " ".join(f"{name}={value}" for name, value in sorted(constants.items()))
    return f"machine {names} {values} {version(tuple(entries))}"


@functools.cache
def version(entries: tuple[Callable[..., Any], ...]) -> str:
    """A digest of the sources of the code: the modules of all functions that entries may call.

    It includes the values of constants and the fields of structures, wherever they are defined.
    """
    digest, waiting, seen = hashlib.sha256(), [e.__module__ for e in entries], set[str]()
    for name in TRANSLATORS:
        digest.update(text_digest(str(Path(__file__).with_name(name))))
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        module = sys.modules[name]
        digest.update(text_digest(str(module.__file__)))
        for key, value in vars(module).items():
            if is_machine(value):
                waiting.append(value.__module__)
            for name, known in vars(value).items() if is_module(value) else [(key, value)]:
                if isinstance(known, int):
                    digest.update(f"{name}={known};".encode())
                elif is_structure(known):
                    digest.update(f"{name}={known.fields};".encode())
    return digest.hexdigest()
