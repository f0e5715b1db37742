"""The checker from Python: `load` a design, `check` it, and ask what takes many checks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import UsageError, suggestion
from specmodel.lang.constants import Value
from specmodel.results import (
    CHECKPOINT_EVERY,
    Options,
    Progress,
    Result,
    Simulation,
    WalkProgress,
)
from specmodel.suite.targets import load_target

if TYPE_CHECKING:
    from specmodel.analysis.ablation import AblationTable
    from specmodel.analysis.comparison import Comparison
    from specmodel.analysis.counterexamples import Counterexamples
    from specmodel.analysis.equality import Equality
    from specmodel.analysis.minimising import Minimised
    from specmodel.analysis.reasons import Reasons
    from specmodel.analysis.rival import Replayed
    from specmodel.analysis.solving import Solution
    from specmodel.analysis.sweep import Sweep
    from specmodel.graphs.model import Graph
    from specmodel.proof import Proof

MOST_DEFAULT_WORKERS = 8


def load(target: str | Path, /, *, profile: str = "", **constants: Value) -> Design:
    """The design that a target names, with constants bound.

    A target is a design's name, the path of its YAML file, or a Python file's spec (`file.py:spec`,
    or `file.py` if it has one spec). `profile` names a set of constants in the design's YAML file;
    `constants` override it. Raises UsageError for a wrong name, path or constant, and SpecError for
    a mistake in the file.
    """
    return load_target(str(target), constants, profile)


def check(
    target: str | Path | Design,
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
    progress: Callable[[Progress], None] | None = None,
    **constants: Value,
) -> Result:
    """Explore a design and say which of its properties hold.

    `properties` names those to check (default: the design's own choice); `keep_going` explores the
    whole space past a violation; `deadlock` also reports states without a successor; `symmetry`
    takes states that differ only in the names of symmetric actors for one, if the spec treats them
    alike (default: the design's own choice); `partial_order` leaves out orders of steps that make
    no difference to invariants, at the price of longer counterexamples. `workers` is the number of
    threads (default: the cores, at most 8). Limits: `max_states` and `max_depth` as counted in the
    result, `max_memory` in bytes, `timeout` in seconds; a search that reaches one is incomplete.
    `query_timeout`, in seconds, is for each question that the smt engine asks its solver.
    `coverage` counts how often each point of the spec's code is reached. `progress` is called now
    and then. `constants` are for a target that is not yet loaded.

    With `spill`, a folder, states go to disk when `max_memory` is reached; with `compress` they
    take less memory and more time; with `fingerprint` only 64 bits of each are kept, and
    `Result.omission` says how likely it is that one was taken for another and omitted.
    `checkpoint` is a folder in which a checkpoint is kept, written `checkpoint_every` seconds after
    the last (at the end of a level) and when the search ends early; with `resume` it goes on from
    the one that is there, if there is one. `remark` is told what is worth knowing meanwhile, such
    as a disk that is full.

    With the spark engine `master` is the cluster to work on (default: this machine), and `run` a
    folder in which all of the run is kept, and gone on with if it is there.
    `save_space` is a folder in which the states and the steps between them are left as Parquet
    files, for `specmodel.space.open` and `specmodel stats`, `diff` and `query`; what cannot be
    saved is remarked on, and `Result.saved` is None then.

    Raises what `load` does, SpecFailure, with a trace, when the spec itself fails during the
    search, CheckpointError for a checkpoint of another search or a damaged one, and with symmetry
    SpecError where the spec tells symmetric actors apart.
    """
    design = _loaded(target, constants)
    options = Options(
        properties=tuple(properties) if properties else None,
        keep_going=keep_going,
        deadlock=deadlock,
        symmetry=design.symmetry if symmetry is None else symmetry,
        partial_order=partial_order,
        workers=default_workers() if workers is None else workers,
        max_states=max_states,
        max_depth=max_depth,
        max_memory=max_memory,
        timeout=timeout,
        query_timeout=query_timeout,
        spill=None if spill is None else Path(spill),
        compress=compress,
        fingerprint=fingerprint,
        checkpoint=None if checkpoint is None else Path(checkpoint),
        checkpoint_every=checkpoint_every,
        resume=resume,
        remark=remark,
        coverage=coverage,
        master=master,
        run=None if run is None else Path(run),
        save_space=None if save_space is None else Path(save_space),
        progress=progress,
    )
    _refuse_wrong(options)
    _refuse_master(engine, options.master, options.run)
    if query_timeout is not None and engine != "smt":
        raise UsageError(f"the {engine} engine asks no solver: query_timeout is for smt")
    return registry.engine(engine)(design, options)


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
    progress: Callable[[WalkProgress], None] | None = None,
    **constants: Value,
) -> Simulation:
    """Walk through a design at random until something is violated or it has been walked enough.

    `walks` is how many (default: 100,000, unless there is a `timeout`, in seconds), `depth` the
    most states of one (100), `seed` a number that the walks depend on; with the same seed they are
    the same, whatever the number of workers. `strategy` is uniform, weighted (by the `weights` of
    actions, over those in the design's file), coverage or pct (with `order`, PCT's parameter d, 3).
    The other arguments are those of `check`. A violation is reported with a short trace; that there
    is none shows nothing of what was not visited.

    Raises what `load` does, UsageError for a plan that makes no sense, and SpecFailure, with a
    trace, when the spec itself fails in a walk.
    """
    from specmodel.walks import plan as plans
    from specmodel.walks.run import simulate

    design = _loaded(target, constants)
    if strategy not in list(plans.Strategy):
        known = suggestion(strategy, list(plans.Strategy))
        raise UsageError(f'no strategy is called "{strategy}"{known}')
    plan = plans.Plan(
        walks=walks,
        depth=plans.DEFAULT_DEPTH if depth is None else depth,
        seed=seed,
        strategy=plans.Strategy(strategy),
        weights=dict(weights or {}),
        order=plans.DEFAULT_ORDER if order is None else order,
        timeout=timeout,
        properties=tuple(properties) if properties else None,
        deadlock=deadlock,
        workers=default_workers() if workers is None else workers,
        master=master,
        progress=progress,
    )
    _refuse_master(engine, master)
    plans.refuse_wrong(plan, design)
    return simulate(design, plan, engine)


def counterexamples(
    target: str | Path | Design,
    name: str = "",
    /,
    *,
    most: int = 5,
    longer: int = 4,
    max_states: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    **constants: Value,
) -> Counterexamples:
    """Counterexamples to a property that differ in what happens, and the graph of all the shortest.

    `name` is that of the property (default: the first that is violated); a reachable one has
    witnesses instead. There are at most `most`, none more than `longer` states longer than the
    shortest. Limits as for `check`, for each search. Raises what `load` does, UsageError if there
    is none, and SpecmodelError if a limit is reached before there is one.
    """
    from specmodel.analysis.counterexamples import counterexamples
    from specmodel.analysis.searches import Limits

    for given, least, what in ((most, 1, "most"), (longer, 0, "longer")):
        if given < least:
            raise UsageError(f"{what} is {least} or more, not {given}")
    design = _loaded(target, constants)
    limits = Limits(max_states, max_memory, timeout)
    return counterexamples(design, name, most=most, longer=longer, limits=limits)


def compare(
    *targets: str | Path,
    engine: str = registry.DEFAULT,
    properties: Sequence[str] | None = None,
    workers: int | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    **constants: Value,
) -> Comparison:
    """Check designs, say how their actions differ, replay each counterexample on the others.

    Each design takes those of the constants that it has, and is checked for those of the properties
    that it has. The other arguments are those of `check`, for each search. Raises what `check`
    does, and UsageError for fewer than two designs or constants that differ between them.
    """
    from specmodel.analysis.comparison import chosen, compare, load_rivals

    if len(targets) < 2:
        raise UsageError("a comparison takes two designs or more")
    registry.refuse_uncounting(engine)
    designs = load_rivals([str(target) for target in targets], constants)

    def search(design: Design) -> Result:
        return check(
            design,
            engine=engine,
            properties=names[design.name],
            keep_going=True,
            workers=workers,
            max_states=max_states,
            max_depth=max_depth,
            timeout=timeout,
            progress=progress,
        )

    names = chosen(designs, properties)
    return compare(designs, search)


def replay_trace(
    file: str | Path, /, *, on: str | Path = "", profile: str = "", **constants: Value
) -> Replayed:
    """Replay a trace file (ITF) on its own design, or `on` another, as far as it goes.

    `constants` override those that the file names, `profile` those of the design. Raises UsageError
    for a file that cannot be read or does not fit the design, and what `load` does.
    """
    from specmodel.analysis.rival import replay
    from specmodel.suite.traces import recorded_on

    recording, design = recorded_on(Path(file), str(on), constants, profile)
    return replay(recording, design)


def why(
    file: str | Path,
    /,
    *,
    step: int | None = None,
    action: str = "",
    properties: Sequence[str] | None = None,
    on: str | Path = "",
    profile: str = "",
    **constants: Value,
) -> Reasons:
    """Why an action can or cannot happen in a state of a trace file, and properties hold or not.

    `step` is the number of the state, from 1 (default: the last). `action` is a name, a kind, or
    one of them with arguments: `fetch(follower=r2)`; without it only properties are explained: the
    named ones, or else the design's own choice. `on`, `profile` and `constants` as for
    `replay_trace`, and the same errors.
    """
    from specmodel.analysis.reasons import reasons
    from specmodel.suite.traces import read_on

    recorded, design = read_on(Path(file), str(on), constants, profile)
    return reasons(recorded, design, step, action, properties)


def ablate(
    target: str | Path | Design,
    /,
    *,
    actions: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    engine: str = registry.DEFAULT,
    jobs: int = 1,
    max_states: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **constants: Value,
) -> AblationTable:
    """Weaken each rule of a design alone, and say which of its properties that breaks.

    The rules are the conditions of its guards, and its actions that other designs of the same files
    have others for; `actions` restricts them to those of some. `jobs` searches run side by side in
    processes of one thread each (one: in this process, with all threads). Limits hold for each
    search. `progress` is told how many of how many are done. Raises what `check` does.
    """
    from specmodel.analysis.ablation import ablate
    from specmodel.analysis.searches import Limits

    registry.refuse_uncounting(engine)
    return ablate(
        _loaded(target, constants),
        actions=actions,
        properties=properties,
        engine=engine,
        limits=Limits(max_states, max_memory, timeout),
        jobs=jobs,
        progress=progress,
    )


def sweep(
    *targets: str | Path | Design,
    vary: Mapping[str, Iterable[Value]],
    properties: Sequence[str] | None = None,
    engine: str = registry.DEFAULT,
    jobs: int = 1,
    master: str | None = None,
    kept: str | Path | None = None,
    max_states: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **constants: Value,
) -> Sweep:
    """Check designs at every combination of values: `vary={"replicas": range(2, 4)}`.

    `kept` is a file: what it has is not searched again, and what is found is added to it at once.
    With the spark engine each search is a task of Spark, on the cluster that `master` names. The
    other arguments are those of `ablate`. Raises what `check` does, and UsageError for a value that
    a constant cannot have.
    """
    from specmodel.analysis.kept import Kept
    from specmodel.analysis.searches import Limits
    from specmodel.analysis.sweep import sweep

    if not targets or not vary:
        raise UsageError("a sweep takes a design and constants to vary")
    registry.refuse_uncounting(engine)
    _refuse_master(engine, master)
    return sweep(
        [_loaded(target, constants) for target in targets],
        {name: tuple(values) for name, values in vary.items()},
        properties=properties,
        engine=engine,
        limits=Limits(max_states, max_memory, timeout),
        jobs=jobs,
        master=master,
        kept=None if kept is None else Kept(Path(kept)),
        progress=progress,
    )


def solve(
    target: str | Path | Design,
    reach: str,
    start: str = "",
    /,
    *,
    engine: str = "auto",
    max_depth: int | None = None,
    timeout: float | None = None,
    query_timeout: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    **constants: Value,
) -> Solution:
    """A shortest behaviour to a state in which an expression is true, if there is one.

    It passes a state in which the expression `start` is true, if given. `engine` is "auto" (a
    search of up to a million states, and where that is not enough, z3), "native", "interpret" or
    "smt", which alone is for `start`. The other arguments are those of `check`. Raises
    ExpressionError for a wrong expression, and what `check` does.
    """
    from specmodel.analysis.solving import solve

    options = Options(
        workers=default_workers(),
        max_depth=max_depth,
        timeout=timeout,
        query_timeout=query_timeout,
        progress=progress,
    )
    _refuse_wrong(options)
    return solve(_loaded(target, constants), reach, start, engine, options)


def equal(
    one: str | Path,
    other: str | Path,
    /,
    *,
    assume: Sequence[str] = (),
    query_timeout: float | None = None,
    **constants: Value,
) -> Equality:
    """Whether two designs over the same state do the same in every state of its domain.

    Their actions are compared by z3, one by one, for all states in which the invariants of the
    first to `assume` hold, reachable or not. `query_timeout` is seconds for each action. Raises
    what `load` does, and UsageError for states that differ and constants that only one has.
    """
    from specmodel.analysis.comparison import load_rivals
    from specmodel.analysis.equality import equality

    first, second = load_rivals([str(one), str(other)], constants)
    return equality(first, second, assume, query_timeout)


def minimise(
    file: str | Path,
    /,
    *,
    finding: str = "",
    main: Sequence[str] | None = None,
    on: str | Path = "",
    profile: str = "",
    max_states: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    **constants: Value,
) -> Minimised:
    """The simplest trace that violates the same property as a trace file (ITF) does at its end.

    `finding` names the property if the file does not; for a reachable one it is the simplest trace
    that meets it. `main` are the actions of the main path (default: see `specmodel minimise`).
    `on`, `profile` and `constants` as for `replay_trace`, limits as for `check`. Raises UsageError
    for a trace that does not replay or shows nothing, what `load` does, and SpecmodelError if a
    limit is reached first.
    """
    from specmodel.analysis.minimising import found_by, minimise
    from specmodel.analysis.searches import Limits
    from specmodel.suite.traces import read_on

    recorded, design = read_on(Path(file), str(on), constants, profile)
    trace, name = found_by(recorded, design, finding)
    return minimise(design, trace, name, main=main, limits=Limits(max_states, max_memory, timeout))


def prove(
    target: str | Path | Design,
    /,
    *,
    properties: Sequence[str] | None = None,
    lemmas: Sequence[str] | None = None,
    assumed: Sequence[str] = (),
    path: int = 1,
    drop: bool = False,
    cores: bool = False,
    strengthen: bool = False,
    every: Sequence[str] = (),
    query_timeout: float | None = 60.0,
    timeout: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **constants: Value,
) -> Proof:
    """Try to prove that properties hold however long a design runs, by induction, with Z3.

    `properties` names invariants and transition properties (default: all that the design checks),
    `lemmas` invariants that are proved beside them and may be used (default: the others that the
    design checks), `assumed` those that are taken for granted. `path` is how many states in a row
    are assumed to meet the claims: more than 1 is k-induction. With `drop` lemmas that a step can
    break are given up; with `cores` it is found out which lemmas are not needed: that takes longer.
    With `strengthen` simple claims over the state are tried as lemmas (`proof/candidates.py`).
    `every` names constants to prove for all values of, from some on; they are raised to what that
    takes (`proof/cutoff.py`). Limits, in seconds: `query_timeout` for a question, `timeout` for
    all. `progress` is told how many questions were asked, and of how many.

    Raises what `load` does, UsageError for a property that is no invariant and where z3 is not
    installed.
    """
    from specmodel.proof import Limits
    from specmodel.proof import prove as proved
    from specmodel.proof.candidates import candidates
    from specmodel.proof.claims import planned
    from specmodel.proof.cutoff import widened, windows

    design = _loaded(target, constants)
    if path < 1:
        raise UsageError(f"path is {path}: it has to be at least 1")
    plan = planned(design, properties, lemmas, assumed)
    if every:
        if path > 1:
            raise UsageError("k-induction proves nothing for every value of a constant: use path=1")
        design = widened(design, plan, every)
        plan = planned(design, properties, lemmas, assumed)
    limits = Limits(query_timeout, timeout)
    if strengthen and (every or path > 1):
        raise UsageError("lemmas are looked for at given bounds, and for plain induction only")
    free = windows(design, every)
    tried = candidates(design) if strengthen else []
    return proved(design, plan, limits, path, drop, cores or strengthen, tried, free, progress)


def graph(
    target: str | Path | Design,
    /,
    *,
    by: Sequence[str] = (),
    by_depth: bool = False,
    by_action: bool = False,
    around: str = "",
    hops: int = 1,
    most: int = 1000,
    max_states: int = 1_000_000,
    **constants: Value,
) -> Graph:
    """The state graph of a design, a projection of it, or the part around a state.

    The arguments are those of `specmodel graph`: `by` are expressions, `around` one or the number
    of a state. A notebook shows the graph; its `nodes` and `edges` are plain values. Raises
    ExpressionError for a wrong expression, UsageError for more than `most` nodes, and what `load`
    does.
    """
    from specmodel.graphs.requests import Wanted, states_graph

    wanted = Wanted(tuple(by), by_depth, by_action, around, hops, most, max_states)
    return states_graph(_loaded(target, constants), wanted)


def default_workers() -> int:
    """The cores this process may use, at most 8."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_DEFAULT_WORKERS)
    return min(os.cpu_count() or 1, MOST_DEFAULT_WORKERS)


def _loaded(target: str | Path | Design, constants: Mapping[str, Value]) -> Design:
    if not isinstance(target, Design):
        return load_target(str(target), constants)
    if constants:
        raise UsageError(
            f"{target.name} is loaded already: give {', '.join(constants)} to specmodel.load"
        )
    return target


def _refuse_master(engine: str, *given: object) -> None:
    """Raises UsageError for what says how to use Spark where that is not used."""
    if engine != "spark" and any(value is not None for value in given):
        raise UsageError("--master and --run go with --engine spark")


def _refuse_wrong(options: Options) -> None:
    limits = ("workers", "max_states", "max_depth", "max_memory", "timeout", "query_timeout")
    for name in (*limits, "checkpoint_every"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            raise UsageError(f"{name} is above 0, not {value}")
    if options.coverage and options.resume:
        raise UsageError("coverage counts a search from its beginning: it cannot be resumed")
