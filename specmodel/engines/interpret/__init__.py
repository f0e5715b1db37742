"""The interpreter: runs the spec's own functions under CPython. Slow, obvious: the oracle."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.results import Options, Result


def check(design: Design, options: Options = Options()) -> Result:
    """As `specmodel.engines.interpret.search.check`."""
    # Other engines need the interpreter's steps and not its search, which takes 15 ms to import.
    from specmodel.engines.interpret import search

    return search.check(design, options)


__all__ = ["check"]
