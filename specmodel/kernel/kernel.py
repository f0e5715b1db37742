"""A kernel: a model's native functions, compiled or taken from the cache."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from specmodel.domains import ScalarDomain
from specmodel.ir.digest import digest
from specmodel.kernel import objects
from specmodel.kernel.context import Context
from specmodel.kernel.emit import LANES
from specmodel.kernel.module import module_of
from specmodel.kernel.program import Program
from specmodel.lang.spec import Rule, Spec

_i64, _pointer = ctypes.c_int64, ctypes.c_void_p
_EXPAND = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _i64, _pointer, _i64, _i64, _pointer)
_CHECK = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _i64, _pointer)
_KEEP = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _pointer)


class Kernel:
    """The functions of a spec and some of its properties; `specmodel.kernel.module` describes them.

    Calls release the GIL; a kernel may be used by several threads, each with a context of its own.
    """

    def __init__(
        self,
        spec: Spec,
        chosen: Sequence[Rule],
        target: objects.Target | None = None,
        symmetric: Sequence[ScalarDomain] = (),
    ) -> None:
        """Compiles, unless the cache has it. Raises SpecError where the spec cannot be compiled.

        With `symmetric` scalar sets there is a canonical form, for which they are interchangeable.
        """
        started = time.perf_counter()
        self.symmetric = tuple(symmetric)
        self.program = Program(spec, chosen, symmetric)
        names = ",".join(rule.name for rule in self.program.chosen)
        sets = ",".join(found.name for found in symmetric)
        key = f"{digest(self.program.model)} {names} symmetric {sets} {CODE}"
        self._code = objects.load(target or objects.host(), key, lambda: module_of(self.program))
        self.cached = self._code.cached
        self.expand_address = self._code.address("expand")
        self.keep_address = self._code.address("keep") if spec.constraints else 0
        walk = self.program.walk
        self.canonical_address = self._code.address("canonical") if walk else 0
        self.expand = _EXPAND(self.expand_address)
        self.check = _CHECK(self._code.address("check"))
        self.keep = _KEEP(self.keep_address) if spec.constraints else None
        self.canonical = _KEEP(self.canonical_address) if walk else None
        self.seconds = time.perf_counter() - started

    @property
    def bindings(self) -> int:
        """The most successors that a state can have."""
        return max(1, len(self.program.bindings))

    def context(self) -> Context:
        """A fresh context for one thread, which looks for every property."""
        made = Context(self.program.context)
        for record in range(self.program.context.records):
            made.want(record)
        return made

    def successors(
        self, states: Iterable[tuple[int, ...]], context: Context
    ) -> list[tuple[int, ...]]:
        """The successors of packed states, by blocks of LANES states, then bindings."""
        packed = list(states)
        words = self.program.layout.words
        columns, width = _columns(words, packed)
        room = width * self.bindings
        out = (ctypes.c_uint64 * (words * (room + 8)))()
        context.count = 0
        self.expand(
            ctypes.addressof(columns),
            width,
            0,
            len(packed),
            ctypes.addressof(out),
            room + 8,
            room,
            context.address,
        )
        count, step = context.count, room + 8
        return list(zip(*(out[w * step : w * step + count] for w in range(words)), strict=True))

    def canonical_forms(self, states: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The canonical form of each packed state: itself, unless the kernel has a symmetry."""
        packed = list(states)
        if self.canonical is None:
            return packed
        words = self.program.layout.words
        columns, width = _columns(words, packed)
        context = self.context()
        self.canonical(ctypes.addressof(columns), width, len(packed), context.address)
        ends = ((w * width, w * width + len(packed)) for w in range(words))
        return list(zip(*(columns[low:high] for low, high in ends), strict=True))


def _columns(
    words: int, packed: Sequence[tuple[int, ...]]
) -> tuple[ctypes.Array[ctypes.c_uint64], int]:
    """States in columns, and the distance from one column to the next."""
    width = -(-len(packed) // LANES) * LANES or LANES
    columns = (ctypes.c_uint64 * (words * width))()
    for word in range(words):
        columns[word * width : word * width + len(packed)] = [s[word] for s in packed]
    return columns, width


def _fingerprint() -> str:
    """Changes whenever the code that makes kernels does: names, sizes and times of its files."""
    own = Path(__file__).resolve().parent
    folders = (
        own,
        own.parent / "ir",
        own.parent / "ir" / "symbolic",
        own.parent / "ir" / "symmetry",
    )
    files = [
        entry for folder in folders for entry in os.scandir(folder) if entry.name.endswith(".py")
    ]
    stats = sorted((f.path, f.stat().st_size, f.stat().st_mtime_ns) for f in files)
    return repr(stats)


CODE = _fingerprint()
"""As of when this was imported, for that is the code that runs."""
