"""Shards that search together."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.engines.native.loop.chunks import ChunkPool
from specmodel.engines.native.loop.core import Functions, load_core
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.loop.shared import SharedMemory
from specmodel.engines.native.loop.sizes import Sizes
from specmodel.engines.native.shard import Shard
from specmodel.machine.words import WORD
from specmodel.resources import processors

LOOKS = 20_000
"""Reads of a shared word, about half a millisecond, before a worker sleeps."""


def open_shards(
    words: int,
    tag_shift: int,
    kernel: Functions,
    contexts: Sequence[int],
    memory: Memory,
    sizes: Sizes | None = None,
    fingerprints: bool = False,
    states: int = 0,
    key: int = 0,
) -> list[Shard]:
    """Connected empty shards, one for each kernel context (address). Raises MemoryLimit.

    With `fingerprints`, their tables hold fingerprints, so the states cannot be read back. Without
    `sizes`, their sizes are those of a search, of `states` states if the number is known. `key` is
    as in `load_core`.
    """
    core = load_core(words, fingerprints=fingerprints, key=key)
    sizes = sizes or Sizes.of_search(core.row_words * WORD, states)
    sizes = sizes.shared_by(len(contexts)).for_bindings(kernel.bindings)
    pool, shared = ChunkPool(memory, words, sizes.chunk), SharedMemory()
    looks = LOOKS if 1 < len(contexts) <= processors() else 0
    shards = [
        Shard(number, len(contexts), core, kernel, context, tag_shift, pool, sizes)
        for number, context in enumerate(contexts)
    ]
    if len(shards) > 1:
        pool.add()  # what they send each other first is not worth a stop
    inboxes, frontiers = [s.inbox for s in shards], [s.frontier for s in shards]
    for shard in shards:
        shard.connect(inboxes)
        shard.join(shared, frontiers, looks)
    return shards
