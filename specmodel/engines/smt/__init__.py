"""Bounded model checking: whether Z3 finds a behaviour of some length that violates a property."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specmodel.engines.base.engine import Engine, options_but
from specmodel.options import Options

if TYPE_CHECKING:
    from specmodel.design import Design
    from specmodel.results import Result

_NO_STATES = (
    "{option} is about states that a search keeps, and the smt engine keeps none: use the "
    "native engine, or limit it with --max-depth, --timeout or --query-timeout"
)

REFUSALS = {
    **{name: _NO_STATES for name in ("max_states", "max_memory", "spill", "compress")},
    **{name: _NO_STATES for name in ("fingerprint", "checkpoint", "resume", "save_space")},
    **{name: _NO_STATES for name in ("partial_order", "coverage")},
    "master": "{option} goes with --engine spark",
    "run": "{option} goes with --engine spark",
}

SMT = Engine(
    name="smt",
    package=__name__,
    options=options_but(*REFUSALS),
    refusals=REFUSALS,
    no_temporal="temporal properties ({names}) are about behaviours without end, and "
    "the smt engine looks at those of some length: check other properties alone with "
    "--invariant NAME, or use the native engine",
    counts=False,
    walks=False,
    packages=("z3-solver",),
    use="proofs with Z3",
)


def check(design: Design, options: Options = Options()) -> Result:
    """See `specmodel.engines.smt.search.check`."""
    from specmodel.engines.smt import search  # imports Z3

    return search.check(design, options)


__all__ = ["SMT", "check"]
