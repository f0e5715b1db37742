"""Writes the checkpoints of a search, and restores a search from one."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from specmodel.design import Design
from specmodel.engines.native.shard import Shard
from specmodel.engines.native.stores import runs
from specmodel.engines.native.stores.checkpoint import (
    Boundary,
    Checkpoint,
    StateFile,
    write_file,
)
from specmodel.engines.native.stores.run import run_code, run_struct
from specmodel.engines.native.worker_pool import Worker, WorkerPool
from specmodel.errors import UsageError
from specmodel.ir.layout import Layout
from specmodel.kernel.kernel import Kernel
from specmodel.machine import language
from specmodel.machine.words import WORD
from specmodel.results import Options
from specmodel.space.identity import identity_of

OVER_SHARE = 1.02
"""The factor by which a shard may exceed its share of the states before its table grows."""


def open_checkpointing(
    design: Design, options: Options, kernel: Kernel, worker_pool: WorkerPool
) -> Checkpointing | None:
    """The checkpointing that the options ask for, or None. Raises UsageError, CheckpointError."""
    if options.checkpoint is None:
        if options.resume:
            raise UsageError("nothing to resume from: say where with --checkpoint DIR")
        return None
    identity = identity_of(design, options, kernel)
    checkpoint = Checkpoint(options.checkpoint, identity)
    if checkpoint.boundary is not None and not options.resume:
        checkpoint.close()
        raise UsageError(
            f"{options.checkpoint} holds a checkpoint of {design.name} "
            f"({checkpoint.boundary.distinct:,} states): go on from it with --resume, or give "
            "another folder"
        )
    if checkpoint.boundary is not None and options.coverage:
        checkpoint.close()
        raise UsageError(
            "--coverage counts from the beginning of a search, which a checkpoint does not have: "
            "go on without it, or start anew in another folder"
        )
    return Checkpointing(worker_pool, kernel, checkpoint, options.checkpoint_every, options.remark)


class Checkpointing:
    """Keeps the checkpoint of a search. One thread uses it, between levels."""

    def __init__(
        self,
        worker_pool: WorkerPool,
        kernel: Kernel,
        checkpoint: Checkpoint,
        every: float,
        remark: Callable[[str], None] | None,
    ) -> None:
        self.worker_pool = worker_pool
        self.layout = kernel.program.layout
        self.checkpoint = checkpoint
        self.every = every
        self.remark = remark
        self.latest: Boundary | None = None
        self.saved_at = time.monotonic()

    def restore(self) -> Boundary | None:
        """Restores the states of the checkpoint; returns None if there is no checkpoint.

        Raises CheckpointError, MemoryLimit.
        """
        boundary = self.checkpoint.boundary
        if boundary is None:
            return None
        self.worker_pool.each(lambda worker: worker.shard.mark(boundary.level))
        share = int(boundary.distinct / len(self.worker_pool.workers) * OVER_SHARE)
        self.worker_pool.each(lambda worker: worker.shard.reserve(share))
        for file in self.checkpoint.files:
            with _mapped(self.checkpoint.open(file)) as address:
                self.worker_pool.each(
                    lambda worker, file=file, address=address: adopt(
                        worker.shard, self.layout, address, file.states
                    )
                )
        self.worker_pool.each(lambda worker: worker.shard.take_level())
        self.worker_pool.findings()  # the checkpoint has these findings
        self.worker_pool.restore_counters(boundary.counters)
        self.latest = boundary
        return boundary

    def reached(self, boundary: Boundary) -> None:
        """Called when a level is complete; writes a checkpoint if the last one was long ago."""
        self.latest = boundary
        if time.monotonic() - self.saved_at >= self.every:
            self.save()

    def finish(self, complete: bool) -> None:
        """Called when the search has ended.

        `complete` is false if there are more states to search.
        """
        if complete:
            self.checkpoint.discard()
        else:
            self.save()

    def save(self) -> None:
        """Writes a checkpoint of the last complete level. A full disk gives a remark."""
        saved = self.checkpoint.boundary
        if self.latest is None or (saved is not None and saved.level == self.latest.level):
            return
        low = 0 if saved is None else saved.level + 1
        try:
            self.checkpoint.save(self.latest, lambda path: self._write(path, low))
        except OSError as wrong:
            kept = (
                f"the last is that of {saved.distinct:,} states" if saved else "there is none yet"
            )
            self._warn(
                f"no checkpoint could be written to {self.checkpoint.folder} "
                f"({wrong.strerror or wrong}); {kept}"
            )
        self.saved_at = time.monotonic()

    def _warn(self, message: str) -> None:
        if self.remark is not None:
            self.remark(message)

    def _write(self, new_path: Callable[[], Path], low: int) -> list[StateFile]:
        """Writes the states of levels from `low` to the last complete one, one file per shard."""
        assert self.latest is not None
        if low > self.latest.level:
            return []
        levels = low, self.latest.level
        paths = {worker: new_path() for worker in self.worker_pool.workers}
        written = self.worker_pool.each(
            lambda worker: self._write_shard(worker, levels, paths[worker])
        )
        return [file for file in written if file.states]

    def _write_shard(self, worker: Worker, levels: tuple[int, int], path: Path) -> StateFile:
        size, contents = write_file(path, worker.shard.packed(*levels))
        return StateFile(path.name, size // (self.layout.words * WORD), *levels, size, contents)


def adopt(shard: Shard, layout: Layout, rows: int, states: int) -> None:
    """Inserts the shard's own states, of given rows, into its table, which has none of them yet.

    `rows` is the address of the rows. The states of the shard's present level become fresh as well.
    The rows come in the order of their hashes. If the table has no room for all of them, this takes
    groups of rows from distant places; otherwise all would belong into the same few buckets. Raises
    MemoryLimit or DiskFull, after which the shard must not be used.
    """
    take = run_code(layout.words)[runs.adopt_rows]
    run = run_struct(layout, 0, rows, states)
    groups = states // runs.GROUP
    step = 1 if shard.has_room(states) else _scattering(groups)
    shard.work(lambda own: take(own, language.address(run), step))


def _scattering(groups: int) -> int:
    """A step size that visits every group once, with near groups at distant times."""
    step = max(1, int(groups * 0.618))
    while math.gcd(step, groups) != 1:
        step += 1
    return step


class _mapped:  # noqa: N801 - used as `with mapped(path) as address`
    """The address of a file's contents while it is needed."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(
                file.fileno(), os.fstat(file.fileno()).st_size, access=mmap.ACCESS_COPY
            )

    def __enter__(self) -> int:
        self._view: Any = ctypes.c_char.from_buffer(self._map)
        return ctypes.addressof(self._view)

    def __exit__(self, *error: object) -> None:
        del self._view
        self._map.close()
