"""The native engine: packed states, a compiled kernel, and threads that each own some states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specmodel.engines.base.engine import Engine, options_but
from specmodel.options import Options

if TYPE_CHECKING:
    from specmodel.design import Design
    from specmodel.results import Result

NATIVE = Engine(
    name="native",
    package=__name__,
    options=options_but("master", "run", "query_timeout"),
    refusals={
        "master": "{option} goes with --engine spark",
        "run": "{option} goes with --engine spark",
        "query_timeout": "the native engine asks no solver: query_timeout is for smt",
    },
    shortens=1_000_000,
)


def check(design: Design, options: Options = Options()) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails."""
    from specmodel.engines.native.reserve import reserve_for  # `--help` imports this package

    reserve = reserve_for(design, options)
    try:
        from specmodel.engines.native.search import (
            search,  # compiling takes imports that nothing else needs
        )

        return search(design, options, reserve)
    finally:
        if reserve is not None:
            reserve.close()


__all__ = ["NATIVE", "check"]
