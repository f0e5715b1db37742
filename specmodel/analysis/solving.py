"""A way to a state that one describes: the shortest behaviour that leads to it, if there is one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import UsageError
from specmodel.results import Options, Result, SpecFailure, Trace

SOUGHT = "not_sought"
"""The name of the invariant that is violated in the states that are sought."""

PASSED = "passed"
"""The name of the property of the states that are to be passed."""

FEW_STATES = 1_000_000
"""As many are searched in a second or a few, before formulas are tried."""

ENGINES = ("auto", "native", "interpret", "smt")


@dataclass(frozen=True)
class Solution:
    """What was found.

    `trace` leads to a state in which `reach` is true, by way of one in which `start` is, if that
    was asked for; `passed` is the index of that one. There is none if `trace` is None: at all, if
    `result` is complete, or else as far as that has looked.
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
    """The shortest behaviour to a state where an expression is true, by way of another if given.

    `engine` is "auto" (a search of a moderate number of states, then formulas), or one of those
    of a check; only "smt" can start somewhere. Raises ExpressionError for a wrong expression,
    SpecFailure if the spec fails on the way, UsageError if an expression does and for an engine
    that cannot do it.
    """
    _refuse_wrong(engine, start)
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
            "say first when it has, as in `len(log) > 0 and log[0] == 1`"
        ) from None
    trace = result[SOUGHT].trace
    passed = None
    if start and trace is not None:
        here = design.spec.expressions().condition(start, "--from")
        passed = next(i for i, state in enumerate(trace.states) if here.value(state))
    return Solution(design, reach, start, trace, passed, result)


def _search(design: Design, start: str, engine: str, options: Options) -> Result:
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
    """The options without what is for a solver alone."""
    return options if engine == "smt" else replace(options, query_timeout=None)


def _refuse_wrong(engine: str, start: str) -> None:
    if engine not in ENGINES:
        raise UsageError(f'--engine is {", ".join(ENGINES[:-1])} or smt, not "{engine}"')
    if start and engine not in ("auto", "smt"):
        raise UsageError(f"--from is for formulas: use --engine smt, not {engine}")
