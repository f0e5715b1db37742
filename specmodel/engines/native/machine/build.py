"""Machine Python made into code: translated, compiled, and kept in the cache of objects."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from specmodel.engines.native.machine import language, translate
from specmodel.kernel import objects


def build(
    entries: Sequence[Callable[..., Any]],
    constants: Mapping[str, int],
    modules: Sequence[str],
    target: objects.Target | None = None,
) -> objects.Loaded:
    """Code in which `entries` can be called, for this machine unless another target is given.

    `modules` names those that hold them and what they call: a change of any makes new code.
    """
    names = " ".join(entry.__name__ for entry in entries)
    values = " ".join(f"{name}={value}" for name, value in sorted(constants.items()))
    return objects.load(
        target or objects.host(level=2, passes=2),
        f"machine {names} {values} {_version(tuple(modules))}",
        lambda: translate.translate(entries, constants),
    )


@functools.cache
def _version(modules: tuple[str, ...]) -> str:
    """A digest of the sources that code depends on."""
    digest = hashlib.sha256()
    for module in (*map(sys.modules.__getitem__, modules), translate, language):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()
