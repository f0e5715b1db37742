"""`specmodel check` of a TLA+ module."""

from __future__ import annotations

import dataclasses
import os
import time
from dataclasses import replace
from pathlib import Path

from specmodel.design import Design
from specmodel.engines.base.bounds import LEAST_TIME
from specmodel.errors import Span, SpecError, UsageError
from specmodel.ir.compile_progress import Clock
from specmodel.liveness import Stopped
from specmodel.options import DEFAULT_ENGINE, Options
from specmodel.results import Result, Simulation
from specmodel.tla.actions import COUNTED_ONCE
from specmodel.tla.beside import SearchBeside, search_beside
from specmodel.tla.binders import AMBIGUOUS
from specmodel.tla.model import TlaModel, TlaRule
from specmodel.tla.recursion import deep_stack
from specmodel.tla.search import TlaSearch
from specmodel.tla.shares import SharedSearch
from specmodel.tla.symbolic.kept_types import kept_types
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.unfit import refuse_unfit

_ENGINES = (DEFAULT_ENGINE, "interpret")
_FOLLOWED = (
    "properties", "keep_going", "deadlock", "max_states", "max_depth", "timeout", "engine",
    "remark", "progress", "workers", "max_memory", "compress", "fingerprint", "self_check",
    "save_space", "spill", "checkpoint", "checkpoint_every", "resume", "coverage",
)  # fmt: skip


_OF_COMPILED = ("save_space", "spill", "checkpoint", "coverage")
"""The options that a search by the evaluator does not have."""

_INSTEAD = {"symmetry": "write SYMMETRY in the configuration"}
"""The alternative to an option, or the reason why there is none."""

_UNFINISHED = "unfinished"
"""Why the search beside a compilation ends where this process goes on with it."""

FIRST_STATES = 10_000
FIRST_SECONDS = 1.0
"""A search begins with the evaluator; one that ends within these limits needs no compiled code.

Once it has found all states, it decides the claims about behaviours too."""


def unsupported(flag: str, hint: str = "") -> UsageError:
    """The error about an option that is not followed."""
    return UsageError(f"{flag} is not supported for a TLA+ module{hint and f'; {hint}'}")


def check_module(design: Design, options: Options) -> Result:
    """Searches all states of a module.

    The engine `interpret` evaluates the module; the default one compiles what it can. Raises
    UsageError for an option that is not followed, and SpecFailure with a trace where an expression
    has no value.
    """
    assert isinstance(design.spec, TlaModel)
    spec, remark = design.spec.specification, options.remark
    if options.symmetry and spec.symmetry:
        options = replace(options, symmetry=False)  # the configuration's, which is followed
    for field in dataclasses.fields(Options):
        value = getattr(options, field.name)
        if field.name not in _FOLLOWED and value is not None and value != field.default:
            hint = _INSTEAD.get(field.name, "")
            raise unsupported(f"--{field.name.replace('_', '-')}", hint)
    if options.engine not in _ENGINES:
        raise UsageError(f"a TLA+ module is searched by native or interpret, not {options.engine}")
    if options.engine == "interpret" and (flag := _of_compiled(options)):
        raise UsageError(f"{flag} needs compiled code: leave --engine interpret out")
    if remark is not None and (refused := spec.alias_refused) is not None:
        remark(f"ALIAS is not followed, traces show the variables: {refused.message}")

    def note(what: str, span: Span | None) -> None:
        if remark is not None and span is not None:
            remark(f"{what} ({Path(span.file).name}:{span.line})")

    for name in spec.passed_over:
        note(f"{spec.name} has no {name.name}: as in TLC, its value has no effect", name.span)
    search = evaluated if options.engine == "interpret" else searched
    try:
        result = search(design, options)
    finally:
        choices = "a CHOOSE has several candidates with names: TLC may take another"
        notes = [(span, choices) for span in sorted(AMBIGUOUS)]
        for span in sorted(COUNTED_ONCE):
            notes.append((span, f"TLC may count {span.text()} as several generated states"))
        for span, what in notes:
            note(what, span)
    undecided: list[tuple[str, SpecError]] = []
    for rule in design.chosen(options.properties):
        claim = rule.claim if isinstance(rule, TlaRule) else None
        undecided += [(rule.name, why) for why in (() if claim is None else claim.undecided)]
    after = spec.postcondition if options.properties is None else None
    if after is not None and after.refused is not None:
        undecided.append((after.name.name, after.refused))
    for name, why in undecided:
        note(f"{name} is not decided: {why.message}", why.span)
    return result if after is None else after.judged(result)


def evaluated(design: Design, options: Options) -> Result:
    """The result of a search by the evaluator. Raises SpecFailure."""
    with deep_stack():
        return _evaluator(design, options).run()


def beginning(design: Design) -> TlaSearch:
    """A search by the evaluator that shows what a module's states look like. It has not run."""
    return _evaluator(
        design,
        Options(
            keep_going=True,
            properties=(),
            max_states=FIRST_STATES,
            timeout=FIRST_SECONDS,
            workers=1,
        ),
    )


