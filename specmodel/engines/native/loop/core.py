"""The search core as machine code, for one number of words a state."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.engines.native.loop import frontier, levels, sampling, sending, sources, steps
from specmodel.machine import objects
from specmodel.machine.build import Code, build

ENTRIES: tuple[Callable[..., Any], ...] = (
    steps.expand_chunk,
    steps.insert_chunk,
    steps.copy_states,
    steps.rehash,
    sending.begin_fresh,
    sending.flush,
    levels.drain,
    levels.look_at,
    levels.settle,
    levels.search,
    frontier.take_level,
    frontier.add_unread,
    frontier.offer,
    sources.gather,
    sources.take_rows,
    sources.offer_sources,
    sampling.sample,
)


@dataclass(frozen=True)
class Functions:
    """Addresses of a kernel's functions, 0 for none. `bindings`: the most successors of a state."""

    expand: int
    bindings: int
    keep: int = 0
    canon: int = 0
    check: int = 0


@dataclass(frozen=True)
class Core:
    """The steps of `specmodel.engines.native.loop.steps` and other modules of machine Python.

    Calls leave Python's lock to others.
    """

    words: int
    row_words: int
    """Words of a table row: fewer than those of a state if the table holds fingerprints."""
    code: Code


def bucket_rows(words: int) -> int:
    """The rows of a bucket, for rows of `words` words: as many as fill a cache line, or else 1."""
    return 8 // words if 8 % words == 0 else 1


def table_constants(words: int, row: int) -> dict[str, int]:
    """The constants to translate machine Python for a table: words of a state, and of a row."""
    rows = bucket_rows(row)
    firsts = sum(1 << k * row for k in range(rows))
    return {"W": words, "KEY": words, "R": row, "BUCKET": rows, "ROWS": firsts}


def core_constants(words: int, fingerprints: bool = False, key: int = 0) -> dict[str, int]:
    """The same for a table of states, which their first `key` words tell apart if that is not 0, or
    of their fingerprints."""
    row = 1 if fingerprints else words
    more = {"FINGERPRINTS": int(fingerprints), "KEY": key or words}
    return {**table_constants(words, row), **more}


@functools.cache
def load_core(
    words: int, target: objects.Target | None = None, fingerprints: bool = False, key: int = 0
) -> Core:
    """The core for states of `words` words, for this machine unless another target is given.

    With `fingerprints`, tables hold fingerprints instead of states: see
    `specmodel.engines.native.loop.fingerprints`. Unless `key` is 0, states with the same first
    `key` words count as one.
    """
    code = build(ENTRIES, core_constants(words, fingerprints, key), target)
    return Core(words, 1 if fingerprints else words, code)
