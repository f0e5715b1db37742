"""Finds a shortest behaviour that leads to a state that the user describes."""

from __future__ import annotations

from dataclasses import replace

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import UsageError
from specmodel.model.model import Interpreted
from specmodel.results import Options, Result, SpecFailure, Trace

SOUGHT = "not_sought"
"""The name of the invariant that is violated in the wanted states."""

PASSED = "passed"
"""The name of the property of the states that the behaviour has to pass."""

FEW_STATES = 1_000_000
"""A search of this number of states takes a second or a few; after that, formulas are tried."""

_FIRST = ("len(log) > 0 and log[0] == 1", r"log # <<>> /\ log[1] = 1")
"""Expressions that say first when they have a value, in Python and in TLA+."""

ENGINES = ("auto", "native", "interpret", "smt")


@dataclass(frozen=True)
class Solution:
    """The result of `solve`.

    `trace` leads to a state in which `reach` is true, through one in which `start` is, if that was
    given; `passed` is the index of that state. If `trace` is None, there is no such behaviour, or,
    if `result` is not complete, none was found so far.
    """

    design: Design
    reach: str
    start: str
    trace: Trace | None
    passed: int | None
    result: Result


def solve(
    design: Design,
    reach: str,
    start: str = "",
    engine: str = "auto",
    options: Options = Options(),
) -> Solution:
    """The shortest behaviour to a state where an expression is true, through another state if
    given.

    `engine` is "auto" (a search of a moderate number of states, then formulas), or one of those of
    a check; only "smt" can use `start`. Raises ExpressionError for a wrong expression, SpecFailure
    if the spec fails on the way, UsageError if an expression does, and for an engine that does not
    support this.
    """
    _refuse_wrong(engine, start)
    if start and isinstance(design.spec, Interpreted):
        raise UsageError("--from is for formulas, which a TLA+ module does not have")
    spec = design.spec.asking("invariant", SOUGHT, reach, "--reach", holds=False)
    if start:
        spec = spec.asking("reachable", PASSED, start, "--from")
    asked = replace(design, spec=spec, symmetry=False)
    options = replace(options, properties=(SOUGHT,), deadlock=False)
    try:
        result = _search(asked, start, engine, options)
    except SpecFailure as failure:
        named = {SOUGHT: ("--reach", reach), PASSED: ("--from", start)}.get(failure.where)
        if named is None:
            raise
        raise UsageError(
            f"{named[0]}: `{named[1]}` has no value in some state on the way ({failure.message}): "
            f"say first when it has, as in `{_FIRST[isinstance(spec, Interpreted)]}`"
        ) from None
    trace = result[SOUGHT].trace
    passed = None
    if start and trace is not None:
        here = design.spec.expressions().condition(start, "--from")
        passed = next(i for i, state in enumerate(trace.states) if here.value(state))
    return Solution(design, reach, start, trace, passed, result)


def _search(design: Design, start: str, engine: str, options: Options) -> Result:
    if isinstance(design.spec, Interpreted):
        chosen = options if engine == "auto" else replace(options, engine=engine)
        return design.spec.search(design, chosen)
    if start:
        from specmodel.engines.smt.search import check_through

        through = next(rule for rule in design.spec.properties if rule.name == PASSED)
        return check_through(design, options, through)
    if engine != "auto":
        return registry.engine(engine).check(design, _fitting(engine, options))
    quick = replace(_fitting("native", options), max_states=FEW_STATES)
    result = registry.engine("native").check(design, quick)
    if result.stopped != "max-states":
        return result
    return registry.engine("smt").check(design, options)


def _fitting(engine: str, options: Options) -> Options:
    """The options without those for a solver."""
    return options if engine == "smt" else replace(options, query_timeout=None)


def _refuse_wrong(engine: str, start: str) -> None:
    if engine not in ENGINES:
        raise UsageError(f'--engine is {", ".join(ENGINES[:-1])} or smt, not "{engine}"')
    if start and engine not in ("auto", "smt"):
        raise UsageError(f"--from is for formulas: use --engine smt, not {engine}")
