"""An engine of twenty lines: what a package has to hold to be one."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.engines import interpret
from specmodel.engines.base.engine import Engine
from specmodel.results import Options, Result

ENGINE = Engine(
    name="breadth",
    package=__name__,
    options=frozenset({"properties", "keep_going", "engine", "workers", "self_check"}),
    no_temporal="the breadth engine decides nothing temporal: {names}",
    walks=False,
    packages=("not-there",),
    use="an engine of a test",
)


def check(design: Design, options: Options) -> Result:
    """What the interpreter finds."""
    return interpret.check(design, options)
