"""LLVM IR text to machine code in memory, through a cache on disk.

A file of the cache is named by a digest of all that the code depends on. It holds an image, which
takes no LLVM to put into memory, or an object file where there can be no image.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specmodel.kernel import cache, image

CPUINFO = Path("/proc/cpuinfo")
LASTING = {"vendor_id", "cpu family", "model", "model name", "stepping", "flags"}
"""What of it tells processors apart and does not change from one moment to the next."""

MODEL = "small" if image.possible() else "jitdefault"
"""How far code may lie from what it refers to: in an image, not far."""


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
    cpu, features = host_processor()
    return Target(cpu, features, level, passes)


@dataclass(frozen=True)
class Loaded:
    """Machine code in memory, which lives as long as this does."""

    place: Any
    """Where it is: an `image.Mapped`, or an engine of LLVM."""
    cached: bool

    def address(self, name: str) -> int:
        """The address of a function. Raises KeyError when there is none of that name."""
        found = self.place.get_function_address(name)
        if not found:
            raise KeyError(name)
        return found


def load(target: Target, key: str, text: Callable[[], str]) -> Loaded:
    """Code for a target: from the cache if it has `key`, else compiled from the IR `text` gives.

    The key must change whenever the text would; the text itself will do.
    """
    name = f"{_digest(target, key)}.code"
    code = cache.read(name)
    cached = code is not None
    if code is None:
        code = compile_object(target, text())
        linked = image.link(code)
        code = code if linked is None else linked.pack()
        cache.write(name, code)
    linked = image.unpack(code)
    return Loaded(_link(target, code) if linked is None else image.Mapped(linked), cached)


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
def host_processor() -> tuple[str, str]:
    """What LLVM calls this machine's processor, and its features: from the cache if known."""
    described = _description()
    name = f"{hashlib.sha256(f'{_version()} {described}'.encode()).hexdigest()}.host"
    known = cache.read(name) if described else None
    if known is not None:
        cpu, features = known.decode().split("\n")
        return cpu, features
    llvm = _llvm()
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    if described:
        cache.write(name, f"{cpu}\n{features}".encode())
    return cpu, features


def _description() -> str:
    """What the system says of its first processor, as far as that stays; empty if nothing."""
    try:
        with CPUINFO.open(encoding="utf-8", errors="replace") as file:
            lines = list(itertools.takewhile(str.strip, file))
    except OSError:
        return ""
    return "".join(line for line in lines if line.partition(":")[0].strip() in LASTING)


def _machine(target: Target) -> Any:
    return (
        _llvm()
        .Target.from_default_triple()
        .create_target_machine(
            cpu=target.cpu,
            features=target.features,
            opt=target.level,
            jit=True,
            reloc="pic",
            codemodel=MODEL,
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
    parts = (_version(), repr(target), key)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _version() -> str:
    return importlib.import_module("llvmlite").__version__
