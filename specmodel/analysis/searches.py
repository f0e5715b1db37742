"""Many searches side by side: of one design with changes to it, or at many constants.

Each is a search of its own, to the end of the state space. With several jobs they run in processes,
which share nothing: what goes to one and what comes back is plain values.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace

from specmodel import api
from specmodel.analysis.rules import Replacement, replaced
from specmodel.errors import SpecError, SpecmodelError
from specmodel.lang.constants import Value
from specmodel.lang.loading import Edit
from specmodel.results import PropertyResult, Result, SpecFailure, Verdict
from specmodel.suite.targets import load_target
from specmodel.views.notation import Notation


@dataclass(frozen=True)
class Limits:
    """When to give a search up: states, bytes, seconds. None: never."""

    max_states: int | None = None
    max_memory: int | None = None
    timeout: float | None = None


@dataclass(frozen=True)
class Task:
    """A search to make: a design's file, its constants, the changes to it, what is checked.

    `engine` and `limits` as for a check; `target` loads the design from any process.
    """

    target: str
    constants: Mapping[str, Value]
    edits: tuple[Edit, ...] = ()
    replacement: Replacement | None = None
    properties: tuple[str, ...] | None = None
    engine: str = "native"
    limits: Limits = Limits()


@dataclass(frozen=True)
class Judged:
    """What was found of a property. `steps` are those of its shortest trace, as text."""

    name: str
    kind: str
    verdict: Verdict
    trace_length: int | None
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How a search ended. The figures are those of a result (`specmodel.Result`).

    `failure` is set where the spec itself failed, with the step that did; then nothing else is known.
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


def search(task: Task, workers: int | None = None) -> Outcome:
    """Make one search. A spec that fails is an outcome; raises what a load does."""
    try:
        return _outcome(result_of(task, workers))
    except SpecFailure as failure:
        return Outcome(failure=f"{failure.where}: {failure.message}")


def result_of(task: Task, workers: int | None = None) -> Result:
    """The whole result of a search, traces included. Raises what a check does."""
    design = load_target(task.target, task.constants, edits=task.edits)
    if task.replacement is not None:
        design = replace(design, spec=replaced(design.spec, task.replacement))
    return api.check(
        design,
        engine=task.engine,
        properties=task.properties,
        keep_going=True,
        workers=workers,
        max_states=task.limits.max_states,
        max_memory=task.limits.max_memory,
        timeout=task.limits.timeout,
    )


def side_by_side(
    tasks: Sequence[Task], jobs: int, done: Callable[[int, Outcome], None] = lambda i, o: None
) -> Iterator[tuple[int, Outcome]]:
    """Make searches, `jobs` of them at a time; each outcome with its task's number, as it comes.

    One job searches with all cores in this process; with more, each has one core, and the calling
    program must be importable (as for all of Python's process pools). `done` is called likewise.
    Raises what a load does, and SpecmodelError if a process was ended from outside.
    """
    if jobs <= 1 or len(tasks) <= 1:
        for number, task in enumerate(tasks):
            yield number, search(task)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), context, initializer=_leave_signals)
    try:
        running = {pool.submit(search, task, 1): number for number, task in enumerate(tasks)}
        yield from _completed(running)
    except BrokenProcessPool:
        raise SpecmodelError(
            "a search was ended from outside, most likely for want of memory:"
            " run fewer side by side, or set a limit"
        ) from None
    finally:
        _end(pool)


def _completed(running: dict[Future[Outcome], int]) -> Iterator[tuple[int, Outcome]]:
    left = set(running)
    while left:
        finished, left = wait(left, return_when=FIRST_COMPLETED)
        for future in sorted(finished, key=running.__getitem__):
            yield running[future], future.result()


def _leave_signals() -> None:
    """Ctrl-C reaches every process of a terminal; the one that reports deals with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(pool: ProcessPoolExecutor) -> None:
    """End a pool at once: what still runs is not wanted any more."""
    mine = set(getattr(pool, "_processes", None) or {})
    pool.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        if process.pid in mine:
            process.terminate()


def _outcome(result: Result) -> Outcome:
    return Outcome(
        properties=tuple(_judged(found) for found in result.properties),
        distinct=result.distinct,
        generated=result.generated,
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
