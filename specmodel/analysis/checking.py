"""Loads a design, checks it, simulates it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specmodel.constants import Value
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.engines.base.bounds import within_bounds
from specmodel.errors import UsageError, suggestion
from specmodel.model.model import Interpreted
from specmodel.options import CHECKPOINT_EVERY, Options, Progress, SelfChecked
from specmodel.resources import processors
from specmodel.results import Result, Simulation, Trace, WalkProgress
from specmodel.stores import here, place
from specmodel.suite.targets import load_target

if TYPE_CHECKING:
    from specmodel.walks.plan import WalkPlan

MOST_DEFAULT_WORKERS = 8


def load(target: str | Path, /, *, profile: str = "", **constants: Value) -> Design:
    """Returns the design of a target, with constants bound.

    A target is a design's name, the path of its YAML file, or a Python file's spec (`file.py:spec`,
    or `file.py` if it has one spec). `profile` names a set of constants in the design's YAML file;
    `constants` override it. Raises UsageError for a wrong name, path or constant, and SpecError for
    a mistake in the file.
    """
    return load_target(str(target), constants, profile)


def check(
    target: str | Path | Design,
    options: Options | None = None,
    /,
    *,
    engine: str = registry.DEFAULT,
    properties: Sequence[str] | None = None,
    keep_going: bool = False,
    deadlock: bool | None = None,
    symmetry: bool | None = None,
    partial_order: bool = False,
    workers: int | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    query_timeout: float | None = None,
    spill: str | Path | None = None,
    compress: bool = False,
    fingerprint: bool = False,
    checkpoint: str | Path | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    resume: bool = False,
    remark: Callable[[str], None] | None = None,
    coverage: bool = False,
    master: str | None = None,
    run: str | Path | None = None,
    save_space: str | Path | None = None,
    self_check: SelfChecked = None,
    progress: Callable[[Progress], None] | None = None,
    **constants: Value,
) -> Result:
    """Explores a design and returns which of its properties hold.

    The options are given by name, or as one `Options`. `properties` names those to check (default:
    the design's own choice); `keep_going` explores the whole space past a violation; `deadlock`
    also reports states without a successor; `symmetry` takes states that differ only in the names
    of symmetric actors for one, if the spec treats them alike (default: the design's own choice);
    `partial_order` leaves out orders of steps that make no difference to invariants, and may give
    longer counterexamples. `workers` is the number of threads (default: the cores, at most 8).
    Limits: `max_states` and `max_depth` as counted in the result, `max_memory` in bytes, `timeout`
    in seconds; a search that reaches one is incomplete. `query_timeout`, in seconds, is for each
    question that the smt engine asks its solver. `coverage` counts how often each coverage point is
    reached. `progress` is called regularly. `constants` are for a target that is not yet loaded.

    With `spill`, a folder, states go to disk when `max_memory` is reached; with `compress` they
    take less memory and more time; with `fingerprint` only 64 bits of each are kept, and
    `Result.omission` bounds the probability that one was taken for another and omitted.
    `checkpoint` is a folder for a checkpoint, written `checkpoint_every` seconds after the last (at
    the end of a level) and when the search ends early; with `resume` the search continues from the
    one that is there, if there is one. `remark` gets remarks meanwhile, such as that a disk is
    full.

    With the spark engine `master` is the cluster (default: this machine), and `run` a folder for
    the whole run, which is continued if it exists. `save_space` is a folder for the states and the
    steps between them as Parquet files, for `specmodel.space.open` and `specmodel stats`, `diff`
    and `query`; if saving fails, there is a remark, and `Result.saved` is None. Both folders may be
    URLs, as s3://bucket/space. `self_check` is the number of states that are compared with CPython:
    a number, "all", or 0 for none (default: at least 50, more while that takes little time).

    Raises the errors of `load`, SpecFailure, with a trace, when the spec itself fails during the
    search, Disagreement if the engine and CPython differ about a state, CheckpointError for a
    checkpoint of another search or a damaged one, and with symmetry SpecError where the spec
    distinguishes symmetric actors.
    """
    given = dict(locals())
    design = loaded(target, constants)
    named = options_of(design, given)
    if options is not None and named != options_of(design, {}):
        raise UsageError("give check its options as one value, or by name, not both")
    wanted = options or named
    refuse_wrong(wanted)
    return registry.engine(wanted.engine).check(design, wanted)


def options_of(design: Design, given: Mapping[str, Any]) -> Options:
    """The options of a check of a design, from those that are given by name.

    Paths may be texts. Options that are not given have the values that the design or machine
    chooses.
    """
    held = _held(Options, given)
    held.setdefault("symmetry", design.symmetry)
    return Options(**held)


def _held(kind: type[Options | WalkPlan], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given fields of a class of options."""
    held: dict[str, Any] = {"workers": default_workers()}
    held |= {f.name: given[f.name] for f in fields(kind) if given.get(f.name) is not None}
    for name in held.keys() & {"spill", "checkpoint"}:
        held[name] = here(held[name], f"--{name}")
    for name in held.keys() & {"run", "save_space", "save_walks"}:
        held[name] = place(held[name])
    held["properties"] = tuple(held.get("properties", ())) or None
    return held


def simulate(
    target: str | Path | Design,
    /,
    *,
    walks: int | None = None,
    depth: int | None = None,
    seed: int = 0,
    strategy: str = "uniform",
    weights: Mapping[str, int] | None = None,
    order: int | None = None,
    timeout: float | None = None,
    engine: str = registry.DEFAULT,
    properties: Sequence[str] | None = None,
    deadlock: bool | None = None,
    workers: int | None = None,
    master: str | None = None,
    save_walks: str | Path | None = None,
    self_check: SelfChecked = None,
    remark: Callable[[str], None] | None = None,
    progress: Callable[[WalkProgress], None] | None = None,
    **constants: Value,
) -> Simulation:
    """Walks through a design at random until a property is violated or all walks are made.

    `walks` is their number (default: 100,000, unless there is a `timeout`, in seconds), `depth` the
    greatest number of states of one (100), `seed` a number that selects the walks: with the same
    seed they are the same, whatever the number of workers. `strategy` is uniform, weighted (by the
    `weights` of actions, which override those in the design's file), coverage or pct (with `order`,
    PCT's parameter d, 3). `save_walks` is a folder for tables of the walks as Parquet files, for
    `specmodel.space.open` and `specmodel stats` and `query`; if saving fails, there is a remark,
    and `Simulation.saved` is None. The other arguments, `self_check` among them, are those of
    `check`. A violation is reported with a short trace. If there is none, states that were not
    visited may still violate.

    Raises the errors of `load`, UsageError for an impossible plan, and SpecFailure, with a trace,
    when the spec itself fails in a walk.
    """
    given = dict(locals())
    # Walks are not part of a check, and take 76 more modules.
    from specmodel.analysis.simulation import simulate
    from specmodel.walks import plan as plans

    design = loaded(target, constants)
    if strategy not in list(plans.Strategy):
        known = suggestion(strategy, list(plans.Strategy))
        raise UsageError(f'no strategy is called "{strategy}"{known}')
    held = _held(plans.WalkPlan, given)
    held["strategy"] = plans.Strategy(strategy)
    plan = plans.WalkPlan(**held)
    refuse_master(engine, master)
    refuse_wrong_self_check(self_check)
    plans.refuse_wrong(plan, design)
    if isinstance(design.spec, Interpreted):

        def walked(made: Design, left: float | None, told: Callable[[Trace], Trace]) -> Simulation:
            found = simulate(made, replace(plan, timeout=left), engine)
            parts = (replace(p, trace=p.trace and told(p.trace)) for p in found.properties)
            return replace(found, properties=tuple(parts))

        def compiling(told: Progress) -> None:
            if progress is not None:
                progress(WalkProgress(0, 0, told.seconds, told.asking))

        limits = Options(timeout=timeout, progress=compiling, remark=plan.remark)
        return design.spec.compiled(design, limits, walked, walks=True)
    return within_bounds(design, plan, lambda limited: simulate(design, limited, engine))


MOST_WORKERS = 512
"""The greatest number of threads of a search: each has chunks for what it sends to others."""


def default_workers() -> int:
    """The processors that this process may use, at most 8."""
    return min(processors(), MOST_DEFAULT_WORKERS)


def loaded(target: str | Path | Design, constants: Mapping[str, Value]) -> Design:
    """A design; a target is loaded, with the constants. Raises the errors of `load`."""
    if not isinstance(target, Design):
        return load_target(str(target), constants)
    if constants:
        raise UsageError(
            f"{target.name} is loaded already: give {', '.join(constants)} to specmodel.load"
        )
    return target


def refuse_master(engine: str, master: str | None) -> None:
    """Raises UsageError for a cluster if Spark is not used."""
    if master is not None and not registry.engine(engine).cluster:
        raise UsageError("--master goes with --engine spark")


def refuse_series(engine: str, master: str | None = None) -> None:
    """Raises UsageError for an engine that many searches cannot be made with, and a cluster."""
    registry.counting(engine)
    refuse_master(engine, master)


def refuse_wrong(options: Options) -> None:
    """Raises UsageError for limits that are not above 0, and options that exclude each other."""
    limits = ("workers", "max_states", "max_depth", "max_memory", "timeout", "query_timeout")
    for name in (*limits, "checkpoint_every"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            raise UsageError(f"{name} is above 0, not {value}")
    if options.workers > MOST_WORKERS:
        raise UsageError(f"workers is at most {MOST_WORKERS}, not {options.workers}")
    refuse_wrong_self_check(options.self_check)
    if options.coverage and options.resume:
        raise UsageError("coverage counts a search from its beginning: it cannot be resumed")


def refuse_wrong_self_check(asked: SelfChecked) -> None:
    """Raises UsageError for what is neither a number of states nor "all"."""
    if asked not in (None, "all") and (type(asked) is not int or asked < 0):
        raise UsageError(f'self_check is a number of states, "all" or 0, not {asked!r}')
