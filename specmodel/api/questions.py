"""Questions about designs that take several searches, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from specmodel.analysis.checking import (
    default_workers,
    loaded,
    options_of,
    refuse_series,
    refuse_wrong,
)
from specmodel.constants import Value
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.engines.base.bounds import within_bounds
from specmodel.errors import UsageError
from specmodel.options import Options, Progress

if TYPE_CHECKING:
    from specmodel.analysis.ablation import AblationTable
    from specmodel.analysis.comparison import Comparison
    from specmodel.analysis.correspondence import Correspondence
    from specmodel.analysis.counterexamples import Counterexamples
    from specmodel.analysis.equality import Equality
    from specmodel.analysis.minimising import Minimised
    from specmodel.analysis.reasons import Reasons
    from specmodel.analysis.rival import Replayed
    from specmodel.analysis.solving import Solution
    from specmodel.analysis.sweep import Sweep
    from specmodel.graphs.model import DrawnGraph
    from specmodel.proof import Proof


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
    """Finds counterexamples to a property with different actions, and the graph of all shortest
    ones.

    `name` is that of the property (default: the first that is violated); a reachable one has
    witnesses instead. There are at most `most`, none with more than `longer` states more than the
    shortest. Limits as for `check`, for each search. Raises the errors of `load`, UsageError if
    there is none, and SpecmodelError if a limit is reached before one is found.
    """
    from specmodel.analysis.counterexamples import counterexamples
    from specmodel.analysis.searches import SearchLimits

    for given, least, what in ((most, 1, "most"), (longer, 0, "longer")):
        if given < least:
            raise UsageError(f"{what} is {least} or more, not {given}")
    design = loaded(target, constants)
    limits = SearchLimits(max_states, max_memory, timeout)
    return counterexamples(design, name, most=most, longer=longer, limits=limits)


def compare(
    *targets: str | Path,
    engine: str = registry.DEFAULT,
    properties: Sequence[str] | None = None,
    workers: int | None = None,
    master: str | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    **constants: Value,
) -> Comparison:
    """Checks designs, compares their actions, and replays each counterexample on the others.

    Each design takes those of the constants that it has, and is checked for those of the properties
    that it has. With the spark engine each check is a task of Spark, by the native engine, on the
    cluster that `master` names. The other arguments are those of `check`, for each search. Raises
    the errors of `check`, and UsageError for fewer than two designs or constants that differ
    between them.
    """
    from specmodel.analysis.comparison import chosen, compare, load_rivals

    if len(targets) < 2:
        raise UsageError("a comparison takes two designs or more")
    refuse_series(engine, master)
    designs = load_rivals([str(target) for target in targets], constants)
    names = chosen(designs, properties)

    slots = default_workers() if workers is None else workers

    def options(design: Design) -> Options:
        given = {"max_states": max_states, "max_depth": max_depth, "timeout": timeout}
        chosen = {"properties": names[design.name], "keep_going": True, "workers": slots}
        return options_of(design, {**given, **chosen, "progress": progress})

    checks = [(design, options(design)) for design in designs]
    for _, wanted in checks:
        refuse_wrong(wanted)
    if not registry.engine(engine).cluster:
        check = registry.engine(engine).check
        return compare(designs, lambda: (check(design, wanted) for design, wanted in checks))
    from specmodel.engines.spark.checks import results_of

    return compare(designs, lambda: results_of(checks, master, slots))


def replay_trace(
    file: str | Path, /, *, on: str | Path = "", profile: str = "", **constants: Value
) -> Replayed:
    """Replays a trace file (ITF) on its own design, or `on` another, as far as possible.

    `constants` override those that the file names, `profile` those of the design. Raises UsageError
    for a file that cannot be read or does not fit the design, and the errors of `load`.
    """
    from specmodel.analysis.rival import replay
    from specmodel.analysis.trace_files import recorded_on
    from specmodel.traces.itf_read import about

    with about(Path(file)):
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
    """Explains why an action is enabled or not in a state of a trace file, and why properties hold
    or not.

    `step` is the number of the state, from 1 (default: the last). `action` is a name, a kind, or
    one of them with arguments: `fetch(follower=r2)`. Without it, only properties are explained: the
    named ones, or else the design's own choice. `on`, `profile` and `constants` as for
    `replay_trace`, and the same errors.
    """
    from specmodel.analysis.reasons import reasons
    from specmodel.analysis.trace_files import read_on
    from specmodel.traces.itf_read import about

    with about(Path(file)):
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
    master: str | None = None,
    max_states: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    **constants: Value,
) -> AblationTable:
    """Weakens each rule of a design alone, and finds the properties that this violates.

    The rules are the conditions of its guards, and its actions that other designs of the same files
    replace; `actions` restricts them to those of some actions. `jobs` searches run side by side in
    processes of one thread each (one: in this process, with all threads). With the spark engine
    each search is a task of Spark, on the cluster that `master` names. Limits hold for each search.
    `progress` gets the number of finished searches and of all. Raises the errors of `check`.
    """
    from specmodel.analysis.ablation import ablate
    from specmodel.analysis.searches import SearchLimits

    refuse_series(engine, master)
    return ablate(
        loaded(target, constants),
        actions=actions,
        properties=properties,
        engine=engine,
        limits=SearchLimits(max_states, max_memory, timeout),
        jobs=jobs,
        master=master,
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
    """Checks designs at every combination of values: `vary={"replicas": range(2, 4)}`.

    `kept` is a file of outcomes: searches in it are not repeated, and new outcomes are added to it
    at once. With the spark engine each search is a task of Spark, on the cluster that `master`
    names. The other arguments are those of `ablate`. Raises the errors of `check`, and UsageError
    for a value that a constant cannot have.
    """
    from specmodel.analysis.saved_outcomes import SavedOutcomes
    from specmodel.analysis.searches import SearchLimits
    from specmodel.analysis.sweep import sweep

    if not targets or not vary:
        raise UsageError("a sweep takes a design and constants to vary")
    refuse_series(engine, master)
    return sweep(
        [loaded(target, constants) for target in targets],
        {name: tuple(values) for name, values in vary.items()},
        properties=properties,
        engine=engine,
        limits=SearchLimits(max_states, max_memory, timeout),
        jobs=jobs,
        master=master,
        kept=None if kept is None else SavedOutcomes(Path(kept)),
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
    """Finds a shortest behaviour to a state in which an expression is true, if there is one.

    The behaviour passes a state in which the expression `start` is true, if given. `engine` is
    "auto" (a search of up to a million states, and then z3 if that is not enough), "native",
    "interpret" or "smt", which alone supports `start`. The other arguments are those of `check`.
    Raises ExpressionError for a wrong expression, and the errors of `check`.
    """
    from specmodel.analysis.solving import solve

    options = Options(
        workers=default_workers(),
        max_depth=max_depth,
        timeout=timeout,
        query_timeout=query_timeout,
        progress=progress,
    )
    refuse_wrong(options)
    return solve(loaded(target, constants), reach, start, engine, options)


def equal(
    one: str | Path,
    other: str | Path,
    /,
    *,
    assume: Sequence[str] = (),
    query_timeout: float | None = None,
    **constants: Value,
) -> Equality:
    """Decides whether two designs over the same state do the same in every state of its domain.

    z3 compares their actions, one by one, for all states, reachable or not, in which the invariants
    `assume` of the first hold. `query_timeout` is seconds for each action. Raises the errors of
    `load`, and UsageError for states that differ and constants that only one has.
    """
    from specmodel.analysis.comparison import load_rivals
    from specmodel.analysis.equality import equality

    first, second = load_rivals([str(one), str(other)], constants)
    return equality(first, second, assume, query_timeout)


def equal_under(
    one: str | Path,
    other: str | Path,
    file: str | Path,
    /,
    *,
    max_states: int | None = None,
    timeout: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    **constants: Value,
) -> Correspondence:
    """Decides whether a TLA+ module and a design have the same states and steps under a map.

    `one` is the module. `file` is a Python file. Its function `state(s, constants)` gives for each
    reachable state of `other` a dict of the module's variables. The function
    `configuration(constants)`, if it is there, gives the module's configuration, as a text.
    `max_states` is a number of states of `other`, `timeout` is in seconds. Raises the errors of
    `load`, and SpecError at the place where the map fails.
    """
    from specmodel.analysis.correspondence import StateMap, correspondence, load_mapped

    options = Options(max_states=max_states, timeout=timeout, progress=progress)
    refuse_wrong(options)
    found = StateMap.read(Path(file))
    first, mapped = load_mapped(str(one), str(other), found, constants)
    return within_bounds(
        mapped, options, lambda limited: correspondence(first, mapped, found, limited)
    )


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
    """Finds the simplest trace to the violation at the end of a trace file (ITF).

    `finding` names the property if the file does not; for a reachable one it is the simplest trace
    that meets it. `main` are the actions of the main path (default: see `specmodel minimise`).
    `on`, `profile` and `constants` as for `replay_trace`, limits as for `check`. Raises UsageError
    for a trace that does not replay or ends in no violation, the errors of `load`, and
    SpecmodelError if a limit is reached first.
    """
    from specmodel.analysis.minimising import found_by, minimise
    from specmodel.analysis.searches import SearchLimits
    from specmodel.analysis.trace_files import read_on
    from specmodel.traces.itf_read import about

    with about(Path(file)):
        recorded, design = read_on(Path(file), str(on), constants, profile)
        trace, name = found_by(recorded, design, finding)
    return minimise(
        design, trace, name, main=main, limits=SearchLimits(max_states, max_memory, timeout)
    )


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
    """Tries to prove that properties hold in all reachable states, by induction, with Z3.

    `properties` names invariants and transition properties (default: all that the design checks),
    `lemmas` invariants that are proved beside them and may be used (default: the others that the
    design checks), `assumed` those that are assumed. `path` is the number of successive states that
    are assumed to meet the claims: more than 1 is k-induction. With `drop`, lemmas that a step can
    break are given up. With `cores`, the result says which lemmas are not needed, which takes
    longer. With `strengthen`, simple claims over the state are tried as lemmas
    (`proof/candidates.py`). `every` names constants to prove for all values of, from some value on;
    they are raised to the value that this needs (`proof/cutoff.py`). Limits, in seconds:
    `query_timeout` for a question, `timeout` for all. `progress` gets the number of questions
    asked, and of all.

    Raises the errors of `load`, UsageError for a property that is not an invariant, and if z3 is
    not installed.
    """
    from specmodel.proof import ProofLimits
    from specmodel.proof import prove as proved
    from specmodel.proof.candidates import candidates
    from specmodel.proof.claims import planned
    from specmodel.proof.cutoff import widened, windows

    design = loaded(target, constants)
    if path < 1:
        raise UsageError(f"path is {path}: it has to be at least 1")
    plan = planned(design, properties, lemmas, assumed)
    if every:
        if path > 1:
            raise UsageError("k-induction proves nothing for every value of a constant: use path=1")
        design = widened(design, plan, every)
        plan = planned(design, properties, lemmas, assumed)
    limits = ProofLimits(query_timeout, timeout)
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
    around: str = "",
    hops: int = 1,
    most: int = 1000,
    max_states: int = 1_000_000,
    **constants: Value,
) -> DrawnGraph:
    """Makes the state graph of a design, a projection of it, or the part around a state.

    The arguments are those of `specmodel graph`: `by` are expressions, `around` is one, or the
    number of a state. A notebook shows the graph; its `nodes` and `edges` are plain values. Raises
    ExpressionError for a wrong expression, UsageError for more than `most` nodes, and the errors of
    `load`.
    """
    from specmodel.graphs.requests import Wanted, states_graph

    wanted = Wanted(tuple(by), by_depth, around, hops, most, max_states)
    return states_graph(loaded(target, constants), wanted)
