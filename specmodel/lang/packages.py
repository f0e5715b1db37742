"""The packages that loads make: their modules, the names of these, and the texts that ran."""

from __future__ import annotations

import importlib.abc
import io
import itertools
import linecache
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.lang.sets import compiled


@dataclass(frozen=True)
class Edit:
    """A text that replaces a span of a source file; if the span is empty, it is inserted there.

    Unless it is at the end of the file, the text has as many lines as the span, so that every line
    keeps its number.
    """

    span: Span
    text: str


class Package(types.ModuleType):
    """The package of a load. While it is entered, its modules are imported, with edits made.

    It is the root of the file system. The folders down to the spec's folder are in it from the
    start, and run no `__init__.py`; other folders are added by imports. `home` is the name of the
    spec's folder. `read` has the files that were read, by the names under which they run. The
    package lives as long as one of its functions, classes or values does.

    `sys.modules` has its modules while they are loaded, and again after one is imported by name, as
    to unpickle a value. If they stayed there, a program that checks thousands of designs would keep
    them all in memory.
    """

    def __init__(self, name: str, folder: Path, edits: Sequence[Edit]) -> None:
        super().__init__(name)
        self.__path__ = [folder.anchor]
        self.edits = edits
        self.open = False
        self.read: set[str] = set()
        self.modules: dict[str, types.ModuleType] = {}
        self.home = name
        for inside in [*reversed(folder.parents), folder][1:]:
            # A dot would end the part of the name. No import statement can have a colon.
            self.home = f"{self.home}.{inside.name.replace('.', ':')}"
            self.modules[self.home] = folder_module = types.ModuleType(self.home)
            folder_module.__path__ = [str(inside)]
        packages[name] = self

    def __enter__(self) -> None:
        """Makes the package importable."""
        sys.modules.update({self.__name__: self, **self.modules})
        self.open = True

    def __exit__(self, *wrong: object) -> None:
        """Removes its modules from `sys.modules`. Each keeps the package, and so all others."""
        self.open = False
        for name in [n for n in sys.modules.copy() if n.startswith(f"{self.__name__}.")]:
            self.modules[name] = module = sys.modules.pop(name)
            own = [v for v in vars(module).values() if getattr(v, "__module__", "") == name]
            for one in [module, *(held for held in own if isinstance(held, type))]:
                setattr(one, _PACKAGE, self)
        del sys.modules[self.__name__]


_PACKAGE = "_specmodel's package"
"""The name under which a module keeps its package; no source can have this name."""

packages: WeakValueDictionary[str, Package] = WeakValueDictionary()


def modules_beside(name: str) -> dict[str, types.ModuleType]:
    """All modules of the package that a module is in, by name."""
    package = name.partition(".")[0]
    if package in packages:
        return packages[package].modules
    return {n: m for n, m in sys.modules.copy().items() if n == name or n.startswith(f"{package}.")}


def own_name(name: str) -> str:
    """A module's name relative to the common folder of its package: `replication.core`."""
    beside = modules_beside(name).items()
    folders = [n.split(".")[:-1] for n, module in beside if getattr(module, "__file__", None)]
    return ".".join(name.split(".")[_shared(folders) :])


def relative_name(name: str, importer: str) -> str:
    """A module's name in an import by another module of its package: `..replication.core`."""
    parts, folder = name.split("."), importer.split(".")[:-1]
    shared = _shared([parts[:-1], folder])
    return "." * (len(folder) - shared + 1) + ".".join(parts[shared:])


def _shared(folders: Sequence[list[str]]) -> int:
    """The number of parts at the beginning that all folders have in common."""
    alike = itertools.takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return sum(1 for _ in alike)


class KeptSource(importlib.abc.ExecutionLoader):
    """Runs a text under a file name, and keeps it for `source_of` and `linecache`."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        # Without a time of modification, linecache never looks for the file.
        linecache.cache[name] = (len(text), None, io.StringIO(text).readlines(), name)

    def get_filename(self, fullname: str) -> str:
        return self.name

    def get_source(self, fullname: str) -> str:
        return self.text

    def get_code(self, fullname: str) -> types.CodeType:
        return compiled(self.text, self.name)


def source_of(function: Callable[..., Any]) -> str:
    """The source text that a function was loaded from, even if its file has changed."""
    loader = function.__globals__.get("__loader__")
    if isinstance(loader, KeptSource):
        return loader.text
    file = function.__code__.co_filename
    linecache.checkcache(file)
    return "".join(linecache.getlines(file))
