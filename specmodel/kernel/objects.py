"""LLVM IR text to machine code in memory, through object files kept in a cache on disk.

The cache is a folder (`$SPECMODEL_CACHE`, else the XDG cache folder) of files named by a digest of
all that the code depends on. A file that is damaged, or a folder that cannot be written, costs a
compilation, never a failure.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DIGEST_SIZE = 32


@dataclass(frozen=True)
class Target:
    """What code is made for and how: CPU, features ("+avx2,-avx512f"), and two levels, 0 to 3.

    `level` is that of code generation; `passes` that of the optimising passes before it, 0 for
    none.
    """

    cpu: str
    features: str
    level: int = 2
    passes: int = 0


def host(level: int = 2, passes: int = 0) -> Target:
    """The machine that this runs on."""
    cpu, features = _host_cpu()
    return Target(cpu, features, level, passes)


@dataclass(frozen=True)
class Loaded:
    """Machine code in memory, which lives as long as this does."""

    engine: Any
    cached: bool

    def address(self, name: str) -> int:
        """The address of a function. Raises KeyError when there is none of that name."""
        found = self.engine.get_function_address(name)
        if not found:
            raise KeyError(name)
        return found


def load(target: Target, key: str, text: Callable[[], str]) -> Loaded:
    """Code for a target: from the cache if it has `key`, else compiled from the IR `text` gives.

    The key must change whenever the text would; the text itself will do.
    """
    path = _folder() / f"{_digest(target, key)}.o"
    code = _read(path)
    cached = code is not None
    if code is None:
        code = compile_object(target, text())
        _write(path, code)
    return Loaded(_link(target, code), cached)


def compile_object(target: Target, text: str) -> bytes:
    """The object file of a module. Raises RuntimeError for IR that LLVM refuses."""
    llvm = _llvm()
    module = llvm.parse_assembly(text)
    machine = _machine(target)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    if target.passes:
        options = llvm.create_pipeline_tuning_options(speed_level=target.passes)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


@functools.cache
def _llvm() -> Any:
    """llvmlite's binding, imported when it is first needed: that takes a tenth of a second."""
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _host_cpu() -> tuple[str, str]:
    llvm = _llvm()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine(target: Target) -> Any:
    return (
        _llvm()
        .Target.from_default_triple()
        .create_target_machine(
            cpu=target.cpu, features=target.features, opt=target.level, jit=True, reloc="pic"
        )
    )


def _link(target: Target, code: bytes) -> Any:
    # LLVM's global context: one of its own could be collected, as part of a cycle, before the
    # engine that needs it.
    llvm = _llvm()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(target))
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def cache_folder() -> Path:
    """The folder of all that is kept from one run to the next and can be made again."""
    given = os.environ.get("SPECMODEL_CACHE")
    if given:
        return Path(given)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path("~/.cache").expanduser()) / "specmodel"


def _folder() -> Path:
    return cache_folder() / "objects"


def _digest(target: Target, key: str) -> str:
    version = importlib.import_module("llvmlite").__version__
    parts = (version, repr(target), key)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _read(path: Path) -> bytes | None:
    """The code in a cache file, which starts with a digest of the rest; None if it is not whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    code = data[DIGEST_SIZE:]
    return code if hashlib.sha256(code).digest() == data[:DIGEST_SIZE] else None


def _write(path: Path, code: bytes) -> None:
    """Puts a file in place whole or not at all, as other processes read the same folder."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            Path(name).replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(name).unlink()
