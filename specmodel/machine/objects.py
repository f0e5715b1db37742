"""Compiles LLVM IR text to machine code in memory, through a cache on disk.

The name of a cache file is a digest of everything that the code depends on. The file holds an
image, which is loaded without LLVM, or an object file if no image is possible.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib
import itertools
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from specmodel.dataclass import dataclass
from specmodel.errors import SpecmodelError
from specmodel.files import cache_folder
from specmodel.machine import cache, image
from specmodel.machine.compilers import Module, compile_all
from specmodel.machine.texts import texts_digest

CPUINFO = Path("/proc/cpuinfo")
FEATURES = "flags"
LASTING = {"vendor_id", "cpu family", "model", "model name", "stepping", FEATURES}
"""The keys of the description that identify an x86 processor and do not change over time."""

OBJECT = image.ELF_64[:4] if sys.platform == "linux" else b""
"""The first bytes of an object file."""

MODEL = "small" if image.possible() else "jitdefault"
"""The code model: how far code may be from its references. In an image, not far."""

LARGE = 3_000_000
"""The letters beyond which a module's code is generated at level 0. Higher levels take more than
linear time: 23 s for 7 million letters, in place of 5 s. Their code may be 1.8 times as fast."""

FEW_PASSES = ("always_inliner", "sroa", "instruction_combine", "simplify_cfg")
"""The passes of level 1. They take 5 ms where those of level 2 take 45."""

KINDS: dict[str, Any] = {"p": ctypes.c_void_p, "i": ctypes.c_int64, "": None}
"""The types of arguments and results: an address, a 64-bit integer, nothing."""


@dataclass(frozen=True)
class Target:
    """The processor that code is made for, and how: CPU, features ("+avx2,-avx512f"), two levels, 0
    to 3.

    `level` is that of code generation; `passes` that of the optimising passes before it: 0 for
    none, 1 for those that make machine Python what one would write by hand, more for LLVM's own.
    """

    cpu: str
    features: str
    level: int = 2
    passes: int = 0


def host(level: int = 2, passes: int = 0) -> Target:
    """The machine that this runs on."""
    cpu, features = host_processor()
    return Target(cpu, features, level, passes)


class CodeOwner(Protocol):
    """The owner of code in memory: it releases the code when it is freed."""

    def get_function_address(self, name: str, /) -> int:
        """The address of a function; 0 if there is none with this name."""
        ...


@dataclass(frozen=True)
class LoadedCode:
    """Machine code in memory, which lives as long as this object."""

    place: CodeOwner
    """The owner of the code: an `image.Mapped`, or an engine of LLVM."""
    cached: bool

    def address(self, name: str) -> int:
        """The address of a function. Raises KeyError if there is none with this name."""
        found = self.place.get_function_address(name)
        if not found and self.cached:
            raise SpecmodelError(
                f"the code that is kept is not what was put there: remove {cache_folder()}"
            )
        if not found:
            raise KeyError(name)
        return found

    def function(self, name: str, takes: str = "", gives: str = "i") -> Callable[..., Any]:
        """A function with parameters and a result of these KINDS.

        The code lives as long as the function.

        A call releases Python's lock. Raises as `address` does.
        """
        kind = ctypes.CFUNCTYPE(KINDS[gives], *(KINDS[one] for one in takes))
        made: Any = kind(self.address(name))
        made.code = self
        return made

    def scratch(self, *names: str) -> int:
        """The greatest number of words of scratch that one of some functions needs."""
        return max(self.function(f"scratch_of_{name}")() for name in names)


def load(target: Target, key: str, modules: Callable[[], Iterable[Module]]) -> LoadedCode:
    """Code for a target: from the cache if it has `key`, else compiled from modules.

    The key must change whenever the modules would; their text itself is a valid key. Modules may
    use each other's functions. A module is compiled while the next is written. Raises the errors of
    `modules`, RuntimeError for IR that LLVM refuses, and SpecmodelError if the system allows no
    executable memory.
    """
    name = f"{_digest(target, key)}.code"
    kept = cache.read(name)
    if kept is not None:
        with contextlib.suppress(ValueError):
            return LoadedCode(_placed(target, kept), cached=True)
    codes = compile_all(target, modules(), compile_object)
    linked = image.link(codes)
    kept = _joined(codes) if linked is None else linked.pack()
    cache.write(name, kept)
    return LoadedCode(_placed(target, kept), cached=False)


def load_object(target: Target, key: str, text: Callable[[], str]) -> bytes:
    """The object file of a module for a target: from the cache, as in `load`, or compiled.

    Object files are for other modules to be linked with.
    """
    name = f"{_digest(target, key)}.object"
    kept = cache.read(name)
    if kept is not None and kept.startswith(OBJECT):
        return kept
    made = compile_object(target, text())
    cache.write(name, made)
    return made


def _placed(target: Target, kept: bytes) -> CodeOwner:
    """Loads cached code. Raises ValueError for bytes that no version of this program has cached."""
    if not kept:
        raise ValueError("no code")
    linked = image.unpack(kept)
    return _link(target, _parted(kept)) if linked is None else image.Mapped(linked)


def compile_object(target: Target, text: str) -> bytes:
    """The object file of a module. Raises RuntimeError for IR that LLVM refuses."""
    llvm = _llvm()
    module = llvm.parse_assembly(text)
    machine = _machine(replace(target, level=0) if len(text) > LARGE else target)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    if target.passes:
        options = llvm.create_pipeline_tuning_options(speed_level=target.passes)
        builder = llvm.create_pass_builder(machine, options)
        few = target.passes == 1
        passes = _few_passes() if few else builder.getModulePassManager()
        passes.run(module, builder)
    return machine.emit_object(module)


def _few_passes() -> Any:
    manager = _llvm().create_new_module_pass_manager()
    for name in FEW_PASSES:
        getattr(manager, f"add_{name}_pass")()
    return manager


@functools.cache
def _llvm() -> Any:
    """llvmlite's binding, imported when it is first needed, which takes 0.1 s."""
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def host_processor() -> tuple[str, str]:
    """LLVM's name for this machine's processor, and its features: from the cache if known."""
    described = _description()
    name = f"{hashlib.sha256(f'{_version()} {described}'.encode()).hexdigest()}.host"
    known = (cache.read(name) if described else None) or b""
    if re.fullmatch(rb"[\w.-]+\n[\w.,+-]*", known):
        cpu, features = known.decode().split("\n")
        return cpu, features
    llvm = _llvm()
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    if described:
        cache.write(name, f"{cpu}\n{features}".encode())
    return cpu, features


