"""A kernel: a model's native functions, compiled or taken from the cache."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterable, Iterator, Sequence

from specmodel.domains import ScalarDomain
from specmodel.ir.digest import digest
from specmodel.ir.points import Points
from specmodel.kernel import objects
from specmodel.kernel.context import LANES, Context
from specmodel.kernel.counter import Counter
from specmodel.kernel.program import Program
from specmodel.kernel.version import CODE
from specmodel.lang.spec import Rule, Spec

_i64, _pointer = ctypes.c_int64, ctypes.c_void_p
_EXPAND = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _i64, _pointer, _i64, _i64, _pointer)
_CHECK = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _i64, _pointer)
_SIZE = ctypes.CFUNCTYPE(_i64)
_KEEP = ctypes.CFUNCTYPE(_i64, _pointer, _i64, _i64, _pointer)


class Kernel:
    """The functions of a spec and some of its properties; `specmodel.kernel.module` describes them.

    Calls release the GIL; a kernel may be used by several threads, each with a context of its own.
    Its `counter` counts the code of its state properties.
    """

    def __init__(
        self,
        spec: Spec,
        chosen: Sequence[Rule],
        target: objects.Target | None = None,
        symmetric: Sequence[ScalarDomain] = (),
        partial_order: bool = False,
    ) -> None:
        """Compiles, unless the cache has it. Raises SpecError where the spec cannot be compiled.

        With `symmetric` scalar sets there is a canonical form, for which they are interchangeable.
        With `partial_order`, steps are left out where others are enough to find what is looked for.
        """
        started = time.perf_counter()
        self.symmetric = tuple(symmetric)
        self.program = Program(spec, chosen, symmetric, partial_order)
        names = ",".join(rule.name for rule in self.program.chosen)
        sets = ",".join(found.name for found in symmetric)
        looked_at = [rule.name for rule in self.program.chosen if rule.role != "transition"]
        points = Points(self.program.model, (), looked_at)
        kind = f"symmetric {sets} partial order {partial_order}"
        key = f"{digest(self.program.model)} {names} {kind} {points.shape} {CODE}"

        def texts() -> Iterator[str]:
            from specmodel.kernel.module import modules_of  # takes a while; the cache may have it

            yield from modules_of(self.program, points)

        self._code = objects.load(target or objects.host(), key, texts)
        self.cached = self._code.cached
        self.expand_address = self._code.address("expand")
        self.keep_address = self._code.address("keep") if spec.constraints else 0
        walk = self.program.walk
        self.canonical_address = self._code.address("canonical") if walk else 0
        self.expand = _EXPAND(self.expand_address)
        self.check_address = self._code.address("check")
        self.check = _CHECK(self.check_address)
        self.counter = Counter(points, self._code)
        self.keep = _KEEP(self.keep_address) if spec.constraints else None
        self.canonical = _KEEP(self.canonical_address) if walk else None
        entries = ("scratch_of_expand", "scratch_of_check")
        self._scratch = max(_SIZE(self._code.address(entry))() for entry in entries)
        self.seconds = time.perf_counter() - started

    @property
    def bindings(self) -> int:
        """The most successors that a state can have."""
        return max(1, len(self.program.bindings))

    def context(self) -> Context:
        """A fresh context for one thread, which looks for every property."""
        made = Context(self.program.context, self._scratch)
        for record in range(self.program.context.records):
            made.want(record)
        return made

    def successors(
        self, states: Iterable[tuple[int, ...]], context: Context
    ) -> list[tuple[int, ...]]:
        """The successors of packed states, block by block, there by bindings."""
        packed = list(states)
        words = self.program.layout.words
        columns, width = in_columns(words, packed)
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
        columns, width = in_columns(words, packed)
        context = self.context()
        self.canonical(ctypes.addressof(columns), width, len(packed), context.address)
        ends = ((w * width, w * width + len(packed)) for w in range(words))
        return list(zip(*(columns[low:high] for low, high in ends), strict=True))


def in_columns(
    words: int, packed: Sequence[tuple[int, ...]]
) -> tuple[ctypes.Array[ctypes.c_uint64], int]:
    """States in columns, and the distance from one column to the next."""
    width = -(-len(packed) // LANES) * LANES or LANES
    columns = (ctypes.c_uint64 * (words * width))()
    for word in range(words):
        columns[word * width : word * width + len(packed)] = [s[word] for s in packed]
    return columns, width
