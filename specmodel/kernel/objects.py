"""LLVM IR text to machine code in memory, through object files kept in a cache on disk.

A file of the cache is named by a digest of all that the code depends on.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from specmodel.kernel import cache


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
    name = f"{_digest(target, key)}.o"
    code = cache.read(name)
    cached = code is not None
    if code is None:
        code = compile_object(target, text())
        cache.write(name, code)
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


def _digest(target: Target, key: str) -> str:
    version = importlib.import_module("llvmlite").__version__
    parts = (version, repr(target), key)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