def _description() -> str:
    """The system's lasting description of its first processor; empty if there is none."""
    try:
        with CPUINFO.open(encoding="utf-8", errors="replace") as file:
            lines = list(itertools.takewhile(str.strip, file))
    except OSError:
        return ""
    known = {line.partition(":")[0].strip(): line for line in lines}
    if FEATURES not in known:
        return ""
    return "".join(known[name] for name in sorted(LASTING & known.keys()))


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


def _joined(codes: Sequence[bytes]) -> bytes:
    """Object files one after the other, each with its length before it."""
    return b"".join(struct.pack("<Q", len(code)) + code for code in codes)


def _parted(joined: bytes) -> Iterator[bytes]:
    """The object files that were joined."""
    at = 0
    while at < len(joined):
        size = int.from_bytes(joined[at : at + 8], "little")
        code = joined[at + 8 : at + 8 + size]
        if len(code) < size or not code.startswith(OBJECT):  # LLVM would end the process
            raise ValueError("no object file")
        yield code
        at += 8 + size


def _link(target: Target, codes: Iterable[bytes]) -> CodeOwner:
    # LLVM's global context: one of its own could be collected, as part of a cycle, before the
    # engine that needs it.
    llvm = _llvm()
    codes = list(codes)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(target))
    for code in codes:
        engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _digest(target: Target, key: str) -> str:
    parts = (_version(), _linker(), repr(target), key)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@functools.cache
def _linker() -> str:
    """A digest of the code that makes machine code of modules: this file, and that of images."""
    return texts_digest((__file__, image.__file__))


def _version() -> str:
    return importlib.import_module("llvmlite").__version__
