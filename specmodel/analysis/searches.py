"""Many searches side by side: of one design with changes to it, or at many constants.

Each is a search of its own, to the end of the state space. With several jobs they run in processes
that share nothing: their input and output are plain values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial

from specmodel.analysis import checking
from specmodel.analysis.rules import ActionReplacement, replaced
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import BoundExceeded, SpecError
from specmodel.lang.packages import Edit
from specmodel.pool import spread
from specmodel.results import PropertyResult, Result, SpecFailure, Verdict
from specmodel.suite.targets import fix_bounds, load_target
from specmodel.traces.notation import Notation


@dataclass(frozen=True)
class SearchLimits:
    """The limits of a search: states, bytes, seconds. None: no limit."""

    max_states: int | None = None
    max_memory: int | None = None
    timeout: float | None = None

    def within(self, memory: int | None) -> SearchLimits:
        """These limits, with a memory limit if they have none."""
        return self if self.max_memory is not None else replace(self, max_memory=memory)


@dataclass(frozen=True)
class Task:
    """A search to make: a design's file, its constants, the changes to it, the properties to check.

    `engine` and `limits` as for a check; `target` loads the design in any process. A search with
    more than `enough` states continues only if a property is still open, and only for the open
    ones: a change that violates a property can also make the space infinite.
    """

    target: str
    constants: Mapping[str, Value]
    edits: tuple[Edit, ...] = ()
    replacement: ActionReplacement | None = None
    properties: tuple[str, ...] | None = None
    engine: str = "native"
    limits: SearchLimits = SearchLimits()
    enough: int | None = None


@dataclass(frozen=True)
class Judged:
    """The verdict on a property. `steps` are those of its shortest trace, as text."""

    name: str
    kind: str
    verdict: Verdict
    trace_length: int | None
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a search, with the figures of `specmodel.Result`.

    `failure` is set if the spec itself failed, with the step that failed; then nothing else is
    known.
    """

    properties: tuple[Judged, ...] = ()
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    complete: bool = False
    stopped: str = ""
    seconds: float = 0.0
    coverage: Mapping[str, int] = field(default_factory=dict[str, int])
    failure: str = ""

    def __getitem__(self, name: str) -> Judged:
        for found in self.properties:
            if found.name == name:
                return found
        raise KeyError(name)


def search(
    task: Task,
    workers: int | None = None,
    memory: int | None = None,
    design: Design | None = None,
) -> SearchOutcome:
    """Makes one search. A spec that fails is an outcome; raises UsageError as a load does.

    `memory` is a limit for tasks without one; `design` is the task's own, if it is loaded already.
    """
    task = replace(task, limits=task.limits.within(memory))
    try:
        if design is None:
            design = design_of(task)
        limits = [n for n in (task.enough, task.limits.max_states) if n is not None]
        most = min(limits, default=None)
        outcome = _outcome(_check(design, task, task.properties, True, most, workers))
        stopped = outcome.stopped if most != task.limits.max_states else ""
        while stopped in ("max-states", "violation"):
            left = tuple(p.name for p in outcome.properties if p.verdict == "incomplete")
            if not left:
                break
            more = _check(design, task, left, False, task.limits.max_states, workers)
            outcome = _joined(outcome, _outcome(more))
            stopped = "violation" if more.stopped == "violation" else ""
    except SpecFailure as failure:
        return SearchOutcome(failure=f"{failure.where}: {failure.message}")
    except SpecError as wrong:
        return SearchOutcome(failure=wrong.message)
    except BoundExceeded as wrong:  # of a changed design, which has the bounds of the design
        return SearchOutcome(failure=str(wrong))
    return outcome


def design_of(task: Task) -> Design:
    """The design of a task, with its changes. Raises the errors of a load.

    Bounds that are found are those of the design as it is: what a change lets grow beyond them may
    have no end.
    """
    design = load_target(task.target, task.constants, edits=task.edits)
    if task.edits:
        fix_bounds(design)
    return _weakened(design, task)


def _weakened(design: Design, task: Task) -> Design:
    """The design with a rule replaced, if the task replaces one."""
    if task.replacement is None:
        return design
    return replace(design, spec=replaced(design.spec, task.replacement))


def _check(
    design: Design,
    task: Task,
    properties: tuple[str, ...] | None,
    keep_going: bool,
    most: int | None,
    workers: int | None,
) -> Result:
    return checking.check(
        design,
        engine=task.engine,
        properties=properties,
        keep_going=keep_going,
        workers=workers,
        **vars(replace(task.limits, max_states=most)),
    )


def _joined(first: SearchOutcome, second: SearchOutcome) -> SearchOutcome:
    """The joint result of two searches for different properties of one design."""
    newer = {p.name: p for p in second.properties}
    properties = tuple(newer.get(p.name, p) for p in first.properties)
    furthest = max(first, second, key=lambda o: (o.complete, o.distinct))
    return replace(furthest, properties=properties, stopped=second.stopped)


def side_by_side(
    tasks: Sequence[Task], jobs: int, master: str | None = None
) -> Iterator[tuple[int, SearchOutcome]]:
    """Makes searches, `jobs` of them at a time; yields each outcome with its task's number.

    One job searches with all cores in this process; with more, each has a process of its own (see
    `specmodel.pool.spread`). Searches for the spark engine are made by the native engine, each as a
    task of Spark with one core; `master` is the cluster's (default: this machine, with `jobs` tasks
    at a time).

    Raises UsageError as a load does, SpecmodelError if a process was ended from outside, and
    KeyboardInterrupt.
    """
    if tasks and all(registry.engine(task.engine).cluster for task in tasks):
        yield from _on_spark(tasks, jobs, master)
        return
    for number, outcome in spread(search, tasks, jobs):
        if outcome.stopped == "interrupted":
            raise KeyboardInterrupt
        yield number, outcome


def _on_spark(
    tasks: Sequence[Task], jobs: int, master: str | None
) -> Iterator[tuple[int, SearchOutcome]]:
    """Sends each search with its design to Spark. A spec that cannot be sent counts as failed."""
    from specmodel.engines.spark.design_tasks import DesignTask, design_task, run_tasks

    design_tasks: dict[int, DesignTask[SearchOutcome]] = {}
    for number, task in enumerate(tasks):
        try:
            design = design_of(replace(task, replacement=None))
            name = f"{task.target} at {dict(task.constants)}"
            run = partial(_searched, replace(task, engine=registry.DEFAULT))
            design_tasks[number] = design_task(name, design, design.chosen(task.properties), run)
        except SpecError as wrong:
            yield number, SearchOutcome(failure=wrong.message)
    yield from run_tasks(design_tasks, master, jobs)


def _searched(task: Task, design: Design, memory: int | None) -> SearchOutcome:
    """One search, on the machine that the design was sent to."""
    return search(task, 1, memory, _weakened(design, task))


def _outcome(result: Result) -> SearchOutcome:
    distinct, generated = result.counts
    return SearchOutcome(
        properties=tuple(_judged(found) for found in result.properties),
        distinct=distinct,
        generated=generated,
        depth=result.depth,
        complete=result.complete,
        stopped=result.stopped,
        seconds=result.seconds,
        coverage=dict(result.coverage),
    )


def _judged(found: PropertyResult) -> Judged:
    write = Notation()
    steps = tuple(write.step(step) for step in found.trace.steps) if found.trace else ()
    return Judged(found.name, found.kind, found.verdict, found.trace_length, steps)