def _evaluator(design: Design, options: Options) -> TlaSearch:
    return SharedSearch(design, _of_evaluator(options))


def _of_evaluator(options: Options) -> Options:
    return replace(options, engine="interpret", self_check=0)


def searched(design: Design, options: Options) -> Result:
    """The result of a search with compiled code, where that is possible. Raises SpecFailure.

    A small space is evaluated. A remark says why a larger one is. The types that an earlier search
    has found are those of a module that needs compiled code.
    """
    started = time.perf_counter()
    states, seconds = options.max_states, options.timeout
    limited = replace(
        options,
        max_states=FIRST_STATES if states is None else min(states, FIRST_STATES),
        timeout=FIRST_SECONDS if seconds is None else min(seconds, FIRST_SECONDS),
        workers=1,
    )
    short = seconds is not None and seconds <= FIRST_SECONDS
    few = states is not None and states < FIRST_STATES
    first, before = _evaluator(design, limited), None
    if not short:
        first.judging = Clock(seconds)
    known = None if short or few else kept_types(first)
    parallel = options.workers > 1 and hasattr(os, "fork") and not _of_compiled(options)
    # Where time is limited, it may end before compiled code has come as far as the beginning.
    if known is None or (seconds is not None and not parallel):
        with deep_stack():
            before = first.run()
        late = seconds is not None and time.perf_counter() - started >= seconds
        longer = {"timeout": not late, "max-states": not few}.get(before.stopped, False)
        if not longer and not _of_compiled(options):
            return before
    beside: SearchBeside | None = None
    try:
        refuse_unfit(design, options)
        from specmodel.tla.symbolic.running import TypedSearch  # small modules do without

        if parallel:
            beside = search_beside(first, _of_evaluator(replace(options, timeout=None, workers=1)))
        found = TypedSearch(design, options, first, known, beside, started).run()
        if beside is not None and _ended_early(found):
            before = beside.so_far(found.stopped) or before
        return found if before is None else _with_beginning(found, before)
    except Stopped as early:
        so_far = None if beside is None else beside.so_far(early.why)
        return so_far or replace(before or first.result(), complete=False, stopped=early.why)
    except KeyboardInterrupt:
        if beside is None or (found := beside.so_far("interrupted")) is None:
            raise
        return found
    except NotCompiled as wrong:
        if flag := _of_compiled(options):
            what = f"{flag} needs a module that is compiled: {wrong.message}"
            raise SpecError(what, wrong.span) from None
        so_far = None if beside is None else beside.so_far(_UNFINISHED)
        if so_far is not None and so_far.stopped != _UNFINISHED:
            return so_far
        return _evaluated_since(first, options, started, wrong)
    finally:
        if beside is not None:
            beside.end()


def _ended_early(result: Result) -> bool:
    """Whether a search ended when the evaluator may have found more states."""
    return result.stopped in ("timeout", "interrupted") and (result.distinct or 0) < FIRST_STATES


def _of_compiled(options: Options) -> str:
    """The flag of an option that asks for what only a compiled search does; empty without one."""
    flags = (f"--{name.replace('_', '-')}" for name in _OF_COMPILED if getattr(options, name))
    return next(flags, "")


def _with_beginning(result: Result, before: Result) -> Result:
    """A result with the violations that the evaluator has found.

    A search that is stopped may not have come as far again.
    """
    further = result
    ended = result.stopped in ("timeout", "interrupted")
    if ended and (result.distinct or 0) < (before.distinct or 0):
        further = before if before.complete else replace(before, stopped=result.stopped)
    found = {
        each.name: each
        for one in (before, result)
        for each in one.properties
        if each.verdict == "violated"
    }
    properties = tuple(found.get(each.name, each) for each in further.properties)
    return replace(further, properties=properties)


def _evaluated_since(
    first: TlaSearch, options: Options, started: float, why: NotCompiled
) -> Result:
    """The result of a search by the evaluator, because a module cannot be compiled."""
    place = "" if why.span is None else f" ({Path(why.span.file).name}:{why.span.line})"
    if options.remark is not None:
        options.remark(f"the states are evaluated one by one, which is slow: {why.message}{place}")
    if options.timeout is not None:
        left = options.timeout - (time.perf_counter() - started)
        options = replace(options, timeout=max(left, LEAST_TIME))
    with deep_stack():
        return first.going_on(_of_evaluator(options)).run()


def reported(design: Design, result: Result | Simulation) -> Design:
    """The design for reports: what an ALIAS shows of a state cannot be explained."""
    model = design.spec
    assert isinstance(model, TlaModel)
    if not model.specification.alias:
        return design
    told = {found.name for found in result.properties if found.lasso is not None}
    rules = tuple(rule for rule in model.properties if rule.name in told)
    return replace(design, spec=replace(model, properties=rules))
