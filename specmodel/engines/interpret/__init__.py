"""The interpreter: runs the spec's own functions under CPython. Slow: the reference engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specmodel.engines.base.engine import Engine, options_but
from specmodel.options import Options

if TYPE_CHECKING:
    from specmodel.design import Design
    from specmodel.results import Result

_OWN_WAY = "the interpreter keeps states its own way: use the native engine"
_NO_CHECKPOINT = "the interpreter keeps no checkpoints: use the native engine"

REFUSALS = {
    "partial_order": "partial-order reduction is part of the native engine only",
    "spill": _OWN_WAY,
    "compress": _OWN_WAY,
    "fingerprint": _OWN_WAY,
    "checkpoint": _NO_CHECKPOINT,
    "resume": _NO_CHECKPOINT,
    "save_space": "the interpreter saves no space: use the native engine",
    "master": "{option} goes with --engine spark",
    "run": "{option} goes with --engine spark",
    "query_timeout": "the interpret engine asks no solver: query_timeout is for smt",
}

INTERPRET = Engine(
    name="interpret",
    package=__name__,
    options=options_but(*REFUSALS),
    refusals=REFUSALS,
    shortens=5_000,
)


def check(design: Design, options: Options = Options()) -> Result:
    """See `specmodel.engines.interpret.search.check`."""
    # Other engines need the interpreter's steps but not its search, which takes 15 ms to import.
    from specmodel.engines.interpret import search

    return search.check(design, options)


__all__ = ["INTERPRET", "check"]
